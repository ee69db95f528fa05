"""What a newcomer does in the first two minutes, in a real browser against real processes."""

import re
from typing import Literal

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


class Person:
    """Somebody at a page, whose clicks, typed fields and chosen files are counted."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.actions = 0

    def click(self, name: str, role: Literal["link", "button"] = "link") -> None:
        self.actions += 1
        self.page.get_by_role(role, name=name, exact=True).locator("visible=true").first.click()

    def type(self, field: str, text: str) -> None:
        self.actions += 1
        self.page.fill(f"main [name={field}]", text)

    def choose(self, text: str) -> None:
        self.actions += 1
        choose(self.page, predictions(self.page, text))

    def submits(self, text: str) -> None:
        """From the submit page to the score."""
        self.choose(text)
        self.click("제출하기 (1회 사용)", "button")
        score = self.page.locator(".result .score")
        expect(score).to_have_text(re.compile(r"^\d\.\d{4}$"), timeout=DONE)


def sign_up_and_join(page: Page, name: str) -> Person:
    """From the contest's page, as a stranger: account, team, the dialogues, the submit page."""
    person = Person(page)
    page.goto(f"{CONTEST}/")
    person.click("참가")
    person.type("username", name)
    person.type("password1", SECRET)
    person.click("가입", "button")
    person.click("참가", "button")
    expect(page).to_have_url(re.compile(f"{CONTEST}/data$"))
    expect(page.get_by_role("link", name="test_dialogues.csv")).to_be_in_viewport()
    person.click("제출")
    return person


def test_the_first_submission_takes_eight_actions_and_the_second_three(windows: Windows) -> None:
    person = sign_up_and_join(windows.open(), "newcomer")
    page = person.page
    person.submits("두 사람은 약속 시간을 정한다.")
    assert person.actions <= 8
    # The header came along with the last fragment: one slot used, a rank earned.
    expect(page.locator("#contest-header")).to_contain_text("11 / 12")
    expect(page.locator("#contest-header")).to_contain_text("내 순위")
    person.actions = 0
    person.click("제출")
    person.submits("둘이 다시 만나기로 한다.")
    assert person.actions <= 3
    page.goto(f"{CONTEST}/leaderboard")
    expect(page.locator("#me")).to_contain_text("newcomer")


