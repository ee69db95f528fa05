"""What the dev lab shows: a released example with its dialogue as turns, a whole file."""

import re
from dataclasses import dataclass

from leaderboard.actions.checks import Practice, PracticeRow
from leaderboard.submissions.intake import Upload
from leaderboard.web.uploads import carried
from scoring.explain import TokenMark, WorkedReference
from scoring.ranking import printed, printed_text

_SPEAKER = re.compile(r"\s*([^:\n]{1,40}?)\s*:\s*(.*)")


@dataclass(frozen=True)
class Turn:
    """What one speaker said; the speaker is empty where the line names none."""

    speaker: str
    text: str


def turns(dialogue: str) -> tuple[Turn, ...]:
    """One turn a line, the speaker before its first colon.

    >>> turns("가: 안녕\\n(웃음)")
    (Turn(speaker='가', text='안녕'), Turn(speaker='', text='(웃음)'))
    """
    found = []
    for line in dialogue.split("\n"):
        said = _SPEAKER.fullmatch(line)
        if said:
            found.append(Turn(said[1], said[2]))
        elif line.strip():
            found.append(Turn("", line.strip()))
    return tuple(found)


CARRIED_BYTES = 500_000  # a file that the page carries along, so that it need not be chosen again


@dataclass(frozen=True)
class Token:
    """One token with the classes that mark it: same, joined to the next, in order, or not there."""

    text: str
    classes: str


@dataclass(frozen=True)
class GoldView:
    """One gold as the page shows it, and our summary as seen from it."""

    marks: WorkedReference
    ours: tuple[Token, ...]
    gold: tuple[Token, ...]


@dataclass(frozen=True)
class RowView:
    """One row of the lab, ready to show."""

    row: PracticeRow
    value: str
    golds: tuple[GoldView, ...]
    best: GoldView
    dialogue: tuple[Turn, ...]


@dataclass(frozen=True)
class FileView:
    """One scored file, ready to show."""

    name: str
    practice: Practice
    total: str
    metrics: tuple[tuple[str, str], ...]
    listed: tuple[tuple[int, str, str], ...]
    carried: str


def file_view(upload: Upload, practice: Practice) -> FileView:
    """A scored file with its numbers as text."""
    labels = [metric.label for metric in practice.profile.parsed_metrics]
    values = [practice.report.metrics[name] for name in practice.profile.metrics]
    return FileView(
        name=upload.name,
        practice=practice,
        total=_text(practice.report.total),
        metrics=tuple((label, _text(value)) for label, value in zip(labels, values, strict=True)),
        listed=tuple(
            (row.place or 0, row.example_id, _text(practice.values[row.example_id][1]))
            for row in practice.rows
        ),
        carried=carried(upload.data) if len(upload.data) <= CARRIED_BYTES else "",
    )


def row_view(row: PracticeRow, value: float) -> RowView:
    """A row with its tokens marked, against the gold that won most metrics first."""
    golds = tuple(
        GoldView(gold, tuple(_tokens(gold.ours, "x")), tuple(_tokens(gold.marks, "o")))
        for gold in row.worked.golds
    )
    return RowView(
        row=row,
        value=_text(value),
        golds=golds,
        best=max(golds, key=lambda gold: len(gold.marks.won)),
        dialogue=turns(row.dialogue or ""),
    )


def _tokens(marks: tuple[TokenMark, ...], alone: str) -> list[Token]:
    """Classes of look/parts: m same, j joined to the next, l in order, else `alone`."""
    found = []
    for mark in marks:
        classes = ["m"] if mark.unigram or mark.in_order else [alone]
        classes += ["j"] if mark.joined else []
        classes += ["l"] if mark.in_order else []
        found.append(Token(mark.token, " ".join(classes)))
    return found


def _text(value: float) -> str:
    return printed_text(printed(value))
