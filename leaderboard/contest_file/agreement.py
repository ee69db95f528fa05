"""Holding the rows of `contest.yaml` against each other, as the database would."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db.models import Model, UniqueConstraint
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts.names import NameProblem, reserved_problem, team_name_problem, tidy
from leaderboard.accounts.skeletons import skeleton
from leaderboard.actions.teams import team_name_of
from leaderboard.competitions.models import Competition, Terms
from leaderboard.contest_file import layout
from leaderboard.contest_file.document import Path, Wrong
from leaderboard.contest_file.import_plan import ImportPlan
from leaderboard.contest_file.rows import USERNAME, refused_by
from leaderboard.references.models import ReferenceSet, Release, ScoringVersion
from leaderboard.submissions.models import QuotaEntry, Submission
from leaderboard.teams.models import JoinRequest, Membership, Merge, Team
from leaderboard.texts import Said

# What the database calls a broken rule, in words.
RULES = {
    "competition_dates_in_order": _("The dates must come in order: opening, close, reveal."),
    "freeze_while_open": _("The board can freeze between opening and close only."),
    "merges_end_before_closing": _("Merging teams must end by the close."),
    "team_of_one_at_least": _("A team may have at least one person."),
    "max_cell_in_range": _("A summary may be limited to between 1 and 10,000 characters."),
    "one_contest_per_code": _("Another contest has this code to join."),
}
State = ScoringVersion.State


def check_agreement(found: ImportPlan) -> None:
    """That no two rows are one thing, that rows point at rows of this file, and agree with them."""
    competition = Competition(**found.competition)
    for rule in Competition._meta.constraints:
        try:
            rule.validate(Competition, competition)
        except ValidationError:
            found.wrong(("competition",), RULES[rule.name])
    for table in layout.TABLES:
        _check_unique(found, table)
    _check_pointers(found)
    if not found.total_problems:
        _check_versions(found)
        teams = {row["id"]: row["team_id"] for row in found.of(Submission)}
        for number, row in enumerate(found.of(QuotaEntry)):
            if teams.get(row["submission_id"], row["team_id"]) != row["team_id"]:
                found.wrong(("ledger", number), _("The submission is another team's."))
        _check_merges(found)


def _check_unique(found: ImportPlan, table: layout.Table) -> None:
    constraints = [
        rule.fields
        for rule in table.model._meta.constraints
        if isinstance(rule, UniqueConstraint) and rule.condition is None
    ]
    for fields in ((table.model._meta.pk.name,), *constraints):
        names = [name for name in fields if name != "competition"]
        keys = [layout.key(table.model, name) for name in names]
        seen: set[tuple[Any, ...]] = set()
        for number, row in enumerate(found.of(table.model)):
            one = tuple(row.get(key) for key in keys)
            if None in one:
                continue  # empty values never clash; a row number has no place in the file
            if one in seen:
                found.wrong((table.name, number), _("There twice: {names}"), names=", ".join(names))
            seen.add(one)


def _check_pointers(found: ImportPlan) -> None:
    ids: dict[Any, set[Any]] = {
        table.model: {row.get("id") for row in found.of(table.model)} for table in layout.TABLES
    }
    ids[Terms] = {row["number"] for row in found.of(Terms)}
    for table in layout.TABLES:
        pointers = [
            (name, layout.key(table.model, name), known)
            for name in table.fields
            if (field := layout.field_of(table.model, name))
            and (known := ids.get(field.related_model)) is not None
        ]
        for number, row in enumerate(found.of(table.model)):
            for name, key, known in pointers:
                value = row.get(key)
                for one in value if isinstance(value, list) else [value]:
                    if one is not None and one not in known:
                        found.wrong(
                            (table.name, number, name),
                            _("It points at something that is not in this file."),
                        )


def _check_merges(found: ImportPlan) -> None:
    """That what belongs to a team that another one took in is the other's, and came from there."""
    into = {row["id"]: row["merged_into_id"] for row in found.of(Team) if row["merged_into_id"]}
    done = {
        row["absorbed_id"]: row["survivor_id"]
        for row in found.of(Merge)
        if row["state"] == Merge.State.ACCEPTED
    }
    for number, row in enumerate(found.of(Team)):
        if into.get(row["id"]) != done.get(row["id"]) or row["id"] in _wholes(into, row["id"]):
            found.wrong(
                ("teams", number, "merged_into"), _("It does not fit the merges in this file.")
            )
    for number, row in enumerate(found.of(Membership)):
        if row["team_id"] in into:
            found.wrong(("members", number, "team"), _("It does not fit the merges in this file."))
    tables = ((Submission, "submissions"), (QuotaEntry, "ledger"))
    for model, name in tables:
        for number, row in enumerate(found.of(model)):
            team, origin = row["team_id"], row["origin_id"]
            came = origin in (None, team) or team in _wholes(into, origin)
            if team in into or not came:
                found.wrong((name, number, "origin"), _("It does not fit the merges in this file."))


