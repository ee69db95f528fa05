"""The facade for the stock client, call by call: who gets what, and that nothing private shows.

The client itself is in test_stock_client.py.
"""

import io
import zipfile
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import storages
from django.test import Client
from django.urls import Resolver404, resolve, reverse
from django.utils import timezone

from leaderboard.accounts.models import User
from leaderboard.actions.ending import erase
from leaderboard.api import middleware
from leaderboard.competitions.models import Competition
from leaderboard.kaggle import calls, seams, uploads
from leaderboard.submissions.models import QuotaEntry, Submission
from leaderboard.teams.models import Membership, Team
from tests.leaderboard import builders
from tests.leaderboard.api.calling import json_of, program
from tests.leaderboard.api.expectations import (
    EVERYBODY,
    INSIDE,
    MEMBERS,
    OWN,
    STAFF,
    TEAM,
    Answers,
    answers,
)
from tests.leaderboard.material import CLOSES, NOON, REVEALS, prediction_csv
from tests.leaderboard.web.addresses import url_list
from tests.leaderboard.web.asks import Ask, said
from tests.leaderboard.web.crawl import Probe
from tests.leaderboard.web.observers import leaks, outcome
from tests.leaderboard.web.pages import hand_in, running
from tests.leaderboard.web.stage import (
    BELOW_EDITOR,
    DEV_GOLDS,
    OUTSIDERS,
    ROLES,
    Stage,
    build,
    each,
    permute_private_scores,
    stop_clock,
)
from tests.leaderboard.web.test_text_lengths import endless_parts
from tests.leaderboard.web.visits import Crawl, difference

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.urls("tests.leaderboard.kaggle.switched_on"),
    pytest.mark.filterwarnings("ignore:No directory at"),
]
ABOUT_ONE = ("get_submission", "download_submission", "own_file")
BASE = "/api/v1/competitions.CompetitionApiService"


TABLE: dict[str, Answers] = {
    "introspect_token": EVERYBODY,
    "list_competitions": EVERYBODY,
    "list_submissions": TEAM,
    "get_submission": OWN,
    "get_submission_limits": TEAM,
    "get_leaderboard": EVERYBODY,
    "list_data_files": INSIDE,
    "start_submission_upload": TEAM,
    "create_submission": answers(403, s404=MEMBERS),  # no file came that way
    "download_data_file": answers(403, s302=(*MEMBERS, *STAFF)),
    "download_data_files": answers(403, s302=(*MEMBERS, *STAFF)),
    "download_leaderboard": EVERYBODY,
    "download_submission": answers(404, s302=MEMBERS),
    "put": dict.fromkeys(ROLES, 404),  # who signed nothing
    "data_files": INSIDE,
    "own_file": OWN,
}


def number(submission: Submission) -> int:
    return submission.pk.int >> calls.SHIFT


def asks(stage: Stage, role: str, own: Submission, *, slug: str = "talk") -> Iterator[Ask]:
    """Each call, about this submission."""
    body = {
        "competitionName": slug,
        "ref": number(own),
        "submissionId": number(own),
        "fileName": stage.data_file.name,
        "contentLength": 100,
        "blobFileTokens": "unsigned",
    }
    files: dict[str, list[Any]] = {
        "put": ["unsigned"],
        "data_files": [slug],
        "own_file": [own.pk, "own.csv"],
    }
    for name, by_role in TABLE.items():
        where = reverse(f"kaggle:{name}", args=files.get(name, []))
        method = {"put": "PUT"}.get(name, "GET" if name in files else "POST")
        sent = {} if method == "GET" else {"form": lambda: body, "kind": "application/json"}
        right = by_role[role]
        if name in ABOUT_ONE and role == "dana":  # in a team of her own
            right = by_role["alice"] if own == stage.danas else 404
        elif name in ABOUT_ONE and own != stage.best and right < 400:
            right = 404
        yield Ask(name, said(role, Probe(where, method, **sent)), (str(right),))


def test_every_address_has_its_row() -> None:
    named = {one.name for one in url_list() if one.name.startswith("kaggle:")}
    assert named == {f"kaggle:{name}" for name in TABLE}


