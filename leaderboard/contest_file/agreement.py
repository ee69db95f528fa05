"""Holding the rows of `contest.yaml` against each other, as the database would."""

from collections.abc import Container
from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import Model, UniqueConstraint
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts.accounts import name_taken
from leaderboard.accounts.names import NameProblem, reserved_problem, team_name_problem, tidy
from leaderboard.accounts.skeletons import skeleton
from leaderboard.actions.teams import team_name_of
from leaderboard.competitions.models import Competition, Terms
from leaderboard.contest_file import layout
from leaderboard.contest_file.document import Path, Wrong
from leaderboard.contest_file.layout import Table
from leaderboard.contest_file.rows import USERNAME, ContestRows, refused_by
from leaderboard.references.models import ReferenceSet, Release, ScoringVersion
from leaderboard.submissions.models import QuotaEntry, Submission
from leaderboard.teams.models import JoinRequest, Team

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


def check_new_people(reading: ContestRows, here: Container[str]) -> None:
    """That each account which is not `here` under exactly its name could be made by signing up.

    Only whether a closed account holds the name is the import's to ask, for it depends on the time.
    """
    looks: set[str] = set()
    for name, place in sorted(reading.people.items()):
        if name in here:
            continue
        try:
            USERNAME.run_validators(name)
        except ValidationError as error:
            reading.wrong(place, refused_by(error))
            continue
        problem: NameProblem | Wrong | None = _untidy(name) or reserved_problem(
            name, closed=name in reading.closed
        )
        if problem is None and skeleton(name) in looks:
            problem = name_taken()
        looks.add(skeleton(name))
        _note(reading, place, problem)


def check_team_names(reading: ContestRows, here: Container[str]) -> None:
    """That each team could be called so today, and each that is asked for.

    A team may be called as its captain, as it is if one joins without a name; so who is `here`
    under a name from before the policy still has it.
    """
    for number, row in enumerate(reading.of(Team)):
        captain, name = row["captain"], row["name"]
        baseline = row["kind"] == Team.Kind.BASELINE
        if not (captain in here and name == team_name_of(captain)):
            closed = captain is None
            problem = _team_problem(name, baseline=baseline, closed=closed)
            _note(reading, ("teams", number, "name"), problem)
    for number, row in enumerate(reading.of(JoinRequest)):
        user, name = row["user"], row["team_name"]
        if not (user in here and name == team_name_of(user)):
            _note(reading, ("join_requests", number, "team_name"), _team_problem(name))


def _team_problem(
    name: str, *, baseline: bool = False, closed: bool = False
) -> NameProblem | Wrong | None:
    problem: NameProblem | Wrong | None = _untidy(name) or team_name_problem(name)
    if problem is None and not baseline:
        problem = reserved_problem(name, closed=closed)
    return problem


def _untidy(name: str) -> Wrong | None:
    kept = tidy(name)
    if kept == name:
        return None
    # xgettext:no-python-brace-format  its Korean chooses a particle
    return Wrong(_("It must be written “{kept}”."), kept=kept)


def _note(reading: ContestRows, place: Path, problem: NameProblem | Wrong | None) -> None:
    if isinstance(problem, NameProblem):
        problem = Wrong("{said}", said=problem)
    if problem is not None:
        reading.wrong(place, problem)
