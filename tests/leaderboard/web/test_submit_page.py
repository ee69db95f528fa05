"""The submit page: a free look first, then one slot of the day."""

import re
from datetime import timedelta
from functools import partial

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from leaderboard.competitions.models import Competition
from leaderboard.submissions.ledger import allowance
from leaderboard.submissions.models import QuotaEntry, Submission
from leaderboard.worker.tasks import evaluate_next
from tests.leaderboard import builders
from tests.leaderboard.web.pages import HTMX, browser, csv_file, running

pytestmark = pytest.mark.django_db


def wakes() -> int:
    """How often the worker will be woken when the test's transaction commits, which it never is."""
    return [hook for _, hook, *_ in connection.run_on_commit].count(evaluate_next.wake)


def test_a_good_file_is_looked_at_for_free() -> None:
    contest = running()
    team = builders.team(contest, "alice")
    answer = browser("alice").post("/c/talk/submit/check", {"file": csv_file()}, headers=HTMX)
    assert answer.status_code == 200
    assert "제출 가능" in answer.text
    assert "<html" not in answer.text
    assert not Submission.objects.exists()
    assert allowance(team, contest, timezone.now()).left_today == contest.daily_limit


def test_a_bad_file_is_answered_with_all_problems_and_their_lines() -> None:
    contest = running()
    builders.team(contest, "alice")
    data = "fname,summary\ntalk_1,\ntalk_2,좋다\ntalk_2,좋다\nnope,없다\n".encode()
    answer = browser("alice").post("/c/talk/submit/check", {"file": csv_file(data)}, headers=HTMX)
    assert "아직 제출할 수 없습니다" in answer.text
    lines = re.findall(r'<td class="lineno">([^<]+)</td>', answer.text)
    assert {"2", "3", "5"} <= set(lines)
    assert "제출하기 (1회 사용)" not in answer.text


def test_submitting_charges_one_and_rings() -> None:
    contest = running()
    team = builders.team(contest, "alice")
    fields = {"file": csv_file(), "key": "k1", "note": "첫 시도", "method_name": "복사"}
    answer = browser("alice").post("/c/talk/submit", fields)
    found = Submission.objects.get()
    assert answer.headers["Location"] == f"/c/talk/submissions/{found.id}"
    assert (found.note, found.method_name, found.file_name) == (
        "첫 시도",
        "복사",
        "predictions.csv",
    )
    assert QuotaEntry.objects.filter(team=team).count() == 1
    assert wakes() == 1


@pytest.mark.django_db(transaction=True)
def test_one_line_of_the_log_has_the_request_and_the_submission(
    caplog: pytest.LogCaptureFixture,
) -> None:
    builders.team(running(), "alice")
    with caplog.at_level("INFO", "leaderboard.actions.submissions"):
        answer = browser("alice").post("/c/talk/submit", {"file": csv_file(), "key": "k1"})
    said = [one.msg for one in caplog.records if isinstance(one.msg, dict)]
    [line] = [one for one in said if one["event"] == "submitted"]
    assert line["request"] == answer.headers["X-Request-ID"]
    assert line["submission"] == str(Submission.objects.get().pk)


def test_a_bad_file_is_refused_again_when_it_is_submitted() -> None:
    builders.team(running(), "alice")
    data = b"fname,summary\ntalk_1,x\n"
    answer = browser("alice").post("/c/talk/submit", {"file": csv_file(data), "key": "k1"})
    assert answer.status_code == 422
    assert not Submission.objects.exists()
    assert wakes() == 0


def test_without_script_the_second_step_needs_no_second_choice_of_file() -> None:
    builders.team(running(), "alice")
    client = browser("alice")
    page = client.post("/c/talk/submit/check", {"file": csv_file(name="내 파일.csv")}).text
    assert "<html" in page
    hidden = dict(re.findall(r'<input type="hidden"\s+name="(\w+)"\s+value="([^"]*)"', page))
    answer = client.post(
        "/c/talk/submit", {name: hidden[name] for name in ("key", "carried", "carried_name")}
    )
    assert answer.status_code == 302
    found = Submission.objects.get()
    assert found.file_name == "내 파일.csv"
    assert found.file.read() == builders.prediction_csv()


def test_no_file_is_said_and_nothing_happens() -> None:
    builders.team(running(), "alice")
    for fields in [{}, {"key": "k1", "carried": "%%%"}, {"key": "k1"}]:
        answer = browser("alice").post("/c/talk/submit", fields)
        assert answer.status_code == 422
        assert not Submission.objects.exists()


def test_an_over_long_note_is_said_beside_it_and_the_file_stays() -> None:
    builders.team(running(), "alice")
    client = browser("alice")
    fields = {"key": "k1", "note": "긴" * 501, "method_name": "첫 줄만"}
    answer = client.post("/c/talk/submit", {"file": csv_file(), **fields})
    assert answer.status_code == 422
    assert f'value="{"긴" * 501}"' in answer.text
    assert 'value="첫 줄만"' in answer.text
    assert not Submission.objects.exists()
    hidden = dict(re.findall(r'name="(key|carried|carried_name)" value="([^"]+)"', answer.text))
    assert client.post("/c/talk/submit", {**hidden, "note": "짧음"}).status_code == 302
    assert Submission.objects.get().note == "짧음"


