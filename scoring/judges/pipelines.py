"""Which calls are made for one summary, in which order, and what goes into each.

`shared` feeds every column; `shared:3` has its verdicts given three times; `faithful:<system>`
makes the calls of one published system in our words, for audits; `artefacts` makes what is asked.

Verifying never sees the summary itself, covering never sees the dialogue, and no call about a
summary sees a reference.
"""

from collections.abc import Mapping
from types import MappingProxyType

from scoring.judges.call_graph import Call, Pipeline, calls
from scoring.judges.majority import sampled

GOOGLE_SYSTEMS = ("google-accuracy", "google-adherence", "google-completeness")

# P5 is off unless the value `reason` is true: a sentence built here says the same for nothing.
SHARED = Pipeline(
    "shared",
    calls("""
        P1 claims: summary, numbered claims c
        P2 verify: dialogue claims=P1.claims, after P1, skip_if_empty P1.claims
        P3 cover: summary questions rubrics=contents, skip_if_empty questions contents
        P4 adhere: summary dialogue rubrics=instructions, skip_if_empty instructions
        P5 reason: counts unsupported unanswered uncovered, after P2 P3 P4, skip_if_empty reason
    """),
    ("mastra", "deepeval", *GOOGLE_SYSTEMS),
)

# S0 once per section of a contest, the others once per dialogue.
_ARTEFACTS = calls("""
    S0 rubric_questions: section instruction, skip_if_empty instruction, numbered rubrics r
    S1 questions: dialogue number references, numbered questions q
    S2 source_answers: dialogue questions=S1.asked, after S1, skip_if_empty S1.questions
    S3 contents: dialogue rubrics references, skip_if_empty rubrics
""")


def _mastra(scores: str) -> tuple[Call, ...]:
    """Five calls, one after another, always, also without claims; `scores`: what the last sees."""
    return calls(f"""
        claims mastra_claims: summary
        alignment mastra_alignment: original=dialogue claims=claims.claims, after claims
        questions mastra_questions: original=dialogue, after alignment
        answers mastra_answers: original=dialogue summary questions=questions.questions, \
            after questions
        reason mastra_reason: original=dialogue summary {_scores(scores)} \
            alignment_verdicts=alignment.verdicts coverage_verdicts=answers.answers, after answers
    """)


def _scores(system: str) -> str:
    names = ("score", "alignment_score", "coverage_score")
    return " ".join([*(f"{name}={system}.{name}" for name in names), "scale"])


_MASTRA_2026 = calls(f"""
    judge mastra_2026_judge: source=dialogue summary max_questions
    cover mastra_2026_cover: summary questions=judge.first_questions, after judge
    reason mastra_2026_reason: {_scores("rebuilt")} alignment=judge.alignment \
        coverage=cover.coverage, after cover
""")

# Partly side by side. Claims are held against extracted truths, not against the dialogue. Given
# `assessment_questions` take the place of generated ones.
_DEEPEVAL = calls("""
    truths deepeval_truths: text=dialogue limit=truths_extraction_limit
    claims deepeval_claims: summary
    questions deepeval_questions: text=dialogue n, after truths claims, \
        skip_if assessment_questions
    source_answers deepeval_answers: text=dialogue questions=assessment, after questions
    summary_answers deepeval_answers: text=summary questions=assessment, after questions
    alignment deepeval_alignment: truths=truths.joined claims=claims.claims, \
        after truths claims, skip_if_empty claims.claims
    reason deepeval_reason: \
        score=deepeval.printed contradictions redundancies questions=open_questions, \
        after source_answers summary_answers alignment, skip_if_empty reason
""")

# Google publishes no graph; this one makes the records of its page [own]. Adherence for custom
# sections only, completeness for free text only; both need a definition.
_GOOGLE = calls("""
    questions google_questions: section definition=instruction kind, skip_if_empty instruction
    accuracy google_accuracy: transcript=dialogue summary
    adherence google_adherence: \
        transcript=dialogue summary definition=instruction questions=questions.questions, \
        after questions, skip_if_empty questions.questions
    completeness google_completeness: transcript=dialogue summary questions=questions.questions, \
        after questions, skip_if_empty questions.free
""")

PIPELINES: Mapping[str, Pipeline] = MappingProxyType(
    {
        each.name: each
        for each in (
            SHARED,
            sampled(SHARED),
            Pipeline("artefacts", _ARTEFACTS),
            Pipeline("faithful:mastra", _mastra("page"), ("mastra",)),
            # Its sub-scores carry the scale, in what the reason is asked about too.
            Pipeline("faithful:mastra-legacy", _mastra("legacy"), ("mastra-legacy",)),
            Pipeline("faithful:mastra-2026", _MASTRA_2026, ("mastra-2026",)),
            Pipeline("faithful:deepeval", _DEEPEVAL, ("deepeval",)),
            Pipeline("faithful:google", _GOOGLE, GOOGLE_SYSTEMS),
        )
    }
)
