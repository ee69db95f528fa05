"""Signs in a judge's answers that something in a summary steered it. They change no score.

The checks that do change scores cannot see two things: claims that the judge left out, and spans
that stand in the text but have nothing to do with what they are cited for.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

UNCLAIMED, UNRELATED_SPANS = "unclaimed", "unrelated_spans"

# Of a sentence's pairs of letters, the share that some claim has to hold.
_CLAIMED = 0.3
_SENTENCES = re.compile(r"(?<=[.!?。…])\s+|\n+")
_WORDS = re.compile(r"[0-9A-Za-z가-힣]+")
_FEWEST = 2


def flags(values: Mapping[str, Any]) -> list[str]:
    """Of a walked row of the shared pipeline; of others, nothing.

    >>> flags({"summary": "민수는 간다. 지우는 온다.", "P1.claims": [{"point": "민수는 간다."}]})
    ['unclaimed']
    """
    found = []
    if _leaves_out(values):
        found.append(UNCLAIMED)
    cited = list(_cited(values))
    strange = [text for text, span in cited if not _pairs(text) & _pairs(span)]
    if len(strange) >= _FEWEST and 2 * len(strange) >= len(cited):
        found.append(UNRELATED_SPANS)
    return found


def _leaves_out(values: Mapping[str, Any]) -> bool:
    """Whether a sentence of the summary is in no claim."""
    claims = values.get("P1.claims")
    if claims is None:
        return False
    claimed = set().union(*(_pairs(claim["point"]) for claim in claims))
    for sentence in _SENTENCES.split(values["summary"]):
        wanted = _pairs(sentence)
        if wanted and len(wanted & claimed) < _CLAIMED * len(wanted):
            return True
    return False


def _cited(values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """(what was asked, the words cited for it) of every item that the judge affirmed."""
    for item in values.get("P2.decomposition") or ():
        if item["verdict"].strip().casefold() == "yes" and item["evidence"]:
            yield item["point"], item["evidence"]
    for item in values.get("P3.answers") or ():
        if item["answered"] and item["related_content_from_summary"]:
            yield item["question"], item["related_content_from_summary"]
    for rubric in values.get("P3.completeness") or ():
        for item in rubric["content_list"]:
            if item["is_covered"] and item["related_content_from_summary"]:
                yield item["transcript_content"], item["related_content_from_summary"]


def _pairs(text: str) -> set[str]:
    """Neighbouring letters inside words: what endings leave of a Korean word."""
    return {
        word[at : at + 2]
        for word in _WORDS.findall(text.casefold())
        for at in range(max(1, len(word) - 1))
    }
