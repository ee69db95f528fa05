"""What its lines say against a version's references, in words that an organizer can act on."""

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from django.utils.translation import gettext as _

from leaderboard.boards.models import Placement
from leaderboard.insight.lines import LineRow, Lines
from leaderboard.insight.models import BoardBands
from leaderboard.references.models import Example, ScoringVersion
from scoring.ranking import printed

# Of a person's line: from here on one sentence for all is worth too much.
HALF = 50
ONE_TEXT = ("constant", "phrase")


@dataclass(frozen=True)
class Doubt:
    """What is doubtful, and what can be done about it."""

    said: str
    advice: str


@dataclass(frozen=True)
class LinesCheck:
    """The lines of one split of a version's references, and what is doubtful about them."""

    split: str
    rows: tuple[LineRow, ...]
    doubts: tuple[Doubt, ...]


def lines_checks(version: ScoringVersion, *, has_tags: bool) -> tuple[LinesCheck, ...]:
    """For who runs the contest: both splits. Empty until a worker made the lines.

    has_tags: whether the references hold speaker tags like `#Person1#`.
    """
    cuts_tags = has_tags and version.profile().tags == "keep"
    return tuple(
        LinesCheck(split, lines.rows, tuple(_doubts(lines, cuts_tags=cuts_tags)))
        for split, lines in sorted(Lines.kept(version).items(), reverse=True)  # public first
    )


def _doubts(lines: Lines, *, cuts_tags: bool) -> list[Doubt]:
    if lines.human is None:
        said = _("Every row has one gold, so nothing says how much a person earns.")
        return [Doubt(said, _("Add a second gold to each row."))]
    found = []
    # A half of one row has no other row to take the sentence from.
    totals = [total for name in ONE_TEXT if (total := lines.totals[name]) is not None]
    one_text = max(map(printed, totals), default=0)
    percent = round(100 * one_text / lines.human) if lines.human > 0 else 0
    if percent >= HALF:
        # xgettext:no-python-format
        said = _("One sentence for every dialogue earns {percent} % of what a person earns.")
        advice = (
            _("The golds hold speaker tags: drop them?")
            if cuts_tags
            else _("Look whether the golds share phrases that say nothing.")
        )
        found.append(Doubt(said.format(percent=percent), advice))
    if not lines.has_way:
        said = _(
            "People do not score clearly higher than texts made without the dialogue. "
            "Totals may reflect style."
        )
        found.append(Doubt(said, _("Look whether the golds of a row tell of the same dialogue.")))
    return found


@dataclass(frozen=True)
class Alone:
    """What becomes of the public board's order under one reference alone."""

    number: int
    first_stays: bool
    most: int
    tau: str


def orders_alone(version: ScoringVersion) -> tuple[Alone, ...]:
    """One for each reference, of the first teams; empty until a worker looked. One query."""
    rows = BoardBands.objects.filter(scoring_version=version, board=Placement.Board.PUBLIC)
    facts = rows.values_list("facts", flat=True).first() or {}
    return tuple(
        Alone(number, first_stays, most, "–" if tau is None else f"{tau:.2f}")
        for number, (first_stays, most, tau) in enumerate(facts.get("alone") or (), 1)
    )


def sets_with_tags(reference_sets: Collection[UUID]) -> set[UUID]:
    """Those of these sets whose references hold speaker tags. One query."""
    rows = Example.objects.filter(
        reference_set__in=list(reference_sets), references__icontains="#Person"
    )
    return set(rows.order_by().values_list("reference_set", flat=True).distinct())
