"""A class becomes accounts and teams: all of it or nothing, and nobody is taken over."""

import json
from datetime import datetime

import pytest
from django.contrib.auth import authenticate
from django.contrib.auth.models import AnonymousUser

from leaderboard.accounts.models import User
from leaderboard.actions.classes import ClassPlan, Enrolment, enrol_class, preview_class
from leaderboard.actions.refusals import Refused
from leaderboard.actions.registration import join, request_to_join
from leaderboard.audit.models import AuditEvent
from leaderboard.boards.queries import page
from leaderboard.competitions.models import Competition, Organizer
from leaderboard.teams.membership import free_name
from leaderboard.teams.models import Membership, Team
from leaderboard.teams.queries import participants
from tests.leaderboard.builders import hand_in, open_competition, score_all, team, user, viewer_of
from tests.leaderboard.material import CLOSES, NOON

pytestmark = pytest.mark.django_db

CLASS = """username,name,email,team
hana,김하나,hana@school.example,1조
duri,이두리,,1조
seri,박세리,,
"""


def look(contest: Competition, text: str = CLASS, at: datetime = NOON) -> ClassPlan:
    return preview_class(competition=contest, user=user("olivia"), data=text.encode(), at=at)


def enrol(contest: Competition, text: str = CLASS, seen: str | None = None) -> Enrolment:
    return enrol_class(
        competition=contest,
        user=user("olivia"),
        data=text.encode(),
        seen=look(contest, text).digest if seen is None else seen,
        at=NOON,
    )


def teams(contest: Competition) -> dict[str, tuple[str, ...]]:
    return {
        team.name: tuple(team.memberships.values_list("user__username", flat=True))
        for team in participants(contest)
    }


def test_accounts_and_teams_are_made_with_passwords_that_work_once() -> None:
    contest = open_competition()
    made = enrol(contest)
    assert [(slip.username, slip.team) for slip in made.slips] == [
        ("hana", "1조"),
        ("duri", "1조"),
        ("seri", "참가자"),
    ]
    assert teams(contest) == {"1조": ("hana", "duri"), "참가자": ("seri",)}
    assert (made.joined, made.teams_made) == (0, 2)
    assert Team.objects.get(name="1조").captain.username == "hana"
    for slip in made.slips:
        person = authenticate(username=slip.username, password=slip.password)
        assert isinstance(person, User)
        assert person.must_change_password
    hana = User.objects.get(username="hana")
    assert (hana.first_name, hana.email) == ("김하나", "hana@school.example")
    assert len({slip.password for slip in made.slips}) == 3


def test_the_log_names_people_and_holds_no_password() -> None:
    contest = open_competition()
    made = enrol(contest)
    event = AuditEvent.objects.get(kind="class.enrolled")
    assert event.after == {"accounts": 3, "joined": 0, "usernames": ["duri", "hana", "seri"]}
    kept = json.dumps([list(model.objects.values()) for model in (AuditEvent, User)], default=str)
    assert not [slip for slip in made.slips if slip.password in kept]


def test_a_preview_makes_nothing() -> None:
    contest = open_competition()
    plan = look(contest)
    assert (plan.new, plan.existing, plan.problems) == (3, 0, ())
    assert not User.objects.filter(username="hana").exists()


def test_an_existing_account_keeps_its_password_address_and_team() -> None:
    contest = open_competition()
    users = {name: user(name) for name in ("hana", "duri")}
    team(contest, "duri", called="두리네")
    plan = look(contest)
    assert [line.outcome for line in plan.lines] == ["existing", "member", "new"]
    assert [bool(line.notice) for line in plan.lines] == [True, True, False]
    made = enrol(contest)
    assert ([slip.username for slip in made.slips], made.joined) == (["seri"], 1)
    assert teams(contest) == {"1조": ("hana",), "참가자": ("seri",), "두리네": ("duri",)}
    for name, before in users.items():
        after = User.objects.get(username=name)
        assert (after.password, after.email, after.first_name) == (before.password, "", "")
        assert not after.must_change_password


