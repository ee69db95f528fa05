"""From an empty installation to a board that rouge-score confirms."""

import csv
import io
import statistics
from datetime import UTC, datetime
from pathlib import Path

import mecab
import pytest
from playwright.sync_api import Browser
from rouge_score.rouge_scorer import RougeScorer

from leaderboard import demo
from tests.browser.play import CONTEST, SLUG, play
from tests.person import Person
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


def expected(system: str, split: str) -> str:
    """Best gold per metric, mean over rows, added up, computed with the rouge-score package."""
    scorer = RougeScorer(METRICS, tokenizer=Morphemes())
    texts = {row["fname"]: row[system] for row in rows("systems.csv")}
    scores = [
        scorer.score_multi([row[f"summary{n}"] for n in (1, 2, 3)], texts[row["fname"]])
        for row in rows("golds.csv")
        if row["split"] == split
    ]
    total = sum(statistics.fmean(score[name].fmeasure for score in scores) for name in METRICS)
    return f"{total:.4f}"


REVEAL = f"""
from datetime import timedelta
from leaderboard.competitions.models import Competition
made = Competition.objects.get(slug={SLUG!r})
for name in ("opens_at", "closes_at", "reveals_at"):
    setattr(made, name, getattr(made, name) - timedelta(days=3))
made.save()
"""


def test_an_empty_installation_comes_to_boards_that_rouge_score_confirms(
    chromium: Browser,
) -> None:
    """That nothing private is told before the reveal: tests/leaderboard/web/test_crawl.py."""
    systems = {"charlie": "literal", "dana": "good"}
    now = datetime.now(UTC)  # noqa: TID251  the browser and its servers live in real time
    files = {name: prediction_file(system) for name, system in systems.items()}
    with Stack() as stack:
        totals = play(stack, chromium, (TEXTS / "golds.csv").read_bytes(), files, now)
        for name, system in systems.items():
            assert set(totals[name]) == {expected(system, "public")}
        visitor, private = Person(stack.url, "visitor"), f"{CONTEST}/leaderboard?board=private"
        assert visitor.get(private).status == 404
        stack.manage("shell", "-v", "0", "-c", REVEAL)
        shown = visitor.get(private).text
        assert all(expected(system, "private") in shown for system in systems.values())
