"""The closing report as one page, from the tables alone: so whoever has them can make it again.

Made here and not by the server's templates, since `verify-bundle` runs without the server. Both
languages stand side by side; no scripts, nothing from elsewhere, and it prints on A4.
"""

import re
from collections.abc import Mapping
from html import escape

from scoring.insight.closing import drawings
from scoring.insight.closing.drawings import Range
from scoring.insight.closing.sheets import Sheet
from scoring.messages import Language, _, say

MOST_LINES = 200  # of one table on the page; the files hold all

_STYLE = """
body{font:15px/1.5 system-ui,sans-serif;color:#1b2430}
body{max-width:60rem;margin:2rem auto;padding:0 1rem;word-break:keep-all;overflow-wrap:break-word}
h1,h2,h3{line-height:1.25}h2{margin-top:2.2rem}h3{font-size:1rem;margin-bottom:0}
table{border-collapse:collapse;width:100%;font-size:.9rem}div{overflow-x:auto}
th,td{text-align:left;padding:.3rem .6rem;border-bottom:1px solid #d6dbe3;vertical-align:top}
th:first-child,td:first-child{white-space:nowrap}
.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
small,p.s{color:#566274}code{overflow-wrap:anywhere;font-size:.85em}
td code{display:block;min-width:14rem}
@page{size:A4;margin:16mm}@media print{body{margin:0;max-width:none}}
@media print{div{overflow:visible}tr{break-inside:avoid}}
"""
_SECTIONS = {
    "shakeup.csv": (
        _("Final ranks and shake-up"),
        _("`climbed` counts ranks gained on the private board."),
    ),
    "gaps.csv": (
        _("How far teams fell, and what choosing explains"),
        _(
            "`gap` is the private total less the public one. Who keeps the best of many files "
            "keeps a lucky one, so `expected_gap` is below zero; `beyond` is the rest. Where "
            "`same_file` is 0 another file was chosen for the private board, and nothing is "
            "expected."
        ),
    ),
    "entries.csv": (
        _("Files a day"),
        _("By the days of the contest's own clock, without files that were taken back."),
    ),
    "standings.csv": (
        _("Both boards"),
        _(
            "Between `best_rank` and `worst_rank` a team may truly stand. "
            "They are empty below 20 rows or with one team."
        ),
    ),
    "files.csv": (
        _("Files"),
        _(
            "Each file that stands for a team, by its hash. `ranked` is 1 where it has a rank, "
            "`public` and `private` where it stands on that board. `deviation` says how far the "
            "team's files differ row by row, in points; it is empty where that is not known."
        ),
    ),
    "facts.csv": (_("How this was made"), _("The same files give the same numbers anywhere.")),
}
_NAME = _("Closing report")
_NOTHING = _("Nothing to show.")
_NAMED = re.compile("`([a-z_]+)`")
_RIGHT, _SHA256 = ' class="n"', 64
_LANGUAGES: tuple[Language, ...] = ("ko", "en")


def render(title: str, tables: Mapping[str, Sheet]) -> bytes:
    """`report.html` of a contest with this title."""
    parts = [
        "<!DOCTYPE html>",
        '<html lang="ko"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(title)}</title><style>{_STYLE}{drawings.STYLE}</style></head><body>",
        f"<h1>{escape(title)}<br><small>{_both(_NAME)}</small></h1>",
        _summary(tables),
    ]
    for name, (heading, about) in _SECTIONS.items():
        parts += [f"<h2>{_both(heading)}</h2>", f'<p class="s">{_both(about)}</p>']
        parts += [_drawing(name, tables[name]), _table(name, tables[name])]
    return "\n".join([*parts, "</body></html>\n"]).encode()


def _both(english: str, **values: object) -> str:
    """In both languages; a column is named between backticks."""
    said = (escape(say(language, english, **values)) for language in _LANGUAGES)
    return " · ".join(_NAMED.sub(r"<code>\1</code>", sentence) for sentence in said)


def _summary(tables: Mapping[str, Sheet]) -> str:
    """The findings in sentences: who is first, and how sure that is."""
    facts = tables["facts.csv"].pairs()
    said = []
    if noise := facts.get("private noise"):
        said.append(
            _both(
                _("On the private board totals less than {noise} apart may be chance."), noise=noise
            )
        )
        leaders = facts["private leaders"]
        said.append(_both(_("Teams that may be the best one: {n}."), n=leaders))
    return "".join(f"<p>{sentence}</p>" for sentence in said)


_DRAWN = {
    "shakeup.csv": (
        _("Shake-up of the first teams"),
        _(
            "Public ranks on the left, private ones on the right. Brown lines fall, blue ones "
            "do not."
        ),
    ),
    "standings.csv": (
        _("Rank ranges of the private board"),
        _("The dot is the rank, the bar where the team may truly stand."),
    ),
    "gaps.csv": (
        _("Expected and actual gap"),
        _(
            "The dot is the actual gap, the ring what choosing explains. A team without a ring "
            "chose another file for the private board."
        ),
    ),
}


def _drawing(name: str, table: Sheet) -> str:
    """The drawing of a table, in words as well; empty where it has none or nothing to draw."""
    cells = [dict(zip(table.head, row, strict=True)) for row in table.rows]
    if name == "shakeup.csv" and cells:
        height, parts = drawings.slope(table)
    elif name == "gaps.csv" and cells:
        height, parts = drawings.ranges(list(map(_gap, cells)), decimals=4, zero=True)
    elif name == "standings.csv" and (ranges := list(map(_range, filter(_has_range, cells)))):
        height, parts = drawings.ranges(ranges, decimals=0, zero=False)
    else:
        return ""
    title, about = map(_both, _DRAWN[name])
    drawn = drawings.svg(name.partition(".")[0], title, about, height, parts)
    return f'<h3>{title}</h3><div>{drawn}</div><p class="s">{about}</p>'


def _has_range(cell: Mapping[str, str]) -> bool:
    return cell["board"] == "private" and cell["best_rank"] != ""


def _range(cell: Mapping[str, str]) -> Range:
    ends = ("best_rank", "worst_rank", "rank")
    return Range(cell["team"], *(float(cell[end]) for end in ends))


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
    head = "".join(
        f'<th scope="col"{_RIGHT * is_number}>{escape(cell)}</th>'
        for cell, is_number in zip(table.head, numbers, strict=True)
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
