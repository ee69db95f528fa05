"""Looking at a whole package before anything is written: what an import would make, and why not.

What the database states about rows, it says itself when they are written.
"""

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, cast

from django.core.exceptions import ValidationError
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from leaderboard.accounts.accounts import known
from leaderboard.accounts.models import User
from leaderboard.actions.submissions import MAX_FILE
from leaderboard.competitions.models import Competition, Terms
from leaderboard.contest_file import layout
from leaderboard.contest_file.import_competition import (
    read_references,
    refuse_unless_allowed,
)
from leaderboard.contest_file.layout import DOCUMENT
from leaderboard.contest_file.packing import Archive, Wrong, load
from leaderboard.contest_file.reading import (
    USERNAME,
    ImportPlan,
    Named,
    Path,
    read_rows,
)
from leaderboard.references.models import DialogueSet, ReferenceSet, ScoringVersion
from leaderboard.submissions.models import Submission
from leaderboard.teams.models import Team
from leaderboard.texts import reader_language
from scoring import dialogues
from scoring.findings import InvalidFile, Limits
from scoring.predictions import Predictions, read
from scoring.profile import Profile
from scoring.signature import as_signed, version_signature

# What was accepted once is taken and read as it was then, whatever the limits became since.
LIMITS = Limits(max_bytes=MAX_FILE, max_cell=10_000, taken=True)
State = ScoringVersion.State
SHOWN = 5  # problems of one file
LEFT_BEHIND: list[Promise | str] = []
"""What no contest file brings along: texts of the catalogue. An app above this one appends its own
in its `ready()`."""


def plan(source: Archive, *, slug: str | None = None, asked_by: User | None = None) -> ImportPlan:
    """Look at everything and write nothing. Under another `slug` everything gets new ids.

    `asked_by` is None for the server's console. Raises Refused, before anything else is looked at,
    for a person who may not import such a file.
    """
    found = ImportPlan(source)
    try:
        data = source.read(DOCUMENT, at_most=source.bounds.document)
        document = load(data, max_values=source.bounds.values)
    except Wrong as error:
        found.refuse((), error)
        return found
    found.full = isinstance(document, dict) and document.get("full") is True
    refuse_unless_allowed(asked_by, full=found.full)
    read_rows(found, document)
    if not found.total_problems:
        _check_pointers(found)
        _check_rules(found)
    if slug is not None and not found.total_problems:
        try:
            cast(Named, Competition._meta.get_field("slug")).clean(slug, None)
        except ValidationError as error:
            found.refuse((), *error.messages, of=slug)
        found.renew(slug=slug)
    if not found.total_problems:
        _check_database(found)
        _check_files(found)
        for text in LEFT_BEHIND:
            found.remark((), text)
    return found


def _check_pointers(found: ImportPlan) -> None:
    """That rows point at rows of this file: never at another contest's that is here."""
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
                if {one for one in (value if isinstance(value, list) else [value]) if one} - known:
                    text = _("It refers to something that is not in this file.")
                    found.refuse((table.name, number, name), text)


def _check_rules(found: ImportPlan) -> None:
    """That the contest keeps its own rules, and no practice set scores."""
    try:
        Competition(**found.competition).validate_constraints()
    except ValidationError as error:
        found.refuse(("competition",), *error.messages)
    practice = {row["id"] for row in found.of(ReferenceSet) if row["practice"]}
    text = _("A practice set cannot be used for scoring.")
    for number, row in enumerate(found.of(ScoringVersion)):
        if row["reference_set_id"] in practice:
            found.refuse(("scoring_versions", number, "reference_set"), text)
    wholes = {row["id"]: row.get("merged_into_id") for row in found.of(Team)}
    for number, team in enumerate(wholes):
        steps: set[Any] = set()
        while team is not None and team not in steps:
            steps.add(team)
            team = wholes.get(team)
        if team is not None:
            found.refuse(("teams", number, "merged_into"), _("A team is merged into itself."))


def _check_database(found: ImportPlan) -> None:
    """That the contest is not here already, who of its people is, and what the others are called.

    Only whether a closed account holds a name is the import's to ask, for it depends on the time.
    """
    slug = found.competition["slug"]
    if Competition.every.filter(pk=found.competition["id"]).exists():
        text = _("This competition is already here. With another address, all rows get new ids.")
        found.refuse(("competition",), text)
    elif Competition.every.filter(slug=slug).exists():
        text = _("A competition at {slug} is already here. Choose another address.")
        found.refuse(("competition", "slug"), text.format(slug=slug))
    found.known = {name: user.username for name, user in known(found.people).items()}
    for name, place in sorted(found.people.items()):
        if (here := found.known.get(name)) is None:
            try:
                USERNAME.run_validators(name)
            except ValidationError as error:
                found.refuse(place, *error.messages)
        elif here != name:
            text = _("Username {name}: here {here} looks like it.")
            found.refuse(place, text.format(name=name, here=here))


