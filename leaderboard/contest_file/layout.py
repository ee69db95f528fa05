"""What stands in `contest.yaml`: its tables and their fields.

A test walks the models of a contest and fails on a field that neither stands here nor is left out
for a reason (`tests/**/left_out.py`).
"""

from dataclasses import dataclass
from typing import Any, cast

from django.core.exceptions import FieldDoesNotExist
from django.db.models import Field, ForeignKey, Model, Q
from django.utils.functional import Promise
from django.utils.translation import pgettext_lazy

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


@dataclass(frozen=True)
class Table:
    """One list of rows in the file; the words call it where people read of it.

    `order` makes equal contests equal files. Rows of `full` tables are people's; a plain file has
    none of them, and no names of people elsewhere. `only`: which rows go along.
    """

    name: str
    words: Promise | str
    model: type[Model]
    columns: str
    order: str
    full: bool = True
    only: Q | None = None

    @property
    def fields(self) -> tuple[str, ...]:
        """All columns: fields of the model, and `file`, `files`, `practice`."""
        return tuple(self.columns.split())

    def names(self, *, full: bool) -> tuple[str, ...]:
        """The fields that a file of this kind has."""
        return tuple(name for name in self.fields if full or not is_person(self.model, name))


COMPETITION = Table(
    "competition",
    pgettext_lazy("contest file", "competition"),
    Competition,
    "id slug title title_en introduction introduction_en rules rules_en zone opens_at "
    "team_merge_until freezes_at closes_at reveals_at paused_at pause_reason reveal_held "
    "preset tokenizer daily_limit total_limit max_waiting max_cell max_team_size "
    "late_entries finals_rule registration is_private board_needs_sign_in "
    "forum_readers",
    order="",
    full=False,
)

# Columns of former versions that nothing reads any more, by table.
GONE = {"competition": {"captain_silent_days"}, "members": {"origin"}}

# In the order in which rows may point at each other: only upwards.
TABLES = (
    Table(
        "terms",
        pgettext_lazy("contest file", "terms"),
        Terms,
        "number made_at text text_en",
        order="number",
        full=False,
    ),
    Table(
        "data_files",
        pgettext_lazy("contest file", "data files"),
        DataFile,
        "id position name description description_en file",
        order="position name",
        full=False,
    ),
    Table(
        "reference_sets",
        pgettext_lazy("contest file", "sets of golds"),
        ReferenceSet,
        "id uploaded_at uploaded_by practice split_seed sha256 files",
        order="uploaded_at pk",
        full=False,
    ),
    Table(
        "releases",
        pgettext_lazy("contest file", "released dev sets"),
        Release,
        "reference_set released_at released_by",
        order="released_at pk",
        full=False,
    ),
    Table(
        "dialogue_sets",
        pgettext_lazy("contest file", "sets of dialogues"),
        DialogueSet,
        "id uploaded_at uploaded_by released_at file_name sha256 file",
        order="uploaded_at pk",
        full=False,
    ),
    Table(
        "scoring_versions",
        pgettext_lazy("contest file", "scoring versions"),
        ScoringVersion,
        "id number draft_number state reference_set profile_settings signature created_at "
        "created_by made_live_at retired_at",
        order="draft_number",
        full=False,
    ),
    Table(
        "organizers",
        pgettext_lazy("contest file", "organizers"),
        Organizer,
        "user role",
        order="user__username",
    ),
    Table(
        "terms_acceptances",
        pgettext_lazy("contest file", "acceptances of the terms"),
        TermsAcceptance,
        "terms user at",
        order="terms__number at user__username",
    ),
    Table(
        "teams",
        pgettext_lazy("contest file", "teams"),
        Team,
        "id name kind captain created_at disqualified_at disqualify_reason merged_into",
        order="name",
    ),
    Table(
        "members",
        pgettext_lazy("contest file", "team members"),
        Membership,
        "team user joined_at looking_for_team",
        order="joined_at pk",
    ),
    Table(
        "merges",
        pgettext_lazy("contest file", "merges of teams"),
        Merge,
        "id survivor absorbed state asked_by asked_at answered_by answered_at undone_by undone_at "
        "reason",
        order="asked_at pk",
    ),
    Table(
        "join_requests",
        pgettext_lazy("contest file", "requests to join"),
        JoinRequest,
        "user team_name asked_at approved decided_by decided_at",
        order="asked_at user__username",
    ),
    Table(
        "submissions",
        pgettext_lazy("contest file", "submissions"),
        Submission,
        "id team submitted_by received_at is_late method_name note file_name file key origin",
        order="received_at pk",
    ),
    Table(
        "cancellations",
        pgettext_lazy("contest file", "cancelled submissions"),
        Cancellation,
        "submission cancelled_by at",
        order="at pk",
    ),
    Table(
        "exclusions",
        pgettext_lazy("contest file", "submissions taken off the board"),
        Exclusion,
        "submission excluded_by at reason reason_shown",
        order="at pk",
    ),
    Table(
        "finals",
        pgettext_lazy("contest file", "final choices"),
        FinalChoice,
        "submission chosen_by at",
        order="at pk",
    ),
    Table(
        "ledger",
        pgettext_lazy("contest file", "lines of the quota ledger"),
        QuotaEntry,
        "team kind amount day at submission reason_ko reason_en origin source",
        order="at pk",
    ),
    Table(
        "announcements",
        pgettext_lazy("contest file", "announcements"),
        Announcement,
        "id author at audience teams pinned text text_en",
        order="at pk",
    ),
    # An inquiry is between who asked and the organizers who were there: it goes nowhere.
    Table(
        "threads",
        pgettext_lazy("contest file", "threads of the forum"),
        Thread,
        "id kind title author created_at pinned_at locked_at hidden_at hide_reason deleted_at",
        order="created_at pk",
        only=~Q(kind=Thread.Kind.INQUIRY),
    ),
    Table(
        "posts",
        pgettext_lazy("contest file", "posts of the forum"),
        Post,
        "id thread author at edited_at opens answers by_organizer hidden_at hide_reason "
        "deleted_at text",
        order="at pk",
        only=~Q(thread__kind=Thread.Kind.INQUIRY),
    ),
)
