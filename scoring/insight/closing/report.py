"""The closing report as one page, from the tables alone: so whoever has them can make it again.

Made here and not by the server's templates, since `verify-bundle` runs without the server. Both
languages are in it, `in_language` shows one; no scripts, nothing from elsewhere; it prints on A4.
"""

from collections.abc import Mapping
from html import escape

from scoring.insight.closing import drawings
from scoring.insight.closing.drawings import Range
from scoring.insight.closing.sheets import Sheet
from scoring.messages import Language, _, say

MOST_LINES = 200  # of one table on the page; the files hold all

_STYLE = """
body{font:15px/1.6 Pretendard,"Apple SD Gothic Neo","Noto Sans KR",system-ui,sans-serif}
body{color:#15201c;background:#f5f6f4;max-width:64rem;margin:2rem auto;padding:0 1.5rem}
body{word-break:keep-all;overflow-wrap:break-word}
h1,h2,h3{line-height:1.25;letter-spacing:-.02em}h2{margin-top:2.5rem}h3{font-size:1rem}
table{border-collapse:collapse;width:100%;font-size:.85rem;background:#fff}div{overflow-x:auto}
table{border-top:2px solid #15201c;border-bottom:1px solid #15201c}
th,td{text-align:left;padding:.35rem .75rem;border-bottom:1px solid #dbe0dd;vertical-align:top}
th{color:#586560;font-weight:500}th:first-child,td:first-child{white-space:nowrap}
.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
small,p.s{color:#586560}code{overflow-wrap:anywhere;font-size:.85em}
td code{display:block;min-width:14rem}
span[lang=ko]+span[lang=en]::before{content:" · "}
.en span[lang=en]::before{content:none!important}
.ko span[lang=en],.en span[lang=ko]{display:none}
@page{size:A4;margin:16mm}@media print{body{margin:0;max-width:none;background:#fff}}
@media print{div{overflow:visible}tr{break-inside:avoid}}
"""
_SECTIONS = {
    "shakeup.csv": (_("Final ranks and shake-up"), ""),
    "gaps.csv": (
        _("Public and private totals"),
        _(
            "The best of many submissions is partly lucky, so its private total is expected to be "
            "lower. There is no expectation for a team with a different submission on the private "
            "leaderboard."
        ),
    ),
    "entries.csv": (
        _("Submissions a day"),
        _("By the days of the competition's time zone, without withdrawn submissions."),
    ),
    "standings.csv": (
        _("Both leaderboards"),
        _("The rank range is empty below 20 rows or with one team."),
    ),
    "files.csv": (
        _("Files"),
        _(
            "Each file that counts for a team, with its hash. The deviation shows how much the "
            "team's files differ row by row, in points."
        ),
    ),
    "facts.csv": (
        _("How this report was made"),
        _("The same files give the same numbers anywhere."),
    ),
}
_COLUMNS = {
    "team": _("Team"),
    "public_rank": _("Public rank"),
    "private_rank": _("Private rank"),
    "climbed": _("Ranks gained"),
    "public_total": _("Public total"),
    "private_total": _("Private total"),
    "gap": _("Difference"),
    "entries": _("Submissions"),
    "same_file": _("Same file"),
    "expected_gap": _("Expected difference"),
    "beyond": _("Beyond the expected"),
    "day": _("Day"),
    "files": _("Files"),
    "board": _("Leaderboard"),
    "rank": _("Rank"),
    "best_rank": _("Best rank (95 %)"),
    "worst_rank": _("Worst rank (95 %)"),
    "total": _("Total"),
    "file": _("File"),
    "ranked": _("Ranked"),
    "public": _("Public"),
    "private": _("Private"),
    "received_at": _("Received"),
    "deviation": _("Deviation"),
    "name": _("Name"),
    "value": _("Value"),
}
_NAME = _("Closing report")
_NOTHING = _("Nothing to show.")
_RIGHT, _SHA256 = ' class="n"', 64
_HTML = '<html lang="ko">'
_LANGUAGES: tuple[Language, ...] = ("ko", "en")


def render(title: str, tables: Mapping[str, Sheet]) -> bytes:
    """`report.html` of a contest with this title."""
    parts = [
        "<!DOCTYPE html>",
        f'{_HTML}<head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(title)}</title><style>{_STYLE}{drawings.STYLE}</style></head><body>",
        f"<h1>{escape(title)}<br><small>{_both(_NAME)}</small></h1>",
        _summary(tables),
    ]
    for name, (heading, about) in _SECTIONS.items():
        parts += [f"<h2>{_both(heading)}</h2>", f'<p class="s">{_both(about)}</p>' if about else ""]
        parts += [_drawing(name, tables[name]), _table(name, tables[name])]
    return "\n".join([*parts, "</body></html>\n"]).encode()


