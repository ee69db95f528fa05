"""Flags on files that look made for the number, for organizers: a task looks at files that stand.

Numbers and method are `scoring.insight.flags`'; the dialogue-specific share stands before them.
Nothing follows from a flag.
"""

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import Q, QuerySet, TextField
from django.db.models.functions import Cast
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from leaderboard.boards.listing import BOARD_ORDER, standings_of
from leaderboard.boards.models import Figures, Placement, Standing
from leaderboard.boards.visibility import boards_of_everybody
from leaderboard.evaluation.claim import is_supported
from leaderboard.evaluation.models import Evaluation
from leaderboard.evaluation.run import (
    VersionFailed,
    Work,
    keeping,
    kept_tokens,
    prepared_references,
    workable,
)
from leaderboard.insight.board_columns import MARKS
from leaderboard.insight.models import FileLift, FileLights
from leaderboard.insight.specificity import (
    LATELY,
    in_percent,
    lifts_of,
    percent_text,
    standing_without,
)
from leaderboard.insight.tuning_gap import unusual_gaps
from leaderboard.references.models import ScoringVersion
from leaderboard.references.queries import dialogues_of
from leaderboard.submissions.queries import texts
from leaderboard.web.page import DeskPage, page
from scoring.insight.flags import LIGHTS, METHOD, signs, usual
from scoring.insight.specificity import AMBER, light
from scoring.signature import with_part

Board = Placement.Board
KEPT = "lights"  # among the figures of a large contest
SHARE = "lift"
GAP = "gap"
MOST_ERRORS = 4  # a gap further above the median of the field has a flag
SHOWN = 100  # files that are named; those with the most flags come first
ORDER = {"red": 0, "amber": 1, "green": 2}

NAMES: dict[str, Promise] = {
    SHARE: _("Dialogue-specific share"),
    "copying": pgettext_lazy("flag", "Copied"),
    "repetition": pgettext_lazy("flag", "Repeated"),
    "constant": pgettext_lazy("flag", "Same text"),
    "speaker": pgettext_lazy("flag", "Speaker tags"),
    "orders": pgettext_lazy("flag", "Instructions"),
    "length": pgettext_lazy("flag", "Length"),
    GAP: _("Public–private difference"),
}

WHY: dict[str, Promise] = {
    SHARE: _(
        "The texts would score nearly as much on other dialogues. A weak but honest file can also "
        "have this flag."
    ),
    "copying": _(
        "More of the text is copied from the dialogue than in nearly all references. "
        "A summary made of the dialogue's own sentences does that in every row."
    ),
    "repetition": _("The text repeats itself more than nearly all references do."),
    "constant": _("Other rows have exactly the same text."),
    "speaker": _("The text names a speaker with a colon, as the dialogue does."),
    "orders": _("The text asks for a score, gives instructions, or is only a keyword."),
    "length": _("The text is much shorter or longer than references differ from each other."),
    GAP: _("The public total is further above the private one than in most teams."),
}


def signature(version: ScoringVersion) -> str | None:
    """How its flags are made, with the dialogues of its lines; None until it has lines."""
    lines: dict[str, Any] | None = (version.self_check or {}).get("lines")
    return None if lines is None else with_part(lines["signature"], "lights", METHOD)


