"""Everything of a contest, or of a person, as one ZIP: read and packed, never written.

Entry names are ours; what a participant called a file stands in a cell. No golds: those are in the
contest as a file. Every table is written by `boards.exports.csv_file`, its words without control
characters, in an order that does not change from one day to the next.
"""

import json
import unicodedata
import zipfile
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, tzinfo
from decimal import Decimal
from functools import partial
from itertools import starmap
from operator import attrgetter
from typing import IO, Any, NamedTuple
from uuid import UUID

from allauth.account.models import EmailAddress
from allauth.usersessions.models import UserSession
from django.db.models import Case, F, Model, OuterRef, Q, QuerySet, Subquery, Value, When

from leaderboard.accounts.models import ApiToken, PasswordLink, User
from leaderboard.audit.models import AuditEvent
from leaderboard.boards.columns import Exported, number
from leaderboard.boards.exports import board_csv, board_json, csv_file, score_lines
from leaderboard.boards.queries import whole
from leaderboard.boards.results import submission_scores
from leaderboard.boards.visibility import Viewer, viewer_of_address, visible_boards
from leaderboard.community.models import (
    Announcement,
    Post,
    PostReport,
    Subscription,
    Thread,
)
from leaderboard.competitions.models import Competition, Organizer, TermsAcceptance
from leaderboard.competitions.storage import passing_file
from leaderboard.contest_file.packing import entry
from leaderboard.evaluation.models import Evaluation, SplitScore
from leaderboard.inbox.models import MailAddress, Notification
from leaderboard.outbox.models import Message
from leaderboard.references.queries import versions
from leaderboard.submissions.models import (
    Cancellation,
    Exclusion,
    FinalChoice,
    QuotaEntry,
    Submission,
)
from leaderboard.submissions.queries import of_team
from leaderboard.teams.models import Invitation, JoinRequest, Membership, Merge, Team

_entry = partial(entry, compressed=zipfile.ZIP_DEFLATED)


class ExportTable(NamedTuple):
    """A table: its model or rows, the way to whose they are, its columns, `name=lookup` where
    another."""

    source: type[Model] | QuerySet[Any]
    own: str
    columns: str

    def of(self, owner: object) -> QuerySet[Any]:
        """The rows that are theirs."""
        rows = self.source if isinstance(self.source, QuerySet) else self.source._default_manager
        return rows.filter(**{self.own: owner})


TABLES = {
    # Who handed in what and when, and what was decided about it.
    "submissions": ExportTable(
        Submission.objects.annotate(final=Q(final_choice__isnull=False)).order_by(
            "received_at", "pk"
        ),
        "team__competition",
        "id received_at team=team__name team_id kind=team__kind "
        "submitted_by=submitted_by__username file=file_name size sha256 method=method_name note "
        "late=is_late cancelled_at=cancellation__at excluded_at=exclusion__at final "
        "origin=origin__name",
    ),
    "teams": ExportTable(
        Team.objects.order_by("created_at", "pk"),
        "competition",
        "id name kind captain=captain__username created_at disqualified_at "
        "reason=disqualify_reason merged_into=merged_into__name",
    ),
    "members": ExportTable(
        # `origin` is a column of former versions: whom a merge brought was told apart.
        Membership.objects.annotate(captain=Q(team__captain=F("user")), origin=Value("")).order_by(
            "team__created_at", "team", "joined_at", "pk"
        ),
        "competition",
        "team_id team=team__name username=user__username captain joined_at origin",
    ),
    # Which teams became one, on whose wish; former versions could take them apart again.
    "merges": ExportTable(
        Merge.objects.order_by("asked_at", "pk"),
        "competition",
        "id survivor=survivor__name absorbed=absorbed__name state asked_by=asked_by__username "
        "asked_at answered_by=answered_by__username answered_at undone_by=undone_by__username "
        "undone_at reason",
    ),
    "finals": ExportTable(
        FinalChoice.objects.order_by("at", "pk"),
        "submission__team__competition",
        "submission_id team=submission__team__name chosen_by=chosen_by__username at",
    ),
    # What is off the boards now; what was, stands in the log.
    "exclusions": ExportTable(
        Exclusion.objects.order_by("at", "pk"),
        "submission__team__competition",
        "submission_id team=submission__team__name excluded_by=excluded_by__username at reason "
        "reason_shown",
    ),
    # What each said before it was corrected stands in the log.
    "announcements": ExportTable(
        Announcement.objects.order_by("at", "pk", "teams__created_at", "teams"),
        "competition",
        "id at author=author__username audience team=teams__name pinned edited_at text text_en",
    ),
    # Inquiries (`kind`) and what is hidden or deleted too; of deleted posts no words.
    "forum": ExportTable(
        Post.objects.annotate(
            private=Q(thread__kind=Thread.Kind.INQUIRY),
            hidden=Q(hidden_at__isnull=False) | Q(thread__hidden_at__isnull=False),
        ).order_by("at", "pk"),
        "competition",
        "id thread_id kind=thread__kind title=thread__title opens at author=author__username "
        "by_organizer answers private hidden hidden_at hide_reason "
        "thread_hidden_at=thread__hidden_at thread_hide_reason=thread__hide_reason "
        "edited_at deleted_at text",
    ),
    "audit": ExportTable(
        AuditEvent.objects.order_by("at", "pk"),
        "competition",
        "at actor=actor__username kind subject before after reason",
    ),
}


