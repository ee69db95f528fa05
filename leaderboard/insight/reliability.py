"""How reliable a leaderboard is: every check either way, passed, a caution, or not run.

Words that everybody knows, at most twenty in a sentence; a test walks all of them. The panel is
made of what the board's row of rank ranges and its version hold, so it asks for nothing of its own.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.template.loader import render_to_string
from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from leaderboard.boards.columns import decimals
from leaderboard.boards.listing import listing
from leaderboard.boards.queries import BoardPage
from leaderboard.boards.visibility import (
    BoardView,
    Viewer,
    board_view,
    is_frozen,
    may_see_other_columns,
)
from leaderboard.insight.models import BoardBands
from leaderboard.insight.rank_range import ascending, bands_seen
from leaderboard.insight.specificity import in_percent, percent_text, thousandths
from leaderboard.insight.trivial_baselines import Lines
from leaderboard.references.models import ScoringVersion
from leaderboard.web.lookups import WebRequest
from scoring.insight.specificity import light

PASSED, DOUBT, NOT_RUN = "passed", "doubt", "not_run"
STATES: dict[str, Promise] = {
    PASSED: pgettext_lazy("check", "passed"),
    DOUBT: pgettext_lazy("check", "caution"),
    NOT_RUN: pgettext_lazy("check", "not run"),
}

# In place of all checks but of the scoring itself: of private rows before the reveal, and of what
# organizers alone see while the board stands still for everybody else.
SEALED = _("The other checks of this leaderboard are made at the reveal.")
UNFROZEN = _("The other checks use the frozen leaderboard that everyone else sees.")

# In place of a check's own sentence: where a change is not kept for a board, where references are
# few.
UNTOLD = _("The effect of the last change of scoring on this leaderboard is not known.")
TOO_FEW = _("The human level is not known because every dialogue has only one reference.")

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

    `noise`: the check of chance; its figure: totals nearer than this may be chance. `later`: why
    the other checks are not there; empty where all are.
    """

    checks: tuple[TrustCheck, ...]
    noise: TrustCheck | None
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
    later = None
    if not may_see_other_columns(viewer, view.board):
        later = SEALED
    elif view.instant is None and is_frozen(viewer.competition, viewer.at):
        later = UNFROZEN
    known = Known(viewer.version, bands, Lines.of(viewer, view.board), later is None)
    found = tuple(checks(known))
    noise = next((check for check in found if check.key == "noise"), None)
    return Trust(found, noise, bands, "" if later is None else str(later))


def checks(known: Known) -> Iterator[TrustCheck]:
    """All that there is something to say of, in the order of the page."""
    for key, check in CHECKS.items():
        if known.is_open or key in OF_THE_SCORING:
            state, figure, names, says = check.found(known)
            text = str(says or getattr(check, state)).format(**names)
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
    bands, leaders = known.bands, known.fact("leaders")
    if bands is None or bands.threshold is None or leaders is None:
        return NOTHING
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


