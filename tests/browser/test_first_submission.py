"""What a newcomer does in the first two minutes, in a real browser against real processes."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Windows

pytestmark = pytest.mark.browser

CONTEST = "/c/daily-dialogue"
SECRET = "purple-otter-9412"
DONE = 30_000  # milliseconds; scoring takes well under one second here


def predictions(page: Page, sentence: str = "두 사람은 약속 시간을 정한다.") -> bytes:
    """A valid file, made from the sample that the data page offers."""
    answer = page.request.get(f"{CONTEST}/data/sample_submission.csv")
    header, *rows = answer.body().decode("utf-8-sig").splitlines()
    ids = [row.partition(",")[0] for row in rows]
    return "\n".join([header, *(f"{name},{sentence}" for name in ids)]).encode()


def choose(page: Page, data: bytes, name: str = "predictions.csv") -> None:
    page.set_input_files("#file", files=[{"name": name, "mimeType": "text/csv", "buffer": data}])


def drop(page: Page, text: str) -> None:
    """Drop a file onto the zone, as a person with a mouse does."""
    page.evaluate(
        """text => {
            const files = new DataTransfer();
            files.items.add(new File([text], "dropped.csv", {type: "text/csv"}));
            const event = new DragEvent(
                "drop", {dataTransfer: files, bubbles: true, cancelable: true});
            document.querySelector("#drop").dispatchEvent(event);
        }""",
        text,
    )


def sign_up_and_join(page: Page, name: str) -> None:
    """From the contest's page, as a stranger: account, team, the dialogues, the submit page."""
    page.goto(f"{CONTEST}/")
    page.get_by_role("link", name="참가", exact=True).click()
    expect(page).to_have_url(re.compile("/accounts/signup/"))
    page.fill("[name=username]", name)
    page.fill("[name=password1]", SECRET)
    page.fill("[name=password2]", SECRET)
    page.click("main button[type=submit]")
    page.fill("[name=team_name]", f"{name} 팀")
    page.click("main button[type=submit]")
    expect(page).to_have_url(re.compile(f"{CONTEST}/data$"))
    expect(page.get_by_role("link", name="test_dialogues.csv")).to_be_in_viewport()
    page.get_by_role("link", name="파일 확인하고 내기").click()


def test_from_sign_up_to_a_place_on_the_board(windows: Windows) -> None:
    page = windows.open()
    sign_up_and_join(page, "newcomer")
    drop(page, predictions(page).decode())
    verdict = page.locator(".verdict")
    expect(verdict).to_contain_text("제출 가능")
    expect(verdict).to_contain_text("오늘 12회 중 12회 남음")
    page.fill("#note", "첫 제출")
    page.get_by_role("button", name="제출하고 1회 사용").click()
    score = page.locator(".result .score")
    expect(score).to_have_text(re.compile(r"^\d\.\d{4}$"), timeout=DONE)
    total = score.inner_text()
    # The header came along with the last fragment: one slot used, a rank earned.
    expect(page.locator("#contest-header")).to_contain_text("11 / 12")
    expect(page.locator("#contest-header")).to_contain_text("내 순위")
    page.get_by_role("link", name="리더보드에서 보기").click()
    expect(page.locator("#me")).to_contain_text("newcomer 팀")
    expect(page.locator("#me .total")).to_have_text(total)


def test_pasted_text_is_a_file_too(windows: Windows) -> None:
    page = windows.open(who="alice")
    page.goto(f"{CONTEST}/submit")
    page.evaluate(
        """text => {
            const pasted = new DataTransfer();
            pasted.setData("text/plain", text);
            document.body.dispatchEvent(
                new ClipboardEvent("paste", {clipboardData: pasted, bubbles: true}));
        }""",
        predictions(page).decode(),
    )
    expect(page.locator("#chosen")).to_have_text("붙여넣은 내용.csv")
    expect(page.locator(".verdict")).to_contain_text("제출 가능")


def test_a_file_that_is_too_large_is_said_before_it_travels(windows: Windows) -> None:
    page = windows.open(who="alice")
    page.goto(f"{CONTEST}/submit")
    choose(page, b"x" * 5_000_001)
    refusal = page.get_by_role("alert").filter(has_text="파일이 너무 큽니다")
    expect(refusal).to_contain_text("5 MB까지 받습니다")
    expect(page.locator("#verdict .verdict.no")).to_be_visible()
    assert not [url for url in windows.requests if url.endswith("/check")]


