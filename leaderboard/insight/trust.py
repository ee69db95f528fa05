"""Can this ranking be trusted? Every check of a board either way: passed, in doubt, or not run.

Made of what the board's row of bands and its version hold, so it asks for nothing of its own.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.functional import Promise

from leaderboard.boards.checks import CHECKS as OTHERS
from leaderboard.boards.checks import DOUBT, NOT_RUN, PASSED
from leaderboard.boards.text import decimals, in_percent, percent_text, thousandths
from leaderboard.boards.visibility import BoardView, Viewer, is_frozen, may_see_other_columns
from leaderboard.insight.bands import ascending, bands_seen, tied_with_first
from leaderboard.insight.lines import Lines
from leaderboard.insight.models import BoardBands
from leaderboard.insight.trust_words import (
    NAMES,
    PAST,
    SAYS,
    SEALED,
    STATES,
    TOO_FEW,
    UNFROZEN,
    UNTOLD,
    WHY,
)
from leaderboard.references.models import ScoringVersion
from scoring.insight.lift import light

ENOUGH_ROWS = 100
OF_THE_SCORING = ("exact", "rehearsal")  # and of no row
NEARLY = 0.98  # of the full mark: a reference of one word has no pairs of words to match


@dataclass(frozen=True)
class TrustCheck:
    """One line of the panel. `figure`: what it rests on, empty where nothing was counted."""

    key: str
    name: str
    state: str
    state_name: str
    figure: str
    says: str
    why: tuple[str, ...]


@dataclass(frozen=True)
class Trust:
    """The panel of a board: its checks, and when and how what they rest on was made.

    `noise`: totals nearer than this may be chance; empty where that is not known. `later`: why the
    other checks are not there; empty where all are.
    """

    checks: tuple[TrustCheck, ...]
    noise: str
    made_at: datetime | None
    signature: str
    later: str


@dataclass(frozen=True)
class Found:
    """What a check came to: its state, its figure, and what its sentence names."""

    state: str
    figure: str = ""
    names: tuple[tuple[str, object], ...] = ()
    says: Promise | None = None  # in place of its state's sentence


@dataclass(frozen=True)
class Known:
    """What the checks are made of. `bands`: with the facts of the same rows; None: not made.

    `is_open`: whether anything but totals can be told of these rows.
    """

    version: ScoringVersion
    bands: BoardBands | None
    lines: Lines | None
    is_open: bool = True

    def fact(self, name: str) -> Any:
        return None if self.bands is None else self.bands.facts.get(name)


def trust(viewer: Viewer, view: BoardView) -> Trust | None:
    """The panel of a board as this viewer sees it; None while nothing is live. At most the query
    of the board's bands, which its columns ask for as well."""
    if viewer.version is None:
        return None
    bands = bands_seen(viewer, view)
    later = _later(viewer, view)
    known = Known(viewer.version, bands, Lines.of(viewer, view.board), later is None)
    found = tuple(checks(known))
    return Trust(
        checks=found,
        noise=next((check.figure for check in found if check.key == "noise"), ""),
        later="" if later is None else str(later),
        made_at=bands.made_at if bands else None,
        signature=bands.signature if bands else "",
    )


def _later(viewer: Viewer, view: BoardView) -> Promise | None:
    """Why of these rows there are no checks but those of the scoring."""
    if not may_see_other_columns(viewer, view.board):
        return SEALED
    if view.instant is not None and not view.own_moves:
        return PAST
    if view.instant is None and is_frozen(viewer.competition, viewer.at):
        return UNFROZEN
    return None


def checks(known: Known) -> Iterator[TrustCheck]:
    """All that there is something to say of, in the order of the page."""
    for key, says in SAYS.items():
        if not known.is_open and key not in OF_THE_SCORING:
            continue
        found = CHECKS[key](known)
        if found is None:
            continue
        text = str(found.says or says[found.state]).format(**dict(found.names))
        yield _line(key, NAMES[key], found.state, found.figure, text, WHY[key])
    for key, check in OTHERS.items() if known.is_open else ():
        fact = known.fact(key)
        if fact is not None:
            state, figure = check.found(fact)
            yield _line(key, check.name, state, figure, str(check.says[state]), check.why)


def _line(
    key: str, name: Promise, state: str, figure: str, says: str, why: tuple[Promise, ...]
) -> TrustCheck:
    return TrustCheck(key, str(name), state, str(STATES[state]), figure, says, tuple(map(str, why)))


def passed(is_passed: bool, figure: str = "", **names: object) -> Found:
    """Passed or in doubt, with its figure and what its sentence names."""
    return Found(PASSED if is_passed else DOUBT, figure, tuple(names.items()))


def _exact(known: Known) -> Found:
    check = known.version.self_check
    if check is None or "totals" not in check or known.version.profile().gold_aggregation != "max":
        return Found(NOT_RUN)
    lowest, full = min(check["totals"]), check["full_mark"]
    return passed(lowest >= NEARLY * full, f"{lowest:.4f} / {full:.4f}")


def _signature(known: Known) -> Found:
    ways = known.fact("signatures")
    return Found(NOT_RUN) if not ways else passed(ways == 1, known.version.label)


def _noise(known: Known) -> Found:
    bands = known.bands
    if bands is None or bands.threshold is None:
        return Found(NOT_RUN)
    leaders = tied_with_first(ascending(bands), bands.threshold)
    return passed(leaders == 1, str(thousandths(bands.threshold)), leaders=leaders)


def _floors(known: Known) -> Found:
    if known.lines is None or known.bands is None:
        return Found(NOT_RUN)
    totals = ascending(known.bands)
    if not len(totals):
        return Found(NOT_RUN)
    below = int((totals <= known.lines.floor).sum())
    return passed(not below, decimals(known.lines.floor), below=below, teams=len(totals))


def _lift(known: Known) -> Found:
    ratio = known.fact("top_lift")
    if ratio is None:
        return Found(NOT_RUN)
    percent = in_percent(ratio)
    return passed(light(percent / 100) == "green", percent_text(percent))


def _references(known: Known) -> Found:
    if known.lines is None:
        return Found(NOT_RUN)
    if known.lines.human is None:
        return Found(NOT_RUN, says=TOO_FEW)
    return passed(known.lines.has_way, decimals(known.lines.human))


def _rows(known: Known) -> Found:
    if known.bands is None:
        return Found(NOT_RUN)
    rows = known.bands.rows
    return passed(rows >= ENOUGH_ROWS, str(rows), rows=rows)


def _copies(known: Known) -> Found:
    share = known.fact("copies")
    return Found(NOT_RUN) if share is None else passed(not share)


def _rehearsal(known: Known) -> Found:
    switch = known.fact("switch")
    if switch is None:
        return Found(NOT_RUN, says=None if known.version.number == 1 else UNTOLD)
    return passed(switch["first_stays"], f"{switch['moved']} / {switch['teams']}")


CHECKS: dict[str, Callable[[Known], Found | None]] = {
    "exact": _exact,
    "signature": _signature,
    "noise": _noise,
    "floors": _floors,
    "lift": _lift,
    "references": _references,
    "rows": _rows,
    "copies": _copies,
    "rehearsal": _rehearsal,
}
