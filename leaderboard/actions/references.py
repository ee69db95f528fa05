"""References that score, sets for practice, and their dialogues: uploaded, checked, released."""

import secrets
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import partial

from django.db.models import Max
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts.models import User
from leaderboard.actions.decisions import (
    Deciding,
    Preview,
    deciding,
    digest_of,
    refuse_all_but_editors,
    refuse_unseen,
)
from leaderboard.audit.log import KINDS
from leaderboard.community.announcements import people_of
from leaderboard.competitions.models import Competition
from leaderboard.evaluation.claim import is_supported
from leaderboard.evaluation.run import (
    VersionFailed,
    Work,
    is_cheap,
    keeping,
    prepared_references,
    workable,
)
from leaderboard.references.given_away import shared
from leaderboard.references.intake import claim_use, keep, keep_dialogues, keep_self_check
from leaderboard.references.models import (
    DialogueSet,
    ReferenceSet,
    Release,
    ScoringVersion,
    SetUse,
)
from leaderboard.references.queries import (
    live_version,
    practice_sets,
    splits_of,
    stored_references,
)
from leaderboard.refusals import Invalid, Refused
from leaderboard.submissions.queries import Upload, clean_name
from scoring import tokenizers
from scoring.dialogues import Dialogues
from scoring.dialogues import read as read_dialogues
from scoring.findings import Limits
from scoring.metrics import BESIDE
from scoring.pipeline import check_references as check
from scoring.profile import PRESETS, Profile
from scoring.references import References, draw_again, draw_splits, with_splits
from scoring.references import read as read_references

KINDS |= {
    "dev_set.uploaded": _("Uploaded a dev set"),
    "dev_set.released": _("Released a dev set"),
    "dialogues.uploaded": _("Uploaded dialogues"),
    "dialogues.released": _("Released dialogues"),
    "golds.uploaded": _("Uploaded references"),
}

REFERENCE_LIMITS = Limits(
    max_bytes=200_000_000, max_rows=100_000, max_cell=10_000, max_total=100_000_000
)
# Of a set that is kept already, here or in a contest's file.
TAKEN_REFERENCES = replace(REFERENCE_LIMITS, taken=True)

_unknown_profile = partial(Invalid, "unknown_profile", _("There is no such preset or tokenizer."))


def upload_references(
    *,
    competition: Competition,
    user: User,
    files: Sequence[Upload],
    preset: str,
    tokenizer: str,
    beside: Sequence[str] = (),
    tags: str = "keep",
    tag_forms: Sequence[str] = (),
    seed: str | None = None,
    new_split: bool = False,
    at: datetime,
) -> ScoringVersion:
    """A draft version made of the uploaded files.

    Files without a split column keep the split that the contest's references have, unless
    `new_split`; other rows are split at random within each topic, by a new secret seed unless a
    `seed` is given. Raises InvalidReferences with all problems and line numbers, or Refused.
    """
    refuse_all_but_editors(competition, user)
    profile = profile_of(preset, tokenizer, beside, tags, tag_forms)
    sent = [(file.name, file.data) for file in files]
    references = read_references(sent, limits=REFERENCE_LIMITS)
    with deciding(competition, user, at) as decision:
        newest = live_version(decision.competition) or decision.competition.scoring_versions.first()
        before = None if new_split or newest is None else newest.reference_set
        references, drawn = split(references, before, seed or new_seed())
        if found := shared(references, decision.competition.reference_sets.exclude(release=None)):
            raise Invalid(
                "golds_released",
                _("Ids or references are also in the released dev set: {found}."),
                _(
                    "Released references cannot be used for scoring. Upload "
                    "the file without these rows."
                ),
                found=", ".join(found[:5]),
            )
        reference_set = keep(
            competition=decision.competition,
            references=references,
            files=sent,
            split_seed=drawn,
            user=user,
            at=at,
        )
        version = draft(decision, reference_set, profile)
        decision.record("golds.uploaded", version.pk, after=version.signed)
    return version


def draft(decision: Deciding, reference_set: ReferenceSet, profile: Profile) -> ScoringVersion:
    """A new draft, under the competition's lock. IntegrityError for released references."""
    if reference_set.public_rows + reference_set.private_rows != reference_set.rows:
        raise ValueError("a set without splits cannot score")
    claim_use(reference_set=reference_set, use=SetUse.Kind.SCORED)
    competition = decision.competition
    newest = competition.scoring_versions.aggregate(newest=Max("draft_number"))["newest"] or 0
    return ScoringVersion.objects.create(
        competition=competition,
        draft_number=newest + 1,
        reference_set=reference_set,
        profile_settings=profile.to_dict(),
        signature=reference_set.signature_under(profile),
        created_by=decision.user,
        created_at=decision.at,
    )