def _both(english: str, **values: object) -> str:
    """In both languages, of which a reader's own one can be shown alone (`in_language`)."""
    return "".join(
        f'<span lang="{language}">{escape(say(language, english, **values))}</span>'
        for language in _LANGUAGES
    )


def _plain(english: str) -> str:
    """In both languages, where no element can stand."""
    return " · ".join(escape(say(language, english)) for language in _LANGUAGES)


def in_language(page: bytes, language: str) -> bytes:
    """The page with the texts of one language alone."""
    return page.replace(_HTML.encode(), f'<html lang="{language}" class="{language}">'.encode(), 1)


def _summary(tables: Mapping[str, Sheet]) -> str:
    """The findings in sentences: who is first, and how sure that is."""
    facts = tables["facts.csv"].pairs()
    said = []
    if noise := facts.get("private noise"):
        said.append(
            _both(
                _("On the private leaderboard, totals less than {noise} apart may be chance."),
                noise=noise,
            )
        )
        leaders = facts["private leaders"]
        said.append(_both(_("Teams that may be the best: {n}."), n=leaders))
    return "".join(f"<p>{sentence}</p>" for sentence in said)


_DRAWN = {
    "shakeup.csv": (
        _("Shake-up of the first teams"),
        _(
            "Public ranks on the left, private ranks on the right. Red lines fall, green lines "
            "do not."
        ),
    ),
    "standings.csv": (
        _("Rank ranges of the private leaderboard"),
        _("The dot is the rank, the bar its range (95 %)."),
    ),
    "gaps.csv": (
        _("Expected and actual difference"),
        _("The dot is the actual difference, the ring the expected one."),
    ),
}


def _drawing(name: str, table: Sheet) -> str:
    """The drawing of a table, in words as well; empty where it has none or nothing to draw."""
    cells = [dict(zip(table.head, row, strict=True)) for row in table.rows]
    if name == "shakeup.csv" and cells:
        height, parts = drawings.slope(table)
    elif name == "gaps.csv" and cells:
        height, parts = drawings.ranges(list(map(_gap, cells)), decimals=4, zero=True)
    elif ranges := [
        Range(one["team"], float(one["best_rank"]), float(one["worst_rank"]), float(one["rank"]))
        for one in cells
        if name == "standings.csv" and one["board"] == "private" and one["best_rank"]
    ]:
        height, parts = drawings.ranges(ranges, decimals=0, zero=False)
    else:
        return ""
    title, about = _DRAWN[name]
    drawn = drawings.svg(name.partition(".")[0], _plain(title), _plain(about), height, parts)
    return f'<h3>{_both(title)}</h3><div>{drawn}</div><p class="s">{_both(about)}</p>'


def _gap(cell: Mapping[str, str]) -> Range:
    gap = float(cell["gap"])
    if not cell["expected_gap"]:
        return Range(cell["team"], gap, gap, gap)
    expected = float(cell["expected_gap"])
    return Range(cell["team"], min(expected, gap), max(expected, gap), gap, expected)


def _table(name: str, table: Sheet) -> str:
    if not table.rows:
        return f"<p>{_both(_NOTHING)}</p>"
    numbers = [
        bool(any(cells)) and all(map(_is_number, filter(None, cells)))
        for cells in zip(*table.rows, strict=True)
    ]
    headings = [_both(_COLUMNS[one]) if one in _COLUMNS else escape(one) for one in table.head]
    head = "".join(
        f'<th scope="col"{_RIGHT * is_number}>{heading}</th>'
        for heading, is_number in zip(headings, numbers, strict=True)
    )
    body = "\n".join(
        "<tr>" + "".join(map(_cell, row, numbers)) + "</tr>" for row in table.rows[:MOST_LINES]
    )
    left = len(table.rows) - MOST_LINES
    more = _both(_("{n} more lines are in {name}."), n=left, name=name) if left > 0 else ""
    note = f'<p class="s">{more}</p>' if more else ""
    return f"<div><table><thead><tr>{head}</tr></thead><tbody>\n{body}</tbody></table></div>{note}"


def _is_number(text: str) -> bool:
    return text.removeprefix("-").replace(".", "", 1).isdigit()


def _cell(text: str, is_number: bool) -> str:
    if is_number:
        return f"<td{_RIGHT}>{escape(text)}</td>"
    is_long = "|" in text or len(text) == _SHA256
    return f"<td><code>{escape(text)}</code></td>" if is_long else f"<td>{escape(text)}</td>"
