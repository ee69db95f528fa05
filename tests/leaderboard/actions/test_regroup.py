"""A list of people goes into teams: all of it or nothing, and looked at first."""

from datetime import timedelta

import pytest

from leaderboard.accounts.models import User
from leaderboard.actions.classes import enrol_class, preview_class
from leaderboard.actions.decisions import LookFirst
from leaderboard.actions.discipline import disqualify, rename_with_reason
from leaderboard.actions.refusals import Refused
from leaderboard.actions.regrouping import put_in_team, regroup
from leaderboard.actions.regrouping_plan import PlannedMove, RegroupingPlan, plan
from leaderboard.actions.teams import grant
from leaderboard.audit.models import AuditEvent
from leaderboard.competitions.models import Competition, Organizer
from leaderboard.inbox.models import Notification
from leaderboard.submissions.ledger import allowance
from leaderboard.submissions.models import Submission
from leaderboard.teams.models import Membership, Team
from leaderboard.teams.team_list import read
from tests.leaderboard.builders import hand_in, open_competition, team, user
from tests.leaderboard.material import NOON

pytestmark = pytest.mark.django_db
LATER = NOON + timedelta(hours=1)


@pytest.fixture
def contest() -> Competition:
    """Alice and Bob are a team; Charlie, Dana and Erin each have one of their own."""
    made = open_competition(max_team_size=3)
    team(made, "alice", "bob", called="햇살")
    for name in ("charlie", "dana", "erin"):
        team(made, name, called=f"{name} 팀")
    return made


def look(contest: Competition, text: str) -> RegroupingPlan:
    with pytest.raises(LookFirst) as caught:
        regroup(competition=contest, user=user("olivia"), text=text, seen="", at=NOON)
    assert isinstance(caught.value.preview, RegroupingPlan)
    return caught.value.preview


def put(contest: Competition, text: str) -> list[PlannedMove]:
    seen = look(contest, text).digest
    return regroup(competition=contest, user=user("olivia"), text=text, seen=seen, at=NOON)


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
    """Who is in which team since when, and which teams there are."""
    rows = Membership.objects.filter(competition=contest).order_by("user")
    every = Team.objects.filter(competition=contest).order_by("pk")
    return (
        list(rows.values_list("user", "team", "joined_at")),
        list(every.values_list("pk", "name", "captain", "created_at")),
    )


def test_a_list_becomes_teams_and_everybody_is_told(contest: Competition) -> None:
    put(contest, "username,team\ncharlie,새벽\ndana,새벽\nerin,햇살\n")
    assert teams(contest) == {"햇살": ("alice", "bob", "erin"), "새벽": ("charlie", "dana")}
    event = AuditEvent.objects.get(kind="team.people_put")
    assert event.before == {"usernames": ["charlie: charlie 팀", "dana: dana 팀", "erin: erin 팀"]}
    assert event.after is not None
    assert event.after["usernames"] == ["charlie: 새벽", "dana: 새벽", "erin: 햇살"]
    told = Notification.objects.filter(kind=Notification.Kind.TEAM)
    assert {row.user.username: row.message("ko") for row in told} == {
        "alice": "주최자가 우리 팀에 1명을 넣었습니다.",
        "bob": "주최자가 우리 팀에 1명을 넣었습니다.",
        "charlie": "주최자가 새벽 팀에 넣었습니다.",
        "dana": "주최자가 새벽 팀에 넣었습니다.",
        "erin": "주최자가 햇살 팀에 넣었습니다.",
    }


def test_a_preview_says_every_line_and_does_nothing(contest: Competition) -> None:
    before = state(contest)
    found = look(
        contest, "charlie\t새벽\nalice\t햇살\nzoe\t새벽\n".replace("zoe", user("zoe").username)
    )
    assert [(line.wish.line, line.outcome) for line in found.lines] == [
        (1, "moves"),
        (2, "stays"),
        (3, "joins"),
    ]
    assert (len(found.going), found.new_teams, found.problems) == (2, 1, ())
    assert state(contest) == before


def test_people_are_found_by_username_listed_name_and_mail(contest: Competition) -> None:
    Membership.objects.filter(user__username="charlie").update(listed_name="김하나")
    Membership.objects.filter(user__username="dana").update(typed_email="dana@school.example")
    User.objects.filter(username="erin").update(email="Erin@School.example")
    decomposed = "\u1100\u1175\u11b7\u1112\u1161\u1102\u1161"  # as a Mac types it
    put(contest, f"{decomposed},새벽\nDANA@school.example,새벽\nerin@school.example,새벽\n")
    assert teams(contest)["새벽"] == ("charlie", "dana", "erin")