def test_a_team_that_exists_is_filled() -> None:
    contest = open_competition()
    team(contest, "alice", called="1조")
    made = enrol(contest)
    assert teams(contest)["1조"] == ("alice", "hana", "duri")
    assert made.teams_made == 1
    assert Team.objects.get(name="1조").captain.username == "alice"


def test_who_cannot_take_part_is_a_problem_and_nothing_is_made() -> None:
    contest = open_competition()
    for name in ("eddie", "sue", "gone", "Cased"):
        user(name)
    Organizer.objects.create(competition=contest, user=user("eddie"), role="assistant")
    User.objects.filter(username="sue").update(is_superuser=True)
    User.objects.filter(username="gone").update(is_active=False)
    Team.objects.filter(pk=team(contest, "alice", called="실격").pk).update(disqualified_at=NOON)
    text = "username,team\neddie,\nsue,\ngone,\ncased,\nfine,실격\nok,\n"
    plan = look(contest, text)
    assert [problem.line for problem in plan.problems] == [2, 3, 4, 5, 6]
    with pytest.raises(Refused, match="class_problems"):
        enrol(contest, text)
    assert not User.objects.filter(username="ok").exists()


def test_what_changed_since_the_preview_is_not_done() -> None:
    contest = open_competition()
    seen = look(contest).digest
    user("seri")
    with pytest.raises(Refused, match="changed"):
        enrol(contest, seen=seen)
    assert not User.objects.filter(username="hana").exists()


def test_a_second_time_makes_nobody_twice() -> None:
    contest = open_competition()
    seen = look(contest).digest
    enrol(contest)
    with pytest.raises(Refused, match="changed"):
        enrol(contest, seen=seen)
    with pytest.raises(Refused, match="nothing_to_do"):
        enrol(contest)
    assert Membership.objects.filter(competition=contest).count() == 3


def test_only_editors_and_not_after_the_close() -> None:
    contest = open_competition()
    with pytest.raises(Refused, match="not_an_editor"):
        preview_class(competition=contest, user=user("alice"), data=b"", at=NOON)
    with pytest.raises(Refused, match="closed"):
        look(contest, at=CLOSES)


def test_a_student_number_is_never_a_public_team_name() -> None:
    contest = open_competition()
    made = enrol(contest, "학번,이름\n20261234,김하나\n20261235,이두리\n")
    assert [slip.team for slip in made.slips] == ["참가자", "참가자 2"]
    open_to_all = open_competition("other")
    assert join(user=user("20261234"), competition=open_to_all, at=NOON).name == "참가자"
    assert join(user=user("team7"), competition=open_to_all, at=NOON).name == "team7"
    chosen = join(user=user("20261235"), competition=open_to_all, team_name="새벽", at=NOON)
    assert chosen.name == "새벽"
    asking = open_competition("third", registration="approval")
    asked = request_to_join(user=user("s2026-1234"), competition=asking, at=NOON)
    assert asked.team_name == "참가자"


def test_a_board_shows_a_student_number_to_its_own_team_and_to_editors_alone() -> None:
    contest = open_competition()
    enrol(contest, "학번,이름,팀\n20261234,김하나,1조\nduri,이두리,1조\n")
    hand_in(Team.objects.get(), at=NOON)
    score_all()

    def seen_by(viewer: User | AnonymousUser) -> tuple[str, ...]:
        shown = page(viewer_of(contest, viewer, NOON), "public")
        assert shown is not None
        return shown.rows[0].members

    assert seen_by(AnonymousUser()) == seen_by(user("charlie")) == ("duri",)
    assert seen_by(user("duri")) == seen_by(user("olivia")) == ("20261234", "duri")


def test_a_long_name_leaves_room_for_its_number() -> None:
    contest = open_competition()
    long = "가" * 40
    team(contest, "alice", called=long)
    assert free_name(competition=contest, wanted=long) == "가" * 38 + " 2"
