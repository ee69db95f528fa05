"""A quotation has to say something, in the numbers and a word of what it is cited for."""

from typing import Any

import pytest

from scoring.judges import native, systems
from scoring.judges.evidence import numbers, proves, speakers, stands_in
from scoring.judges.records import Asked, Question, Rubric, SourceContent
from tests.scoring.judging import answers

TALK = (
    "#Person1#: 몇 시에 볼까?\n#Person2#: 네, 3시에 도서관 앞에서 만나자.\n"
    "#Person1#: 응, 1층에 있을게. 머리가 너무 아파서 먼저 병원에 들를 거야."
)
NAMES = speakers(TALK)
NOTHING_SAID = ["네, 응", "3시에", "Person1", "#Person2#: 네,", "#Person1#: 응, 1층"]


@pytest.mark.parametrize("span", NOTHING_SAID)
def test_a_word_a_digit_or_the_name_of_a_speaker_proves_nothing(span: str) -> None:
    """Of claims and items alike: the same texts are quoted from the dialogue and the summary."""
    records = answers.native("Y", "Y", {"r1": "T"}, "T") | {"summary": TALK, "dialogue": TALK}
    records["decomposition"][0]["evidence"] = span
    item = records["completeness"][0]["content_list"][0]
    for each in (records["answers"][0], item, records["adherence"][0]):
        each["related_content_from_summary"] = span
    judged = systems.score("native", records)
    found = [judged[name] for name in ("alignment", "coverage", "completeness", "adherence")]
    assert found == [0, 0, 0, 0]
    assert judged["flags"] == ["evidence_missing"]


def test_names_before_a_colon_are_speakers_and_times_are_none() -> None:
    talk = "민수: 3:30에 봐.\n상담원 1 : 네.\n#Person1#: 응.\n여기까지가 긴 안내 말씀입니다: 끝"
    assert speakers(talk) == {"민수", "상담원1", "person1"}
    assert not stands_in("민수는 상담원", talk + "\n민수: 민수는 상담원?")
    assert stands_in("긴 안내 말씀입니다", talk)


@pytest.mark.parametrize(
    ("span", "text", "stands"),
    [
        ("3시에 도서관 앞에서 만나자", TALK, True),
        ("4시에 도서관 앞에서 만나자", TALK, False),  # one of 12 characters differs, the number
        ("3시에 도서관 앞에서 만나지", TALK, True),  # so does one here, and no number
        ("3시에 도서관 앞에서 만나자", "13시에 도서관 앞에서 만나자", False),
        ("3시에 도서관 앞에서 만나자", "둘은 1, 3시에 도서관 앞에서 만나자", True),
        ("1,000원을 더 냈다", "돈은 1000원을 더 냈다고 한다", True),
        ("000원을 더 냈다", "돈은 1,000원을 더 냈다고 한다", False),
    ],
)
def test_a_quotation_has_the_numbers_of_its_text(span: str, text: str, stands: bool) -> None:
    assert stands_in(span, text) is stands


def test_numbers_are_read_as_they_are_meant() -> None:
    assert numbers("03시 1,234,567원 1,23 2026.11.22") == {
        "3", "1234567", "1", "23", "2026", "11", "22",
    }  # fmt: skip
    assert numbers("없다 셋 ３ 오만") == frozenset()
    assert numbers("9" * 6_000 + "만") == {"9" * 6_000}


def judged(claim: str, quotation: str, text: str = TALK) -> bool:
    return proves(quotation, text, claim, speakers(text))


MEET = "3시에 도서관 앞에서 만나자"


@pytest.mark.parametrize(
    ("claim", "proof"),
    [
        ("두 사람은 3시에 도서관에서 만난다.", True),
        ("두 사람은 4시에 도서관에서 만난다.", False),
        ("두 사람은 3시 20분에 도서관에서 만난다.", True),  # a number more, none in its place
        ("두 사람은 세 시에 도서관에서 만난다.", True),  # in words: not compared
        ("#Person1#과 #Person2#는 도서관에서 만난다.", True),  # a tag's digit is no number
    ],
)
def test_a_claim_with_another_number_is_not_proved(claim: str, proof: bool) -> None:
    assert judged(claim, MEET) is proof


@pytest.mark.parametrize(
    ("claim", "line", "proof"),
    [
        ("표 값은 5만 원이다.", "표는 50,000원이야", True),
        ("표 값은 6만 원이다.", "표는 5만 원이야", False),
        ("표 값은 1만 5천 원이다.", "표는 만 오천 원, 15,000원이야", True),
        ("표 값은 2만5000원이다.", "표는 2.5만 원이야", True),
        ("인구는 1억 2천만 명이다.", "인구가 120,000,000명이래", True),
    ],
)
def test_amounts_are_numbers_however_they_are_written(claim: str, line: str, proof: bool) -> None:
    assert judged(claim, line, f"가: {line}") is proof


