"""A judge config out of another: what goes along, and when nothing does."""

from typing import Any

import pytest
from pytest_django import Settings

from leaderboard.competitions.models import Competition
from leaderboard.judging import building, estimate
from leaderboard.judging.actions.configs import copy_judge_config
from leaderboard.judging.actions.items import (
    approve_artefacts,
    begin_judge_review,
    review_artefacts,
    unbuilt,
)
from leaderboard.judging.actions.running import freeze_judge_config
from leaderboard.judging.building import COPIED, carried
from leaderboard.judging.identity import set_sections
from leaderboard.judging.models import Artefact, JudgeConfig, Section
from leaderboard.judging.plan import ids_to_build
from leaderboard.references.models import Example, ReferenceSet
from leaderboard.refusals import Refused
from tests.leaderboard import builders
from tests.leaderboard.builders import NOON
from tests.leaderboard.judging import configs
from tests.leaderboard.judging.stage import ScriptedJudge, work

pytestmark = pytest.mark.django_db


@pytest.fixture
def contest(connected_judge: None) -> Competition:
    return builders.open_competition()


@pytest.fixture
def source(contest: Competition) -> JudgeConfig:
    """Frozen after a review that struck out and reworded; one question nobody answers."""
    config = configs.built(contest, longest_summary=400, price_input=7, calls_in_all=123)
    Artefact.objects.filter(config=config, example_id="talk_2", kind="question").update(
        source_answer=False
    )
    review_artefacts(
        config_id=config.pk,
        example_id="talk_1",
        decisions=[
            Artefact(item_id="q1", is_kept=False, text="그러자고 하는가?"),
            Artefact(item_id="k1", is_kept=True, text="만난다"),
        ],
        **by(),
    )
    approve_artefacts(config_id=config.pk, **by())
    return freeze_judge_config(config_id=config.pk, **by())


def by(name: str = "olivia") -> dict[str, Any]:
    return {"user": builders.user(name), "at": NOON}


def copied(source: JudgeConfig, **changes: Any) -> JudgeConfig:
    """A copy whose draft was changed."""
    copy = copy_judge_config(config_id=source.pk, **by())
    for name, value in changes.items():
        setattr(copy, name, value)
    copy.save()
    return copy


def rows(config: JudgeConfig) -> list[tuple[Any, ...]]:
    return list(config.artefacts.order_by("pk").values_list(*COPIED, "section__name"))


def test_another_model_meets_the_same_items_without_a_call_or_a_review(
    source: JudgeConfig,
) -> None:
    copy = copied(source, model="judge-2", language="ko")
    assert (copy.state, copy.number, copy.artefacts.count()) == ("draft", 2, 0)
    assert (copy.longest_summary, copy.price_input, copy.calls_in_all) == (400, 7, 123)
    found = carried(copy)
    # The rubric, a question and a content for each of four dialogues.
    assert (found.items, found.dialogues) == (9, 4)
    assert estimate.building(copy, example_ids=ids_to_build(copy)[1:]).calls == 0
    begun = begin_judge_review(config_id=copy.pk, **by())
    judge = ScriptedJudge()
    assert (begun.carried_items, work(judge), judge.calls) == (9, 0, 0)
    assert rows(copy) == rows(source)
    assert begin_judge_review(config_id=copy.pk, **by()).carried_items == 9  # not a second time
    frozen = freeze_judge_config(config_id=copy.pk, **by())
    assert frozen.artefact_hash == source.artefact_hash
    assert frozen.config_hash != source.config_hash


def test_an_unchanged_copy_is_the_same_column(source: JudgeConfig) -> None:
    copy = copied(source)
    assert copied(copy).copied_from == source  # a draft has no items of its own
    begin_judge_review(config_id=copy.pk, **by())
    frozen = freeze_judge_config(config_id=copy.pk, **by())
    assert frozen.config_hash == source.config_hash


def test_every_field_of_an_item_is_copied() -> None:
    names = {field.attname for field in Artefact._meta.fields}
    assert names - {"id", "config_id", "section_id"} == set(COPIED)


def test_of_other_dialogues_only_those_with_the_same_text_keep_their_items(
    contest: Competition, source: JudgeConfig
) -> None:
    texts = {**configs.TALKS, "talk_4": "가: 검진은 언제 받을까?\n나: 매년 받으라고 하더라."}
    copy = copied(source, dialogue_set=configs.dialogues(contest, texts))
    begun = begin_judge_review(config_id=copy.pk, **by())
    assert begun.carried_items == 7
    assert unbuilt(copy, ids_to_build(copy)) == ["talk_4"]
    judge = ScriptedJudge()
    work(judge)
    assert judge.calls == 3  # its questions, their answers, its contents
    assert all("매년 받으라고" in material for material in judge.seen)
    assert unbuilt(copy, ids_to_build(copy)) == []
    assert copy.artefacts.filter(reviewed_by=None).exclude(example_id="talk_4").count() == 0


ASKED = Section(name="제목", kind="free", instruction="한 줄로 쓴다.")
VALUES = Section(
    name="기분", kind="categorical", instruction="고른다.", allowed_values=["좋음", "나쁨"]
)


@pytest.mark.parametrize(
    ("changes", "added", "barrier"),
    [
        ({"questions_per_dialogue": 8}, [], building.QUESTIONS),
        ({"pipeline": "faithful:mastra"}, [], building.PIPELINE),
        ({}, [ASKED], building.CHANGED_SECTIONS),
        # Nothing is made of a section with fixed values.
        ({"sample_rows": 2, "structured": "json_object"}, [VALUES], ""),
    ],
    ids=["questions", "pipeline", "sections", "nothing"],
)
def test_what_items_were_made_for_is_still_asked(
    source: JudgeConfig, changes: dict[str, Any], added: list[Section], barrier: str
) -> None:
    copy = copied(source, **changes)
    set_sections(config=copy, sections=[*copy.sections.all(), *added])
    found = carried(copy)
    assert (found.barrier, found.items) == (barrier, 0 if barrier else 9)
    begun = begin_judge_review(config_id=copy.pk, **by())
    assert copy.artefacts.count() == begun.carried_items == found.items


def test_what_is_gone_is_replaced_by_what_is_there(
    contest: Competition, source: JudgeConfig, settings: Settings
) -> None:
    settings.JUDGE_ENDPOINTS = {"newer": configs.SERVER}
    golds = ReferenceSet.objects.get(competition=contest)  # as golds with one more id would be
    Example.objects.create(
        reference_set=golds, position=9, example_id="talk_9", references=["새."], split="public"
    )
    with pytest.raises(Refused) as caught:
        copied(source)
    assert caught.value.code == "no_dialogues"
    held = configs.dialogues(contest, {**configs.TALKS, "talk_9": "가: 새 대화야?\n나: 그래."})
    copy = copied(source)
    assert (copy.endpoint, copy.dialogue_set) == ("newer", held)
    begin_judge_review(config_id=copy.pk, **by())
    assert unbuilt(copy, ids_to_build(copy)) == ["talk_9"]
