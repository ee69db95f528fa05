"""Looking at a whole package before anything is written: what an import would make, and why not."""

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any, cast
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db.models import CheckConstraint, Model, UniqueConstraint, UUIDField
from django.utils.functional import Promise, lazy
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts.class_list import known
from leaderboard.accounts.models import User
from leaderboard.accounts.names import NameProblem, reserved_problem, team_name_problem, tidy
from leaderboard.accounts.skeletons import skeleton
from leaderboard.actions.submissions import MAX_FILE
from leaderboard.actions.teams import team_name_of
from leaderboard.competitions.models import Competition, Terms
from leaderboard.contest_file import layout
from leaderboard.contest_file.document import Path, Wrong, load
from leaderboard.contest_file.import_competition import (
    read_references,
    refuse_unless_allowed,
    signature_here,
)
from leaderboard.contest_file.import_plan import ImportPlan, Remark, Row
from leaderboard.contest_file.layout import DOCUMENT
from leaderboard.contest_file.packing import Source
from leaderboard.contest_file.reading import USERNAME, Named, clean, read_rows, refused_by
from leaderboard.references.models import DialogueSet, ReferenceSet, Release, ScoringVersion
from leaderboard.references.released import one_line
from leaderboard.submissions.models import QuotaEntry, Submission
from leaderboard.teams.models import JoinRequest, Merge, Team
from leaderboard.texts import Said, say
from scoring import dialogues
from scoring.findings import InvalidFile, Limits
from scoring.predictions import Predictions, read
from scoring.profile import Profile
from scoring.signature import abbreviated, as_signed

# What was accepted once is taken and read as it was then, whatever the limits became since.
LIMITS = Limits(max_bytes=MAX_FILE, max_cell=10_000, taken=True)
State = ScoringVersion.State
SHOWN = 5  # problems of one file, names of one list
LOST = {
    Competition.Registration.CODE: _(
        "The code to join is not in the file. A new one is made; see the page “People”."
    ),
    Competition.Registration.ALLOW_LIST: _(
        "The list of mail addresses is not in the file. Upload it again afterwards."
    ),
}

# What the database calls a broken rule, in words.
RULES = {
    "competition_dates_in_order": _("The dates must come in order: opening, close, reveal."),
    "freeze_while_open": _("The board can freeze between opening and close only."),
    "merges_end_before_closing": _("Merging teams must end by the close."),
    "team_of_one_at_least": _("A team may have at least one person."),
    "max_cell_in_range": _("A summary may be limited to between 1 and 10,000 characters."),
    "one_contest_per_code": _("Another contest has this code to join."),
}
LEFT_BEHIND: list[Promise | str] = []
"""What no contest file brings along: texts of the catalogue. An app above this one appends its own
in its `ready()`."""


def plan(source: Source, *, slug: str | None = None, asked_by: User | None = None) -> ImportPlan:
    """Look at everything and write nothing. Under another `slug` everything gets new ids.

    `asked_by` is None for the server's console. Raises Refused, before anything else is looked at,
    for a person who may not import such a file.
    """
    found = ImportPlan(source)
    bounds = source.bounds
    try:
        data = source.read(DOCUMENT, at_most=bounds.document)
        found.document = load(data, max_values=bounds.values)
    except Wrong as error:
        place = f"{DOCUMENT}:{error.line}" if error.line else DOCUMENT
        found.total_problems = 1
        found.problems = [Remark(place, error, tail=bounds.way if error.too_large else "")]
        return found
    document = found.document.data
    found.full = isinstance(document, dict) and document.get("full") is True
    refuse_unless_allowed(asked_by, full=found.full)
    read_rows(found)
    if not found.total_problems:
        _check_agreement(found)
    if slug is not None and not found.total_problems:
        try:
            clean(cast(Named, Competition._meta.get_field("slug")), slug)
        except Wrong as error:
            found.refuse((), error, of=slug)
        found.renew(slug=slug)
    if not found.total_problems:
        _check_database(found)
        _check_files(found)
        _say_what_is_left_out(found)
    return found


