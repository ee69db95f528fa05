"""What the core's pages show of this app: sections of theirs, as `web.fragments` asks for them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from leaderboard.actions import checks
from leaderboard.actions.refusals import count
from leaderboard.boards.columns import change
from leaderboard.boards.results import ComparedBoard, ResultCard
from leaderboard.boards.visibility import Viewer, is_final
from leaderboard.competitions.models import Competition
from leaderboard.evaluation.run import prepared_references
from leaderboard.insight.board_columns import final, worth
from leaderboard.insight.closing_report import report_of
from leaderboard.insight.flags import lights_of
from leaderboard.insight.pages.lights import reasons
from leaderboard.insight.paired_test import RowByRow, Rows, noise, row_by_row
from leaderboard.insight.slices import kinds, sides_of, slices_of
from leaderboard.insight.trivial_baselines import lines_checks, orders_alone, sets_with_tags
from leaderboard.insight.tuning_gap import flattery
from leaderboard.references.models import ScoringVersion
from leaderboard.references.released import practice_examples, released_dialogues
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import Upload
from leaderboard.teams.models import Team
from leaderboard.web.lookups import WebRequest
from scoring.comparison import row_totals
from scoring.insight.sides import sides_by_split, sides_profile
from scoring.pipeline import SplitReport, score
from scoring.predictions import read
from scoring.ranking import printed
from scoring.statistics.method import seed_of
from scoring.statistics.pairs import pair_signature, paired


def _shown(request: WebRequest, template: str, competition: Competition, **more: Any) -> SafeString:
    known = {"competition": competition, "zone": competition.zoneinfo, **more}
    return render_to_string(f"insight/{template}.html", known, request=request)


def of_result(
    request: WebRequest, viewer: Viewer, submission: Submission, card: ResultCard
) -> tuple[SafeString, SafeString]:
    """Lines of a result card, and below them what may be chance."""
    told = {
        "worth": worth(submission, card.splits[0].printed[0], viewer, stands=card.is_best),
        "final": final(submission, viewer),
    }
    contest = viewer.competition
    return _shown(request, "result", contest, **told), _shown(request, "noise", contest, **told)


def of_submission(request: WebRequest, viewer: Viewer, submission: Submission) -> SafeString:
    """Precision and recall, and totals by kind of dialogue."""
    return _shown(
        request,
        "submission",
        viewer.competition,
        sides=sides_of(submission, viewer),
        kinds=slices_of(submission, viewer),
    )


def of_desk_submission(
    request: WebRequest, viewer: Viewer, submission: Submission, _counts: bool
) -> SafeString:
    """The same with the flags of the file."""
    version = viewer.version
    lights = None if version is None else lights_of(version, [submission.pk]).get(submission.pk)
    return _shown(
        request,
        "submission",
        viewer.competition,
        desk=True,
        submission=submission,
        sides=sides_of(submission, viewer),
        kinds=slices_of(submission, viewer),
        reasons=reasons(lights.shown) if lights else [],
    )


def of_comparison(
    request: WebRequest, viewer: Viewer, before: Submission, after: Submission
) -> SafeString:
    """Both files row by row, from the reveal on."""
    by_rows = row_by_row(before, after, viewer)
    return _shown(request, "pairs", viewer.competition, by_rows=by_rows)


def said_of_noise(viewer: Viewer, board: ComparedBoard) -> str:
    found = noise(board.gap, board.board, viewer)
    if found is None:
        return ""
    if found.exceeded:
        said = _("The totals differ by more than the board's noise of {noise}.")
    else:
        said = _(
            "The totals differ by no more than the board's noise of {noise}: this may be chance."
        )
    return said.format(noise=found.threshold)


def of_shake_up(request: WebRequest, viewer: Viewer) -> SafeString:
    """Where the closing report is found."""
    closing = report_of(viewer.competition) if is_final(viewer) else None
    return _shown(request, "closing_report", viewer.competition, closing=closing)


def of_team(request: WebRequest, viewer: Viewer, counted: Sequence[Submission]) -> SafeString:
    """How far its best total is too high because it is the best of several."""
    found = flattery(counted, viewer)
    return _shown(request, "flattery", viewer.competition, flattery=found)


def of_version(request: WebRequest, version: ScoringVersion) -> SafeString:
    """What its baselines say of its references."""
    golds = version.reference_set_id
    alone = orders_alone(version) if version.is_live else ()
    return _shown(
        request,
        "worth",
        version.competition,
        checks=lines_checks(version, has_tags=golds in sets_with_tags({golds})),
        alone=alone,
        order_moves=not all(one.first_stays for one in alone),
    )


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


@dataclass(frozen=True)
class PracticePair:
    """Another file on the same dev rows: its total, and it minus the first, row by row."""

    report: SplitReport
    by_rows: RowByRow


def practise_beside(
    *,
    competition: Competition,
    team: Team | None,
    practice: checks.Practice,
    data: bytes,
    at: datetime,
) -> PracticePair:
    """Score a second file against the dev set. Counted and raised as by `practise`.

    The interval may be told: the golds of these rows are in everybody's hands.
    """
    reference_set, profile = checks.practice_of(competition)
    if team is not None:
        count(checks.LAB_RUNS, str(team.pk), at)
    predictions = read(data, tuple(practice.values), checks.limits_of(competition))
    prepared = prepared_references(reference_set.pk, profile)
    report = score(predictions, prepared)
    totals = row_totals(report.examples, profile).tolist()
    after = dict(zip(report.example_ids, totals, strict=True))
    before = {example_id: total for example_id, (_, total) in practice.values.items()}
    seed = seed_of(reference_set.sha256)
    by_rows = RowByRow(paired(after, before, seed=seed), pair_signature(seed, len(after)))
    return PracticePair(report.splits["all"], by_rows)


def of_second_file(
    request: WebRequest, viewer: Viewer, practice: checks.Practice, first: str, second: Upload
) -> SafeString:
    """Two dev files, row by row. Raises InvalidFile or Refused."""
    found = practise_beside(
        competition=viewer.competition,
        team=viewer.team,
        practice=practice,
        data=second.data,
        at=request.received_at,
    )
    return _shown(
        request,
        "lab_second",
        viewer.competition,
        names=(first, second.name),
        total=change(printed(practice.report.total), printed(found.report.total)),
        by_rows=Rows({"dev": found.by_rows}),
    )
