"""Judge configs: what each verb refuses, and what stays as it was."""

from collections.abc import Callable

import pytest
from django.core.exceptions import ValidationError
from pytest_django import Settings

from leaderboard.audit.models import AuditEvent
from leaderboard.competitions.models import Competition
from leaderboard.judging.actions.configs import (
    copy_judge_config,
    edit_judge_config,
    set_judge_sections,
)
from leaderboard.judging.actions.items import (
    approve_artefacts,
    begin_judge_review,
    review_artefacts,
)
from leaderboard.judging.actions.judgings import rejudge
from leaderboard.judging.actions.running import (
    activate_judge_config,
    close_judge_circuit,
    freeze_judge_config,
    retire_judge_config,
)
from leaderboard.judging.actions.trust import upload_judge_labels
from leaderboard.judging.identity import settings_of
from leaderboard.judging.models import Artefact, BuiltDialogue, Judgment, Section
from leaderboard.refusals import Refused
from leaderboard.submissions.queries import Upload
from tests.leaderboard import builders
from tests.leaderboard.builders import NOON
from tests.leaderboard.judging import configs

pytestmark = pytest.mark.django_db


@pytest.fixture
def contest(connected_judge: None) -> Competition:
    return builders.open_competition()


def refusal(done: Callable[[], object]) -> str:
    with pytest.raises(Refused) as caught:
        done()
    return caught.value.code


def by(name: str = "olivia") -> dict[str, object]:
    return {"user": builders.user(name), "at": NOON}


def test_every_verb_is_for_owners_and_editors(contest: Competition) -> None:
    config = configs.active(contest)
    judging = configs.judging(config, builders.hand_in(builders.team(contest, "alice")))
    wanted, alice = settings_of(config), by("alice")
    upload = Upload("a.csv", b"x")
    verbs: list[Callable[[], object]] = [
        lambda: configs.create_judge_config(competition=contest, wanted=wanted, **alice),
        lambda: copy_judge_config(config_id=config.pk, **alice),
        lambda: edit_judge_config(config_id=config.pk, wanted=wanted, **alice),
        lambda: set_judge_sections(config_id=config.pk, sections=[], **alice),
        lambda: begin_judge_review(config_id=config.pk, **alice),
        lambda: review_artefacts(config_id=config.pk, example_id="", decisions=[], **alice),
        lambda: approve_artefacts(config_id=config.pk, **alice),
        lambda: freeze_judge_config(config_id=config.pk, **alice),
        lambda: activate_judge_config(config_id=config.pk, **alice),
        lambda: retire_judge_config(config_id=config.pk, **alice),
        lambda: rejudge(judging_id=judging.pk, **alice),
        lambda: close_judge_circuit(config_id=config.pk, **alice),
        lambda: upload_judge_labels(config_id=config.pk, upload=upload, **alice),
    ]
    decided = AuditEvent.objects.count()
    assert [refusal(verb) for verb in verbs] == ["not_an_editor"] * len(verbs)
    assert AuditEvent.objects.count() == decided


def test_past_the_draft_only_what_changes_no_answer_is_edited(contest: Competition) -> None:
    config = configs.frozen(contest)
    now, hashed = settings_of(config), config.config_hash
    for change in ({"model": "other"}, {"longest_share": 0.5}):
        wanted = settings_of(now, **change)
        assert (
            refusal(
                lambda wanted=wanted: edit_judge_config(config_id=config.pk, wanted=wanted, **by())
            )
            == "not_a_draft"
        )
    wanted = settings_of(now, policy="best", price_input=5, currency="KRW", calls_in_all=7)
    edit_judge_config(config_id=config.pk, wanted=wanted, **by())
    config.refresh_from_db()
    assert (config.policy, config.price_input, config.config_hash) == ("best", 5, hashed)
    assert config.calls_in_all == 7
    with pytest.raises(ValidationError):
        edit_judge_config(config_id=config.pk, wanted=settings_of(wanted, policy="x"), **by())