def profile_of(
    preset: str,
    tokenizer: str,
    beside: Sequence[str] = (),
    tags: str = "keep",
    tag_forms: Sequence[str] = (),
) -> Profile:
    """The preset with this tokenizer, treatment of tags and further metrics. Raises Refused."""
    known = preset in PRESETS and tokenizer in tokenizers.NAMES
    if not known or not set(beside) <= set(BESIDE):
        raise _unknown_profile()
    chosen = PRESETS[preset].with_tokenizer(tokenizer).with_beside(beside).to_dict()
    try:
        return Profile.from_dict(chosen | {"tags": tags, "tag_forms": list(tag_forms)})
    except ValueError:
        raise _unknown_profile() from None


def new_seed() -> str:
    """128 random bits for `draw_splits`, as text."""
    return secrets.token_hex(16)


def split(
    references: References, before: ReferenceSet | None, seed: str
) -> tuple[References, str | None]:
    """The set with splits, and the `ReferenceSet.split_seed` that belongs to them.

    Rows that are in the set `before` stay in their half; `seed` draws the others.
    """
    if references.is_split:
        return references, None
    known = {} if before is None else splits_of(before)
    new = [row for row in references.examples if row.example_id not in known]
    if before is None or len(new) == len(references.examples):
        return draw_splits(references, seed=seed), seed
    if new:
        drawn = draw_splits(References.from_examples(new), seed=seed)
        known |= {row.example_id: row.split or "" for row in drawn.examples}
        return with_splits(references, known), ""
    kept = with_splits(references, known)
    if before.split_seed and draw_again(references, before.split_seed) != kept:
        return kept, ""  # rows went, or a topic was corrected: the seed no longer gives this split
    return kept, before.split_seed


AT_ONCE = 3_000  # golds that a request may wait for: about a second with the default analyzer


def check_references(*, version: ScoringVersion) -> bool:
    """Score every gold as a prediction and keep the figures; True if they were new."""
    prepared = prepared_references(version.reference_set_id, version.profile())
    return keep_self_check(version=version, check=check(prepared))


def check_references_at_once(*, version: ScoringVersion) -> bool:
    """The same if it takes no longer than a person waits; else a worker does it when woken."""
    golds = version.reference_set.oddities["golds"]
    if golds > AT_ONCE or not is_cheap(version.profile()):
        return False
    return check_references(version=version)


def check_next_references() -> bool:
    """The oldest unchecked version that this process can score; False when there is none."""
    version = next(filter(is_supported, unchecked()), None)
    if version is None:
        return False
    with suppress(VersionFailed), keeping(version, Work.GOLDS):
        check_references(version=version)
    return True


def unchecked() -> list[ScoringVersion]:
    """Versions without figures that may be tried now, oldest first."""
    rows = workable(Work.GOLDS).filter(self_check__isnull=True).order_by("created_at", "pk")
    return list(rows.select_related("reference_set"))


# A file is scored within the request that sends it, by whoever asks.
MAX_DEV_ROWS = 2_000


def upload_dev_set(
    *, competition: Competition, user: User, files: Sequence[Upload], at: datetime
) -> ReferenceSet:
    """A set that may be released, without splits. Raises InvalidReferences or Refused."""
    refuse_all_but_editors(competition, user)
    sent = [(file.name, file.data) for file in files]
    references = without_splits(read_references(sent, limits=REFERENCE_LIMITS))
    if len(references.examples) > MAX_DEV_ROWS:
        raise Invalid(
            "dev_set_too_large",
            _("A dev set can have at most {max_dev_rows:,} rows."),
            max_dev_rows=MAX_DEV_ROWS,
        )
    with deciding(competition, user, at) as decision:
        refuse_scored(decision.competition, references)
        reference_set = keep(
            competition=decision.competition,
            references=references,
            files=sent,
            split_seed=None,
            user=user,
            at=at,
        )
        decision.record("dev_set.uploaded", reference_set.pk, after=_counted(reference_set))
    return reference_set


def without_splits(references: References) -> References:
    """The same golds for practice: that has one score."""
    return References.from_examples(
        (replace(example, split=None) for example in references.examples), references.notices
    )


