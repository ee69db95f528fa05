"""The call graphs of the published systems, in our words: what each call sees, as their code does.

Mastra legacy: five calls in a row. Mastra 2026: two and a reason. DeepEval: seven, partly side by
side. Google publishes no graph; this one makes the records of its page [own].
"""

from dataclasses import replace

from scoring.judges.call_graph import Call

# One after another, always, also without claims.
MASTRA = (
    Call("claims", "mastra_claims", "texts_claims", {"summary": "summary"}),
    Call(
        "alignment",
        "mastra_alignment",
        "mastra_alignment",
        {"original": "dialogue", "claims": "claims.claims"},
        after=("claims",),
    ),
    Call(
        "questions",
        "mastra_questions",
        "texts_questions",
        {"original": "dialogue"},
        after=("alignment",),
    ),
    Call(
        "answers",
        "mastra_answers",
        "texts_answers",
        {"original": "dialogue", "summary": "summary", "questions": "questions.questions"},
        after=("questions",),
    ),
    Call(
        "reason",
        "mastra_reason",
        "reason",
        {
            "original": "dialogue",
            "summary": "summary",
            "score": "page.score",
            "alignment_score": "page.alignment_score",
            "coverage_score": "page.coverage_score",
            "scale": "scale",
            "alignment_verdicts": "alignment.verdicts",
            "coverage_verdicts": "answers.answers",
        },
        after=("answers",),
    ),
)

# Its sub-scores carry the scale, in what the reason is asked about too.
MASTRA_LEGACY = (
    *MASTRA[:-1],
    replace(
        MASTRA[-1],
        inputs={key: name.replace("page.", "legacy.") for key, name in MASTRA[-1].inputs.items()},
    ),
)

MASTRA_2026 = (
    Call(
        "judge",
        "mastra_2026_judge",
        "mastra_2026_judge",
        {"source": "dialogue", "summary": "summary", "max_questions": "max_questions"},
    ),
    Call(
        "cover",
        "mastra_2026_cover",
        "mastra_2026_cover",
        {"summary": "summary", "questions": "judge.first_questions"},
        after=("judge",),
    ),
    Call(
        "reason",
        "mastra_2026_reason",
        "reason",
        {
            "score": "rebuilt.score",
            "alignment_score": "rebuilt.alignment_score",
            "coverage_score": "rebuilt.coverage_score",
            "scale": "scale",
            "alignment": "judge.alignment",
            "coverage": "cover.coverage",
        },
        after=("cover",),
    ),
)

# Claims are held against extracted truths, not against the dialogue. Given `assessment_questions`
# take the place of generated ones.
DEEPEVAL = (
    Call(
        "truths",
        "deepeval_truths",
        "texts_truths",
        {"text": "dialogue", "limit": "truths_extraction_limit"},
    ),
    Call("claims", "deepeval_claims", "texts_claims", {"summary": "summary"}),
    Call(
        "questions",
        "deepeval_questions",
        "texts_questions",
        {"text": "dialogue", "n": "n"},
        after=("truths", "claims"),
        skip_if=("assessment_questions",),
        skipped={"questions": []},
    ),
    Call(
        "source_answers",
        "deepeval_answers",
        "texts_answers",
        {"text": "dialogue", "questions": "assessment"},
        after=("questions",),
    ),
    Call(
        "summary_answers",
        "deepeval_answers",
        "texts_answers",
        {"text": "summary", "questions": "assessment"},
        after=("questions",),
    ),
    Call(
        "alignment",
        "deepeval_alignment",
        "deepeval_alignment",
        {"truths": "truths.joined", "claims": "claims.claims"},
        after=("truths", "claims"),
        skip_if_empty=("claims.claims",),
        skipped={"verdicts": []},
    ),
    Call(
        "reason",
        "deepeval_reason",
        "reason",
        {
            "score": "deepeval.printed",
            "contradictions": "contradictions",
            "redundancies": "redundancies",
            "questions": "open_questions",
        },
        after=("source_answers", "summary_answers", "alignment"),
        skip_if_empty=("reason",),
        skipped={"reason": ""},
    ),
)

# Adherence for custom sections only, completeness for free text only; both need a definition.
GOOGLE = (
    Call(
        "questions",
        "google_questions",
        "texts_questions",
        {"section": "section", "definition": "instruction", "kind": "kind"},
        skip_if_empty=("instruction",),
        skipped={"questions": []},
    ),
    Call(
        "accuracy",
        "google_accuracy",
        "google_accuracy",
        {"transcript": "dialogue", "summary": "summary"},
    ),
    Call(
        "adherence",
        "google_adherence",
        "google_adherence",
        {
            "transcript": "dialogue",
            "summary": "summary",
            "definition": "instruction",
            "questions": "questions.questions",
        },
        after=("questions",),
        skip_if_empty=("questions.questions",),
        skipped={"rubrics": []},
    ),
    Call(
        "completeness",
        "google_completeness",
        "google_completeness",
        {"transcript": "dialogue", "summary": "summary", "questions": "questions.questions"},
        after=("questions",),
        skip_if_empty=("questions.free",),
        skipped={"completeness": []},
    ),
)
