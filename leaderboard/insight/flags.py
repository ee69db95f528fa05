"""Flags on files that look made for the number: made by a task of files that stand, for organizers.

Numbers and method are `scoring.insight.lights`'; the dialogue-specific share stands before them.
"""

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import astuple, dataclass
from datetime import datetime
from typing import Any, Self
from uuid import UUID

from django.db.models import F, Q, QuerySet, TextField
from django.db.models.functions import Cast

from leaderboard.boards.columns import in_percent, percent_text
from leaderboard.boards.listing import BOARD_ORDER, standings_of
from leaderboard.boards.models import Figures, Placement, Standing
from leaderboard.boards.visibility import boards_of_everybody
from leaderboard.evaluation.claim import is_supported
from leaderboard.evaluation.failures import VersionFailed, Work, keeping, workable
from leaderboard.evaluation.models import Evaluation
from leaderboard.evaluation.run import kept_tokens, prepared_references
from leaderboard.insight.models import FileLift, FileLights
from leaderboard.insight.specificity import LATELY, lifts_of, standing_without
from leaderboard.insight.tuning_gap import unusual_gaps
from leaderboard.references.models import ScoringVersion
from leaderboard.references.queries import dialogues_of
from leaderboard.submissions.queries import texts
from scoring.insight.lift import AMBER, light
from scoring.insight.lights import LIGHTS, METHOD, Sign, Usual, signs, usual
from scoring.signature import with_part

Board = Placement.Board
KEPT = "lights"  # among the figures of a large contest
LIFT = "lift"
GAP = "gap"
MOST_ERRORS = 4  # a gap further above the median of the field has a light
SHOWN = 100  # files that are named; those with the most lights come first
ORDER = {"red": 0, "amber": 1, "green": 2}


def signature(version: ScoringVersion) -> str | None:
    """How its lights are made, with the dialogues of its lines; None until it has lines."""
    lines: dict[str, Any] | None = (version.self_check or {}).get("lines")
    return None if lines is None else with_part(lines["signature"], "lights", METHOD)


def without_lights(
    at: datetime, since: datetime | None = None
) -> tuple[ScoringVersion, str, list[Evaluation]] | None:
    """Some files that stand on a live board without their lights, which get this signature; None:
    all have them. `since`: as in `without_lift`.
    """
    live = workable(Work.LIGHTS).filter(state=ScoringVersion.State.LIVE)
    for version in live.select_related("competition", "reference_set").order_by("pk"):
        signed = signature(version)
        if signed is None or not is_supported(version):
            continue
        kept = FileLights.objects.filter(signature=signed)
        for board, instant in boards_of_everybody(version.competition, at):
            standing = standings_of(version, board, instant)
            if found := standing_without(kept, version, standing, since):
                return version, signed, found
    return None


def make_next_lights(at: datetime) -> bool:
    """Of some files that lack them; False when none does. Safe to run twice, and beside itself."""
    found = without_lights(at, since=at - LATELY) or without_lights(at)
    if found is None:
        return False
    version, signed, evaluations = found
    with suppress(VersionFailed), keeping(version, Work.LIGHTS):
        prepared = prepared_references(version.reference_set_id, version.profile())
        what_is = usual(prepared.references, prepared.tokenizer, dialogues_of(version))
        for evaluation in evaluations:
            FileLights.objects.update_or_create(
                evaluation=evaluation,
                defaults={"signature": signed, "found": _signs(evaluation, what_is)},
            )
    return True


def _signs(evaluation: Evaluation, what_is: Usual) -> dict[str, Sign]:
    given = texts(evaluation.submission_id)
    known = kept_tokens(evaluation.submission_id, what_is.tokenizer, given)
    used = {name: given[name] for name in what_is.lengths}
    return dict(signs(used, what_is, known))


@dataclass(frozen=True)
class ShownLight:
    """One light of a file. rows, of: how many are odd; for the lift there is `percent` instead, for
    the gap between both boards `errors`: how many standard errors it lies above the usual one.
    """

    name: str
    light: str
    rows: int = 0
    of: int = 0
    percent: str = ""
    errors: str = ""


@dataclass(frozen=True)
class LightsOfFile:
    """Those of a file, in the order of the page."""

    shown: tuple[ShownLight, ...]

    @property
    def lit(self) -> tuple[ShownLight, ...]:
        """Those that are not green, the red ones first."""
        found = (one for one in self.shown if one.light != "green")
        return tuple(sorted(found, key=lambda one: ORDER[one.light]))

    @property
    def weight(self) -> tuple[int, int]:
        """More red ones come first, then more amber ones."""
        said = [one.light for one in self.shown]
        return said.count("red"), said.count("amber")


def lights_of(
    version: ScoringVersion, submissions: Collection[UUID] | QuerySet[Any, Any]
) -> dict[UUID, LightsOfFile]:
    """Those of these submissions that were looked at, for who runs the contest. Three queries.

    Of a whole board they come as a query: PostgreSQL takes no more than 65,535 values in one.
    """
    wanted: Any = submissions
    rows = FileLights.objects.filter(
        evaluation__scoring_version=version, evaluation__submission__in=wanted
    )
    # Of private rows there is none before the reveal; of a file that stands on both, the public.
    lifts = lifts_of(version, Board.PRIVATE, submissions)
    lifts |= lifts_of(version, Board.PUBLIC, submissions)
    return {
        submission: LightsOfFile((*_lift(lifts.get(submission)), *_others(found)))
        for submission, found in rows.values_list("evaluation__submission", "found")
    }


