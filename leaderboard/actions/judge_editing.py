"""Steps that the verbs of judge configs share."""

from collections.abc import Iterable
from uuid import UUID

from leaderboard.accounts.models import User
from leaderboard.actions.decisions import locked_for_editing
from leaderboard.actions.refusals import Refused
from leaderboard.competitions.locking import lock_one
from leaderboard.competitions.models import Competition
from leaderboard.judging.identity import is_current
from leaderboard.judging.models import JudgeConfig

State = JudgeConfig.State


def locked_config_for_editing(config_id: UUID, user: User) -> JudgeConfig:
    """The config's row, locked after its contest's. Raises Refused for all but its editors."""
    found = JudgeConfig.objects.select_related("competition").get(pk=config_id)
    locked = locked_for_editing(found.competition, user)
    config = lock_one(JudgeConfig.objects.filter(pk=config_id))
    config.competition = locked
    return config


def refuse_unless(config: JudgeConfig, states: Iterable[str]) -> None:
    """Raises Refused where the config is in none of these states."""
    if config.state not in states:
        raise Refused(
            "wrong_state",
            ko=f"‘{config.get_state_display()}’ 상태의 심사 설정에는 할 수 없습니다.",
            en=f"This cannot be done with a judge config that is {config.state}.",
            next_ko="화면을 새로 열어 지금 상태를 확인해 주세요.",
            next_en="Open the page again to see its state.",
        )


def why_outdated(config: JudgeConfig) -> Refused | None:
    """Why nothing more is judged under a frozen config: this server would judge otherwise."""
    if not config.config_hash or is_current(config):
        return None
    return Refused(
        "asked_otherwise",
        ko="이 서버는 이제 다른 지시문이나 규칙, 주소로 심사합니다. 이 설정의 값은 그대로 두고 "
        "더는 심사하지 않습니다.",
        en="This server judges by other prompts, rules or addresses now. The values of this config "
        "stay, and nothing more is judged under it.",
        next_ko="‘이어 만들기’로 같은 항목의 새 설정을 만들어 주세요.",
        next_en="Go on in a new config, with the same items.",
    )


def show_judge(competition: Competition, *, shown: bool) -> None:
    """Let boards ask the judging room for columns, or leave it alone. The row is locked."""
    competition.shows_judge = shown
    competition.save(update_fields=["shows_judge"])
