"""Printed numbers: integers of 10⁻⁴ as the text that pages show."""

SCALE = 10_000
MINUS = "\N{MINUS SIGN}"


def decimals(printed: int) -> str:
    """A printed integer as text.

    >>> decimals(12387), decimals(-42)
    ('1.2387', '−0.0042')
    """
    sign = MINUS if printed < 0 else ""
    whole, part = divmod(abs(printed), SCALE)
    return f"{sign}{whole}.{part:04d}"


def signed(printed: int) -> str:
    """A difference with its sign always shown.

    >>> signed(42), signed(0)
    ('+0.0042', '0.0000')
    """
    return f"+{decimals(printed)}" if printed > 0 else decimals(printed)


LABELS = {"rouge1": "ROUGE-1", "rouge2": "ROUGE-2", "rouge3": "ROUGE-3", "rougeL": "ROUGE-L"}


def label(metric: str) -> str:
    """A metric's key as the name people know: `rouge1` → `ROUGE-1`, `rouge1.r` → `ROUGE-1 r`."""
    name, _, part = metric.partition(".")
    return " ".join(filter(None, (LABELS.get(name, name), part)))
