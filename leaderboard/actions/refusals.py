"""A refusal is for the person who asked: what happened, why, and what to do next."""

from leaderboard.competitions.schedule import ScheduleRefusal


class Refused(Exception):
    """The action was not done and nothing was spent. Never holds a gold text or a traceback.

    `status` is the HTTP status that a door answers with; `retry_after` is in seconds.
    """

    def __init__(
        self,
        code: str,
        *,
        ko: str,
        en: str,
        next_ko: str = "",
        next_en: str = "",
        status: int = 409,
        retry_after: int | None = None,
    ) -> None:
        super().__init__(code)
        self.code = code
        self.message_ko = ko
        self.message_en = en
        self.next_step_ko = next_ko
        self.next_step_en = next_en
        self.status = status
        self.retry_after = retry_after

    def message(self, language: str) -> str:
        """What happened, in `ko` or `en`."""
        return self.message_en if language == "en" else self.message_ko

    def next_step(self, language: str) -> str:
        """What to do next, in `ko` or `en`."""
        return self.next_step_en if language == "en" else self.next_step_ko


def by_schedule(refusal: ScheduleRefusal) -> Refused:
    """The schedule's answer as a refusal."""
    return Refused(
        refusal.code,
        ko=refusal.message_ko,
        en=refusal.message_en,
        next_ko=refusal.next_step_ko,
        next_en=refusal.next_step_en,
        status=403,
    )


def not_an_editor() -> Refused:
    """For a person who may not change this contest."""
    return Refused(
        "not_an_editor",
        ko="이 대회의 소유자나 편집자만 할 수 있습니다.",
        en="Only owners and editors of this competition may do this.",
        status=403,
    )
