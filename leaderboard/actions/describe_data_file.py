"""Changing what is said about a file for participants, and its place among the others."""

from datetime import datetime
from uuid import UUID

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.editing import locked_for_editing
from leaderboard.actions.refusals import Refused
from leaderboard.audit.log import record
from leaderboard.competitions.models import DataFile


def describe_data_file(
    *, data_file: DataFile, user: User, description: str, description_en: str, at: datetime
) -> None:
    """The bytes and the name stay as they are. Raises Refused."""
    with transaction.atomic():
        competition = locked_for_editing(data_file.competition, user)
        locked = DataFile.objects.filter(pk=data_file.pk).first()
        if locked is None:
            raise _gone()
        before = {"description": locked.description, "description_en": locked.description_en}
        after = {"description": description, "description_en": description_en}
        if before == after:
            return
        DataFile.objects.filter(pk=locked.pk).update(**after)
        record(
            kind="data_file.described",
            actor=user,
            at=at,
            competition=competition.pk,
            subject=locked.pk,
            before={"name": locked.name, **before},
            after={"name": locked.name, **after},
        )


def move_data_file(*, data_file: DataFile, user: User, places: int, at: datetime) -> None:
    """So many places down the list, or up if negative; at its ends it stays. Raises Refused."""
    with transaction.atomic():
        competition = locked_for_editing(data_file.competition, user)
        order: list[UUID] = [row.pk for row in competition.data_files.all()]
        if data_file.pk not in order:
            raise _gone()
        here = order.index(data_file.pk)
        there = min(max(here + places, 0), len(order) - 1)
        order.insert(there, order.pop(here))
        for position, pk in enumerate(order):
            DataFile.objects.filter(pk=pk).exclude(position=position).update(position=position)
        if here != there:
            record(
                kind="data_file.moved",
                actor=user,
                at=at,
                competition=competition.pk,
                subject=data_file.pk,
                before={"name": data_file.name, "position": here + 1},
                after={"name": data_file.name, "position": there + 1},
            )


def _gone() -> Refused:
    return Refused(
        "unknown_file",
        ko="그런 파일이 없습니다. 방금 지웠을 수 있습니다.",
        en="There is no such file. It may just have been removed.",
        status=404,
    )