def test_a_class_list_can_be_given_as_it_is(contest: Competition) -> None:
    put(contest, "학번,이름,이메일,조\ncharlie,김하나,x@y.kr,새벽\ndana,이두리,,새벽\n")
    assert teams(contest)["새벽"] == ("charlie", "dana")


def test_names_below_username_and_usernames_below_name_are_found_and_the_preview_says_so(
    contest: Competition,
) -> None:
    Membership.objects.filter(user__username="charlie").update(listed_name="학생02")
    Membership.objects.filter(user__username="dana").update(listed_name="erin")
    text = "username,team\n학생02,새벽\nerin,새벽\n"  # a username comes before a name
    assert [line.found_by for line in look(contest, text).lines] == ["name", ""]
    put(contest, text)
    assert teams(contest)["새벽"] == ("charlie", "erin")
    put(contest, "name,team\ncharlie,저녁\nerin,저녁\n")
    assert teams(contest)["저녁"] == ("charlie", "dana")


def test_a_name_that_two_people_have_is_nobodys_and_a_stranger_is_not_found_by_name(
    contest: Competition,
) -> None:
    Membership.objects.filter(user__username__in=["charlie", "dana"]).update(listed_name="김하나")
    assert problems(contest, "username,team\n김하나,새벽\n") == [(2, "several_called")]
    user("zoe")
    assert problems(contest, "name,team\nzoe,새벽\n") == [(2, "nobody_called")]


def problems(contest: Competition, text: str) -> list[tuple[int | None, str]]:
    before = state(contest)
    found = look(contest, text)
    with pytest.raises(LookFirst):
        regroup(competition=contest, user=user("olivia"), text=text, seen=found.digest, at=NOON)
    assert state(contest) == before
    bad = {line.wish.line for line in found.lines if line.outcome == "problem"}
    assert bad <= {problem.line for problem in found.problems}
    assert not {line.wish.line for line in found.going} & {one.line for one in found.problems}
    return [(problem.line, problem.code) for problem in found.problems]


def test_every_problem_is_said_by_its_line_and_nothing_is_done(contest: Competition) -> None:
    for name in ("ann", "bea"):
        put_in_team(
            competition=contest,
            user=user("olivia"),
            username=user(name).username,
            team=Team.objects.get(name="charlie 팀"),
            at=NOON,
        )
    Membership.objects.filter(user__username__in=["ann", "bea"]).update(listed_name="김하나")
    Organizer.objects.create(competition=contest, user=user("ada"), role="assistant")
    User.objects.filter(pk=user("gone").pk).update(is_active=False)
    disqualify(team=Team.objects.get(name="erin 팀"), user=user("olivia"), reason="베낌", at=NOON)
    text = (
        "nobody,새벽\n김하나,새벽\nada,새벽\ngone,새벽\ndana,erin 팀\nDANA,새벽\n"
        "alice,햇살 \n,새벽\nbob,\nerin,ＨＡＮ\nerin,한글АB\nann,charlie  팀\nbea,운영자\n"
    )
    assert problems(contest, text) == [
        (1, "nobody_called"),
        (2, "several_called"),
        (3, "account_barred"),
        (4, "account_barred"),
        (5, "team_barred"),
        (6, "account_alike"),
        (8, "who_empty"),
        (9, "team_empty"),
        (11, "name"),
        (13, "name"),
    ]


def test_somebody_twice_a_lookalike_and_a_team_that_grows_too_large(contest: Competition) -> None:
    assert problems(contest, "charlie,햇살\ndana,햇살\n") == [(2, "team_full")]
    assert problems(contest, "charlie,새벽\ncharlie,저녁\n") == [(2, "listed_already")]
    assert problems(contest, "charlie,Dawn\ndana,dawn\n") == [(2, "looks_like")]
    assert problems(contest, "charlie,dana  팀\ndana,DANA 팀\n")[0] == (2, "looks_like")
    # Who leaves makes room.
    put(contest, "alice,새벽\ncharlie,햇살\ndana,햇살\n")
    assert teams(contest)["햇살"] == ("bob", "charlie", "dana")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "nobody"),
        ("username,이름\nalice,앨리스\n", "no_team_column"),
        ("조,비고\n1조,\n", "nobody_called"),
        ("username,username,team\na,b,c\n", "column_twice"),
        ('"charlie,새벽\n', "file"),
        ("charlie,새벽\n" * 1001, "too_many_people"),
    ],
)
def test_a_list_that_cannot_be_read(contest: Competition, text: str, code: str) -> None:
    assert code in [problem.code for problem in plan(contest, read(text)).problems]