@pytest.mark.urls("leaderboard.urls")
@pytest.mark.parametrize("name", TABLE)
def test_there_is_none_of_them_unless_it_is_on(name: str) -> None:
    found = next(
        one.route
        for one in url_list("tests.leaderboard.kaggle.switched_on")
        if one.name == f"kaggle:{name}"
    )
    with pytest.raises(Resolver404):
        resolve(f"/{found}".replace("<slug:slug>", "talk").replace("<str:", "<"))
    assert Client().post(f"/{found}").status_code == 404


@pytest.mark.parametrize(
    "at",
    [NOON, pytest.param(CLOSES + timedelta(hours=1), marks=pytest.mark.slow)],
    ids=["open", "closed"],
)
@pytest.mark.parametrize("role", each(*ROLES, at_once=("visitor", "alice")))
def test_every_role_gets_its_answer_and_nothing_private(
    role: str, at: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is another team's is nothing, and no answer depends on private scores."""
    stop_clock(monkeypatch, at)
    stage = build()
    secrets = [leaks(stage, role)] if role in BELOW_EDITOR else []
    crawl = Crawl(stage, role, [*([outcome] if at == NOON else []), *secrets])
    for own in (stage.best, stage.rivals, stage.danas):
        # An address to send a file to holds the time.
        every = [ask for ask in asks(stage, role, own) if ask.name != "start_submission_upload"]
        crawl.visit(every)
    assert crawl.wrong == []
    for ask, (page, *_) in crawl.answers:
        assert ask.probe.method != "POST" or page.status < 400 or page.body.startswith(b'{"code"')
    if secrets:
        permute_private_scores()
        assert crawl.answered_otherwise(whole=True)[1] == []


@pytest.mark.parametrize("role", each(*OUTSIDERS, at_once=("visitor", "dana")))
def test_an_outsider_cannot_tell_a_private_contest_from_none(
    role: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_clock(monkeypatch, NOON)
    stage = build(private=True)
    crawl = Crawl(stage, role, [])
    secret = list(asks(stage, role, stage.best))
    for one, other in zip(secret, asks(stage, role, stage.best, slug="none"), strict=True):
        assert difference(crawl.ask(one), crawl.ask(other), alike=("talk", "none")) == [], one.name


def test_the_private_score_is_there_from_the_reveal_on(monkeypatch: pytest.MonkeyPatch) -> None:
    stage = build()
    for at, shown in ((CLOSES, False), (REVEALS, True)):
        stop_clock(monkeypatch, at)
        found = call("alice", "GetSubmission", ref=number(stage.best))
        assert bool(found["publicScore"])
        assert bool(found["privateScore"]) is shown


# --- Handing in ----------------------------------------------------------------------------------


def call(name: str, method: str, status: int = 200, **body: Any) -> Any:
    answer = program(name).post(f"{BASE}/{method}", body, content_type="application/json")
    return json_of(answer, status)


def start(name: str = "alice", **body: Any) -> dict[str, str]:
    said = {"competitionName": "talk", "fileName": "a.csv", "contentLength": 100, **body}
    found: dict[str, str] = call(name, "StartSubmissionUpload", **said)
    return found


def put(where: str, data: bytes) -> Any:
    return Client().put(where, data, content_type="text/csv")


def create(token: str, status: int = 200, name: str = "alice") -> Any:
    said = {"competitionName": "talk", "blobFileTokens": token, "submissionDescription": "첫 시도"}
    return call(name, "CreateSubmission", status, **said)


def waiting() -> list[str]:
    store = storages["submissions"]
    names = store.listdir("")[1] if store.exists("") else []
    return [name for name in names if name.startswith(".")]


def test_a_file_is_sent_handed_in_and_found_again() -> None:
    builders.team(running(), "alice")
    way = start()
    data = prediction_csv()
    assert put(way["createUrl"], data).status_code == 201
    assert put(way["createUrl"], data).status_code == 201  # sent again by a client in doubt
    made = create(way["token"])
    own = Submission.objects.get()
    assert (made["ref"], own.file_name, own.note) == (number(own), "a.csv", "첫 시도")
    assert own.file.open("rb").read() == data
    assert waiting() == []
    assert call("alice", "GetSubmissionLimits", competitionName="talk")["numToday"] == 1
    builders.score_all(at=timezone.now())
    listed = call("alice", "ListSubmissions", competitionName="talk")["submissions"]
    assert [one["status"] for one in listed] == ["COMPLETE"]
    assert listed[0]["publicScore"]
    assert listed[0]["privateScore"] == ""


def test_a_rank_is_that_of_the_pages_or_none() -> None:
    contest = running()
    for name in ("alice", "bob", "charlie"):
        builders.team(contest, name)
    hand_in(Team.objects.get(name="bob"), {"talk_1": "아무 말이나 적었다."})
    hand_in(Team.objects.get(name="alice"))
    builders.score_all(at=timezone.now())
    running("other")
    for name, rank in (("alice", 1), ("bob", 2), ("charlie", None)):
        listed = call(name, "ListCompetitions")["competitions"]
        found = {one["ref"]: one["userRank"] for one in listed}
        assert found == {"talk": rank, "other": None}


def test_every_text_of_a_call_has_an_end() -> None:
    assert list(endless_parts(calls.FacadeCall.model_json_schema(by_alias=True))) == []
    builders.team(running(), "alice")
    assert start(fileName="p.csv")
    said = {"competitionName": "talk", "fileName": "\u0301" * 2_000}
    call("alice", "StartSubmissionUpload", 400, **said)


def test_answers_are_in_the_language_of_the_account() -> None:
    builders.team(running(), "alice")
    said = {"competitionName": "talk", "fileName": "a.csv", "contentLength": 6_000_000}
    korean = call("alice", "StartSubmissionUpload", 422, **said)["message"]
    User.objects.filter(username="alice").update(language="en")
    english = call("alice", "StartSubmissionUpload", 422, **said)["message"]
    assert "파일" not in english
    assert "파일" in korean


def test_one_hands_in_only_what_one_sent_oneself() -> None:
    builders.team(running(), "alice", "bob")
    way = start()
    create(way["token"], 422)  # nothing came yet
    put(way["createUrl"], prediction_csv())
    create(way["token"], 404, name="bob")
    start("alice")
    other = start("alice")
    put(other["createUrl"], prediction_csv())
    create(way["token"], 422)  # another file came after it
    create(other["token"])
    assert Submission.objects.count() == 1


def test_an_answer_that_was_lost_is_given_again() -> None:
    builders.team(running(), "alice")
    way = start()
    put(way["createUrl"], prediction_csv())
    made = create(way["token"])
    assert create(way["token"])["ref"] == made["ref"]
    other = start()
    put(other["createUrl"], prediction_csv({"talk_1": "다른 요약"}))
    assert create(way["token"])["ref"] == made["ref"], "another file waits"
    assert create(other["token"])["ref"] != made["ref"]
    assert QuotaEntry.objects.count() == 2


def test_an_address_ends_with_the_membership() -> None:
    team = builders.team(running(), "alice", "bob")
    way = start("bob")
    Membership.objects.filter(team=team, user__username="bob").delete()
    assert put(way["createUrl"], b"x").status_code == 404
    assert waiting() == []


def test_what_waits_goes_with_its_contest(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(storages["submissions"], "location", str(tmp_path))
    contest, other = running(), running("other")
    for one in (contest, other):
        builders.team(one, "alice")
        put(start(competitionName=one.slug)["createUrl"], b"x")
    before = waiting()
    Competition.every.filter(pk=contest.pk).update(state=Competition.State.DELETED)
    erase(contest.pk)
    assert len(before) == 2
    assert len(waiting()) == 1


def test_an_address_ends_after_half_an_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    builders.team(running(), "alice")
    way = start()
    monkeypatch.setattr(uploads, "UPLOAD_AGE", timedelta(seconds=-1))
    assert put(way["createUrl"], b"x").status_code == 404
    create(way["token"], 404)


def test_too_large_a_file_is_not_read() -> None:
    builders.team(running(), "alice")
    way = start()
    assert put(way["createUrl"], b"x" * 6_000_000).status_code == 413
    assert put("/api/v1/kaggle/upload/unsigned", b"x" * 2_000_000).status_code == 404
    assert waiting() == []


def test_a_file_that_waits_outlasts_what_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    builders.team(running(), "alice")
    way = start()
    put(way["createUrl"], builders.prediction_csv())
    with monkeypatch.context() as full:
        full.setattr("leaderboard.actions.submissions.FREE_SPACE", 1 << 60)
        assert create(way["token"], 507)["message"]
    create(way["token"])
    assert QuotaEntry.objects.count() == 1


@pytest.mark.parametrize(
    "body",
    [
        b'{"contentLength": 1' + 400 * b"0" + b"}",
        b"\xff",
        b'{"ref": "x"}',
        b'{"competitionName": "a\\u0000"}',
    ],
)
def test_what_cannot_be_read_is_said_to_be_so(body: bytes) -> None:
    answer = program("alice").post(f"{BASE}/ListCompetitions", body, content_type="text/plain")
    assert json_of(answer, 400)["code"] == 400
    form = program("alice").post(f"{BASE}/ListCompetitions", {"search": "talk"})
    assert json_of(form, 400)["code"] == 400


@pytest.mark.parametrize("ref", [-1, 2**63, 10**40])
def test_a_number_of_nothing_is_none(ref: int) -> None:
    builders.team(running(), "alice")
    assert call("alice", "GetSubmission", 404, ref=ref)["code"] == 404


def test_a_page_of_competitions_leads_to_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "PAGE", 1)
    running()
    builders.open_competition("other")
    first = call("alice", "ListCompetitions")
    second = call("alice", "ListCompetitions", pageToken=first["nextPageToken"])
    slugs = {one["ref"] for page in (first, second) for one in page["competitions"]}
    assert slugs == {"talk", "other"}
    assert second["nextPageToken"] == ""
    assert call("alice", "ListCompetitions", search="OTHER")["competitions"][0]["ref"] == "other"


def test_files_are_those_of_the_page_one_by_one_and_in_an_archive() -> None:
    contest = running()
    builders.team(contest, "alice")
    kept = builders.data_file(contest)
    builders.dev_set(contest, DEV_GOLDS)
    listed = call("alice", "ListDataFiles", competitionName="talk")["files"]
    sizes = {one["name"]: one["totalBytes"] for one in listed}
    made = {"dev_golds.csv", "dev_dialogues.csv", "sample_submission.csv"}
    assert sizes.keys() == {kept.name, *made}
    alice = program("alice")
    answer = alice.get("/api/v1/kaggle/data/talk.zip")
    with zipfile.ZipFile(io.BytesIO(b"".join(answer))) as archive:
        assert archive.testzip() is None
        assert archive.read(kept.name) == kept.file.open("rb").read()
        assert {one.filename: one.file_size for one in archive.infolist()} == sizes
        asked = {"competitionName": "talk", "fileName": "dev_golds.csv"}
        led = alice.post(f"{BASE}/DownloadDataFile", asked, content_type="application/json")
        sent = alice.get(led["Location"])
        assert b"".join(sent) == archive.read("dev_golds.csv")


def test_whether_a_token_can_be_used_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(middleware, "TOKEN_CHECKS", set())
    monkeypatch.setattr(seams, "KAGGLE_FACADE", True)
    seams.register()
    where = "/api/v1/security.OAuthService/IntrospectToken"
    assert json_of(program("alice").post(where, {}, content_type="application/json")) == {
        "active": True,
        "username": "alice",
    }
    for headers in ({}, {"authorization": "Bearer slb_x"}):
        answer = Client(headers=headers).post(where, {}, content_type="application/json")
        assert json_of(answer) == {"active": False}


def test_who_must_change_the_password_is_told_so() -> None:
    alice = program("alice")
    User.objects.update(must_change_password=True)
    answers = [
        alice.post(where, {}, content_type="application/json")
        for where in ("/api/v1/security.OAuthService/IntrospectToken", f"{BASE}/ListCompetitions")
    ]
    assert [json_of(answer, 403)["code"] for answer in answers] == ["password_first"] * 2
