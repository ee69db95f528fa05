"""Equal hash, equal question; what differs in one byte is another question."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from django.conf import LazySettings

from leaderboard.judging import identity
from leaderboard.judging.asking.walk import keep_call, stored_calls
from leaderboard.judging.models import Artefact, JudgeConfig, Section, StoredCall
from scoring.judges import prompts
from scoring.judges.schemas import SCHEMAS
from tests.leaderboard.builders import NOON, open_competition
from tests.leaderboard.judging.configs import SERVER
from tests.leaderboard.judging.stage import judge_config, reply

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("connected_judge")]
MATERIAL = {"summary": "민수는 도서관에서 지우를 만난다."}


def key(config: JudgeConfig, material: Mapping[str, Any] = MATERIAL, **changed: Any) -> str:
    given = {"prompt": prompts.load("claims", "en"), "schema": SCHEMAS["claims"], **changed}
    return identity.call_key(config, material=material, **given)


class Asker:
    """Asks only what the store does not know, as a judge does, and counts its requests."""

    def __init__(self, config: JudgeConfig) -> None:
        self.config, self.requests = config, 0

    def ask(self, prompt: prompts.Prompt) -> None:
        wanted = key(self.config, prompt=prompt)
        if wanted not in stored_calls([wanted]):
            self.requests += 1
            keep_call(
                wanted, reply({"claims": []}), competition_id=self.config.competition_id, at=NOON
            )


def test_case_27_same_call_once_and_one_changed_byte_asks_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    config = judge_config(open_competition())
    before, asker = prompts.load("claims", "en"), Asker(config)
    asker.ask(before)
    asker.ask(before)
    assert asker.requests == 1
    changed = replace(before, system=before.system + " ")
    asker.ask(changed)
    assert (asker.requests, StoredCall.objects.count()) == (2, 2)
    real = prompts.load
    monkeypatch.setattr(
        prompts, "load", lambda name, lang: changed if name == "claims" else real(name, lang)
    )
    assert identity.config_hash(config) != config.config_hash


def test_the_first_stored_answer_wins() -> None:
    config = judge_config(open_competition())
    first = {"claims": [{"id": "c1", "point": "가"}]}
    for answer, is_ours in ((first, True), ({"claims": []}, False)):
        kept, ours = keep_call(
            key(config), reply(answer), competition_id=config.competition_id, at=NOON
        )
        assert (kept.answer, ours) == (first, is_ours)


def around(change: dict[str, Any]) -> list[tuple[str, str]]:
    """The hashes of a call and of the column, before and after a change of the config."""
    config = judge_config(open_competition())
    found = [(key(config), identity.config_hash(config))]
    for name, value in change.items():
        setattr(config, name, value)
    return [*found, (key(config), identity.config_hash(config))]


@pytest.mark.parametrize(
    "change",
    [
        {"model": "fake-2"},
        {"structured": "json_object"},
        {"sampling": {"temperature": 0, "max_tokens": 1000, "seed": 7}},
        {"endpoint": "other"},
    ],
    ids=str,
)
def test_what_the_server_is_told_changes_call_and_column(change: dict[str, Any]) -> None:
    before, after = around(change)
    assert before[0] != after[0]
    assert before[1] != after[1]


@pytest.mark.parametrize(
    "change",
    [
        {"label": "다른 이름", "price_input": 9, "calls_in_all": 9, "policy": "best"},
        {"sampling": {"temperature": 0.0, "max_tokens": 1000, "seed": None}},
    ],
    ids=str,
)
def test_what_the_server_is_not_told_changes_neither(change: dict[str, Any]) -> None:
    before, after = around(change)
    assert after == before


def test_the_key_of_the_server_is_no_part_of_it_but_its_address_is(
    settings: LazySettings,
) -> None:
    config = judge_config(open_competition())
    before = key(config)
    settings.JUDGE_ENDPOINTS = {"default": {**SERVER, "api_key": "sk-other"}}
    assert key(config) == before
    moved = {**SERVER, "base_url": "http://127.0.0.1:2/v1"}
    settings.JUDGE_ENDPOINTS = {"default": moved}
    assert key(config) != before
    settings.JUDGE_ENDPOINTS = {"default": {**moved, "identity": SERVER["base_url"]}}
    assert key(config) == before


def test_each_re_ask_and_each_scope_has_a_key_of_its_own() -> None:
    config = judge_config(open_competition())
    keys = {
        key(config),
        key(config, sample_index=1),
        key(config, max_tokens=2000),
        key(config, scope="judging:1:talk_1"),
        key(config, {"summary": "민수는 도서관에서 지우를 만난다. "}),
    }
    assert len(keys) == 5
    assert key(config, max_tokens=1000) == key(config)


def test_the_artefact_hash_covers_what_is_asked_and_nothing_else() -> None:
    config = judge_config(open_competition())
    empty = identity.artefact_hash(config)
    section = Section.objects.create(config=config, position=1, name="요약", instruction="한 문장")
    with_section = identity.artefact_hash(config)
    item = Artefact.objects.create(
        config=config, kind="question", item_id="q1", example_id="talk_1", text="만나는가?"
    )
    with_item = identity.artefact_hash(config)
    assert len({empty, with_section, with_item}) == 3
    Artefact.objects.filter(pk=item.pk).update(is_kept=False)
    assert identity.artefact_hash(config) == with_section
    Artefact.objects.filter(pk=item.pk).update(is_kept=True, source_answer=False)
    assert identity.artefact_hash(config) == with_section
    section.delete()
    assert identity.artefact_hash(config) == empty
