"""Every order in which people, files and teams come, go, merge and are taken apart again."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.db.models import F
from hypothesis import settings as laws
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from leaderboard.actions.discipline import disqualify, exclude, reinstate, restore
from leaderboard.actions.invitations import accept, invite_by_code
from leaderboard.actions.membership import hand_over, leave, remove_member
from leaderboard.actions.merging import (
    accept_merge,
    ask_to_merge,
    decline_merge,
    undo_merge,
    withdraw_merge,
)
from leaderboard.actions.refusals import Refused
from leaderboard.actions.registration import join
from leaderboard.actions.submissions import FINALS, cancel, choose_finals, submit
from leaderboard.actions.teams import put_in_team
from leaderboard.audit.models import AuditEvent
from leaderboard.boards.models import Standing
from leaderboard.boards.standings import places, stored
from leaderboard.competitions.models import Competition
from leaderboard.inbox.models import Notification
from leaderboard.references.queries import live_version
from leaderboard.submissions.intake import Upload
from leaderboard.submissions.ledger import allowance
from leaderboard.submissions.models import FinalChoice, QuotaEntry, Submission
from leaderboard.teams.models import Invitation, Membership, Merge, Team
from tests.leaderboard import builders
from tests.leaderboard.builders import NOON, prediction_csv, user
from tests.leaderboard.contest_file.full_contest import FAIR, GOOD, POOR

PEOPLE = ["alice", "bob", "charlie", "dana", "erin", "fred"]
people = st.sampled_from(PEOPLE)
numbers = st.integers(0, 1_000)


class Teams(RuleBasedStateMachine):
    """A refusal is an answer; after each step everything that speaks of teams agrees.

    In a transaction of its own, which is never committed.
    """

    @initialize()
    def open(self) -> None:
        self.whole = transaction.atomic()
        self.whole.__enter__()
        self.contest = builders.open_competition(daily_limit=6, total_limit=14, max_team_size=4)
        self.olivia = user("olivia")
        self.at = NOON
        self.accepted: list[Any] = []
        self.left: set[Any] = set()
        for name in PEOPLE:
            user(name)

    def teardown(self) -> None:
        if hasattr(self, "whole"):
            transaction.set_rollback(True)
            self.whole.__exit__(None, None, None)

    def act(self, do: Callable[..., Any], **what: Any) -> Any:
        """What it answers; None if it was refused, and then nothing is written."""
        before = AuditEvent.objects.count()
        try:
            with transaction.atomic():
                return do(**what, at=self.at)
        except Refused:
            assert AuditEvent.objects.count() == before
            return None

    def one_of(self, rows: Any, number: int) -> Any:
        found = list(rows)
        return found[number % len(found)] if found else None

    def team_of(self, name: str) -> Team | None:
        rows = Membership.objects.select_related("team__competition", "team__captain")
        found = rows.filter(user__username=name).first()
        return found.team if found else None

    # --- Steps -----------------------------------------------------------------------------------

    @rule(hours=st.integers(1, 20))
    def wait(self, hours: int) -> None:
        self.at += timedelta(hours=hours)

    @rule(name=people)
    def create(self, name: str) -> None:
        self.act(join, user=user(name), competition=self.contest)

    @rule(name=people)
    def invite(self, name: str) -> None:
        if (team := self.team_of(name)) is not None:
            self.act(invite_by_code, team=team, user=user(name))

    @rule(name=people, number=numbers)
    def accept(self, name: str, number: int) -> None:
        invitation = self.one_of(Invitation.objects.select_related("team__competition"), number)
        if invitation is not None:
            self.act(accept, invitation=invitation, user=user(name))

    @rule(name=people, texts=st.sampled_from([GOOD, FAIR, POOR]), key=st.integers(0, 30))
    def submit(self, name: str, texts: dict[str, str], key: int) -> None:
        team = self.team_of(name)
        if team is None:
            return
        upload = Upload("a.csv", prediction_csv(texts))
        made = self.act(submit, team=team, user=user(name), upload=upload, key=f"run-{key}")
        if made is not None and made.pk not in self.accepted:
            self.accepted.append(made.pk)

    @rule()
    def score(self) -> None:
        builders.score_all(at=self.at)

    @rule(name=people, number=numbers)
    def cancel(self, name: str, number: int) -> None:
        if (
            one := self.one_of(Submission.objects.order_by("received_at", "pk"), number)
        ) is not None:
            self.act(cancel, submission=one, user=user(name))

    @rule(name=people, numbers=st.lists(numbers, max_size=2))
    def choose_finals(self, name: str, numbers: list[int]) -> None:
        if (team := self.team_of(name)) is None:
            return
        own = list(team.submissions.order_by("received_at", "pk"))
        ids = {own[number % len(own)].pk for number in numbers} if own else set()
        self.act(choose_finals, team=team, user=user(name), submission_ids=ids)

    @rule(name=people)
    def leave(self, name: str) -> None:
        if (team := self.team_of(name)) is not None:
            used = allowance(team, self.contest, self.at)
            if (new := self.act(leave, team=team, user=user(name))) is not None:
                bought_nothing(used, new, self.at)

    @rule(name=people, other=people)
    def remove(self, name: str, other: str) -> None:
        if (team := self.team_of(name)) is not None:
            used = allowance(team, self.contest, self.at)
            new = self.act(remove_member, team=team, user=user(name), username=other)
            if new is not None:
                bought_nothing(used, new, self.at)

    @rule(name=people, other=people)
    def hand_over(self, name: str, other: str) -> None:
        if (team := self.team_of(name)) is not None:
            self.act(hand_over, team=team, user=user(name), username=other)

    @rule(name=people, number=numbers)
    def put(self, name: str, number: int) -> None:
        if (team := self.one_of(Team.objects.order_by("created_at", "pk"), number)) is not None:
            who = {"competition": self.contest, "user": self.olivia}
            self.act(put_in_team, username=name, team=team, **who)

    @rule(name=people, other=people)
    def ask(self, name: str, other: str) -> None:
        team, wanted = self.team_of(name), self.team_of(other)
        if team is not None and wanted is not None:
            self.act(ask_to_merge, team=team, user=user(name), name=wanted.name)

    @rule(number=numbers, end=st.sampled_from([accept_merge] * 4 + [decline_merge, withdraw_merge]))
    def answer(self, number: int, end: Any) -> None:
        merge = self.one_of(_merges().order_by("asked_at", "pk"), number)
        if merge is None:
            return
        side = merge.survivor if end is withdraw_merge else merge.absorbed
        both = {merge.survivor_id, merge.absorbed_id}
        told = set(Membership.objects.filter(team__in=both).values_list("user", flat=True))
        if side.captain is not None and self.act(end, merge=merge, user=side.captain) is not None:
            self.everybody_was_told("team.merged", told - {side.captain.pk})

    @rule(number=numbers)
    def undo(self, number: int) -> None:
        merge = self.one_of(_merges().filter(state="accepted").order_by("asked_at", "pk"), number)
        if merge is None:
            return
        told = set(merge.survivor.memberships.values_list("user", flat=True))
        if self.act(undo_merge, merge=merge, user=self.olivia, reason="실수") is not None:
            self.everybody_was_told("team.merge_undone", told)

    def everybody_was_told(self, kind: str, people: set[int]) -> None:
        """Of the newest decision of this kind; the inbox and the log speak of the same."""
        event = AuditEvent.objects.filter(kind=kind).latest("at")
        events = AuditEvent.objects.filter(kind=kind, at=event.at).values("pk")
        told = Notification.objects.filter(kind="merged", subject__in=events)
        assert people <= set(told.values_list("user", flat=True))

    @rule(number=numbers, back=st.booleans())
    def disqualify(self, number: int, back: bool) -> None:
        if (team := self.one_of(Team.objects.order_by("created_at", "pk"), number)) is not None:
            act = reinstate if back else disqualify
            self.act(act, team=team, user=self.olivia, reason="규칙")

    @rule(number=numbers, back=st.booleans())
    def exclude(self, number: int, back: bool) -> None:
        if (
            one := self.one_of(Submission.objects.order_by("received_at", "pk"), number)
        ) is not None:
            act = restore if back else exclude
            self.act(act, submission=one, user=self.olivia, reason="겹침")

    # --- What always holds -----------------------------------------------------------------------

    @invariant()
    def all_agrees(self) -> None:
        if hasattr(self, "contest"):
            agree(self.contest, self.accepted)


def _merges() -> Any:
    return Merge.objects.select_related(
        "competition", "survivor__captain", "absorbed__captain", "survivor", "absorbed"
    )


def bought_nothing(used: Any, new: Team, at: Any) -> None:
    """Who goes has used what the team before had."""
    mine = allowance(new, new.competition, at)
    assert (mine.used_today, mine.total_used) == (
        max(used.used_today, 0),
        max(used.total_used, 0),
    )


def agree(contest: Competition, accepted: list[Any]) -> None:
    """Who is where, who leads, whose files, lines and finals; what boards say of it all."""
    teams = {team.pk: team for team in Team.objects.filter(competition=contest)}
    into = {pk: team.merged_into_id for pk, team in teams.items() if team.merged_into_id}
    done = Merge.objects.filter(state="accepted").values_list("absorbed", "survivor")
    assert dict(done) == into

    def whole(team: Any) -> Any:
        return whole(into[team]) if team in into else team

    one_team_each(teams, into)
    for model in (Submission, QuotaEntry, Membership):
        for team, origin in model._default_manager.values_list("team", "origin"):  # type: ignore[attr-defined]
            assert team == whole(origin or team), model
    assert sorted(Submission.objects.values_list("pk", flat=True)) == sorted(accepted)
    of_files = QuotaEntry.objects.filter(submission__isnull=False)
    assert not of_files.exclude(team=F("submission__team")).exists()
    assert of_files.filter(kind="charge").count() == len(accepted)
    refunded = of_files.filter(kind="refund").values_list("submission", flat=True)
    cancelled = Submission.objects.exclude(cancellation=None).values_list("pk", flat=True)
    assert sorted(refunded) == sorted(cancelled)
    finals: dict[Any, int] = {}
    for team in FinalChoice.objects.values_list("submission__team", flat=True):
        finals[team] = finals.get(team, 0) + 1
    assert all(number <= FINALS for number in finals.values())
    version = live_version(contest)
    assert version is not None
    everybody = list(teams.values())
    now = stored(teams=everybody, version=version)
    for pk, wanted in places(teams=everybody, version=version).items():
        assert now.get(pk, {}) == wanted
    assert not Standing.objects.filter(team__in=into).exists()


def one_team_each(teams: dict[Any, Team], into: dict[Any, Any]) -> None:
    rows = list(Membership.objects.values_list("user", "team"))
    assert len({person for person, _ in rows}) == len(rows)
    inside: dict[Any, set[int]] = {}
    for person, team in rows:
        inside.setdefault(team, set()).add(person)
    for pk, team in teams.items():
        if pk in into:
            assert pk not in inside
        elif pk in inside:
            assert team.captain_id in inside[pk]
            assert len(inside[pk]) <= len(PEOPLE)
        else:
            assert team.captain_id is None


@pytest.mark.django_db
def test_every_order() -> None:
    run_state_machine_as_test(  # type: ignore[no-untyped-call]
        Teams, settings=laws(max_examples=3, stateful_step_count=30)
    )


@pytest.mark.slow
@pytest.mark.django_db
def test_every_order_in_two_thousand_steps() -> None:
    run_state_machine_as_test(  # type: ignore[no-untyped-call]
        Teams, settings=laws(max_examples=40, stateful_step_count=50)
    )
