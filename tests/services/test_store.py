"""Web machines and workers with folders of their own share database, broker and store alone."""

import json
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path

import boto3
import pytest
from django.conf import settings
from django.core.files.storage import storages
from django.test import override_settings
from django.utils import timezone

from leaderboard.operations import checks, store
from tests.person import Answer, Person
from tests.servers import Bucket
from tests.stack import Stack

pytestmark = pytest.mark.services
PREPARE = """
from tests.faults import drive
from tests.leaderboard import builders
made = drive.contest("store", 30, daily_limit=1000, max_waiting=1000)
builders.team(made, "alice")
print(builders.data_file(made).pk)
"""
# Counted by whoever looks: rows, charges, states, and whether each file is what was sent.
KEPT = """
import json
from leaderboard.evaluation.models import Evaluation
from leaderboard.submissions.models import QuotaEntry, Submission
print(json.dumps({
    "ids": [str(one.pk) for one in Submission.objects.order_by("received_at")],
    "charges": QuotaEntry.objects.filter(kind="charge").count(),
    "states": sorted(Evaluation.objects.values_list("state", flat=True)),
    "attempts": sorted(Evaluation.objects.values_list("attempt", flat=True)),
}))
"""
SUBMIT = "/c/store/submit"


@dataclass
class Machines:
    """Two web machines, one that works and sweeps, and the bucket between them."""

    bucket: Bucket
    one: Stack
    other: Stack
    workers: Stack

    def kept(self) -> dict[str, list[str]]:
        return json.loads(self.one.manage("shell", "--no-imports", "-c", KEPT))

    def scored(self, number: int) -> dict[str, list[str]]:
        """What is kept once so many files are scored."""

        def look() -> dict[str, list[str]] | None:
            found = self.kept()
            return found if found["states"] == ["done"] * number else None

        return self.one.wait_for(look, 60, f"{number} files scored") or {}


@pytest.fixture
def machines() -> Iterator[Machines]:
    with ExitStack() as opened:
        bucket = Bucket()
        opened.callback(bucket.close)
        # A store that stands still costs a request ten seconds: a lease is longer, as by default.
        lease = {"SCORING_LEASE_SECONDS": "60", "SCORING_HEARTBEAT_SECONDS": "10"}
        shared = {"STORAGE_URL": bucket.url, "SECRET_KEY": "k" * 60, **lease}
        one = opened.enter_context(Stack("postgres", "redis", env=shared, only=("web",)))
        shared |= {name: one.env[name] for name in ("DATABASE_URL", "CELERY_BROKER_URL")}
        other = opened.enter_context(Stack(env=shared, only=("web",)))
        workers = opened.enter_context(Stack(env=shared, only=("worker", "sweeper")))
        yield Machines(bucket, one, other, workers)


def file(seed: int) -> bytes:
    rows = (f"test_{2 * n},민수는 내일 {seed}번 책을 돌려준다 {n}." for n in range(30))
    return "\n".join(["fname,summary", *rows]).encode()


def downloaded(person: Person, submission: str) -> Answer:
    return person.get(f"/c/store/submissions/{submission}/file")


