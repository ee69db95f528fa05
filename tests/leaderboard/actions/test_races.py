"""Verbs at the same time, on the same rows: each becomes a refusal, or simply works."""

import threading
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import pytest
from django.db import connection, transaction

from leaderboard.accounts.models import PasswordLink, User
from leaderboard.actions.assigning import put_in_team
from leaderboard.actions.closing import close_account
from leaderboard.actions.forum import reply, start_thread
from leaderboard.actions.invitations import accept, invite_by_code
from leaderboard.actions.membership import leave
from leaderboard.actions.people import appoint, make_password_link
from leaderboard.actions.registration import join
from leaderboard.actions.schedule import pause
from leaderboard.actions.teams import grant
from leaderboard.audit.models import AuditEvent
from leaderboard.community.announcements import announce as write_announcement
from leaderboard.community.models import Post, Thread
from leaderboard.competitions.models import Competition, Organizer
from leaderboard.submissions.models import QuotaEntry
from leaderboard.teams.models import Membership, Team
from tests.leaderboard import builders
from tests.leaderboard.at_once import all_at_once, waiting
from tests.leaderboard.builders import NOON, OPENS, user

pytestmark = pytest.mark.django_db(transaction=True)

AT_ONCE = 6


def each(act: Callable[..., Any], things: Iterable[Any]) -> dict[str, int]:
    """What this answers for each of these, all at once."""
    return all_at_once(*[partial(act, one) for one in things])


def put(contest: Competition, name: str, team: Team) -> None:
    put_in_team(competition=contest, user=user("olivia"), username=name, team=team, at=NOON)


def test_a_newcomer_put_into_six_teams_at_once_is_in_one() -> None:
    contest = builders.competition()
    teams = [builders.team(contest, f"captain{n}") for n in range(AT_ONCE)]
    user("bob")
    assert each(lambda team: put(contest, "bob", team), teams) == {"done": AT_ONCE}
    assert Membership.objects.filter(user=user("bob")).count() == 1


def test_teams_that_lose_their_people_at_once_get_a_name_each() -> None:
    contest = builders.open_competition()
    people = [user(f"person{n}") for n in range(AT_ONCE)]
    for person in people:
        builders.hand_in(builders.team(contest, person.username))

    def close(person: User) -> None:
        close_account(user=person, password=f"{person.username}-secret", at=NOON)

    assert each(close, people) == {"done": AT_ONCE}
    assert len(set(Team.objects.values_list("name", flat=True))) == AT_ONCE
    assert not Membership.objects.exists()


def test_words_sent_six_times_at_once_by_one_form_are_one_post() -> None:
    contest = builders.competition()
    builders.team(contest, "alice")
    alice = user("alice")
    words = {"title": "데이터", "text": "어디 있나요?", "key": "a", "at": NOON}

    def ask() -> None:
        start_thread(competition=contest, user=alice, kind="question", **words)

    assert all_at_once(*[ask] * AT_ONCE) == {"done": AT_ONCE}
    thread = Thread.objects.get()

    def more() -> None:
        reply(thread=thread, user=alice, text="급해요.", key="b", at=NOON)

    assert all_at_once(*[more] * AT_ONCE) == {"done": AT_ONCE}
    assert Post.objects.count() == 2


def test_an_account_closed_six_times_at_once_is_closed_once() -> None:
    builders.team(builders.competition(), "alice")
    alice = User.objects.get(username="alice")

    def close() -> None:
        close_account(user=alice, password="alice-secret", at=NOON)

    # Each has a person as the page has one: read before.
    answers = all_at_once(*[close] * AT_ONCE)
    assert set(answers) <= {"done", "inactive", "wrong_password", "teams_changed"}
    assert AuditEvent.objects.filter(kind="account.closed").count() == answers["done"] == 1


@pytest.mark.parametrize("verb", ["put", "appoint", "join", "link"])
def test_who_closes_the_account_is_let_in_nowhere_at_the_same_time(verb: str) -> None:
    contest = builders.competition()
    team = builders.team(contest, "alice")
    bob = user("bob")
    acts: dict[str, Callable[[], Any]] = {
        "put": lambda: put(contest, "bob", team),
        "appoint": lambda: appoint(
            competition=contest, user=user("olivia"), username="bob", role="editor", at=NOON
        ),
        "join": lambda: join(user=bob, competition=contest, at=OPENS),
        "link": lambda: make_password_link(user=bob, made_by=None, at=NOON),
    }

    def close() -> None:
        close_account(user=User.objects.get(pk=bob.pk), password="bob-secret", at=NOON)

    answers = all_at_once(acts[verb], close)
    refusals = {"unknown_person", "account_closed", "inactive", "teams_changed"}
    assert set(answers) <= {"done", *refusals}
    if not User.objects.get(pk=bob.pk).is_active:
        assert not Membership.objects.filter(user=bob).exists()
        assert not Organizer.objects.filter(user=bob).exists()


