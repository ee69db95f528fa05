"""DeepEval's SummarizationMetric, answered from a script. Run by `benchmarks.judging.peers`.

Runs in an interpreter that has deepeval and need not have anything of this project: a list of cases
as JSON on standard input, what the metric made of each as JSON on standard output. Every answer
comes from the case; whatever tries to open a connection is refused.
"""

import json
import os
import socket
import sys
from importlib.metadata import version

os.environ["DEEPEVAL_TELEMETRY_OPT_OUT"] = "YES"
os.environ["ERROR_REPORTING"] = "NO"


def _no_network(*_, **__):
    raise OSError("this comparison needs no network")


socket.socket.connect = _no_network
socket.getaddrinfo = _no_network

from deepeval.metrics import SummarizationMetric  # noqa: E402
from deepeval.models import DeepEvalBaseLLM  # noqa: E402
from deepeval.test_case import LLMTestCase  # noqa: E402

SOURCE, SUMMARY = "text of the source", "text of the summary"


class Scripted(DeepEvalBaseLLM):
    """A model that says what the case says, told apart by the schema it is asked for."""

    def __init__(self, case):
        self.case = case
        self.asked = []
        super().__init__("scripted")

    def load_model(self):
        return self

    def get_model_name(self):
        return "scripted"

    def generate(self, prompt, schema=None):
        self.asked.append(schema.__name__)
        return json.dumps(self._answer(prompt, schema.__name__))

    async def a_generate(self, prompt, schema=None):
        return self.generate(prompt, schema=schema)

    def _answer(self, prompt, form):
        case = self.case
        if form == "Answers":
            key = "source_answers" if SOURCE in prompt else "summary_answers"
            return {"answers": case[key]}
        return {
            "Truths": {"truths": ["a fact", "another fact"]},
            "Claims": {"claims": [f"claim {n}" for n in range(case["claims"])]},
            "Questions": {"questions": [f"question {n}?" for n in range(case["questions"])]},
            "Verdicts": {
                "verdicts": [{"verdict": label, "reason": "words"} for label in case["alignment"]]
            },
            "SummarizationScoreReason": {"reason": "words"},
        }[form]


def outcome(case):
    """score, parts, success and calls; or the names of the error and its bases."""
    model = Scripted(case)
    try:
        metric = SummarizationMetric(
            model=model,
            async_mode=case["async_mode"],
            strict_mode=case["strict_mode"],
            threshold=case["threshold"],
        )
        metric.measure(LLMTestCase(input=SOURCE, actual_output=SUMMARY), _show_indicator=False)
    except Exception as error:
        return {"error": [kind.__name__ for kind in type(error).__mro__]}
    return {
        "score": metric.score,
        "alignment": metric.score_breakdown["Alignment"],
        "coverage": metric.score_breakdown["Coverage"],
        "success": metric.success,
        "calls": len(model.asked),
    }


def main():
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what deepeval prints is no part of the answer
    cases = json.load(sys.stdin)
    json.dump(
        {"version": version("deepeval"), "outcomes": [outcome(case) for case in cases]}, answers
    )
    answers.close()


if __name__ == "__main__":
    main()
