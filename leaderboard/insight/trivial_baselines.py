"""How to read a total: what trivial baselines reach, and the human level.

Made once a version by a worker, kept with the figures of its references, so a board has them
without asking. Numbers and method are `scoring.insight.trivial_baselines`'. Who sees them: those of
a split, whoever may see what other columns say of it, so nobody those of private rows before the
reveal.
"""

import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

from django.db.models import Q
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leaderboard.boards.columns import SCALE, decimals
from leaderboard.boards.visibility import Viewer, may_see_other_columns
from leaderboard.evaluation.claim import is_supported
from leaderboard.evaluation.run import VersionFailed, Work, keeping, prepared_references, workable
from leaderboard.insight.specificity import in_percent, percent_text
from leaderboard.references.intake import keep_self_check
from leaderboard.references.models import Example, ScoringVersion
from leaderboard.references.queries import dialogues_of
from scoring.insight.trivial_baselines import CEILING, FLOORS, LINES, floors, way
from scoring.pipeline import PreparedReferences, check_references
from scoring.profile import Profile
from scoring.ranking import printed

State = ScoringVersion.State
WITHOUT = (
    Q(self_check__isnull=True)
    | ~Q(self_check__has_key="lines")
    | ~Q(self_check__lines__has_key="gap_errors")  # made before these were
)


def without_lines() -> ScoringVersion | None:
    """The oldest version that scores, has no lines yet, and could get them from this process."""
    rows = workable(Work.LINES).filter(WITHOUT, state__in=(State.LIVE, State.REHEARSING))
    waiting = rows.select_related("reference_set", "competition").order_by("created_at", "pk")
    return next(filter(is_supported, waiting), None)


def make_next_lines() -> bool:
    """Of one version that has none; False when there is none. Safe to run twice."""
    version = without_lines()
    if version is None:
        return False
    with suppress(VersionFailed):
        with keeping(version, Work.GOLDS):
            prepared = prepared_references(version.reference_set_id, version.profile())
            if version.self_check is None:
                keep_self_check(version=version, check=check_references(prepared))
        with keeping(version, Work.LINES):
            lines = _made(version, prepared)
            rows = ScoringVersion.objects.filter(pk=version.pk)
            figures = rows.values_list("self_check", flat=True).get() or {}  # it has by now
            rows.update(self_check={**figures, "lines": lines})
    return True


def _made(version: ScoringVersion, prepared: PreparedReferences) -> dict[str, Any]:
    known: dict[str, tuple[str, ...]] = {}
    found = floors(prepared, dialogues_of(version), known=known)
    texts = [text for row in prepared.references.examples for text in row.references]
    lengths = [len(known.get(text) or prepared.tokenizer(text)) for text in texts]
    human = found.lines[CEILING].splits if CEILING in found.lines else {}
    return {
        "splits": {split: found.totals(split) for split in prepared.splits if split != "all"},
        "gap_errors": dict(found.gap_errors),
        "human_rows": {
            split: one.rows
            for split, one in human.items()
            if one.rows < len(prepared.splits[split][1])  # others there have one reference
        },
        "against": list(found.against),
        "length": round(math.fsum(lengths) / len(lengths)),
        "signature": found.signature,
    }


