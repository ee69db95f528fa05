"""Words of Korean text, roughly: enough to tell a summary of this dialogue from another's."""

import re
from collections.abc import Iterable

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
