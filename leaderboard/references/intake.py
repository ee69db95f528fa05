"""Writes of references: keep an upload, draft a version, move it from state to state."""

import uuid
from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.db.models import F, Max, Value
from django.db.models.functions import Coalesce

from leaderboard.accounts.models import User
from leaderboard.competitions.models import Competition
from leaderboard.references.models import Example, ReferenceSet, ScoringVersion, SetUse
from leaderboard.references.queries import next_number
from scoring.pipeline import ReferenceCheck
from scoring.profile import Profile
from scoring.references import References
from scoring.references.oddities import oddities

State = ScoringVersion.State


def keep(
    *,
    competition: Competition,
    references: References,
    files: Sequence[tuple[str, bytes]],
    split_seed: str | None,
    user: User,
    at: datetime,
    set_id: UUID | None = None,
) -> ReferenceSet:
    """Store the files (name, bytes) as sent and one row per example. The set never changes.

    `files`: names and bytes as the organizer sent them. `set_id` is that of a set that comes from
    elsewhere.
    """
    low, high = references.ngolds
    sizes = references.split_sizes
    reference_set = ReferenceSet.objects.create(
        id=set_id or uuid.uuid4(),
        competition=competition,
        sha256=references.sha256,
        golds_sha256=references.golds_sha256,
        rows=len(references.examples),
        public_rows=sizes.get("public", 0),
        private_rows=sizes.get("private", 0),
        golds_min=low,
        golds_max=high,
        split_seed=split_seed,
        file_names=[name for name, _ in files],
        stored_as=[
            storages["golds"].save(f"{uuid.uuid4()}.csv", ContentFile(data)) for _, data in files
        ],
        notices=[notice.kept() for notice in references.notices],
        oddities=oddities(references).to_dict(),
        uploaded_by=user,
        uploaded_at=at,
    )
    Example.objects.bulk_create(
        (
            Example(
                reference_set=reference_set,
                position=position,
                example_id=example.example_id,
                references=list(example.references),
                split=example.split or "",
                topic=example.topic or "",
            )
            for position, example in enumerate(references.examples)
        ),
        batch_size=500,
    )
    return reference_set


def draft(
    *,
    competition: Competition,
    reference_set: ReferenceSet,
    profile: Profile,
    user: User,
    at: datetime,
) -> ScoringVersion:
    """A new draft. The caller holds the competition's lock, so numbers do not clash.

    Raises IntegrityError for references that were released: they can never score anybody.
    """
    if reference_set.public_rows + reference_set.private_rows != reference_set.rows:
        raise ValueError("a set without splits cannot score")
    claim_use(reference_set=reference_set, use=SetUse.Kind.SCORED)
    newest = competition.scoring_versions.aggregate(newest=Max("draft_number"))["newest"] or 0
    return ScoringVersion.objects.create(
        competition=competition,
        draft_number=newest + 1,
        reference_set=reference_set,
        profile_settings=profile.to_dict(),
        signature=reference_set.signature_under(profile),
        created_by=user,
        created_at=at,
    )


def claim_use(*, reference_set: ReferenceSet, use: SetUse.Kind) -> None:
    """Note what these references are for, once. IntegrityError if they have the other use."""
    golds = {
        "competition_id": reference_set.competition_id,
        "golds_sha256": reference_set.golds_sha256,
        "use": use,
    }
    if not SetUse.objects.filter(**golds).exists():
        SetUse.objects.create(**golds)


def keep_self_check(*, version: ScoringVersion, check: ReferenceCheck) -> bool:
    """Store what the references score themselves, once; False if somebody was faster."""
    unchecked = ScoringVersion.objects.filter(pk=version.pk, self_check__isnull=True)
    stored = {
        "totals": list(check.totals),
        "mean": check.mean,
        "full_mark": check.full_mark,
    }
    if check.constants:
        stored["constants"] = dict(check.constants)
    return unchecked.update(self_check=stored) == 1


def forget_lines(competition: Competition) -> None:
    """They are made anew, with the dialogues that came in the meantime."""
    rows = ScoringVersion.objects.filter(competition=competition, self_check__has_key="lines")
    for version in rows:
        figures = version.self_check or {}
        figures.pop("lines", None)
        ScoringVersion.objects.filter(pk=version.pk).update(self_check=figures)


def switch(*, live: ScoringVersion, version: ScoringVersion, at: datetime) -> bool:
    """Retire first, then promote: the other order breaks the constraint of one live version."""
    retired = ScoringVersion.objects.filter(pk=live.pk, state=State.LIVE).update(
        state=State.RETIRED, retired_at=at
    )
    promoted = ScoringVersion.objects.filter(pk=version.pk, state=State.REHEARSING).update(
        **_live(version, at)
    )
    return retired == promoted == 1


def promote(*, version: ScoringVersion, at: datetime) -> bool:
    """Draft to live, once; False if the version was no draft any more."""
    drafts = ScoringVersion.objects.filter(pk=version.pk, state=State.DRAFT)
    return drafts.update(**_live(version, at)) == 1


def _live(version: ScoringVersion, at: datetime) -> dict[str, Any]:
    """What a version gets with being live: its public number too, unless it has one."""
    number = Coalesce(F("number"), Value(next_number(version.competition)))
    return {"state": State.LIVE, "made_live_at": at, "number": number}


def remove_draft(*, version: ScoringVersion) -> list[str] | None:
    """Take a draft away, which never scored anything; None if it was no draft any more.

    References that no other version of the contest has go too, and may be released from then on.
    Answers the names of their files, to be deleted once that is committed.
    """
    drafts = ScoringVersion.objects.filter(pk=version.pk, state=State.DRAFT)
    found = drafts.select_related("reference_set").first()  # its references may be gone with it
    if found is None or not drafts.delete()[0]:
        return None
    golds = found.reference_set
    others = ScoringVersion.objects.filter(competition=version.competition_id)
    if not others.filter(reference_set__golds_sha256=golds.golds_sha256).exists():
        SetUse.objects.filter(
            competition=version.competition_id,
            golds_sha256=golds.golds_sha256,
            use=SetUse.Kind.SCORED,
        ).delete()
    if others.filter(reference_set=golds).exists():
        return []
    golds.delete()
    return list(golds.stored_as)
