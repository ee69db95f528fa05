"""What a judge said of two submissions, by their rows' differences: never two intervals compared.

One config at a time: values of two configs have nothing in common.
"""

from dataclasses import dataclass
from decimal import Decimal
from uuid import UUID

from leaderboard.boards.models import Placement
from leaderboard.boards.text import MINUS, THOUSAND, three_decimals
from leaderboard.boards.visibility import may_see_judge
from leaderboard.boards.visit import Visit
from leaderboard.judging.columns import active_config
from leaderboard.judging.models import JudgeConfig
from leaderboard.judging.pairs import PairedMetric, paired
from scoring.statistics import Difference

SAME, HIGHER, LOWER = "same", "higher", "lower"


@dataclass(frozen=True)
class JudgePair:
    """One metric of both, over the `rows` that both have a score of; texts of three decimals.

    `difference` is that of the printed means, second minus first; `low` and `high` are its 95 %
    interval, empty below two rows. `verdict` says of the second that it is `higher` or `lower`, or
    `same`: not distinguishable.
    """

    metric: str
    before: str
    after: str
    difference: str
    low: str
    high: str
    rows: int
    verdict: str


@dataclass(frozen=True)
class JudgePairs:
    """Every metric that both have on one board, under the config of this name and hash."""

    board: str
    label: str
    number: int
    config_hash: str
    is_partial: bool
    values: tuple[JudgePair, ...]


def judge_pairs(
    visit: Visit, before: UUID, after: UUID, *, config: JudgeConfig | None = None
) -> tuple[JudgePairs, ...]:
    """Both, of the viewer's own team or of anybody for editors, on the boards that may be seen.

    Under the shown config, or under `config` for who runs the contest. Without the flag on the
    competition nothing is asked.
    """
    config = config or active_config(visit.competition)
    if config is None:
        return ()
    config.competition = visit.competition
    boards = [board for board in Placement.Board.values if may_see_judge(visit, board)]
    return tuple(
        JudgePairs(
            board=board,
            label=config.label,
            number=config.number,
            config_hash=config.config_hash,
            is_partial=found.is_partial,
            values=tuple(_printed(metric) for metric in found.metrics),
        )
        for board in boards
        if (found := paired(config, board, before, after)) is not None
    )


def _printed(found: PairedMetric) -> JudgePair:
    before, after = three_decimals(found.before), three_decimals(found.after)
    low, high = _ends(found.difference)
    return JudgePair(
        metric=found.metric,
        before=before,
        after=after,
        difference=signed(int((Decimal(after) - Decimal(before)) * THOUSAND)),
        low="" if low is None else signed(low),
        high="" if high is None else signed(high),
        rows=found.difference.rows,
        verdict=verdict(found.difference),
    )


def _ends(found: Difference) -> tuple[int | None, int | None]:
    """The interval in thousandths, as it is printed; None below two rows."""
    low, high = found.low, found.high
    return (
        None if low is None else round(low * THOUSAND),
        None if high is None else round(high * THOUSAND),
    )


def verdict(found: Difference) -> str:
    """By the printed ends, so that nothing is called different by what cannot be seen."""
    low, high = _ends(found)
    if not found.distinguishable:
        return SAME
    if low is not None and low > 0:
        return HIGHER
    return LOWER if high is not None and high < 0 else SAME


def signed(thousandths: int) -> str:
    """A difference with its sign always shown.

    >>> signed(42), signed(0), signed(-1042)
    ('+0.042', '0.000', '−1.042')
    """
    sign = "+" if thousandths > 0 else MINUS if thousandths < 0 else ""
    return f"{sign}{abs(thousandths) / THOUSAND:.3f}"
