"""Names of uploads are shown to people, so they carry no path and no invisible mark."""

import pytest

from leaderboard.submissions.queries import clean_name

EVIL = [
    ("../../etc/passwd", "passwd"),
    ("C:\\fakepath\\예측.csv", "예측.csv"),
    ("a\0b.csv", "ab.csv"),
    ("a\r\nSet-Cookie: x.csv", "aSet-Cookie: x.csv"),
    ("\u202egnp.csv", "gnp.csv"),
    ("가" * 300, "가" * 120),
    ("", "predictions.csv"),
    ("../", "predictions.csv"),
    ("\u1100\u1161.csv", "\uac00.csv"),  # decomposed, as macOS sends it
]


@pytest.mark.parametrize(("sent", "shown"), EVIL)
def test_it_works(sent: str, shown: str) -> None:
    assert clean_name(sent) == shown
