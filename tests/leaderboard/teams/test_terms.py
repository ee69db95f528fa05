"""Terms: accepted with their number and time, and again when they change."""

import pytest

from leaderboard.actions.checks import check
from leaderboard.actions.competition import change_terms
from leaderboard.actions.registration import accept_terms, join, request_to_join
from leaderboard.audit.models import AuditEvent
from leaderboard.competitions.models import Competition, Terms, TermsAcceptance
from leaderboard.competitions.registration import newest_terms, terms_due
from leaderboard.refusals import Refused
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import Upload
from leaderboard.teams.queries import team_of
from tests.leaderboard import builders
from tests.leaderboard.builders import NOON, competition, hand_in, open_competition, user

pytestmark = pytest.mark.django_db


def write(contest: Competition, text: str, text_en: str = "", by: str = "olivia") -> Terms | None:
    return change_terms(competition=contest, user=user(by), text=text, text_en=text_en, at=NOON)


def test_joining_takes_the_newest_wording_and_keeps_number_and_time() -> None:
    contest = competition()
    write(contest, "하나")
    write(contest, "둘")
    for shown in (None, 1):
        with pytest.raises(Refused, match="terms"):
            join(user=user("alice"), competition=contest, terms=shown, at=NOON)
    assert team_of(user("alice"), contest) is None
    assert not TermsAcceptance.objects.exists()
    join(user=user("alice"), competition=contest, terms=2, at=NOON)
    kept = TermsAcceptance.objects.get()
    assert (kept.user, kept.terms.number, kept.at) == (user("alice"), 2, NOON)


def test_a_refused_join_keeps_no_acceptance() -> None:
    contest = competition()
    write(contest, "하나")
    join(user=user("bob"), competition=contest, team_name="새벽", terms=1, at=NOON)
    with pytest.raises(Refused, match="name_taken"):
        join(user=user("alice"), competition=contest, team_name="새벽", terms=1, at=NOON)
    assert not TermsAcceptance.objects.filter(user=user("alice")).exists()


def test_asking_to_join_takes_them_too() -> None:
    contest = competition(registration="approval")
    write(contest, "하나")
    with pytest.raises(Refused, match="terms"):
        request_to_join(user=user("alice"), competition=contest, at=NOON)
    request_to_join(user=user("alice"), competition=contest, terms=1, at=NOON)
    assert terms_due(user("alice"), contest) is None


def test_a_new_wording_stops_submissions_until_the_person_accepts() -> None:
    contest = open_competition()
    write(contest, "하나")
    ours = builders.team(contest, "alice", "bob")
    hand_in(ours)
    write(contest, "둘")
    upload = Upload("predictions.csv", builders.prediction_csv())
    verdict = check(team=ours, user=user("alice"), upload=upload, at=NOON)
    assert not verdict.ok
    assert verdict.refusal.code == "terms"
    with pytest.raises(Refused, match="terms"):
        hand_in(ours)
    # Each person for themselves: Bob's agreement is not Alice's.
    accept_terms(user=user("bob"), competition=contest, number=2, at=NOON)
    with pytest.raises(Refused, match="terms"):
        hand_in(ours)
    assert Submission.objects.count() == 1
    accept_terms(user=user("alice"), competition=contest, number=2, at=NOON)
    hand_in(ours)
    assert Submission.objects.count() == 2


def test_an_older_wording_cannot_be_accepted_and_twice_is_once() -> None:
    contest = competition()
    write(contest, "하나")
    builders.team(contest, "alice")
    write(contest, "둘")
    with pytest.raises(Refused, match="terms_changed"):
        accept_terms(user=user("alice"), competition=contest, number=1, at=NOON)
    for _ in range(2):
        accept_terms(user=user("alice"), competition=contest, number=2, at=NOON)
    assert TermsAcceptance.objects.filter(user=user("alice"), terms__number=2).count() == 1


def test_the_same_wording_makes_no_new_number_and_an_empty_one_takes_them_back() -> None:
    contest = competition()
    assert write(contest, "") is None
    first = write(contest, "하나", "one")
    assert write(contest, " 하나 ", "one") == first
    assert write(contest, "") is None
    assert newest_terms(contest) is None
    third = write(contest, "하나", "one")
    assert third.number == 3
    logged = AuditEvent.objects.filter(kind="terms.changed").order_by("at", "pk")
    assert sorted(str(e.after) for e in logged) == sorted(
        ["{'terms': 1}", "{'terms': None}", "{'terms': 3}"]
    )


def test_english_terms_alone_are_refused() -> None:
    with pytest.raises(Refused, match="terms_language"):
        write(competition(), "", "x")
