"""What an import is made of: the checked rows, and how the files among them are read."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any, TypeVar
from uuid import UUID, uuid4

from django.core.files.base import ContentFile
from django.db import IntegrityError
from django.db.models import Model

from leaderboard.accounts.accounts import held, name_held
from leaderboard.accounts.models import User
from leaderboard.accounts.skeletons import distinct
from leaderboard.actions.competition import not_a_creator
from leaderboard.actions.references import GOLD_LIMITS, with_splits, without_splits
from leaderboard.actions.refusals import Refused
from leaderboard.actions.submissions import MAX_FILE
from leaderboard.audit.log import record
from leaderboard.boards.standings import place_scored
from leaderboard.community.models import Announcement
from leaderboard.competitions.models import (
    Competition,
    DataFile,
    Organizer,
    Terms,
    TermsAcceptance,
    data_storage,
)
from leaderboard.competitions.roles import may_create
from leaderboard.competitions.schedule import Phase, phase
from leaderboard.competitions.storage import rows_for_stored_bytes
from leaderboard.evaluation.claim import cancel_waiting
from leaderboard.evaluation.queue import ask_anew
from leaderboard.references.intake import ReferenceFile, claim_use, keep
from leaderboard.references.models import (
    DialogueSet,
    ReferenceSet,
    Release,
    ScoringVersion,
    SetUse,
)
from leaderboard.references.released import keep_dialogues, release, release_dialogues
from leaderboard.submissions.intake import Upload, discard_file, store_file
from leaderboard.submissions.models import (
    Cancellation,
    Exclusion,
    FinalChoice,
    QuotaEntry,
    Submission,
    SubmissionText,
)
from leaderboard.submissions.queries import pack
from leaderboard.teams.models import JoinRequest, Membership, Team
from scoring import dialogues, predictions
from scoring import references as reference_files
from scoring.findings import InvalidSubmission, Limits
from scoring.predictions import Predictions
from scoring.profile import Profile
from scoring.references import References
from scoring.signature import version_signature

State = ScoringVersion.State
# A file that was accepted once is taken, whatever the contest's own limits became since.
LIMITS = Limits(max_bytes=MAX_FILE, max_cell=10_000)

Row = Mapping[str, Any]


@dataclass(frozen=True)
class ContestToImport:
    """A contest that was checked, row by row.

    Rows name fields as the models do; people are usernames, terms are numbers, a file is the path
    that `read` takes. `people` are all usernames that a row names, `closed` those who left;
    `references` are the sets by id.
    """

    competition: Row
    rows: Mapping[type[Model], Sequence[Row]]
    people: frozenset[str]
    closed: frozenset[str]
    full: bool
    read: Callable[[str], bytes]
    references: Mapping[UUID, References]

    def of(self, model: type[Model]) -> Sequence[Row]:
        """The rows of one table."""
        return self.rows.get(model, ())


def read_references(
    files: Sequence[tuple[str, bytes]], *, split_seed: int | None, practice: bool
) -> References:
    """A reference set from its files, split as it was. Raises InvalidReferences."""
    found = reference_files.read(files, limits=GOLD_LIMITS)
    return without_splits(found) if practice else with_splits(found, split_seed)[0]


def read_predictions(data: bytes, sets: Sequence[Sequence[str]]) -> Predictions:
    """A submission's file, under those of the ids that it has. Raises InvalidSubmission."""
    problem: InvalidSubmission | None = None
    for ids in sets:
        try:
            return predictions.read(data, ids, LIMITS)
        except InvalidSubmission as error:
            problem = problem or error
    assert problem is not None
    raise problem


def signature_here(profile: Profile, references: References) -> str:
    """What this installation prints of these golds under this profile."""
    return version_signature(profile, references_sha256=references.sha256, ngolds=references.ngolds)


def id_sets(versions: Iterable[tuple[Row, References]]) -> list[tuple[str, ...]]:
    """The ids that predictions may name, the live version's first: golds may have lost or won ids
    since a file was handed in."""
    order = [State.LIVE, State.REHEARSING, State.RETIRED, State.DRAFT]
    sorted_by_use = sorted(
        versions, key=lambda one: (order.index(State(one[0]["state"])), -one[0]["draft_number"])
    )
    return list(dict.fromkeys(references.ids for _, references in sorted_by_use)) or [()]


def scored_under(received_at: datetime, versions: Sequence[Row]) -> list[Row]:
    """The versions that scored what was received then.

    A retired version scored what came while it was live; one that never was live, and was
    discarded after its rehearsal, shows no board.
    """
    return [one for one in versions if _scored(received_at, one)]


def _scored(received_at: datetime, version: Row) -> bool:
    if version["state"] != State.RETIRED:
        return bool(version["state"] != State.DRAFT)
    if version["made_live_at"] is None:
        return False
    return version["retired_at"] is None or bool(received_at < version["retired_at"])


