"""What stands in `contest.yaml`: its tables and their fields.

A test walks the models of a contest and fails on a field that neither stands here nor is left out
for a reason (`tests/**/left_out.py`).
"""

from typing import Any, NamedTuple, cast

from django.core.exceptions import FieldDoesNotExist
from django.db.models import Field, ForeignKey, Model, Q

from leaderboard.accounts.models import User
from leaderboard.community.models import Announcement, Post, Thread
from leaderboard.competitions.models import (
    Competition,
    DataFile,
    Organizer,
    Terms,
    TermsAcceptance,
)
from leaderboard.references.models import DialogueSet, ReferenceSet, Release, ScoringVersion
from leaderboard.submissions.models import (
    Cancellation,
    Exclusion,
    FinalChoice,
    QuotaEntry,
    Submission,
)
from leaderboard.teams.models import JoinRequest, Membership, Merge, Team

# Raised when a file of before can no longer be read as it is.
FORMAT = 1
DOCUMENT = "contest.yaml"
REASONS = ("reason_ko", "reason_en")  # of a line of the ledger, whose row keeps a code
POINTERS = ("team", "submission", "terms", "thread")  # of rows that do not name their contest


def field_of(model: type[Model], name: str) -> Field[Any, Any] | None:
    """The model's field of this name; None for a name that only the file has."""
    try:
        return cast("Field[Any, Any]", model._meta.get_field(name))
    except FieldDoesNotExist:
        return None


def is_person(model: type[Model], name: str) -> bool:
    field = field_of(model, name)
    return isinstance(field, ForeignKey) and field.related_model is User


def way_to_contest(model: type[Model]) -> str:
    """How a row is looked up by its contest: `team__competition`."""
    if field_of(model, "competition"):
        return "competition"
    name, field = next((one, found) for one in POINTERS if (found := field_of(model, one)))
    return f"{name}__{way_to_contest(cast('type[Model]', field.related_model))}"


def key(model: type[Model], name: str) -> str:
    """What a row calls this field: `team_id` for a row of the file, else the name itself."""
    field = field_of(model, name)
    by_id = field is not None and field.is_relation and field.related_model not in (User, Terms)
    return field.attname if field and by_id else name


class Table(NamedTuple):
    """One list of rows in the file.

    `order` makes equal contests equal files. `only`: which rows go along.
    """

    name: str
    model: type[Model]
    columns: str
    order: str = ""
    only: Q | None = None

    @property
    def fields(self) -> tuple[str, ...]:
        """All columns: fields of the model, and `file`, `files`, `practice`."""
        return tuple(self.columns.split())

    @property
    def words(self) -> str:
        """What the table is called where people read of it."""
        return str(self.model._meta.verbose_name_plural)

    def names(self, *, full: bool) -> tuple[str, ...]:
        """The fields that a file of this kind has: a plain one names no people."""
        return tuple(name for name in self.fields if full or not is_person(self.model, name))


COMPETITION = Table(
    "competition",
    Competition,
    "id slug title title_en introduction introduction_en rules rules_en zone opens_at "
    "team_merge_until freezes_at closes_at reveals_at paused_at pause_reason reveal_held "
    "preset tokenizer daily_limit total_limit max_waiting max_cell max_team_size "
    "late_entries finals_rule registration is_private board_needs_sign_in "
    "forum_readers",
)

# Columns of former versions that nothing reads any more, by table.
GONE = {"competition": {"captain_silent_days"}, "members": {"looking_for_team", "origin"}}

# Both in the order in which rows may point at each other: only upwards.
PLAIN = (
    Table("terms", Terms, "number made_at text text_en", order="number"),
    Table(
        "data_files",
        DataFile,
        "id position name description description_en file",
        order="position name",
    ),
    Table(
        "reference_sets",
        ReferenceSet,
        "id uploaded_at uploaded_by practice split_seed sha256 files",
        order="uploaded_at pk",
    ),
    Table("releases", Release, "reference_set released_at released_by", order="released_at pk"),
    Table(
        "dialogue_sets",
        DialogueSet,
        "id uploaded_at uploaded_by released_at file_name sha256 file",
        order="uploaded_at pk",
    ),
    Table(
        "scoring_versions",
        ScoringVersion,
        "id number draft_number state reference_set profile_settings signature created_at "
        "created_by made_live_at retired_at",
        order="draft_number",
    ),
)
# Of people and what they did.
TABLES = (
    *PLAIN,
    Table("organizers", Organizer, "user role", order="user__username"),
    Table(
        "terms_acceptances",
        TermsAcceptance,
        "terms user at",
        order="terms__number at user__username",
    ),
    Table(
        "teams",
        Team,
        "id name kind captain created_at disqualified_at disqualify_reason merged_into",
        order="name",
    ),
    Table("members", Membership, "team user joined_at", order="joined_at pk"),
    Table(
        "merges",
        Merge,
        "id survivor absorbed state asked_by asked_at answered_by answered_at undone_by undone_at "
        "reason",
        order="asked_at pk",
    ),
    Table(
        "join_requests",
        JoinRequest,
        "user team_name asked_at approved decided_by decided_at",
        order="asked_at user__username",
    ),
    Table(
        "submissions",
        Submission,
        "id team submitted_by received_at is_late method_name note file_name file key origin",
        order="received_at pk",
    ),
    Table("cancellations", Cancellation, "submission cancelled_by at", order="at pk"),
    Table("exclusions", Exclusion, "submission excluded_by at reason reason_shown", order="at pk"),
    Table("finals", FinalChoice, "submission chosen_by at", order="at pk"),
    Table(
        "ledger",
        QuotaEntry,
        "team kind amount day at submission reason_ko reason_en origin source",
        order="at pk",
    ),
    Table(
        "announcements",
        Announcement,
        "id author at audience teams pinned text text_en",
        order="at pk",
    ),
    # An inquiry is between who asked and the organizers who were there: it goes nowhere.
    Table(
        "threads",
        Thread,
        "id kind title author created_at pinned_at locked_at hidden_at hide_reason deleted_at",
        order="created_at pk",
        only=~Q(kind=Thread.Kind.INQUIRY),
    ),
    Table(
        "posts",
        Post,
        "id thread author at edited_at opens answers by_organizer hidden_at hide_reason "
        "deleted_at text",
        order="at pk",
        only=~Q(thread__kind=Thread.Kind.INQUIRY),
    ),
)


def tables(*, full: bool) -> tuple[Table, ...]:
    """The tables that a file of this kind has."""
    return TABLES if full else PLAIN
