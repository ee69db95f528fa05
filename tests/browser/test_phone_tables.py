"""On a phone nothing of a table is out of sight: each row is a card that says it all."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import sideways
from tests.browser.conftest import Windows

pytestmark = pytest.mark.browser

CONTEST = "/c/daily-dialogue"
PAGES: tuple[tuple[str, str], ...] = (
    ("alice", f"{CONTEST}/"),
    ("alice", f"{CONTEST}/data"),
    ("alice", f"{CONTEST}/submit"),
    ("alice", f"{CONTEST}/submissions"),
    ("alice", f"{CONTEST}/ledger"),
    ("alice", "/c/short-calls/submissions"),
    ("alice", "/c/short-calls/ledger"),
    ("olivia", f"{CONTEST}/desk/"),
    ("olivia", f"{CONTEST}/desk/audit"),
    ("olivia", f"{CONTEST}/desk/baselines"),
    ("olivia", f"{CONTEST}/desk/data"),
    ("olivia", f"{CONTEST}/desk/dev-set"),
    ("olivia", f"{CONTEST}/desk/duplicates"),
    ("olivia", f"{CONTEST}/desk/golds"),
    ("olivia", f"{CONTEST}/desk/people"),
    ("olivia", f"{CONTEST}/desk/settings"),
    ("olivia", f"{CONTEST}/desk/submissions"),
    ("olivia", f"{CONTEST}/desk/teams"),
)
# What of a table is cut off, or reaches beyond the window: a text each.
CUT = """() => [...document.querySelectorAll(".scroller")].flatMap((scroller) =>
    [scroller, ...scroller.querySelectorAll("tbody tr > *, tbody :is(a, input, button, dd)")]
    .filter((one) => one.getClientRects().length)
    .filter((one) => one.getBoundingClientRect().right > innerWidth + 1
        || (one === scroller && one.scrollWidth > one.clientWidth + 1))
    .map((one) => `${one.tagName} ${one.textContent.trim().slice(0, 60)}`))"""


@pytest.mark.parametrize("language", ["ko", pytest.param("en", marks=pytest.mark.slow)])
def test_no_table_is_clipped_on_a_phone(windows: Windows, language: str) -> None:
    cut, tables = [], 0
    for who in ("alice", "olivia"):
        page = windows.open(who=who, width=360, language=language)
        for path in (path for name, path in PAGES if name == who):
            answer = page.goto(path)
            assert answer is not None
            assert answer.status == 200, path
            tables += page.locator(".scroller > table").count()
            cut += [f"{path}: {one}" for one in page.evaluate(CUT)]
    assert tables >= 12
    assert cut == []


def _card(page: Page) -> dict[str, str]:
    """The first card's cells by what they say they are."""
    cells = page.locator(".scroller tbody tr").first.locator("td[data-k]")
    return {
        str(cell.get_attribute("data-k")): cell.inner_text()
        for cell in cells.all()
        if cell.is_visible()
    }


def test_state_and_final_choice_are_in_sight_on_a_phone(windows: Windows) -> None:
    page = windows.open(who="alice", width=360)
    page.goto(f"{CONTEST}/submissions")
    card = _card(page)
    assert {"Public 총점", "상태", "최종", "낸 사람"} <= set(card)
    choice = page.get_by_role("checkbox").first
    expect(choice).to_be_visible()
    box = choice.bounding_box()
    assert box is not None
    assert 0 < box["x"] < box["x"] + box["width"] < 360


def test_a_card_is_still_a_row_of_a_table_to_who_hears_it(windows: Windows) -> None:
    page = windows.open(who="alice", width=360)
    page.goto(f"{CONTEST}/ledger")
    table = page.get_by_role("table").first
    assert table.get_by_role("columnheader").count() >= 5
    assert table.get_by_role("row").nth(1).get_by_role("cell").count() >= 5
    assert {"시각", "내용", "변화"} <= set(_card(page))