@dataclass
class KeptFiles:
    """The files of one import that stay as files, written; what they say of their rows by id."""

    contest: ContestToImport
    fields: dict[UUID, dict[str, Any]] = field(default_factory=dict)
    texts: dict[UUID, bytes] = field(default_factory=dict)
    undo: list[Callable[[], None]] = field(default_factory=list)

    def store(self) -> None:
        """Read everything and keep the bytes, before any row is written or any lock is held."""
        for row in self.contest.of(DataFile):
            upload = Upload(row["name"], self.contest.read(row["file"]))
            name = data_storage().save(str(uuid4()), ContentFile(upload.data))
            self._keep(row, upload, name, partial(data_storage().delete, name))
        versions = self.contest.of(ScoringVersion)
        ids = id_sets((one, self.contest.references[one["reference_set_id"]]) for one in versions)
        for row in self.contest.of(Submission):
            upload = Upload(row["file_name"], self.contest.read(row["file"]))
            found = read_predictions(upload.data, ids)
            stored = store_file(upload)
            self._keep(row, upload, stored, partial(discard_file, stored))
            self.fields[row["id"]]["notices"] = [notice.kept() for notice in found.notices]
            self.texts[row["id"]] = pack(found.texts)

    def _keep(self, row: Row, upload: Upload, name: str, undo: Callable[[], None]) -> None:
        self.undo.append(undo)
        self.fields[row["id"]] = {"file": name, "size": len(upload.data), "sha256": upload.sha256}

    def discard(self) -> None:
        """Remove the bytes again."""
        for undo in self.undo:
            undo()


# Tables that name nothing but competition, people and ids, in the order of who points at whom.
PEOPLE_TABLES: tuple[type[Model], ...] = (Membership, JoinRequest)
ENTRY_TABLES: tuple[type[Model], ...] = (Cancellation, Exclusion, FinalChoice, QuotaEntry)

M = TypeVar("M", bound=Model)


def import_competition(
    *, contest: ContestToImport, owner: User, asked_by: User | None, at: datetime
) -> Competition:
    """Write it all, or nothing; ids, times and the ledger stay. The worker then scores anew, and
    nobody is told of what was told where the contest was before.

    `owner` runs the contest unless the file names an owner, and stands for people it does not
    name. `asked_by` is None for the administrator at the server's console. Raises Refused.
    """
    refuse_unless_allowed(asked_by, full=contest.full)
    kept = KeptFiles(contest)
    try:
        kept.store()
    except BaseException:
        kept.discard()
        raise
    try:
        with rows_for_stored_bytes(kept.discard):
            if asked_by is not None:  # reading the files took a while
                refuse_unless_allowed(User.objects.get(pk=asked_by.pk), full=contest.full)
            competition = _Import(contest, owner, at, kept).write()
            record(
                kind="competition.imported",
                actor=asked_by,
                at=at,
                competition=competition.pk,
                subject=competition.pk,
                after={
                    "slug": competition.slug,
                    "teams": len(contest.of(Team)),
                    "submissions": len(contest.of(Submission)),
                },
            )
    except IntegrityError:
        raise Refused("not_written") from None
    return competition


def refuse_unless_allowed(asked_by: User | None, *, full: bool) -> None:
    """Raises Refused for a person who may not import such a file; None is the server's console."""
    if asked_by is None:
        return
    if not may_create(asked_by):
        raise not_a_creator()
    # A full file writes in the name of people, so it takes more than the right to make a contest.
    if full and not asked_by.is_superuser:
        raise Refused("full_file", status=403)