def test_sections_that_cannot_be(contest: Competition) -> None:
    config = configs.created(contest)
    for sections, code in [
        ([], "number_of_sections"),
        ([Section(name="a", kind="prebuilt")] * 2, "same_name"),
        ([Section(name="a\u202e", kind="prebuilt")], "section_name"),
        ([Section(name="a", kind="odd")], "section_kind"),
        ([Section(name="a", kind="free", instruction="x" * 2001)], "long_instruction"),
        ([Section(name="a", kind="free")], "no_instruction"),
        (
            [Section(name="a", kind="categorical", instruction="고른다", allowed_values=["하나"])],
            "allowed_values",
        ),
        (
            [Section(name="a", kind="free", instruction="쓴다", allowed_values=["하나", "둘"])],
            "allowed_values",
        ),
    ]:
        assert (
            refusal(
                lambda sections=sections: set_judge_sections(
                    config_id=config.pk, sections=sections, **by()
                )
            )
            == code
        )
        assert config.sections.get().name == "요약"


@pytest.mark.parametrize(
    ("text", "code"),
    [("가" * 501, "item_length"), ("", "item_length"), ("가\u202e나", "item_characters")],
)
def test_items_that_cannot_be(contest: Competition, text: str, code: str) -> None:
    config = configs.built(contest)
    wanted = [Artefact(item_id="q1", is_kept=True, text=text)]
    assert (
        refusal(
            lambda: review_artefacts(
                config_id=config.pk,
                example_id="talk_1",
                decisions=wanted,
                **by(),
            )
        )
        == code
    )
    assert config.artefacts.filter(reviewed_by=None).count() == 9  # nothing was kept of these


def test_freezing_waits_for_all_items_and_strikes_orphans(contest: Competition) -> None:
    config = configs.built(contest)

    def freeze(**more: bool) -> str:
        return refusal(lambda: freeze_judge_config(config_id=config.pk, **more, **by()))

    assert freeze() == "not_reviewed"
    BuiltDialogue.objects.filter(config=config, example_id="talk_2").update(failure="refused")
    assert freeze() == "some_failed"
    BuiltDialogue.objects.filter(config=config, example_id="talk_5").delete()
    assert freeze(accept_failed=True) == "not_built"
    BuiltDialogue.objects.create(config=config, example_id="talk_5")
    review_artefacts(
        config_id=config.pk,
        example_id="",
        decisions=[Artefact(item_id="r0-1", is_kept=False, text="약속이 무엇인가?")],
        **by(),
    )
    approve_artefacts(config_id=config.pk, **by())
    done = freeze_judge_config(config_id=config.pk, accept_failed=True, **by())
    assert done.state == "frozen"
    assert not config.artefacts.filter(kind="content", is_kept=True).exists()
    assert refusal(lambda: approve_artefacts(config_id=config.pk, **by())) == "wrong_state"


def test_building_again_forgets_what_failed(contest: Competition) -> None:
    config = configs.built(contest)
    BuiltDialogue.objects.filter(config=config, example_id="talk_2").update(failure="refused")
    begin_judge_review(config_id=config.pk, **by())
    assert not config.built_dialogues.filter(example_id="talk_2").exists()
    assert not config.artefacts.filter(example_id="talk_2").exists()
    assert config.artefacts.filter(example_id="talk_1").count() == 2


def test_one_column_is_shown_and_a_retired_one_may_come_back(
    contest: Competition, settings: Settings
) -> None:
    first, second = configs.active(contest), configs.frozen(contest, model="judge-2")
    activate_judge_config(config_id=second.pk, **by())
    first.refresh_from_db()
    assert (first.state, first.retired_at) == ("retired", NOON)
    activate_judge_config(config_id=first.pk, **by())
    second.refresh_from_db()
    assert second.state == "retired"
    settings.JUDGE_ENDPOINTS = {"other": configs.SERVER}
    assert refusal(lambda: activate_judge_config(config_id=second.pk, **by())) == "endpoint_gone"
    retire_judge_config(config_id=first.pk, **by())
    contest.refresh_from_db()
    assert not contest.shows_other_columns


def test_rejudging_forgets_what_was_not_answered(contest: Competition) -> None:
    config = configs.active(contest)
    judging = configs.judging(config, builders.hand_in(builders.team(contest, "alice")))
    judging.judgments.filter(example_id="talk_4").update(status="content_failed")
    assert rejudge(judging_id=judging.pk, **by()) == 1
    judging.refresh_from_db()
    assert (judging.state, judging.rows_done, judging.attempt) == ("waiting", 1, 1)
    assert Judgment.objects.get(judging=judging).example_id == "talk_1"
