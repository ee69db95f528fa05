"""Writes of references: keep an upload, and what it is for."""

import uuid
from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.core.files.base import ContentFile
from django.core.files.storage import storages

from leaderboard.accounts.models import User
from leaderboard.competitions.models import Competition
from leaderboard.references.models import (
    Dialogue,
    DialogueSet,
    Example,
    ReferenceSet,
    ScoringVersion,
    SetUse,
)
from scoring.dialogues import Dialogues
from scoring.pipeline import ReferenceCheck
from scoring.references import References
from scoring.references.oddities import oddities


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
    """Store the files (name, bytes) as sent and one row per example. The set never changes."""
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
        oddities=oddities(references),
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


def keep_dialogues(
    *,
    competition: Competition,
    dialogues: Dialogues,
    file_name: str,
    user: User,
    at: datetime,
    **elsewhere: Any,
) -> DialogueSet:
    """Store one row per dialogue; `elsewhere`: further fields of a set from another server."""
    dialogue_set = DialogueSet.objects.create(
        competition=competition,
        sha256=dialogues.sha256,
        rows=len(dialogues.texts),
        file_name=file_name,
        notices=[notice.kept() for notice in dialogues.notices],
        uploaded_by=user,
        uploaded_at=at,
        **elsewhere,
    )
    Dialogue.objects.bulk_create(
        (
            Dialogue(dialogue_set=dialogue_set, position=position, example_id=example_id, text=text)
            for position, (example_id, text) in enumerate(dialogues.texts.items())
        ),
        batch_size=500,
    )
    # Baselines that read dialogues are made anew, with those that came in.
    for version in competition.scoring_versions.filter(self_check__has_key="lines"):
        figures = {name: one for name, one in (version.self_check or {}).items() if name != "lines"}
        competition.scoring_versions.filter(pk=version.pk).update(self_check=figures)
    return dialogue_set


def claim_use(*, reference_set: ReferenceSet, use: SetUse.Kind) -> None:
    """Note what these references are for, once. IntegrityError if they have the other use."""
    golds = {name: getattr(reference_set, name) for name in ("competition_id", "golds_sha256")}
    if not SetUse.objects.filter(**golds, use=use).exists():
        SetUse.objects.create(**golds, use=use)


def keep_self_check(*, version: ScoringVersion, check: ReferenceCheck) -> bool:
    """Store what the references score themselves, once; False if somebody was faster."""
    unchecked = ScoringVersion.objects.filter(pk=version.pk, self_check__isnull=True)
    stored = {"totals": list(check.totals), "mean": check.mean, "full_mark": check.full_mark}
    if check.constants:
        stored["constants"] = dict(check.constants)
    return unchecked.update(self_check=stored) == 1
