"""How many files came in on each contest day, as bars."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from leaderboard.web.charts.shapes import Box, Label, coordinate

SHOWN = 60  # the newest so many days


@dataclass(frozen=True)
class DayBars:
    """The drawing. The bar of today is marked; `top` is the highest bar with its number."""

    name: str
    width: int
    height: int
    left: str
    right: str
    base: str
    bars: tuple[Box, ...]
    dates: tuple[Label, ...]
    top: Label


def contest_days(taken: Mapping[date, int], first: date, today: date) -> list[tuple[date, int]]:
    """Every day from the first of the contest to today with its number, at most the newest 60.

    >>> contest_days({date(2026, 11, 17): 2}, date(2026, 11, 16), date(2026, 11, 17))
    [(datetime.date(2026, 11, 16), 0), (datetime.date(2026, 11, 17), 2)]
    """
    first = min([first, *taken])
    count = max((today - first).days + 1, 0)
    days = [first + timedelta(days=place) for place in range(max(count - SHOWN, 0), count)]
    return [(day, taken.get(day, 0)) for day in days]


def day_bars(days: Sequence[tuple[date, int]], today: date) -> tuple[DayBars, ...]:
    """The bars drawn wide, and once more for a phone; nothing when nothing came in."""
    if not any(number for _, number in days):
        return ()
    return (
        _bars("wide", days, today, width=1208, every=max(1, len(days) // 10)),
        _bars("narrow", days, today, width=340, every=max(1, len(days) // 4)),
    )


def _bars(
    name: str, days: Sequence[tuple[date, int]], today: date, *, width: int, every: int
) -> DayBars:
    left, right, base, ceiling = 20.0, width - 20.0, 112.0, 20.0
    step = min((right - left) / len(days), 48.0)
    most = max(number for _, number in days)

    def middle(place: int) -> float:
        return left + step * (place + 0.5)

    def rise(number: int) -> float:
        return (base - ceiling) * number / most

    highest = next(place for place, (_, number) in enumerate(days) if number == most)
    return DayBars(
        name=name,
        width=width,
        height=134,
        left=coordinate(left),
        right=coordinate(right),
        base=coordinate(base),
        bars=tuple(
            Box(
                x=coordinate(middle(place) - step * 0.35),
                y=coordinate(base - rise(number)),
                width=coordinate(step * 0.7),
                height=coordinate(rise(number)),
                kind="dme" if day == today else "d",
            )
            for place, (day, number) in enumerate(days)
            if number
        ),
        dates=tuple(
            Label(x=coordinate(middle(place)), text=f"{days[place][0]:%m-%d}")
            for place in range(0, len(days), every)
        ),
        top=Label(x=coordinate(middle(highest)), text=str(most), y=coordinate(ceiling - 6)),
    )
