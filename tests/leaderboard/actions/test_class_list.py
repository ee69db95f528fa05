"""A class list becomes accounts and teams: looked at first, all of it or nothing."""

import json
from datetime import timedelta

import pytest
from django.contrib.auth import authenticate
from django.contrib.auth.models import AnonymousUser

from leaderboard.accounts.models import User
from leaderboard.actions.assigning import assign_teams
from leaderboard.actions.class_list import MAX_LINES, ClassPlan, plan, read
from leaderboard.actions.decisions import LookFirst
from leaderboard.actions.discipline import disqualify
from leaderboard.actions.registration import join, request_to_join
from leaderboard.actions.teams import grant
from leaderboard.audit.models import AuditEvent
from leaderboard.boards.queries import page
from leaderboard.competitions.models import Competition, Organizer
from leaderboard.inbox.models import Notification
from leaderboard.refusals import Refused
from leaderboard.submissions.ledger import allowance
from leaderboard.submissions.models import Submission
from leaderboard.teams.models import Membership, Team
from tests.leaderboard.builders import hand_in, open_competition, score_all, team, user, viewer_of
from tests.leaderboard.material import CLOSES, NOON

pytestmark = pytest.mark.django_db
LATER = NOON + timedelta(hours=1)
CLASS = """username,name,email,team
hana,김하나,hana@school.example,1조
duri,이두리,,1조
seri,박세리,,
"""


@pytest.fixture
def contest() -> Competition:
    """Alice and Bob are a team; Charlie, Dana and Erin each have one of their own."""
    made = open_competition(max_team_size=3)
    team(made, "alice", "bob", called="햇살")
    for name in ("charlie", "dana", "erin"):
        team(made, name, called=f"{name} 팀")
    return made


def look(contest: Competition, text: str) -> ClassPlan:
    with pytest.raises(LookFirst) as caught:
        assign_teams(competition=contest, user=user("olivia"), text=text, seen="", at=NOON)
    assert isinstance(caught.value.preview, ClassPlan)
    return caught.value.preview


def assign(contest: Competition, text: str) -> ClassPlan:
    seen = look(contest, text).digest
    return assign_teams(competition=contest, user=user("olivia"), text=text, seen=seen, at=NOON)


def teams(contest: Competition) -> dict[str, tuple[str, ...]]:
    """The members of each team, its captain first."""
    return {
        one.name: tuple(
            sorted(
                one.memberships.values_list("user__username", flat=True),
                key=lambda name: (name != (one.captain and one.captain.username), name),
            )
        )
        for one in Team.objects.filter(competition=contest)
    }


def state(contest: Competition) -> object:
    """Which accounts and teams there are, and who is in which since when."""
    rows = Membership.objects.filter(competition=contest).order_by("user")
    every = Team.objects.filter(competition=contest).order_by("pk")
    return (
        User.objects.count(),
        list(rows.values_list("user", "team", "joined_at")),
        list(every.values_list("pk", "name", "captain", "created_at")),
    )


# --- What is done ---------------------------------------------------------------------------------


def test_accounts_and_teams_are_made_with_passwords_that_work_once() -> None:
    contest = open_competition()
    made = assign(contest, CLASS).new
    assert [(line.username, line.team) for line in made] == [
        ("hana", "1조"),
        ("duri", "1조"),
        ("seri", "참가자"),
    ]
    assert teams(contest) == {"1조": ("hana", "duri"), "참가자": ("seri",)}
    for line in made:
        person = authenticate(username=line.username, password=line.password)
        assert isinstance(person, User)
        assert person.must_change_password
    hana = User.objects.get(username="hana")
    assert (hana.first_name, hana.email) == ("김하나", "hana@school.example")
    assert hana.memberships.get().listed_name == "김하나"
    assert len({line.password for line in made}) == 3
    kept = json.dumps([list(model.objects.values()) for model in (AuditEvent, User)], default=str)
    assert not [line for line in made if line.password in kept]


def test_people_are_moved_and_everybody_is_told(contest: Competition) -> None:
    assign(contest, "username,team\ncharlie,새벽\ndana,새벽\nerin,햇살\nnew,새벽\n")
    assert teams(contest) == {"햇살": ("alice", "bob", "erin"), "새벽": ("charlie", "dana", "new")}
    event = AuditEvent.objects.get(kind="team.people_put")
    was = ["charlie: charlie 팀", "dana: dana 팀", "erin: erin 팀", "new: –"]
    assert event.before == {"usernames": was}
    now = ["charlie: 새벽", "dana: 새벽", "erin: 햇살", "new: 새벽"]
    assert event.after["usernames"] == now
    told = Notification.objects.filter(kind=Notification.Kind.TEAM)
    assert {row.user.username: row.data["news"] for row in told} == {
        "alice": "put_into_yours",
        "bob": "put_into_yours",
        "charlie": "put_in_team",
        "dana": "put_in_team",
        "erin": "put_in_team",
    }