# --- The files beside the document ---------------------------------------------------------------


def _check_files(found: ImportPlan) -> None:
    """That each file is there, is what the document says, and can be read by the scorer."""
    sound = {path for path in found.files if _is_sound(found, path)}
    place: Path
    for number, row in enumerate(found.of(ReferenceSet)):
        if all(one["path"] in sound for one in row["files"]):
            place = "reference_sets", number
            with _noting(found, place):
                found.references[row["id"]] = read_references(found, row)
    for number, row in enumerate(found.of(DialogueSet)):
        if row["file"] in sound:
            place = "dialogue_sets", number
            with _noting(found, place, row["file"]):
                dialogues.read(found.read(row["file"]))
    if len(found.references) == len(found.of(ReferenceSet)):
        _check_versions(found)
        _check_submissions(found, sound)


def _check_versions(found: ImportPlan) -> None:
    """That each has the signature that this installation prints of its golds and profile."""
    for number, row in enumerate(found.of(ScoringVersion)):
        profile = as_signed(Profile.from_dict(row["profile_settings"]), row["signature"])
        golds = found.references[row["reference_set_id"]]
        here = version_signature(profile, references_sha256=golds.sha256, ngolds=golds.ngolds)
        if row["signature"] not in ("", here):
            text = _("Scored here under another signature, so numbers may differ slightly: {here}")
            found.remark(("scoring_versions", number, "signature"), text.format(here=here))
        row["signature"] = here


def _check_submissions(found: ImportPlan, sound: set[str]) -> None:
    # The live version's ids first: golds may have lost or won ids since a file was handed in.
    live_first = sorted(found.of(ScoringVersion), key=lambda row: row["state"] != State.LIVE)
    sets = (found.references[row["reference_set_id"]].ids for row in live_first)
    ids = list(dict.fromkeys(sets)) or [()]
    for number, row in enumerate(found.of(Submission)):
        if row["file"] in sound:
            with _noting(found, ("submissions", number, "file"), row["file"]):
                sent = _read_under(ids, found.read(row["file"]))
                row["notices"] = [notice.kept() for notice in sent.notices]


def _read_under(id_sets: Sequence[Sequence[str]], data: bytes) -> Predictions:
    """Read predictions under the first of these sets of ids that they have. Raises InvalidFile."""
    problems = []
    for ids in id_sets:
        try:
            return read(data, ids, LIMITS)
        except InvalidFile as error:
            problems.append(error)
    raise problems[0]


@contextmanager
def _noting(found: ImportPlan, place: Path, path: str = "") -> Iterator[None]:
    """Note the problems that the scorer finds in a file."""
    try:
        yield
    except InvalidFile as error:
        for one in error.problems[:SHOWN]:
            said = one.message(reader_language())
            found.refuse(place, said, of=f"{path}:{one.line or 1}" if path else "")


def _is_sound(found: ImportPlan, path: str) -> bool:
    wanted = found.files[path]
    problem = Wrong(_("The file does not match its size and sha256."))
    try:
        data = found.read(path)
        same = hashlib.sha256(data).hexdigest() == wanted.sha256
        if same and wanted.size in (None, len(data)):
            return True
    except Wrong as error:
        problem = error
    found.refuse(wanted.place, problem, of=path)
    return False


def explained(found: ImportPlan) -> Iterator[str]:
    """A plan as lines for the console: problems with their places, or what would be made."""
    for problem in found.problems:
        yield f"problem: {problem.place}: {problem.text}"
    if left := found.unlisted_problems:
        yield f"and {left} more problems"
    if found.contest is None:
        return
    title = found.competition["title"]
    yield f"contest: {found.slug} ({title}), {'full' if found.full else 'plain'}"
    counts = ", ".join(f"{table.name}: {number}" for table, number in found.counted())
    yield f"rows: {counts or 'none'}"
    if found.full:
        yield f"accounts that are here: {', '.join(found.known_people) or 'none'}"
        yield f"accounts to make, without a password: {', '.join(found.new_people) or 'none'}"
    for notice in found.notices:
        yield f"note: {notice.place}: {notice.text}"
