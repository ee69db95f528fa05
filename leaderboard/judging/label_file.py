"""A file for people who label: it goes out with empty cells and is read again as it comes back."""

import unicodedata
from collections.abc import Collection
from uuid import UUID

from leaderboard.actions.refusals import Refused
from leaderboard.boards.exports import csv_file
from leaderboard.boards.models import Placement
from leaderboard.boards.visibility import Viewer, may_see_other_columns
from leaderboard.contest_file.everything import plain
from leaderboard.judging.actions.refusals import JudgeRefused
from leaderboard.judging.models import JudgeConfig
from leaderboard.judging.trust.labelling import ToLabel, drawn, to_label
from scoring.judges.labels import LIMITS, LONGEST, MOST_ROWS, is_name

COLUMNS = ("example_id", "submission", "kind", "item_id", "rater", "label")
TO_READ = ("text", "summary", "dialogue")  # the upload does not look at them
# Of what the upload takes; the rest is for labels and for how spreadsheets write.
ROOM = 0.9


def label_boards(viewer: Viewer) -> tuple[str, ...]:
    """The boards whose judged rows may be labelled now: the private one after the reveal."""
    return tuple(board for board in Placement.Board.values if may_see_other_columns(viewer, board))


def label_file(
    viewer: Viewer, config: JudgeConfig, *, submissions: Collection[UUID], number: int, rater: str
) -> bytes:
    """The items of these submissions on `number` dialogues as CSV, for editors. Raises Refused.

    `rater`: who will fill in the whole file; empty: each writes their own name.
    """
    rater = unicodedata.normalize("NFC", rater.strip())
    if rater and not is_name(rater):
        raise JudgeRefused("bad_rater", longest=LONGEST)
    boards = label_boards(viewer)
    example_ids = drawn(config, submissions=submissions, boards=boards, number=number)
    summaries = len(example_ids) * len(submissions)
    if summaries > MOST_ROWS:
        raise _too_much(summaries)
    lines = to_label(config, submissions=submissions, boards=boards, example_ids=example_ids)
    if not lines:
        raise JudgeRefused("nothing_to_label")
    data = csv_file({}, (*COLUMNS, *TO_READ), (_cells(line, rater) for line in lines))
    if len(data) > ROOM * (LIMITS.max_bytes or 0) or len(lines) > (LIMITS.max_rows or 0):
        raise _too_much(summaries)
    return data


def _too_much(summaries: int) -> Refused:
    """For a file that could not be uploaded again."""
    return JudgeRefused("too_much_to_label", summaries=summaries)


def _cells(line: ToLabel, rater: str) -> tuple[str, ...]:
    """Ids as they are, for they are looked up again; what is only read, on one line each."""
    return (
        line.example_id,
        line.submission,
        line.kind,
        line.item_id,
        rater,
        "",
        plain(line.text),
        plain(line.summary),
        plain(" / ".join(line.dialogue.splitlines())),
    )