# In the order of the page.
CHECKS: dict[str, Check] = {
    "exact": Check(
        _("Full mark"),
        _("The references themselves reach the full mark, or nearly do."),
        _("The references themselves do not reach the full mark."),
        _("The references have not been scored yet."),
        (
            _("Each reference was scored as if it were a submission."),
            _("A reference of one word cannot reach the full mark, so 98 % passes."),
            _("This check is not run where the mean over references counts."),
        ),
        _exact,
    ),
    "signature": Check(
        _("Same scoring for all"),
        _("All totals were computed in the same way."),
        _("Some totals were computed in another way."),
        _("Whether all totals were computed in the same way is not known yet."),
        (
            _("The signature on this page names the way of scoring."),
            _("Only totals with the same signature can be compared."),
        ),
        _signature,
    ),
    "noise": Check(
        _("Chance"),
        _("The first team is ahead of all others by more than chance."),
        _("{leaders} teams at the top cannot be told apart from chance."),
        _("How much of this ranking is chance is not known yet."),
        (
            _("The dialogues were drawn again 10,000 times, the same ones for all teams."),
            _("In 95 of 100 draws, no difference between two teams changes by more than this."),
            _("The share is lower for two submissions that differ in fewer than six rows."),
            _("This check needs two teams and 20 rows."),
        ),
        _noise,
    ),
    "floors": Check(
        _("Trivial baselines"),
        _("Every team scores higher than the trivial baselines."),
        _("{below} of {teams} teams score no higher than the best trivial baseline."),
        _("The trivial baselines have not been scored yet."),
        (
            _("A trivial baseline is a text made without reading the dialogue."),
            _("The number is the total of the best one."),
        ),
        _floors,
    ),
    "lift": Check(
        _("The first team's summaries"),
        _("The first team's summaries fit their own dialogues."),
        _("The first team's summaries would score nearly as much on other dialogues."),
        _("Whether the first team's summaries fit their own dialogues is not known yet."),
        (
            _("The summaries were moved to other dialogues five times and scored again."),
            _("The number is the dialogue-specific share: the part of the total that was lost."),
            _("Below 20 % the summaries say little about their own dialogues."),
            _("An honest but weak submission can be below it, too."),
        ),
        _lift,
    ),
    "references": Check(
        _("Human level"),
        _("People score clearly higher than the trivial baselines."),
        _("People do not score clearly higher than the trivial baselines."),
        _("The human level has not been computed yet."),
        (
            _("Each reference was scored against the other references of its dialogue."),
            _("The number is the mean of these scores."),
            _("A difference is clear if chance alone would rarely produce it."),
        ),
        _references,
    ),
    "rows": Check(
        _("Number of dialogues"),
        _("This leaderboard uses enough dialogues: {rows}."),
        _("This leaderboard uses {rows} dialogues only, so small differences mean little."),
        _("The dialogues have not been counted yet."),
        (
            _("Other dialogues would give other totals."),
            _("100 or more count as enough."),
        ),
        _rows,
    ),
    "copies": Check(
        _("Near-duplicates"),
        _("No two of the first 20 teams share an unusual number of summaries."),
        _("Some of the first 20 teams share many summaries; the organizers look at them."),
        _("The first teams have not been compared yet."),
        (
            _("The summaries of the first 20 teams are compared row by row."),
            _("Summaries that a baseline or many teams have as well do not count."),
            _("Shared summaries alone prove nothing."),
        ),
        _copies,
    ),
    "rehearsal": Check(
        _("The last change of scoring"),
        _("The first team stayed first when the scoring last changed."),
        _("Another team became first when the scoring last changed."),
        _("The scoring has not changed since the start."),
        (
            _("A change of scoring is tested on all submissions before it goes live."),
            _("The number is how many teams changed rank by it."),
        ),
        _rehearsal,
    ),
}


def said_of_board(viewer: Viewer, board: str) -> str:
    """How many teams may be the first, where they are several. One query, without the totals."""
    view = board_view(viewer, board)
    if view is None:
        return ""
    rows = BoardBands.objects.filter(scoring_version=viewer.version, board=board)
    facts = rows.filter(instant=view.instant).values_list("facts", flat=True).first() or {}
    leaders = facts.get("leaders") or 0
    return str(CHECKS["noise"].doubt).format(leaders=leaders) if leaders > 1 else ""


# Of the columns, those that the table of this page has.
COLUMNS = ("range", "total", "way", "lift", "length")
MARKS = 400  # on the strip, at most


def strip(bands: BoardBands, lines: Lines | None, own: int | None) -> dict[str, Any] | None:
    """Every total on one axis, each in percent of its width; None without a team."""
    totals: list[int] = ascending(bands).tolist()
    if not totals:
        return None
    beside = [] if lines is None else [one for one in (lines.floor, lines.human) if one]
    low, high = min([totals[0], *beside]), max([totals[-1], *beside])

    def place(total: int) -> float:
        return 100 * round(MARKS * (total - low) / (high - low or 1)) / MARKS

    return {
        "ends": (decimals(low), decimals(high)),
        "teams": sorted(set(map(place, totals))),
        "beside": list(map(place, beside)),
        "own": None if own is None else place(own),
    }


def of_ranking(request: WebRequest, viewer: Viewer, page: BoardPage) -> SafeString:
    """The checks, the trivial baselines, and each team's columns of this app."""
    view = board_view(viewer, page.board)
    panel = None if view is None else trust(viewer, view)
    if panel is None:
        return SafeString()
    shown = [place for place, column in enumerate(page.columns) if column.key in COLUMNS]
    lines, seen = Lines.of(viewer, page.board), listing(viewer, page.board)
    own = seen.own.printed if seen and seen.own else None
    known = {
        "trust": panel,
        "lines": lines,
        "strip": panel.bands and strip(panel.bands, lines, own),
        "columns": [page.columns[place] for place in shown],
        "teams": [
            (
                entry,
                [
                    (cell.column.css(cell.value), cell.column.text(cell.value))
                    for cell in map(entry.cells.__getitem__, shown)
                ],
            )
            for entry in (*page.pinned, *page.rows)
        ],
        "zone": viewer.competition.zoneinfo,
    }
    return render_to_string("insight/reliability.html", known, request=request)
