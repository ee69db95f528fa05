"""From an empty installation to a board that rouge-score confirms; nothing private leaks."""

import csv
import functools
import io
import statistics
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import mecab
import pytest
from playwright.sync_api import Browser
from rouge_score.rouge_scorer import RougeScorer

from leaderboard import demo
from tests.browser.play import SLUG, play, read_everything, spellings, window
from tests.browser.play import Played as PlayedContest
from tests.stack import Stack

pytestmark = pytest.mark.browser

TEXTS = Path(demo.__file__).parent
METRICS = ["rouge1", "rouge2", "rougeL"]


class Morphemes:
    """MeCab-ko as rouge-score asks for a tokenizer."""

    def __init__(self) -> None:
        self._mecab = mecab.MeCab()

    def tokenize(self, text: str) -> list[str]:
        return list(self._mecab.morphs(text))


def rows(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO((TEXTS / name).read_text())))


def prediction_file(system: str) -> bytes:
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["fname", "summary"])
    writer.writerows((row["fname"], row[system]) for row in rows("systems.csv"))
    return out.getvalue().encode()


@functools.cache
def expected(system: str, split: str) -> dict[str, float]:
    """Best gold per metric, mean over rows, computed with the rouge-score package."""
    scorer = RougeScorer(METRICS, tokenizer=Morphemes())
    texts = {row["fname"]: row[system] for row in rows("systems.csv")}
    scores = [
        scorer.score_multi([row[f"summary{n}"] for n in (1, 2, 3)], texts[row["fname"]])
        for row in rows("golds.csv")
        if row["split"] == split
    ]
    means = {name: statistics.fmean(score[name].fmeasure for score in scores) for name in METRICS}
    return {**means, "total": sum(means.values())}


@pytest.fixture(scope="module")
def empty_stack() -> Iterator[Stack]:
    with Stack() as stack:
        yield stack


def test_two_people_and_nothing_private_before_the_reveal(
    empty_stack: Stack, chromium: Browser
) -> None:
    systems = {"charlie": "literal", "dana": "good"}
    now = datetime.now(UTC)  # noqa: TID251  the browser and its servers live in real time
    files = {name: prediction_file(system) for name, system in systems.items()}
    played = play(empty_stack, chromium, (TEXTS / "golds.csv").read_bytes(), files, now)
    hidden: dict[str, str] = {}
    for name, system in systems.items():
        public = f"{expected(system, 'public')['total']:.4f}"
        assert played.totals[name] == played.board[name] == public
        for metric, value in expected(system, "private").items():
            hidden |= spellings(f"{name} {metric}", value)
    assert len(hidden) == 2 * 4 * 7
    shown = {text for _, text in played.seen}
    hidden = {name: needle for name, needle in hidden.items() if not is_public(needle, systems)}
    assert len(shown) > 20
    assert played.places_of(hidden) == []
    reveal(empty_stack)
    after = PlayedContest()
    with window(chromium, empty_stack) as visitor:
        read_everything(visitor, after)
    total = expected("good", "private")["total"]
    assert after.places_of({"dana's private total": f"{total:.4f}"}), "the search finds nothing"


def is_public(needle: str, systems: dict[str, str]) -> bool:
    """A short spelling that a public number of the same people shares says nothing private."""
    return any(
        needle in form
        for system in systems.values()
        for metric, value in expected(system, "public").items()
        for form in spellings(metric, value).values()
    )


def reveal(stack: Stack) -> None:
    """Let the dates of the contest pass."""
    stack.manage(
        "shell",
        "-v",
        "0",
        "-c",
        "from datetime import timedelta\n"
        "from leaderboard.competitions.models import Competition\n"
        f"made = Competition.objects.get(slug={SLUG!r})\n"
        "for name in ('opens_at', 'closes_at', 'reveals_at'):\n"
        "    setattr(made, name, getattr(made, name) - timedelta(days=3))\n"
        "made.save()\n",
    )
