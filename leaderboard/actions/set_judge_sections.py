"""An organizer says what a summary, or its parts, was asked to be."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.judge_editing import State, locked_config_for_editing, refuse_unless
from leaderboard.actions.refusals import Refused
from leaderboard.audit.log import record
from leaderboard.judging.drafting import (
    LONGEST_INSTRUCTION,
    LONGEST_VALUE,
    MOST_SECTIONS,
    MOST_VALUES,
    SectionSettings,
    section_problem,
    sections_of,
    set_sections,
)

_WHY = {
    "number_of_sections": (
        f"부분은 1개부터 {MOST_SECTIONS}개까지입니다.",
        f"There are 1 to {MOST_SECTIONS} sections.",
    ),
    "same_name": ("이름이 같은 부분이 있습니다.", "Two sections have the same name."),
    "section_name": (
        "부분의 이름은 1자부터 60자까지, 보이는 글자만 씁니다.",
        "The name of a section has 1 to 60 characters, none of them invisible.",
    ),
    "section_kind": ("모르는 종류의 부분이 있습니다.", "A section is of an unknown kind."),
    "long_instruction": (
        f"지시는 {LONGEST_INSTRUCTION:,}자까지 쓸 수 있습니다.",
        f"An instruction has at most {LONGEST_INSTRUCTION:,} characters.",
    ),
    "no_instruction": (
        "‘지시 없음’이 아닌 부분에는 지시를 적어 주세요.",
        "A section needs its instruction, unless it is one without.",
    ),
    "allowed_values": (
        f"정한 값은 2개부터 {MOST_VALUES}개까지, 하나에 {LONGEST_VALUE}자까지이고 서로 달라야 "
        "합니다. 다른 종류의 부분에는 없습니다.",
        f"A section with fixed values has 2 to {MOST_VALUES} different ones of at most "
        f"{LONGEST_VALUE} characters; others have none.",
    ),
}


def set_judge_sections(
    *, config_id: UUID, user: User, sections: Sequence[SectionSettings], at: datetime
) -> None:
    """Replace the sections of a draft. Raises Refused."""
    with transaction.atomic():
        config = locked_config_for_editing(config_id, user)
        refuse_unless(config, [State.DRAFT])
        code = section_problem(sections)
        if code:
            raise Refused(code, ko=_WHY[code][0], en=_WHY[code][1], status=422)
        before = sections_of(config)
        if before == list(sections):
            return
        set_sections(config=config, sections=sections)
        record(
            kind="judge.sections_set",
            actor=user,
            at=at,
            competition=config.competition_id,
            subject=config.pk,
            before={"sections": [one.name for one in before]},
            after={"sections": [one.name for one in sections]},
        )
