"""A contest that ends: in the archive it is only read, deleted nothing of it is left."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.apps import apps
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.db import OperationalError, connection
from django.db.models import FileField

from leaderboard.actions import ending, scoring
from leaderboard.actions.ending import archive, being_deleted, delete_competition, erase, holdings
from leaderboard.boards.visibility import viewer_of_address
from leaderboard.competitions.models import Competition
from leaderboard.evaluation import run as evaluation_run
from leaderboard.evaluation.claim import LeaseLost, heartbeat, next_claim
from leaderboard.evaluation.models import Evaluation
from leaderboard.evaluation.run import run
from leaderboard.references.models import ReferenceSet
from leaderboard.refusals import Refused
from leaderboard.submissions.models import Submission
from leaderboard.teams.models import Team
from leaderboard.teams.queries import visible_to
from leaderboard.worker import tasks
from leaderboard.worker.sweep import STEPS
from tests.leaderboard import builders
from tests.leaderboard.builders import NOON
from tests.leaderboard.web.stage import build

pytestmark = pytest.mark.django_db(transaction=True)

PLACES = ("default", "submissions", "golds", "tokens")


def every_row() -> dict[tuple[str, str], dict[str, Any]]:
    """Of every table, by its name and the row's key."""
    return {
        (model._meta.label, str(row[model._meta.pk.attname])): row
        for model in apps.get_models(include_auto_created=True)
        for row in model._base_manager.values()
    }


def every_file() -> set[tuple[str, str]]:
    """Of the whole store, by place and name."""
    folders: dict[str, Any] = {place: storages[place] for place in PLACES}
    return {(place, name) for place, folder in folders.items() for name in folder.names()}


def named_files() -> Iterator[str]:
    """The files that some row points at."""
    for model in apps.get_models():
        for field in model._meta.concrete_fields:
            if isinstance(field, FileField):
                yield from model._base_manager.values_list(field.name, flat=True)
    for names in ReferenceSet.objects.values_list("stored_as", flat=True):
        yield from names


@pytest.fixture
def others() -> set[tuple[str, str]]:
    """Files that other tests left in the folder."""
    return every_file()


def delete(contest: Competition, user: str = "olivia") -> None:
    delete_competition(competition=contest, user=builders.user(user), typed=contest.slug, at=NOON)


def test_nothing_is_left_but_one_line() -> None:
    stage = build()
    contest = stage.contest
    for scored in Submission.objects.filter(evaluations__state="done"):
        storages["tokens"].save(f"{scored.pk}.0123456789abcdef", ContentFile(b"1"))
    before, files, pointed = every_row(), every_file(), set(named_files())
    counted = holdings(contest)

    delete(contest)
    erase(contest.pk)
    assert len(before) - len(every_row()) > 100

    after = every_row()
    gone = {key: row for key, row in before.items() if key not in after}
    new = [row for key, row in after.items() if key not in before]
    ids = {key for _, key in gone if len(key) == 36}
    assert str(contest.pk) in ids
    [line] = new
    assert line["kind"] == "competition.deleted"
    assert line["actor_id"] == builders.user("olivia").pk
    assert line["before"]["slug"] == "talk"
    assert line["before"]["files"] == counted["files"] > 5
    untouched = [row for key, row in after.items() if row is not line]
    assert all(before[key] == row for key, row in after.items() if row is not line)
    said = [repr(row) for row in untouched]
    assert [row for row in said if any(each in row for each in ids)] == []
    assert {label for label, _ in gone} >= {
        *("competitions.Competition", "teams.Team", "submissions.Submission"),
        *("evaluation.SplitScore", "references.Example", "community.Post", "inbox.Notification"),
        *("audit.AuditEvent", "boards.StandingDay"),
    }
    # The other contest has all its rows and files.
    assert Competition.every.get() == stage.elsewhere
    stored = every_file()
    assert stored <= files
    left = {name.partition(".")[0] for _, name in stored}
    assert [name for name in pointed - set(named_files()) if name.partition(".")[0] in left] == []
    assert left & ids == set()
    assert {name.partition(".")[0] for name in named_files()} <= left


