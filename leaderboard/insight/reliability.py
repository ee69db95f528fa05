"""How reliable a leaderboard is: every check either way, passed, in doubt, or not run.

Words that everybody knows, at most twenty in a sentence; a test walks all of them. The panel is
made of what the board's row of rank ranges and its version hold, so it asks for nothing of its own.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from leaderboard.boards.columns import decimals
from leaderboard.boards.queries import BoardPage
from leaderboard.boards.visibility import (
    BoardView,
    Viewer,
    board_view,
    is_frozen,
    may_see_other_columns,
)
from leaderboard.insight.models import BoardBands
from leaderboard.insight.rank_range import ascending, bands_seen, tied_with_first
from leaderboard.insight.specificity import in_percent, percent_text, thousandths
from leaderboard.insight.trivial_baselines import Lines
from leaderboard.references.models import ScoringVersion
from leaderboard.web.lookups import WebRequest
from scoring.insight.specificity import light

PASSED, DOUBT, NOT_RUN = "passed", "doubt", "not_run"
STATES: dict[str, Promise] = {
    PASSED: pgettext_lazy("check", "passed"),
    DOUBT: pgettext_lazy("check", "in doubt"),
    NOT_RUN: pgettext_lazy("check", "not run"),
}

# In place of all checks but of the scoring itself: of private rows before the reveal, and of what
# organizers alone see while the board stands still for everybody else.
SEALED = _("The other checks of these dialogues are made at the reveal.")
UNFROZEN = _("The other checks are made of the rows that everybody sees, which stand still.")

# In place of a check's own sentence: where a change is not kept for a board, where references are
# few.
UNTOLD = _("What the last change of scoring did to this board is not known.")
TOO_FEW = _("How far people agree is not known: every dialogue has one reference.")

ENOUGH_ROWS = 100
OF_THE_SCORING = ("exact", "rehearsal")  # and of no row
NEARLY = 0.98  # of the full mark: a reference of one word has no pairs of words to match


class TrustCheck(NamedTuple):
    """One line of the panel. `figure`: what it rests on, empty where nothing was counted."""

    key: str
    name: Promise
    state: str
    figure: str
    says: str
    why: tuple[Promise, ...]

    @property
    def state_name(self) -> Promise:
        return STATES[self.state]


class Trust(NamedTuple):
    """The panel of a board. `bands`: what its checks rest on; None: not made.

    `noise`: totals nearer than this may be chance; empty where that is not known. `later`: why the
    other checks are not there; empty where all are.
    """

    checks: tuple[TrustCheck, ...]
    noise: str
    bands: BoardBands | None
    later: str


class Found(NamedTuple):
    """What a check came to: its state, its figure, what its sentence names, and another one."""

    state: str
    figure: str = ""
    names: dict[str, object] = {}
    says: Promise | None = None


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
    noise = next((check.figure for check in found if check.key == "noise"), "")
    return Trust(found, noise, bands, "" if later is None else str(later))


def _later(viewer: Viewer, view: BoardView) -> Promise | None:
    """Why of these rows there are no checks but those of the scoring."""
    if not may_see_other_columns(viewer, view.board):
        return SEALED
    if view.instant is None and is_frozen(viewer.competition, viewer.at):
        return UNFROZEN
    return None


def checks(known: Known) -> Iterator[TrustCheck]:
    """All that there is something to say of, in the order of the page."""
    for key, check in CHECKS.items():
        if known.is_open or key in OF_THE_SCORING:
            state, figure, names, says = check.found(known)
            text = str(says or check.says(state)).format(**names)
            yield TrustCheck(key, check.name, state, figure, text, check.why)


NOTHING = Found(NOT_RUN)


def passed(is_passed: bool, figure: str = "", **names: object) -> Found:
    """Passed or in doubt, with its figure and what its sentence names."""
    return Found(PASSED if is_passed else DOUBT, figure, names)


def _exact(known: Known) -> Found:
    check = known.version.self_check
    if check is None or "totals" not in check or known.version.profile().gold_aggregation != "max":
        return NOTHING
    lowest, full = min(check["totals"]), check["full_mark"]
    return passed(lowest >= NEARLY * full, f"{lowest:.4f} / {full:.4f}")


def _signature(known: Known) -> Found:
    signatures = known.fact("signatures")
    return passed(signatures == 1, known.version.label) if signatures else NOTHING


def _noise(known: Known) -> Found:
    bands = known.bands
    if bands is None or bands.threshold is None:
        return NOTHING
    leaders = tied_with_first(ascending(bands), bands.threshold)
    return passed(leaders == 1, str(thousandths(bands.threshold)), leaders=leaders)


def _floors(known: Known) -> Found:
    if known.lines is None or known.bands is None:
        return NOTHING
    totals = ascending(known.bands)
    if not len(totals):
        return NOTHING
    below = int((totals <= known.lines.floor).sum())
    return passed(not below, decimals(known.lines.floor), below=below, teams=len(totals))


def _lift(known: Known) -> Found:
    ratio = known.fact("top_lift")
    if ratio is None:
        return NOTHING
    percent = in_percent(ratio)
    return passed(light(percent / 100) == "green", percent_text(percent))


def _references(known: Known) -> Found:
    if known.lines is None:
        return NOTHING
    if known.lines.human is None:
        return Found(NOT_RUN, says=TOO_FEW)
    return passed(known.lines.has_way, decimals(known.lines.human))


def _rows(known: Known) -> Found:
    if known.bands is None:
        return NOTHING
    rows = known.bands.rows
    return passed(rows >= ENOUGH_ROWS, str(rows), rows=rows)


def _copies(known: Known) -> Found:
    pairs = known.fact("copies")
    return NOTHING if pairs is None else passed(not pairs)


def _rehearsal(known: Known) -> Found:
    switch = known.fact("switch")
    if switch is None:
        return Found(NOT_RUN, says=None if known.version.number == 1 else UNTOLD)
    return passed(switch["first_stays"], f"{switch['moved']} / {switch['teams']}")


class Check(NamedTuple):
    """Its name, what it says in each state, why it says something, and how it is made."""

    name: Promise
    passed: Promise
    doubt: Promise
    not_run: Promise
    why: tuple[Promise, ...]
    found: Callable[[Known], Found]

    def says(self, state: str) -> Promise:
        return {PASSED: self.passed, DOUBT: self.doubt, NOT_RUN: self.not_run}[state]


# In the order of the page.
CHECKS: dict[str, Check] = {
    "exact": Check(
        _("Exact scoring"),
        _("References that are handed in as a file earn the full mark, or nearly so."),
        _("References that are handed in as a file do not earn the full mark."),
        _("Whether references earn the full mark was not looked at."),
        (
            _("A reference is the best answer there is, so it must earn everything."),
            _("One of a single word cannot, so nearly everything is enough."),
            _("Whoever has the files gets the same numbers on their own machine."),
            _("Where the mean over references counts, none can, and this is not run."),
        ),
        _exact,
    ),
    "signature": Check(
        _("One way of scoring"),
        _("All totals here were made in the same way."),
        _("Not all totals here were made in the same way."),
        _("Whether all totals were made in the same way was not looked at yet."),
        (
            _("Each number is kept with a line of text that says how it was made."),
            _("Only numbers with the same line can be compared."),
        ),
        _signature,
    ),
    "noise": Check(
        _("Chance"),
        _("The first team is ahead of all others by more than chance."),
        _("{leaders} teams may be the best one: the bar at the left marks them."),
        _("How much of the order is chance is not known of this board."),
        (
            _("The rows were drawn anew 10,000 times, the same ones for all teams."),
            _("In 95 of 100 such boards no gap changes by more than this figure."),
            _("It is fewer where two files differ in fewer than six rows."),
            _("The rank range says between which ranks a team may truly stand."),
            _("The rank itself is decided by the total alone."),
            _("Below 20 rows or with one team nothing is said."),
        ),
        _noise,
    ),
    "floors": Check(
        _("Texts that read nothing"),
        _("Every team earns more than a text that reads no dialogue."),
        _("Some teams earn no more than a text that reads no dialogue: {below} of {teams}."),
        _("What a text earns that reads no dialogue is not known of this board."),
        (
            _("One sentence for every dialogue earns points, too."),
            _("The figure is the best total that such a text reaches."),
        ),
        _floors,
    ),
    "lift": Check(
        _("The first team's texts"),
        _("The first team's texts fit their own dialogues."),
        _("The first team's texts would earn nearly as much on other dialogues."),
        _("Whether the first team's texts fit their own dialogues is not known yet."),
        (
            _("The texts were put on other dialogues, five times over."),
            _("The figure is the share of the total that is lost by that."),
            _("Below 20 % the texts say little of their own dialogues."),
            _("An honest but weak file may be there, too."),
        ),
        _lift,
    ),
    "references": Check(
        _("People among themselves"),
        _("People earn clearly more than a text that reads no dialogue."),
        _("People's references differ so much that such a text earns about as much."),
        _("How far people agree was not looked at yet."),
        (
            _("Each reference was scored as a file against the others."),
            _("The figure is what people earn that way."),
            _("It is clearly more where chance alone would seldom make such a difference."),
        ),
        _references,
    ),
    "rows": Check(
        _("Number of dialogues"),
        _("This board is made of enough dialogues: {rows}."),
        _("This board is made of few dialogues, so small differences say little: {rows}."),
        _("How many dialogues this board is made of was not counted yet."),
        (
            _("Other dialogues would have given other totals."),
            _("The more dialogues there are, the less chance decides."),
            _("From 100 on this counts as enough."),
        ),
        _rows,
    ),
    "copies": Check(
        _("Shared answers"),
        _("No two of the first teams share so many answers that it stands out."),
        _("Some of the first teams share many answers; organizers decide what that means."),
        _("Whether the first teams share answers was not looked at yet."),
        (
            _("The first 20 teams are compared, text by text."),
            _("What a baseline says, too, and what many say, is left out."),
            _("Nothing follows from it by itself."),
        ),
        _copies,
    ),
    "rehearsal": Check(
        _("The last change of scoring"),
        _("When the scoring changed last, the first team stayed the first."),
        _("When the scoring changed last, another team became the first."),
        _("The scoring has never been changed, so no change was tried."),
        (
            _("A change of scoring is first tried on all files, before any board shows it."),
            _("The figure says how many teams got another rank by it."),
        ),
        _rehearsal,
    ),
}


# What a check is about, on this page or on the overview.
ON_PAGE = {"floors": "#lines", "references": "#lines", "lift": "#teams", "noise": "#teams"}
ON_OVERVIEW = {"exact": "eval", "rows": "eval", "copies": "rules"}


# Of the columns, those that the table of this page has.
COLUMNS = ("range", "total", "way", "lift", "length")


def of_ranking(request: WebRequest, viewer: Viewer, page: BoardPage) -> SafeString:
    """The checks, what texts without the dialogue earn, and each team's columns of this app."""
    view = board_view(viewer, page.board)
    panel = None if view is None else trust(viewer, view)
    overview = reverse("overview", args=[viewer.competition.slug])
    ways = ON_PAGE | {key: f"{overview}#{part}" for key, part in ON_OVERVIEW.items()}
    shown = [place for place, column in enumerate(page.columns) if column.key in COLUMNS]
    known = {
        "trust": panel,
        "trust_lines": [(one, ways.get(one.key, "#signature")) for one in panel.checks]
        if panel
        else [],
        "lines": Lines.of(viewer, page.board),
        "columns": [page.columns[place] for place in shown],
        "teams": [
            (
                entry,
                [
                    (column.css(value), column.text(value))
                    for column, value in map(entry.cells.__getitem__, shown)
                ],
            )
            for entry in (*page.pinned, *page.rows)
        ],
        "zone": viewer.competition.zoneinfo,
    }
    return render_to_string("insight/reliability.html", known, request=request)
