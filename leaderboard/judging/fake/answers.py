"""Answers to our own calls and the published systems', by comparing words.

The same material, the same answer.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from leaderboard.judging.fake import words
from scoring.judges.records import ABSENT, MAX_CLAIM_CHARACTERS, MAX_CLAIMS, is_about_absence

Material = Mapping[str, Any]
Answer = dict[str, Any]

# In every text that this server makes up, so that nobody takes it for a judgement.
LABEL = "가짜 심사:"
_WITH_DIALOGUE = f"{LABEL} 낱말을 대화와 견주었습니다."
# Shares of words. People summarize with few of a dialogue's words, hence a low bar to cover.
_SUPPORTED, _SETTLED, _COVERED = 0.4, 0.2, 0.3
_POINTS_PER_RUBRIC = 3
_LONGEST_QUESTION = 120
_FORBIDS = re.compile(r"(?:[을를은는이가]\s+)?\S*(?:지 않|지 말|없[이게어]|금지)")
_SUBJECT = re.compile(r"\A\S+[은는이가]\s+(?=\S)")
_JSON = re.compile(r"(\{.*\})", re.DOTALL)


def claims(material: Material) -> Answer:
    found = claims_of(material["summary"])
    return {"claims": [{"id": f"c{n}", "point": one} for n, one in enumerate(found, start=1)]}


def claims_of(summary: str) -> list[str]:
    """The clauses, each once, no more and no longer than a judge may return. JSON is one claim."""
    found = [
        one
        for piece in _JSON.split(summary)
        for one in ([piece] if _JSON.match(piece) else words.clauses(piece))
    ]
    pieces = dict.fromkeys(one[:MAX_CLAIM_CHARACTERS] for one in found)
    return list(pieces)[:MAX_CLAIMS]


def verdict(claim: str, dialogue: str) -> str:
    found = words.share(claim, dialogue)
    return "yes" if found >= _SUPPORTED else "unsure" if found >= _SETTLED else "no"


def verify(material: Material) -> Answer:
    """The line of the dialogue that shares most words with the claim is its evidence."""
    dialogue, lines = material["dialogue"], words.utterances(material["dialogue"])
    judged = [(claim, verdict(claim["point"], dialogue)) for claim in material["claims"]]
    return {
        "decomposition": [
            {
                **claim,
                "evidence": words.nearest(claim["point"], lines) if label == "yes" else None,
                "accuracy": _WITH_DIALOGUE,
                "verdict": label,
            }
            for claim, label in judged
        ]
    }


def span(content: str, summary: str) -> str | None:
    """The sentence of the summary that carries a content; None when too few of its words are in.

    Who it is about is no such word: every sentence about somebody has the name.
    """
    told = _SUBJECT.sub("", content)
    found = words.nearest(told, words.sentences(summary))
    return found if found is not None and words.share(told, found) >= _COVERED else None


def cover(material: Material) -> Answer:
    """A question or content is covered when enough of its words occur in the summary."""
    summary = material["summary"]
    answers = []
    for question in material["questions"]:
        found = span(asked_about(question["question"]), summary)
        answers.append(
            {
                **question,
                "related_content_from_summary": found,
                "reasoning": f"{LABEL} 낱말을 요약과 견주었습니다.",
                "answered": found is not None,
            }
        )
    completeness = [
        {
            "id": rubric["id"],
            "question": rubric["question"],
            "content_list": [
                {**content, **_covered(words.said(content["transcript_content"]), summary)}
                for content in rubric["contents"]
            ],
        }
        for rubric in material["rubrics"]
    ]
    return {"answers": answers, "completeness": completeness}


def _covered(content: str, summary: str) -> Answer:
    found = span(content, summary)
    return {"related_content_from_summary": found or "", "is_covered": found is not None}


def follows(summary: str, dialogue: str) -> str | None:
    found = words.sentences(summary)
    whole = bool(found) and all(one.endswith(("다.", "요.", "함.", "음.")) for one in found)
    return found[0] if whole and words.share(summary, dialogue) >= _SUPPORTED else None


def adhere(material: Material) -> Answer:
    """An instruction counts as followed where the summary is made of whole sentences.

    One about absence is followed where none of its words is there; there is nothing to quote.
    """
    summary = material["summary"]
    found = follows(summary, material["dialogue"])
    items = []
    for rubric in material["rubrics"]:
        asked, span, is_addressed = rubric["question"], found, found is not None
        if is_about_absence(asked):
            wanted = words.stems(asked_about(asked.partition(":")[2]))
            span, is_addressed = None, not words.shared(wanted, summary)
        items.append(
            {
                "id": rubric["id"],
                "question": asked,
                "related_content_from_summary": span,
                "reasoning": f"{LABEL} 문장의 끝과 낱말만 보았습니다.",
                "is_addressed": is_addressed,
            }
        )
    return {"rubrics": items}


def rubric_questions(material: Material) -> Answer:
    return {
        "rubrics": [
            {"id": f"r{n}", "question": _checked(one)}
            for n, one in enumerate(words.sentences(material["instruction"])[:10], start=1)
        ]
    }


def _checked(instruction: str) -> str:
    if _FORBIDS.search(instruction):
        return f"{ABSENT[0]} {_FORBIDS.split(instruction)[0].strip()}"
    return f"요약이 '{instruction}'라는 지침을 따르는가?"


def question(content: str) -> str:
    return f"'{content[:_LONGEST_QUESTION]}'라는 내용이 나오는가?"


def asked_about(text: str) -> str:
    """What a question of ours is about; another one as it is."""
    return text[1 : text.rindex("'")] if text.startswith("'") and text.count("'") > 1 else text


def points(dialogue: str, references: list[str]) -> list[tuple[str, str]]:
    """(line of the dialogue, what it says), what matters most first.

    What people wrote into references matters, then what was said with many words.
    """
    lines = words.utterances(dialogue)
    pieces = [piece for text in references for piece in words.clauses(text)]
    told = [(words.nearest(piece, lines), piece) for piece in pieces]
    from_people = [(line, piece) for line, piece in told if line is not None]
    by_length = sorted(lines, key=lambda line: -len(words.stems(words.said(line))))
    of_lines = [(line, words.said(line)) for line in by_length]
    return list({text: (line, text) for line, text in from_people or of_lines}.values())


def questions(material: Material) -> Answer:
    """Each about one point, with the line of the dialogue as evidence."""
    found = points(material["dialogue"], material["references"])[: material["number"]]
    return {
        "questions": [
            {"id": f"q{n}", "evidence": line, "question": question(text)}
            for n, (line, text) in enumerate(found, start=1)
        ]
    }


def source_answers(material: Material) -> Answer:
    lines = words.utterances(material["dialogue"])
    found = [
        (one, words.nearest(asked_about(one["question"]), lines)) for one in material["questions"]
    ]
    return {
        "answers": [
            {**one, "evidence": line, "reasoning": _WITH_DIALOGUE, "answered": line is not None}
            for one, line in found
        ]
    }


def contents(material: Material) -> Answer:
    """The points are dealt out to the rubrics in turn, so a late rubric may get none."""
    found = points(material["dialogue"], material["references"])
    rubrics = material["rubrics"]
    return {
        "completeness": [
            {
                **rubric,
                "content_list": [
                    {"evidence": line, "transcript_content": text}
                    for line, text in found[place :: len(rubrics)][:_POINTS_PER_RUBRIC]
                ],
            }
            for place, rubric in enumerate(rubrics)
        ]
    }


_COMPARED = f"{LABEL} 낱말을 원문과 견주었습니다."
_QUESTIONS = 5


def _texts_questions(material: Material) -> Answer:
    if "definition" in material:
        found = words.sentences(material["definition"])
        return {"questions": [f"요약이 '{one}'라는 지침을 따르는가?" for one in found]}
    text = material["original"] if "original" in material else material["text"]
    return {"questions": _questions(text, material.get("n", _QUESTIONS))}


def _questions(text: str, number: int) -> list[str]:
    return [question(point) for _, point in points(text, [])[:number]]


def _texts_answers(material: Material) -> Answer:
    text = material["summary"] if "summary" in material else material["text"]
    return {"answers": ["yes" if _answers(one, text) else "no" for one in material["questions"]]}


def _answers(question: str, text: str) -> bool:
    return span(asked_about(question), text) is not None


def _mastra_alignment(material: Material) -> Answer:
    original = material["original"]
    return {
        "verdicts": [
            {"claim": claim, "reason": _COMPARED, "verdict": verdict(claim, original)}
            for claim in material["claims"]
        ]
    }


def _mastra_2026_judge(material: Material) -> Answer:
    source = material["source"]
    return {
        "alignment": [
            {"claim": claim, "reason": _COMPARED, "supported": verdict(claim, source) == "yes"}
            for claim in claims_of(material["summary"])
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
    labels = [verdict(claim, material["truths"]) for claim in material["claims"]]
    return {
        "verdicts": [
            {
                "reason": None if label == "yes" else _COMPARED,
                "verdict": "idk" if label == "unsure" else label,
            }
            for label in labels
        ]
    }


def _google_accuracy(material: Material) -> Answer:
    transcript = material["transcript"]
    return {
        "decomposition": [
            {"point": one, "accuracy": _COMPARED, "is_accurate": verdict(one, transcript) == "yes"}
            for one in claims_of(material["summary"])
        ]
    }


def _google_adherence(material: Material) -> Answer:
    found = follows(material["summary"], material["transcript"])
    said = {"reasoning": f"{LABEL} 문장의 끝만 보았습니다.", "is_addressed": found is not None}
    return {"rubrics": [{"question": one, **said} for one in material["questions"]]}


def _google_completeness(material: Material) -> Answer:
    asked = [{"id": one, "question": one} for one in material["questions"]]
    made = contents({"dialogue": material["transcript"], "rubrics": asked, "references": []})
    return {
        "completeness": [
            {
                "question": rubric["question"],
                "content_list": [
                    {"transcript_content": text, **_covered(text, material["summary"])}
                    for text in (each["transcript_content"] for each in rubric["content_list"])
                ],
            }
            for rubric in made["completeness"]
        ]
    }


BY_SCHEMA: Mapping[str, Callable[[Material], Answer]] = {
    "claims": claims,
    "verify": verify,
    "cover": cover,
    "adhere": adhere,
    "reason": lambda material: {"reason": f"{LABEL} 낱말만 견준 결과입니다."},
    "rubric_questions": rubric_questions,
    "questions": questions,
    "source_answers": source_answers,
    "contents": contents,
    "texts_claims": lambda material: {"claims": claims_of(material["summary"])},
    "texts_truths": lambda material: {
        "truths": words.utterances(material["text"])[: material["limit"]]
    },
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