# Of a line of the ledger; its reason and submission follow.
LEDGER = "at day team_id team=team.name kind amount=signed origin_id source_id"
# Of an evaluation; its score follows.
SCORED = (
    "submission_id received_at team=submission.team.name sha256=submission.sha256 "
    "version=scoring_version.number draft=scoring_version.draft_number "
    "version_state=scoring_version.state state attempt failure finished_at"
)

VERSION = (
    "version=number draft=draft_number state signature profile=profile_settings created_at "
    "made_live_at"
)
GOLDS = "sha256 rows public_rows private_rows references_min=golds_min references_max=golds_max"


def everything(viewer: Viewer) -> IO[bytes]:
    files = Submission.objects.filter(team__competition=viewer.competition)
    return pack(_documents(viewer), files.order_by("received_at", "pk"))


def pack(documents: Iterable[tuple[str, bytes]], files: QuerySet[Submission]) -> IO[bytes]:
    """A ZIP in a temporary file that vanishes when it is closed, read from its beginning.

    Each of `files` as it was sent, and a list of the ids of those that the storage does not have.
    """
    packed, missing = passing_file(), []
    with zipfile.ZipFile(packed, "w") as archive:
        for name, data in documents:
            archive.writestr(_entry(name), data)
        for submission in files.only("file").iterator():
            try:
                with submission.file.open("rb") as sent:
                    archive.writestr(_entry(f"files/{submission.pk}.csv"), sent.read())
            except FileNotFoundError:
                missing.append(str(submission.pk))
        if missing:
            archive.writestr(_entry("files/missing.txt"), "\n".join(missing) + "\n")
    packed.seek(0)
    return packed


def _documents(viewer: Viewer) -> Iterator[tuple[str, bytes]]:
    for board in visible_boards(viewer):
        page = whole(viewer, board)
        if page is not None:
            yield f"board-{board}.csv", board_csv(page)
            yield f"board-{board}.json", to_json(board_json(page))
    for name, table in TABLES.items():
        yield f"{name}.csv", _listed(viewer, table)
    yield "ledger.csv", _ledger(viewer)
    yield "scores.csv", _scores(viewer)
    yield "versions.json", to_json(_versions(viewer.competition))


def _listed(viewer: Viewer, table: ExportTable) -> bytes:
    columns = columns_of(table.columns)
    rows = table.of(viewer.competition.pk).values_list(*columns.values())
    return _table(viewer, list(columns), rows.iterator())


