"""How much of a summary carries something that mattered, at no further call.

After FineSurE: the share of sentences that match a key fact. Here claims take the place of
sentences. No call links claims to contents, because the call that sees the contents does not see
the claims; the link is made by comparing characters [own], so the value is an estimate.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from scoring.judges.evidence import plain
from scoring.judges.records import Item

# Of the shorter text's character pairs, the share that both have.
SHARED_PAIRS = 0.5

_TAG = re.compile(r"#\w+#")


def carrying(claims: Sequence[Item], spans: Iterable[str]) -> frozenset[str]:
    """Ids of claims that restate one of the spans of the summary which cover a content.

    >>> points = {"c1": "#Person1#은 두통이 심하다.", "c2": "#Person1#은 웃는다."}
    >>> claims = [{"id": each, "point": point} for each, point in points.items()]
    >>> sorted(carrying(claims, ["#Person1#은 두통이 심해"]))
    ['c1']
    """
    covered = [pairs for pairs in map(_pairs, spans) if pairs]
    return frozenset(
        claim["id"]
        for claim in claims
        if any(_alike(_pairs(claim["point"]), each) for each in covered)
    )


def _pairs(text: str) -> Counter[str]:
    """Character pairs, without speaker tags: every claim about a speaker shares those."""
    written = plain(_TAG.sub(" ", text))
    return Counter(written[at : at + 2] for at in range(len(written) - 1))


def _alike(one: Counter[str], other: Counter[str]) -> bool:
    shorter = min(one.total(), other.total())
    return shorter > 0 and (one & other).total() >= SHARED_PAIRS * shorter