def refuse_scored(competition: Competition, references: References) -> None:
    """Raises Refused for rows that any scoring version of the contest has, by id or by gold."""
    sets = ReferenceSet.objects.filter(scoring_versions__competition=competition)
    if found := shared(references, sets):
        raise Invalid(
            "golds_score",
            _("Ids or texts are also in references that are used for scoring: {found}."),
            _("References used for scoring are never released. Remove these rows."),
            found=", ".join(found[:5]),
        )


def release_dev_set(
    *, reference_set: ReferenceSet, user: User, seen: str | None = None, at: datetime
) -> Release:
    """From now on the newest release is what the dev lab scores against. Raises Refused.

    What was handed out cannot be taken back, so everything is compared once more under the lock;
    the database itself refuses a set whose golds score.
    """
    with deciding(reference_set.competition, user, at) as decision:
        if Release.objects.filter(reference_set=reference_set).exists():
            raise Refused("already_released", _("This set is already released."))
        refuse_scored(decision.competition, stored_references(reference_set.pk))
        _refuse_unseen(decision, reference_set, seen)
        claim_use(reference_set=reference_set, use=SetUse.Kind.RELEASED)
        released = Release.objects.create(
            competition=decision.competition,
            reference_set=reference_set,
            released_by=user,
            released_at=at,
        )
        decision.record("dev_set.released", reference_set.pk, after=_counted(reference_set))
    return released


def _counted(kept: ReferenceSet | DialogueSet) -> dict[str, object]:
    return {"sha256": kept.sha256, "rows": kept.rows}


def _refuse_unseen(decision: Deciding, kept: ReferenceSet | DialogueSet, seen: str | None) -> None:
    """Raises LookFirst unless somebody saw how many people would read this set."""
    digest = digest_of("released", type(kept).__name__, kept.pk)
    refuse_unseen(Preview(digest, people=people_of(decision.competition).count()), seen)


def upload_dialogues(
    *, competition: Competition, user: User, upload: Upload, at: datetime
) -> DialogueSet:
    """Keep the dialogues of all ids of the dev set or of the live golds. Raises InvalidDialogues or
    Refused."""
    refuse_all_but_editors(competition, user)
    dialogues = read_dialogues(upload.data)
    with deciding(competition, user, at) as decision:
        _refuse_uncovered(decision.competition, dialogues)
        if DialogueSet.objects.filter(competition=competition, sha256=dialogues.sha256).exists():
            raise Refused("same_dialogues", _("The same dialogues were already uploaded."))
        kept = keep_dialogues(
            competition=decision.competition,
            dialogues=dialogues,
            file_name=clean_name(upload.name),
            user=user,
            at=at,
        )
        decision.record("dialogues.uploaded", kept.pk, after=_counted(kept))
    return kept


def _refuse_uncovered(competition: Competition, dialogues: Dialogues) -> None:
    """Raises Refused unless the live golds or the newest dev set have all their dialogues here."""
    live = live_version(competition)
    sets = ([live.reference_set] if live else []) + practice_sets(competition)[:1]
    missing = [
        [
            example_id
            for example_id in one.examples.values_list("example_id", flat=True)
            if example_id not in dialogues.texts
        ]
        for one in sets
    ]
    if not missing:
        raise Invalid(
            "no_golds_yet",
            _("There are no references or dev set for these dialogues yet."),
            _("Upload references or a dev set first."),
        )
    nearest = min(missing, key=len)
    if nearest:
        named = ", ".join(nearest[:5]) + (" …" if len(nearest) > 5 else "")
        raise Invalid(
            "dialogues_missing",
            _("{count:,} ids have no dialogue: {named}."),
            _("Every id of the set needs its dialogue."),
            count=len(nearest),
            named=named,
        )


def release_dialogues(
    *, dialogue_set: DialogueSet, user: User, seen: str | None = None, at: datetime
) -> None:
    """Show them in the dev lab and hand them out with the dev golds. Raises Refused."""
    with deciding(dialogue_set.competition, user, at) as decision:
        if dialogue_set.released_at is None:
            _refuse_unseen(decision, dialogue_set, seen)
        hidden = DialogueSet.objects.filter(pk=dialogue_set.pk, released_at=None)
        if not hidden.update(released_at=at):
            raise Refused("already_released", _("These dialogues are already released."))
        decision.record("dialogues.released", dialogue_set.pk, after=_counted(dialogue_set))
