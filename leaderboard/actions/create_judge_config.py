"""An organizer drafts a judge column."""

from datetime import datetime
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.decisions import locked_for_editing
from leaderboard.actions.refusals import Refused
from leaderboard.audit.log import record
from leaderboard.competitions.models import Competition
from leaderboard.judging.drafting import ConfigSettings, clean, create_config, unsaved
from leaderboard.judging.endpoints import endpoint_names
from leaderboard.judging.models import JudgeConfig
from leaderboard.references.coverage import covering_sets
from leaderboard.references.models import DialogueSet
from leaderboard.references.queries import live_version


def create_judge_config(
    *, competition: Competition, user: User, wanted: ConfigSettings, at: datetime
) -> JudgeConfig:
    """A draft with one section, the whole summary. Raises Refused and ValidationError."""
    with transaction.atomic():
        locked = locked_for_editing(competition, user)
        refusal = why_no_judge(locked)
        if refusal is not None:
            raise refusal
        check_settings(locked, wanted)
        config = create_config(competition=locked, user=user, wanted=wanted, at=at)
        record(
            kind="judge.created",
            actor=user,
            at=at,
            competition=locked.pk,
            subject=config.pk,
            after={"judge": str(config), "model": config.model},
        )
    return config


def why_no_judge(competition: Competition) -> Refused | None:
    """Why this contest can have no judge column now, in the order in which to mend it."""
    if not endpoint_names():
        return Refused(
            "no_endpoint",
            ko="이 서버에는 심사 모델이 연결되어 있지 않습니다.",
            en="No judge model is connected to this server.",
            next_ko="서버 운영자에게 JUDGE_BASE_URL과 JUDGE_API_KEY를 정해 달라고 하세요.",
            next_en="Ask who runs the server to set JUDGE_BASE_URL and JUDGE_API_KEY.",
        )
    live = live_version(competition)
    if live is None:
        return Refused(
            "no_live_golds",
            ko="적용한 정답이 없어 어느 대화를 심사할지 알 수 없습니다.",
            en="No golds are live yet, so it is not known which dialogues to judge.",
            next_ko="정답을 먼저 올리고 적용해 주세요.",
            next_en="Upload golds and make them live first.",
        )
    if not covering_sets(competition, live):
        return no_dialogues()
    return None


def no_dialogues() -> Refused:
    """For a contest without a set that has a dialogue for every id."""
    return Refused(
        "no_dialogues",
        ko="모든 id의 대화가 든 묶음이 없습니다. 심사 모델은 대화를 읽어야 합니다.",
        en="No set holds the dialogues of all ids, and a judge has to read them.",
        next_ko="채점의 ‘dev 묶음’ 화면에서 적용한 정답의 대화를 모두 올려 주세요.",
        next_en="Upload the dialogues of all live golds on the page ‘Dev set’.",
    )


def check_settings(competition: Competition, wanted: ConfigSettings) -> None:
    """Raises ValidationError for values no column can have, Refused for what is not there."""
    probe = unsaved(competition, wanted)
    clean(probe)
    if not probe.label.isprintable() or not probe.model.isprintable():
        raise ValidationError("control characters")
    if wanted.endpoint not in endpoint_names():
        raise Refused(
            "unknown_endpoint",
            ko="서버 운영자가 정한 심사 서버가 아닙니다.",
            en="That is not a server that the operator allows.",
            status=422,
        )
    if wanted.dialogue_set_id not in _usable(competition):
        raise no_dialogues()


def _usable(competition: Competition) -> set[UUID]:
    sets: list[DialogueSet] = covering_sets(competition, live_version(competition))
    return {one.pk for one in sets}
