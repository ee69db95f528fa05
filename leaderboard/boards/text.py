"""Printed numbers: integers of 10⁻⁴ as the text that pages show."""

from decimal import Decimal
from math import floor
from typing import NamedTuple

from leaderboard.texts import reader_language
from scoring import metrics

SCALE = 10_000
PLACES = 4
THOUSAND = 1000
MINUS = "\N{MINUS SIGN}"


def decimals(printed: int) -> str:
    """A printed integer as text.

    >>> decimals(12387), decimals(-42)
    ('1.2387', '−0.0042')
    """
    sign = MINUS if printed < 0 else ""
    whole, part = divmod(abs(printed), SCALE)
    return f"{sign}{whole}.{part:04d}"


def number(printed: int) -> Decimal:
    """A printed integer for programs.

    >>> number(12387), number(0)
    (Decimal('1.2387'), Decimal('0.0000'))
    """
    return Decimal(printed).scaleb(-PLACES)


def as_float(printed: int | None) -> float | None:
    """A printed integer as JSON has it, to the printed digit; None for what is not there.

    >>> as_float(12387), as_float(-42), as_float(None)
    (1.2387, -0.0042, None)
    """
    return None if printed is None else float(number(printed))


def signed(printed: int) -> str:
    """A difference with its sign always shown.

    >>> signed(42), signed(0)
    ('+0.0042', '0.0000')
    """
    return f"+{decimals(printed)}" if printed > 0 else decimals(printed)


class PrintedChange(NamedTuple):
    """Two printed numbers as text, and their difference; None for what is not there."""

    before: str | None
    after: str | None
    difference: str | None


def change(before: int | None, after: int | None) -> PrintedChange:
    """Of two printed integers, so that the three agree to the last digit.

    >>> change(42, 84), change(None, 84).difference
    (PrintedChange(before='0.0042', after='0.0084', difference='+0.0042'), None)
    """
    return PrintedChange(
        before=None if before is None else decimals(before),
        after=None if after is None else decimals(after),
        difference=None if before is None or after is None else signed(after - before),
    )


def thousandths(printed: int) -> Decimal:
    """A board's noise for programs and pages: finer digits of it say nothing.

    >>> thousandths(1284)
    Decimal('0.128')
    """
    return number(printed).quantize(Decimal("0.001"))


def in_percent(share: float) -> int:
    """Whole percent, half up.

    >>> in_percent(0.125), in_percent(-0.004)
    (13, 0)
    """
    return floor(100 * share + 0.5)


def percent_text(value: int | None) -> str:
    """Whole percent as a cell has it.

    >>> percent_text(-3), percent_text(None)
    ('−3 %', '')
    """
    return "" if value is None else f"{value} %".replace("-", MINUS)


def three_decimals(value: float) -> str:
    """A judge's value as text, half up; finer ones would tell what one changed row did.

    >>> three_decimals(0.0625), three_decimals(0.98765)
    ('0.063', '0.988')
    """
    return f"{floor(value * THOUSAND + 0.5) / THOUSAND:.3f}"


def label(metric: str, constant: int | None = None) -> str:
    """A metric's key as the name people know, with what is printed beside it.

    >>> label("rouge1"), label("rouge1.recall")
    ('ROUGE-1', 'ROUGE-1 recall')
    """
    heading = metrics.parse(metric).heading(reader_language(), constant)
    return " ".join(filter(None, (heading, metric.partition(".")[2])))