@pytest.mark.parametrize(
    ("language", "width", "most"), [("ko", 1440, 900), ("en", 360, 1400), ("ko", 360, 1400)]
)
def test_a_good_verdict_is_one_screen(
    windows: Windows, language: str, width: int, most: int
) -> None:
    page = windows.open(who="alice", language=language, width=width)
    page.goto(f"{CONTEST}/submit")
    choose(page, predictions(page))
    expect(page.locator("#send")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollHeight") <= most


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


def test_what_is_too_large_or_a_spreadsheet_does_not_travel(windows: Windows) -> None:
    page = windows.open(who="alice")
    page.goto(f"{CONTEST}/submit")
    choose(page, b"x" * 5_000_001)
    refusal = page.get_by_role("alert").filter(has_text="파일이 너무 큽니다")
    expect(refusal).to_contain_text("5 MB까지 받습니다")
    expect(page.locator("#verdict .verdict.no")).to_be_visible()
    choose(page, b"PK", "predictions.xlsx")
    expect(page.locator("#verdict [role=alert]")).to_contain_text("CSV UTF-8")
    assert not [url for url in windows.requests if url.endswith("/check")]


def test_a_check_that_does_not_answer_leaves_the_way_without_one(windows: Windows) -> None:
    page = windows.open(who="alice")
    page.goto(f"{CONTEST}/submit")
    unchecked = page.get_by_role("button", name="확인 없이 제출")
    expect(page.locator("#drop")).to_be_visible()
    expect(unchecked).to_have_count(0)
    page.route("**/submit/check", lambda route: route.abort())
    choose(page, predictions(page, "둘이 만난다."), "unchecked.csv")
    unchecked.click()
    expect(page.locator(".result .score")).to_have_text(re.compile(r"\d"), timeout=DONE)
    windows.complaints.clear()  # htmx writes into the console what could not be sent


def test_how_far_a_file_has_travelled_is_said(windows: Windows) -> None:
    page = windows.open(who="alice")
    page.goto(f"{CONTEST}/submit")
    said = """() => {
        window.said = [];
        const look = () => window.said.push(
            [...document.querySelectorAll("#chosen-more, #send, #send-said")].map(
                (one) => one.textContent.trim()).join("|"));
        new MutationObserver(look).observe(
            document.querySelector("#submit"), {subtree: true, childList: true});
    }"""
    page.evaluate(said)
    drop(page, predictions(page, "둘이 걷는다.").decode())
    expect(page.locator("#send")).to_be_visible()
    assert page.locator("#chosen-more").get_attribute("role") == "status"
    assert any("확인하는 중" in text for text in page.evaluate("window.said"))
    page.route("**/c/daily-dialogue/submit", lambda route: route.abort())
    label = page.locator("#send").inner_text()
    page.fill("#note", "남는 메모")
    page.locator("#send").click()
    expect(page.locator("#send")).to_have_text(label)
    expect(page.locator("#send-said")).to_contain_text("두 번 제출되지 않습니다")
    assert page.input_value("#note") == "남는 메모"
    windows.complaints.clear()


def test_a_tick_makes_a_final_and_a_refused_one_is_taken_back(windows: Windows) -> None:
    page = windows.open(who="alice")
    page.goto(f"{CONTEST}/submissions")
    boxes, said = page.locator("input[name=final]"), page.locator("#finals-said")
    for place in range(boxes.count()):
        if boxes.nth(place).is_checked():
            boxes.nth(place).uncheck()
            expect(page.locator(".htmx-request")).to_have_count(0)
    for place in range(2):
        boxes.nth(place).check()
        expect(said).to_contain_text(f"2개 중 {place + 1}개")
    page.reload()
    assert [boxes.nth(place).is_checked() for place in range(3)] == [True, True, False]
    boxes.nth(2).click()
    expect(page.locator(".final [role=alert]")).to_contain_text("최종 제출은 2개까지")
    expect(boxes.nth(2)).not_to_be_checked()


def test_everything_works_without_script(windows: Windows) -> None:
    page = windows.open(who="bob", script=False)
    page.goto(f"{CONTEST}/submit")
    choose(page, predictions(page, "손님이 물건을 바꾼다."))
    page.get_by_role("button", name="먼저 확인하기").click()
    expect(page.locator(".verdict")).to_contain_text("제출 가능")
    page.get_by_role("button", name="제출하기 (1회 사용)").click()
    # Without script the page refreshes itself while it waits.
    expect(page.locator(".result .score")).to_have_text(re.compile(r"\d"), timeout=DONE)


def test_a_second_click_is_no_second_submission(windows: Windows) -> None:
    page = windows.open(who="alice")
    page.goto(f"{CONTEST}/submit")
    choose(page, predictions(page, "친구가 여행을 간다."), "twice.csv")
    page.get_by_role("button", name="제출하기 (1회 사용)").dblclick()
    expect(page.locator(".result")).to_be_visible(timeout=DONE)
    page.goto(f"{CONTEST}/submissions")
    expect(page.locator("tbody tr", has_text="twice.csv")).to_have_count(1)


def test_theme_and_language_hold_over_pages(windows: Windows) -> None:
    page = windows.open()
    page.goto(f"{CONTEST}/leaderboard")
    page.get_by_role("button", name="다크").click()
    page.get_by_role("button", name="English").click()
    expect(page).to_have_url(re.compile("/leaderboard$"))
    page.goto("/accounts/login/")
    expect(page.locator("html")).to_have_attribute("lang", "en")
    assert page.locator("html").get_attribute("data-theme") == "dark"
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(16, 20, 19)"
    page.get_by_role("button", name="Auto").click()
    page.reload()
    assert page.locator("html").get_attribute("data-theme") is None


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
