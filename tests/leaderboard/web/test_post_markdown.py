"""What anybody may write in Markdown: nothing that runs, no pictures, and bounded time."""

import sys
from collections.abc import Callable
from types import FrameType

import pytest

from leaderboard.web.contest.forum import MARKDOWN
from leaderboard.web.markdown import MOST_CELLS, MOST_LINES, MOST_MARKS, render, render_post
from tests.leaderboard.payloads import PAYLOADS
from tests.leaderboard.web.crawl import Page
from tests.leaderboard.web.observers import Reader

LENGTH = 20_000


def filled(piece: str) -> str:
    return (piece * (LENGTH // len(piece) + 1))[:LENGTH]


# The costliest of eighty kinds of text that were measured, and of some thousand drawn ones.
COSTLY: dict[str, Callable[[], str]] = {
    "quotes": lambda: "> " * (LENGTH // 2),
    "quotes, then lazy lines": lambda: ">" * 50 + "a\n" + ("b" * 18 + "\n") * 990,
    "lists": lambda: "- " * (LENGTH // 2),
    "lists, deeper by the line": lambda: "\n".join("  " * n + "- a" for n in range(135)),
    "items": lambda: ("- " + "a" * 17 + "\n") * 990,
    "emphasis": lambda: "*_" * 2_500 + "a" * 15_000,
    "emphasis, all of it": lambda: filled("*_"),
    "emphasis that opens": lambda: filled("**xxxxxx"),
    "emphasis within emphasis": lambda: "*" * 2_500 + "a" * 15_000 + "*" * 2_500,
    "emphasis and brackets": lambda: filled("*[xxxxxx"),
    "links": lambda: filled("[aaa](bb)"),
    "brackets": lambda: "[" * 5_000 + "a" * 10_000 + "]" * 5_000,
    "pictures": lambda: filled("![a](b) "),
    "references": lambda: "".join(f"[a{n}]: b\n" for n in range(1_500)) + "[a1]" * 1_000,
    "a wide table": lambda: "|a" * 3_000 + "\n" + "|-" * 3_000 + "\n" + "b\n" * 990,
    "a long table": lambda: "|a|b|\n|-|-|\n" + ("|" * 19 + "\n") * 990,
    "many tables": lambda: "|a|b|\n|-|-|\n\n" * 330,
    "backticks": lambda: "".join("`" * n + " " for n in range(1, 198)),
    "backticks of each length": lambda: "".join("a" + "`" * n for n in range(1, 198)),
    "headings": lambda: ("# " + "a" * 17 + "\n") * 990,
    "everything": lambda: filled("*[`<&\\_~|>"),
}


@pytest.mark.parametrize("kind", COSTLY)
def test_the_worst_text_takes_bounded_work(kind: str) -> None:
    """Calls are counted, since seconds depend on the machine; the worst kind makes 600,000."""
    source = COSTLY[kind]()
    assert len(source) <= LENGTH
    calls = 0

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        render_post.__wrapped__(source)
    finally:
        sys.setprofile(before)
    assert calls <= 1_000_000


@pytest.mark.parametrize("shown", [render, render_post])
def test_nothing_of_a_hostile_text_runs_or_calls_elsewhere(shown: Callable[[str], str]) -> None:
    assert len(PAYLOADS) >= 80
    for payload in PAYLOADS:
        page = Page("", "GET /", 200, "", shown(payload).encode())
        assert Reader(page).alive == [], payload


def test_what_is_beyond_the_bounds_stands_as_it_was_typed() -> None:
    for typed in ("<b>\n" * MOST_LINES, "<b>" * (MOST_MARKS + 1)):
        shown = typed.replace("<", "&lt;").replace(">", "&gt;")
        assert render_post(typed) == f"<pre>{shown}</pre>"
    table = "|a|b|\n|-|-|\n"
    assert "<td>1" in render_post(table + "|1|2|\n" * (MOST_LINES - 10))
    wide = "|a" * 9 + "|\n" + "|-" * 9 + "|\n"
    assert "<td>" in render_post(wide + "|\n" * (MOST_CELLS // 10 - 3))
    assert "<td>" not in render_post(wide + "|\n" * (MOST_CELLS // 10))
    assert render_post(f"{table}|1|2|\n\n" * 2).count("<table>") == 2


def test_an_address_is_a_link_within_angle_brackets_as_the_form_says() -> None:
    for shown in (render, render_post):
        linked = shown("<https://rules.example/x?a=1> <me@rules.example>")
        assert 'href="https://rules.example/x?a=1"' in linked
        assert 'href="mailto:me@rules.example"' in linked
        for bare in ("https://rules.example/x", "www.rules.example", "<javascript:alert(1)>"):
            assert "<a" not in shown(bare)
    assert "<https://…>" in str(MARKDOWN)


@pytest.mark.parametrize(
    "text",
    [
        "http://testserver/c/talk",
        "http://testserver\u2215c\u2215talk@evil.example",
        "http://testserver\u2044c@evil.example",
        "http://testserver\uff0fc\uff0f@evil.example/x",
        "http://testserver:pass@evil.example",
        "https:testserver\\@evil.example",
        "evil.example",
        "\u200bhttp://evil.example",
        "http://evil.example.testserver",
    ],
)
def test_the_text_of_a_link_does_not_hide_where_it_leads(text: str) -> None:
    for shown in (render, render_post):
        for written in (f"[{text}](http://evil.example/)", f"[`{text}`](//evil.example)"):
            assert "</a> (evil.example)" in shown(written)


def test_an_address_that_stands_there_says_it_itself() -> None:
    for text in ("http://evil.example", "HTTPS://Evil.example/x?@testserver", "//evil.example#a@b"):
        assert "(evil.example)" not in render_post(f"[{text}](http://evil.example/x)")
    assert "(evil.example)" in render_post("<http://testserver\u2215c@evil.example>")


def test_code_lists_and_links_are_there_and_pictures_are_not() -> None:
    html = render_post(
        "```python\nx = '<b>'\n```\n\n- a\n  - b\n\n![cat](https://spy.example/c.png)"
    )
    assert "<pre tabindex=\"0\"><code>x = '&lt;b&gt;'" in html
    assert "<li>b</li>" in html
    assert "<img" not in html
    assert 'href="https://spy.example/c.png" rel="noopener nofollow">cat</a> (spy.example)' in html