@dataclass
class _Import:
    """One import under way: what was stored, and who is who here."""

    contest: ContestToImport
    owner: User
    at: datetime
    kept: KeptFiles
    people: dict[str, int] = field(default_factory=dict)
    competition: Competition = field(init=False)
    terms: dict[int, Terms] = field(default_factory=dict)

    def write(self) -> Competition:
        """All rows, those of lower apps first."""
        self._people()
        self.competition = Competition(**self.contest.competition, imported_at=self.at)
        if phase(self.competition, self.at) is Phase.REVEALED:
            self.competition.reveal_told_at = self.at  # its members have known for long
        self.competition.save(force_insert=True)
        self._competition_tables()
        versions = self._references()
        self._create(Team)
        for model in PEOPLE_TABLES:
            self._create(model)
        submissions = self._create(Submission)
        SubmissionText.objects.bulk_create(
            (SubmissionText(submission=one, blob=self.kept.texts[one.pk]) for one in submissions),
            batch_size=500,
        )
        for model in ENTRY_TABLES:
            self._create(model)
        self._announcements()
        self._ask({version.pk: version for version in versions})
        return self.competition

    def _people(self) -> None:
        """Those that are missing here get an account that nobody can sign in to yet."""
        known = dict(
            User.objects.filter(username__in=self.contest.people).values_list("username", "pk")
        )
        new = sorted(self.contest.people - known.keys())
        if kept_free := held(new, at=self.at):
            raise Refused.because(name_held(), of=kept_free[0])
        for name in new:
            closed = name in self.contest.closed
            made = User(username=name, is_active=not closed, closed_at=self.at if closed else None)
            made.set_unusable_password()
            made.save()
            known[name] = made.pk
        self.people = known

    def _own(self, model: type[Model], row: Row) -> dict[str, Any]:
        """A row's values for the model: contest, people, terms and stored files filled in."""
        values = dict(row)
        if model in (DataFile, Submission):
            values |= self.kept.fields[row["id"]]
        for one in model._meta.concrete_fields:
            if one.name == "competition":
                values["competition"] = self.competition
            elif one.related_model is Terms:
                values["terms"] = self.terms[row["terms"]]
            elif one.related_model is User:
                values[one.attname] = self._person(row, one.name)
                values.pop(one.name, None)
        return values

    def _person(self, row: Row, name: str) -> int | None:
        """Whom a row names; the owner, where a plain file has no names of people."""
        if name not in row:
            return self.owner.pk
        return None if row[name] is None else self.people[row[name]]

    def _create(self, model: type[M]) -> list[M]:
        rows = [model(**self._own(model, row)) for row in self.contest.of(model)]
        teams = [row for row in rows if isinstance(row, Team)]
        for team, looks in zip(teams, distinct(team.name for team in teams), strict=True):
            team.skeleton = looks
        return model._default_manager.bulk_create(rows, batch_size=500)

    def _competition_tables(self) -> None:
        organizers = self._create(Organizer)
        if not any(one.role == Organizer.Role.OWNER for one in organizers):
            Organizer.objects.update_or_create(
                competition=self.competition,
                user=self.owner,
                defaults={"role": Organizer.Role.OWNER},
            )
        self.terms = {one.number: one for one in self._create(Terms)}
        self._create(TermsAcceptance)
        self._create(DataFile)

    def _references(self) -> list[ScoringVersion]:
        sets = {row["id"]: self._reference_set(row) for row in self.contest.of(ReferenceSet)}
        for row in self.contest.of(Release):
            release(
                reference_set=sets[row["reference_set_id"]],
                user=self._user(row, "released_by"),
                at=row["released_at"],
            )
        for row in self.contest.of(DialogueSet):
            self._dialogue_set(row)
        versions = [self._version(row) for row in self.contest.of(ScoringVersion)]
        for version in versions:
            claim_use(reference_set=sets[version.reference_set_id], use=SetUse.Kind.SCORED)
        return versions

    def _dialogue_set(self, row: Row) -> None:
        made = keep_dialogues(
            competition=self.competition,
            dialogues=dialogues.read(self.contest.read(row["file"])),
            file_name=row["file_name"],
            user=self._user(row, "uploaded_by"),
            at=row["uploaded_at"],
            set_id=row["id"],
        )
        if row["released_at"] is not None:
            release_dialogues(dialogue_set=made, at=row["released_at"])

    def _user(self, row: Row, name: str) -> User:
        return User.objects.get(pk=self._person(row, name) or self.owner.pk)

    def _reference_set(self, row: Row) -> ReferenceSet:
        return keep(
            competition=self.competition,
            references=self.contest.references[row["id"]],
            files=[
                ReferenceFile(one["name"], self.contest.read(one["path"])) for one in row["files"]
            ],
            split_seed=row["split_seed"],
            user=self._user(row, "uploaded_by"),
            at=row["uploaded_at"],
            set_id=row["id"],
        )

    def _version(self, row: Row) -> ScoringVersion:
        profile = Profile.from_dict(row["profile_settings"])
        values = self._own(ScoringVersion, row) | {
            "profile_settings": profile.to_dict(),
            "signature": signature_here(profile, self.contest.references[row["reference_set_id"]]),
        }
        return ScoringVersion.objects.create(**values)

    def _announcements(self) -> None:
        for row in self.contest.of(Announcement):
            values = self._own(Announcement, row)
            teams = values.pop("teams")
            Announcement.objects.create(**values).teams.set(teams)

    def _ask(self, versions: Mapping[UUID, ScoringVersion]) -> None:
        """Queue what the versions scored where the file comes from, and keep their boards."""
        submissions = Submission.objects.filter(team__competition=self.competition)
        for row in self.contest.of(ScoringVersion):
            under = [one for one in submissions if scored_under(one.received_at, [row])]
            ask_anew(submissions=under, version=versions[row["id"]])
        for row in self.contest.of(Cancellation):
            cancel_waiting(row["submission_id"])
        for version in versions.values():
            if version.state != ScoringVersion.State.DRAFT:
                place_scored(version=version)