def _lift(kept: FileLift | None) -> Sequence[ShownLight]:
    if kept is None or kept.ratio is None:
        return ()
    percent = in_percent(kept.ratio)
    return [ShownLight(LIFT, light(percent / 100), percent=percent_text(percent))]


def _others(found: dict[str, list[Any]]) -> Sequence[ShownLight]:
    return [ShownLight(name, *found[name]) for name in LIGHTS if name in found]


@dataclass(frozen=True)
class LitFile:
    """A file that stands on a board, and its lights, but for the green ones."""

    submission: UUID
    team: str
    file_name: str
    lights: LightsOfFile


@dataclass(frozen=True)
class FoundLights:
    """files: with a light, the most lit first, SHOWN of all that are lit. of: that stand there.
    unlooked: not asked yet.
    """

    files: tuple[tuple[UUID, LightsOfFile], ...]
    lit: int
    of: int
    unlooked: int

    def kept(self) -> dict[str, Any]:
        """As `of_kept` reads it again."""
        files = [[str(one), [astuple(light) for light in of.shown]] for one, of in self.files]
        return {"files": files, "lit": self.lit, "of": self.of, "unlooked": self.unlooked}

    @classmethod
    def of_kept(cls, kept: dict[str, Any]) -> Self:
        files = tuple(
            (UUID(one), LightsOfFile(tuple(ShownLight(*light) for light in shown)))
            for one, shown in kept["files"]
        )
        return cls(files, kept["lit"], kept["of"], kept["unlooked"])


@dataclass(frozen=True)
class LightsReport:
    """What was found, with names: of files that stand there still. made_at: None, just now."""

    found: FoundLights
    files: tuple[LitFile, ...]
    made_at: datetime | None


def lights_report(version: ScoringVersion, at: datetime) -> LightsReport:
    """Of every team's file on the public board, from the reveal on also of that on the private
    one; baselines left out. Of a large contest as it was last counted.
    """
    kept = Figures.kept(version, at)
    if kept is not None and KEPT not in kept.more:
        kept = None
    found = FoundLights.of_kept(kept.more[KEPT]) if kept else found_lights(version, at)
    named = _standing(version, at).filter(submission__in=[one for one, _ in found.files])
    values = named.values_list("submission", "team__name", "submission__file_name")
    names = {submission: (team, file_name) for submission, team, file_name in values}
    files = tuple(LitFile(one, *names[one], of) for one, of in found.files if one in names)
    return LightsReport(found, files, kept.made_at if kept else None)


def _standing(version: ScoringVersion, at: datetime) -> QuerySet[Standing]:
    boards = [board for board, _ in boards_of_everybody(version.competition, at)]
    return Standing.objects.filter(scoring_version=version, board__in=boards, ranked=True)


def found_lights(version: ScoringVersion, at: datetime) -> FoundLights:
    """At most ten queries, which read nothing of files without a light."""
    rows = _standing(version, at)
    known = _lit(version)
    # "public" before "private"; a file that stands on both is there once.
    ordered = rows.filter(submission__in=list(known)).order_by("-board", *BOARD_ORDER)
    lines = dict.fromkeys(ordered.values_list("submission", flat=True))
    lit = sorted(lines, key=lambda one: known[one].weight, reverse=True)  # stable
    standing = rows.order_by().values("submission")
    looked_at = FileLights.objects.filter(
        evaluation__scoring_version=version, evaluation__submission__in=standing
    )
    number = standing.distinct().count()
    files = tuple((one, known[one]) for one in lit[:SHOWN])
    return FoundLights(files, len(lit), number, number - looked_at.count())


def _lit(version: ScoringVersion) -> dict[UUID, LightsOfFile]:
    """Of every file that has one: its lights, but for green ones. At most seven queries."""
    says = Q(said__contains='"amber"') | Q(said__contains='"red"')
    looked_at = FileLights.objects.filter(evaluation__scoring_version=version)
    odd = looked_at.annotate(said=Cast("found", TextField())).filter(says)
    others = {
        submission: _others(found)
        for submission, found in odd.values_list("evaluation__submission", "found")
    }
    borrowed = {submission: _lift(kept) for submission, kept in _low(version).items()}
    gaps = {
        submission: [ShownLight(GAP, "amber", errors=f"{errors:.1f}")]
        for submission, errors in unusual_gaps(version, MOST_ERRORS).items()
    }
    found = {
        one: LightsOfFile((*borrowed.get(one, ()), *others.get(one, ()), *gaps.get(one, ())))
        for one in borrowed.keys() | others.keys() | gaps.keys()
    }
    return {submission: lights for submission, lights in found.items() if lights.lit}


def _low(version: ScoringVersion) -> dict[UUID, FileLift]:
    """The lifts that may be too low; a little more than is printed as that."""
    kept = FileLift.objects.filter(evaluation__scoring_version=version, ratio__lt=AMBER)
    found: dict[str, dict[UUID, FileLift]] = {board: {} for board in Board.values}
    for lift in kept.annotate(submission=F("evaluation__submission")):
        found[lift.board][lift.submission] = lift
    public, private = found[Board.PUBLIC], found[Board.PRIVATE]
    # Of private rows there is none before the reveal; of a file that stands on both, the public.
    return private | lifts_of(version, Board.PUBLIC, private.keys() - public.keys()) | public
