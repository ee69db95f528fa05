"""A budget of 40 calls where 150 are needed: 40 are made, the column says why it waits."""

import pytest

from leaderboard.judging.models import (
    Artefact,
    Budget,
    ColumnValue,
    JudgeConfig,
    Judging,
    Reservation,
)
from tests.leaderboard.builders import competition, hand_in, live, score_all, team
from tests.leaderboard.contest_file.full_contest import merge as merged
from tests.leaderboard.judging.stage import (
    ScriptedJudge,
    built,
    dialogues,
    freeze,
    judge_config,
    request,
    work,
)
from tests.leaderboard.material import NOON, OPENS, gold_csv, texts_csv

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("connected_judge")]
ROWS = 50  # x 3 calls


@pytest.mark.whole
def test_40_of_150_calls_are_made_and_a_grant_lets_the_rest_follow() -> None:
    contest = competition()
    names = {f"row_{n:03}": (f"{n}번 손님이 물건 {n}개를 샀다.",) for n in range(ROWS)}
    live(contest, gold_csv(names, {**dict.fromkeys(names, "public"), "row_000": "private"}))
    given_dialogues = dialogues(
        contest, {name: f"#Person1#: {texts[0]}\n#Person2#: 네." for name, texts in names.items()}
    )
    config = judge_config(contest, dialogue_set=given_dialogues, calls_in_all=40)
    Artefact.objects.bulk_create(
        Artefact(
            config=config,
            kind="question",
            item_id="q1",
            example_id=name,
            text=f"'{text}'라는 말인가?",
        )
        for name, (text,) in names.items()
    )
    freeze(config)
    given = hand_in(
        team(contest, "alice"), data=texts_csv({name: each[0] for name, each in names.items()})
    )
    judging, judge = request(config, given), ScriptedJudge()
    work(judge)
    judging.refresh_from_db()
    assert judge.calls == Reservation.objects.count() == 40
    assert Budget.objects.get(scope="all").calls == 40
    assert (judging.state, judging.paused) == ("waiting", "budget")
    assert 0 < judging.rows_done < ROWS - 1
    value = ColumnValue.objects.get(judging=judging, metric="summarization")
    assert (value.scored, value.rows) == (judging.rows_done, ROWS - 1)
    assert work(judge) == 0
    # What the desk's grant does.
    JudgeConfig.objects.filter(pk=config.pk).update(calls_in_all=1000)
    type(judging).objects.update(paused="", not_before=None)
    work(judge)
    judging.refresh_from_db()
    assert (judging.state, judging.rows_done) == ("complete", ROWS - 1)
    assert judge.calls == 3 * (ROWS - 1)
    assert not Reservation.objects.exclude(state="answered").exists()


def test_two_teams_that_became_one_share_one_day() -> None:
    """Two were paid in the name of the team that is a part now: only so many more are left."""
    contest = competition(opens_at=OPENS)
    live(contest)
    config = built(contest, instruction="", calls_per_team_day=2)
    ours, theirs = team(contest, "alice"), team(contest, "bob")
    given = hand_in(ours)
    request(config, hand_in(theirs))
    work(ScriptedJudge(), at=NOON)
    assert Reservation.objects.count() == 2
    JudgeConfig.objects.filter(pk=config.pk).update(calls_per_team_day=3)
    score_all()
    merged(ours, theirs, at=NOON)
    Judging.objects.update(state="complete")
    judging = request(config, given)
    judge = ScriptedJudge()
    work(judge, at=NOON)
    judging.refresh_from_db()
    assert (judging.paused, judge.calls) == ("budget", 1)