def without_lights(
    at: datetime, since: datetime | None = None
) -> tuple[ScoringVersion, str, list[Evaluation]] | None:
    """Some files that stand on a live board without their flags, which get this signature; None:
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
            given = texts(evaluation.submission_id)
            known = kept_tokens(evaluation.submission_id, what_is.tokenizer, given)
            used = {name: given[name] for name in what_is.lengths}
            FileLights.objects.update_or_create(
                evaluation=evaluation,
                defaults={"signature": signed, "found": dict(signs(used, what_is, known))},
            )
    return True


class Flag(NamedTuple):
    """One flag of a file. rows, of: how many are odd; for the share there is `percent` instead, for
    the gap between both boards `errors`: how many standard errors it lies above the usual one.
    """

    name: str
    light: str
    rows: int = 0
    of: int = 0
    percent: str = ""
    errors: str = ""

    @property
    def label(self) -> Promise:
        return NAMES[self.name]

    @property
    def why(self) -> Promise:
        return WHY[self.name]

    @property
    def mark(self) -> str:
        return MARKS[self.light].strip()


def flags_of(version: ScoringVersion, submission: UUID) -> list[Flag]:
    """Those of a submission that was looked at, green ones too, for who runs the contest."""
    share = _shares(version, [submission]).get(submission)
    looked_at = FileLights.objects.filter(
        evaluation__scoring_version=version, evaluation__submission=submission
    ).first()
    return [*_of_share(share), *_of_signs(looked_at.found if looked_at else {})]


def _shares(
    version: ScoringVersion, submissions: Sequence[UUID] | QuerySet[Any, Any]
) -> dict[UUID, FileLift]:
    """Of a file that stands on both boards the public one; no private one before the reveal."""
    private = lifts_of(version, Board.PRIVATE, submissions)
    return private | lifts_of(version, Board.PUBLIC, submissions)


def _of_share(kept: FileLift | None) -> list[Flag]:
    if kept is None or kept.ratio is None:
        return []
    percent = in_percent(kept.ratio)
    return [Flag(SHARE, light(percent / 100), percent=percent_text(percent))]


def _of_signs(found: dict[str, list[Any]]) -> list[Flag]:
    return [Flag(name, *found[name]) for name in LIGHTS if name in found]


def found_flags(version: ScoringVersion, at: datetime) -> dict[str, Any]:
    """Of every team's file on the public board, from the reveal on also of that on the private
    one; baselines left out. As JSON keeps it: `files` with their flags, the most flagged first,
    SHOWN of all `lit` ones; `of`: that stand there; `unlooked`: not looked at yet.

    At most ten queries, which read nothing of files without a flag.
    """
    rows = _standing(version, at)
    known = _lit(version)
    # "public" before "private"; a file that stands on both is there once.
    ordered = rows.filter(submission__in=list(known)).order_by("-board", *BOARD_ORDER)
    lit = list(dict.fromkeys(ordered.values_list("submission", flat=True)))
    lit.sort(key=lambda one: [flag.light for flag in known[one]].count("amber"), reverse=True)
    lit.sort(key=lambda one: [flag.light for flag in known[one]].count("red"), reverse=True)
    standing = rows.order_by().values("submission")
    looked_at = FileLights.objects.filter(
        evaluation__scoring_version=version, evaluation__submission__in=standing
    )
    of = standing.distinct().count()
    return {
        "files": [[str(one), [list(flag) for flag in known[one]]] for one in lit[:SHOWN]],
        "lit": len(lit),
        "of": of,
        "unlooked": of - looked_at.count(),
    }


def _standing(version: ScoringVersion, at: datetime) -> QuerySet[Standing]:
    boards = [board for board, _ in boards_of_everybody(version.competition, at)]
    return Standing.objects.filter(scoring_version=version, board__in=boards, ranked=True)


def _lit(version: ScoringVersion) -> dict[UUID, list[Flag]]:
    """The flags but for green ones, red ones first, of every file that has one."""
    found: dict[UUID, list[Flag]] = {}
    # A little more is low than is printed as that.
    low = FileLift.objects.filter(evaluation__scoring_version=version, ratio__lt=AMBER)
    for submission, kept in _shares(version, low.values("evaluation__submission")).items():
        found[submission] = _of_share(kept)
    says = Q(said__contains='"amber"') | Q(said__contains='"red"')
    looked_at = FileLights.objects.filter(evaluation__scoring_version=version)
    odd = looked_at.annotate(said=Cast("found", TextField())).filter(says)
    for submission, of_file in odd.values_list("evaluation__submission", "found"):
        found.setdefault(submission, []).extend(_of_signs(of_file))
    for submission, errors in unusual_gaps(version, MOST_ERRORS).items():
        found.setdefault(submission, []).append(Flag(GAP, "amber", errors=f"{errors:.1f}"))
    lit = {
        submission: sorted(
            (one for one in of_file if one.light != "green"), key=lambda one: ORDER[one.light]
        )
        for submission, of_file in found.items()
    }
    return {submission: of_file for submission, of_file in lit.items() if of_file}


@page("desk/lights", "desk_lights")
class FlagsPage(DeskPage):
    """`/c/<slug>/desk/lights`: the files on the leaderboards, most flags first."""

    tab = "desk_submissions"
    template = "insight/lights.html"

    def context(self) -> dict[str, Any]:
        version = self.viewer.version
        explained = [(NAMES[name], WHY[name]) for name in NAMES]
        return {"explained": explained} | (report(version, self.at) if version else {})


def report(version: ScoringVersion, at: datetime) -> dict[str, Any]:
    """`found`, and its `files` that stand there still: submission, team, file name, flags.

    Of a large contest as it was last counted, at `made_at`.
    """
    kept = Figures.kept(version, at)
    if kept is not None and KEPT not in kept.more:
        kept = None
    found = kept.more[KEPT] if kept else found_flags(version, at)
    of_file = {UUID(one): [Flag(*flag) for flag in of] for one, of in found["files"]}
    named = _standing(version, at).filter(submission__in=list(of_file))
    values = named.values_list("submission", "team__name", "submission__file_name")
    names = {submission: (team, file_name) for submission, team, file_name in values}
    files = [(one, *names[one], flags) for one, flags in of_file.items() if one in names]
    return {"found": found, "files": files, "made_at": kept.made_at if kept else None}