def test_an_account_that_exists_keeps_its_password_and_address(contest: Competition) -> None:
    before = user("duri")
    assign(contest, CLASS)
    after = User.objects.get(username="duri")
    assert (after.password, after.email, after.first_name) == (before.password, "", "")
    assert not after.must_change_password
    assert teams(contest)["1조"] == ("hana", "duri")


def test_a_preview_says_every_line_and_does_nothing(contest: Competition) -> None:
    user("zoe")
    before = state(contest)
    found = look(
        contest, "username\tteam\ncharlie\t새벽\nalice\t햇살\nbob\t\nzoe\t새벽\nnew\t새벽\n"
    )
    assert [(line.number, line.outcome) for line in found.lines] == [
        (2, "moves"),
        (3, "stays"),
        (4, "stays"),
        (5, "joins"),
        (6, "new"),
    ]
    assert (found.moving, found.joining, len(found.new), found.problems) == (1, 1, 1, ())
    assert state(contest) == before


def test_only_people_of_the_contest_are_found_by_mail_and_listed_name(contest: Competition) -> None:
    Membership.objects.filter(user__username="charlie").update(listed_name="김하나")
    Membership.objects.filter(user__username="dana").update(typed_email="dana@school.example")
    User.objects.filter(username="erin").update(email="Erin@School.example")
    decomposed = "\u1100\u1175\u11b7\u1112\u1161\u1102\u1161"  # as a Mac types it
    rows = f"{decomposed},,새벽\n,DANA@school.example,새벽\n김,erin@school.example,새벽\n"
    assign(contest, f"이름,메일,조\n{rows}")
    assert teams(contest)["새벽"] == ("charlie", "dana", "erin")
    Membership.objects.filter(user__username="dana").update(listed_name="김하나")
    User.objects.filter(pk=user("zoe").pk).update(email="zoe@school.example")
    text = "name,email,team\n김하나,,저녁\nzoe,,저녁\n,zoe@school.example,저녁\n"
    assert problems(contest, text) == [
        (2, "several_called"),
        (3, "nobody_called"),
        (4, "nobody_called"),
    ]


def test_a_student_number_is_never_a_public_team_name() -> None:
    contest = open_competition()
    made = assign(contest, "학번,이름\n20261234,김하나\n20261235,이두리\n").new
    assert [line.team for line in made] == ["참가자", "참가자 2"]
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
    assign(contest, "학번,이름,팀\n20261234,김하나,1조\nduri,이두리,1조\n")
    hand_in(Team.objects.get(), at=NOON)
    score_all()

    def seen_by(viewer: User | AnonymousUser) -> tuple[str, ...]:
        shown = page(viewer_of(contest, viewer, NOON), "public")
        return shown.rows[0].members

    assert seen_by(AnonymousUser()) == seen_by(user("charlie")) == ("duri",)
    assert seen_by(user("duri")) == seen_by(user("olivia")) == ("20261234", "duri")


# --- What is refused ------------------------------------------------------------------------------


def problems(contest: Competition, text: str) -> list[tuple[int | None, str]]:
    before = state(contest)
    found = look(contest, text)
    with pytest.raises(LookFirst):
        assign_teams(
            competition=contest, user=user("olivia"), text=text, seen=found.digest, at=NOON
        )
    assert state(contest) == before
    bad = {problem.line for problem in found.problems}
    assert all((line.outcome == "problem") == (line.number in bad) for line in found.lines)
    return [(problem.line, problem.code) for problem in found.problems]


def test_every_problem_is_said_by_its_line_and_nothing_is_done(contest: Competition) -> None:
    Organizer.objects.create(competition=contest, user=user("ada"), role="assistant")
    User.objects.filter(pk=user("gone").pk).update(is_active=False)
    User.objects.filter(pk=user("sue").pk).update(is_superuser=True)
    disqualify(team=Team.objects.get(name="erin 팀"), user=user("olivia"), reason="베낌", at=NOON)
    text = (
        "username,name,email,team\n"
        ",,,새벽\nbad name,,,\nnew3,,not-a-mail,\nnew4,,,1\u202e조\nnew5,,,"
        + "가"
        * 41
        + "\nnew6,\u202e김,,\n2.03E+07,,,\nnew8,,,2.03E+07\nnew9,,,운영자\nadmin,,,\n"
        "ada,,,\ngone,,,\nsue,,,\nDANA,,,\nalice,,,erin 팀\nbob,,,charlie  팀\n"
    )
    assert problems(contest, text) == [
        (2, "who_empty"),
        (3, "name"),
        (4, "name"),
        (5, "name"),
        (6, "name"),
        (7, "invisible"),
        (8, "rounded"),
        (9, "rounded"),
        (10, "name"),
        (11, "name"),
        (12, "account_barred"),
        (13, "account_barred"),
        (14, "account_barred"),
        (15, "account_alike"),
        (16, "team_barred"),
    ]


