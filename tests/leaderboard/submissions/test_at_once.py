"""Files of one team at the same instant: the limits hold, and one key is one submission."""

import pytest

from leaderboard.evaluation.models import Evaluation
from leaderboard.submissions.ledger import allowance
from leaderboard.submissions.models import QuotaEntry, Submission, submission_storage
from leaderboard.teams.models import Team
from tests.leaderboard.at_once import all_at_once
from tests.leaderboard.builders import NOON, hand_in, open_competition, team

pytestmark = pytest.mark.django_db(transaction=True)
AT_ONCE = 12


def files_of_nobody() -> set[str]:
    store = submission_storage()
    stored = set(store.listdir("")[1]) if store.exists("") else set()  # the first file makes it
    return stored - {str(one.file.name) for one in Submission.objects.all()}


def is_kept_once(alices: Team, number: int, before: set[str]) -> bool:
    """So many files, each with its evaluation, its charge and its bytes, and no other bytes."""
    own = Submission.objects.filter(team=alices)
    found = {own.count(), Evaluation.objects.count(), QuotaEntry.objects.count()}
    left = allowance(alices, alices.competition, NOON).left_today
    limit = alices.competition.daily_limit
    return found == {number} and left == limit - number and files_of_nobody() <= before


@pytest.mark.parametrize(
    ("limits", "most", "code"),
    [
        ({"daily_limit": 4, "max_waiting": 50}, 4, "daily_limit"),
        ({"daily_limit": 50, "max_waiting": 3}, 3, "too_many_waiting"),
    ],
)
def test_of_twelve_at_once_exactly_as_many_as_allowed_are_taken(
    limits: dict[str, int], most: int, code: str
) -> None:
    alices, before = team(open_competition(**limits), "alice"), files_of_nobody()
    acts = [lambda n=n: hand_in(alices, {"talk_1": f"글 {n}"}) for n in range(AT_ONCE)]
    assert all_at_once(*acts) == {"done": most, code: AT_ONCE - most}
    assert is_kept_once(alices, most, before)


def test_one_key_sent_twelve_times_at_once_is_one_submission() -> None:
    """Every fourth sends another file under it; those of the bytes that came first are answered."""
    alices, before = team(open_competition(), "alice"), files_of_nobody()
    acts = [
        lambda n=n: hand_in(alices, {"talk_1": f"글 {n % 4 == 0}"}, key="one")
        for n in range(AT_ONCE)
    ]
    answers = all_at_once(*acts)
    assert answers.keys() == {"done", "key_reused"}
    assert sorted(answers.values()) == [AT_ONCE // 4, AT_ONCE * 3 // 4]
    assert is_kept_once(alices, 1, before)