def test_a_check_that_does_not_come_through_is_told_as_one(windows: Windows) -> None:
    page = windows.open(who="alice")
    page.goto(f"{CONTEST}/submit")
    page.route("**/submit/check", lambda route: route.abort())
    choose(page, b"fname,summary\n")
    expect(page.locator("#verdict .verdict.no")).to_contain_text("확인 없이 제출할 수도 있습니다")
    expect(page.get_by_role("button", name="확인 없이 제출")).to_be_visible()
    windows.complaints.clear()  # htmx writes into the console what could not be sent


def test_a_file_is_handed_in_without_waiting_for_its_check(windows: Windows) -> None:
    page = windows.open(who="alice")
    page.goto(f"{CONTEST}/submit")
    file = predictions(page, "둘이 만난다.")
    page.route("**/submit/check", lambda route: None)  # never answered
    choose(page, file, "unchecked.csv")
    page.get_by_role("button", name="확인 없이 제출").click()
    expect(page.locator(".result .score")).to_have_text(re.compile(r"\d"), timeout=DONE)


def test_the_ticked_finals_are_counted_as_they_are_ticked(windows: Windows) -> None:
    page = windows.open(who="alice")
    page.goto(f"{CONTEST}/submissions")
    boxes, tally = page.locator("input[name=final]"), page.locator(".tally")
    for box in boxes.all():
        box.uncheck()
    expect(tally).to_have_text("0 / 2")
    for place, (said, over) in enumerate((("1 / 2", ""), ("2 / 2", ""), ("3 / 2", " over"))):
        boxes.nth(place).check()
        expect(tally).to_have_text(said)
        assert tally.get_attribute("class") == f"tally{over}"
    page.get_by_role("button", name="고른 것을 최종 제출로").click()
    expect(page.get_by_role("alert")).to_contain_text("최종 제출은 2개까지 고를 수 있습니다.")
    assert [boxes.nth(place).is_checked() for place in range(4)] == [True, True, True, False]


def test_everything_works_without_script(windows: Windows) -> None:
    page = windows.open(who="bob", script=False)
    page.goto(f"{CONTEST}/submit")
    choose(page, predictions(page, "손님이 물건을 바꾼다."))
    page.get_by_role("button", name="먼저 확인하기").click()
    expect(page.locator(".verdict")).to_contain_text("제출 가능")
    page.get_by_role("button", name="제출하고 1회 사용").click()
    # Without script the page refreshes itself while it waits.
    expect(page.locator(".result .score")).to_have_text(re.compile(r"\d"), timeout=DONE)


def test_a_second_click_is_no_second_submission(windows: Windows) -> None:
    page = windows.open(who="alice")
    page.goto(f"{CONTEST}/submit")
    choose(page, predictions(page, "친구가 여행을 간다."), "twice.csv")
    page.get_by_role("button", name="제출하고 1회 사용").dblclick()
    expect(page.locator(".result")).to_be_visible(timeout=DONE)
    page.goto(f"{CONTEST}/submissions")
    expect(page.locator("tbody tr", has_text="twice.csv")).to_have_count(1)


def test_the_theme_switch_holds_over_pages(windows: Windows) -> None:
    page = windows.open()
    page.goto("/")
    page.get_by_role("button", name="어둡게").click()
    page.goto("/accounts/login/")
    assert page.locator("html").get_attribute("data-theme") == "dark"
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(16, 20, 19)"
    page.get_by_role("button", name="자동").click()
    page.reload()
    assert page.locator("html").get_attribute("data-theme") is None


def test_the_language_switch_holds_over_pages(windows: Windows) -> None:
    page = windows.open()
    page.goto(f"{CONTEST}/leaderboard")
    page.get_by_role("button", name="English").click()
    expect(page).to_have_url(re.compile("/leaderboard$"))
    expect(page.locator("html")).to_have_attribute("lang", "en")
    page.goto("/")
    expect(page.get_by_role("heading", name="Competitions")).to_be_visible()


def test_a_checked_file_is_there_again_when_somebody_comes_back(windows: Windows) -> None:
    """Browsers keep the file in its field and nothing of what was said of it."""
    page = windows.open()
    sign_up_and_join(page, "backagain")
    choose(page, predictions(page))
    button = page.locator("#verdict button[type=submit]").first
    expect(button).to_be_visible()
    page.evaluate("document.getElementById('verdict').replaceChildren()")
    expect(button).to_have_count(0)
    page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', {persisted: false}))")
    expect(button).to_be_visible()
