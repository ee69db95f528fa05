"""Two teams that become one by two captains."""

from datetime import datetime, timedelta

import pytest
from django.core.management import call_command

from leaderboard.actions.assigning import put_in_team
from leaderboard.actions.decisions import LookFirst
from leaderboard.actions.discipline import disqualify, exclude, restore, warn
from leaderboard.actions.merging import (
    accept_merge,
    ask_to_merge,
    decline_merge,
    union_of,
    withdraw_merge,
)
from leaderboard.actions.submissions import choose_finals, submit
from leaderboard.actions.teams import grant
from leaderboard.actions.versions import make_live, rehearse
from leaderboard.audit.models import AuditEvent
from leaderboard.boards.models import Standing
from leaderboard.competitions.models import Competition
from leaderboard.competitions.schedule import teams_grow_until
from leaderboard.inbox.models import Notification
from leaderboard.references.models import ScoringVersion
from leaderboard.refusals import Refused
from leaderboard.submissions.ledger import allowance
from leaderboard.submissions.models import QuotaEntry, Submission
from leaderboard.submissions.queries import Upload, chosen, found_teams
from leaderboard.teams.models import Membership, Merge, Team
from leaderboard.teams.queries import headcount
from tests.leaderboard import builders
from tests.leaderboard.builders import CLOSES, NOON, prediction_csv, user
from tests.leaderboard.contest_file.full_contest import FAIR, GOOD, POOR, shown

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)
HOUR = timedelta(hours=1)


def refusal(code: str) -> object:
    return pytest.raises(Refused, match=f"^{code}$")


def merge(survivor: Team, absorbed: Team, *, at: datetime = NOON) -> Merge:
    """As both captains want it."""
    asked = ask_to_merge(team=survivor, user=survivor.captain, name=absorbed.name, at=at)
    accept_merge(merge=asked, user=absorbed.captain, at=at)
    survivor.refresh_from_db()
    absorbed.refresh_from_db()
    return asked


def standings_are_right() -> None:
    call_command("rebuild_standings", check=True, verbosity=0)


def names(team: Team) -> list[str]:
    return sorted(team.memberships.values_list("user__username", flat=True))


def state(*teams: Team) -> list[object]:
    """All that belongs to these teams, without the numbers of rows."""
    return [
        sorted(Membership.objects.filter(team__in=teams).values_list("team", "user")),
        sorted(Submission.objects.filter(team__in=teams).values_list("team", "pk", "origin")),
        sorted(
            QuotaEntry.objects.filter(team__in=teams).values_list("team", "pk", "origin"), key=str
        ),
        sorted(Team.objects.filter(pk__in=[t.pk for t in teams]).values_list("pk", "captain")),
    ]


@pytest.fixture
def contest() -> Competition:
    return builders.open_competition(daily_limit=5)


@pytest.fixture
def ours(contest: Competition) -> Team:
    return builders.team(contest, "alice", "bob", called="햇살")


@pytest.fixture
def theirs(contest: Competition) -> Team:
    return builders.team(contest, "charlie", "dana", called="바람")


def test_it_works(contest: Competition, ours: Team, theirs: Team) -> None:
    builders.hand_in(ours, POOR, at=NOON - DAY)
    best = builders.hand_in(theirs, GOOD, at=NOON - 2 * DAY)
    builders.hand_in(theirs, FAIR, at=NOON)
    builders.score_all()
    merge(ours, theirs)
    assert names(ours) == ["alice", "bob", "charlie", "dana"]
    assert names(theirs) == []
    assert theirs.merged_into == ours
    assert ours.captain == user("alice")
    assert {one.origin for one in ours.submissions.all()} == {ours, theirs}
    assert Standing.objects.get(board="public").submission == best
    assert Standing.objects.get(board="public").entries == 3
    assert [team.name for team in found_teams(contest)] == ["햇살"]
    assert headcount(contest) == {"teams": 1, "people": 4, "disqualified": 0}
    standings_are_right()


