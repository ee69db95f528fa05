"""Answers that cannot be used: asked again, never stored, and what the row scores without one."""

from collections.abc import Mapping
from typing import Any

import pytest

from leaderboard.judging.asking.replies import UnusableAnswer, Usage
from leaderboard.judging.models import (
    ColumnValue,
    Reservation,
    StoredCall,
)
from tests.leaderboard.builders import hand_in, open_competition, team
from tests.leaderboard.judging.stage import (
    ScriptedJudge,
    built,
    metrics,
    request,
    states,
    work,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("quick_judge")]


def test_a_bad_answer_is_asked_again_under_another_number_and_never_stored() -> None:
    contest = open_competition()
    config = built(contest)
    judging = request(config, hand_in(team(contest, "alice")))
    before = StoredCall.objects.count()
    judge = ScriptedJudge(
        claims=[
            UnusableAnswer("not_one_json_value", usage=Usage(9, 9)),
            UnusableAnswer("wrong_form"),
        ],
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
    judge = ScriptedJudge(cover=[UnusableAnswer("wrong_form")] * 6)
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
    judge = ScriptedJudge(claims=[UnusableAnswer("length"), UnusableAnswer("length")])
    work(judge)
    asked = sorted((sample, room) for name, sample, room in judge.samples if name == "claims")
    # One row cut twice, or both cut once.
    assert asked in (
        [(0, 1000), (0, 1000), (1, 2000), (2, 2000)],
        [(0, 1000), (0, 1000), (1, 2000), (1, 2000)],
    )


def test_a_dialogue_that_models_decline_for_two_teams_counts_for_nobody() -> None:
    contest = open_competition()
    config = built(contest)
    texts = {"talk_1": "지우와 민수가 만나기로 했다.", "talk_4": "환자는 검진을 받는다."}
    first = request(config, hand_in(team(contest, "alice")))

    def declining(answer: Mapping[str, Any]) -> Mapping[str, Any]:
        if "도서관" in str(answer) or "만나기" in str(answer):
            raise UnusableAnswer("refusal")
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
