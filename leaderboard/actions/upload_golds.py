"""An organizer uploads golds: checked, hashed, kept, and drafted as a new scoring version."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.editing import locked_for_editing
from leaderboard.actions.refusals import Refused, not_an_editor
from leaderboard.audit.log import record
from leaderboard.competitions.models import Competition
from leaderboard.competitions.roles import may_edit
from leaderboard.references.intake import GoldFile, draft, keep
from leaderboard.references.models import ScoringVersion
from leaderboard.references.released import Rows, shared_with_released
from leaderboard.submissions.intake import Upload
from scoring import tokenizers
from scoring.findings import Limits
from scoring.profile import PRESETS, Profile
from scoring.references import References, draw_splits, read

GOLD_LIMITS = Limits(
    max_bytes=200_000_000, max_rows=100_000, max_cell=10_000, max_total=100_000_000
)


def upload_golds(
    *,
    competition: Competition,
    user: User,
    files: Sequence[Upload],
    preset: str,
    tokenizer: str,
    seed: int | None = None,
    at: datetime,
) -> ScoringVersion:
    """A draft version made of the uploaded files.

    Files without a split column are split by `seed`, stratified by topic. Raises InvalidReferences
    with all problems and line numbers, or Refused.
    """
    if not may_edit(user, competition):
        raise not_an_editor()
    profile = profile_of(preset, tokenizer)
    references = read([(file.name, file.data) for file in files], limits=GOLD_LIMITS)
    references, drawn = with_splits(references, seed)
    with transaction.atomic():
        locked = locked_for_editing(competition, user)
        refuse_released(locked, [(row.example_id, row.references) for row in references.examples])
        reference_set = keep(
            competition=locked,
            references=references,
            files=[GoldFile(file.name, file.data) for file in files],
            split_seed=drawn,
            user=user,
            at=at,
        )
        version = draft(
            competition=locked,
            reference_set=reference_set,
            profile=profile,
            user=user,
            at=at,
        )
        record(
            kind="golds.uploaded",
            actor=user,
            at=at,
            competition=competition.pk,
            subject=version.pk,
            after=version.signed,
        )
    return version


def profile_of(preset: str, tokenizer: str) -> Profile:
    """The preset with this tokenizer. Raises Refused for names that do not exist."""
    if preset not in PRESETS or tokenizer not in tokenizers.NAMES:
        raise Refused(
            "unknown_profile",
            ko="없는 채점 방식이나 분석기입니다.",
            en="There is no such preset or tokenizer.",
            status=422,
        )
    return PRESETS[preset].with_tokenizer(tokenizer)


def refuse_released(competition: Competition, rows: Rows) -> None:
    """Raises Refused for golds that participants may already read."""
    if shared := shared_with_released(competition, rows):
        found = ", ".join((shared.ids or shared.rows_with_equal_golds)[:5])
        raise Refused(
            "golds_released",
            ko=f"공개한 dev 묶음과 id나 정답이 겹칩니다: {found}.",
            en=f"Ids or golds also stand in the released dev set: {found}.",
            next_ko="이미 공개한 정답으로는 채점할 수 없습니다. 그 행을 빼고 올려 주세요.",
            next_en="What participants can read cannot score them. Upload without these rows.",
            status=422,
        )


def with_splits(references: References, seed: int | None) -> tuple[References, int | None]:
    """The set with splits, and the seed if they had to be drawn. Raises Refused without one."""
    if all(example.split for example in references.examples):
        return references, None
    if seed is None:
        raise Refused(
            "seed_needed",
            ko="파일에 split 열이 없습니다. public과 private을 나눌 씨앗 숫자가 필요합니다.",
            en="The files have no split column: a seed is needed to draw public and private.",
            next_ko="씨앗 칸에 아무 숫자나 적어 주세요. 같은 숫자는 같은 나눔을 만듭니다.",
            next_en="Enter any number as seed; the same number draws the same split.",
            status=422,
        )
    return draw_splits(references, seed=seed), seed
