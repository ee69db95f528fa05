"""The form of every answer, as JSON Schema.

The subset that all providers take: every field required (nullable instead of optional), no other
fields, no limits on lengths or numbers; those are checked after the answer came. Properties stand
in the order in which they are to be written, evidence and reasoning before the verdict, so that
the verdict follows from them.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

Body = dict[str, Any]


@dataclass(frozen=True)
class Schema:
    """A named answer form. `sha256` belongs to the identity of a stored call."""

    name: str
    body: Body

    @property
    def sha256(self) -> str:
        """Of the canonical text. The order of properties counts: models write in that order."""
        text = json.dumps(self.body, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()


def fields(**properties: Body) -> Body:
    """An object with all of these and nothing else."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def listed(items: Body) -> Body:
    """A list of these."""
    return {"type": "array", "items": items}


def one_of(*labels: str) -> Body:
    """One of some words."""
    return {"type": "string", "enum": list(labels)}


TEXT: Body = {"type": "string"}
QUOTE: Body = {"type": ["string", "null"]}
TRUTH: Body = {"type": "boolean"}
VERDICT = one_of("yes", "no", "unsure")
_TEXTS = listed(TEXT)

CLAIM = fields(id=TEXT, point=TEXT)
POINT_VERDICT = fields(id=TEXT, point=TEXT, evidence=QUOTE, accuracy=TEXT, verdict=VERDICT)
ANSWER = fields(
    id=TEXT, question=TEXT, related_content_from_summary=QUOTE, reasoning=TEXT, answered=TRUTH
)
ADHERENCE = fields(
    id=TEXT, question=TEXT, related_content_from_summary=QUOTE, reasoning=TEXT, is_addressed=TRUTH
)
_SOURCE_ANSWER = fields(id=TEXT, question=TEXT, evidence=QUOTE, reasoning=TEXT, answered=TRUTH)
_SOURCE_CONTENT = fields(evidence=TEXT, transcript_content=TEXT)


_COVERED = {
    "transcript_content": TEXT,
    "related_content_from_summary": TEXT,
    "is_covered": TRUTH,
}
CONTENT = fields(id=TEXT, **_COVERED)


def contents(content: Body) -> Body:
    """A rubric with its contents."""
    return fields(id=TEXT, question=TEXT, content_list=listed(content))


# Of the page of Google, where nothing has an id.
POINT = fields(point=TEXT, accuracy=TEXT, is_accurate=TRUTH)
RUBRIC = fields(question=TEXT, reasoning=TEXT, is_addressed=TRUTH)
QUESTION_CONTENTS = fields(question=TEXT, content_list=listed(fields(**_COVERED)))

_BODIES: dict[str, Body] = {
    # shared
    "claims": fields(claims=listed(CLAIM)),
    "verify": fields(decomposition=listed(POINT_VERDICT)),
    "cover": fields(answers=listed(ANSWER), completeness=listed(contents(CONTENT))),
    "adhere": fields(rubrics=listed(ADHERENCE)),
    "reason": fields(reason=TEXT),
    # artefacts
    "rubric_questions": fields(rubrics=listed(fields(id=TEXT, question=TEXT))),
    "questions": fields(questions=listed(fields(id=TEXT, evidence=TEXT, question=TEXT))),
    "source_answers": fields(answers=listed(_SOURCE_ANSWER)),
    "contents": fields(completeness=listed(contents(_SOURCE_CONTENT))),
    # faithful: ids are not echoed, Mastra's label is a free string
    "texts_claims": fields(claims=_TEXTS),
    "texts_questions": fields(questions=_TEXTS),
    "texts_answers": fields(answers=_TEXTS),
    "texts_truths": fields(truths=_TEXTS),
    "mastra_alignment": fields(verdicts=listed(fields(claim=TEXT, reason=TEXT, verdict=TEXT))),
    "mastra_2026_judge": fields(
        alignment=listed(fields(claim=TEXT, reason=TEXT, supported=TRUTH)), questions=_TEXTS
    ),
    "mastra_2026_cover": fields(
        coverage=listed(fields(question=TEXT, reason=TEXT, answered=TRUTH))
    ),
    "deepeval_alignment": fields(
        verdicts=listed(fields(reason=QUOTE, verdict=one_of("yes", "no", "idk")))
    ),
    "google_accuracy": fields(decomposition=listed(POINT)),
    "google_adherence": fields(rubrics=listed(RUBRIC)),
    "google_completeness": fields(completeness=listed(QUESTION_CONTENTS)),
}

SCHEMAS: Mapping[str, Schema] = MappingProxyType(
    {name: Schema(name, body) for name, body in _BODIES.items()}
)
