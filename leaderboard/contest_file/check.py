"""Looking at a whole package before anything is written: what an import would make, and why not."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, cast
from uuid import UUID

from django.db.models import Model, UUIDField
from django.utils.functional import Promise, lazy
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts.class_list import known
from leaderboard.accounts.models import User
from leaderboard.actions.refusals import Refused
from leaderboard.competitions.models import Competition
from leaderboard.contest_file import layout
from leaderboard.contest_file.agreement import (
    check_agreement,
    check_new_people,
    check_team_names,
)
from leaderboard.contest_file.document import Document, Wrong, load
from leaderboard.contest_file.import_competition import (
    ContestToImport,
    id_sets,
    read_predictions,
    read_references,
    refuse_unless_allowed,
    scored_under,
    signature_here,
)
from leaderboard.contest_file.layout import DOCUMENT
from leaderboard.contest_file.packing import Bounds, Source
from leaderboard.contest_file.rows import (
    ContestRows,
    Named,
    NamedFile,
    Remark,
    Sentence,
    of_field,
    read_rows,
)
from leaderboard.references.models import DialogueSet, ReferenceSet, ScoringVersion
from leaderboard.references.released import one_line
from leaderboard.submissions.models import Cancellation, Submission
from leaderboard.texts import say
from scoring import dialogues
from scoring.findings import InvalidFile
from scoring.profile import Profile
from scoring.references import References
from scoring.signature import abbreviated

CHUNK = 500  # ids asked for at a time


@dataclass(frozen=True)
class ImportPlan:
    """What an import would do. `contest` is None while there are problems.

    `rows` counts by table, `scorings` is what the worker would get to do.
    """

    slug: str
    title: str
    full: bool
    rows: dict[str, int]
    scorings: int
    known_people: tuple[str, ...]
    new_people: tuple[str, ...]
    notices: tuple[Remark, ...]
    problems: tuple[Remark, ...]
    total_problems: int
    contest: ContestToImport | None

    def counted(self) -> list[tuple[layout.Table, int]]:
        """The tables that have rows, and how many."""
        return [(table, n) for table in layout.TABLES if (n := self.rows.get(table.name))]

    @property
    def unlisted_problems(self) -> int:
        """How many more there are than the listed lines speak of."""
        return self.total_problems - sum(problem.times for problem in self.problems)


def plan(source: Source, *, slug: str | None = None, asked_by: User | None = None) -> ImportPlan:
    """Look at everything and write nothing. Under another `slug` everything gets new ids.

    `asked_by` is None for the server's console. Raises Refused, before anything else is looked at,
    for a person who may not import such a file.
    """
    bounds = source.bounds
    try:
        data = source.read(DOCUMENT, at_most=bounds.document)
        document = load(data, max_values=bounds.values)
    except Wrong as error:
        place = f"{DOCUMENT}:{error.line}" if error.line else DOCUMENT
        return _unreadable(place, error, bounds)
    refuse_unless_allowed(asked_by, full=_is_full(document))
    return plan_of(document, source, slug=slug)


def _is_full(document: Document) -> bool:
    return isinstance(document.data, dict) and document.data.get("full") is True


def plan_of(document: Document, source: Source, *, slug: str | None = None) -> ImportPlan:
    """The same for a document that was read already."""
    reading = read_rows(document)
    if not reading.total:
        check_agreement(reading)
    if slug is not None and not reading.total:
        try:
            of_field(cast(Named, Competition._meta.get_field("slug")), slug)
        except Wrong as error:
            reading.wrong((), error, of=slug)
        reading.renew(slug=slug)
    check = _Check(reading, Files(reading, source))
    if not reading.total:
        check.database()
        check.files.look()
    return check.plan()


def _unreadable(place: str, error: Wrong, bounds: Bounds) -> ImportPlan:
    problem = Remark(place, error, tail=bounds.way if error.too_large else "")
    return ImportPlan("", "", False, {}, 0, (), (), (), (problem,), 1, None)


@dataclass
class Files:
    """The files beside one document. Problems go to the reading, remarks to `notices`."""

    reading: ContestRows
    source: Source
    notices: list[Remark] = field(default_factory=list)
    references: dict[UUID, References] = field(default_factory=dict)

    def read(self, path: str) -> bytes:
        """One file. Raises Wrong."""
        return self.source.read(path, at_most=MAX_FILE)

    def look(self) -> None:
        """That each file is there, is what the document says, and can be read by the scorer."""
        sound = {one.path for one in self.reading.files if self._is_sound(one)}
        for number, row in enumerate(self.reading.of(ReferenceSet)):
            if all(one["path"] in sound for one in row["files"]):
                self._references(row, number)
        rows = self.reading.of(ScoringVersion)
        pairs = [(row, self.references.get(row["reference_set_id"])) for row in rows]
        for number, (row, references) in enumerate(pairs):
            if references is not None:
                self._signature(row, references, number)
        if len(self.references) == len(self.reading.of(ReferenceSet)):
            self._practice()
            ids = id_sets((row, references) for row, references in pairs if references is not None)
            for number, row in enumerate(self.reading.of(Submission)):
                if row["file"] in sound:
                    self._predictions(row, number, ids)
        for number, row in enumerate(self.reading.of(DialogueSet)):
            if row["file"] in sound:
                self._dialogues(row, number)
        self._say_what_is_left_out()

    def _is_sound(self, listed: NamedFile) -> bool:
        try:
            data = self.read(listed.path)
        except Wrong as error:
            self.reading.wrong(
                listed.place,
                error,
                of=listed.path,
            )
            return False
        if hashlib.sha256(data).hexdigest() == listed.sha256 and listed.size in (None, len(data)):
            return True
        self.reading.wrong(
            listed.place,
            Wrong(_("The file is not what its size and sha256 say.")),
            of=listed.path,
        )
        return False

    def _references(self, row: dict[str, Any], number: int) -> None:
        place = ("reference_sets", number)
        files = [(one["path"], self.read(one["path"])) for one in row["files"]]
        try:
            references = read_references(
                files, split_seed=row["split_seed"], practice=row["practice"]
            )
        except InvalidFile as error:
            return self._invalid(place, error)
        except Refused as error:
            return self.reading.wrong(place, error)
        if row["sha256"] not in ("", references.sha256):
            return self.reading.wrong(
                (*place, "sha256"),
                Wrong(_("The golds have another hash: {sha256}"), sha256=references.sha256),
            )
        self.references[row["id"]] = references
        return None

    def _practice(self) -> None:
        """That nothing which participants may ever read scores them, not even one row of it."""
        sets = [(row, self.references[row["id"]].examples) for row in self.reading.of(ReferenceSet)]
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
                named = ", ".join(shared[:SHOWN])
                self.reading.wrong(
                    ("reference_sets", number),
                    Wrong(
                        _("Ids or texts also stand in golds that are used for scoring: {named}"),
                        named=named,
                    ),
                )

    def _dialogues(self, row: dict[str, Any], number: int) -> None:
        place = ("dialogue_sets", number)
        try:
            found = dialogues.read(self.read(row["file"]))
        except InvalidFile as error:
            return self._invalid(place, error, row["file"])
        if row["sha256"] not in ("", found.sha256):
            self.reading.wrong(
                (*place, "sha256"),
                Wrong(_("The dialogues have another hash: {sha256}"), sha256=found.sha256),
            )
        return None

    def _signature(self, row: dict[str, Any], references: References, number: int) -> None:
        here = signature_here(Profile.from_dict(row["profile_settings"]), references)
        if row.get("signature") not in ("", here, abbreviated(here)):
            self._notice(
                ("scoring_versions", number, "signature"),
                Wrong(
                    _(
                        "Scored here under another signature, so numbers may differ slightly: "
                        "{here}"
                    ),
                    here=here,
                ),
            )

    def _predictions(self, row: dict[str, Any], number: int, ids: list[tuple[str, ...]]) -> None:
        try:
            read_predictions(self.read(row["file"]), ids)
        except InvalidFile as error:
            self._invalid(("submissions", number, "file"), error, row["file"])

    def _invalid(self, place: tuple[str | int, ...], error: InvalidFile, path: str = "") -> None:
        for problem in error.problems[:SHOWN]:
            where = f"{path}:{problem.line or 1}" if path else ""
            self.reading.wrong(place, problem, of=where)

    def _say_what_is_left_out(self) -> None:
        for text in LEFT_BEHIND:
            self._notice((), Wrong(text))
        registration = self.reading.competition["registration"]
        if registration == Competition.Registration.CODE:
            self._notice(
                ("competition", "registration"),
                Wrong(_("The code to join is not in the file. Set a new one afterwards.")),
            )
        if registration == Competition.Registration.ALLOW_LIST:
            self._notice(
                ("competition", "registration"),
                Wrong(
                    _("The list of mail addresses is not in the file. Upload it again afterwards.")
                ),
            )
        used = {DOCUMENT, *(one.path for one in self.reading.files)}
        if unused := sorted(self.source.names() - used):
            shown = ", ".join(unused[:SHOWN]) + (" …" if len(unused) > SHOWN else "")
            self._notice(
                (),
                Wrong(_("{count} files are not used: {shown}"), count=len(unused), shown=shown),
            )

    def _notice(self, place: tuple[str | int, ...], said: Sentence) -> None:
        self.notices.append(Remark(self.reading.at(place), said))


@dataclass
class _Check:
    """One check under way, and who of the file's people is here."""

    reading: ContestRows
    files: Files
    known: dict[str, str] = field(default_factory=dict)

    def plan(self) -> ImportPlan:
        reading = self.reading
        competition = reading.competition
        full = _is_full(reading.document)
        people = frozenset(reading.people)
        contest = ContestToImport(
            competition=competition,
            rows=reading.rows,
            people=people,
            closed=reading.closed & people,
            full=full,
            read=self.files.read,
            references=self.files.references,
        )
        return ImportPlan(
            slug=competition.get("slug", ""),
            title=competition.get("title", ""),
            full=full,
            rows={table.name: len(reading.of(table.model)) for table in layout.TABLES},
            scorings=self._scorings(),
            known_people=tuple(sorted(people & set(self.known.values()))),
            new_people=tuple(sorted(people - set(self.known.values()))),
            notices=tuple(self.files.notices),
            problems=tuple(reading.causes.values()),
            total_problems=reading.total,
            contest=None if reading.total else contest,
        )

    def _scorings(self) -> int:
        if self.reading.total:
            return 0
        cancelled = {row["submission_id"] for row in self.reading.of(Cancellation)}
        versions = self.reading.of(ScoringVersion)
        return sum(
            len(scored_under(row["received_at"], versions))
            for row in self.reading.of(Submission)
            if row["id"] not in cancelled
        )

    def database(self) -> None:
        """That nothing of it is here already, and who of its people is."""
        competition = self.reading.competition
        if Competition.objects.filter(pk=competition["id"]).exists():
            # The rest of it is here too: that is one thing to say, not one for each table.
            self.reading.wrong(
                ("competition",),
                Wrong(
                    _(
                        "This contest is already here. Give another address to make it anew with "
                        "new ids."
                    )
                ),
            )
        else:
            self._refuse_known_slug(competition["slug"])
            self._refuse_known_ids()
        for part in _chunks(sorted(self.reading.people)):
            self.known |= {name: user.username for name, user in known(part).items()}
        for name in sorted(self.reading.people):
            here = self.known.get(name, name)
            if here != name:
                self.reading.wrong(
                    (),
                    Wrong(_("Username {name}: here {here} looks like it."), name=name, here=here),
                )
        check_new_people(self.reading, self.known)
        check_team_names(self.reading, self.known)

    def _refuse_known_slug(self, slug: str) -> None:
        if Competition.objects.filter(slug=slug).exists():
            self.reading.wrong(
                ("competition", "slug"),
                Wrong(_("A contest at {slug} is already here. Give another address."), slug=slug),
            )

    def _refuse_known_ids(self) -> None:
        """Rows of another contest have these ids, as after a clone that was made by hand."""
        here = [table for table in layout.TABLES if self._has_known_ids(table.model)]
        if here:
            tables = lazy(lambda: ", ".join(str(table.words) for table in here), str)()
            self.reading.wrong(
                (here[0].name,),
                Wrong(
                    _(
                        "These ids are already here ({tables}). Under another address all get new "
                        "ones."
                    ),
                    tables=tables,
                ),
            )

    def _has_known_ids(self, model: type[Model]) -> bool:
        if not isinstance(model._meta.pk, UUIDField):
            return False
        ids = [row["id"] for row in self.reading.of(model)]
        return any(model._default_manager.filter(pk__in=part).exists() for part in _chunks(ids))