def test_somebody_twice_a_lookalike_and_a_team_that_grows_too_large(contest: Competition) -> None:
    for rows, found in (
        ("charlie,,새벽\ncharlie,,저녁\n", [(3, "listed_already")]),
        ("new,a@b.kr,새벽\nother,A@b.kr,새벽\n", [(3, "listed_already")]),
        ("m1na,,\nmina,,\n", [(3, "looks_like")]),
        ("charlie,,Dawn\ndana,,dawn\n", [(3, "looks_like")]),
        ("charlie,,햇살\nnew,,햇살\n", [(3, "team_full")]),
        ("".join(f"new{n},,1조\n" for n in range(4)), [(5, "team_full")]),
    ):
        assert problems(contest, f"username,email,team\n{rows}") == found
    # Who leaves makes room.
    assign(contest, "username,team\nalice,새벽\ncharlie,햇살\ndana,햇살\n")
    assert teams(contest)["햇살"] == ("bob", "charlie", "dana")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", (None, "file")),
        ("username\n", (None, "nobody")),
        ("team,note\n1조,\n", (1, "no_person_column")),
        ("charlie,새벽\n", (1, "no_person_column")),
        ("username,학번,team\na,b,c\n", (1, "column_twice")),
        ('username\n"open\n', (2, "file")),
        ('username, name\nhana, "김민수"\n', (2, "file")),
        ('[{"username": "hana"}]', (None, "file")),
        ("username\n" + "a\n" * (MAX_LINES + 1), (None, "too_many_people")),
    ],
)
def test_a_list_that_cannot_be_read(
    contest: Competition, text: str, found: tuple[int | None, str]
) -> None:
    (problem,) = plan(contest, read(text), NOON).problems
    assert (problem.line, problem.code) == found
    assert problem.message("ko") != problem.message("en")


@pytest.mark.parametrize(
    "text",
    [
        '"username";"team"\n"hana";"1조, 가"\n',
        '"username"\t"team"\n"hana"\t"1조, 가"\n',
        'sep=;\nusername;team\nhana;"1조, 가"\n',
        '\ufeff\ufeff"username","team"\n"hana","1조, 가"\n',
        '조,학번\r\n"1조, 가",hana\r\n\r\n',
    ],
)
def test_any_delimiter_and_any_order_of_columns_is_read(text: str) -> None:
    lines, problems = read(text)
    assert not problems
    assert [(line.username, line.team) for line in lines] == [("hana", "1조, 가")]


def test_a_cell_of_two_lines_does_not_move_the_numbers_of_those_after_it() -> None:
    lines, _ = read('username,name\nstudent1,"a\nb"\nstudent2,c\n')
    assert [line.number for line in lines] == [2, 4]


def test_nobody_leaves_a_team_s_files_alone(contest: Competition) -> None:
    ours = Team.objects.get(name="햇살")
    hand_in(ours)
    assert problems(contest, "username,team\nalice,새벽\nbob,저녁\n") == [
        (2, "keeps_submissions"),
        (3, "keeps_submissions"),
    ]
    assign(contest, "username,team\nalice,새벽\n")
    assert (teams(contest)["햇살"], teams(contest)["새벽"]) == (("bob",), ("alice",))
    assert Submission.objects.get().team == ours
    assert allowance(ours, contest, NOON).used_today == 1
    assert allowance(Team.objects.get(name="새벽"), contest, NOON).used_today == 0


def test_the_organizer_reads_what_an_emptied_team_leaves(contest: Competition) -> None:
    granted = Team.objects.get(name="dana 팀")
    grant(team=granted, user=user("olivia"), amount=1, reason="정전", at=NOON)
    hand_in(Team.objects.get(name="햇살"))
    found = look(contest, "username,team\ncharlie,새벽\ndana,새벽\nalice,새벽\n")
    gone, kept, anew = (line.notice for line in found.lines)
    assert "goes" in gone
    assert "ledger" in kept
    assert "no attempts used" in anew
    assign(contest, "username,team\ncharlie,새벽\ndana,새벽\n")
    assert teams(contest)["dana 팀"] == ()
    assert "charlie 팀" not in teams(contest)


def test_what_changed_since_the_preview_is_shown_again(contest: Competition) -> None:
    olivia = {"competition": contest, "user": user("olivia"), "at": NOON}
    text = "username,team\ncharlie,새벽\nhana,새벽\n"
    seen = look(contest, text).digest
    user("hana")
    with pytest.raises(LookFirst):
        assign_teams(text=text, seen=seen, **olivia)
    assign(contest, text)
    for digest in ("", seen):
        with pytest.raises(Refused, match="nothing_to_do"):
            assign_teams(text=text, seen=digest, **olivia)


def test_only_editors_apply_a_list_and_nobody_is_new_after_the_close(contest: Competition) -> None:
    Organizer.objects.create(competition=contest, user=user("ada"), role="assistant")
    for name in ("alice", "ada", "sue"):
        with pytest.raises(Refused, match="not_an_editor"):
            assign_teams(competition=contest, user=user(name), text="username\ndana\n", at=NOON)
    who = {"competition": contest, "user": user("olivia"), "at": CLOSES}
    with pytest.raises(Refused, match="closed"):
        assign_teams(text="username\nnew\n", **who)
    assign_teams(text="username,team\ndana,햇살\n", **who)