def test_boards_of_now_and_before_are_those_of_one_team(contest: Competition, ours: Team) -> None:
    theirs = builders.team(contest, "charlie", called="바람")
    alone = builders.team(
        builders.open_competition("twin"), "alice", "bob", "charlie", called="햇살"
    )
    for texts, team, days in (
        (POOR, ours, 3),
        (GOOD, theirs, 2),
        (FAIR, ours, 1),
        (FAIR, theirs, 0),
    ):
        for by in (team, alone):
            builders.hand_in(by, texts, at=NOON - days * DAY)
    builders.score_all()
    merge(ours, theirs)
    twin = shown("twin")
    assert len(twin) > 40
    assert {
        key: page.replace(b"competition,talk", b"competition,twin")
        for key, page in shown("talk").items()
    } == twin


# --- Refused with the arithmetic ------------------------------------------------------------------


def test_one_too_many_of_today_is_refused_with_the_arithmetic(ours: Team, theirs: Team) -> None:
    for _ in range(3):
        builders.hand_in(ours)
    for _ in range(2):
        builders.hand_in(theirs)
    asked = ask_to_merge(team=ours, user=user("alice"), name="바람", at=NOON)
    builders.hand_in(theirs)  # meanwhile: 3 + 3 of 5
    before = state(ours, theirs)
    with pytest.raises(Refused) as refused:
        accept_merge(merge=asked, user=user("charlie"), at=NOON)
    assert refused.value.code == "merge_today"
    assert refused.value.values == {"together": 6, "most": 5}
    assert state(ours, theirs) == before
    with refusal("merge_today"):
        ask_to_merge(team=theirs, user=user("charlie"), name="햇살", at=NOON)
    # A grant counts with the limit.
    grant(team=theirs, user=user("olivia"), amount=1, reason="장애", at=NOON)
    accept_merge(merge=asked, user=user("charlie"), at=NOON)
    left = allowance(ours, ours.competition, NOON)
    assert (left.used_today, left.left_today) == (6, 0)


def test_one_too_many_of_all_is_refused_with_the_arithmetic(
    contest: Competition, ours: Team, theirs: Team
) -> None:
    Competition.objects.update(total_limit=4)
    for team, number in ((ours, 2), (theirs, 3)):
        for _ in range(number):
            builders.hand_in(Team.objects.get(pk=team.pk), at=NOON - DAY)
    with pytest.raises(Refused) as refused:
        merge(Team.objects.get(pk=ours.pk), theirs)
    assert refused.value.code == "merge_total"
    assert refused.value.values == {"together": 5, "most": 4}


def test_one_too_many_people(contest: Competition, ours: Team, theirs: Team) -> None:
    Competition.objects.update(max_team_size=3)
    with pytest.raises(Refused, match="merge_people") as refused:
        merge(ours, theirs)
    assert refused.value.values == {"together": 4, "most": 3}


def test_until_the_microsecond(contest: Competition, ours: Team, theirs: Team) -> None:
    Competition.objects.update(freezes_at=CLOSES - 3 * DAY)
    until = teams_grow_until(Competition.objects.get())
    with refusal("teams_fixed"):
        merge(ours, theirs, at=until)
    asked = ask_to_merge(
        team=ours, user=user("alice"), name="바람", at=until - timedelta(microseconds=1)
    )
    with refusal("teams_fixed"):
        accept_merge(merge=asked, user=user("charlie"), at=until)
    accept_merge(merge=asked, user=user("charlie"), at=until - timedelta(microseconds=1))


def test_both_captains_look_before_they_agree(ours: Team, theirs: Team) -> None:
    with pytest.raises(LookFirst) as first:
        ask_to_merge(team=ours, user=user("alice"), name="바람", seen="", at=NOON)
    seen = first.value.preview.digest
    asked = ask_to_merge(team=ours, user=user("alice"), name=" 바람 ", seen=seen, at=NOON)
    builders.hand_in(ours)
    with pytest.raises(LookFirst) as changed:
        accept_merge(merge=asked, user=user("charlie"), seen=seen, at=NOON)
    assert changed.value.preview.digest != seen
    assert changed.value.preview == union_of(*_fresh(ours, theirs), NOON)
    accept_merge(merge=asked, user=user("charlie"), seen=changed.value.preview.digest, at=NOON)


