"""Everything that is one person's as a ZIP for themselves: read and packed, never written.

Of a team's scores what its boards show them; nobody else's words but those that were told to them.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import IO, Any

from allauth.account.models import EmailAddress
from allauth.usersessions.models import UserSession
from django.db.models import Case, F, OuterRef, Q, Subquery, Value, When

from leaderboard.accounts.models import ApiToken, PasswordLink, User
from leaderboard.audit.models import AuditEvent
from leaderboard.boards.results import submission_scores
from leaderboard.boards.visibility import viewer_of_address
from leaderboard.community.models import (
    Announcement,
    Post,
    PostReport,
    Subscription,
)
from leaderboard.competitions.models import Organizer, TermsAcceptance
from leaderboard.contest_file.everything import (
    ExportTable,
    columns_of,
    pack,
    said,
    to_json,
)
from leaderboard.inbox.models import MailAddress, Notification
from leaderboard.outbox.models import Message
from leaderboard.submissions.models import Cancellation, FinalChoice, Submission
from leaderboard.submissions.queries import of_team
from leaderboard.teams.models import Invitation, JoinRequest, Membership

CONTEST = "contest=competition__slug"
_ADDRESS = Subquery(MailAddress.objects.filter(pk=OuterRef("recipient")).values("address"))
FILE = "contest=team__competition__slug id received_at file=file_name size sha256 late=is_late"
TABLES = {
    "profile": ExportTable(
        User.objects.all(),
        "pk",
        "username first_name last_name email language date_joined last_login may_create_contests "
        "is_superuser must_change_password",
    ),
    "sessions": ExportTable(
        UserSession.objects.all(), "user", "created_at last_seen_at ip user_agent"
    ),
    "addresses": ExportTable(EmailAddress.objects.all(), "user", "email verified primary"),
    "mail_addresses": ExportTable(
        MailAddress.objects.all(), "user", "address asked_at confirmed_at every"
    ),
    "mails": ExportTable(
        Message.objects.filter(lane=Message.MAIL).annotate(address=_ADDRESS),
        "user",
        "address kind made_at state ended_at",
    ),
    "password_links": ExportTable(PasswordLink.objects.all(), "user", "made_at expires_at used_at"),
    "api_tokens": ExportTable(
        ApiToken.objects.all(), "user", "name scope made_at expires_at last_used_at"
    ),
    "roles": ExportTable(Organizer.objects.all(), "user", f"{CONTEST} role"),
    "terms": ExportTable(
        TermsAcceptance.objects.all(),
        "user",
        "contest=terms__competition__slug number=terms__number at",
    ),
    "teams": ExportTable(
        Membership.objects.annotate(captain=Q(team__captain=F("user"))),
        "user",
        f"{CONTEST} team=team__name captain joined_at listed_name typed_email",
    ),
    "join_requests": ExportTable(
        JoinRequest.objects.all(), "user", f"{CONTEST} team_name asked_at approved decided_at"
    ),
    "invitations": ExportTable(
        Invitation.objects.all(),
        "invitee",
        "contest=team__competition__slug team=team__name created_at expires_at declined_at",
    ),
    "invitations_sent": ExportTable(
        Invitation.objects.all(),
        "created_by",
        "contest=team__competition__slug team=team__name created_at expires_at uses revoked_at",
    ),
    "submissions": ExportTable(
        Submission.objects.all(),
        "team__memberships__user",
        f"{FILE} submitted_by=submitted_by__username method=method_name note",
    ),
    "sent_elsewhere": ExportTable(  # for a team that the person is in no more
        Submission.objects.exclude(team__memberships__user=F("submitted_by")),
        "submitted_by",
        FILE,
    ),
    "finals": ExportTable(FinalChoice.objects.all(), "chosen_by", "submission_id at"),
    "cancelled": ExportTable(Cancellation.objects.all(), "cancelled_by", "submission_id at"),
    "posts": ExportTable(
        Post.objects.annotate(
            title=Case(When(opens=True, then="thread__title"), default=Value(""))
        ),
        "author",
        f"{CONTEST} thread_id kind=thread__kind title id opens at edited_at deleted_at text",
    ),
    "reports": ExportTable(PostReport.objects.all(), "user", f"{CONTEST} post_id at reason"),
    "following": ExportTable(
        Subscription.objects.all(), "user", "contest=thread__competition__slug thread_id"
    ),
    "announcements": ExportTable(
        Announcement.objects.all(), "author", f"{CONTEST} at edited_at text text_en"
    ),
    # What of others it was about is not theirs.
    "decisions": ExportTable(
        AuditEvent.objects.all(), "actor", "at kind competition subject reason"
    ),
}


def own_data(user: User, at: datetime) -> IO[bytes]:
    """The ZIP in a temporary file that vanishes when it is closed, read from its beginning."""
    whole = {name: list(rows) for name, rows in _tables(user, at)}
    files = Submission.objects.filter(
        Q(submitted_by=user) | Q(team__memberships__user=user)
    ).distinct()
    return pack([("data.json", to_json({"as_of": said(at), **whole}))], files.order_by("pk"))


def _tables(user: User, at: datetime) -> Iterator[tuple[str, Iterable[dict[str, Any]]]]:
    for name, table in TABLES.items():
        columns = columns_of(table.columns)
        rows = table.rows.filter(**{table.own: user.pk}).order_by("pk")
        found = rows.values_list(*columns.values()).iterator()
        yield name, (dict(zip(columns, map(said, row), strict=True)) for row in found)
    yield "notices", map(_notice, Notification.objects.filter(user=user).order_by("created_at"))
    yield "scores", _scores(user, at)


def _notice(row: Notification) -> dict[str, Any]:
    about = {"contest": row.competition_slug, "kind": row.kind, "at": said(row.created_at)}
    words = {f"text_{language}": row.message(language) for language in ("ko", "en")}
    return {**about, "read_at": said(row.read_at), **words}


def _scores(user: User, at: datetime) -> Iterator[dict[str, Any]]:
    """Of their teams' files, on the boards that they may see at `at`."""
    contests = Membership.objects.filter(user=user).values_list("competition__slug", flat=True)
    for slug in contests.order_by("pk"):
        viewer = viewer_of_address(slug, user, at)
        if viewer is None or viewer.team is None:
            continue
        for submission, results in submission_scores(of_team(viewer.team), viewer).items():
            for one in results:
                yield {
                    **{"contest": slug, "submission": str(submission), "board": one.board},
                    **{"total": one.total, "metrics": dict(one.metrics)},
                    "signature": one.signature,
                }
