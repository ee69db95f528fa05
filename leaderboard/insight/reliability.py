"""How reliable a leaderboard is: every check either way, passed, in doubt, or not run.

Words that everybody knows, at most twenty in a sentence; a test walks all of them. The panel is
made of what the board's row of rank ranges and its version hold, so it asks for nothing of its own.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from leaderboard.boards.columns import decimals, in_percent, percent_text, thousandths
from leaderboard.boards.figures import CHECKS as OTHERS
from leaderboard.boards.figures import DOUBT, NOT_RUN, PASSED
from leaderboard.boards.visibility import BoardView, Viewer, is_frozen, may_see_other_columns
from leaderboard.insight.models import BoardBands
from leaderboard.insight.rank_range import ascending, bands_seen, tied_with_first
from leaderboard.insight.trivial_baselines import Lines
from leaderboard.references.models import ScoringVersion
from scoring.insight.lift import light

STATES: dict[str, Promise] = {
    PASSED: pgettext_lazy("check", "passed"),
    DOUBT: pgettext_lazy("check", "in doubt"),
    NOT_RUN: pgettext_lazy("check", "not run"),
}

# In place of all checks but of the scoring itself: of private rows before the reveal, and of what
# organizers alone see while the board stands still for everybody else.
SEALED = _("The other checks of these dialogues are made at the reveal.")
UNFROZEN = _("The other checks are made of the rows that everybody sees, which stand still.")

# By check, in the order of the page, and by state.
SAYS: dict[str, dict[str, Promise]] = {
    "exact": {
        PASSED: _("References that are handed in as a file earn the full mark, or nearly so."),
        DOUBT: _("References that are handed in as a file do not earn the full mark."),
        NOT_RUN: _("Whether references earn the full mark was not looked at."),
    },
    "signature": {
        PASSED: _("All totals here were made in the same way."),
        DOUBT: _("Not all totals here were made in the same way."),
        NOT_RUN: _("Whether all totals were made in the same way was not looked at yet."),
    },
    "noise": {
        PASSED: _("The first team is ahead of all others by more than chance."),
        DOUBT: _("{leaders} teams may be the best one: the bar at the left marks them."),
        NOT_RUN: _("How much of the order is chance is not known of this board."),
    },
    "floors": {
        PASSED: _("Every team earns more than a text that reads no dialogue."),
        DOUBT: _("Some teams earn no more than a text that reads no dialogue: {below} of {teams}."),
        NOT_RUN: _("What a text earns that reads no dialogue is not known of this board."),
    },
    "lift": {
        PASSED: _("The first team's texts fit their own dialogues."),
        DOUBT: _("The first team's texts would earn nearly as much on other dialogues."),
        NOT_RUN: _("Whether the first team's texts fit their own dialogues is not known yet."),
    },
    "references": {
        PASSED: _("People earn clearly more than a text that reads no dialogue."),
        DOUBT: _("People's references differ so much that such a text earns about as much."),
        NOT_RUN: _("How far people agree was not looked at yet."),
    },
    "rows": {
        PASSED: _("This board is made of enough dialogues: {rows}."),
        DOUBT: _("This board is made of few dialogues, so small differences say little: {rows}."),
        NOT_RUN: _("How many dialogues this board is made of was not counted yet."),
    },
    "copies": {
        PASSED: _("No two of the first teams share so many answers that it stands out."),
        DOUBT: _("Some of the first teams share many answers; organizers decide what that means."),
        NOT_RUN: _("Whether the first teams share answers was not looked at yet."),
    },
    "rehearsal": {
        PASSED: _("When the scoring changed last, the first team stayed the first."),
        DOUBT: _("When the scoring changed last, another team became the first."),
        NOT_RUN: _("The scoring has never been changed, so no change was tried."),
    },
}

# In place of a sentence above: where a change is not kept for a board, where references are few.
UNTOLD = _("What the last change of scoring did to this board is not known.")
TOO_FEW = _("How far people agree is not known: every dialogue has one reference.")

NAMES: dict[str, Promise] = {
    "exact": _("Exact scoring"),
    "signature": _("One way of scoring"),
    "noise": _("Chance"),
    "floors": _("Texts that read nothing"),
    "lift": _("The first team's texts"),
    "references": _("People among themselves"),
    "rows": _("Number of dialogues"),
    "copies": _("Shared answers"),
    "rehearsal": _("The last change of scoring"),
}

WHY: dict[str, tuple[Promise, ...]] = {
    "exact": (
        _("A reference is the best answer there is, so it must earn everything."),
        _("One of a single word cannot, so nearly everything is enough."),
        _("Whoever has the files gets the same numbers on their own machine."),
        _("Where the mean over references counts, none can, and this is not run."),
    ),
    "signature": (
        _("Each number is kept with a line of text that says how it was made."),
        _("Only numbers with the same line can be compared."),
    ),
    "noise": (
        _("The rows were drawn anew 10,000 times, the same ones for all teams."),
        _("In 95 of 100 such boards no gap changes by more than this figure."),
        _("It is fewer where two files differ in fewer than six rows."),
        _("The rank range says between which ranks a team may truly stand."),
        _("The rank itself is decided by the total alone."),
        _("Below 20 rows or with one team nothing is said."),
    ),
    "floors": (
        _("One sentence for every dialogue earns points, too."),
        _("The figure is the best total that such a text reaches."),
    ),
    "lift": (
        _("The texts were put on other dialogues, five times over."),
        _("The figure is the share of the total that is lost by that."),
        _("Below 20 % the texts say little of their own dialogues."),
        _("An honest but weak file may be there, too."),
    ),
    "references": (
        _("Each reference was scored as a file against the others."),
        _("The figure is what people earn that way."),
        _("It is clearly more where chance alone would seldom make such a difference."),
    ),
    "rows": (
        _("Other dialogues would have given other totals."),
        _("The more dialogues there are, the less chance decides."),
        _("From 100 on this counts as enough."),
    ),
    "copies": (
        _("The first 20 teams are compared, text by text."),
        _("What a baseline says, too, and what many say, is left out."),
        _("Nothing follows from it by itself."),
    ),
    "rehearsal": (
        _("A change of scoring is first tried on all files, before any board shows it."),
        _("The figure says how many teams got another rank by it."),
    ),
}


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
