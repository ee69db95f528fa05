"""An administrator makes a way to a new password; no mail is sent."""

from datetime import datetime

from django.db import transaction

from leaderboard.accounts import password_links
from leaderboard.accounts.models import User
from leaderboard.actions.refusals import Refused
from leaderboard.audit.log import record
from leaderboard.competitions.locking import lock_one


def make_password_link(*, user: User, made_by: User | None, at: datetime) -> str:
    """The token of a link that is good for 24 hours and one use. Raises Refused.

    `made_by` is None for somebody at the server's command line.
    """
    if made_by is not None and not made_by.is_superuser:
        raise Refused(
            "not_an_administrator",
            ko="관리자만 할 수 있습니다.",
            en="Only an administrator may do this.",
            status=403,
        )
    with transaction.atomic():
        if not lock_one(User.objects.filter(pk=user.pk)).is_active:
            raise Refused(
                "inactive",
                ko="멈췄거나 탈퇴한 계정입니다.",
                en="This account is suspended or closed.",
                next_ko="멈춘 계정이면 먼저 다시 켜 주세요.",
                next_en="If it is suspended, activate it first.",
            )
        token = password_links.make(user=user, made_by=made_by, at=at)
        record(kind="account.password_link_made", actor=made_by, at=at, after={"user": user.pk})
    return token