# --- Rows against each other ----------------------------------------------------------------------


def _check_agreement(found: ImportPlan) -> None:
    """That no two rows are one thing, that rows point at rows of this file, and agree with them.

    What else the database states about people's rows it says itself when they are written.
    """
    _check_rules(found, Competition, found.competition, ("competition",))
    ids: dict[Any, set[Any]] = {
        table.model: {row.get("id") for row in found.of(table.model)} for table in layout.TABLES
    }
    ids[Terms] = {row["number"] for row in found.of(Terms)}
    for table in layout.TABLES:
        _check_unique(found, table)
        _check_pointers(found, table, ids)
    if found.total_problems:
        return
    for number, row in enumerate(found.of(ScoringVersion)):
        _check_rules(found, ScoringVersion, row, ("scoring_versions", number))
    _check_uses(found)
    teams = {row["id"]: row["team_id"] for row in found.of(Submission)}
    for number, row in enumerate(found.of(QuotaEntry)):
        if teams.get(row["submission_id"], row["team_id"]) != row["team_id"]:
            found.wrong(("ledger", number), _("The submission is another team's."))
    _check_merges(found)


def _check_rules(found: ImportPlan, model: type[Model], row: Row, place: Path) -> None:
    """That a row keeps the rules of its table which are about one row alone."""
    made = model(**{name: value for name, value in row.items() if name != "created_by"})
    for rule in model._meta.constraints:
        if model is not Competition and not isinstance(rule, CheckConstraint):
            continue
        try:
            rule.validate(model, made)
        except ValidationError as error:
            text = RULES.get(rule.name)
            found.refuse(place, Wrong(text) if text else refused_by(error))


def _check_unique(found: ImportPlan, table: layout.Table) -> None:
    for fields, condition in _unique_rules(table.model):
        names = [name for name in fields if name != "competition"]
        keys = [layout.key(table.model, name) for name in names]
        seen: set[tuple[Any, ...]] = set()
        for number, row in enumerate(found.of(table.model)):
            one = tuple(row.get(key) for key in keys)
            if None in one or any(row.get(name) != value for name, value in condition.items()):
                continue  # empty values never clash; a row number has no place in the file
            if one in seen:
                shown = ", ".join([*names, *condition])
                found.wrong((table.name, number), _("There twice: {names}"), names=shown)
            seen.add(one)


def _unique_rules(model: type[Model]) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
    """The fields of which no two rows have the same values, and of which rows that is said."""
    yield from (((field.name,), {}) for field in model._meta.concrete_fields if field.unique)
    for rule in model._meta.constraints:
        if isinstance(rule, UniqueConstraint) and not (rule.condition and rule.condition.negated):
            children = rule.condition.children if rule.condition else []
            yield tuple(rule.fields), dict(cast("list[tuple[str, Any]]", children))


def _check_pointers(found: ImportPlan, table: layout.Table, ids: dict[Any, set[Any]]) -> None:
    pointers = [
        (name, layout.key(table.model, name), known)
        for name in table.fields
        if (field := layout.field_of(table.model, name))
        and (known := ids.get(field.related_model)) is not None
    ]
    for number, row in enumerate(found.of(table.model)):
        for name, key, known in pointers:
            value = row.get(key)
            if {one for one in (value if isinstance(value, list) else [value]) if one} - known:
                text = _("It points at something that is not in this file.")
                found.wrong((table.name, number, name), text)


def _check_uses(found: ImportPlan) -> None:
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


def _check_merges(found: ImportPlan) -> None:
    """That teams are parts of others as the merges say, and none of itself."""
    into = {row["id"]: row["merged_into_id"] for row in found.of(Team) if row["merged_into_id"]}
    done = {
        row["absorbed_id"]: row["survivor_id"]
        for row in found.of(Merge)
        if row["state"] == Merge.State.ACCEPTED
    }
    for number, row in enumerate(found.of(Team)):
        team, wholes = row["id"], set[UUID]()
        while (team := into.get(team)) is not None and team not in wholes:
            wholes.add(team)
        if into.get(row["id"]) != done.get(row["id"]) or row["id"] in wholes:
            text = _("It does not fit the merges in this file.")
            found.wrong(("teams", number, "merged_into"), text)


