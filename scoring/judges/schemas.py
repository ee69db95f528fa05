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


def _object(**properties: Body) -> Body:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _list(items: Body) -> Body:
    return {"type": "array", "items": items}


def _one_of(*labels: str) -> Body:
    return {"type": "string", "enum": list(labels)}


_TEXT: Body = {"type": "string"}
_TEXT_OR_NULL: Body = {"type": ["string", "null"]}
_TRUTH: Body = {"type": "boolean"}
_TEXTS: Body = _list(_TEXT)

_POINT_VERDICT = _object(
    id=_TEXT,
    point=_TEXT,
    evidence=_TEXT_OR_NULL,
    accuracy=_TEXT,
    verdict=_one_of("yes", "no", "unsure"),
)
_ANSWER = _object(
    id=_TEXT,
    question=_TEXT,
    related_content_from_summary=_TEXT_OR_NULL,
    reasoning=_TEXT,
    answered=_TRUTH,
)
_CONTENT_ITEM = _object(
    id=_TEXT, transcript_content=_TEXT, related_content_from_summary=_TEXT, is_covered=_TRUTH
)
_RUBRIC_CONTENTS = _object(id=_TEXT, question=_TEXT, content_list=_list(_CONTENT_ITEM))
_ADHERENCE_RUBRIC = _object(
    id=_TEXT,
    question=_TEXT,
    related_content_from_summary=_TEXT_OR_NULL,
    reasoning=_TEXT,
    is_addressed=_TRUTH,
)

_SHARED: dict[str, Body] = {
    "claims": _object(claims=_list(_object(id=_TEXT, point=_TEXT))),
    "verify": _object(decomposition=_list(_POINT_VERDICT)),
    "cover": _object(answers=_list(_ANSWER), completeness=_list(_RUBRIC_CONTENTS)),
    "adhere": _object(rubrics=_list(_ADHERENCE_RUBRIC)),
    "reason": _object(reason=_TEXT),
}

_DIALOGUE_SIDE: dict[str, Body] = {
    "rubric_questions": _object(rubrics=_list(_object(id=_TEXT, question=_TEXT))),
    "questions": _object(questions=_list(_object(id=_TEXT, evidence=_TEXT, question=_TEXT))),
    "source_answers": _object(
        answers=_list(
            _object(
                id=_TEXT, question=_TEXT, evidence=_TEXT_OR_NULL, reasoning=_TEXT, answered=_TRUTH
            )
        )
    ),
    "contents": _object(
        completeness=_list(
            _object(
                id=_TEXT,
                question=_TEXT,
                content_list=_list(_object(evidence=_TEXT, transcript_content=_TEXT)),
            )
        )
    ),
}

# Of the systems as published: ids are not echoed, Mastra's label is a free string.
_FAITHFUL: dict[str, Body] = {
    "texts_claims": _object(claims=_TEXTS),
    "texts_questions": _object(questions=_TEXTS),
    "texts_answers": _object(answers=_TEXTS),
    "texts_truths": _object(truths=_TEXTS),
    "mastra_alignment": _object(
        verdicts=_list(_object(claim=_TEXT, reason=_TEXT, verdict=_TEXT)),
    ),
    "mastra_2026_judge": _object(
        alignment=_list(_object(claim=_TEXT, reason=_TEXT, supported=_TRUTH)), questions=_TEXTS
    ),
    "mastra_2026_cover": _object(
        coverage=_list(_object(question=_TEXT, reason=_TEXT, answered=_TRUTH))
    ),
    "deepeval_alignment": _object(
        verdicts=_list(_object(reason=_TEXT_OR_NULL, verdict=_one_of("yes", "no", "idk")))
    ),
    "google_accuracy": _object(
        decomposition=_list(_object(point=_TEXT, accuracy=_TEXT, is_accurate=_TRUTH))
    ),
    "google_adherence": _object(
        rubrics=_list(_object(question=_TEXT, reasoning=_TEXT, is_addressed=_TRUTH))
    ),
    "google_completeness": _object(
        completeness=_list(
            _object(
                question=_TEXT,
                content_list=_list(
                    _object(
                        transcript_content=_TEXT,
                        related_content_from_summary=_TEXT,
                        is_covered=_TRUTH,
                    )
                ),
            )
        )
    ),
}

SCHEMAS: Mapping[str, Schema] = MappingProxyType(
    {name: Schema(name, body) for name, body in (_SHARED | _DIALOGUE_SIDE | _FAITHFUL).items()}
)
