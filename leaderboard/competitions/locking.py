"""Row locks: the one way to take them, and the one order in which they are taken.

A transaction takes the locks it needs from the top of `ORDER` to its end, all rows of a table at
once and by their keys, and asks who may do it and what there is only afterwards. Two transactions
that keep to it can wait for one another, never for each other.

* The contest's row goes with whatever concerns more than one team: its dates and settings,
  references and versions, roles, who is in which team, and the names of teams.
* The team's row goes with its ledger, its finals, its standings and its files.
* A thread's row goes with its posts.
* A row that is changed by a conditional update (a claim, a state) needs no lock before it, but its
  table has its place here: an update locks too. Many rows are locked first, for an update takes
  them in whatever order they lie.

Locks are `FOR NO KEY UPDATE`: a commit asks for the rows that its foreign keys name, and must not
wait there for one who only changes other columns. SQLite has one writer at a time and none of this.
"""

from typing import TypeVar

from django.db.models import Model, QuerySet

M = TypeVar("M", bound=Model)

ORDER = [
    "competitions.Competition",
    "teams.Team",
    "evaluation.Evaluation",
    "community.Thread",
    "accounts.User",
    "inbox.MailAddress",
    "inbox.Notification",
    "accounts.PasswordLink",
    "community.Webhook",
    "outbox.Message",
]
"""From first to last. An app above puts its tables in, in its `ready()`."""


def lock(rows: QuerySet[M], *, to_delete: bool = False, pass_over_locked: bool = False) -> list[M]:
    """These rows, by key, locked until the transaction ends; `to_delete`: also against whoever
    refers to them. `pass_over_locked` leaves out those that somebody else holds."""
    label = rows.model._meta.label
    assert label in ORDER, f"{label} has no place in the order"
    ordered = rows.order_by("pk")
    return list(
        ordered.select_for_update(of=("self",), no_key=not to_delete, skip_locked=pass_over_locked)
    )


def lock_one(rows: QuerySet[M]) -> M:
    """The one row of these, locked. Raises the model's DoesNotExist."""
    found = lock(rows)
    if not found:
        raise rows.model.DoesNotExist  # type: ignore[attr-defined]
    return found[0]