# --- What is here already -------------------------------------------------------------------------


def _check_database(found: ImportPlan) -> None:
    """That nothing of it is here already, and who of its people is."""
    here = [
        table
        for table in (layout.COMPETITION, *layout.TABLES)
        if isinstance(table.model._meta.pk, UUIDField)
        and table.model._base_manager.filter(
            pk__in=[row["id"] for row in found.of(table.model)]
        ).exists()
    ]
    slug = found.competition["slug"]
    if here:  # rows of another contest too, as after a clone that was made by hand
        found.wrong(
            (here[0].name,),
            _("These ids are already here ({tables}). Under another address all get new ones."),
            tables=lazy(lambda: ", ".join(str(table.words) for table in here), str)(),
        )
    elif Competition.every.filter(slug=slug).exists():
        text = _("A contest at {slug} is already here. Give another address.")
        found.wrong(("competition", "slug"), text, slug=slug)
    found.known = {name: user.username for name, user in known(found.people).items()}
    for name, here_as in sorted(found.known.items()):
        if here_as != name:
            found.wrong(
                (), _("Username {name}: here {here} looks like it."), name=name, here=here_as
            )
    _check_names(found)


def _check_names(found: ImportPlan) -> None:
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


# --- The files beside the document ---------------------------------------------------------------


def _check_files(found: ImportPlan) -> None:
    """That each file is there, is what the document says, and can be read by the scorer."""
    sound = {path for path in found.files if _is_sound(found, path)}
    sets = found.of(ReferenceSet)
    for number, row in enumerate(sets):
        if all(one["path"] in sound for one in row["files"]):
            _check_references(found, row, number)
    versions = found.of(ScoringVersion)
    for number, row in enumerate(versions):
        if row["reference_set_id"] in found.references:
            _check_signature(found, row, number)
    if len(found.references) == len(sets):
        _check_practice(found)
        ids = _id_sets(found)
        for number, row in enumerate(found.of(Submission)):
            if row["file"] in sound:
                try:
                    sent = _read_under(ids, found.read(row["file"]))
                    row["notices"] = [notice.kept() for notice in sent.notices]
                except InvalidFile as error:
                    _invalid(found, ("submissions", number, "file"), error, row["file"])
    for number, row in enumerate(found.of(DialogueSet)):
        if row["file"] in sound:
            _check_dialogues(found, row, number)


def _read_under(id_sets: Sequence[Sequence[str]], data: bytes) -> Predictions:
    """Read predictions under the first of these sets of ids that they have. Raises InvalidFile."""
    problems = []
    for ids in id_sets:
        try:
            return read(data, ids, LIMITS)
        except InvalidFile as error:
            problems.append(error)
    raise problems[0]


def _id_sets(contest: ImportPlan) -> list[tuple[str, ...]]:
    """The ids that predictions may name, the live version's first: golds may have lost or won ids
    since a file was handed in."""
    order = [State.LIVE, State.REHEARSING, State.RETIRED, State.DRAFT]
    sorted_by_use = sorted(
        contest.of(ScoringVersion),
        key=lambda row: (order.index(State(row["state"])), -row["draft_number"]),
    )
    ids = (contest.references[row["reference_set_id"]].ids for row in sorted_by_use)
    return list(dict.fromkeys(ids)) or [()]


def _is_sound(found: ImportPlan, path: str) -> bool:
    wanted = found.files[path]
    problem = Wrong(_("The file is not what its size and sha256 say."))
    try:
        data = found.read(path)
        same = hashlib.sha256(data).hexdigest() == wanted.sha256
        if same and wanted.size in (None, len(data)):
            return True
    except Wrong as error:
        problem = error
    found.refuse(wanted.place, problem, of=path)
    return False


