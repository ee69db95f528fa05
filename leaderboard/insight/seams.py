"""Where this app is registered with the rest, which names nothing of it.

Its pages put themselves among the addresses of a contest when they are imported.
"""

from django.utils.translation import gettext_lazy

from leaderboard.audit.log import KINDS
from leaderboard.boards import columns
from leaderboard.boards.figures import DERIVED, MORE, Derived
from leaderboard.insight import (  # noqa: F401
    board_columns,
    flags,
    near_duplicates,
    paired_test,
    reliability,
    sections,
)
from leaderboard.insight.closing_report import due_report, make_next_report
from leaderboard.insight.models import ClosingReport
from leaderboard.insight.rank_range import due, make_next_bands
from leaderboard.insight.specificity import make_next_lifts, without_lift
from leaderboard.insight.trivial_baselines import make_next_lines, without_lines
from leaderboard.insight.tuning_gap import make_next_spreads
from leaderboard.operations import backup
from leaderboard.web import fragments

FIRST = (
    Derived(lambda _at: make_next_lines(), lambda _at, _since: without_lines()),
    Derived(make_next_bands, lambda at, _since: due(at)),
)
LATER = (
    Derived(make_next_lifts, without_lift, of_files=True),
    Derived(make_next_spreads, lambda _at, _since: None),
    Derived(make_next_report, lambda at, _since: due_report(at)),
    Derived(flags.make_next_lights, flags.without_lights, of_files=True),
)


def register() -> None:
    """Once a process, when the models are loaded."""
    DERIVED[:] = [*FIRST, *DERIVED, *LATER]
    MORE[flags.KEPT] = flags.found_flags
    backup.NAMED_BY += [
        ("default", ClosingReport, "public", "public_sha256"),
        ("golds", ClosingReport, "organizers", "organizers_sha256"),
    ]
    place = columns.EXPORTED.index(columns.total)
    columns.EXPORTED[place : place + 1] = [
        board_columns.rank_ranges,
        columns.total,
        board_columns.ways,
    ]
    columns.EXPORTED.append(board_columns.file_columns)
    columns.ABOUT.update(board_columns.ABOUT)
    taken = gettext_lazy("Downloaded the closing report with references")
    KINDS["competition.closing_report_taken"] = taken
    fragments.BOARD.append(reliability.said_of_board)
    fragments.TO_DO.append(sections.to_do)
    fragments.RANKING.append(reliability.of_ranking)
    fragments.SUBMISSION.append(sections.of_submission)
    fragments.DESK_SUBMISSION.append(sections.of_desk_submission)
    fragments.COMPARISON.append(sections.of_comparison)
    fragments.SHAKE_UP.append(sections.of_shake_up)
    fragments.VERSION.append(sections.of_version)
    fragments.LAB.append(sections.of_practice)
    fragments.LAB_SECOND.append(sections.of_second_file)
