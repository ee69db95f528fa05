"""One judging from request to column: what is asked, how often, and what is kept of it."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import pytest
from django.conf import LazySettings
from django.db.models import Sum

from leaderboard.actions.judge import judge_next
from leaderboard.judging.asking.replies import Misconfigured, QuotaSpent, Transient, Unusable, Usage
from leaderboard.judging.models import (
    Artefact,
    Budget,
    Circuit,
    ColumnValue,
    JudgeConfig,
    Judging,
    Judgment,
    Reservation,
    StoredCall,
)
from leaderboard.submissions.intake import pack
from leaderboard.submissions.models import SubmissionText
from leaderboard.submissions.queries import texts
from tests.leaderboard.builders import GOLDS, NOON, hand_in, open_competition, team
from tests.leaderboard.judging.stage import (
    ENDPOINT,
    ScriptedJudge,
    built,
    judge_config,
    request,
    work,
)

pytestmark = pytest.mark.django_db
PUBLIC = ("talk_1", "talk_4")


@pytest.fixture(autouse=True)
def fast(settings: LazySettings) -> None:
    settings.JUDGE_ENDPOINTS = {"default": ENDPOINT}
    settings.JUDGE_BACKOFF_SECONDS = 0.001
    settings.JUDGE_REQUEUE_SECONDS = 3600


def metrics(judging: Judging) -> dict[str, float | None]:
    return dict(ColumnValue.objects.filter(judging=judging).values_list("metric", "mean"))


def states() -> dict[str, int]:
    found: dict[str, int] = {}
    for state in Reservation.objects.values_list("state", flat=True):
        found[state] = found.get(state, 0) + 1
    return found


def test_it_works_with_three_calls_a_summary_and_four_with_adherence() -> None:
    contest = open_competition()
    config = built(contest)
    given = hand_in(team(contest, "alice"))
    judging, judge = request(config, given), ScriptedJudge()
    work(judge)
    assert judge.asked == {"claims": 2, "verify": 2, "cover": 2, "adhere": 2}
    judging.refresh_from_db()
    assert (judging.state, judging.rows_done, judging.rows) == ("complete", 2, 2)
    assert set(judging.judgments.values_list("example_id", "status")) == {
        (name, "scored") for name in PUBLIC
    }
    found = metrics(judging)
    # Both questions of a dialogue are about its two lines, of which the summary tells the first.
    assert (found["alignment"], found["coverage"]) == (1.0, 0.5)
    assert found["summarization"] == 0.5
    assert {"mastra", "deepeval", "google-accuracy", "completeness", "adherence"} <= found.keys()
    assert states() == {"answered": 8}
    assert StoredCall.objects.count() >= 8
    assert Budget.objects.get(scope="all").calls == 8
    row = judging.judgments.get(example_id="talk_1")
    assert set(row.call_keys) == {"P1", "P2", "P3", "P4"}
    assert row.input_tokens == 4 * 100


def test_without_a_section_nothing_is_asked_about_adherence() -> None:
    config = built(open_competition(), instruction="")
    request(config, hand_in(team(config.competition, "alice")))
    judge = ScriptedJudge()
    work(judge)
    assert judge.asked == {"claims": 2, "verify": 2, "cover": 2}


def test_what_was_answered_once_is_never_asked_again() -> None:
    contest = open_competition()
    config = built(contest)
    first = request(config, hand_in(team(contest, "alice")))
    work(ScriptedJudge())
    again, judge = request(config, hand_in(team(contest, "charlie"))), ScriptedJudge()
    work(judge)
    assert judge.calls == 0
    again.refresh_from_db()
    assert again.state == "complete"
    assert metrics(first) == metrics(again)
    assert not Reservation.objects.filter(judging=again).exists()


def test_an_answer_that_needed_a_second_asking_is_shared_as_well() -> None:
    """The same text has the same value for everybody, and nobody pays for it again."""
    contest = open_competition()
    config = built(contest)
    first = request(config, hand_in(team(contest, "alice")))
    bad = [Unusable("wrong_form"), Unusable(Unusable.CUT), Unusable("wrong_form")]
    work(ScriptedJudge(claims=[bad[0]], verify=[bad[1]], cover=[bad[1], bad[2]]))
    first.refresh_from_db()
    assert first.state == "complete"
    again, judge = request(config, hand_in(team(contest, "charlie"))), ScriptedJudge()
    work(judge)
    assert judge.calls == 0
    assert metrics(first) == metrics(again)


def test_rows_with_one_text_wait_for_the_answer_that_is_on_its_way() -> None:
    contest = open_competition()
    config = built(contest)
    same = dict.fromkeys(PUBLIC, "민수는 도서관에 간다.")
    judging = request(config, hand_in(team(contest, "alice"), same))
    judge = ScriptedJudge(claims=[Unusable("wrong_form")])
    work(judge)
    judging.refresh_from_db()
    assert judging.state == "complete"
    assert judge.asked["claims"] == 2  # the bad one and the good one, for both rows


def test_nothing_of_the_private_rows_leaves_the_house() -> None:
    contest = open_competition()
    config = built(contest)
    given = hand_in(team(contest, "alice"))
    request(config, given)
    judge = ScriptedJudge()
    work(judge)
    sent = "\n".join(judge.seen)
    for name in GOLDS.keys() - set(PUBLIC):
        assert GOLDS[name][0] not in sent
    assert set(Judgment.objects.values_list("example_id", flat=True)) == set(PUBLIC)


def test_a_blank_and_an_overlong_summary_cost_no_call() -> None:
    contest = open_competition()
    config = built(contest, longest_summary=50, longest_share=0.1)
    given = hand_in(team(contest, "alice"), {"talk_1": "가나다" * 40})
    blob = pack({**texts(given.pk), "talk_4": " \n"})
    SubmissionText.objects.filter(pk=given.pk).update(blob=blob)
    judging, judge = request(config, given), ScriptedJudge()
    work(judge)
    assert judge.calls == 0
    assert {row.example_id: (row.status, row.flags) for row in judging.judgments.all()} == {
        "talk_1": ("content_failed", ["too_long"]),
        "talk_4": ("scored", ["empty_summary"]),
    }
    found = metrics(judging)
    assert found.pop("unsure") is None  # there was no claim to doubt
    assert set(found.values()) == {0.0}


def test_the_share_of_unsure_claims_stands_beside_alignment() -> None:
    config = built(open_competition(), instruction="")
    texts = dict.fromkeys(PUBLIC, "민수는 도서관에 간다. 지우도 도서관에 간다.")
    judging = request(config, hand_in(team(config.competition, "alice"), texts))

    def doubting(answer: Any) -> Any:
        """The first of the two claims."""
        answer["decomposition"][0]["verdict"] = "unsure"
        return answer

    work(ScriptedJudge(verify=[doubting]))
    one, other = (judging.judgments.get(example_id=name).results["alignment"] for name in PUBLIC)
    claims = {one["denominator"], other["denominator"]}
    assert claims == {2}
    assert sorted([one["unsure"], other["unsure"]]) == [0, 1]
    assert metrics(judging)["unsure"] == 0.25


def test_a_bad_answer_is_asked_again_under_another_number_and_never_stored() -> None:
    contest = open_competition()
    config = built(contest)
    judging = request(config, hand_in(team(contest, "alice")))
    before = StoredCall.objects.count()
    judge = ScriptedJudge(
        claims=[Unusable("not_one_json_value", usage=Usage(9, 9)), Unusable("wrong_form")],
        verify=[lambda answer: {"decomposition": answer["decomposition"][:-1]}],
    )
    work(judge)
    judging.refresh_from_db()
    assert judging.state == "complete"
    assert metrics(judging)["summarization"] == 0.5
    assert StoredCall.objects.count() == before + 8
    assert states() == {"answered": 8, "refused": 3}
    assert set(Reservation.objects.filter(state="refused").values_list("outcome", flat=True)) == {
        "not_one_json_value",
        "wrong_form",
        "missing_id",
    }
    # No bad answer is ever shown to the model: all requests of one row hold the same material.
    assert len({text for text in judge.seen if '"claims"' not in text}) <= 6


def test_after_two_re_asks_the_row_scores_zero_with_a_flag() -> None:
    contest = open_competition()
    config = built(contest)
    judging = request(config, hand_in(team(contest, "alice")))
    judge = ScriptedJudge(cover=[Unusable("wrong_form")] * 6)
    work(judge)
    assert judge.asked["cover"] == 6
    assert [sample for sample in judge.samples if sample[0] == "cover"].count(
        ("cover", 2, 1000)
    ) == 2
    row = judging.judgments.get(example_id="talk_1")
    assert row.status == "content_failed"
    assert row.results["coverage"]["score"] == 0.0
    assert row.results["alignment"]["score"] == 1.0
    assert "judge_unreadable" in row.flags
    assert metrics(judging)["summarization"] == 0.0
    assert metrics(judging)["mastra"] == 0.0
    judging.refresh_from_db()
    assert judging.state == "complete"


def test_a_cut_answer_gets_twice_the_room_once() -> None:
    contest = open_competition()
    request(built(contest), hand_in(team(contest, "alice")))
    judge = ScriptedJudge(claims=[Unusable("length"), Unusable("length")])
    work(judge)
    asked = sorted((sample, room) for name, sample, room in judge.samples if name == "claims")
    # One row cut twice, or both cut once.
    assert asked in (
        [(0, 1000), (0, 1000), (1, 2000), (2, 2000)],
        [(0, 1000), (0, 1000), (1, 2000), (1, 2000)],
    )


def test_a_transient_failure_is_tried_again_and_paid_for_each_time() -> None:
    contest = open_competition()
    judging = request(built(contest), hand_in(team(contest, "alice")))
    judge = ScriptedJudge(cover=[Transient("http_500", is_free=True)] * 3)
    work(judge)
    judging.refresh_from_db()
    assert judging.state == "complete"
    assert states() == {"answered": 8, "failed": 3}
    assert Budget.objects.get(scope="all").calls == 11
    assert Circuit.objects.get().failures == 0


def test_a_row_that_nobody_answers_is_pending_and_completes_when_the_server_is_back(
    settings: LazySettings,
) -> None:
    settings.JUDGE_ATTEMPTS, settings.JUDGE_CIRCUIT_FAILURES = 2, 100
    contest = open_competition()
    judging = request(built(contest), hand_in(team(contest, "alice")))
    judge = ScriptedJudge(cover=[Transient("timeout")] * 4)
    work(judge)
    judging.refresh_from_db()
    assert (judging.state, judging.paused, judging.rows_done) == ("waiting", "server", 0)
    value = ColumnValue.objects.get(judging=judging, metric="summarization")
    assert (value.mean, value.scored, value.rows) == (None, 0, 2)
    assert ColumnValue.objects.get(judging=judging, metric="alignment").scored == 2
    asked = judge.asked["claims"]
    Judging.objects.update(not_before=None)
    work(judge)
    judging.refresh_from_db()
    assert (judging.state, judging.paused) == ("complete", "")
    assert judge.asked["claims"] == asked
    assert metrics(judging)["summarization"] == 0.5


def test_a_dead_server_opens_the_circuit_and_is_probed_with_one_call(
    settings: LazySettings,
) -> None:
    settings.JUDGE_CIRCUIT_FAILURES = 3
    contest = open_competition()
    judging = request(built(contest), hand_in(team(contest, "alice")))
    gone = [Transient("no_connection")] * 99
    dead = ScriptedJudge(claims=gone, cover=gone, adhere=gone)
    work(dead)
    judging.refresh_from_db()
    assert (judging.state, judging.paused) == ("waiting", "circuit")
    assert 3 <= dead.calls <= 6 + 8  # both rows' calls were out, some for the second time
    Circuit.objects.update(open_until=NOON)  # long ago
    before = dead.calls
    work(dead)
    assert dead.calls == before + 1
    assert Circuit.objects.get().openings == 2
    Circuit.objects.update(open_until=NOON)
    work(ScriptedJudge())
    judging.refresh_from_db()
    assert (judging.state, judging.paused) == ("complete", "")


@pytest.mark.parametrize(
    ("failure", "paused", "reason"),
    [
        (Misconfigured("http_401"), "configuration", "http_401"),
        (QuotaSpent("http_429"), "quota", "quota"),
    ],
    ids=["configuration", "quota"],
)
def test_what_only_people_can_mend_waits_for_them(
    failure: Misconfigured | QuotaSpent, paused: str, reason: str
) -> None:
    contest = open_competition()
    judging = request(built(contest), hand_in(team(contest, "alice")))
    work(ScriptedJudge(claims=[failure] * 9))
    judging.refresh_from_db()
    assert (judging.state, judging.paused) == ("waiting", paused)
    assert Circuit.objects.get().reason == reason
    assert work(ScriptedJudge()) == 0
    Circuit.objects.update(reason="")
    work(ScriptedJudge())
    judging.refresh_from_db()
    assert (judging.state, judging.paused) == ("complete", "")


def test_a_lost_worker_leaves_unsettled_calls_and_the_next_goes_on(
    settings: LazySettings,
) -> None:
    settings.JUDGE_CONCURRENCY = 2
    contest = open_competition()
    judging = request(built(contest), hand_in(team(contest, "alice")))
    before, judge = StoredCall.objects.count(), ScriptedJudge()

    class Killed(BaseException):
        """In the middle of a tick: what the tick wrote is rolled back with it."""

    def clock() -> datetime:
        if judge.calls >= 5:
            raise Killed
        return NOON

    with pytest.raises(Killed):
        judge_next(now=clock, connect=judge.connect)
    stored = StoredCall.objects.count() - before
    assert 0 < stored < 5
    assert states() == {"answered": stored, "open": judge.calls - stored}
    work(second := ScriptedJudge())
    judging.refresh_from_db()
    assert judging.state == "complete"
    assert stored + second.calls == 8
    assert states() == {"answered": 8, "unsettled": judge.calls - stored}


def test_a_worker_that_lost_its_lease_keeps_its_answers_and_writes_no_row(
    settings: LazySettings,
) -> None:
    settings.JUDGE_CONCURRENCY = 2
    contest = open_competition()
    judging = request(built(contest), hand_in(team(contest, "alice")))
    before, judge = StoredCall.objects.count(), ScriptedJudge()

    def clock() -> datetime:
        if judge.calls >= 3:  # somebody has it judged anew meanwhile
            Judging.objects.filter(state="running").update(state="waiting", owner=None, attempt=9)
        return NOON

    judge_next(now=clock, connect=judge.connect)
    judging.refresh_from_db()
    assert (judging.state, judging.attempt, judging.rows_done) == ("waiting", 9, 0)
    assert not judging.judgments.exists()
    assert not ColumnValue.objects.exists()
    stored = StoredCall.objects.count() - before
    assert stored == judge.calls >= 3
    assert states() == {"answered": stored}
    work(second := ScriptedJudge())
    judging.refresh_from_db()
    assert judging.state == "complete"
    assert stored + second.calls == 8


def test_a_dialogue_that_models_decline_for_two_teams_counts_for_nobody() -> None:
    contest = open_competition()
    config = built(contest)
    texts = {"talk_1": "지우와 민수가 만나기로 했다.", "talk_4": "환자는 검진을 받는다."}
    first = request(config, hand_in(team(contest, "alice")))

    def declining(answer: Mapping[str, Any]) -> Mapping[str, Any]:
        if "도서관" in str(answer) or "만나기" in str(answer):
            raise Unusable("refusal")
        return answer

    work(ScriptedJudge(verify=[declining] * 99))
    row = first.judgments.get(example_id="talk_1")
    assert (row.status, row.results["alignment"]["score"]) == ("content_failed", 0.0)
    assert "declined" in row.flags
    second = request(config, hand_in(team(contest, "charlie"), texts))
    work(ScriptedJudge(verify=[declining] * 99))
    for judging in (first, second):
        row = judging.judgments.get(example_id="talk_1")
        assert row.status == "source_blocked"
        assert row.results["alignment"]["score"] is None
        value = ColumnValue.objects.get(judging=judging, metric="alignment")
        assert (value.scored, value.rows) == (1, 1)
    # Whoever comes later is not asked about it at all.
    third = request(config, hand_in(team(contest, "dave"), {"talk_1": "둘이 만난다."}))
    judge = ScriptedJudge()
    work(judge)
    assert third.judgments.get(example_id="talk_1").status == "source_blocked"
    assert "둘이 만난다." not in "\n".join(judge.seen)


@pytest.mark.parametrize(
    ("pipeline", "calls"),
    [("faithful:mastra", 5), ("faithful:mastra-2026", 3), ("faithful:deepeval", 6)],
)
def test_a_faithful_pipeline_makes_the_calls_of_its_system_each_time(
    pipeline: str, calls: int
) -> None:
    contest = open_competition()
    config = built(contest, instruction="", pipeline=pipeline)
    for name in ("alice", "charlie"):
        judging, judge = request(config, hand_in(team(contest, name))), ScriptedJudge()
        work(judge)
        # Both rows, and the same texts are asked again for the other team.
        assert judge.calls == 2 * calls
        judging.refresh_from_db()
        assert judging.state == "complete"
        assert metrics(judging).keys() == {pipeline.removeprefix("faithful:")}


def test_items_are_made_of_dialogues_alone_and_only_what_they_prove() -> None:
    contest = open_competition()
    config = built(contest)
    items = Artefact.objects.filter(config=config)
    kinds = dict.fromkeys(items.values_list("kind", flat=True))
    assert set(kinds) == {"question", "rubric", "adherence", "content"}
    assert set(items.values_list("example_id", flat=True)) == {"", *GOLDS}
    assert config.built_dialogues.filter(failure="").count() == 1 + len(GOLDS)
    ids = items.filter(example_id="talk_1", kind="question").values_list("item_id", flat=True)
    assert sorted(ids) == [f"q{n}" for n in range(1, len(ids) + 1)]


def test_one_dialogue_whose_items_fail_does_not_stop_the_others() -> None:
    config = judge_config(open_competition(), state=JudgeConfig.State.REVIEWING)

    def declined(answer: Mapping[str, Any]) -> Mapping[str, Any]:
        if "주전자" in str(answer):
            raise Unusable("refusal")
        return answer

    work(ScriptedJudge(questions=[declined] * 99))
    built_rows = dict(config.built_dialogues.values_list("example_id", "failure"))
    assert built_rows == {"": "", **dict.fromkeys(GOLDS, ""), "talk_2": "refusal"}
    made = Artefact.objects.filter(config=config).values_list("example_id", flat=True)
    assert set(made) == GOLDS.keys() - {"talk_2"}


def test_spend_adds_up() -> None:
    contest = open_competition()
    config = built(contest, price_input=1_000_000, price_output=2_000_000)
    judging = request(config, hand_in(team(contest, "alice")))
    work(ScriptedJudge())
    # Each answer took 100 tokens in and 20 out: 100 + 2 x 20 millionths; 8 answers.
    spent = Reservation.objects.aggregate(spent=Sum("micros"))["spent"]
    assert spent == 8 * 140
    assert {row.micros for row in Budget.objects.all()} == {8 * 140}
    assert judging.judgments.aggregate(spent=Sum("micros"))["spent"] == 8 * 140