@dataclass(frozen=True)
class Lines:
    """The lines of one board. `totals`: by name, in points; None for one that there is not.

    `gap_error`: standard error of the human line less the highest floor. `human_rows`: over how
    many dialogues the human line is; None: over all. `against`: with how many references one was
    compared, fewest and most. `length`: mean tokens of a reference of the whole set.
    """

    profile: Profile
    totals: Mapping[str, float | None]
    gap_error: float | None
    human_rows: int | None
    against: tuple[int, int]
    length: int
    signature: str

    @classmethod
    def of(cls, viewer: Viewer, board: str) -> Self | None:
        """Those that this viewer may see beside this board; read once, however often they ask."""
        known, version = viewer.listings, viewer.version
        if version is None or not may_see_other_columns(viewer, board):
            return None
        if (key := ("lines", board)) not in known:
            known[key] = cls.kept(version).get(board)
        found: Self | None = known[key]
        return found

    @classmethod
    def kept(cls, version: ScoringVersion) -> dict[str, Self]:
        """By split, for who may see all; empty until a worker made them."""
        kept: dict[str, Any] | None = (version.self_check or {}).get("lines")
        if kept is None:
            return {}
        profile = version.profile()
        return {
            split: cls(
                profile=profile,
                totals=totals,
                gap_error=kept.get("gap_errors", {}).get(split),
                human_rows=kept.get("human_rows", {}).get(split),
                against=(kept["against"][0], kept["against"][1]),
                length=kept["length"],
                signature=kept["signature"],
            )
            for split, totals in kept["splits"].items()
        }

    @property
    def floor(self) -> int:
        """The highest total that says nothing of a row, as it is printed (× 10⁴)."""
        found = [printed(total) for name in FLOORS if (total := self.totals[name]) is not None]
        return max(found, default=0)

    @property
    def human(self) -> int | None:
        """What people reach (× 10⁴); None where every row has one reference."""
        total = self.totals[CEILING]
        return None if total is None else printed(total)

    @property
    def has_way(self) -> bool:
        """Whether people reach so much more than anybody that a share of the way says something."""
        return way(0.0, self.totals, self.profile, self.gap_error) is not None

    @property
    def favours_teams(self) -> bool:
        """Whether a team may choose among more references than a person was compared with."""
        return self.profile.gold_aggregation == "max"

    def percent(self, total: int) -> int | None:
        """How far a printed total (× 10⁴) is on the way from the highest floor to people."""
        share = way(total / SCALE, self.totals, self.profile, self.gap_error)
        return None if share is None else in_percent(share)

    @property
    def rows(self) -> tuple["LineRow", ...]:
        """The highest first."""
        totals = {
            name: printed(total) for name in LINES if (total := self.totals[name]) is not None
        }
        words = _names(self.against, self.human_rows)
        ordered = sorted(totals, key=lambda name: -totals[name])
        return tuple(
            LineRow(
                name=name,
                label=words[name],
                total=decimals(totals[name]),
                way=percent_text(self.percent(totals[name])),
                is_human=name == CEILING,
            )
            for name in ordered
        )


class LineRow(NamedTuple):
    """One line as the page shows it. `way`: how far on the way from the highest floor to people."""

    name: str
    label: str
    total: str
    way: str
    is_human: bool


def _names(against: tuple[int, int], human_rows: int | None) -> dict[str, str]:
    """What each line is, in plain words."""
    low, high = against
    number = str(low) if low == high else f"{low}–{high}"
    person = ngettext(
        "Human level: one reference against the {number} other",
        "Human level: one reference against the {number} others",
        high,
    ).format(number=number)
    if human_rows is not None:
        person = _("{person}, in the {n} dialogues with two or more").format(
            person=person, n=human_rows
        )
    return {
        "constant": _("The same reference for every dialogue"),
        "phrase": _("The same reference for every dialogue, without the words that score nothing"),
        "other_row": _("The reference of another dialogue"),
        "lead1": _("The first turn of the dialogue"),
        "lead3": _("The first three turns of the dialogue"),
        CEILING: person,
    }


# Of a person's line: from here on one sentence for all is worth too much.
HALF = 50
ONE_TEXT = ("constant", "phrase")


class LinesCheck(NamedTuple):
    """The lines of one split of a version; doubts about them, each with what can be done."""

    split: str
    rows: tuple[LineRow, ...]
    doubts: list[tuple[str, str]]


def lines_checks(version: ScoringVersion) -> list[LinesCheck]:
    """For who runs the contest: both splits. Empty until a worker made the lines. One query."""
    kept = Lines.kept(version)
    tagged = Example.objects.filter(
        reference_set=version.reference_set_id, references__icontains="#Person"
    )
    cuts_tags = bool(kept) and version.profile().tags == "keep" and tagged.exists()
    return [
        LinesCheck(split, lines.rows, _doubts(lines, cuts_tags=cuts_tags))
        for split, lines in sorted(kept.items(), reverse=True)  # public first
    ]


def _doubts(lines: Lines, *, cuts_tags: bool) -> list[tuple[str, str]]:
    if lines.human is None:
        said = _("Every row has one reference, so the human level is not known.")
        return [(said, _("Add a second reference to the rows."))]
    found = []
    # A half of one row has no other row to take the sentence from.
    totals = [total for name in ONE_TEXT if (total := lines.totals[name]) is not None]
    one_text = max(map(printed, totals), default=0)
    percent = round(100 * one_text / lines.human) if lines.human > 0 else 0
    if percent >= HALF:
        # xgettext:no-python-format
        said = _("The same sentence for every dialogue reaches {percent} % of the human level.")
        advice = (
            _("The references contain speaker tags. Consider dropping them.")
            if cuts_tags
            else _("Check whether the references share empty phrases.")
        )
        found.append((said.format(percent=percent), advice))
    if not lines.has_way:
        said = _("People do not score clearly higher than the trivial baselines.")
        found.append((said, _("Check that all references of a row summarize the same dialogue.")))
    return found
