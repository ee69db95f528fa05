"""Looking for secrets in answers: private numbers in every form they could be printed in, golds."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_DOWN, Decimal
from html import unescape
from urllib.parse import unquote

from leaderboard.evaluation.models import SplitScore
from tests.leaderboard.web.crawl import Page
from tests.leaderboard.web.stage import CANARY


@dataclass(frozen=True)
class Needles:
    """What must not be found. `wholes` are integers and count only when they stand alone."""

    texts: frozenset[str]
    wholes: frozenset[str] = frozenset()

    def __len__(self) -> int:
        return len(self.texts) + len(self.wholes)


def forms(value: float) -> set[str]:
    """A score as it may be printed: 4, 5, 6 decimals, all of them, and × 100 with 2, 3, 4.

    >>> sorted(forms(0.73190246))
    ['0.7319', '0.73190', '0.731902', '0.73190246', '73.19', '73.190', '73.1902']
    """
    exact = Decimal(repr(value))
    found = {repr(value)}
    for number, decimals in ((exact, (4, 5, 6)), (exact * 100, (2, 3, 4))):
        for places in decimals:
            step = Decimal(1).scaleb(-places)
            found |= {f"{number:.{places}f}", str(number.quantize(step, ROUND_DOWN))}
    return found


def of_scores(scores: Iterable[SplitScore]) -> Needles:
    """Totals and metrics of these rows, as text and as the integers of 10⁻⁴ that are stored."""
    values = [value for row in scores for value in (row.total, *row.metrics.values())]
    return Needles(
        texts=frozenset(form for value in values for form in forms(value)),
        wholes=frozenset(str(round(value * 10_000)) for value in values),
    )


GOLDS = Needles(texts=frozenset({CANARY}))


NUMBER = re.compile(r"\d*\.\d+")
# Django numbers its permissions anew with every flush: after many one of them is a score by chance.
PERMISSION = re.compile(r'<option value="\d+"(?=[^>]*>[^<|]+ \| [^<|]+ \| )')


def hits(pages: Iterable[Page], needles: Needles) -> list[str]:
    """Who found which needle where; headers, cookies and bodies, also behind entities and %-codes.

    >>> page = Page("alice", "GET /", 200, "ETag: 7319", b"")
    >>> hits([page], Needles(frozenset(), frozenset({"7319"})))
    ['alice GET /: 7319']
    """
    whole = re.compile(rf"(?<![\w.-])(?:{'|'.join(sorted(needles.wholes)) or '$^'})(?![\w-])")
    words = [needle for needle in needles.texts if not NUMBER.fullmatch(needle)]
    numbers = needles.texts.difference(words)
    found = []
    for page in pages:
        said = PERMISSION.sub("<option", page.text)
        text = f"{said}\n{unquote(unescape(said))}"
        digits = " ".join(set(NUMBER.findall(text)))  # a hundredth of the text to look through
        seen = {word for word in words if word in text}
        seen |= {number for number in numbers if number in digits}
        seen.update(match[0] for match in whole.finditer(text))
        found += [f"{page.role} {page.asked}: {needle}" for needle in sorted(seen)]
    return found
