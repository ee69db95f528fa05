"""Holding the rows of `contest.yaml` against each other, as the database would."""

from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import Model, UniqueConstraint
from django.utils.translation import gettext_lazy as _

from leaderboard.competitions.models import Competition, Terms
from leaderboard.contest_file import layout
from leaderboard.contest_file.document import Wrong
from leaderboard.contest_file.layout import Table
from leaderboard.contest_file.rows import ContestRows
from leaderboard.references.models import ReferenceSet, Release, ScoringVersion
from leaderboard.submissions.models import QuotaEntry, Submission

# What the database calls a broken rule, in words.
RULES = {
    "competition_dates_in_order": _("The dates must come in order: opening, close, reveal."),
    "freeze_while_open": _("The board can freeze between opening and close only."),
    "merges_end_before_closing": _("Merging teams must end by the close."),
    "max_cell_in_range": _("A summary may be limited to between 1 and 10,000 characters."),
    "one_contest_per_code": _("Another contest has this code to join."),
}


def check_agreement(reading: ContestRows) -> None:
    """That no two rows are one thing, that rows point at rows of this file, and agree with them."""
    _check_constraints(reading)
    _check_pointers(reading)
    if not reading.total:
        _check_versions(reading)
        _check_ledger(reading)


def _check_constraints(reading: ContestRows) -> None:
    """What the database would refuse: dates out of order, two rows for one thing."""
    competition = Competition(**reading.competition)
    for rule in Competition._meta.constraints:
        try:
            rule.validate(Competition, competition)
        except ValidationError:
            reading.wrong(("competition",), Wrong(RULES[rule.name]))
    for table in layout.TABLES:
        pk = table.model._meta.pk
        unique = [
            constraint.fields
            for constraint in table.model._meta.constraints
            if isinstance(constraint, UniqueConstraint) and constraint.condition is None
        ]
        for names in ((pk.name,), *unique):
            keys = [layout.key(table.model, name) for name in names if name != "competition"]
            _check_unique(reading, table, keys)


def _check_unique(reading: ContestRows, table: Table, keys: list[str]) -> None:
    seen: set[tuple[Any, ...]] = set()
    for number, row in enumerate(reading.of(table.model)):
        if any(row.get(key) is None for key in keys):
            continue  # empty values never clash; a row number has no place in the file
        one = tuple(row[key] for key in keys)
        if one in seen:
            names = ", ".join(key.removesuffix("_id") for key in keys)
            reading.wrong((table.name, number), Wrong(_("There twice: {names}"), names=names))
        seen.add(one)


def _check_pointers(reading: ContestRows) -> None:
    known: dict[type[Model], set[Any]] = {
        table.model: {row.get("id") for row in reading.of(table.model)} for table in layout.TABLES
    }
    known[Terms] = {row["number"] for row in reading.of(Terms)}
    for table in layout.TABLES:
        for number, row in enumerate(reading.of(table.model)):
            for name in table.fields:
                _check_pointer(reading, table, row, name, number, known)


def _check_pointer(
    reading: ContestRows,
    table: Table,
    row: dict[str, Any],
    name: str,
    number: int,
    known: dict[type[Model], set[Any]],
) -> None:
    field = layout.field_of(table.model, name)
    target = field.related_model if field else None
    if not isinstance(target, type) or target not in known:
        return
    found = row.get(layout.key(table.model, name))
    for one in found if isinstance(found, list) else [found]:
        if one is not None and one not in known[target]:
            reading.wrong(
                (table.name, number, name),
                Wrong(_("It points at something that is not in this file.")),
            )


def _check_versions(reading: ContestRows) -> None:
    states = [row["state"] for row in reading.of(ScoringVersion)]
    if states.count(ScoringVersion.State.LIVE) > 1:
        reading.wrong(("scoring_versions",), Wrong(_("Two versions are live.")))
    for place, row in enumerate(reading.of(ScoringVersion)):
        if row["draft_number"] is None:
            reading.wrong(
                ("scoring_versions", place),
                Wrong(_("Its draft_number is missing.")),
            )
        once_live = row["made_live_at"] is not None or row["state"] == ScoringVersion.State.LIVE
        if once_live and row["number"] is None:
            reading.wrong(
                ("scoring_versions", place, "number"),
                Wrong(_("A version that was live needs a number.")),
            )
    practice = {row["id"] for row in reading.of(ReferenceSet) if row["practice"]}
    tables = ((ScoringVersion, "scoring_versions", False), (Release, "releases", True))
    for model, name, wanted in tables:
        for number, row in enumerate(reading.of(model)):
            if (row["reference_set_id"] in practice) != wanted:
                reading.wrong(
                    (name, number, "reference_set"),
                    Wrong(_("A practice set never scores, and no other set is ever released.")),
                )


def _check_ledger(reading: ContestRows) -> None:
    teams = {row["id"]: row["team_id"] for row in reading.of(Submission)}
    for number, row in enumerate(reading.of(QuotaEntry)):
        charged = teams.get(row["submission_id"])
        if charged is not None and charged != row["team_id"]:
            reading.wrong(("ledger", number), Wrong(_("The submission is another team's.")))
