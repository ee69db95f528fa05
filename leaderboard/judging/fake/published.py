"""Answers to the calls of the published systems, by the same comparison of words."""

from collections.abc import Callable, Mapping

from leaderboard.judging.fake import answers, words
from leaderboard.judging.fake.answers import LABEL, Answer, Material

_COMPARED = f"{LABEL} 낱말을 원문과 견주었습니다."
_QUESTIONS = 5


def _texts_claims(material: Material) -> Answer:
    return {"claims": answers.claims_of(material["summary"])}


def _texts_truths(material: Material) -> Answer:
    return {"truths": words.utterances(material["text"])[: material["limit"]]}


def _texts_questions(material: Material) -> Answer:
    if "definition" in material:
        found = words.sentences(material["definition"])
        return {"questions": [f"요약이 '{one}'라는 지침을 따르는가?" for one in found]}
    text = material["original"] if "original" in material else material["text"]
    return {"questions": _questions(text, material.get("n", _QUESTIONS))}


def _questions(text: str, number: int) -> list[str]:
    return [answers.question(point) for _, point in answers.points(text, [])[:number]]


def _texts_answers(material: Material) -> Answer:
    text = material["summary"] if "summary" in material else material["text"]
    return {"answers": ["yes" if _answers(one, text) else "no" for one in material["questions"]]}


def _answers(question: str, text: str) -> bool:
    return answers.span(answers.asked_about(question), text) is not None


def _mastra_alignment(material: Material) -> Answer:
    return {
        "verdicts": [
            {
                "claim": claim,
                "reason": _COMPARED,
                "verdict": answers.verdict(claim, material["original"]),
            }
            for claim in material["claims"]
        ]
    }


def _mastra_2026_judge(material: Material) -> Answer:
    source = material["source"]
    return {
        "alignment": [
            {
                "claim": claim,
                "reason": _COMPARED,
                "supported": answers.verdict(claim, source) == "yes",
            }
            for claim in answers.claims_of(material["summary"])
        ],
        "questions": _questions(source, material["max_questions"]),
    }


def _mastra_2026_cover(material: Material) -> Answer:
    return {
        "coverage": [
            {"question": one, "reason": _COMPARED, "answered": _answers(one, material["summary"])}
            for one in material["questions"]
        ]
    }


def _deepeval_alignment(material: Material) -> Answer:
    verdicts = []
    for claim in material["claims"]:
        label = answers.verdict(claim, material["truths"])
        verdicts.append(
            {
                "reason": None if label == "yes" else _COMPARED,
                "verdict": "idk" if label == "unsure" else label,
            }
        )
    return {"verdicts": verdicts}


def _google_accuracy(material: Material) -> Answer:
    return {
        "decomposition": [
            {
                "point": claim,
                "accuracy": _COMPARED,
                "is_accurate": answers.verdict(claim, material["transcript"]) == "yes",
            }
            for claim in answers.claims_of(material["summary"])
        ]
    }


def _google_adherence(material: Material) -> Answer:
    found = answers.follows(material["summary"], material["transcript"])
    return {
        "rubrics": [
            {
                "question": one,
                "reasoning": f"{LABEL} 문장의 끝만 보았습니다.",
                "is_addressed": found is not None,
            }
            for one in material["questions"]
        ]
    }


def _google_completeness(material: Material) -> Answer:
    asked = [{"id": one, "question": one} for one in material["questions"]]
    made = answers.contents(
        {"dialogue": material["transcript"], "rubrics": asked, "references": []}
    )
    completeness = []
    for rubric in made["completeness"]:
        contents = []
        for content in rubric["content_list"]:
            found = answers.span(content["transcript_content"], material["summary"])
            contents.append(
                {
                    "transcript_content": content["transcript_content"],
                    "related_content_from_summary": found or "",
                    "is_covered": found is not None,
                }
            )
        completeness.append({"question": rubric["question"], "content_list": contents})
    return {"completeness": completeness}


BY_SCHEMA: Mapping[str, Callable[[Material], Answer]] = {
    "texts_claims": _texts_claims,
    "texts_truths": _texts_truths,
    "texts_questions": _texts_questions,
    "texts_answers": _texts_answers,
    "mastra_alignment": _mastra_alignment,
    "mastra_2026_judge": _mastra_2026_judge,
    "mastra_2026_cover": _mastra_2026_cover,
    "deepeval_alignment": _deepeval_alignment,
    "google_accuracy": _google_accuracy,
    "google_adherence": _google_adherence,
    "google_completeness": _google_completeness,
}
