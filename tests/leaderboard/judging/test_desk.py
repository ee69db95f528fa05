"""The desk's judge pages, from a draft to a column that is shown."""

from collections.abc import Iterator

import pytest
from celery.signals import before_task_publish
from django.db import connection
from pytest_django import DjangoAssertNumQueries, Settings

from leaderboard.actions.data_files import add_data_file
from leaderboard.competitions.models import Competition
from leaderboard.judging.actions.running import switch_on_when_made
from leaderboard.judging.board import judge_cells
from leaderboard.judging.models import (
    JudgeConfig,
    Judgment,
)
from leaderboard.submissions.queries import Upload
from tests.leaderboard import builders
from tests.leaderboard.builders import NOON
from tests.leaderboard.judging import configs, judged
from tests.leaderboard.judging.pages import JUDGE_DESK, RUNNING, judge_page, with_judge
from tests.leaderboard.web.pages import browser, hand_in, running

pytestmark = pytest.mark.django_db


def form(contest: Competition, **fields: object) -> dict[str, object]:
    """What a browser sends for a new draft: the form's own initial values with a model."""
    held = contest.dialogue_sets.latest("uploaded_at")
    return {
        "label": "심사",
        "pipeline": "shared",
        "language": "en",
        "dialogue_set_id": str(held.pk),
        "endpoint": "default",
        "model": "judge-1",
        "structured": "json_schema",
        "questions_per_dialogue": "5",
        "longest_summary": "1000",
        "longest_share": "0.8",
        "policy": "on_demand",
        "submissions_per_team_day": "3",
        "currency": "USD",
        "price_input": "1.5",
        "price_output": "",
        "calls_per_submission": "10000",
        "calls_per_team_day": "20000",
        "calls_in_all": "100000",
        "temperature": "0",
        "max_tokens": "2000",
        "token_param": "max_tokens",
        **fields,
    }


def test_why_it_cannot_be_switched_on_is_said_in_the_order_to_mend_it(
    settings: Settings,
) -> None:
    contest = running()
    olivia = browser("olivia")
    assert "심사 모델이 연결되어 있지 않습니다" in olivia.get(JUDGE_DESK).text
    configs.connect(settings)
    assert "모든 id의 대화가 든 데이터가 없습니다" in olivia.get(JUDGE_DESK).text
    configs.dialogues(contest, {**configs.TALKS, "more": "가: 더"})
    page = olivia.get(JUDGE_DESK).text
    assert "지금은 심사 열을 켤 수 없습니다" not in page
    assert "talks.csv" in page


def test_from_a_draft_to_a_column(settings: Settings) -> None:
    contest = running()
    configs.connect(settings)
    configs.dialogues(contest)
    olivia = browser("olivia")
    assert olivia.post(JUDGE_DESK, form(contest, model="")).status_code == 422
    assert olivia.post(JUDGE_DESK, form(contest, endpoint="elsewhere")).status_code == 422
    made = olivia.post(JUDGE_DESK, form(contest))
    config = JudgeConfig.objects.get()
    assert made["Location"] == judge_page(config)
    assert (config.price_input, config.sampling["temperature"]) == (1_500_000, 0)
    where = judge_page(config)
    sections = {
        "verb": "sections",
        "section0-name": "요약",
        "section0-kind": "free",
        "section0-instruction": "한 문장으로 쓴다.",
        "section0-allowed_values": "",
    }
    olivia.post(where, sections)
    assert config.sections.get().instruction == "한 문장으로 쓴다."
    assert "항목 만들기" in olivia.get(where).text
    olivia.post(where, {"verb": "build"})
    assert "대화 0 / 5" in olivia.get(where).text  # four dialogues and the sections
    config.refresh_from_db()
    assert config.state == "reviewing"
    olivia.post(where, {"verb": "freeze"})
    assert "항목을 아직 만들지 않은 대화가 5개" in olivia.get(where).text


def test_one_button_makes_and_switches_on(settings: Settings) -> None:
    contest = running()
    configs.connect(settings)
    configs.dialogues(contest)
    olivia = browser("olivia")
    page = olivia.get(JUDGE_DESK).text
    assert 'value="mastra"' in page
    assert 'value="google-completeness"' not in page  # it needs an instruction
    olivia.post(JUDGE_DESK, form(contest, verb="start", systems=["alignment", "mastra"]))
    config = JudgeConfig.objects.get()
    assert (config.state, config.switches_on) == ("reviewing", True)
    switch_on_when_made(config.pk, NOON)  # nothing is made yet
    config.refresh_from_db()
    assert config.state == "reviewing"
    configs.make(config)
    switch_on_when_made(config.pk, NOON)
    config.refresh_from_db()
    assert config.state == "active"
    submission = hand_in(builders.team(contest, "alice"))
    judged.give(config, submission, dict.fromkeys(("coverage", "mastra"), (0.5, 2, 2)))
    metrics, _cells = judge_cells(config, "public", [submission.pk])
    assert metrics == ("mastra",)


def test_a_section_with_an_instruction_offers_what_needs_one(settings: Settings) -> None:
    contest = running()
    configs.connect(settings)
    config = configs.created(contest)
    where = judge_page(config)
    assert 'value="adherence"' not in browser("olivia").get(where).text
    config.sections.update(kind="free", instruction="한 문장으로 쓴다.")
    page = browser("olivia").get(where).text
    assert 'value="adherence"' in page
    assert 'value="faithful:google"' in page


