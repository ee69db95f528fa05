"""Warning and disqualifying a team, taking a submission off the boards, and taking it back."""

from datetime import datetime

from leaderboard.accounts.models import User
from leaderboard.actions.decisions import deciding_on_team, reason_within
from leaderboard.actions.refusals import Refused
from leaderboard.boards.standings import place_everywhere
from leaderboard.inbox.models import Notification
from leaderboard.submissions.intake import exclusions, mark_excluded, mark_restored
from leaderboard.submissions.models import Submission
from leaderboard.teams.membership import mark_disqualified, mark_reinstated
from leaderboard.teams.models import Team

WARNING_LENGTH = 500
REASON_LENGTH = 300


def warn(*, team: Team, user: User, reason: str, at: datetime) -> None:
    """Tell every member why, and keep it in the log; nothing else changes. Raises Refused."""
    reason = reason_within(reason, WARNING_LENGTH)
    with deciding_on_team(team.pk, user, at) as decision:
        decision.rule(
            "team.warned",
            Notification.Kind.WARNED,
            ko="주최자가 팀에 경고했습니다.",
            en="An organizer warned your team.",
            reason=reason,
            data={"reason": reason},
        )


def disqualify(*, team: Team, user: User, reason: str, at: datetime) -> None:
    """Take the team off every board, past ones too, and tell its members why. Raises Refused.

    It may not submit. Files, scores, finals and ledger stay; what waits is scored. `reinstate`
    undoes it whole.
    """
    reason = reason_within(reason, REASON_LENGTH)
    with deciding_on_team(team.pk, user, at) as decision:
        if not mark_disqualified(team=decision.team, reason=reason, at=at):
            raise Refused("already_disqualified")
        place_everywhere(team=decision.team)
        decision.rule(
            "team.disqualified",
            Notification.Kind.DISQUALIFIED,
            ko="팀이 실격됐습니다. 순위표에 나오지 않고 더 낼 수 없습니다.",
            en="Your team was disqualified. It is off the boards and cannot submit any more.",
            reason=reason,
            data={"reason": reason},
        )


def reinstate(*, team: Team, user: User, reason: str = "", at: datetime) -> None:
    """Put the team back where its scores belong; it may submit again. Raises Refused."""
    reason = reason.strip()[:REASON_LENGTH]
    with deciding_on_team(team.pk, user, at) as decision:
        since, why = decision.team.disqualified_at, decision.team.disqualify_reason
        if not mark_reinstated(team=decision.team):
            raise Refused("not_disqualified")
        place_everywhere(team=decision.team)
        decision.rule(
            "team.reinstated",
            Notification.Kind.REINSTATED,
            ko="실격이 풀렸습니다. 순위표에 다시 나오고 다시 낼 수 있습니다.",
            en="Your team is no longer disqualified. It is on the boards and may submit again.",
            before={"disqualified_at": since and since.isoformat(), "reason": why},
            reason=reason,
            data={"reason": reason},
        )


def exclude(
    *, submission: Submission, user: User, reason: str, reason_shown: bool = True, at: datetime
) -> None:
    """Off the boards, live and rehearsing; file, scores, ledger and final choice stay.

    The team is told at once, with the reason if `reason_shown`. Raises Refused.
    """
    reason = reason_within(reason, REASON_LENGTH)
    with deciding_on_team(submission.team_id, user, at, participants=False) as decision:
        marked = mark_excluded(
            submission=submission, user=user, reason=reason, reason_shown=reason_shown, at=at
        )
        if not marked:
            raise Refused("already_excluded")
        place_everywhere(team=decision.team)
        why_ko, why_en = (f" 까닭: {reason}", f" Reason: {reason}") if reason_shown else ("", "")
        decision.rule(
            "submission.excluded",
            Notification.Kind.ANNOUNCED,
            ko=f"주최자가 제출 {submission.file_name} 파일을 순위표에서 뺐습니다.{why_ko}",
            en=f"An organizer took the submission {submission.file_name} off the boards.{why_en}",
            subject=submission.pk,
            after={"file": submission.file_name, "shown": reason_shown},
            reason=reason,
            data={"submission": str(submission.pk)},
        )


def restore(*, submission: Submission, user: User, reason: str = "", at: datetime) -> None:
    """Back on the boards as if it had never been off; the log keeps both. Raises Refused."""
    with deciding_on_team(submission.team_id, user, at, participants=False) as decision:
        was = exclusions([submission.pk]).get(submission.pk)
        if was is None or not mark_restored(submission=submission):
            raise Refused("not_excluded")
        place_everywhere(team=decision.team)
        decision.rule(
            "submission.restored",
            Notification.Kind.ANNOUNCED,
            ko=f"주최자가 제출 {submission.file_name} 파일을 순위표에 되돌렸습니다.",
            en=f"An organizer put the submission {submission.file_name} back on the boards.",
            subject=submission.pk,
            before={"excluded_at": was.at.isoformat(), "reason": was.reason},
            after={"file": submission.file_name},
            reason=reason.strip(),
            data={"submission": str(submission.pk)},
        )
