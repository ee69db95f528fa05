"""Looking at a whole package before anything is written: what an import would make, and why not."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, cast

from django.db.models import Model, UUIDField
from django.utils.functional import lazy
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts.class_list import known
from leaderboard.accounts.models import User
from leaderboard.competitions.models import Competition
from leaderboard.contest_file import layout, names
from leaderboard.contest_file.agreement import check_agreement
from leaderboard.contest_file.document import Document, Wrong, load
from leaderboard.contest_file.files import Files
from leaderboard.contest_file.import_competition import refuse_unless_allowed
from leaderboard.contest_file.intake import ContestToImport, scored_under
from leaderboard.contest_file.layout import DOCUMENT
from leaderboard.contest_file.packing import Bounds, Source
from leaderboard.contest_file.rows import ContestRows, Remark, read_rows
from leaderboard.contest_file.values import Named, of_field
from leaderboard.references.models import ScoringVersion
from leaderboard.submissions.models import Cancellation, Submission
from leaderboard.texts import say

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
        names.check_new_people(self.reading, self.known)
        names.check_team_names(self.reading, self.known)

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
