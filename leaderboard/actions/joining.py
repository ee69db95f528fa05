"""Steps that joining and asking to join share."""

from datetime import datetime

from leaderboard.accounts.models import User
from leaderboard.actions.refusals import Refused
from leaderboard.competitions.locking import lock
from leaderboard.competitions.models import Competition, Terms
from leaderboard.competitions.registration import code_fits, is_allowed, tidy_email
from leaderboard.competitions.roles import is_organizer
from leaderboard.competitions.schedule import lets_join
from leaderboard.competitions.terms import accept, terms_due
from leaderboard.teams.queries import has_member_with_email
from leaderboard.teams.requests import request_of


def refuse_latecomers_and_organizers(competition: Competition, user: User, at: datetime) -> None:
    """Raises Refused for a contest that has closed and takes no late files, and for the people who
    run it.

    Inside the transaction that lets the person in, the contest's row locked. Theirs is locked here,
    so that nobody who is just closing the account gets a team after it.
    """
    if not lock(User.objects.filter(pk=user.pk, is_active=True)):
        raise Refused(
            "account_closed",
            ko="멈췄거나 탈퇴한 계정입니다.",
            en="This account is suspended or closed.",
            status=403,
        )
    if not lets_join(competition, at):
        raise Refused(
            "closed",
            ko="마감된 대회에는 참가할 수 없습니다.",
            en="This competition has closed; nobody can join any more.",
            next_ko="순위는 리더보드에서 볼 수 있고, 진행 중인 대회는 대회 목록에 있습니다.",
            next_en="The ranks are on the leaderboard; running contests are on the list.",
            status=403,
        )
    if is_organizer(user, competition):
        raise Refused(
            "organizer",
            ko="주최자는 참가할 수 없습니다.",
            en="Organizers of a competition cannot take part in it.",
            status=403,
        )


def check_registration(competition: Competition, user: User, *, code: str, email: str) -> str:
    """The address that was typed to come in, if one was; to be kept with the membership.

    Raises Refused unless the contest lets this person join by themselves.
    """
    kinds = Competition.Registration
    match competition.registration:
        case kinds.CODE if not code_fits(competition, code):
            raise Refused(
                "wrong_code",
                ko="참가 코드가 맞지 않습니다.",
                en="This is not the competition's code.",
                next_ko="주최자에게 받은 코드를 다시 확인해 주세요.",
                next_en="Check the code that the organizer gave you.",
                status=403,
            )
        case kinds.ALLOW_LIST:
            return _typed_address(competition, user, email)
        case kinds.APPROVAL:
            asked = request_of(user, competition)
            if asked is None or not asked.approved:
                raise Refused(
                    "approval_needed",
                    ko="주최자가 승인해야 참가할 수 있습니다.",
                    en="You can take part once an organizer approves.",
                    next_ko="먼저 참가를 신청해 주세요.",
                    next_en="Ask to join first.",
                    status=403,
                )
    return ""


def _typed_address(competition: Competition, user: User, email: str) -> str:
    """The account's own address counts; if it has none, the one typed now counts in this contest.

    An address lets one account in. Nobody verified that a typed one is theirs: who knows a
    classmate's could come first. So it never becomes the account's, which would open private
    contests, and the desk says which account typed which address.
    """
    address = tidy_email(user.email or email)
    if not address or not is_allowed(competition, address):
        raise Refused(
            "not_on_list",
            ko="이 이메일은 참가자 명단에 없습니다.",
            en="This mail address is not on the list of participants.",
            next_ko="명단에 적힌 주소인지 주최자에게 물어봐 주세요.",
            next_en="Ask the organizer which address they have of you.",
            status=403,
        )
    if has_member_with_email(competition, address, besides=user):
        raise Refused(
            "address_used",
            ko="다른 계정이 이 이메일로 이미 참가했습니다.",
            en="Another account has already joined with this mail address.",
            next_ko="그 계정이 본인 것이 아니라면 주최자에게 알려 주세요.",
            next_en="If that account is not yours, tell the organizer.",
        )
    return "" if user.email else address


def accept_terms_due(
    competition: Competition, user: User, *, number: int | None, at: datetime
) -> None:
    """Keep the agreement to the newest wording. Raises Refused if `number` is not that one."""
    due = terms_due(user, competition)
    if due is None:
        return
    if number != due.number:
        raise terms_unread(due, shown=number)
    accept(terms=due, user=user, at=at)


def terms_unread(due: Terms, *, shown: int | None = None) -> Refused:
    """The newest wording was not accepted; `shown` is the number of an older one that was."""
    if shown is not None:
        return Refused(
            "terms_changed",
            ko="읽는 동안 약관이 바뀌었습니다.",
            en="The terms changed while you were reading.",
            next_ko="새 약관을 읽고 다시 동의해 주세요.",
            next_en="Read the new wording and agree again.",
        )
    return Refused(
        "terms",
        ko=f"이 대회의 약관(제{due.number}판)에 아직 동의하지 않았습니다.",
        en=f"You have not accepted the terms of this competition yet (version {due.number}).",
        next_ko="‘약관’ 화면에서 읽고 동의해 주세요.",
        next_en="Read and accept them on the page “Terms”.",
        status=403,
    )