def test_dialogues_are_taken_from_a_data_file(settings: Settings) -> None:
    contest = running()
    configs.connect(settings)
    upload = Upload("talks.csv", builders.texts_csv(dict(configs.TALKS), "dialogue"))
    who = {"competition": contest, "user": builders.user("olivia"), "at": NOON}
    file = add_data_file(upload=upload, **who)
    olivia = browser("olivia")
    assert "talks.csv" in olivia.get(JUDGE_DESK).text
    sent = {"verb": "dialogues", "file": str(file.pk)}
    assert olivia.post(JUDGE_DESK, sent).status_code == 302
    assert contest.dialogue_sets.get().rows == len(configs.TALKS)


def test_review_freeze_switch_on_and_retire(settings: Settings) -> None:
    contest = running()
    configs.connect(settings)
    config = configs.built(contest)
    olivia = browser("olivia")
    items, where = judge_page(config, "/items"), judge_page(config)
    page = olivia.get(items, {"page": 2}).text
    assert "talk_1: 그러자고 하는가?" in page
    assert "가: talk_1 이야기를 할까?" in page
    save = {
        "verb": "save",
        "example": "talk_1",
        "text-q1": "talk_1: 그러자고 하는가?",
        "text-k1": "도서관에서 만난다",
        "keep-k1": "on",
    }
    assert olivia.post(f"{items}?page=2", save).status_code == 302
    kept = config.artefacts.filter(example_id="talk_1").values_list("item_id", "is_kept", "text")
    assert set(kept) == {
        ("q1", False, "talk_1: 그러자고 하는가?"),
        ("k1", True, "도서관에서 만난다"),
    }
    olivia.post(where, {"verb": "freeze"})
    assert "검토하지 않은 항목이" in olivia.get(where).text
    olivia.post(items, {"verb": "approve"})
    olivia.post(where, {"verb": "freeze"})
    config.refresh_from_db()
    assert (config.state, len(config.config_hash)) == ("frozen", 64)
    assert "text-q1" not in olivia.get(items, {"page": 2}).text
    olivia.post(where, {"verb": "activate"})
    contest.refresh_from_db()
    assert contest.shows_other_columns
    olivia.post(where, {"verb": "retire", "reason": "모델이 없어짐"})
    contest.refresh_from_db()
    assert not contest.shows_other_columns
    assert "모델이 없어짐" in olivia.get("/c/talk/desk/audit").text


def test_a_config_goes_on_in_another(settings: Settings) -> None:
    contest = running()
    configs.connect(settings)
    config = configs.frozen(contest, model="<b>judge-1")
    olivia = browser("olivia")
    assert "심사 j1에서 이어 만들기" in olivia.get(judge_page(config)).text
    assert olivia.get(judge_page(config, "/copy")).status_code == 405
    made = olivia.post(judge_page(config, "/copy"))
    copy = JudgeConfig.objects.get(number=2)
    where = judge_page(copy)
    assert made["Location"] == where
    olivia.post(where, form(contest, verb="edit", model="judge-2"))
    olivia.post(where, {"verb": "build"})
    olivia.post(where, {"verb": "freeze"})
    copy.refresh_from_db()
    assert (copy.state, copy.model, copy.artefact_hash) == (
        "frozen", "judge-2", config.artefact_hash,
    )  # fmt: skip
    settings.JUDGE_ENDPOINTS = {}
    assert olivia.post(judge_page(config, "/copy")).status_code == 409


def test_a_page_costs_the_same_with_more_judgings(
    settings: Settings, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    contest, config = with_judge(settings)
    for name in ("alice", "bob", "charlie"):
        configs.judging(config, hand_in(builders.team(contest, name)))
    Judgment.objects.update(call_keys={"P1": "ab" * 32})  # so that a repeat has a price
    olivia = browser("olivia")
    for end, most in (
        ("", 40),
        ("/flags", 25),
        ("/items", 25),
        ("/compare", 20),
        ("/agreement", 32),
    ):
        with django_assert_max_num_queries(most):
            assert olivia.get(judge_page(config, end)).status_code == 200


@pytest.fixture
def committed() -> Iterator[list[str]]:
    """The states of the configs that a judge's worker would find when its message is sent."""
    found: list[str] = []

    def note(**_: object) -> None:
        assert not connection.in_atomic_block
        found.extend(JudgeConfig.objects.values_list("state", flat=True))

    before_task_publish.connect(note, weak=False, sender="leaderboard.judge_next")
    yield found
    before_task_publish.disconnect(note, sender="leaderboard.judge_next")


@pytest.mark.django_db(transaction=True)
def test_the_worker_is_woken_after_the_decision_is_committed(
    settings: Settings, committed: list[str]
) -> None:
    contest = running()
    configs.connect(settings)
    config = configs.created(contest)
    olivia, where = browser("olivia"), judge_page(config)
    olivia.post(where, {"verb": "build"})
    assert committed == ["reviewing"]
    olivia.post(where, {"verb": "freeze"})  # refused: nothing has changed, so nobody is woken
    config.refresh_from_db()
    olivia.post(where, {"verb": "edit", **RUNNING})
    assert committed == ["reviewing", "reviewing"]
