"""Taking back what waits, and choosing what the private rank is made of."""

from datetime import timedelta

import pytest

from leaderboard.actions.submissions import cancel, choose_finals
from leaderboard.boards.models import Standing
from leaderboard.evaluation.claim import ask_missing, next_claim
from leaderboard.evaluation.models import Evaluation
from leaderboard.inbox.models import Notification
from leaderboard.refusals import Refused
from leaderboard.submissions.ledger import allowance
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import chosen
from leaderboard.teams.models import Team
from tests.leaderboard.builders import hand_in, open_competition, score_all, team, user
from tests.leaderboard.material import GOLDS, NOON

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)
POOR = dict.fromkeys(GOLDS, "아무 말이나 적었다.")


def three(by: Team) -> list[Submission]:
    """Good on public alone, good on private alone, poor on both."""
    files = [
        {**POOR, "talk_1": GOLDS["talk_1"][0], "talk_4": GOLDS["talk_4"][0]},
        {**POOR, "talk_2": GOLDS["talk_2"][0], "talk_5": GOLDS["talk_5"][0]},
        POOR,
    ]
    made = [hand_in(by, texts, at=NOON + n * MINUTE) for n, texts in enumerate(files)]
    score_all()
    return made


def choose(by: Team, *submissions: Submission, who: str = "alice", at: object = NOON) -> None:
    ids = [submission.pk for submission in submissions]
    choose_finals(team=by, user=user(who), submission_ids=ids, at=at)


def private_of(by: Team) -> Submission:
    return Standing.objects.get(team=by, board="private").submission


def test_a_waiting_submission_is_cancelled_for_ever_and_its_slot_comes_back() -> None:
    contest = open_competition()
    alices = team(contest, "alice", "bob")
    given = hand_in(alices)
    cancel(submission=given, user=user("bob"), at=NOON + MINUTE)
    cancel(submission=given, user=user("bob"), at=NOON + 2 * MINUTE)
    assert allowance(alices, contest, NOON).left_today == 12
    assert given.quota_entries.filter(kind="refund").count() == 1
    told = Notification.objects.get(kind="refunded")
    assert (told.user.username, told.subject) == ("alice", given.pk)
    assert "bob" in told.message("ko")
    assert next_claim(at=NOON) is None
    Evaluation.objects.all().delete()
    assert ask_missing(at=NOON + MINUTE) == 0, "a later version never scores it"


def test_what_a_worker_has_taken_cannot_be_cancelled() -> None:
    contest = open_competition()
    alices = team(contest, "alice")
    given = hand_in(alices)
    assert next_claim(at=NOON) is not None
    with pytest.raises(Refused, match="not_waiting"):
        cancel(submission=given, user=user("alice"), at=NOON)
    assert allowance(alices, contest, NOON).left_today == 11
    assert not Submission.objects.filter(cancellation__isnull=False).exists()


def test_the_better_of_the_finals_makes_the_private_total_and_public_stays() -> None:
    alices = team(open_competition(), "alice")
    public_best, private_best, poor = three(alices)
    choose(alices, private_best, poor)
    assert private_of(alices) == private_best
    assert Standing.objects.get(team=alices, board="public").submission == public_best
    choose(alices, poor)
    assert private_of(alices) == poor
    choose(alices)
    assert private_of(alices) == public_best
    assert chosen(alices.pk) == frozenset()


def test_two_are_all_and_only_scored_ones_of_the_own_team() -> None:
    contest = open_competition()
    alices, charlies = team(contest, "alice"), team(contest, "charlie")
    mine = three(alices)
    theirs = hand_in(charlies)
    with pytest.raises(Refused, match="too_many_finals"):
        choose(alices, *mine)
    with pytest.raises(Refused, match="unknown_submission"):
        choose(alices, theirs)
    with pytest.raises(Refused, match="not_scored"):
        choose(charlies, theirs, who="charlie")
    with pytest.raises(Refused, match="not_a_member"):
        choose(alices, mine[0], who="charlie")
    assert chosen(alices.pk) == frozenset()