def test_nobody_finds_it_and_nothing_of_it_is_scored() -> None:
    contest = builders.open_competition()
    alices = builders.team(contest, "alice")
    builders.hand_in(alices)
    slug = contest.slug
    delete(contest)
    hidden = Competition.every.get(pk=contest.pk).slug
    sue = builders.user("sue")
    sue.is_superuser = True
    sue.save()
    for name in ("alice", "olivia", "sue"):
        assert list(visible_to(builders.user(name))) == []
        for address in (slug, hidden):
            assert viewer_of_address(address, builders.user(name), NOON) is None
    assert next_claim(at=NOON) is None
    with pytest.raises(Competition.DoesNotExist):
        builders.hand_in(Team.objects.get(pk=alices.pk))
    with pytest.raises(Competition.DoesNotExist):
        builders.team(contest, "charlie")
    # Its address is free, also for one that is being made while the other one goes.
    assert builders.open_competition(slug).pk != contest.pk
    erase(contest.pk)
    assert Competition.every.count() == 1
    assert Submission.objects.count() == 0


def test_a_worker_in_the_middle_of_a_file_loses_its_result(
    others: set[Any],
) -> None:
    contest = builders.open_competition()
    alices = builders.team(contest, "alice")
    for _ in range(3):
        builders.hand_in(alices)
    claim = next_claim(at=NOON)
    report = run(claim)
    delete(contest)
    with pytest.raises(LeaseLost):
        scoring.finish(claim=claim, report=report, at=NOON)
    assert Evaluation.objects.filter(state="done").count() == 0
    erase(contest.pk)
    with pytest.raises(LeaseLost):
        heartbeat(claim, stage="cut", rows_done=1, rows_total=5)
    assert every_file() <= others


def test_tokens_kept_after_the_submission_is_gone_go(
    monkeypatch: pytest.MonkeyPatch, others: set[Any]
) -> None:
    contest = builders.open_competition()
    builders.hand_in(builders.team(contest, "alice"))
    claim = next_claim(at=NOON)
    read = evaluation_run.texts

    def read_and_delete(submission: Any) -> Any:
        found = read(submission)
        delete(contest)
        erase(contest.pk)
        return found

    evaluation_run.prepared_references(
        claim.scoring_version.reference_set_id, claim.scoring_version.profile()
    )
    monkeypatch.setattr(evaluation_run, "texts", read_and_delete)
    monkeypatch.setattr(evaluation_run, "heartbeat", lambda *_, **__: None)  # too seldom to notice
    run(claim)
    assert every_file() <= others


def test_a_killed_deletion_is_taken_up_again(
    monkeypatch: pytest.MonkeyPatch, others: set[Any]
) -> None:
    contest = builders.open_competition()
    for name in ("alice", "bob"):
        builders.hand_in(builders.team(contest, name))
    builders.score_all()
    delete(contest)
    place, removed, within = type(storages["submissions"]), list[str](), list[bool]()
    discard = place.delete

    def killed(self: Any, name: str) -> None:
        if len(removed) == 2:
            raise SystemExit
        removed.append(name)
        within.append(connection.in_atomic_block)
        discard(self, name)

    with monkeypatch.context() as dying:
        dying.setattr(place, "delete", killed)
        with pytest.raises(SystemExit):
            erase(contest.pk)
    monkeypatch.setattr(tasks.erase, "wake", lambda: tasks.erase.apply())
    assert within == [False] * 2, "no transaction waits for the store"
    assert dict(STEPS)["erasing"](NOON) == 1
    assert being_deleted().count() == dict(STEPS)["erasing"](NOON) == 0
    assert every_file() <= others


def test_one_that_cannot_go_now_holds_up_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    contests = [builders.open_competition(slug) for slug in ("talk", "walk")]
    for contest in contests:
        delete(contest)
    stuck = being_deleted().values_list("pk", flat=True)[0]
    remove = ending._delete_rows

    def refused(contest: Any) -> None:
        if contest == stuck:
            raise OperationalError("canceling statement due to lock timeout")
        remove(contest)

    monkeypatch.setattr(ending, "_delete_rows", refused)
    assert tasks.erase.apply().get() == 1  # put off: no error of the task
    assert list(being_deleted().values_list("pk", flat=True)) == [stuck]
    monkeypatch.undo()
    tasks.erase.apply()
    assert not being_deleted().exists()


def test_its_address_is_typed_also_by_an_administrator() -> None:
    contest = builders.open_competition()
    alices = builders.team(contest, "alice")
    sue = builders.user("sue")
    sue.is_superuser = True
    sue.save()
    with pytest.raises(Refused, match="other_address"):
        delete_competition(competition=contest, user=sue, typed="walk", at=NOON)
    for archived in (True, False):
        archive(competition=contest, user=sue, archived=archived, at=NOON)
    builders.hand_in(alices)
    delete(contest, "sue")
    assert being_deleted().exists()
