"""Whether an answer speaks of what was asked, item by item. What does not is asked for again."""

from collections.abc import Callable, Mapping
from typing import Any

from scoring.judges import joining, native
from scoring.judges.call_graph import Call, Pipeline
from scoring.judges.derived import DERIVED
from scoring.judges.parsing import Malformed
from scoring.judges.records import Returned

Values = Mapping[str, Any]
Answer = Mapping[str, Any]


def check(pipeline: Pipeline, call: Call, values: Values, answer: Answer) -> None:
    """Raises Malformed. The published systems check nothing, and neither do we in their name."""
    checker = _CHECKS.get((pipeline.family, call.kind))
    if checker is not None:
        checker(values, answer)


def _returned(**lists: Any) -> Returned:
    returned = native.returned(lists)
    if returned.stopped:
        raise Malformed("wrong_form")
    return returned


def _claims(_: Values, answer: Answer) -> None:
    joining.limits(answer["claims"])


def _verify(values: Values, answer: Answer) -> None:
    returned = _returned(decomposition=answer["decomposition"])
    joining.verdicts(values["P1.claims"], returned.decomposition or ())


def _cover(values: Values, answer: Answer) -> None:
    returned = _returned(answers=answer["answers"], completeness=answer["completeness"])
    joining.by_id(values["asked"].questions, returned.answers or ())
    joining.contents(values["asked"], returned.completeness or ())


def _adhere(values: Values, answer: Answer) -> None:
    returned = _returned(adherence=answer["rubrics"])
    joining.by_id(values["asked"].adherence, returned.adherence or ())


def _ids(asked: Callable[[Values], Any], field: str) -> Callable[[Values, Answer], None]:
    def checked(values: Values, answer: Answer) -> None:
        joining.by_id([item["id"] for item in asked(values)], answer[field])

    return checked


_CHECKS: Mapping[tuple[str, str], Callable[[Values, Answer], None]] = {
    ("shared", "P1"): _claims,
    ("shared", "P2"): _verify,
    ("shared", "P3"): _cover,
    ("shared", "P4"): _adhere,
    ("artefacts", "S2"): _ids(DERIVED["S1.asked"], "answers"),
    ("artefacts", "S3"): _ids(lambda values: values["rubrics"], "completeness"),
}
