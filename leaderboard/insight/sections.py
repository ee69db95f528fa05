"""What the core's pages show of this app: sections of theirs, as `web.fragments` asks for them."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from django.db.models import Subquery, UUIDField
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leaderboard.accounts.rate_limits import count
from leaderboard.actions import checks
from leaderboard.boards.columns import change
from leaderboard.boards.listing import standings_of
from leaderboard.boards.results import ResultCard
from leaderboard.boards.visibility import Viewer, is_final, opening_board
from leaderboard.competitions.models import Competition
from leaderboard.competitions.schedule import Phase, phase
from leaderboard.evaluation.run import prepared_references
from leaderboard.insight.board_columns import final, worth
from leaderboard.insight.closing_report import report_of
from leaderboard.insight.flags import flags_of, report
from leaderboard.insight.models import BoardBands
from leaderboard.insight.near_duplicates import ignored_pairs
from leaderboard.insight.paired_test import between, noise, row_by_row
from leaderboard.insight.slices import kinds, sides_of, slices_of
from leaderboard.insight.trivial_baselines import lines_checks
from leaderboard.references.models import ScoringVersion
from leaderboard.references.queries import practice_examples, released_dialogues
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import Upload, counted
from leaderboard.teams.models import Team
from leaderboard.web.fragments import Step
from leaderboard.web.lookups import WebRequest
from scoring.insight.precision_recall import sides_by_split, sides_profile
from scoring.pipeline import row_totals, score
from scoring.predictions import read
from scoring.ranking import printed
from scoring.statistics import seed_of


def _shown(request: WebRequest, template: str, competition: Competition, **more: Any) -> SafeString:
    known = {"competition": competition, "zone": competition.zoneinfo, **more}
    return render_to_string(f"insight/{template}.html", known, request=request)


def of_submission(
    request: WebRequest, viewer: Viewer, submission: Submission, card: ResultCard
) -> SafeString:
    """What a total is worth and what may be chance; precision and recall; kinds of dialogue."""
    total = card.splits[0].printed[0]
    told = {
        "worth": worth(submission, total, viewer, stands=card.is_best),
        "final": final(submission, viewer),
    }
    return _shown(request, "submission", viewer.competition, **_parts(submission, viewer), **told)


def _parts(submission: Submission, viewer: Viewer) -> dict[str, Any]:
    return {"sides": sides_of(submission, viewer), "kinds": slices_of(submission, viewer)}


def of_desk_submission(
    request: WebRequest, viewer: Viewer, submission: Submission, _counts: bool
) -> SafeString:
    """The parts of its score, its flags, and the way to a comparison."""
    version = viewer.version
    flags = flags_of(version, submission.pk) if version else []
    found = {**_parts(submission, viewer), "submission": submission, "flags": flags}
    return _shown(request, "desk_submission", viewer.competition, **found)


def to_do(viewer: Viewer) -> Iterator[Step]:
    """What organizers look at before the reveal, and the report after it."""
    version, now = viewer.version, phase(viewer.competition, viewer.at)
    if version is None or now is Phase.UPCOMING:
        return
    if now is Phase.REVEALED:
        yield Step("desk_closing", _("Download the closing report"))
        return
    board = opening_board(viewer)
    first = standings_of(version, board, None).filter(ranked=True)
    same = Submission.objects.exclude(team=Subquery(first.values("team")[:1])).filter(
        **counted(),
        sha256=Subquery(first.values("submission__sha256")[:1]),
        cancellation=None,
        team__competition=viewer.competition,
        team__kind=Team.Kind.PARTICIPANT,
        team__disqualified_at=None,
    )
    leading = Subquery(first.values("submission")[:1], output_field=UUIDField())
    copies = list(same.values_list(leading, "pk", "team__name"))
    bands = BoardBands.objects.filter(scoring_version=version, board=board)
    pairs = (bands.values_list("facts", flat=True).first() or {}).get("alike", ())
    known = ignored_pairs(viewer.competition) if copies or pairs else set()
    for one, other, name in copies:
        if frozenset((str(one), str(other))) not in known:
            said = _("The file on rank 1 was also submitted by %(team)s")
            yield Step("desk_duplicates", said % {"team": name})
            break
    alike = any(frozenset(pair) not in known for pair in pairs)
    if alike or now is Phase.CLOSED:
        yield Step("desk_duplicates", _("Review near-duplicates"))
    if now is Phase.CLOSED and (number := report(version, viewer.at)["found"]["lit"]):
        said = ngettext("Review %(n)d file with a flag", "Review %(n)d files with flags", number)
        yield Step("desk_lights", said % {"n": number})


def of_comparison(
    request: WebRequest, viewer: Viewer, before: Submission, after: Submission
) -> SafeString:
    """Whether the totals differ by more than chance; row by row from the reveal on."""
    told = {"noise": noise(before, after, viewer), "by_rows": row_by_row(before, after, viewer)}
    return _shown(request, "pairs", viewer.competition, **told)


def of_shake_up(request: WebRequest, viewer: Viewer) -> SafeString:
    """Where the closing report is found."""
    closing = report_of(viewer.competition) if is_final(viewer) else None
    return _shown(request, "closing_report", viewer.competition, closing=closing)


def of_version(request: WebRequest, version: ScoringVersion) -> SafeString:
    """What its baselines say of its references."""
    return _shown(request, "worth", version.competition, checks=lines_checks(version))


def of_practice(
    request: WebRequest, competition: Competition, practice: checks.Practice
) -> SafeString:
    """Of a dev file: precision and recall over all rows, totals by kind of dialogue."""
    both = prepared_references(practice.reference_set.pk, sides_profile(practice.profile))
    splits = score(practice.texts, both, known=practice.known).splits
    topics = {row.example_id: row.topic for row in practice_examples(practice.reference_set)}
    topics = {row: topics[row] for row in practice.values}
    totals = np.array([total for _, total in practice.values.values()])
    dialogues = released_dialogues(competition, list(topics))
    return _shown(
        request,
        "lab",
        competition,
        sides={"all": sides_by_split(practice.profile, splits)["all"]},
        kinds=kinds(totals, topics, dialogues, {"all": np.arange(len(totals))}),
    )


def of_second_file(
    request: WebRequest, viewer: Viewer, practice: checks.Practice, first: str, second: Upload
) -> SafeString:
    """Two dev files, row by row; the second counts as a run. Raises InvalidFile or Refused.

    The interval may be told: the golds of these rows are in everybody's hands.
    """
    competition = viewer.competition
    reference_set, profile = checks.practice_of(competition)
    if viewer.team is not None:
        count(checks.LAB_RUNS, viewer.team.pk, request.received_at)
    predictions = read(second.data, tuple(practice.values), checks.limits_of(competition))
    report = score(predictions, prepared_references(reference_set.pk, profile))
    totals = row_totals(report.examples, profile).tolist()
    after = dict(zip(report.example_ids, totals, strict=True))
    before = {example_id: total for example_id, (_, total) in practice.values.items()}
    return _shown(
        request,
        "lab_second",
        competition,
        names=(first, second.name),
        total=change(printed(practice.report.total), printed(report.splits["all"].total)),
        by_rows={"dev": between(before, after, seed_of(reference_set.sha256))},
    )
