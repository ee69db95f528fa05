"""Looking at a whole package before anything is written: what an import would make, and why not."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, cast

from django.db.models import Model, UUIDField

from leaderboard.accounts.enrolment import known
from leaderboard.actions.importing import (
    ContestToImport,
    scored_under,
)
from leaderboard.competitions.models import Competition
from leaderboard.operations.contest_file import layout, names, renewal
from leaderboard.operations.contest_file.agreement import check_agreement
from leaderboard.operations.contest_file.files import Files
from leaderboard.operations.contest_file.layout import DOCUMENT
from leaderboard.operations.contest_file.packing import Bounds, Source, Unpackable
from leaderboard.operations.contest_file.rows import Finding, Reading, read_rows
from leaderboard.operations.contest_file.values import Named, Wrong, of_field
from leaderboard.operations.contest_file.yaml_text import Document, NotReadable, load
from leaderboard.references.models import ScoringVersion
from leaderboard.submissions.models import Cancellation, Submission

CHUNK = 500  # ids asked for at a time


@dataclass(frozen=True)
class Plan:
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
    notices: tuple[Finding, ...]
    problems: tuple[Finding, ...]
    total_problems: int
    contest: ContestToImport | None


def plan(source: Source, *, slug: str | None = None) -> Plan:
    """Look at everything and write nothing. Under another `slug` everything gets new ids."""
    bounds = source.bounds
    try:
        data = source.read(DOCUMENT, at_most=bounds.document)
        document = load(data, max_values=bounds.values)
    except Unpackable as error:
        return _unreadable(DOCUMENT, error, bounds)
    except NotReadable as error:
        place = f"{DOCUMENT}:{error.line}" if error.line else DOCUMENT
        return _unreadable(place, error, bounds)
    return plan_of(document, source, slug=slug)


def plan_of(document: Document, source: Source, *, slug: str | None = None) -> Plan:
    """The same for a document that was read already."""
    reading = read_rows(document)
    if not reading.total:
        check_agreement(reading)
    if slug is not None and not reading.total:
        try:
            of_field(cast(Named, Competition._meta.get_field("slug")), slug)
        except Wrong as error:
            reading.wrong((), f"{slug}: {error.message_ko}", f"{slug}: {error.message_en}")
        renewal.renew(reading, slug=slug)
    check = _Check(reading, Files(reading, source))
    if not reading.total:
        check.database()
        check.files.look()
    return check.plan()


def _unreadable(place: str, error: Unpackable | NotReadable, bounds: Bounds) -> Plan:
    ko, en = (bounds.way_ko, bounds.way_en) if error.too_large else ("", "")
    problem = Finding(place, f"{error.message_ko}{ko}", f"{error.message_en}{en}")
    return Plan("", "", False, {}, 0, (), (), (), (problem,), 1, None)


@dataclass
class _Check:
    """One check under way, and who of the file's people is here."""

    reading: Reading
    files: Files
    known: dict[str, str] = field(default_factory=dict)

    def plan(self) -> Plan:
        reading = self.reading
        competition = reading.competition
        data = reading.document.data
        full = isinstance(data, dict) and data.get("full") is True
        people = frozenset(reading.people)
        contest = ContestToImport(
            competition=competition,
            rows=reading.rows,
            people=people,
            closed=reading.closed & people,
            full=full,
            read=self.files.read,
        )
        return Plan(
            slug=competition.get("slug", ""),
            title=competition.get("title", ""),
            full=full,
            rows={table.name: len(reading.of(table.model)) for table in layout.TABLES},
            scorings=self._scorings(),
            known_people=tuple(sorted(people & set(self.known.values()))),
            new_people=tuple(sorted(people - set(self.known.values()))),
            notices=tuple(self.files.notices),
            problems=tuple(reading.problems),
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
        slug = self.reading.competition["slug"]
        if Competition.objects.filter(slug=slug).exists():
            self.reading.wrong(
                ("competition", "slug"),
                f"주소 {slug}의 대회가 이미 있습니다. 다른 주소를 주세요.",
                f"A contest at {slug} is already here. Give another address.",
            )
        for table in (layout.COMPETITION, *layout.TABLES):
            if isinstance(table.model._meta.pk, UUIDField):
                self._refuse_known_ids(table.name, table.model)
        for part in _chunks(sorted(self.reading.people)):
            self.known |= {name: user.username for name, user in known(part).items()}
        for name in sorted(self.reading.people):
            here = self.known.get(name, name)
            if here != name:
                self.reading.wrong(
                    (),
                    f"사용자 이름 {name}: 여기에는 비슷해 보이는 {here}이(가) 있습니다.",
                    f"Username {name}: here {here} looks like it.",
                )
        names.check_new_people(self.reading, self.known)
        names.check_team_names(self.reading, self.known)

    def _refuse_known_ids(self, name: str, model: type[Model]) -> None:
        rows = [self.reading.competition] if model is Competition else self.reading.of(model)
        for part in _chunks([row["id"] for row in rows]):
            if model._default_manager.filter(pk__in=part).exists():
                self.reading.wrong(
                    (name,),
                    "같은 id가 이미 있습니다. 새 주소를 주면 새 id로 만듭니다.",
                    "These ids are already here. Under a new address all get new ids.",
                )
                return


def _chunks(values: list[Any]) -> Iterable[list[Any]]:
    return (values[start : start + CHUNK] for start in range(0, len(values), CHUNK))