def test_six_people_who_take_one_name_at_once() -> None:
    contest = builders.competition()
    people = [user(f"person{n}") for n in range(AT_ONCE)]

    def enter(person: User) -> None:
        join(user=person, competition=contest, team_name="한 팀", at=OPENS)

    assert each(enter, people) == {"done": 1, "name_taken": AT_ONCE - 1}


@pytest.mark.parametrize("verb", ["pause", "grant"])
def test_a_role_that_was_lost_while_one_waited_counts_no_more(verb: str) -> None:
    contest = builders.competition()
    team = builders.team(contest, "alice")
    eddie = user("eddie")
    role = Organizer.objects.create(competition=contest, user=eddie, role="editor")
    acts: dict[str, Callable[[], Any]] = {
        "pause": lambda: pause(competition=contest, user=eddie, at=NOON),
        "grant": lambda: grant(team=team, user=eddie, amount=1, reason="장애", at=NOON),
    }
    rows: Any = Team.objects if verb == "grant" else Competition.objects
    with waiting(acts[verb], rows.all()) as answers:
        role.delete()
    assert answers == ["not_an_editor"]


def test_an_administrator_who_was_demoted_while_one_waited_makes_no_password_link() -> None:
    alice, root = user("alice"), user("root")
    User.objects.filter(pk=root.pk).update(is_superuser=True)
    root.refresh_from_db()

    def make() -> None:
        make_password_link(user=alice, made_by=root, at=NOON)

    with waiting(make, User.objects.all()) as answers:
        User.objects.filter(pk=root.pk).update(is_superuser=False)
    assert answers == ["not_an_administrator"]
    assert not PasswordLink.objects.exists()


def test_a_password_that_was_changed_while_one_waited_closes_no_account() -> None:
    builders.team(builders.competition(), "alice")
    alice = User.objects.get(username="alice")

    def close() -> None:
        close_account(user=alice, password="alice-secret", at=NOON)

    with waiting(close, Competition.objects.all()) as answers:
        changed = User.objects.get(pk=alice.pk)
        changed.set_password("다른 비밀번호 4821")
        changed.save()
    assert answers == ["wrong_password"]
    assert User.objects.get(pk=alice.pk).is_active


if connection.vendor == "postgresql":  # SQLite has one writer, who has no row to wait for

    @pytest.mark.parametrize("model", [Competition, Team, User])
    def test_a_commit_that_only_refers_to_a_locked_row_does_not_wait(model: type[Any]) -> None:
        """The check of a foreign key at the commit was one half of a deadlock."""
        contest = builders.competition()
        team = builders.team(contest, "alice")
        olivia, done = user("olivia"), threading.Event()

        def refer() -> None:
            with transaction.atomic():
                write_announcement(competition=contest, author=olivia, text="알림", at=NOON)
            QuotaEntry.objects.create(team=team, kind="grant", day=NOON.date(), at=NOON)
            done.set()

        with waiting(refer, model.objects.all()):
            assert done.wait(4), "it waits for the lock"


def test_two_at_once_for_the_last_place_in_a_team() -> None:
    contest = builders.competition(max_team_size=2)
    team = builders.team(contest, "alice")
    made, _ = invite_by_code(team=team, user=user("alice"), at=NOON)
    people = [user(f"person{n}") for n in range(AT_ONCE)]
    answers = each(lambda person: accept(invitation=made, user=person, at=NOON), people)
    assert answers == {"done": 1, "invitation_unusable": AT_ONCE - 1}
    assert team.memberships.count() == 2
    made.refresh_from_db()
    assert made.uses == 1


def test_one_person_accepts_into_two_teams_at_once() -> None:
    contest = builders.competition()
    teams = [builders.team(contest, f"captain{n}") for n in range(AT_ONCE)]
    made = [invite_by_code(team=one, user=one.captain, at=NOON)[0] for one in teams]
    dana = user("dana")
    answers = each(lambda one: accept(invitation=one, user=dana, at=NOON), made)
    assert answers == {"done": 1, "in_team": AT_ONCE - 1}
    assert Membership.objects.filter(user=dana).count() == 1


def test_two_who_leave_a_team_of_two_at_once_leave_one_behind() -> None:
    contest = builders.competition()
    team = builders.team(contest, "alice", "bob")
    answers = each(lambda name: leave(team=team, user=user(name), at=NOON), ("alice", "bob"))
    assert answers == {"done": 1, "team_of_one": 1}
    team.refresh_from_db()
    assert team.memberships.get().user == team.captain
