"""Warning, renaming, disqualifying a team; taking a submission off the boards; all of it back."""

from datetime import datetime

from django.db import IntegrityError
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts.models import User
from leaderboard.actions.decisions import (
    deciding,
    deciding_on_file,
    deciding_on_team,
    reason_within,
    refuse_unasked,
)
from leaderboard.actions.membership import member_of
from leaderboard.actions.teams import clean_team_name, name_taken
from leaderboard.audit.log import KINDS
from leaderboard.boards.standings import place_everywhere, rename
from leaderboard.inbox.models import Notification
from leaderboard.inbox.news import as_news
from leaderboard.refusals import Invalid, Refused
from leaderboard.submissions.models import Exclusion, Submission
from leaderboard.teams.membership import hand_over, people
from leaderboard.teams.models import Team

KINDS |= {
    "submission.excluded": _("Excluded a submission"),
    "submission.restored": _("Restored an excluded submission"),
    "team.captain_replaced": _("Made another member the captain"),
    "team.renamed_by_organizer": _("Renamed a team"),
    "team.warned": _("Warned a team"),
    "team.disqualified": _("Disqualified a team"),
    "team.reinstated": _("Lifted a disqualification"),
}

WARNING_LENGTH = 500
REASON_LENGTH = 300


def warn(*, team: Team, user: User, reason: str, at: datetime) -> None:
    """Tell every member why, and keep it in the log; nothing else changes. Raises Refused."""
    reason = reason_within(reason, WARNING_LENGTH)
    with deciding_on_team(team.pk, user, at) as decision:
        decision.rule(
            "team.warned", Notification.Kind.WARNED, news=as_news("warned"), reason=reason
        )


def rename_with_reason(*, team: Team, user: User, name: str, reason: str, at: datetime) -> None:
    """Give a team another name, and tell its members which and why. Raises Refused."""
    name, reason = clean_team_name(name), reason_within(reason, REASON_LENGTH)
    try:
        # Whoever names a team holds its contest.
        with (
            deciding(team.competition, user, at),
            deciding_on_team(team.pk, user, at) as decision,
        ):
            before = decision.team.name
            if before == name:
                raise Invalid("nothing_changes", _("Nothing was changed."))
            rename(team=decision.team, name=name)
            decision.rule(
                "team.renamed_by_organizer",
                Notification.Kind.TEAM,
                news=as_news("renamed", before=before, name=name),
                before={"name": before},
                after={"name": name},
                reason=reason,
            )
    except IntegrityError:
        raise name_taken() from None


def appoint_captain(*, team: Team, user: User, username: str, reason: str, at: datetime) -> None:
    """Let another member lead the team, and tell all of them who and why. Raises Refused."""
    reason = reason_within(reason, REASON_LENGTH)
    with deciding_on_team(team.pk, user, at) as decision:
        heir = member_of(decision.team, username.strip()).user
        before = decision.team.captain
        if heir == before:
            raise Invalid("nothing_changes", _("Nothing was changed."))
        hand_over(team=decision.team, captain=heir)
        decision.rule(
            "team.captain_replaced",
            Notification.Kind.TEAM,
            news=as_news("new_captain", username=heir.username),
            before={"captain": before.username if before else ""},
            after={"captain": heir.username},
            reason=reason,
        )


def disqualify(
    *, team: Team, user: User, reason: str, seen: str | None = None, at: datetime
) -> None:
    """Take the team off every board, past ones too, and tell its members why. Raises Refused.

    It may not submit. Files, scores, finals and ledger stay; what waits is scored. `reinstate`
    undoes it whole.
    """
    reason = reason_within(reason, REASON_LENGTH)
    with deciding_on_team(team.pk, user, at) as decision:
        team = decision.team
        if team.disqualified_at is not None:
            raise Refused("already_disqualified", _("This team is already disqualified."))
        happens = _(
            "The team leaves every leaderboard, including past ones, and can no longer submit. "
            "Files, scores and the submission record stay. The members see the reason. You can "
            "undo this."
        )
        refuse_unasked(seen, happens, people(team), team.pk, reason)
        _keep(team, at, reason)
        kind, news = Notification.Kind.DISQUALIFIED, as_news("disqualified")
        decision.rule("team.disqualified", kind, news=news, reason=reason)


def reinstate(*, team: Team, user: User, reason: str = "", at: datetime) -> None:
    """Put the team back where its scores belong; it may submit again. Raises Refused."""
    reason = reason.strip()[:REASON_LENGTH]
    with deciding_on_team(team.pk, user, at) as decision:
        since, why = decision.team.disqualified_at, decision.team.disqualify_reason
        if since is None:
            raise Refused("not_disqualified", _("This team is not disqualified."))
        _keep(decision.team, None, "")
        decision.rule(
            "team.reinstated",
            Notification.Kind.REINSTATED,
            news=as_news("reinstated"),
            before={"disqualified_at": since.isoformat(), "reason": why},
            reason=reason,
        )


def _keep(team: Team, disqualified_at: datetime | None, reason: str) -> None:
    team.disqualified_at, team.disqualify_reason = disqualified_at, reason
    team.save(update_fields=["disqualified_at", "disqualify_reason"])
    place_everywhere(team=team)


def exclude(
    *,
    submission: Submission,
    user: User,
    reason: str,
    reason_shown: bool = True,
    seen: str | None = None,
    at: datetime,
) -> None:
    """Off the boards, live and rehearsing; file, scores and ledger stay. The team is told. Raises
    Refused."""
    reason = reason_within(reason, REASON_LENGTH)
    happens = _(
        "The submission leaves the leaderboard, including past ones. The file, scores and used "
        "attempt stay. A final choice stays but does not count. You can undo this."
    )
    with deciding_on_file(submission.pk, user, at) as decision:
        _kept, made = Exclusion.objects.get_or_create(
            submission=submission,
            defaults={
                "excluded_by": user,
                "at": at,
                "reason": reason,
                "reason_shown": reason_shown,
            },
        )
        if not made:
            raise Refused("already_excluded", _("This submission is already excluded."))
        told = people(decision.team)
        refuse_unasked(seen, happens, told, submission.pk, reason, reason_shown)
        place_everywhere(team=decision.team)
        shown = {"reason": reason} if reason_shown else {}
        key = "excluded.reason" if reason_shown else "excluded"
        decision.rule(
            "submission.excluded",
            Notification.Kind.EXCLUDED,
            news=as_news(key, file=submission.file_name, **shown),
            submission=submission.pk,
            after={"file": submission.file_name, "shown": reason_shown},
            reason=reason,
        )


def restore(*, submission: Submission, user: User, reason: str = "", at: datetime) -> None:
    """Back on the boards as if it had never been off; the log keeps both. Raises Refused."""
    with deciding_on_file(submission.pk, user, at) as decision:
        was = Exclusion.objects.filter(submission=submission).first()
        if was is None:
            raise Refused("not_excluded", _("This submission is not excluded."))
        was.delete()
        place_everywhere(team=decision.team)
        decision.rule(
            "submission.restored",
            Notification.Kind.EXCLUDED,
            news=as_news("restored", file=submission.file_name),
            submission=submission.pk,
            before={"excluded_at": was.at.isoformat(), "reason": was.reason},
            after={"file": submission.file_name},
            reason=reason.strip(),
        )