def _ledger(viewer: Viewer) -> bytes:
    """Every line, its reason in both languages; what takes attempts has a negative amount."""
    lines = QuotaEntry.objects.filter(team__competition=viewer.competition).order_by("at", "pk")
    columns = columns_of(LEDGER)
    own = attrgetter(*columns.values())
    said = ("reason_ko", "reason_en")
    rows = (
        [*own(line), line.message("ko"), line.message("en"), line.submission_id]
        for line in lines.select_related("team").iterator()
    )
    return _table(viewer, [*columns, *said, "submission_id"], rows)


def columns_of(words: str) -> dict[str, str]:
    """Each name with the lookup that it stands for: `name=lookup` where that is another."""
    parts = (column.partition("=") for column in words.split())
    return {name: lookup or name for name, _, lookup in parts}


def _table(viewer: Viewer, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> bytes:
    zone = viewer.competition.zoneinfo

    def clean(cell: Any) -> Exported:
        match cell:
            case datetime():
                return cell.astimezone(zone)
            case str():
                return plain(cell)
            case bool():
                return "yes" if cell else "no"
            case date() | UUID():
                return str(cell)
            case Mapping():
                return plain(json.dumps(cell, ensure_ascii=False, sort_keys=True))
            case _:
                found: Exported = cell
                return found

    heading: dict[str, Exported] = {
        "competition": viewer.competition.slug,
        "as_of": viewer.at.astimezone(zone),
    }
    return csv_file(heading, columns, ([clean(cell) for cell in row] for row in rows))


def plain(text: str) -> str:
    """Without control, format and other invisible characters; lines become spaces.

    >>> plain("a\\r\\nb\\u202e")
    'a b'
    """
    lines = " ".join(text.split())
    return "".join(char for char in lines if not unicodedata.category(char).startswith("C"))


def _scores(viewer: Viewer) -> bytes:
    """One line for each submission, version and board that this viewer may see."""
    known = versions(viewer.competition)
    metrics = sorted({name for version in known for name in version.profile().metrics})
    columns = columns_of(SCORED)
    own = attrgetter(*columns.values())

    def cells(found: Evaluation, score: SplitScore | None) -> list[Any]:
        if score is None:
            return [*own(found), *[None] * (4 + len(metrics)), found.scoring_version.signature]
        exact, *values = (
            None if value is None else Decimal(repr(value))
            for value in (score.total, *map(score.metrics.get, metrics))
        )
        printed = number(score.printed)
        return [*own(found), score.split, score.rows, printed, exact, *values, score.signature]

    names = [*columns, "board", "rows", "total", "total_exact", *metrics, "signature"]
    return _table(viewer, names, starmap(cells, score_lines(viewer)))


def _versions(competition: Competition) -> list[dict[str, Any]]:
    def named(row: Model, words: str) -> dict[str, Any]:
        columns = columns_of(words).items()
        return {name: said(getattr(row, field), competition.zoneinfo) for name, field in columns}

    return [
        {**named(version, VERSION), "golds": named(version.reference_set, GOLDS)}
        for version in reversed(versions(competition))
    ]


def said(value: Any, zone: tzinfo = UTC) -> Any:
    """A value as JSON has it."""
    if isinstance(value, datetime):
        return value.astimezone(zone).isoformat(timespec="seconds")
    return str(value) if isinstance(value, UUID) else value


def to_json(value: object) -> bytes:
    """UTF-8, in an order that does not change."""
    return (json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode()


# --- Of one person -------------------------------------------------------------------------------
# Of a team's scores what its boards show them; nobody else's words but those told to them.

CONTEST = "contest=competition__slug"
_ADDRESS = Subquery(MailAddress.objects.filter(pk=OuterRef("recipient")).values("address"))
FILE = "contest=team__competition__slug id received_at file=file_name size sha256 late=is_late"
OWN = {
    "profile": ExportTable(
        User,
        "pk",
        "username first_name last_name email language date_joined last_login may_create_contests "
        "is_superuser must_change_password",
    ),
    "sessions": ExportTable(UserSession, "user", "created_at last_seen_at ip user_agent"),
    "addresses": ExportTable(EmailAddress, "user", "email verified primary"),
    "mail_addresses": ExportTable(MailAddress, "user", "address asked_at confirmed_at every"),
    "mails": ExportTable(
        Message.objects.filter(lane=Message.MAIL).annotate(address=_ADDRESS),
        "user",
        "address kind made_at state ended_at",
    ),
    "password_links": ExportTable(PasswordLink, "user", "made_at expires_at used_at"),
    "api_tokens": ExportTable(ApiToken, "user", "name scope made_at expires_at last_used_at"),
    "roles": ExportTable(Organizer, "user", f"{CONTEST} role"),
    "terms": ExportTable(
        TermsAcceptance,
        "user",
        "contest=terms__competition__slug number=terms__number at",
    ),
    "teams": ExportTable(
        Membership.objects.annotate(captain=Q(team__captain=F("user"))),
        "user",
        f"{CONTEST} team=team__name captain joined_at listed_name typed_email",
    ),
    "join_requests": ExportTable(
        JoinRequest, "user", f"{CONTEST} team_name asked_at approved decided_at"
    ),
    "invitations": ExportTable(
        Invitation,
        "invitee",
        "contest=team__competition__slug team=team__name created_at expires_at declined_at",
    ),
    "invitations_sent": ExportTable(
        Invitation,
        "created_by",
        "contest=team__competition__slug team=team__name created_at expires_at uses revoked_at",
    ),
    "submissions": ExportTable(
        Submission,
        "team__memberships__user",
        f"{FILE} submitted_by=submitted_by__username method=method_name note",
    ),
    "sent_elsewhere": ExportTable(  # for a team that the person is in no more
        Submission.objects.exclude(team__memberships__user=F("submitted_by")),
        "submitted_by",
        FILE,
    ),
    "finals": ExportTable(FinalChoice, "chosen_by", "submission_id at"),
    "cancelled": ExportTable(Cancellation, "cancelled_by", "submission_id at"),
    "posts": ExportTable(
        Post.objects.annotate(
            title=Case(When(opens=True, then="thread__title"), default=Value(""))
        ),
        "author",
        f"{CONTEST} thread_id kind=thread__kind title id opens at edited_at deleted_at text",
    ),
    "reports": ExportTable(PostReport, "user", f"{CONTEST} post_id at reason"),
    "following": ExportTable(Subscription, "user", "contest=thread__competition__slug thread_id"),
    "announcements": ExportTable(Announcement, "author", f"{CONTEST} at edited_at text text_en"),
    # What of others it was about is not theirs.
    "decisions": ExportTable(AuditEvent, "actor", "at kind competition subject reason"),
}


def own_data(user: User, at: datetime, *, without: Collection[str] = ()) -> IO[bytes]:
    """The ZIP in a temporary file that vanishes when it is closed, read from its beginning."""
    whole = {name: list(rows) for name, rows in _own_tables(user, at) if name not in without}
    files = Submission.objects.filter(
        Q(submitted_by=user) | Q(team__memberships__user=user)
    ).distinct()
    return pack([("data.json", to_json({"as_of": said(at), **whole}))], files.order_by("pk"))


def _own_tables(user: User, at: datetime) -> Iterator[tuple[str, Iterable[dict[str, Any]]]]:
    for name, table in OWN.items():
        columns = columns_of(table.columns)
        found = table.of(user.pk).order_by("pk").values_list(*columns.values()).iterator()
        yield name, (dict(zip(columns, map(said, row), strict=True)) for row in found)
    yield "notices", map(_notice, Notification.objects.filter(user=user).order_by("created_at"))
    yield "scores", _own_scores(user, at)


def _notice(row: Notification) -> dict[str, Any]:
    about = {"contest": row.competition_slug, "kind": row.kind, "at": said(row.created_at)}
    words = {f"text_{language}": row.message(language) for language in ("ko", "en")}
    return {**about, "read_at": said(row.read_at), **words}


def _own_scores(user: User, at: datetime) -> Iterator[dict[str, Any]]:
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
