"""Making a contest of a file that another installation wrote: the one action that does."""

import secrets
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any, cast
from uuid import UUID, uuid4

from django.core.files.base import ContentFile
from django.core.files.storage import Storage
from django.db import IntegrityError
from django.db.models import Model
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts.accounts import held, name_held
from leaderboard.accounts.models import User
from leaderboard.accounts.skeletons import AGAIN, skeleton
from leaderboard.actions.competition import not_a_creator
from leaderboard.actions.data_files import refuse_golds
from leaderboard.actions.references import (
    TAKEN_REFERENCES,
    new_seed,
    refuse_scored,
    without_splits,
)
from leaderboard.audit.log import KINDS, record
from leaderboard.boards.standings import place_scored
from leaderboard.community import forum
from leaderboard.community.models import Announcement, Thread
from leaderboard.competitions.models import (
    Competition,
    DataFile,
    Organizer,
    Terms,
    data_storage,
)
from leaderboard.competitions.roles import may_create
from leaderboard.competitions.schedule import Phase, phase
from leaderboard.competitions.storage import rows_for_stored_bytes
from leaderboard.contest_file import layout
from leaderboard.contest_file.reading import ImportPlan, Row
from leaderboard.evaluation.claim import ask_anew, cancel_waiting
from leaderboard.references.given_away import HiddenGolds
from leaderboard.references.intake import claim_use, keep, keep_dialogues
from leaderboard.references.models import (
    DialogueSet,
    ReferenceSet,
    Release,
    ScoringVersion,
    SetUse,
)
from leaderboard.refusals import Forbidden, Refused
from leaderboard.submissions.models import (
    Cancellation,
    Submission,
    submission_storage,
)
from leaderboard.submissions.queries import Upload
from leaderboard.teams.models import Team
from scoring import dialogues
from scoring import references as reference_files
from scoring.references import References, draw_again

KINDS["competition.imported"] = _("Competition made from a file")

State = ScoringVersion.State


def import_competition(
    *, contest: ImportPlan, owner: User, asked_by: User | None, at: datetime
) -> Competition:
    """Write it all, or nothing; ids, times and the ledger stay. The worker then scores anew, and
    nobody is told of what was told where the contest was before.

    `owner` runs the contest unless the file names an owner, and stands for people it does not
    name. `asked_by` is None for the administrator at the server's console. Raises Refused.
    """
    refuse_unless_allowed(asked_by, full=contest.full)
    _refuse_released(contest, at)
    # Read everything and keep the bytes before any row is written or any lock is held.
    with ExitStack() as undo:
        made = _Import(contest, owner, at)
        made.store(undo)
        discard = undo.pop_all().close
    try:
        with rows_for_stored_bytes(discard):
            competition = made.write()
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
        raise Refused(
            "not_written",
            _("An address or id was taken in the meantime, or rows contradict each other."),
            _("Check the file again."),
        ) from None
    return competition


def _refuse_released(contest: ImportPlan, at: datetime) -> None:
    """Raises Refused for a file for participants that holds golds, before the results are open."""
    if phase(Competition(**contest.competition), at) is Phase.REVEALED:
        return
    golds = HiddenGolds.of(
        (one.example_id, one.references)
        for row in contest.of(ReferenceSet)
        if not row["practice"]
        for one in contest.references[row["id"]].examples
    )
    for row in contest.of(DataFile):
        refuse_golds(row["name"], contest.read(row["file"]), golds)


def refuse_unless_allowed(asked_by: User | None, *, full: bool) -> None:
    """Raises Refused for a person who may not import such a file; None is the server's console."""
    if asked_by is None:
        return
    if not may_create(asked_by):
        raise not_a_creator()
    # A full file writes in the name of people, so it takes more than the right to make a contest.
    if full and not asked_by.is_superuser:
        raise Forbidden(
            "full_file",
            _("A file with people and submissions can be imported by the administrator only."),
            _("Use a file that was exported without people, or ask the administrator."),
        )


def read_references(contest: ImportPlan, row: Row) -> References:
    """A reference set from its files, split as it was. Raises InvalidReferences.

    Files without a split column are split by the row's seed, or by a new one that it then has:
    a clone comes so, and what earlier versions exported.
    """
    files = [(one["path"], contest.read(one["path"])) for one in row["files"]]
    found = reference_files.read(files, limits=TAKEN_REFERENCES)
    if row["practice"]:
        return without_splits(found)
    if found.is_split:
        return found
    row["split_seed"] = row["split_seed"] or new_seed()
    return draw_again(found, row["split_seed"])


