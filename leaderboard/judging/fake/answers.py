"""Answers to our own calls and the published systems', by comparing words."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

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


_SENTENCES = re.compile(r"(?<=[.!?。…])\s+|\n+")
# A comma, or the connective endings -고 and -며 after at least two words.
_CLAUSES = re.compile(r",\s+|(?<=\S\s\S[가-힣]고)\s+(?![하했한합말있싶])|(?<=\S\s\S[가-힣]며)\s+")
_TOKENS = re.compile(r"#\w+#|[0-9]+|[A-Za-z]+|(?<![0-9#가-힣])[가-힣]+")
_SPEAKER = re.compile(r"\A[^:：\s][^:：\n]{0,20}[:：]\s*")
_STEM = 2
# Ways of saying that something is said; they occur in every summary and in no dialogue.
_IDLE = frozenset(
    re.findall(
        r"\w+",
        "했다 한다 합니 했습 하고 하며 하기 말한 말했 말하 이야 있다 있는 있었 되었 된다 그는 그녀 "
        "그리 하지 때문 것을 것이 위해 대해 사람 요약 대화 내용 나오",
    )
)


def sentences(text: str) -> list[str]:
    return [piece.strip() for piece in _SENTENCES.split(text) if piece.strip()]


def clauses(text: str) -> list[str]:
    """The sentences, compound ones cut where they are joined; each stands in the text verbatim.

    >>> clauses("유진은 돈을 빌리고 내일 갚기로 한다. 태호는 웃는다.")
    ['유진은 돈을 빌리고', '내일 갚기로 한다.', '태호는 웃는다.']
    """
    return [
        piece.strip()
        for sentence in sentences(text)
        for piece in _CLAUSES.split(sentence)
        if piece.strip()
    ]


def utterances(dialogue: str) -> list[str]:
    return [line.strip() for line in dialogue.splitlines() if line.strip()]


def said(utterance: str) -> str:
    return _SPEAKER.sub("", utterance)


def stems(text: str) -> list[str]:
    """What is left of the words without endings: two syllables, whole numbers and tags.

    >>> stems("재원은 12월에 #Person1#에게 카포를 빌린다.")
    ['재원', '12', '#person1#', '카포', '빌린']
    """
    found = []
    for token in _TOKENS.findall(text):
        stem = token[:_STEM] if "가" <= token[0] <= "힣" else token.lower()
        if len(stem) >= _STEM and stem not in _IDLE and stem not in found:
            found.append(stem)
    return found


def shared(wanted: Iterable[str], text: str) -> list[str]:
    lowered = text.lower()
    return [stem for stem in wanted if stem in lowered]


def share(of: str, text: str) -> float:
    """How much of one text's stems occurs in another: 0..1, 0 for a text without stems."""
    wanted = stems(of)
    return len(shared(wanted, text)) / len(wanted) if wanted else 0.0


def nearest(to: str, among: list[str]) -> str | None:
    """The text that shares most stems with another, the first of equals; None without any."""
    wanted = stems(to)
    best = max(among, key=lambda text: len(shared(wanted, text)), default=None)
    return best if best is not None and shared(wanted, best) else None


def claims(material: Material) -> Answer:
    found = claims_of(material["summary"])
    return {"claims": [{"id": f"c{n}", "point": one} for n, one in enumerate(found, start=1)]}


def claims_of(summary: str) -> list[str]:
    """The clauses, each once, no more and no longer than a judge may return. JSON is one claim."""
    found = [
        one
        for piece in _JSON.split(summary)
        for one in ([piece] if _JSON.match(piece) else clauses(piece))
    ]
    pieces = dict.fromkeys(one[:MAX_CLAIM_CHARACTERS] for one in found)
    return list(pieces)[:MAX_CLAIMS]


def verdict(claim: str, dialogue: str) -> str:
    found = share(claim, dialogue)
    return "yes" if found >= _SUPPORTED else "unsure" if found >= _SETTLED else "no"


def verify(material: Material) -> Answer:
    """The line of the dialogue that shares most words with the claim is its evidence."""
    dialogue, lines = material["dialogue"], utterances(material["dialogue"])
    judged = [(claim, verdict(claim["point"], dialogue)) for claim in material["claims"]]
    return {
        "decomposition": [
            {
                **claim,
                "evidence": nearest(claim["point"], lines) if label == "yes" else None,
                "accuracy": _WITH_DIALOGUE,
                "verdict": label,
            }
            for claim, label in judged
        ]
    }


def span(content: str, summary: str) -> str | None:
    """The sentence that carries a content beside its subject; None with too few of its words."""
    told = _SUBJECT.sub("", content)
    found = nearest(told, sentences(summary))
    return found if found is not None and share(told, found) >= _COVERED else None


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
                {**content, **_covered(said(content["transcript_content"]), summary)}
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
    found = sentences(summary)
    whole = bool(found) and all(one.endswith(("다.", "요.", "함.", "음.")) for one in found)
    return found[0] if whole and share(summary, dialogue) >= _SUPPORTED else None


def adhere(material: Material) -> Answer:
    """Followed where the summary is whole sentences, or where what is to be absent is absent."""
    summary = material["summary"]
    found = follows(summary, material["dialogue"])
    items = []
    for rubric in material["rubrics"]:
        asked, span, is_addressed = rubric["question"], found, found is not None
        if is_about_absence(asked):
            wanted = stems(asked_about(asked.partition(":")[2]))
            span, is_addressed = None, not shared(wanted, summary)
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
            for n, one in enumerate(sentences(material["instruction"])[:10], start=1)
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
    """(line of the dialogue, what it says): what references say first, then long lines."""
    lines = utterances(dialogue)
    pieces = [piece for text in references for piece in clauses(text)]
    told = [(nearest(piece, lines), piece) for piece in pieces]
    from_people = [(line, piece) for line, piece in told if line is not None]
    by_length = sorted(lines, key=lambda line: -len(stems(said(line))))
    of_lines = [(line, said(line)) for line in by_length]
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
    lines = utterances(material["dialogue"])
    found = [(one, nearest(asked_about(one["question"]), lines)) for one in material["questions"]]
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
        found = sentences(material["definition"])
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


def _held(
    claims: list[str], source: str, *names: str, said: Callable[[str], Any] = "yes".__eq__
) -> list[Answer]:
    """Each claim, why, and whether the source holds it, under these names."""
    text, reason, label = names
    return [{text: one, reason: _COMPARED, label: said(verdict(one, source))} for one in claims]


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
    "texts_truths": lambda material: {"truths": utterances(material["text"])[: material["limit"]]},
    "texts_questions": _texts_questions,
    "texts_answers": _texts_answers,
    "mastra_alignment": lambda material: {
        "verdicts": _held(
            *(material["claims"], material["original"]), "claim", "reason", "verdict", said=str
        )
    },
    "mastra_2026_judge": lambda material: {
        "alignment": _held(
            *(claims_of(material["summary"]), material["source"]), "claim", "reason", "supported"
        ),
        "questions": _questions(material["source"], material["max_questions"]),
    },
    "mastra_2026_cover": lambda material: {
        "coverage": [
            {"question": one, "reason": _COMPARED, "answered": _answers(one, material["summary"])}
            for one in material["questions"]
        ]
    },
    "deepeval_alignment": _deepeval_alignment,
    "google_accuracy": lambda material: {
        "decomposition": _held(
            *(claims_of(material["summary"]), material["transcript"]),
            *("point", "accuracy", "is_accurate"),
        )
    },
    "google_adherence": _google_adherence,
    "google_completeness": _google_completeness,
}
