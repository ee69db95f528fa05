"""The same asked again: what turns is counted, what it costs is paid, and nothing else changes."""

from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import pytest
from django.conf import LazySettings

from leaderboard.audit.models import AuditEvent
from leaderboard.judging import queries
from leaderboard.judging.actions.configs import edit_judge_config
from leaderboard.judging.actions.trust import begin_judge_repeat, stop_judge_repeat
from leaderboard.judging.actions.turn import judge_next
from leaderboard.judging.asking.claim import anything_to_do
from leaderboard.judging.asking.replies import Transient, UnusableAnswer
from leaderboard.judging.identity import settings_of
from leaderboard.judging.models import (
    Budget,
    ColumnValue,
    JudgeConfig,
    Judging,
    Judgment,
    Repeat,
    Reservation,
)
from leaderboard.refusals import Refused
from tests.leaderboard.builders import GOLDS, NOON, hand_in, open_competition, team, user
from tests.leaderboard.judging.stage import (
    ScriptedJudge,
    built,
    request,
    work,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("quick_judge")]


@pytest.fixture(autouse=True)
def locks_in_order() -> None:
    """Not watched here: an organizer's stop is planted in the worker's own transaction."""


# Two public rows, each with one claim, two questions, contents and one instruction: three calls a
# row are repeated, four times in the same order and once in another.
CALLS = 2 * 3 * 5


def judged(judge: ScriptedJudge | None = None, **fields: Any) -> Judging:
    """A judging that was done with eight calls, four a row."""
    contest = open_competition()
    judging = request(built(contest, **fields), hand_in(team(contest, "alice")))
    work(judge or ScriptedJudge())
    judging.refresh_from_db()
    assert judging.state == "complete"
    return judging


def begin(judging: Judging, who: str = "olivia") -> Repeat:
    return begin_judge_repeat(
        config_id=judging.config_id, judging_id=judging.pk, user=user(who), at=NOON
    )


def lines(repeat: Repeat) -> dict[str, dict[str, Any]]:
    repeat.refresh_from_db()
    assert repeat.state == "complete"
    return {one["kind"]: one for one in repeat.numbers["kinds"]}


def columns() -> list[Any]:
    """Everything of which a value, a state or a rank could come."""
    tables = (Judging, Judgment, ColumnValue)
    return [list(table.objects.order_by("pk").values()) for table in tables]


def test_a_judge_that_never_changes_its_mind_has_no_flips_and_touches_nothing() -> None:
    judging = judged(price_input=1_000_000)
    before = columns()
    repeat, judge = begin(judging), ScriptedJudge()
    assert anything_to_do()
    work(judge)
    assert judge.asked == {"verify": 10, "cover": 10, "adhere": 10}  # the claims are kept
    assert {sample for _, sample, _ in judge.samples} == {0}
    found = lines(repeat)
    assert set(found) == {"all", "claim", "question", "content", "adherence"}
    assert (found["all"]["flipped"], found["all"]["rate"], found["all"]["lost"]) == (0, 0, 0)
    assert found["question"]["items"] == 4
    numbers = repeat.numbers
    assert (numbers["rows"], numbers["samples"], numbers["is_steady"]) == (2, 5, True)
    assert numbers["shuffled"]["items"] == found["all"]["items"]
    assert numbers["shuffled"]["flipped"] == 0
    assert columns() == before
    assert (repeat.done, repeat.to_do) == (10, 10)
    assert not anything_to_do()
    # It is the contest's money, not the team's.
    calls = {row.scope.partition(":")[0]: row.calls for row in Budget.objects.all()}
    assert calls == {"all": 8 + CALLS, "judging": 8, "team": 8}
    spent = {(one["name"], one["is_repeat"]): one for one in queries.spent(judging.config)}
    name = judging.submission.team.name
    assert {key: one["calls"] for key, one in spent.items()} == {
        (name, False): 8,
        (None, True): CALLS,
    }
    assert spent[None, True]["micros"] == CALLS * 100  # each answer took 100 tokens in


def test_a_judge_that_changes_its_mind_is_found_out(settings: LazySettings) -> None:
    settings.JUDGE_CONCURRENCY = 1
    judging = judged()
    times: Counter[str] = Counter()

    def wavering(answer: Mapping[str, Any]) -> Mapping[str, Any]:
        """Every question is answered no on the first, third … asking of the same."""
        key = str(answer["answers"])
        times[key] += 1
        if times[key] % 2 == 0:
            return answer
        return {**answer, "answers": [{**one, "answered": False} for one in answer["answers"]]}

    repeat = begin(judging)
    work(ScriptedJudge(cover=[wavering] * 99))
    found = lines(repeat)
    # A summary answers one of its two questions: y n y n y, and n n n n n.
    assert found["question"] == {
        "kind": "question", "items": 4, "flipped": 2, "rate": 0.5, "disagreement": 0.2, "lost": 0,
    }  # fmt: skip
    assert found["content"]["flipped"] == found["claim"]["flipped"] == 0
    assert found["all"]["flipped"] == 2
    assert not repeat.numbers["is_steady"]