def _wholes(into: Mapping[UUID, UUID], team: UUID) -> list[UUID]:
    """What the team is a part of, directly or in steps; it itself, where that goes in a circle."""
    found: list[UUID] = []
    while (whole := into.get(team)) is not None and whole not in found:
        found.append(team := whole)
    return found


def _check_versions(found: ImportPlan) -> None:
    versions = found.of(ScoringVersion)
    if [row["state"] for row in versions].count(State.LIVE) > 1:
        found.wrong(("scoring_versions",), _("Two versions are live."))
    for number, row in enumerate(versions):
        place = ("scoring_versions", number)
        if row["draft_number"] is None:
            found.wrong(place, _("Its draft_number is missing."))
        once_live = row["made_live_at"] is not None or row["state"] == State.LIVE
        if once_live and row["number"] is None:
            found.wrong((*place, "number"), _("A version that was live needs a number."))
    practice = {row["id"] for row in found.of(ReferenceSet) if row["practice"]}
    tables: tuple[tuple[type[Model], str, bool], ...] = (
        (ScoringVersion, "scoring_versions", False),
        (Release, "releases", True),
    )
    for model, name, wanted in tables:
        for number, row in enumerate(found.of(model)):
            if (row["reference_set_id"] in practice) != wanted:
                found.wrong(
                    (name, number, "reference_set"),
                    _("A practice set never scores, and no other set is ever released."),
                )


def check_names(found: ImportPlan) -> None:
    """That each account which is not here under exactly its name could be made by signing up, and
    each team could be called so today, as each that is asked for.

    Only whether a closed account holds a name is the import's to ask, for it depends on the time.
    A team may be called as its captain, as it is if one joins without a name; so who is here under
    a name from before the policy still has it.
    """
    looks: set[str] = set()
    for person, place in sorted(found.people.items()):
        if person in found.known:
            continue
        try:
            USERNAME.run_validators(person)
        except ValidationError as error:
            found.refuse(place, refused_by(error))
            continue
        problem = reserved_problem(person, closed=person in found.closed)
        if problem is None and skeleton(person) in looks:
            problem = NameProblem("name_taken")
        looks.add(skeleton(person))
        _check_name(found, place, person, problem)
    tables: tuple[tuple[type[Model], str, str, str], ...] = (
        (Team, "teams", "captain", "name"),
        (JoinRequest, "join_requests", "user", "team_name"),
    )
    for model, table, who, called in tables:
        for number, row in enumerate(found.of(model)):
            person, name = row[who], row[called]
            if person in found.known and name == team_name_of(person):
                continue
            problem = team_name_problem(name)
            if problem is None and row.get("kind") != Team.Kind.BASELINE:
                problem = reserved_problem(name, closed=person is None)
            _check_name(found, (table, number, called), name, problem)


def _check_name(found: ImportPlan, place: Path, name: str, problem: Said | None) -> None:
    """Note that a name is not written as names are kept, or else its problem, if it has one."""
    if (kept := tidy(name)) != name:
        # xgettext:no-python-brace-format  its Korean chooses a particle
        found.refuse(place, Wrong(_("It must be written “{kept}”."), kept=kept))
    elif problem is not None:
        found.refuse(place, Wrong("{said}", said=problem))
