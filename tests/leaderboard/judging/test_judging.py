"""One judging from request to column: what is asked, how often, and what is kept of it."""

import json
import zlib
from collections.abc import Mapping
from typing import Any

import pytest

from leaderboard.judging import identity
from leaderboard.judging.actions.judgings import rejudge
from leaderboard.judging.asking.replies import UnusableAnswer
from leaderboard.judging.models import (
    Artefact,
    Budget,
    JudgeConfig,
    Judgment,
    Reservation,
    StoredCall,
)
from leaderboard.refusals import Refused
from leaderboard.submissions.models import SubmissionText
from leaderboard.submissions.queries import texts
from tests.leaderboard.builders import GOLDS, NOON, hand_in, open_competition, team, user
from tests.leaderboard.judging.stage import (
    ScriptedJudge,
    built,
    freeze,
    judge_config,
    metrics,
    request,
    states,
    work,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("quick_judge")]
PUBLIC = ("talk_1", "talk_4")


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


def test_an_answer_that_needed_a_second_asking_is_shared_as_well() -> None:
    """The same text has the same value for everybody, and nobody pays for it again."""
    contest = open_competition()
    config = built(contest)
    first = request(config, hand_in(team(contest, "alice")))
    bad = [
        UnusableAnswer("wrong_form"),
        UnusableAnswer(UnusableAnswer.CUT),
        UnusableAnswer("wrong_form"),
    ]
    work(ScriptedJudge(claims=[bad[0]], verify=[bad[1]], cover=[bad[1], bad[2]]))
    first.refresh_from_db()
    assert first.state == "complete"
    again, judge = request(config, hand_in(team(contest, "charlie"))), ScriptedJudge()
    work(judge)
    assert judge.calls == 0
    assert metrics(first) == metrics(again)
    assert not Reservation.objects.filter(judging=again).exists()


def test_rows_with_one_text_wait_for_the_answer_that_is_on_its_way() -> None:
    contest = open_competition()
    config = built(contest)
    same = dict.fromkeys(PUBLIC, "민수는 도서관에 간다.")
    judging = request(config, hand_in(team(contest, "alice"), same))
    judge = ScriptedJudge(claims=[UnusableAnswer("wrong_form")])
    work(judge)
    judging.refresh_from_db()
    assert judging.state == "complete"
    assert judge.asked["claims"] == 2  # the bad one and the good one, for both rows


def test_what_may_not_be_there_is_asked_once_and_met_without_a_quotation() -> None:
    contest = open_competition()
    config = built(contest, "전화번호를 쓰지 않는다.")
    items = Artefact.objects.filter(config=config, example_id="")
    assert list(items.values_list("kind", "text")) == [("adherence", "없음: 전화번호")]
    alices = team(contest, "alice")
    told = {name: f"{golds[0]} 전화번호는 123이다." for name, golds in GOLDS.items()}
    for submission, expected in ((hand_in(alices), 1.0), (hand_in(alices, told), 0.0)):
        judging = request(config, submission)
        work(ScriptedJudge())
        assert metrics(judging)["adherence"] == expected
        rows = judging.judgments.all()
        assert [row.results["adherence"]["flags"] for row in rows] == [[], []]
        assert [row.results["google-adherence"]["score"] for row in rows] == [expected] * 2


def test_a_column_of_former_rules_keeps_its_values_and_is_not_judged_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    contest = open_competition()
    with monkeypatch.context() as former:
        former.setattr(identity, "COUNTING_VERSION", 1)
        config = built(contest)
        alices = team(contest, "alice")
        judged = request(config, hand_in(alices))
        work(ScriptedJudge())
    before = metrics(judged)
    waiting, judge = request(config, hand_in(alices, {"talk_1": "다른 요약이다."})), ScriptedJudge()
    assert work(judge) == judge.calls == 0
    with pytest.raises(Refused, match="asked_otherwise"):
        rejudge(judging_id=judged.pk, user=user("olivia"), everything=True, at=NOON)
    hashed = config.config_hash
    config.refresh_from_db()
    assert (config.config_hash, metrics(judged), metrics(waiting)) == (hashed, before, {})
    assert judged.judgments.count() == 2
    # Frozen today it would have another one.
    assert freeze(config).config_hash != hashed


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
    # No file with a blank summary is taken: one whose text alone was kept may have one.
    blob = zlib.compress(json.dumps({**texts(given.pk), "talk_4": " \n"}).encode())
    SubmissionText.objects.create(submission=given, blob=blob)
    given.file.delete(save=False)
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


def test_one_dialogue_whose_items_fail_does_not_stop_the_others() -> None:
    config = judge_config(open_competition(), state=JudgeConfig.State.REVIEWING)

    def declined(answer: Mapping[str, Any]) -> Mapping[str, Any]:
        if "주전자" in str(answer):
            raise UnusableAnswer("refusal")
        return answer

    work(ScriptedJudge(questions=[declined] * 99))
    built_rows = dict(config.built_dialogues.values_list("example_id", "failure"))
    assert built_rows == {"": "", **dict.fromkeys(GOLDS, ""), "talk_2": "refusal"}
    made = Artefact.objects.filter(config=config).values_list("example_id", flat=True)
    assert set(made) == GOLDS.keys() - {"talk_2"}