def _fresh(*teams: Team) -> list[Team]:
    return [Team.objects.select_related("competition").get(pk=team.pk) for team in teams]


# --- Who may --------------------------------------------------------------------------------------


def test_captains_alone(contest: Competition, ours: Team, theirs: Team) -> None:
    with refusal("not_captain"):
        ask_to_merge(team=ours, user=user("bob"), name="바람", at=NOON)
    with refusal("not_a_member"):
        ask_to_merge(team=ours, user=user("charlie"), name="바람", at=NOON)
    asked = ask_to_merge(team=ours, user=user("alice"), name="바람", at=NOON)
    for person in ("alice", "bob"):
        with refusal("not_a_member"):
            accept_merge(merge=asked, user=user(person), at=NOON)
        with refusal("not_a_member"):
            decline_merge(merge=asked, user=user(person), at=NOON)
    for act in (accept_merge, decline_merge):
        with refusal("not_captain"):
            act(merge=asked, user=user("dana"), at=NOON)
    with refusal("not_captain"):
        withdraw_merge(merge=asked, user=user("bob"), at=NOON)


def test_no_team_of_its_own_nor_none_nor_twice(contest: Competition, ours: Team) -> None:
    builders.team(contest, "charlie", called="바람")
    with refusal("merge_self"):
        ask_to_merge(team=ours, user=user("alice"), name="햇살", at=NOON)
    with refusal("unknown_team"):
        ask_to_merge(team=ours, user=user("alice"), name="없는 팀", at=NOON)
    ask_to_merge(team=ours, user=user("alice"), name="바람", at=NOON)
    with refusal("merge_asked"):
        ask_to_merge(team=ours, user=user("alice"), name="바람", at=NOON)


def test_a_disqualified_team_does_not_merge(ours: Team, theirs: Team) -> None:
    asked = ask_to_merge(team=ours, user=user("alice"), name="바람", at=NOON)
    disqualify(team=ours, user=user("olivia"), reason="베낌", at=NOON)
    with refusal("disqualified"):
        accept_merge(merge=asked, user=user("charlie"), at=NOON)
    with refusal("disqualified"):
        ask_to_merge(team=theirs, user=user("charlie"), name="햇살", at=NOON)


def test_an_answer_is_given_once(ours: Team, theirs: Team) -> None:
    for end, person in ((decline_merge, "charlie"), (withdraw_merge, "alice")):
        asked = ask_to_merge(team=ours, user=user("alice"), name="바람", at=NOON)
        end(merge=asked, user=user(person), at=NOON)
        with refusal("merge_gone"):
            accept_merge(merge=Merge.objects.get(pk=asked.pk), user=user("charlie"), at=NOON)
    done = merge(ours, theirs)
    with refusal("merge_gone"):
        decline_merge(merge=done, user=user("charlie"), at=NOON)


def test_what_the_team_asked_and_was_asked_ends_with_it(contest: Competition, ours: Team) -> None:
    theirs = builders.team(contest, "charlie", called="바람")
    third = builders.team(contest, "erin", called="구름")
    back = ask_to_merge(team=theirs, user=user("charlie"), name="햇살", at=NOON)
    other = ask_to_merge(team=third, user=user("erin"), name="바람", at=NOON)
    stays = ask_to_merge(team=third, user=user("erin"), name="햇살", at=NOON)
    merge(ours, theirs)
    for gone in (back, other):
        gone.refresh_from_db()
        assert gone.state == Merge.State.WITHDRAWN
    accept_merge(merge=stays, user=user("alice"), at=NOON)
    assert names(third) == ["alice", "bob", "charlie", "erin"]


