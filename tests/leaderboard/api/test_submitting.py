"""Handing in by program: the free look, submitting once, following, taking back, finals."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from leaderboard.submissions.ledger import allowance
from leaderboard.submissions.models import QuotaEntry, Submission
from tests.leaderboard import builders
from tests.leaderboard.api.calling import contest_url, json_of, program
from tests.leaderboard.web.pages import csv_file, hand_in, running

pytestmark = pytest.mark.django_db
BAD = "fname,summary\ntalk_1,\ntalk_2,좋다\ntalk_2,좋다\nnope,없다\n".encode()


def test_a_good_file_is_checked_for_free_as_a_form_and_as_a_body() -> None:
    contest = running()
    team = builders.team(contest, "alice")
    alice = program("alice")
    form = json_of(alice.post(contest_url("/validate"), {"file": csv_file()}))
    body = json_of(
        alice.post(contest_url("/validate"), builders.prediction_csv(), content_type="text/csv")
    )
    assert (form["ok"], form["problems"]) == (True, [])
    left = form.pop("limits"), body.pop("limits")
    assert form == body
    assert left[0]["left_today"] == contest.daily_limit
    assert left[0]["checks_left"] - left[1]["checks_left"] == 1
    assert not Submission.objects.exists()
    assert allowance(team, contest, timezone.now()).left_today == contest.daily_limit


TIME = re.compile(r'"\d{4}-\d\d-\d\dT[^"]*"')


def test_times_are_utc_and_those_of_a_board_in_the_contests_zone() -> None:
    """As the examples of the document have it."""
    builders.team(running(), "alice")
    alice = program("alice")
    made = alice.post(contest_url("/submissions"), {"file": csv_file()})
    asked = ["", "/limits", "/ledger", "/submissions"]
    board = alice.get(contest_url("/leaderboard")).text
    answers = [made.text, *(alice.get(contest_url(what)).text for what in asked)]
    for text in answers:
        assert {found[-2:] for found in TIME.findall(text)} == {'Z"'}
    assert {found[-7:] for found in TIME.findall(board)} == {'+09:00"'}


def test_submitting_charges_one_and_says_what_is_left() -> None:
    contest = running()
    builders.team(contest, "alice")
    sent = {"file": csv_file(), "note": "첫 시도", "method_name": "복사"}
    alice = program("alice")
    found = json_of(alice.post(contest_url("/submissions"), sent), 201)
    kept = Submission.objects.get()
    assert (str(kept.pk), kept.note, kept.method_name) == (found["id"], "첫 시도", "복사")
    assert found["state"] == "waiting"
    assert found["limits"]["left_today"] == contest.daily_limit - 1
    assert json_of(alice.get(contest_url("/limits")))["used_today"] == 1
    [line] = json_of(alice.get(contest_url("/ledger")))
    assert (line["kind"], line["amount"], line["submission"]) == ("charge", -1, found["id"])


def test_the_same_key_answers_the_same_submission() -> None:
    builders.team(running(), "alice")
    alice = program("alice", **{"idempotency-key": "once"})
    first, again = (
        json_of(alice.post(contest_url("/submissions"), {"file": csv_file()}), 201)
        for _ in range(2)
    )
    assert first == again
    assert QuotaEntry.objects.count() == 1
    other = alice.post(contest_url("/submissions"), {"file": csv_file(BAD)})
    assert json_of(other, 422)["code"] == "key_reused"


def test_a_bad_file_is_refused_with_its_lines_and_costs_nothing() -> None:
    contest = running()
    builders.team(contest, "alice")
    answer = program("alice").post(contest_url("/submissions"), {"file": csv_file(BAD)})
    assert answer["Content-Type"] == "application/problem+json"
    found = json_of(answer, 422)
    assert found["code"] == "invalid_file"
    assert {problem["line"] for problem in found["problems"]} >= {2, 3}
    assert found["limits"]["left_today"] == contest.daily_limit
    assert found["ko"]["title"] != found["en"]["title"]
    assert not QuotaEntry.objects.exists()


def test_a_file_without_a_file_is_named() -> None:
    builders.team(running(), "alice")
    for sent in ({"note": "?"}, {}):
        answer = program("alice").post(contest_url("/submissions"), sent)
        said = json_of(answer, 422)
        assert said["code"] == "no_file"
        assert all(way in said["en"]["next_step"] for way in ("“file”", "text/csv"))
    for untyped in (b"", builders.prediction_csv()):  # the document knows no body without a type
        nothing = program("alice").generic(
            "POST", contest_url("/validate"), untyped, content_type=""
        )
        assert json_of(nothing, 422)["code"] == "no_file"
    empty = program("alice").generic(
        "POST", contest_url("/validate"), b"x", content_type="text/csv"
    )
    assert json_of(empty)["ok"] is False


def test_a_field_is_named_as_it_was_sent() -> None:
    own = hand_in(builders.team(running(), "alice"))
    alice, long = program("alice"), "x" * 501
    in_body = alice.patch(
        contest_url(f"/submissions/{own.pk}"), {"note": long}, content_type="application/json"
    )
    in_query = alice.post(
        contest_url(f"/submissions?note={long}"), builders.prediction_csv(), content_type="text/csv"
    )
    page = alice.get(contest_url("/leaderboard?page=first"))
    where = [json_of(one, 422)["fields"][0]["where"] for one in (in_body, in_query, page)]
    assert where == ["body.note", "query.note", "query.page"]


def test_the_state_is_told_once_and_then_only_when_it_changes() -> None:
    team = builders.team(running(), "alice")
    own = hand_in(team)
    alice, where = program("alice"), contest_url(f"/submissions/{own.pk}/state")
    first = alice.get(where)
    assert json_of(first)["state"] == "waiting"
    assert first["Retry-After"] == "3"
    same = alice.get(where, headers={"if-none-match": first["ETag"]})
    assert (same.status_code, same.content, same["Retry-After"]) == (304, b"", "3")
    builders.score_all(at=timezone.now())
    told = alice.get(where, headers={"if-none-match": first["ETag"]})
    assert json_of(told)["is_over"]
    assert "Retry-After" not in told


def test_a_waiting_file_is_taken_back() -> None:
    contest = running()
    own = hand_in(builders.team(contest, "alice"))
    found = json_of(program("alice").post(contest_url(f"/submissions/{own.pk}/cancel")))
    assert found["state"] == "cancelled"
    assert found["limits"]["left_today"] == contest.daily_limit


def test_note_and_finals_change() -> None:
    own = hand_in(builders.team(running(), "alice"))
    builders.score_all(at=timezone.now())
    alice, where = program("alice"), contest_url(f"/submissions/{own.pk}")
    changed = alice.patch(where, {"note": "나중"}, content_type="application/json")
    assert json_of(changed)["note"] == "나중"
    wanted = {"submissions": [str(own.pk)]}
    chosen = alice.put(contest_url("/finals"), wanted, content_type="application/json")
    assert json_of(chosen) == {"submissions": [str(own.pk)], "most": 2}
    assert json_of(alice.get(contest_url("/finals"))) == json_of(chosen)


def test_the_own_file_comes_back_byte_for_byte_whole_and_in_parts() -> None:
    own = hand_in(builders.team(running(), "alice"))
    alice, where = program("alice"), contest_url(f"/submissions/{own.pk}/file")
    whole = alice.get(where)
    data = b"".join(whole)
    assert data == own.file.open("rb").read()
    part = alice.get(where, headers={"range": "bytes=3-9"})
    assert (part.status_code, b"".join(part)) == (206, data[3:10])
    assert part["Content-Range"] == f"bytes 3-9/{len(data)}"
    tail = alice.get(where, headers={"range": "bytes=-5"})
    assert b"".join(tail) == data[-5:]
    beyond = alice.get(where, headers={"range": f"bytes={len(data)}-"})
    assert (beyond.status_code, beyond["Content-Range"]) == (416, f"bytes */{len(data)}")
    for known in (whole["ETag"], f"W/{whole['ETag']}", f'"other", {whole["ETag"]}', "*"):
        assert alice.get(where, headers={"if-none-match": known}).status_code == 304
    other = alice.get(where, headers={"if-none-match": '"other"'})
    assert b"".join(other) == data
    assert "no-store" in whole["Cache-Control"]


def test_polling_writes_nothing_and_asks_little(django_assert_num_queries: object) -> None:
    own = hand_in(builders.team(running(), "alice"))
    builders.score_all(at=timezone.now() + timedelta(seconds=1))
    alice, where = program("alice"), contest_url(f"/submissions/{own.pk}/state")
    alice.get(where)  # keeps when the token was last used
    with django_assert_num_queries(3) as asked:
        alice.get(where)
    assert [one["sql"][:6] for one in asked.captured_queries] == ["SELECT"] * 3


def test_a_free_look_asks_nothing_twice(django_assert_num_queries: object) -> None:
    """Token, team, the count of checks (read, one more, what is left), allowance, terms, waiting,
    version, the same bytes; the version's ids are known from the first look."""
    builders.team(running(), "alice")
    alice, where = program("alice"), contest_url("/validate")
    alice.post(where, {"file": csv_file()})
    with django_assert_num_queries(10):
        alice.post(where, {"file": csv_file()})
