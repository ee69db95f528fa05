"""An organizer uploads golds to be released: checked and kept, seen by nobody else yet."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.editing import locked_for_editing
from leaderboard.actions.refusals import Refused, not_an_editor
from leaderboard.actions.upload_golds import GOLD_LIMITS
from leaderboard.audit.log import record
from leaderboard.competitions.models import Competition
from leaderboard.competitions.roles import may_edit
from leaderboard.references.intake import GoldFile, keep
from leaderboard.references.models import ReferenceSet
from leaderboard.references.released import Rows, shared_with_scored
from leaderboard.submissions.intake import Upload
from scoring.references import References, read

# A file is scored within the request that sends it, by whoever asks.
MAX_ROWS = 2_000


def upload_dev_set(
    *, competition: Competition, user: User, files: Sequence[Upload], at: datetime
) -> ReferenceSet:
    """A set that may be released. Splits in the files are left: practice has one score.

    Raises InvalidReferences with all problems and line numbers, or Refused.
    """
    if not may_edit(user, competition):
        raise not_an_editor()
    references = without_splits(
        read([(file.name, file.data) for file in files], limits=GOLD_LIMITS)
    )
    if len(references.examples) > MAX_ROWS:
        raise Refused(
            "dev_set_too_large",
            ko=f"dev 묶음은 {MAX_ROWS:,}행까지입니다.",
            en=f"A dev set has at most {MAX_ROWS:,} rows.",
            status=422,
        )
    with transaction.atomic():
        locked = locked_for_editing(competition, user)
        refuse_scored(locked, [(row.example_id, row.references) for row in references.examples])
        reference_set = keep(
            competition=locked,
            references=references,
            files=[GoldFile(file.name, file.data) for file in files],
            split_seed=None,
            user=user,
            at=at,
        )
        record(
            kind="dev_set.uploaded",
            actor=user,
            at=at,
            competition=competition.pk,
            subject=reference_set.pk,
            after={"sha256": reference_set.sha256, "rows": reference_set.rows},
        )
    return reference_set


def without_splits(references: References) -> References:
    """The same golds for practice: that has one score."""
    return References.from_examples(
        (replace(example, split=None) for example in references.examples), references.notices
    )


def refuse_scored(competition: Competition, rows: Rows) -> None:
    """Raises Refused for rows that any scoring version of the contest has, by id or by gold."""
    if shared := shared_with_scored(competition, rows):
        found = ", ".join((shared.ids or shared.rows_with_equal_golds)[:5])
        raise Refused(
            "golds_score",
            ko=f"채점에 쓰는 정답과 id나 글이 겹칩니다: {found}.",
            en=f"Ids or texts also stand in golds that are used for scoring: {found}.",
            next_ko="채점에 한 번이라도 쓰인 정답은 공개할 수 없습니다. 그 행을 빼고 올려 주세요.",
            next_en="Golds that any version scores with are never released. Leave these rows out.",
            status=422,
        )
