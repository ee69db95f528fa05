"""An administrator makes a way to a new password; no mail is sent."""

from datetime import datetime

from django.db import transaction

from leaderboard.accounts import password_links
from leaderboard.accounts.models import User
from leaderboard.actions.refusals import Refused
from leaderboard.audit.log import record
from leaderboard.competitions.locking import lock


def make_password_link(*, user: User, made_by: User | None, at: datetime) -> str:
    """The token of a link that is good for 24 hours and one use. Raises Refused.

    `made_by` is None for somebody at the server's command line.
    """
    people = [user.pk] if made_by is None else [user.pk, made_by.pk]
    with transaction.atomic():
        # As they are now: the password may have changed while one waited, or the right have gone.
        locked = {person.pk: person for person in lock(User.objects.filter(pk__in=people))}
        if made_by is not None and not _is_administrator(locked.get(made_by.pk)):
            raise Refused(
                "not_an_administrator",
                ko="관리자만 할 수 있습니다.",
                en="Only an administrator may do this.",
                status=403,
            )
        person = locked.get(user.pk)
        if person is None or not person.is_active:
            raise Refused(
                "inactive",
                ko="멈췄거나 탈퇴한 계정입니다.",
                en="This account is suspended or closed.",
                next_ko="멈춘 계정이면 먼저 다시 켜 주세요.",
                next_en="If it is suspended, activate it first.",
            )
        token = password_links.make(user=person, made_by=made_by, at=at)
        record(kind="account.password_link_made", actor=made_by, at=at, after={"user": person.pk})
    return token


def _is_administrator(person: User | None) -> bool:
    return person is not None and person.is_active and person.is_superuser
