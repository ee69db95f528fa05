"""Looking at a whole package before anything is written: what an import would make, and why not."""

import hashlib
from collections.abc import Iterator
from typing import cast

from django.db.models import UUIDField
from django.utils.functional import Promise, lazy
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts.class_list import known
from leaderboard.accounts.models import User
from leaderboard.competitions.models import Competition
from leaderboard.contest_file import layout
from leaderboard.contest_file.agreement import check_agreement, check_names
from leaderboard.contest_file.document import Path, Wrong, load
from leaderboard.contest_file.import_competition import (
    LIMITS,
    id_sets,
    read_references,
    refuse_unless_allowed,
    signature_here,
)
from leaderboard.contest_file.import_plan import ImportPlan, Remark, Row
from leaderboard.contest_file.layout import DOCUMENT
from leaderboard.contest_file.packing import Source
from leaderboard.contest_file.rows import Named, of_field, read_rows
from leaderboard.references.models import DialogueSet, ReferenceSet, ScoringVersion
from leaderboard.references.released import one_line
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import reread
from leaderboard.texts import say
from scoring import dialogues
from scoring.findings import InvalidFile
from scoring.profile import Profile
from scoring.signature import abbreviated, as_signed

SHOWN = 5  # problems of one file, names of one list
LOST = {
    Competition.Registration.CODE: _(
        "The code to join is not in the file. A new one is made; see the page “People”."
    ),
    Competition.Registration.ALLOW_LIST: _(
        "The list of mail addresses is not in the file. Upload it again afterwards."
    ),
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
        found.causes[()] = Remark(place, error, tail=bounds.way if error.too_large else "")
        return found
    document = found.document.data
    found.full = isinstance(document, dict) and document.get("full") is True
    refuse_unless_allowed(asked_by, full=found.full)
    read_rows(found)
    if not found.total_problems:
        check_agreement(found)
    if slug is not None and not found.total_problems:
        try:
            of_field(cast(Named, Competition._meta.get_field("slug")), slug)
        except Wrong as error:
            found.refuse((), error, of=slug)
        found.renew(slug=slug)
    if not found.total_problems:
        _check_database(found)
        _check_files(found)
        _say_what_is_left_out(found)
    return found


def _check_database(found: ImportPlan) -> None:
    """That nothing of it is here already, and who of its people is."""
    slug = found.competition["slug"]
    if Competition.every.filter(pk=found.competition["id"]).exists():
        # The rest of it is here too: that is one thing to say, not one for each table.
        found.wrong(
            ("competition",),
            _("This contest is already here. Give another address to make it anew with new ids."),
        )
    else:
        if Competition.every.filter(slug=slug).exists():
            found.wrong(
                ("competition", "slug"),
                _("A contest at {slug} is already here. Give another address."),
                slug=slug,
            )
        # Rows of another contest have these ids, as after a clone that was made by hand.
        here = [
            table
            for table in layout.TABLES
            if isinstance(table.model._meta.pk, UUIDField)
            and table.model._default_manager.filter(
                pk__in=[row["id"] for row in found.of(table.model)]
            ).exists()
        ]
        if here:
            found.wrong(
                (here[0].name,),
                _("These ids are already here ({tables}). Under another address all get new ones."),
                tables=lazy(lambda: ", ".join(str(table.words) for table in here), str)(),
            )
    found.known = {name: user.username for name, user in known(found.people).items()}
    for name, here_as in sorted(found.known.items()):
        if here_as != name:
            found.wrong(
                (), _("Username {name}: here {here} looks like it."), name=name, here=here_as
            )
    check_names(found)


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
        ids = id_sets(found)
        for number, row in enumerate(found.of(Submission)):
            if row["file"] in sound:
                try:
                    reread(found.read(row["file"]), ids, LIMITS)
                except InvalidFile as error:
                    _invalid(found, ("submissions", number, "file"), error, row["file"])
    for number, row in enumerate(found.of(DialogueSet)):
        if row["file"] in sound:
            _check_dialogues(found, row, number)


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
        more = f" (the same in {problem.times - 1} more places)" if problem.times > 1 else ""
        yield f"problem: {problem.place}: {problem.message('en')}{more}"
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