def test_a_judge_that_goes_by_the_place_of_an_item_flips_in_another_order() -> None:
    def by_place(answer: Mapping[str, Any]) -> Mapping[str, Any]:
        """The first question is answered, whatever it is."""
        spans = [one["related_content_from_summary"] for one in answer["answers"]]
        span = next(filter(None, spans))
        places = enumerate(answer["answers"])
        return {
            **answer,
            "answers": [
                {**one, "answered": place == 0, "related_content_from_summary": span}
                for place, one in places
            ],
        }

    judging = judged(ScriptedJudge(cover=[by_place] * 9))
    repeat = begin(judging)
    work(ScriptedJudge(cover=[by_place] * 99))
    assert lines(repeat)["all"]["flipped"] == 0
    # Two questions a row stand the other way round, so both turn; one of the four shares no word
    # with what is quoted for it, and stays no.
    assert repeat.numbers["shuffled"]["flipped"] == 3


def test_nothing_of_the_private_rows_is_asked_before_the_reveal() -> None:
    judging = judged()
    private = request(judging.config, judging.submission, board="private")
    Judging.objects.filter(pk=private.pk).update(state="complete")
    with pytest.raises(Refused, match="nothing_to_repeat"):
        begin(private)
    # A row that is the private board's by the time the worker comes is passed over.
    repeat, judge = begin(judging), ScriptedJudge()
    repeat.rows = [*repeat.rows, ["talk_2", repeat.rows[0][1]]]
    repeat.said["0"]["talk_2"] = repeat.said["0"]["talk_1"]
    repeat.save()
    work(judge)
    assert judge.calls == CALLS
    sent = "\n".join(judge.seen)
    for name in ("talk_2", "talk_5"):
        assert GOLDS[name][0] not in sent
    assert lines(repeat)["question"]["items"] == 4


def test_the_budget_is_never_passed_and_a_higher_limit_lets_it_go_on() -> None:
    judging = judged(calls_in_all=8 + 7)
    repeat, judge = begin(judging), ScriptedJudge()
    work(judge)
    repeat.refresh_from_db()
    assert (repeat.state, repeat.paused, judge.calls) == ("waiting", "budget", 7)
    assert not anything_to_do()
    wanted = settings_of(judging.config, calls_in_all=8 + CALLS)
    edit_judge_config(config_id=judging.config_id, user=user("olivia"), wanted=wanted, at=NOON)
    work(judge)
    assert lines(repeat)["all"]["lost"] == 0
    assert judge.calls == CALLS
    assert Budget.objects.get(scope="all").calls == 8 + CALLS


def test_an_answer_that_cannot_be_read_is_lost_and_one_that_did_not_come_is_asked_for_later(
    settings: LazySettings,
) -> None:
    settings.JUDGE_ATTEMPTS, settings.JUDGE_CIRCUIT_FAILURES = 1, 100
    settings.JUDGE_CONCURRENCY = 1
    repeat = begin(judged())
    silent = [dict] * 5 + [Transient("timeout")] * 2
    work(ScriptedJudge(verify=[UnusableAnswer("wrong_form")] * 3, adhere=silent))
    repeat.refresh_from_db()
    assert (repeat.state, repeat.paused, repeat.done) == ("waiting", "server", 8)
    Repeat.objects.update(not_before=None)
    work(second := ScriptedJudge())
    assert second.asked == {"adhere": 2}
    found = lines(repeat)
    assert found["adherence"]["lost"] == 0
    # One claim of one row in one pass, after two re-asks.
    assert found["claim"]["lost"] == 1
    assert Reservation.objects.filter(repeat=repeat, call="P2").count() == 10 + 2


def test_judgings_come_first() -> None:
    judging = judged()
    begin(judging)
    other = request(
        judging.config,
        hand_in(team(judging.config.competition, "bob"), {"talk_1": "둘이 만난다."}),
    )
    judge = ScriptedJudge()
    assert judge_next(now=lambda: NOON, connect=judge.connect) == other.pk
    work(judge)
    assert Repeat.objects.get().state == "complete"


def test_stopped_it_asks_nothing_more_and_another_may_begin() -> None:
    judging, olivia = judged(), user("olivia")
    repeat, judge = begin(judging), ScriptedJudge()
    with pytest.raises(Refused, match="already_repeating"):
        begin(judging)

    def clock() -> datetime:
        if judge.calls:
            Repeat.objects.filter(state="waiting").update(state="stopped", owner=None, attempt=9)
        return NOON

    judge_next(now=clock, connect=judge.connect)
    repeat.refresh_from_db()
    assert (repeat.state, repeat.done, repeat.numbers) == ("stopped", 0, {})
    begin(judging)
    stop_judge_repeat(config_id=judging.config_id, user=olivia, at=NOON)
    assert work(judge) == 0
    with pytest.raises(Refused, match="not_repeating"):
        stop_judge_repeat(config_id=judging.config_id, user=olivia, at=NOON)
    kinds = list(AuditEvent.objects.order_by("at", "pk").values_list("kind", flat=True))
    assert kinds.count("judge.repeat_begun") == 2
    assert kinds.count("judge.repeat_stopped") == 1


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"state": "retired"}, "wrong_state"),
        ({"pipeline": "faithful:mastra"}, "no_items"),
        ({"config_hash": "ab" * 32}, "asked_otherwise"),
        ({"endpoint": "gone"}, "endpoint_gone"),
    ],
    ids=["retired", "published", "other-prompts", "no-server"],
)
def test_refusals(fields: dict[str, str], code: str) -> None:
    judging = judged()
    with pytest.raises(Refused, match="not_an_editor"):
        begin(judging, "alice")
    JudgeConfig.objects.filter(pk=judging.config_id).update(**fields)
    with pytest.raises(Refused, match=code):
        begin(judging)
    assert not Repeat.objects.exists()
