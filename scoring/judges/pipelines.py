"""Which calls are made for one summary, in which order, and what goes into each: as data.

`shared` makes three calls (four with adherence) and feeds every column; `shared:3` has the same
verdicts given three times. `faithful:<system>` makes the calls of one published system, in our
words, for audits. `artefacts` makes what is asked later: it sees no summary, and its results are
reviewed and frozen. `walking` walks any of them.

Isolation is in the inputs: verifying sees restated claims and never the summary itself, covering
never sees the dialogue, and no call about a summary sees a reference.
"""

from collections.abc import Mapping
from types import MappingProxyType

from scoring.judges.call_graph import Call, Pipeline
from scoring.judges.faithful import DEEPEVAL, GOOGLE, MASTRA, MASTRA_2026, MASTRA_LEGACY
from scoring.judges.majority import sampled

GOOGLE_SYSTEMS = ("google-accuracy", "google-adherence", "google-completeness")

_SHARED = (
    Call("P1", "claims", "claims", {"summary": "summary"}, numbered=("claims", "c")),
    Call(
        "P2",
        "verify",
        "verify",
        {"dialogue": "dialogue", "claims": "P1.claims"},
        after=("P1",),
        skip_if_empty=("P1.claims",),
        skipped={"decomposition": []},
    ),
    Call(
        "P3",
        "cover",
        "cover",
        {"summary": "summary", "questions": "questions", "rubrics": "contents"},
        skip_if_empty=("questions", "contents"),
        skipped={"answers": [], "completeness": []},
    ),
    Call(
        "P4",
        "adhere",
        "adhere",
        {"summary": "summary", "dialogue": "dialogue", "rubrics": "instructions"},
        skip_if_empty=("instructions",),
        skipped={"rubrics": []},
    ),
    # Off unless the value `reason` is true: a sentence built here says the same for nothing.
    Call(
        "P5",
        "reason",
        "reason",
        {
            "counts": "counts",
            "unsupported": "unsupported",
            "unanswered": "unanswered",
            "uncovered": "uncovered",
        },
        after=("P2", "P3", "P4"),
        skip_if_empty=("reason",),
        skipped={"reason": ""},
    ),
)

# S0 once per section of a contest, the others once per dialogue.
_ARTEFACTS = (
    Call(
        "S0",
        "rubric_questions",
        "rubric_questions",
        {"section": "section", "instruction": "instruction"},
        skip_if_empty=("instruction",),
        skipped={"rubrics": []},
        numbered=("rubrics", "r"),
    ),
    Call(
        "S1",
        "questions",
        "questions",
        {"dialogue": "dialogue", "number": "number", "references": "references"},
        numbered=("questions", "q"),
    ),
    Call(
        "S2",
        "source_answers",
        "source_answers",
        {"dialogue": "dialogue", "questions": "S1.asked"},
        after=("S1",),
        skip_if_empty=("S1.questions",),
        skipped={"answers": []},
    ),
    Call(
        "S3",
        "contents",
        "contents",
        {"dialogue": "dialogue", "rubrics": "rubrics", "references": "references"},
        skip_if_empty=("rubrics",),
        skipped={"completeness": []},
    ),
)

SHARED = Pipeline("shared", _SHARED, ("native", "mastra", "deepeval", *GOOGLE_SYSTEMS))

PIPELINES: Mapping[str, Pipeline] = MappingProxyType(
    {
        each.name: each
        for each in (
            SHARED,
            sampled(SHARED),
            Pipeline("artefacts", _ARTEFACTS),
            Pipeline("faithful:mastra", MASTRA, ("mastra",)),
            Pipeline("faithful:mastra-legacy", MASTRA_LEGACY, ("mastra-legacy",)),
            Pipeline("faithful:mastra-2026", MASTRA_2026, ("mastra-2026",)),
            Pipeline("faithful:deepeval", DEEPEVAL, ("deepeval",)),
            Pipeline("faithful:google", GOOGLE, GOOGLE_SYSTEMS),
        )
    }
)