# --- What goes along ------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [1, 2])
def test_of_two_finals_both_stay_and_of_three_none(ours: Team, theirs: Team, number: int) -> None:
    kept = [builders.hand_in(ours, texts) for texts in (FAIR, POOR)[:number]]
    best = builders.hand_in(theirs, GOOD)
    builders.score_all()
    for team, files in ((ours, kept), (theirs, [best])):
        ids = [one.pk for one in files]
        choose_finals(team=team, user=team.captain, submission_ids=ids, at=NOON)
    merge(ours, theirs)
    standings_are_right()
    if number == 1:
        assert chosen(ours.pk) == {kept[0].pk, best.pk}
        return
    assert chosen(ours.pk) == frozenset()
    told = Notification.objects.filter(kind="merged", data__news="merged.finals")
    assert sorted(told.values_list("user__username", flat=True)) == ["alice", "bob", "dana"]
    logged = AuditEvent.objects.get(kind="team.merged")
    assert logged.before == {"finals": sorted(str(one.pk) for one in [*kept, best])}


def test_both_teams_are_told_and_the_log_says_who(ours: Team, theirs: Team) -> None:
    merge(ours, theirs)
    kinds = {"merge_asked": "charlie dana", "merged": "alice bob dana"}
    for news, people in kinds.items():
        told = Notification.objects.filter(kind="merged", data__news=news)
        assert sorted(told.values_list("user__username", flat=True)) == people.split(), news
    logged = AuditEvent.objects.filter(kind__startswith="team.merge").order_by("at")
    assert [(one.kind, str(one.actor), one.subject) for one in logged] == [
        ("team.merge_asked", "alice", ours.pk),
        ("team.merged", "charlie", ours.pk),
    ]


def test_a_repeated_upload_is_still_the_same(ours: Team, theirs: Team) -> None:
    def send(team: Team, name: str, texts: dict[str, str]) -> Submission:
        upload = Upload("a.csv", prediction_csv(texts))
        return submit(team=team, user=user(name), upload=upload, key="run-1", at=NOON)

    first, second = send(ours, "alice", FAIR), send(theirs, "charlie", GOOD)
    merge(ours, theirs)
    assert send(ours, "charlie", GOOD) == second
    assert send(ours, "alice", FAIR) == first
    with refusal("key_reused"):
        send(ours, "bob", POOR)
    assert Submission.objects.count() == QuotaEntry.objects.count() == 2


def test_exclusions_and_rehearsals(contest: Competition, ours: Team, theirs: Team) -> None:
    best = builders.hand_in(theirs, GOOD)
    builders.hand_in(ours, FAIR)
    builders.score_all()
    first = ScoringVersion.objects.get()
    rehearse(version=_second(contest), user=user("olivia"), at=NOON)
    builders.score_all()
    merge(ours, theirs)
    exclude(submission=best, user=user("olivia"), reason="겹침", at=NOON)  # the team before
    standings_are_right()
    make_live(version=ScoringVersion.objects.get(state="rehearsing"), user=user("olivia"), at=NOON)
    restore(submission=best, user=user("olivia"), at=NOON)
    standings_are_right()
    rehearse(version=first, user=user("olivia"), at=NOON)
    builders.score_all()
    standings_are_right()
    assert not Standing.objects.filter(team=theirs).exists()
    assert Standing.objects.filter(team=ours, submission=best).exists()


def _second(contest: Competition) -> ScoringVersion:
    return builders.uploaded(contest, builders.gold_csv({**builders.GOLDS, "talk_1": ("다른 말",)}))


# --- One inside another ---------------------------------------------------------------------------


def test_nothing_is_decided_about_a_part(contest: Competition, ours: Team, theirs: Team) -> None:
    merge(ours, theirs)
    olivia = {"user": user("olivia"), "at": NOON}
    with refusal("merged_team"):
        warn(team=theirs, reason="경고", **olivia)
    with refusal("merged_team"):
        grant(team=theirs, amount=1, reason="장애", **olivia)
    user("erin")
    with refusal("merged_team"):
        put_in_team(competition=contest, username="erin", team=theirs, **olivia)
    with refusal("unknown_team"):
        ask_to_merge(team=ours, user=user("alice"), name="바람", at=NOON)
