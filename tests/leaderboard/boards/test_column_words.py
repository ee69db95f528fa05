"""What the columns of a board mean, below it: of every column, in plain words, for nothing."""

import re
from collections.abc import Iterator

import pytest
from django.utils.translation import override

from leaderboard.boards.columns import ABOUT, about
from scoring.metrics import NAMES

JARGON = (
    *("bootstrap", "confidence", "interval", "p-value", "quantile", "percentile", "variance"),
    *("standard error", "standard deviation", "null hypothesis", "hypothesis", "significan"),
    *("resampl", "permut", "kappa", "kendall", "tau", "correlat", "statistic", "split", "token"),
    *("simultaneous", "ceiling", "baseline score", "rouge", "lcs", "n-gram", "f1", "precision"),
    *("부트스트랩", "신뢰구간", "신뢰 구간", "유의", "p값", "분위수", "백분위", "분산", "표준오차"),
    *("표준 오차", "표준편차", "귀무", "가설", "재표본", "순열", "카파", "상관", "통계", "토큰"),
    *("루지", "재현율", "정밀도", "검정", "모집단"),
)


def sentences(text: str) -> Iterator[str]:
    yield from (one for one in re.split(r"(?<=[.?!])\s+|:\s", text) if one)


@pytest.mark.parametrize("language", ["ko", "en"])
def test_all_words_are_short_and_plain(language: str) -> None:
    with override(language):
        said = [about(key) for key in ABOUT]
    assert [one for one in said for part in sentences(one) if len(part.split()) > 20] == []
    assert [one for one in said if any(word in one.casefold() for word in JARGON)] == []
    hangul = [bool(re.search("[가-힣]", one)) for one in said]
    assert all(hangul) if language == "ko" else not any(hangul)
    assert not any("{" in one for one in said)


def test_every_metric_is_said_something_of() -> None:
    assert set(NAMES) <= ABOUT.keys()