def test_nobody_leaves_a_team_s_files_alone(contest: Competition) -> None:
    ours = Team.objects.get(name="햇살")
    hand_in(ours)
    assert problems(contest, "alice,새벽\nbob,저녁\n") == [
        (1, "keeps_submissions"),
        (2, "keeps_submissions"),
    ]
    put(contest, "alice,새벽\n")
    assert (teams(contest)["햇살"], teams(contest)["새벽"]) == (("bob",), ("alice",))
    assert Submission.objects.get().team == ours
    assert allowance(ours, contest, NOON).used_today == 1
    assert allowance(Team.objects.get(name="새벽"), contest, NOON).used_today == 0


def test_the_organizer_reads_what_an_emptied_team_leaves(contest: Competition) -> None:
    granted = Team.objects.get(name="dana 팀")
    grant(team=granted, user=user("olivia"), amount=1, reason="정전", at=NOON)
    hand_in(Team.objects.get(name="햇살"))
    found = look(contest, f"charlie,새벽\ndana,새벽\nalice,새벽\n{user('zoe')},햇살\n")
    gone, kept, anew, joins = (line.notice for line in found.lines)
    assert "goes" in gone
    assert "ledger" in kept
    assert "no attempt used" in anew
    assert "Takes no part" in joins
    put(contest, "charlie,새벽\ndana,새벽\n")
    assert teams(contest)["dana 팀"] == ()
    assert "charlie 팀" not in teams(contest)


def test_what_changed_since_the_preview_is_shown_again(contest: Competition) -> None:
    text = "charlie,새벽\ndana,새벽\n"
    seen = look(contest, text).digest
    put(contest, "charlie,햇살\n")
    with pytest.raises(LookFirst):
        regroup(competition=contest, user=user("olivia"), text=text, seen=seen, at=NOON)
    put(contest, text)
    with pytest.raises(Refused, match="nothing_to_do"):
        regroup(competition=contest, user=user("olivia"), text=text, seen="", at=NOON)


# --- Beside it ------------------------------------------------------------------------------------


def test_an_organizer_renames_a_team_and_says_why(contest: Competition) -> None:
    ours = Team.objects.get(name="햇살")
    rename = {"team": ours, "user": user("olivia"), "at": NOON}
    rename_with_reason(name="달빛", reason="남의 이름입니다", **rename)
    assert "달빛" in teams(contest)
    event = AuditEvent.objects.get(kind="team.renamed_by_organizer")
    assert (event.before, event.reason) == ({"name": "햇살"}, "남의 이름입니다")
    told = Notification.objects.filter(kind=Notification.Kind.TEAM)
    assert {row.user.username for row in told} == {"alice", "bob"}
    assert (
        told[0].message("ko")
        == "주최자가 팀 이름을 바꾸었습니다: 햇살 → 달빛. 까닭: 남의 이름입니다"
    )
    for name, reason, code in (
        ("달빛", "또", "nothing_changes"),
        ("별빛", " ", "reason_length"),
        ("charlie 팀", "또", "name_taken"),
        ("운영자", "또", "name_reserved"),
    ):
        with pytest.raises(Refused, match=code):
            rename_with_reason(name=name, reason=reason, **rename)
    with pytest.raises(Refused, match="not_an_editor"):
        rename_with_reason(**{**rename, "user": user("alice")}, name="별", reason="x")


def test_a_class_never_makes_a_team_too_large(contest: Competition) -> None:
    rows = "".join(f"student{n},1조\n" for n in range(4)) + "newcomer,햇살\nother,햇살\n"
    found = preview_class(
        competition=contest,
        user=user("olivia"),
        data=f"username,team\n{rows}".encode(),
        at=NOON,
    )
    assert [(one.line, one.code) for one in found.problems] == [(5, "team_full"), (7, "team_full")]
    with pytest.raises(Refused, match="class_problems"):
        enrol_class(
            competition=contest,
            user=user("olivia"),
            data=f"username,team\n{rows}".encode(),
            seen=found.digest,
            at=NOON,
        )