def _chunks(values: list[Any]) -> Iterable[list[Any]]:
    return (values[start : start + CHUNK] for start in range(0, len(values), CHUNK))


def explained(plan: ImportPlan) -> Iterator[str]:
    """A plan as lines for the console: problems with their places, or what would be made."""
    for problem in plan.problems:
        yield f"problem: {problem.place}: {problem.message('en')}{_more(problem)}"
    if left := plan.unlisted_problems:
        yield f"and {left} more problems"
    if plan.contest is None:
        return
    yield f"contest: {plan.slug} ({plan.title}), {'full' if plan.full else 'plain'}"
    counts = ", ".join(f"{say(table.words, 'en')}: {number}" for table, number in plan.counted())
    yield f"rows: {counts or 'none'}"
    if plan.full:
        yield f"accounts that are here: {', '.join(plan.known_people) or 'none'}"
        yield f"accounts to make, without a password: {', '.join(plan.new_people) or 'none'}"
        yield f"to be scored: {plan.scorings}"
    for notice in plan.notices:
        yield f"note: {notice.place}: {notice.message('en')}"


def _more(problem: Remark) -> str:
    return f" (the same in {problem.times - 1} more places)" if problem.times > 1 else ""


MAX_FILE = 200_000_000
SHOWN = 5  # problems of one file, names of one list

LEFT_BEHIND: list[Promise | str] = []
"""What no contest file brings along: texts of the catalogue. An app above this one appends its own
in its `ready()`."""
