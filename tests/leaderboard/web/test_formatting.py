"""How values are written: dates, durations, sizes, particles, signatures."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.utils import translation

from leaderboard.web import markdown
from leaderboard.web.charts import Point, history
from leaderboard.web.templatetags import formatting
from scoring.messages import josa

SEOUL = ZoneInfo("Asia/Seoul")
AT = datetime(2026, 12, 10, 10, 0, 5, tzinfo=UTC)  # 19:00:05 in Seoul, a Thursday


@pytest.mark.parametrize(
    ("style", "korean", "english"),
    [
        ("full", "2026-12-10 19:00 KST", "2026-12-10 19:00 KST"),
        ("exact", "2026-12-10 19:00:05 KST", "2026-12-10 19:00:05 KST"),
        ("day", "12월 10일 19:00 KST", "10 Dec 19:00 KST"),
        ("week", "2026-12-10 (목) 19:00", "2026-12-10 (Thu) 19:00"),
        ("short", "12-10 19:00", "12-10 19:00"),
        ("clock", "19:00 KST", "19:00 KST"),
    ],
)
def test_an_instant_is_written_in_the_contests_zone(style: str, korean: str, english: str) -> None:
    with translation.override("ko"):
        assert formatting.written(AT, SEOUL, style) == korean
    with translation.override("en"):
        assert formatting.written(AT, SEOUL, style) == english
    assert 'datetime="2026-12-10T19:00:05+09:00"' in formatting.moment(AT, SEOUL, style)


@pytest.mark.parametrize(
    ("length", "korean", "english"),
    [
        (timedelta(days=1, hours=3, minutes=12), "1일 3시간", "1 day 3 hours"),
        (timedelta(hours=2, minutes=1), "2시간 1분", "2 hours 1 minute"),
        (timedelta(seconds=59), "59초", "59 seconds"),
        (timedelta(0), "0초", "0 seconds"),
        (timedelta(days=2, minutes=5), "2일 5분", "2 days 5 minutes"),
    ],
)
def test_a_duration_has_its_two_largest_units(length: timedelta, korean: str, english: str) -> None:
    with translation.override("ko"):
        assert formatting.duration(length) == korean
        assert formatting.away(AT, AT + length) == f"{korean} 전"
    with translation.override("en"):
        assert formatting.duration(length) == english


@pytest.mark.parametrize(
    ("octets", "text"),
    [(12, "12 B"), (34_100, "34 KB"), (5_000_000, "5 MB"), (31_250_000, "31.2 MB")],
)
def test_sizes_count_in_thousands(octets: int, text: str) -> None:
    assert formatting.size(octets) == text


@pytest.mark.parametrize(
    ("word", "forms", "written"),
    [
        ("두괄식", "이,가", "두괄식이"),
        ("가나다", "이,가", "가나다가"),
        ("팀 3", "이,가", "팀 3이"),
        ("팀 2", "이,가", "팀 2가"),
        ("Team", "이,가", "Team이"),
        ("Duo", "이,가", "Duo가"),
        ("", "이,가", "가"),
        ("…", "이,가", "…가"),
        ("서울", "으로,로", "서울로"),
        ("두괄식", "으로,로", "두괄식으로"),
        ("v1", "으로,로", "v1로"),
        ("v3", "으로,로", "v3으로"),
        ("UTF-8", "으로,로", "UTF-8로"),
        ("gradkim", "으로,로", "gradkim으로"),
        ("‘email’", "으로,로", "‘email’로"),
    ],
)
def test_the_particle_follows_the_sound(word: str, forms: str, written: str) -> None:
    assert josa(word, forms) == written


def test_a_signature_breaks_only_after_a_bar_and_is_escaped() -> None:
    assert formatting.signature("a|<b>|c") == "a|<wbr>&lt;b&gt;|<wbr>c"


def test_both_languages_of_a_message() -> None:
    message = {"code": "sample_text", "line": None, "values": {"count": 1200}}
    with translation.override("ko"):
        assert formatting.spoken(message) == "예제 파일의 문장이 그대로인 행이 1,200개입니다."
    with translation.override("en"):
        assert formatting.spoken(message) == "The sample file's sentence was left in 1,200 rows."


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("[우리 대회](https://evil.example/a?b#c)", "우리 대회</a> (evil.example)"),
        ("[x](//evil.example/a)", "x</a> (evil.example)"),
        ("[x](///evil.example)", "x</a> (evil.example)"),
        ("[x](https:evil.example)", "x</a> (evil.example)"),
        ("[x](http:/evil.example)", "x</a> (evil.example)"),
        ("[x](HTTPS://Evil.Example:8443)", "x</a> (evil.example:8443)"),
        ("[x](https://127.0.0.1:8000@evil.example/)", "x</a> (evil.example)"),
        ("[https://dacon.io](https://evil.example)", "https://dacon.io</a> (evil.example)"),
        ("[https://evil.example.org](https://evil.example)", ".org</a> (evil.example)"),
        ("[*굵게* 쓴](https://evil.example)", "쓴</a> (evil.example)"),
        ("[x](https://еvil.example)", "x</a> (xn--vil-qdd.example)"),
        ("[![p](https://evil.example/a.png)](https://evil.example)", "</a> (evil.example)"),
        ("| a |\n|---|\n| [x](//evil.example) |", "x</a> (evil.example)"),
        ("<https://evil.example/a>", "https://evil.example/a</a></p>"),
        ("[x](/c/talk/data)", "x</a></p>"),
        ("[x](data?y=//z)", "x</a></p>"),
        ("[x](#rules)", "x</a></p>"),
        ("[x](mailto:a@evil.example)", "x</a></p>"),
        ("[x](http://127.0.0.1:8000/c/talk/)", "x</a></p>"),
    ],
)
def test_a_link_to_another_host_shows_it(source: str, shown: str) -> None:
    assert shown in markdown.render(source)


def test_a_long_text_is_folded_between_its_blocks_and_loses_nothing() -> None:
    long = "낱말 " * 40
    source = f"{long}\n\n### 제목\n\n```\na\n\nb\n```\n\n- 하나\n- [둘][x]\n\n[x]: /c/talk/"
    first, rest = markdown.folded(source)
    assert first + rest == markdown.render(source)
    assert first.count("<") == 2
    assert rest.startswith("<h3>")
    short = "짧은 소개\f입니다."
    assert markdown.folded(short) == (markdown.render(short), "")
    # A heading is not left alone at the end of the first part.
    assert markdown.folded(f"# {long}\n\n하나\n\n둘")[0].endswith("<p>하나</p>\n")


def test_words_of_the_other_language_are_marked() -> None:
    with translation.override("en"):
        assert (formatting.lang("초록 밑줄"), formatting.lang("Pine")) == (' lang="ko"', "")
    with translation.override("ko"):
        assert (formatting.lang("초록 밑줄"), formatting.lang("Pine")) == ("", ' lang="en"')


def points(*totals: str) -> list[Point]:
    start = datetime(2026, 12, 1, 3, tzinfo=UTC)
    return [Point(start + timedelta(days=n), total) for n, total in enumerate(totals)]


def test_a_history_fills_the_dots_that_were_the_best_until_then() -> None:
    wide, narrow = history(points("1.0402", "1.1000", "1.0500", "1.1843"), SEOUL)
    assert [dot.kind for dot in wide.dots] == ["dme", "dme", "dno", "dme"]
    assert wide.best.text == "1.1843"
    assert [label.text for label in wide.dates] == ["12-01", "12-02", "12-03", "12-04"]
    assert [label.text for label in wide.ticks] == ["1.05", "1.10", "1.15"]
    assert narrow.width == 340


def test_a_history_stands_where_its_instants_are() -> None:
    at = datetime(2026, 12, 1, 3, tzinfo=UTC)
    hours = (0, 1, 2, 72)
    wide, _ = history([Point(at + timedelta(hours=n), "1.0") for n in hours], SEOUL)
    left, right = float(wide.left), float(wide.right)
    assert [float(dot.x) for dot in wide.dots] == [
        pytest.approx(left + (right - left) * n / 72, abs=0.1) for n in hours
    ]
    within, _ = history([Point(at + timedelta(hours=n), "1.0") for n in (0, 3)], SEOUL)
    assert [label.text for label in within.dates] == ["12:00", "13:00", "14:00", "15:00"]
    assert history([Point(at, "1.0"), Point(at, "1.1")], SEOUL)[0].dates[0].text == "12:00"


@pytest.mark.parametrize(
    "totals", [("1.0000", "1.0000"), ("0.0000", "0.0000"), ("36.2973", "36.2974"), ("0.0", "300")]
)
def test_a_history_stays_inside_its_drawing(totals: tuple[str, ...]) -> None:
    for drawing in history(points(*totals), SEOUL):
        for dot in drawing.dots:
            assert 0 < float(dot.y) < float(drawing.base)
            assert float(drawing.left) <= float(dot.x) <= float(drawing.right)