@dataclass
class _Import:
    """One import under way: what was stored, by the id of its row, and who is who here."""

    contest: ImportPlan
    owner: User
    at: datetime
    stored: dict[UUID, dict[str, Any]] = field(default_factory=dict)
    people: dict[str, int] = field(default_factory=dict)
    competition: Competition = field(init=False)
    sets: dict[UUID, ReferenceSet] = field(default_factory=dict)

    @cached_property
    def terms(self) -> dict[int, Terms]:
        return {one.number: one for one in self.competition.terms.all()}

    def store(self, undo: ExitStack) -> None:
        """Keep the files that stay files; `undo` removes them again."""
        kinds: tuple[tuple[type[Model], Storage, str, str], ...] = (
            (DataFile, data_storage(), "name", ""),
            (Submission, submission_storage(), "file_name", ".csv"),
        )
        for model, storage, called, ending in kinds:
            for row in self.contest.of(model):
                upload = Upload(row[called], self.contest.read(row["file"]))
                name = storage.save(f"{uuid4()}{ending}", ContentFile(upload.data))
                undo.callback(storage.delete, name)
                known = {"file": name, "size": len(upload.data), "sha256": upload.sha256}
                self.stored[row["id"]] = known

    def write(self) -> Competition:
        """All rows, those of lower apps first."""
        self._people()
        self.competition = Competition(**self.contest.competition, imported_at=self.at)
        if phase(self.competition, self.at) is Phase.REVEALED:
            self.competition.reveal_told_at = self.at  # its members have known for long
        by_code = self.competition.registration == Competition.Registration.CODE
        if by_code and not self.competition.registration_code:  # the old one is secret
            self.competition.registration_code = secrets.token_hex(6).upper()
        self.competition.save(force_insert=True)
        for table in layout.TABLES:  # those of lower apps first
            if table.model is ReferenceSet:
                self._keep_sets()
            elif table.model is DialogueSet:
                self._keep_dialogues()
            else:
                self._create(table.model)
        self._claim_uses()
        if not self.competition.organizers.filter(role=Organizer.Role.OWNER).exists():
            self.competition.organizers.update_or_create(
                user=self.owner, defaults={"role": Organizer.Role.OWNER}
            )
        forum.rebuild(self.competition)
        self._ask()
        return self.competition

    def _people(self) -> None:
        """Those that are missing here get an account that nobody can sign in to yet."""
        here = User.objects.filter(username__in=list(self.contest.people))
        self.people = dict(here.values_list("username", "pk"))
        new = sorted(self.contest.people.keys() - self.people.keys())
        if kept_free := held(new, at=self.at):
            raise name_held(kept_free[0])
        for name in new:
            closed = name in self.contest.closed
            made = User(username=name, is_active=not closed, closed_at=self.at if closed else None)
            made.set_unusable_password()
            made.save()
            self.people[name] = made.pk

    def _own(self, model: type[Model], row: Row) -> dict[str, Any]:
        """A row's values for the model: contest, people, terms and stored files filled in."""
        values = dict(row)
        values.pop("teams", None)
        if model is Thread:
            values["last_post_at"] = row["created_at"]
        if model in (DataFile, Submission):
            values |= self.stored[row["id"]]
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

    def _user(self, row: Row, name: str) -> User:
        return User.objects.get(pk=self._person(row, name) or self.owner.pk)

    def _create(self, model: type[Model]) -> None:
        rows = [model(**self._own(model, row)) for row in self.contest.of(model)]
        seen: Counter[str] = Counter()
        for team in (row for row in rows if isinstance(row, Team)):
            looks = skeleton(team.name)  # one that came before gets a number behind it
            seen[looks] += 1
            team.skeleton = looks if seen[looks] == 1 else f"{looks}{AGAIN}{seen[looks]}"
        model._default_manager.bulk_create(rows, batch_size=500)
        if model is Announcement:
            for announcement, row in zip(rows, self.contest.of(model), strict=True):
                cast(Announcement, announcement).teams.set(row["teams"])

    def _keep_sets(self) -> None:
        for row in self.contest.of(ReferenceSet):
            self.sets[row["id"]] = keep(
                competition=self.competition,
                references=self.contest.references[row["id"]],
                files=[(one["name"], self.contest.read(one["path"])) for one in row["files"]],
                split_seed=row["split_seed"],
                user=self._user(row, "uploaded_by"),
                at=row["uploaded_at"],
                set_id=row["id"],
            )

    def _keep_dialogues(self) -> None:
        for row in self.contest.of(DialogueSet):
            keep_dialogues(
                competition=self.competition,
                dialogues=dialogues.read(self.contest.read(row["file"])),
                file_name=row["file_name"],
                user=self._user(row, "uploaded_by"),
                at=row["uploaded_at"],
                id=row["id"],
                released_at=row["released_at"],
            )

    def _claim_uses(self) -> None:
        """What scores is never released, and shares no row with what is."""
        for kind, model in ((SetUse.Kind.SCORED, ScoringVersion), (SetUse.Kind.RELEASED, Release)):
            for row in self.contest.of(model):
                claim_use(reference_set=self.sets[row["reference_set_id"]], use=kind)
        for row in self.contest.of(Release):
            refuse_scored(self.competition, self.contest.references[row["reference_set_id"]])

    def _ask(self) -> None:
        """Queue what the versions scored where the file comes from, and keep their boards."""
        submissions = list(Submission.objects.filter(team__competition=self.competition))
        versions = {one.pk: one for one in self.competition.scoring_versions.all()}
        for row in self.contest.of(ScoringVersion):
            under = [one for one in submissions if _is_scored(one.received_at, row)]
            ask_anew(submissions=under, version=versions[row["id"]])
        for row in self.contest.of(Cancellation):
            cancel_waiting(row["submission_id"])
        for version in versions.values():
            if version.state != State.DRAFT:
                place_scored(version=version)


def _is_scored(received_at: datetime, version: Row) -> bool:
    """Whether a version scored what was received then.

    A retired one scored what came while it was live; one that never was live, and was discarded
    after its rehearsal, shows no board.
    """
    if version["state"] != ScoringVersion.State.RETIRED:
        return bool(version["state"] != ScoringVersion.State.DRAFT)
    if version["made_live_at"] is None:
        return False
    return version["retired_at"] is None or bool(received_at < version["retired_at"])