def _check_references(found: ImportPlan, row: Row, number: int) -> None:
    place = ("reference_sets", number)
    try:
        references = read_references(found, row)
    except InvalidFile as error:
        _invalid(found, place, error)
    else:
        if row["sha256"] in ("", references.sha256):
            found.references[row["id"]] = references
            return
        text = _("The golds have another hash: {sha256}")
        found.wrong((*place, "sha256"), text, sha256=references.sha256)


def _check_practice(found: ImportPlan) -> None:
    """That nothing which participants may ever read scores them, not even one row of it."""
    sets = [(row, found.references[row["id"]].examples) for row in found.of(ReferenceSet)]
    rows = [row for practice, rows in sets if not practice["practice"] for row in rows]
    ids = {row.example_id for row in rows}
    words = {one_line(gold) for row in rows for gold in row.references}
    for number, (practice, examples) in enumerate(sets):
        shared = [
            row.example_id
            for row in examples
            if row.example_id in ids or words & set(map(one_line, row.references))
        ]
        if practice["practice"] and shared:
            found.wrong(
                ("reference_sets", number),
                _("Ids or texts also stand in golds that are used for scoring: {named}"),
                named=", ".join(shared[:SHOWN]),
            )


def _check_dialogues(found: ImportPlan, row: Row, number: int) -> None:
    place = ("dialogue_sets", number)
    try:
        sha256 = dialogues.read(found.read(row["file"])).sha256
    except InvalidFile as error:
        _invalid(found, place, error, row["file"])
    else:
        if row["sha256"] not in ("", sha256):
            text = _("The dialogues have another hash: {sha256}")
            found.wrong((*place, "sha256"), text, sha256=sha256)


def _check_signature(found: ImportPlan, row: Row, number: int) -> None:
    profile = as_signed(Profile.from_dict(row["profile_settings"]), row["signature"])
    here = signature_here(profile, found.references[row["reference_set_id"]])
    if row["signature"] not in ("", here, abbreviated(here)):
        found.remark(
            ("scoring_versions", number, "signature"),
            _("Scored here under another signature, so numbers may differ slightly: {here}"),
            here=here,
        )


def _invalid(found: ImportPlan, place: Path, error: InvalidFile, path: str = "") -> None:
    for problem in error.problems[:SHOWN]:
        found.refuse(place, problem, of=f"{path}:{problem.line or 1}" if path else "")


def _say_what_is_left_out(found: ImportPlan) -> None:
    for text in LEFT_BEHIND:
        found.remark((), text)
    if lost := LOST.get(found.competition["registration"]):
        found.remark(("competition", "registration"), lost)
    if unused := sorted(found.source.names() - {DOCUMENT, *found.files}):
        shown = ", ".join(unused[:SHOWN]) + (" …" if len(unused) > SHOWN else "")
        text = _("{count} files are not used: {shown}")
        found.remark((), text, count=len(unused), shown=shown)


def explained(found: ImportPlan) -> Iterator[str]:
    """A plan as lines for the console: problems with their places, or what would be made."""
    for problem in found.problems:
        yield f"problem: {problem.place}: {problem.message('en')}"
    if left := found.unlisted_problems:
        yield f"and {left} more problems"
    if found.contest is None:
        return
    title = found.competition["title"]
    yield f"contest: {found.slug} ({title}), {'full' if found.full else 'plain'}"
    counts = ", ".join(f"{say(table.words, 'en')}: {number}" for table, number in found.counted())
    yield f"rows: {counts or 'none'}"
    if found.full:
        yield f"accounts that are here: {', '.join(found.known_people) or 'none'}"
        yield f"accounts to make, without a password: {', '.join(found.new_people) or 'none'}"
        yield f"to be scored: {found.scorings}"
    for notice in found.notices:
        yield f"note: {notice.place}: {notice.message('en')}"