def test_two_files_compared_say_of_which_board_on_a_phone(windows: Windows) -> None:
    page = windows.open(who="alice", width=360)
    page.goto("/c/short-calls/submissions")
    page.locator("a[href*='/submissions/']").filter(has_text="public에 맞추지 않고").first.click()
    for board in ("Public", "Private"):
        table = page.get_by_role("region", name=f"{board} 점수 비교").get_by_role("table")
        name = table.get_by_role("columnheader", name=board).bounding_box()
        first = table.get_by_role("rowheader").first.bounding_box()
        assert name is not None
        assert first is not None
        assert name["height"] > 10
        assert name["y"] + name["height"] <= first["y"]


def test_a_wide_window_shows_the_table_as_it_was(windows: Windows) -> None:
    page = windows.open(who="alice", width=1440)
    page.goto(f"{CONTEST}/submissions")
    expect(page.locator(".scroller thead th").first).to_be_visible()
    label = "getComputedStyle(document.querySelector('.scroller td[data-k]'), '::before').content"
    assert page.evaluate(label) == "none"


@pytest.mark.parametrize("width", [pytest.param(360, marks=pytest.mark.slow), 320])
@pytest.mark.parametrize("who", [pytest.param(None, marks=pytest.mark.slow), "alice"])
def test_the_english_header_is_one_line_on_a_phone(
    windows: Windows, who: str | None, width: int
) -> None:
    page = windows.open(who=who, language="en", width=width)
    for path in ("/", f"{CONTEST}/leaderboard"):
        page.goto(path)
        middles = page.evaluate(
            """() => [...document.querySelectorAll(".site .brand, .site .tools > *")]
            .map((one) => one.getBoundingClientRect()).filter((box) => box.width > 2)
            .map((box) => Math.round(box.top + box.height / 2))"""
        )
        assert max(middles) - min(middles) <= 4, (path, middles)
        height = page.evaluate("document.querySelector('.site').getBoundingClientRect().height")
        assert height <= 48, path


@pytest.mark.parametrize("language", ["ko", pytest.param("en", marks=pytest.mark.slow)])
def test_the_check_of_golds_against_themselves_stays_in_its_card(
    windows: Windows, language: str
) -> None:
    page = windows.open(who="olivia", width=360, language=language)
    page.goto(f"{CONTEST}/desk/golds")
    check = page.locator("button[value=check]")
    if check.count():
        check.first.click()
    expect(page.get_by_text("3.0000 · 3.0000 · 3.0000 / 3.0000").first).to_be_visible()
    assert sideways(page) <= 0
    assert page.evaluate(CUT) == []


@pytest.mark.parametrize("language", ["ko", pytest.param("en", marks=pytest.mark.slow)])
def test_the_badge_of_a_baseline_does_not_lie_on_its_name(windows: Windows, language: str) -> None:
    page = windows.open(who="alice", width=360, language=language)
    page.goto(f"{CONTEST}/leaderboard")
    badge = page.locator(".board .baseline .rank .badge").first.bounding_box()
    name = page.locator(".board .baseline .name").first.bounding_box()
    assert badge is not None
    assert name is not None
    assert badge["x"] + badge["width"] < name["x"]


@pytest.mark.parametrize("width", [360, 1440])
def test_why_a_file_makes_no_contest_is_read_to_its_end(windows: Windows, width: int) -> None:
    page = windows.open(who="olivia", width=width)
    page.goto(f"{CONTEST}/desk/file")
    with page.expect_download() as exported:
        page.get_by_role("button", name="대회만 받기").click()
    page.goto("/contests/import")
    expect(page.locator("label[for=id_file]")).to_have_text("대회 파일 (ZIP)")
    page.set_input_files("#id_file", exported.value.path())
    page.get_by_role("button", name="먼저 확인하기").click()
    problems = page.get_by_role("region", name="문제 목록")
    expect(problems.get_by_role("cell", name="competition")).to_be_visible()
    assert page.evaluate(CUT) == []