def test_every_machine_serves_every_file_and_a_store_that_is_away_costs_nothing(
    machines: Machines,
) -> None:
    data_file = machines.one.manage("shell", "--no-imports", "-c", PREPARE).strip()
    here = Person.signed_in(machines.one.url, "alice")
    there = Person.signed_in(machines.other.url, "alice")
    sent = [file(seed) for seed in range(3)]
    token = here.token(SUBMIT)

    # Taken by one machine, scored by another, handed out by a third.
    assert here.upload(SUBMIT, token, sent[0]).status == 302
    first = machines.scored(1)["ids"][0]
    assert downloaded(there, first).text.encode() == sent[0]
    assert there.get(f"/c/store/data/{data_file}").text == "fname,dialogue\ntalk_1,hello\n"
    assert downloaded(Person(machines.other.url, "nobody"), first).status in (302, 404)
    for stack in (machines.one, machines.other, machines.workers):
        assert not (stack.folder / "files").exists()

    objects_are_private(machines.bucket)
    what_a_killed_process_left_is_listed(machines)

    # The store stands still: said, and nothing is charged; reading what lies elsewhere goes on.
    machines.bucket.send(signal.SIGSTOP)
    with ThreadPoolExecutor(3) as at_once:  # each waits ten seconds for the store
        upload = at_once.submit(here.upload, SUBMIT, token, sent[1])
        download = at_once.submit(downloaded, there, first)
        probe = at_once.submit(Person(machines.one.url, "nobody").get, "/readyz")
        assert there.copy().get("/c/store/").status == 200
    refused, unread, unready = upload.result(), download.result(), probe.result()
    assert (refused.status, refused.retry_after) == (503, 30)
    assert (unread.status, "Traceback" in unread.text) == (503, False)
    assert (unready.status, "store unreachable" in unready.text) == (503, True)
    machines.bucket.send(signal.SIGCONT)
    assert machines.one.wait_for(machines.one.ready, 30, "ready again")
    assert machines.kept()["charges"] == 1

    # It comes back with all it had.
    assert here.upload(SUBMIT, token, sent[2]).status == 302
    ids = machines.scored(2)["ids"]
    assert downloaded(there, ids[1]).text.encode() == sent[2]

    # It goes away between taking and scoring: the file waits for it, and that costs no attempt.
    machines.workers.kill("worker", tree=True)
    assert here.upload(SUBMIT, token, sent[1]).status == 302
    machines.bucket.send(signal.SIGSTOP)
    machines.workers.restart("worker")
    log = machines.workers.log
    machines.workers.wait_for(lambda: "store_away" in log("worker"), 60, "the store missed")
    machines.bucket.send(signal.SIGCONT)
    assert machines.scored(3)["attempts"] == [1, 1, 1]


def objects_are_private(bucket: Bucket) -> None:
    """Each place has its prefix; nobody but the account has a right to any object of them."""
    store = boto3.client(
        "s3",
        endpoint_url=bucket.endpoint,
        region_name="ap-northeast-2",
        aws_access_key_id="key",
        aws_secret_access_key="secret-of-a-test",
    )
    keys = [found["Key"] for found in store.list_objects_v2(Bucket="files")["Contents"]]
    assert {key.split("/")[0] for key in keys} == {"data", "golds", "submissions", "tokens"}
    for key in keys:
        grants = store.get_object_acl(Bucket="files", Key=key)["Grants"]
        assert all(one["Grantee"]["Type"] == "CanonicalUser" for one in grants), key


ORPHAN = """
from django.core.files.base import ContentFile
from leaderboard.submissions.models import submission_storage
submission_storage().save("lost.csv", ContentFile(b"x"))
"""
TOMORROW = """
from datetime import timedelta
from django.utils import timezone
from leaderboard.operations.management.commands.files import look
found = look("submissions", timezone.now() + timedelta(days=2))
print(found.files, found.orphans, found.trashed)
"""


def what_a_killed_process_left_is_listed(machines: Machines) -> None:
    """A file without a row is found beside the one that has its row."""
    machines.one.manage("shell", "--no-imports", "-c", ORPHAN)
    printed = machines.other.manage("shell", "--no-imports", "-c", TOMORROW)
    assert printed.split() == ["2", "['lost.csv']", "0"]
    assert "0 files deleted." in machines.other.manage("files", "--delete")


@pytest.fixture
def same_stores_afterwards() -> Iterator[None]:
    """Django makes new ones when a setting changes, and the models keep those they had."""
    before = dict(storages._storages)
    yield
    storages._storages.update(before)


@pytest.mark.usefixtures("same_stores_afterwards")
def test_a_bucket_that_is_not_there_is_named(tmp_path: Path) -> None:
    """Not the disk, which the words for a folder send an operator to."""
    with closing(Bucket()) as bucket:
        url = bucket.url.replace("@files?", "@absent?")
        places = store.places(url, tmp_path)
        with override_settings(STORAGES={**settings.STORAGES, **places}):
            found = list(checks.store(timezone.now()))
    assert [fault.key for fault in found] == ["store.bucket"] * len(places)
    assert {(one.values["bucket"], one.values["why"]) for one in found} == {
        ("absent", "NoSuchBucket")
    }
    assert "absent" in found[0].message("en")
