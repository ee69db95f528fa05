"""The golds of a version under another profile, as a new draft."""

from datetime import datetime

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.editing import locked_for_editing, version_now
from leaderboard.actions.upload_golds import profile_of
from leaderboard.audit.log import record
from leaderboard.references.intake import draft
from leaderboard.references.models import ScoringVersion


def redraft(
    *, version: ScoringVersion, user: User, preset: str, tokenizer: str, at: datetime
) -> ScoringVersion:
    """A draft with the same golds. Also with the same profile: then the signature names the
    packages that are installed now, which is how a board moves to an upgraded analyzer.

    Raises Refused.
    """
    with transaction.atomic():
        competition = locked_for_editing(version.competition, user)
        made = draft(
            competition=competition,
            reference_set=version_now(version).reference_set,
            profile=profile_of(preset, tokenizer),
            user=user,
            at=at,
        )
        record(
            kind="version.drafted",
            actor=user,
            at=at,
            competition=competition.pk,
            subject=made.pk,
            before=version.signed,
            after=made.signed,
        )
    return made
