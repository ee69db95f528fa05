"""How a contest's score is made, as its pages print it.

Words, formulas and the example's numbers are the workshop's; nothing is written per contest.
"""

from functools import lru_cache
from typing import Any

from django.utils.safestring import mark_safe

from leaderboard.competitions.models import Competition
from leaderboard.references.models import ScoringVersion
from leaderboard.texts import reader_language
from scoring.explain import worked_example
from scoring.formula import FormulaText, describe
from scoring.messages import Language
from scoring.profile import PRESETS, Profile
from scoring.tokenizers import java

# One everyday row, written for this project; no contest's gold.
PREDICTION = (
    "포트에서 물이 새서 찾아온 손님에게 "
    "점원은 카드 내역으로 확인한 뒤 문자로 알려 주겠다고 했습니다."
)
REFERENCES = (
    "손님은 물이 새는 전기포트를 교환하러 왔고, "
    "점원은 금요일에 재고가 들어오면 문자로 알려 주기로 합니다.",
    "지난주에 산 전기포트에서 물이 새자 손님이 교환을 요청합니다. "
    "재고가 없어 금요일에 다시 방문하기로 합니다.",
    "손님은 영수증이 없지만 카드 내역으로 구매를 확인받고, 같은 전기포트로 바꾸기로 합니다.",
)
COUNTS = (len(REFERENCES), len(REFERENCES))


def of(competition: Competition, version: ScoringVersion | None) -> dict[str, Any]:
    """What the overview and the foot of a board say about the number.

    Of the live version, or of the contest's settings before there is one.
    """
    if version is None:
        return explain(competition.profile(), COUNTS, reader_language())
    counted = version.reference_set
    return explain(version.profile(), (counted.golds_min, counted.golds_max), reader_language())


def presets() -> list[tuple[str, FormulaText]]:
    language = reader_language()
    return [(name, describe(profile, language=language)) for name, profile in PRESETS.items()]


@lru_cache(maxsize=64)
def explain(profile: Profile, counts: tuple[int, int], language: Language) -> dict[str, Any]:
    """A profile explained; no example where the analyzer would have to start Java first."""
    words = describe(profile, ngolds=counts, language=language)
    example = None
    if profile.tokenizer not in java.NAMES:
        example = worked_example(profile, PREDICTION, REFERENCES, language)
    return {
        "words": words,
        "formula": mark_safe(words.mathml),  # noqa: S308  made of our own words and escaped settings
        "example": example,
        "example_note": mark_safe(example.note_mathml if example else ""),  # noqa: S308
    }
