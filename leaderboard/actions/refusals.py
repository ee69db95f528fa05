"""A refusal is for the person who asked: what happened, why, and what to do next."""

from math import ceil

from leaderboard.accounts.rate_limits import Limit
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


def too_many_tries(wait: int) -> Refused:
    """For somebody who guesses; `wait` is in seconds."""
    minutes = ceil(wait / 60)
    return Refused(
        "too_many_tries",
        ko="짧은 시간에 너무 여러 번 시도했습니다.",
        en="That were too many tries in a short time.",
        next_ko=f"{minutes}분 뒤에 다시 할 수 있습니다.",
        next_en=f"You can go on in {minutes} min.",
        status=429,
        retry_after=wait,
    )


def too_often(limit: Limit, wait: int) -> Refused:
    """For a team that did something as often as `limit` lets it; `wait` is in seconds."""
    ko, en, next_ko, next_en = _TOO_OFTEN[limit.kind]
    values = {"most": limit.most, "minutes": ceil(wait / 60)}
    return Refused(
        limit.kind,
        ko=ko.format(**values),
        en=en.format(**values),
        next_ko=next_ko.format(**values),
        next_en=next_en.format(**values),
        status=429,
        retry_after=wait,
    )


_TOO_OFTEN = {
    "too_many_checks": (
        "이 팀이 한 시간에 할 수 있는 확인 {most}번을 다 썼습니다.",
        "This team has used its {most} checks an hour.",
        "확인하지 않아도 제출할 수 있습니다. 확인은 {minutes}분 뒤에 다시 할 수 있습니다.",
        "You can submit without a check. Checks are back in {minutes} min.",
    ),
    "too_many_lab_runs": (
        "이 팀이 한 시간에 할 수 있는 dev 채점 {most}번을 다 썼습니다.",
        "This team has used its {most} dev runs an hour.",
        "{minutes}분 뒤에 다시 할 수 있습니다. 명령줄로는 지금도 채점할 수 있습니다.",
        "You can go on in {minutes} min, and on the command line at once.",
    ),
    "too_many_refused": (
        "이 팀의 제출이 한 시간 동안 {most}번 거절됐습니다.",
        "{most} submissions of this team were refused within the hour.",
        "{minutes}분 뒤에 다시 할 수 있습니다. 횟수는 쓰지 않았습니다.",
        "You can go on in {minutes} min. No attempt was used.",
    ),
}
