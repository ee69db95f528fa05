"""The dev lab: free scoring against the released dev set, row by row and token by token.

Nothing here can name another set: `practise` asks for the released one and knows no other.
"""

import csv
import io
import re
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from leaderboard.actions.checks import (
    Practice,
    PracticeRow,
    practice_of,
    practise,
    practise_row,
    runs_left,
)
from leaderboard.actions.refusals import Refused
from leaderboard.boards.exports import csv_file
from leaderboard.competitions.models import Competition
from leaderboard.references.released import (
    has_released_dialogues,
    practice_examples,
    released_dialogues,
    released_set,
)
from leaderboard.submissions.intake import Upload
from leaderboard.web import errors, find, frame
from leaderboard.web.contest.data import handed_out, way_to_files
from leaderboard.web.find import WebRequest
from leaderboard.web.uploads import PREDICTIONS_BYTES, accepts_upload, carried, uncarried
from scoring.explain import TokenMark, WorkedReference
from scoring.findings import InvalidSubmission
from scoring.ranking import printed, printed_text


def _practising(request: WebRequest, /, slug: str) -> HttpResponse | None:
    """A `Sender`: who may have the files of the contest, the dev set among them."""
    return way_to_files(request, find.competition(request, slug))


@require_http_methods(["GET", "HEAD", "POST"])
@accepts_upload(PREDICTIONS_BYTES, sender=_practising)
def lab(request: WebRequest, slug: str) -> HttpResponse:
    """`/c/<slug>/lab`: drop a dev file or write one summary; no quota, nothing is kept."""
    competition = find.competition(request, slug)
    if (way := way_to_files(request, competition)) is not None:
        return way
    if request.method != "POST" or not handed_out(request, competition):
        return _page(request, competition)
    try:
        if request.POST.get("verb") == "row":
            return _one_row(request, competition)
        return _file(request, competition)
    except InvalidSubmission as invalid:
        return _page(request, competition, invalid=invalid, status=422)
    except Refused as refusal:
        return errors.refused(
            request, refusal, partial(_page, request, competition, status=refusal.status)
        )


@require_safe
def dev_golds(request: WebRequest, slug: str) -> HttpResponse:
    """`/c/<slug>/lab/dev_golds.csv`: the released golds, as the command line reads them."""
    competition = _open_to(request, slug)
    if isinstance(competition, HttpResponse):
        return competition
    chosen = released_set(competition)
    if chosen is None:
        raise Http404
    examples = practice_examples(chosen)
    header = ["fname", *(f"summary{n}" for n in range(1, chosen.golds_max + 1))]
    with_topics = any(row.topic for row in examples)
    return _csv(
        "dev_golds.csv",
        [*header, *(["topic"] if with_topics else [])],
        [
            [
                row.example_id,
                *row.references,
                *[""] * (chosen.golds_max - len(row.references)),
                *([row.topic] if with_topics else []),
            ]
            for row in examples
        ],
    )


@require_safe
def dev_dialogues(request: WebRequest, slug: str) -> HttpResponse:
    """`/c/<slug>/lab/dev_dialogues.csv`: the released dialogues of the dev set."""
    competition = _open_to(request, slug)
    if isinstance(competition, HttpResponse):
        return competition
    chosen = released_set(competition)
    ids = [row.example_id for row in practice_examples(chosen)] if chosen else []
    found = released_dialogues(competition, ids)
    if not found:
        raise Http404
    rows = [[example_id, found[example_id]] for example_id in ids if example_id in found]
    return _csv("dev_dialogues.csv", ["fname", "dialogue"], rows)


def _open_to(request: WebRequest, slug: str) -> Competition | HttpResponse:
    """The contest for who may have its files, or the way to become one; 404 before the start."""
    competition = find.competition(request, slug)
    if (way := way_to_files(request, competition, unjoined=True)) is not None:
        return way
    if not handed_out(request, competition):
        raise Http404
    return competition


def _csv(name: str, header: list[str], rows: list[list[str]]) -> HttpResponse:
    """As written, to the last character: these are data to compute with, by the organizer."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return HttpResponse(
        text.getvalue().encode("utf-8-sig"),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


def _file(request: WebRequest, competition: Competition) -> HttpResponse:
    upload = _upload(request)
    if upload is None:
        messages.error(request, _("Choose a file or paste its content."))
        return _page(request, competition, status=422)
    practice = practise(
        competition=competition,
        team=find.viewer(request, competition.slug).team,
        data=upload.data,
        wanted=request.POST.get("row") or None,
        language=_language(),
        at=request.received_at,
    )
    if request.POST.get("verb") == "csv":
        return _values_csv(competition, practice)
    view = file_view(upload, practice)
    return _page(
        request,
        competition,
        file=view,
        rows=[row_view(row, practice.values[row.example_id][1]) for row in practice.rows],
    )


def _one_row(request: WebRequest, competition: Competition) -> HttpResponse:
    found = practise_row(
        competition=competition,
        team=find.viewer(request, competition.slug).team,
        example_id=request.POST.get("row", ""),
        text=request.POST.get("text", ""),
        language=_language(),
        at=request.received_at,
    )
    if found is None:
        messages.error(request, _("The dev set has no such id."))
        return _page(request, competition, status=422)
    view = row_view(found, found.worked.row_value)
    return _page(request, competition, rows=[view])


def _upload(request: WebRequest) -> Upload | None:
    """The chosen file, the pasted lines, or the file that the page before carried along."""
    chosen = request.FILES.get("file")
    if chosen is not None:
        return Upload(chosen.name or "", chosen.read())
    if pasted := request.POST.get("pasted", "").strip():
        return Upload(_("pasted.csv"), pasted.encode()[:PREDICTIONS_BYTES])
    data = uncarried(request.POST.get("carried", ""))
    if not data or len(data) > PREDICTIONS_BYTES:
        return None
    return Upload(request.POST.get("carried_name", ""), data)


def _language() -> Literal["ko", "en"]:
    return "en" if (get_language() or "ko").startswith("en") else "ko"


def _values_csv(competition: Competition, practice: Practice) -> HttpResponse:
    """Each row's metrics and value, under the signature of the dev set."""
    names = practice.profile.metrics
    body = csv_file(
        {"competition": competition.slug, "signature": practice.report.signature},
        ["fname", *names, "total"],
        (
            [example_id, *(f"{value:.6f}" for value in metrics), f"{total:.6f}"]
            for example_id, (metrics, total) in practice.values.items()
        ),
    )
    return HttpResponse(
        body,
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": 'attachment; filename="dev_scores.csv"'},
    )


def _page(
    request: WebRequest, competition: Competition, *, status: int = 200, **shown: Any
) -> HttpResponse:
    started = handed_out(request, competition)
    team = find.viewer(request, competition.slug).team
    reference_set = released_set(competition) if started else None
    ids = [row.example_id for row in practice_examples(reference_set)] if reference_set else []
    refusal = None
    if reference_set is not None:
        try:
            practice_of(competition)
        except Refused as refused:
            refusal = refused
    ctx = {
        "frame": frame.around(request, competition, tab="lab"),
        "competition": competition,
        "handed_out": started,
        "reference_set": reference_set,
        "ids": ids,
        "has_dialogues": reference_set is not None and has_released_dialogues(reference_set),
        "refusal": refusal,
        "limit": PREDICTIONS_BYTES,
        "wanted": request.POST.get("row", ""),
        "single": request.POST.get("text", ""),
        "pasted": request.POST.get("pasted", "") if status != 200 else "",
        "runs": runs_left(team, request.received_at) if team else None,
        **shown,
    }
    return render(request, "lab.html", ctx, status=status)


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
