"""Changing a contest's pages, limits and rules; not its dates and not who may join."""

from copy import copy
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, Self

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.editing import locked_for_editing
from leaderboard.actions.refusals import Refused, not_an_editor
from leaderboard.actions.second_step import digest_of, refuse_unseen
from leaderboard.audit.log import record
from leaderboard.boards.standings import place_all
from leaderboard.community.announcements import announce
from leaderboard.competitions.locking import lock
from leaderboard.competitions.models import Competition
from leaderboard.competitions.roles import may_edit
from leaderboard.competitions.schedule import Phase, phase
from leaderboard.references.queries import scored_versions
from leaderboard.teams.models import Team

# What participants hand in by. Changed after the opening, it is looked at twice and announced.
RULES = {
    "daily_limit": ("하루 제출", "submissions a day"),
    "total_limit": ("전체 제출", "submissions in all"),
    "max_waiting": ("동시 대기", "waiting at once"),
    "max_cell": ("요약 한 칸의 글자 수", "characters of a summary"),
    "late_entries": ("마감 뒤 제출", "entries after the close"),
    "finals_rule": ("private 순위", "private rank"),
}
_FINALS = {
    "finals": ("최종 제출 가운데 나은 것", "the better of the finals"),
    "best": ("모든 제출 가운데 가장 나은 것", "the best of all submissions"),
}


@dataclass(frozen=True)
class Settings:
    """All that this verb may change, as it is or as it is to be."""

    title: str
    title_en: str
    introduction: str
    introduction_en: str
    rules: str
    rules_en: str
    daily_limit: int
    total_limit: int | None
    max_waiting: int
    max_cell: int
    late_entries: bool
    finals_rule: str
    board_needs_sign_in: bool
    is_private: bool

    @classmethod
    def of(cls, competition: Competition) -> Self:
        return cls(**{name: getattr(competition, name) for name in NAMES})


NAMES = tuple(field.name for field in fields(Settings))


@dataclass(frozen=True)
class Change:
    """One value before and after."""

    name: str
    before: Any
    after: Any


@dataclass(frozen=True)
class Edit:
    """What saving would change, and what it would announce (None: nothing)."""

    changes: tuple[Change, ...]
    announced: tuple[str, str] | None

    @property
    def digest(self) -> str:
        """Changes when a value before or after does: what was seen is what is saved."""
        return digest_of(self.changes)


def preview_edit(*, competition: Competition, user: User, wanted: Settings, at: datetime) -> Edit:
    """What `edit_competition` would do. Raises Refused and ValidationError as it would."""
    if not may_edit(user, competition):
        raise not_an_editor()
    now = Settings.of(competition)
    changes = tuple(
        Change(name, getattr(now, name), getattr(wanted, name))
        for name in NAMES
        if getattr(now, name) != getattr(wanted, name)
    )
    ruled = [change for change in changes if change.name in RULES]
    _check(competition, changes, at)
    opened = phase(competition, at) is not Phase.UPCOMING
    told = (_sentence(ruled, korean=True), _sentence(ruled, korean=False))
    return Edit(changes, told if ruled and opened else None)


def edit_competition(
    *, competition: Competition, user: User, wanted: Settings, seen: str = "", at: datetime
) -> Edit:
    """Save these settings. Rules of an opened contest change only as they were seen.

    `seen` is the digest of the preview. Raises Refused and ValidationError.
    """
    with transaction.atomic():
        locked = locked_for_editing(competition, user)
        edit = preview_edit(competition=locked, user=user, wanted=wanted, at=at)
        if not edit.changes:
            return edit
        if edit.announced is not None:
            refuse_unseen(edit.digest, seen)
        for change in edit.changes:
            setattr(locked, change.name, change.after)
        locked.save(update_fields=[change.name for change in edit.changes])
        if any(change.name == "finals_rule" for change in edit.changes):
            _place_all(locked)
        if edit.announced is not None:
            korean, english = edit.announced
            announce(competition=locked, author=user, text=korean, text_en=english, at=at)
        record(
            kind="competition.edited",
            actor=user,
            at=at,
            competition=locked.pk,
            subject=locked.pk,
            before={change.name: change.before for change in edit.changes},
            after={change.name: change.after for change in edit.changes},
        )
    return edit


def _check(competition: Competition, changes: tuple[Change, ...], at: datetime) -> None:
    changed = {change.name for change in changes}
    if "finals_rule" in changed and phase(competition, at) is Phase.REVEALED:
        raise Refused(
            "revealed",
            ko="결과를 공개한 뒤에는 private 순위의 규칙을 바꿀 수 없습니다.",
            en="After the reveal, the rule of the private rank cannot change.",
        )
    after = copy(competition)
    for change in changes:
        setattr(after, change.name, change.after)
    after.clean_fields(exclude={field.name for field in after._meta.fields} - changed)
    after.validate_constraints()


def _place_all(competition: Competition) -> None:
    """Everybody's standings anew: which submission counts on the private board has changed."""
    teams = lock(Team.objects.filter(competition=competition))
    for version in scored_versions(competition):
        place_all(teams=teams, version=version)


def _sentence(changes: list[Change], *, korean: bool) -> str:
    said = ", ".join(
        f"{RULES[change.name][0 if korean else 1]} "
        f"{_word(change.before, korean=korean)} → {_word(change.after, korean=korean)}"
        for change in changes
    )
    return f"규칙이 바뀌었습니다: {said}." if korean else f"The rules have changed: {said}."


def _word(value: object, *, korean: bool) -> str:
    place = 0 if korean else 1
    if value is None:
        return ("제한 없음", "no limit")[place]
    if isinstance(value, bool):
        return (("받지 않음", "no"), ("받음", "yes"))[value][place]
    return _FINALS[value][place] if isinstance(value, str) else str(value)
