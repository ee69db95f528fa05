"""The pipeline `shared:3` at work: three askings of each verdict, each stored under its number."""

from dataclasses import replace

import pytest

from leaderboard.judging import estimate
from leaderboard.judging.actions.trust import begin_judge_repeat
from leaderboard.judging.asking.replies import AskedOfJudge, JudgeReply, UnusableAnswer
from leaderboard.judging.models import Judging
from leaderboard.judging.plan import rows_of
from tests.leaderboard.builders import NOON, hand_in, open_competition, team, user
from tests.leaderboard.judging.stage import ScriptedJudge, built, request, work

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("connected_judge")]

ROWS = 2  # of the public board


class DenyingJudge(ScriptedJudge):
    """Supports no claim in these of the three askings."""

    def __init__(self, *denied: int) -> None:
        super().__init__()
        self.denied = denied

    def complete(self, asked: AskedOfJudge) -> JudgeReply:
        said = super().complete(asked)
        if asked.schema.name != "verify" or asked.sample_index // 3 not in self.denied:
            return said
        verdicts = [{**item, "verdict": "no"} for item in said.answer["decomposition"]]
        return replace(said, answer={"decomposition": verdicts})


def judged(judge: ScriptedJudge) -> Judging:
    config = built(open_competition(), pipeline="shared:3")
    judging = request(config, hand_in(team(config.competition, "alice")))
    work(judge)
    judging.refresh_from_db()
    assert judging.state == "complete"
    return judging


def means(judging: Judging) -> dict[str, float | None]:
    return dict(judging.values.values_list("metric", "mean"))


def test_claims_are_asked_for_once_and_verdicts_three_times() -> None:
    judge = ScriptedJudge()
    judging = judged(judge)
    thrice = dict.fromkeys(("verify", "cover", "adhere"), 3 * ROWS)
    assert judge.asked == {"claims": ROWS, **thrice}
    # Each asking has three numbers: its own and those of two re-asks.
    assert {number for name, number, _ in judge.samples if name == "verify"} == {0, 3, 6}
    row = judging.judgments.get(example_id="talk_1")
    assert row.call_keys.keys() >= {"P1", "P2", "P2/2", "P2/3", "P4/3"}


@pytest.mark.parametrize(("denied", "alignment"), [((2,), 1.0), ((0, 2), 0.0)])
def test_one_denial_is_outvoted_and_two_are_not(denied: tuple[int, ...], alignment: float) -> None:
    found = means(judged(DenyingJudge(*denied)))
    # Of two questions the summary answers one; the published systems count the same votes.
    assert (found["alignment"], found["mastra"]) == (alignment, min(alignment, 0.5))


def test_a_sample_that_cannot_be_read_fails_the_row_as_a_single_asking_does() -> None:
    judging = judged(ScriptedJudge(cover=[UnusableAnswer("wrong_form")] * 3 * 3 * ROWS))
    row = judging.judgments.get(example_id="talk_1")
    assert (row.status, row.results["coverage"]["status"]) == ("content_failed", "content_failed")
    assert row.results["alignment"]["score"] == 1.0


def test_the_same_text_costs_nothing_and_one_asking_is_the_first_of_three() -> None:
    contest = open_competition()
    once = built(contest)
    request(once, hand_in(team(contest, "alice")))
    work(ScriptedJudge())
    once.state = "retired"
    once.save()
    thrice = built(contest, pipeline="shared:3", number=2)
    assert thrice.config_hash != once.config_hash
    request(thrice, hand_in(team(contest, "bob")))
    judge = ScriptedJudge()
    work(judge)
    assert judge.asked == dict.fromkeys(("verify", "cover", "adhere"), 2 * ROWS)
    again, silent = request(thrice, hand_in(team(contest, "charlie"))), ScriptedJudge()
    work(silent)
    again.refresh_from_db()
    assert (again.state, silent.calls) == ("complete", 0)


def test_a_repeat_of_majorities_asks_for_majorities() -> None:
    judging = judged(ScriptedJudge())
    begun = begin_judge_repeat(
        config_id=judging.config_id, judging_id=judging.pk, user=user("olivia"), at=NOON
    )
    # Four passes and one in another order, each three askings of three calls a row.
    calls = 5 * 3 * 3 * ROWS
    dry = estimate.repeating(judging.config, texts=rows_of(judging), times=5)
    assert dry.calls == calls
    judge = DenyingJudge(1)
    work(judge)
    begun.refresh_from_db()
    assert (begun.state, judge.calls) == ("complete", calls)
    verdicts = {row["items"]["claim"]["c1"] for row in begun.said["1"].values()}
    assert verdicts == {True}  # the one denial of each three is outvoted
