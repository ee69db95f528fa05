"""The end of a contest: it can be archived, which can be taken back, and deleted, which cannot."""

import secrets
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import datetime

from django.db.models import Sum

from leaderboard.accounts.models import User
from leaderboard.actions.decisions import deciding, refuse_all_but_owners
from leaderboard.actions.erasing import DELETED
from leaderboard.actions.refusals import Refused
from leaderboard.community.models import Post, Webhook
from leaderboard.competitions.models import Competition, DataFile
from leaderboard.evaluation.claim import cancel_all
from leaderboard.evaluation.models import SplitScore
from leaderboard.outbox.models import Message
from leaderboard.references.models import ReferenceSet, ScoringVersion, gold_storage
from leaderboard.submissions.models import Submission
from leaderboard.teams.models import Team

State = Competition.State
SIZES: list[Callable[[Competition], int]] = []
"""How many bytes apps above keep of a contest; each adds its own in its `ready()`."""


def refuse_all_but_owners_and_administrators(competition: Competition, user: User) -> None:
    """Raises Refused for a person who may not end the contest."""
    if not (user.is_superuser and user.is_active):
        refuse_all_but_owners(competition, user)


def archive(*, competition: Competition, user: User, archived: bool, at: datetime) -> None:
    """Let everybody who could read the contest go on reading, and nobody change anything; or let
    it be as before. Scoring goes on, and a reveal that is due comes. Raises Refused.
    """
    refuse = refuse_all_but_owners_and_administrators
    with deciding(competition, user, at, refuse=refuse, ended=True) as decision:
        if decision.competition.is_archived is archived:
            return
        decision.save(state=State.ARCHIVED if archived else State.ACTIVE)
        decision.record("competition.archived" if archived else "competition.reopened")


@dataclass(frozen=True)
class Holdings:
    """What there is of a contest, for who is about to delete it. `bytes`: of files in the store."""

    teams: int
    files: int
    scores: int
    golds: int
    posts: int
    bytes: int


def holdings(competition: Competition) -> Holdings:
    """Counted now; while the contest runs there will be more."""
    files = Submission.objects.filter(team__competition=competition)
    data = DataFile.objects.filter(competition=competition)
    sets = ReferenceSet.objects.filter(competition=competition)
    sizes = (
        files.aggregate(sum=Sum("size")),
        data.aggregate(sum=Sum("size")),
    )
    golds = (name for names in sets.values_list("stored_as", flat=True) for name in names)
    return Holdings(
        teams=Team.objects.filter(competition=competition).count(),
        files=files.count() + data.count(),
        scores=SplitScore.objects.filter(evaluation__submission__in=files).count(),
        golds=sets.count(),
        posts=Post.objects.filter(competition=competition).count(),
        bytes=sum(found["sum"] or 0 for found in sizes)
        + _gold_bytes(golds)
        + sum(size(competition) for size in SIZES),
    )


def _gold_bytes(names: Iterable[str]) -> int:
    found = 0
    for name in names:
        with suppress(FileNotFoundError):
            found += gold_storage().size(name)
    return found


def delete_competition(*, competition: Competition, user: User, typed: str, at: datetime) -> None:
    """From now on nobody finds the contest and nothing of it is scored; `erasing` does the rest.

    It cannot be taken back. `typed`: its address, so that nobody means another one. One line of the
    log stays: who, when, and what there was. Raises Refused.
    """
    refuse = refuse_all_but_owners_and_administrators
    with deciding(competition, user, at, refuse=refuse, ended=True) as decision:
        found = decision.competition
        if typed.strip() != found.slug:
            raise Refused("other_address", address=found.slug)
        was = {"slug": found.slug, "title": found.title, **asdict(holdings(found))}
        # So that nothing is asked for, made or shown of it any more.
        cancel_all(found.pk)
        ScoringVersion.objects.filter(competition=found).update(state=ScoringVersion.State.RETIRED)
        decision.save(
            state=State.DELETED,
            slug=f"deleted-{secrets.token_hex(16)}",  # the address is free
            registration_code="",
            shows_other_columns=False,
        )
        decision.record(DELETED, found.pk, before=was)
        webhooks = Webhook.objects.filter(competition=found).values_list("pk", flat=True)
        Message.objects.filter(recipient__in=list(webhooks)).delete()
