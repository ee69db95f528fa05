"""The dev lab in a window: one row at a time, beside a list that stays."""

import csv
import io
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import forget_axe, sideways, violations
from tests.browser.conftest import Windows

pytestmark = pytest.mark.browser

CONTEST = "/c/daily-dialogue"
LAB = f"{CONTEST}/lab"
SCREEN = 900


def dev_file(page: Page) -> bytes:
    """Predictions for the demo's dev set: half of a gold each, and one row that shares nothing."""
    answer = page.request.get(f"{LAB}/dev_golds.csv")
    rows = list(csv.reader(io.StringIO(answer.body().decode("utf-8-sig"))))[1:]
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["fname", "summary"])
    writer.writerow([rows[0][0], "zzz"])
    writer.writerows([name, gold[: len(gold) // 2]] for name, gold, *_ in rows[1:])
    return out.getvalue().encode()


def scored(windows: Windows, *, width: int = 1440, **options: Any) -> Page:
    """A window with the file scored."""
    page = windows.open(who="alice", width=width, **options)
    page.goto(LAB)
    page.set_input_files(
        "#lab_file", files=[{"name": "d.csv", "mimeType": "text/csv", "buffer": dev_file(page)}]
    )
    page.get_by_role("button", name="채점해 보기").click()
    expect(page.locator(".result .score")).to_be_visible()
    return page


def shows(page: Page, name: str) -> None:
    """This row can be seen, and no other."""
    expect(page.locator(".one-row > section:visible > header .id")).to_have_text([name])


def listed(page: Page) -> list[str]:
    return page.locator(".picklist .id").all_inner_texts()


def test_the_list_stays_beside_the_row_that_it_opens(windows: Windows) -> None:
    page = scored(windows)
    third = page.locator(".picklist a").nth(2)
    third.click()
    shows(page, listed(page)[2])
    expect(third).to_have_attribute("aria-current", "true")
    expect(page.locator(".picklist [aria-current]")).to_have_count(1)
    page.locator(".one-row > section:visible details summary").first.click()
    page.mouse.move(900, 500)
    page.mouse.wheel(0, 300)
    expect(third).to_be_in_viewport()
    page.go_back()
    shows(page, listed(page)[0])


def test_the_lab_is_walked_through_with_the_keyboard(windows: Windows) -> None:
    page = scored(windows)
    page.locator(".picklist a").first.focus()
    for _ in range(2):
        page.keyboard.press("ArrowDown")
    shows(page, listed(page)[2])
    page.keyboard.press("ArrowUp")
    shows(page, listed(page)[1])
    page.locator(".picklist a").nth(5).click()
    page.keyboard.press("ArrowDown")
    shows(page, listed(page)[6])
    gold = page.locator(".one-row > section:visible input[type=radio]:checked")
    gold.focus()
    before = page.locator(".ours:visible").inner_text()
    page.keyboard.press("ArrowRight")
    assert page.locator(".ours:visible").count() == 1
    assert page.locator(".ours:visible").inner_text() != before


@pytest.mark.parametrize("script", [True, False])
def test_our_summary_is_seen_from_the_chosen_gold(windows: Windows, script: bool) -> None:
    page = scored(windows, script=script)
    page.locator(".picklist a").nth(3).click()
    shows(page, listed(page)[3])
    for number in (3, 1, 2):
        page.locator(".marked:visible label", has_text=f"정답 {number}").click()
        expect(page.locator(".ours:visible")).to_contain_text(f"정답 {number}번과 비교함")
    page.get_by_role("link", name="다음 행").click()
    shows(page, listed(page)[4])


def test_the_list_stays_in_sight_on_a_phone(windows: Windows) -> None:
    page = scored(windows, width=360)
    page.locator(".picklist a").nth(1).click()
    shows(page, listed(page)[1])
    page.mouse.move(180, 500)
    page.mouse.wheel(0, 250)
    expect(page.locator(".picklist [aria-current]")).to_be_in_viewport()
    assert sideways(page) <= 0
    assert page.evaluate("document.documentElement.scrollHeight") <= 4 * SCREEN


@pytest.mark.parametrize(
    ("theme", "width"), [pytest.param("light", 1440, marks=pytest.mark.slow), ("dark", 360)]
)
def test_the_lab_has_no_axe_violation(windows: Windows, theme: str, width: int) -> None:
    page = scored(windows, width=width, theme=theme)
    assert violations(page) == []
    forget_axe(windows)
