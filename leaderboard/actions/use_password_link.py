"""A person sets a new password with a link from the administrator."""

from datetime import datetime

from django.contrib.auth.password_validation import validate_password
from django.db import transaction

from leaderboard.accounts import password_links, passwords
from leaderboard.accounts.models import User
from leaderboard.actions.refusals import Refused
from leaderboard.audit.log import record
from leaderboard.competitions.locking import lock_one


def use_password_link(*, token: str, password: str, at: datetime) -> User:
    """Whose password it now is; every session of that person ends.

    Raises ValidationError for a password that Django's validators refuse, which leaves the link
    usable, and Refused for a link that is used, expired or unknown.
    """
    link = password_links.usable(token, at)
    if link is None:
        raise unusable()
    validate_password(password, link.user)
    encoded = passwords.hashed(password)
    with transaction.atomic():
        lock_one(User.objects.filter(pk=link.user_id))
        # Of two uses at the same time one finds the row unused; the other changes nothing.
        used = password_links.use(link=link, at=at)
        if not used or not passwords.replace(user=link.user, encoded=encoded):
            raise unusable()
        record(
            kind="account.password_link_used", actor=link.user, at=at, after={"user": link.user_id}
        )
    return link.user


def unusable() -> Refused:
    """For a link that is dead or was never made; why is nobody's business."""
    return Refused(
        "link_unusable",
        ko="이 링크는 쓸 수 없습니다. 이미 썼거나 24시간이 지났거나 비밀번호가 바뀌었습니다.",
        en=(
            "This link cannot be used. It was used already, 24 hours have passed, "
            "or the password was changed meanwhile."
        ),
        next_ko="관리자에게 새 링크를 부탁해 주세요.",
        next_en="Ask the administrator for a new link.",
        status=404,
    )