@pytest.mark.parametrize(
    ("claim", "quotation", "proof"),
    [
        ("두 사람은 도서관 앞에서 만난다.", MEET, True),
        ("두 사람은 영화를 보러 간다.", MEET, False),
        ("두 사람은 영화를 보러 간다.", "#Person1#: 몇 시에 볼까?", False),
        ("#Person1#은 병원에 간다.", "너무 아파서 먼저 병원에 들를 거야", True),
        # No word is shared where all are put otherwise: a longer quotation helps, this is a limit.
        ("#Person1#은 두통이 심하다.", "머리가 너무 아파서", False),
        # Too short to be compared, and so is what comes of a tag alone.
        ("웃는다.", MEET, True),
        ("#Person1#은 웃는다.", MEET, True),
    ],
)
def test_a_quotation_shares_a_word_with_its_claim(claim: str, quotation: str, proof: bool) -> None:
    assert judged(claim, quotation) is proof


@pytest.mark.parametrize(
    ("claim", "line"),
    [
        ("나연은 카포를 빌려주기로 한다.", "내일 빌린 거 돌려줄게"),
        ("두 사람은 만나기로 했다.", "그럼 이따가 만나자"),
        ("재원은 돈이 모자란다.", "지금 돈 좀 있어?"),
        ("Tom decides to visit Amy.", "I'll be visiting her on Monday"),
    ],
)
def test_endings_do_not_hide_a_word(claim: str, line: str) -> None:
    assert judged(claim, line, f"가: {line}")


def test_the_name_of_a_speaker_is_no_shared_word() -> None:
    talk = "민수: 점심은 맛있게 먹었어?\n지우: 민수야, 나는 아직이야."
    assert not judged("민수는 여행을 떠난다.", "민수: 점심은 맛있게 먹었어?", talk)
    assert not judged("민수는 여행을 떠난다.", "민수야, 나는 아직이야.", talk)


def test_words_of_two_languages_are_not_compared_but_numbers_are() -> None:
    talk = "Tom: Let's meet at 3 in front of the library."
    assert judged("톰은 3시에 도서관 앞에서 만나자고 한다.", "meet at 3 in front", talk)
    assert not judged("톰은 4시에 도서관 앞에서 만나자고 한다.", "meet at 3 in front", talk)


def test_what_was_asked_counts_and_not_what_the_judge_echoes() -> None:
    """The judge may copy a question wrongly; ids lead to the text that was frozen."""
    summary = "두 사람은 도서관 앞에서 만난다."
    said: dict[str, Any] = answers.native("Y", "Y", {"r1": "T"})
    said["claims"][0]["point"] = "두 사람은 영화를 보러 간다."
    said["decomposition"][0] |= {"point": MEET, "evidence": MEET}
    for each in (said["answers"][0], said["completeness"][0]["content_list"][0]):
        each |= {"question": summary, "related_content_from_summary": summary}
    *_, returned = systems.native_records({**said, "summary": summary, "dialogue": TALK})
    rubric = Rubric("r1", "요약", "", "무엇을 하는가?")

    def values(question: str, content: str) -> list[float | None]:
        asked = Asked.of([Question("q1", question)], [rubric], [SourceContent("s1", "r1", content)])
        scores = native.score(summary, TALK, asked, returned).metrics
        return [scores[name].score for name in ("alignment", "coverage", "completeness")]

    assert values("표를 예매하는가?", "표를 예매한다.") == [0, 0, 0]
    assert values("도서관에서 보는가?", "둘은 도서관에서 본다.") == [0, 1, 1]


def absent(verdict: str, *ids: str, span: str | None = None) -> dict[str, Any]:
    records = answers.native("Y", "Y", None, verdict)
    records["asked"]["absent"] = list(ids)
    for each in records["adherence"]:
        each["related_content_from_summary"] = span
    return systems.score("native", records)


def test_a_rubric_about_absence_can_be_met() -> None:
    """What is not there cannot be quoted; every other rubric still needs its words."""
    met = absent("TT", "a1", "a2")
    assert (met["adherence"], met["flags"]) == (1, [])
    assert absent("TF", "a1", "a2")["adherence"] == 0.5
    one = absent("TT", "a1")
    assert one["metrics"]["adherence"]["items"] == {"a1": True, "a2": False}
    assert one["flags"] == ["evidence_missing"]
    # Words that a judge quotes all the same change nothing.
    assert absent("TF", "a1", "a2", span=answers.ELSEWHERE)["adherence"] == 0.5


def test_a_rubric_is_about_absence_by_how_its_frozen_text_begins() -> None:
    questions = ("없음: 전화번호", "Absent: names", "전화번호가 없는가?", "결정을 적었는가?")
    rubrics = [Rubric(f"a{n}", "요약", "지침", each) for n, each in enumerate(questions)]
    assert Asked.of(rubrics=rubrics).absent == {"a0", "a1"}
