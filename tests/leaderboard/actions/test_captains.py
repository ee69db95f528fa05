"""A silent captain is replaced by the majority of the others, and one who was here is not."""

from datetime import timedelta

import pytest
from django.test import override_settings

from leaderboard.accounts.models import User
from leaderboard.actions.captains import vote
from leaderboard.actions.membership import hand_over, leave
from leaderboard.actions.refusals import Refused
from leaderboard.audit.models import AuditEvent
from leaderboard.competitions.models import Competition
from leaderboard.inbox.models import Notification, Preference
from leaderboard.teams.models import CaptainVote, Team
from tests.leaderboard.builders import hand_in, mail_address, open_competition, team, user
from tests.leaderboard.material import NOON, OPENS

pytestmark = pytest.mark.django_db
TICK = timedelta(microseconds=1)
DAY = timedelta(days=1)
# Nobody signs in here: a captain's last sign of life is that they joined, as the contest opened.
SILENT = OPENS + 2 * DAY


@pytest.fixture
def contest() -> Competition:
    return open_competition(captain_silent_days=2)


@pytest.fixture
def alices(contest: Competition) -> Team:
    return team(contest, "alice", "bob", "carol", "dana", called="새벽")


def votes_of(by: Team, *names: str, at: object = SILENT, for_whom: str = "bob") -> list[bool]:
    return [vote(team=by, user=user(name), username=for_whom, at=at) for name in names]  # type: ignore[arg-type]


def refused(by: Team, name: str, for_whom: str = "bob", at: object = SILENT) -> str:
    with pytest.raises(Refused) as caught:
        votes_of(by, name, at=at, for_whom=for_whom)
    return caught.value.key


def test_more_than_half_of_the_others_replace_the_captain(alices: Team) -> None:
    assert votes_of(alices, "bob", "carol") == [False, True]
    alices.refresh_from_db()
    assert alices.captain == user("bob")
    assert not CaptainVote.objects.exists()
    event = AuditEvent.objects.get(kind="team.captain_replaced")
    assert (event.before, event.after) == ({"captain": "alice"}, {"captain": "bob"})
    told = Notification.objects.filter(kind="team").values_list("user__username", flat=True)
    assert set(told) == {"alice", "bob", "dana"}


def told(name: str) -> list[Notification]:
    return list(Notification.objects.filter(user__username=name).order_by("created_at", "pk"))


def test_the_captain_reads_once_that_a_vote_began_and_how_to_stop_it(alices: Team) -> None:
    votes_of(alices, "bob", at=SILENT)
    votes_of(alices, "dana", for_whom="carol", at=SILENT + TICK)
    votes_of(alices, "bob", for_whom="carol", at=SILENT + 2 * TICK)  # a second one, and replaced
    begun, replaced = told("alice")
    assert (begun.kind, begun.data["news"]) == ("team", "vote_begun")
    assert replaced.data["news"] == "new_captain"
    assert begun.message("en") == (
        "In your team 새벽 a vote began on who leads it instead of you. "
        "To stop it, sign in or hand something in."
    )
    assert "새벽" in begun.message("ko")
    assert "로그인" in begun.message("ko")
    assert not {"bob", "carol", "dana"} & set(str(begun.data).replace("'", " ").split())
    assert not told("bob")
    assert [one.data["news"] for one in told("carol")] == ["new_captain"]


def test_each_silence_has_a_notice_of_its_own(alices: Team) -> None:
    votes_of(alices, "bob")
    User.objects.filter(username="alice").update(last_login=SILENT + TICK)
    votes_of(alices, "bob", at=SILENT + 2 * DAY + TICK)
    assert [one.created_at for one in told("alice")] == [SILENT, SILENT + 2 * DAY + TICK]


def test_whom_one_vote_replaces_reads_only_that(contest: Competition) -> None:
    votes_of(team(contest, "erin", "frank"), "frank", for_whom="frank")
    assert [one.data["news"] for one in told("erin")] == ["new_captain"]


@pytest.mark.parametrize("wanted", [True, False])
def test_a_vote_is_mailed_by_the_rules_of_its_kind(alices: Team, wanted: bool) -> None:
    mail_address("alice")
    if not wanted:
        Preference.objects.create(user=user("alice"), kind="team", app=False, mail=False)
    with override_settings(MAIL_ON=True):
        votes_of(alices, "bob")
    [begun] = told("alice")
    assert (begun.to_mail, begun.read_at is None) == (wanted, wanted)


def test_half_is_not_enough_and_a_second_vote_replaces_the_first(contest: Competition) -> None:
    pair = team(contest, "erin", "frank", "gil")
    assert votes_of(pair, "frank", for_whom="frank") == [False]
    assert votes_of(pair, "gil", for_whom="gil") == [False]
    assert votes_of(pair, "frank", for_whom="gil") == [True]


def test_of_two_the_other_one_is_the_majority(contest: Competition) -> None:
    assert votes_of(team(contest, "erin", "frank"), "frank", for_whom="frank") == [True]


def test_it_is_open_from_the_exact_instant(alices: Team) -> None:
    assert refused(alices, "bob", at=SILENT - TICK) == "captain_was_here"
    assert votes_of(alices, "bob", at=SILENT) == [False]


@pytest.mark.parametrize("sign", ["file", "sign-in"])
def test_a_sign_of_life_ends_it_and_takes_back_earlier_votes(alices: Team, sign: str) -> None:
    votes_of(alices, "bob")
    if sign == "file":
        hand_in(alices, at=SILENT + TICK)
    else:
        User.objects.filter(username="alice").update(last_login=SILENT + TICK)
    assert refused(alices, "carol", at=SILENT + DAY) == "captain_was_here"
    assert votes_of(alices, "carol", "dana", at=SILENT + 2 * DAY + TICK) == [False, True]


def test_votes_of_and_for_who_left_do_not_count(alices: Team) -> None:
    votes_of(alices, "bob")
    leave(team=alices, user=user("bob"), at=SILENT)
    assert votes_of(alices, "carol", for_whom="dana") == [False]
    assert refused(alices, "dana", for_whom="bob") == "unknown_person.member"
    assert votes_of(alices, "dana", for_whom="dana") == [True]


def test_a_new_captain_begins_without_votes_against_them(alices: Team) -> None:
    votes_of(alices, "bob")
    hand_over(team=alices, user=user("alice"), username="carol", at=NOON)
    assert not CaptainVote.objects.exists()


def test_who_may_not(contest: Competition, alices: Team) -> None:
    team(contest, "charlie")
    assert refused(alices, "alice") == "captain_was_here"
    assert refused(alices, "charlie") == refused(alices, "olivia") == "not_a_member"
    assert refused(alices, "bob", for_whom="alice") == "unknown_person.member"
    assert refused(alices, "bob", for_whom="charlie") == "unknown_person.member"
    Competition.objects.update(captain_silent_days=None)
    assert refused(alices, "bob") == "captain_stays"