def test_a_file_is_judged_by_its_content_up_to_the_limit_and_is_a_413_beyond() -> None:
    builders.team(running(), "alice")
    client, check = browser("alice"), "/c/talk/submit/check"
    for path in ["/c/talk/submit", check]:
        answer = client.post(path, {"key": "k1", "file": csv_file(b"x" * 5_100_000)})
        assert answer.status_code == 413
    # Within the envelope that the length check allows, but more file than the limit.
    answer = client.post(check, {"file": csv_file(b"x" * 5_010_000)}, headers=HTMX)
    assert answer.status_code == 413
    assert "<html" not in answer.text
    whole = csv_file(b"fname,summary\n".ljust(5_000_000, b"x"))
    answer = client.post(check, {"file": whole}, headers=HTMX)
    assert answer.status_code == 200
    assert "아직 제출할 수 없습니다" in answer.text
    assert not Submission.objects.exists()


def test_what_needs_no_guess_comes_back_mended() -> None:
    builders.team(running(), "alice")
    client = browser("alice")
    rows = builders.prediction_csv().decode().splitlines()
    twice = "\n".join([*rows, rows[1]]).encode()
    looked = client.post("/c/talk/submit/check", {"file": csv_file(twice)}, headers=HTMX).text
    assert "고친 파일 내려받기" in looked
    answer = client.post("/c/talk/submit/repaired", {"file": csv_file(twice, "내 파일.csv")})
    assert "repaired.csv" in answer.headers["Content-Disposition"]
    mended = b"".join(answer.streaming_content)
    assert "제출 가능" in client.post("/c/talk/submit/check", {"file": csv_file(mended)}).text
    assert not Submission.objects.exists()


def test_ids_of_another_contest_of_the_person_are_told_and_of_no_other() -> None:
    ids = {"id_1": "여기서 낸다", "id_2": "저기서 낸다"}
    golds = builders.gold_csv({name: [text] for name, text in ids.items()}, None)
    builders.team(running(), "alice")
    now, day = timezone.now(), timedelta(days=1)
    dates = {"opens_at": now - day, "closes_at": now + 5 * day, "reveals_at": now + 6 * day}
    other = builders.competition("other", **dates)
    builders.live(other, golds)
    check = partial(browser("alice").post, "/c/talk/submit/check", headers=HTMX)
    sent = partial(csv_file, builders.texts_csv(ids))
    assert "/c/other/submit" not in check({"file": sent()}).text, "she has not joined it"
    builders.team(other, "alice")
    assert 'href="/c/other/submit"' in check({"file": sent()}).text
    assert "/c/other/submit" not in check({"file": csv_file(b"fname,summary\nid_1,x\n")}).text
    Competition.objects.filter(pk=other.pk).update(opens_at=timezone.now() + timedelta(days=1))
    assert "/c/other/submit" not in check({"file": sent()}).text, "its ids are not handed out yet"


def test_a_spreadsheet_is_refused_by_its_bytes_with_the_way_to_a_csv() -> None:
    builders.team(running(), "alice")
    sheet = csv_file(b"PK\x03\x04[Content_Types].xml")
    answer = browser("alice").post("/c/talk/submit/check", {"file": sheet}, headers=HTMX)
    assert [one.code for one in answer.context["verdict"].problems] == ["not_csv"]
    page = browser("alice").get("/c/talk/submit").text
    spreadsheet = page.partition('<template id="spreadsheet">')[2].partition("</template>")[0]
    assert "MB" not in spreadsheet, "the words about a large file"
    assert "CSV UTF-8" in answer.text


def test_who_was_signed_out_while_submitting_reads_so_and_finds_the_note_again() -> None:
    builders.team(running(), "alice")
    client = Client()
    sent = {"file": csv_file(), "key": "k", "note": "<b>빔 4</b>", "method_name": "KoBART"}
    answer = client.post("/c/talk/submit", sent)
    assert answer["Location"] == "/accounts/login/?next=/c/talk/submit"
    assert "toast no" in client.get(answer["Location"]).text
    large = Client().post("/c/talk/submit", {"file": csv_file(b"x" * 1_200_000)})
    assert "sessionid" not in large.cookies, "neither its form is read nor CSRF checked"
    client.force_login(builders.user("alice"), "django.contrib.auth.backends.ModelBackend")
    page = client.get("/c/talk/submit")
    assert page.context["unsent"] == {"note": "<b>빔 4</b>", "method_name": "KoBART"}
    assert 'name="note" value="&lt;b&gt;빔 4&lt;/b&gt;"' in page.text
    assert client.get("/c/talk/submit").context["unsent"] is None
    assert not Submission.objects.exists()


@pytest.mark.parametrize(
    ("referer", "way"),
    [
        ("http://testserver/c/talk/submit", "/c/talk/submit"),
        ("http://testserver//evil.example/", "/evil.example/"),
        ("https://evil.example/c/talk/submit", ""),
    ],
)
def test_an_old_form_leads_back_to_its_own_page(referer: str, way: str) -> None:
    client = Client(enforce_csrf_checks=True)
    answer = client.post("/c/talk/submit", {"note": "x"}, headers={"Referer": referer})
    assert answer.status_code == 403
    assert answer.context["error"].way_back == way


def test_who_was_signed_out_elsewhere_is_led_to_sign_in_by_the_whole_page() -> None:
    """A part of the page would have shown the sign-in page within the verdict."""
    running()
    headers = {**HTMX, "HX-Current-URL": "http://testserver/c/talk/submit"}
    answer = Client().post("/c/talk/submit/check", {"file": csv_file()}, headers=headers)
    assert answer.status_code == 200
    assert answer["HX-Redirect"] == "/accounts/login/?next=/c/talk/submit"
    away = {**HTMX, "HX-Current-URL": "https://evil.example/c/talk/submit"}
    answer = Client().post("/c/talk/submit/check", {"file": csv_file()}, headers=away)
    assert answer["HX-Redirect"] == "/accounts/login/?next=/"
