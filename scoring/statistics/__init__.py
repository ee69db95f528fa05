"""How far numbers can be believed: pure functions of values per row, with a seed.

pairs     two files row by row, and how far one mean can be trusted
bands     which orders of many files would hold over other rows
agreement how far two raters, or two orders, agree, with intervals

What they share stands here: draws, the error rate, seed and signature.
"""

# The threshold of a hundred files varies over seeds by 0.0003 at 10,000 draws, 0.0016 at 500.
RESAMPLES = 10_000
ERROR_RATE = 0.05
# Nothing is called different over fewer rows: they say too little about rows that were not drawn.
FEWEST_ROWS = 20

_SEED_DIGITS = 8


def seed_of(sha256: str) -> int:
    """The seed that belongs to a reference set, by its hash: the clock never decides.

    >>> seed_of("0000000b" + "0" * 56)
    11
    """
    return int(sha256[:_SEED_DIGITS], 16)


def method_signature(name: str, *, resamples: int, seed: int, rows: int, version: int = 1) -> str:
    """The line that says how such numbers were made; beside it stands that of the scores.

    >>> method_signature("band:range", resamples=10_000, seed=11, rows=250)
    'band:range|B:10000|seed:0000000b|alpha:0.05|rows:250|v:1'
    """
    drawn = f"B:{resamples}|seed:{seed:0{_SEED_DIGITS}x}"
    return f"{name}|{drawn}|alpha:{ERROR_RATE}|rows:{rows}|v:{version}"
