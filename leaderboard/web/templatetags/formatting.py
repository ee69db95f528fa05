"""How values are written on a page. Formatting only: nothing here decides or reads the database."""

import html
import re
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django import template
from django.template import Context
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext, ngettext, pgettext_lazy

from leaderboard.boards.models import Placement
from leaderboard.boards.queries import BoardPage, LeaderboardEntry
from leaderboard.texts import in_language, reader_language
from leaderboard.web import markdown
from leaderboard.web.fragments import SENTENCES
from scoring.messages import size, write
from scoring.ranking import printed, printed_text

register = template.Library()

# The drawings of look/parts: a word always stands beside or inside (visually hidden).
_STROKE = 'fill="none" stroke="currentColor"'
_MEDAL = f'<path d="M3.6 10.6 3 15l3.5-1.8L10 15l-.6-4.4" {_STROKE} stroke-width="1.2"/>'
ICONS = {
    "check": ("10 10", f'<path d="M1 5.6 3.9 8.6 9.2 1.6" {_STROKE} stroke-width="1.8"/>'),
    "cross": ("10 10", f'<path d="M1.5 1.5l7 7m0-7-7 7" {_STROKE} stroke-width="1.8"/>'),
    "note": (
        "10 10",
        f'<path d="M5 .8v.1M5 3.6v5.4" {_STROKE} stroke-width="1.9" stroke-linecap="square"/>',
    ),
    "up": ("10 10", '<path d="M5 1 9.5 9h-9z"/>'),
    "down": ("10 10", '<path d="M1.2 2h7.6L5 8.6z"/>'),
    "medal1": ("13 15", f'<circle cx="6.5" cy="5.5" r="5"/>{_MEDAL}'),
    "medal2": (
        "13 15",
        f'<circle cx="6.5" cy="5.5" r="4.4" {_STROKE} stroke-width="1.2"/>'
        f'<path d="M6.5 1.1a4.4 4.4 0 0 1 0 8.8z"/>{_MEDAL}',
    ),
    "medal3": (
        "13 15",
        f'<circle cx="6.5" cy="5.5" r="4.4" {_STROKE} stroke-width="1.2"/>{_MEDAL}',
    ),
}


# A single one: an empty line between paragraphs is Markdown's own.
_LINE_BREAK = re.compile(r"(?<!\n)\n(?!\n)")

QUEUES: dict[str, str | Promise] = {
    "score": pgettext_lazy("worker", "scoring"),
    "web": pgettext_lazy("worker", "pages"),
    "sweeper": pgettext_lazy("worker", "clock and repairs"),
}
"""What a process does, by the name of its queue; an app above adds its own."""


@register.simple_tag
def sentence(name: str) -> str:
    return str(SENTENCES[name])


@register.filter
def board_name(board: str) -> str:
    """“Public” or “Private” in the reader's language."""
    return str(Placement.Board(board).label)


@register.filter
def queue(name: str) -> str:
    """What the workers of this queue do; its name where nobody said."""
    return str(QUEUES.get(name, name))


@register.simple_tag
def icon(name: str) -> SafeString:
    """A small drawing in the colour of its text; hidden from readers, so write the word too."""
    box, drawing = ICONS[name]
    whole = f'<svg class="i" viewBox="0 0 {box}" aria-hidden="true">{drawing}</svg>'
    return mark_safe(whole)  # noqa: S308  every part is written above


@register.simple_tag
def region(name: str) -> SafeString:
    """The attributes of what scrolls by itself: reached by the keyboard, named to readers."""
    return format_html('tabindex="0" role="region" aria-label="{}"', name)


@register.simple_tag
def posts_to(view: str, *args: object, at: str = "") -> SafeString:
    """The attributes of a form that is posted to a page of ours, shown again at `at`."""
    address = reverse(view, args=args)
    return format_html('method="post" action="{}"', f"{address}#{at}" if at else address)


@register.simple_tag
def verb(name: str, words: str, css: str = "", of: str | None = None) -> SafeString:
    """The button that sends its form with this verb; `of` tells readers which of many it is."""
    look = format_html(' class="{}"', css) if css else ""
    which = "" if of is None else format_html('<span class="vh">: {}</span>', of)
    return format_html(
        '<button type="submit" name="verb" value="{}"{}>{}{}</button>', name, look, words, which
    )


@register.simple_tag
def place(rank: int | None, tied: bool) -> SafeString:
    """A rank on a board: a medal for the first three; what has none is a baseline."""
    if not rank:
        word = gettext("Baseline")
        shown = f'<span class="badge">{word}</span>'
    elif rank > 3:
        shown = str(rank)
    else:
        word = (gettext("1st"), gettext("2nd"), gettext("3rd"))[rank - 1]
        shown = icon(f"medal{rank}") + word
    if tied:
        word = gettext("tie")
        shown += f"<small>{word}</small>"
    return mark_safe(shown)  # noqa: S308  our words


@register.simple_tag
def climbed(ranks: int | None, rank: int | None) -> SafeString:
    """The ranks gained since yesterday, below zero if lost; None of a row that was not there."""
    css = "chg"
    if ranks is None:
        shown = gettext("new")
    elif not ranks:
        words = gettext("unchanged")
        shown = f'<span aria-hidden="true">–</span><span class="vh">{words}</span>'
    else:
        way, words = ("up", gettext("places up")) if ranks > 0 else ("down", gettext("places down"))
        css = f"chg {way}"
        shown = f'{icon(way)}{abs(ranks)}<span class="vh">{words}</span>'
    is_shown = rank or ranks is not None
    return mark_safe(f'<span class="{css}">{shown}</span>' if is_shown else "")  # noqa: S308  ours


def written(moment: datetime, zone: ZoneInfo, style: str = "full") -> str:
    """An instant in a zone, as text.

    Styles: `full` 2026-12-10 19:00 KST · `exact` with seconds · `day` 12월 10일 19:00 KST ·
    `week` 2026-12-10 (목) 19:00 · `short` 12-10 19:00 (the table names the zone) ·
    `clock` 19:00 KST.
    """
    local = moment.astimezone(zone)
    match style:
        case "exact":
            return f"{local:%Y-%m-%d %H:%M:%S %Z}"
        case "day" if reader_language() == "ko":
            return f"{local.month}월 {local.day}일 {local:%H:%M %Z}"
        case "day":
            return f"{local.day} {local:%b %H:%M %Z}"
        case "week":
            day = local.weekday()
            name = "월화수목금토일"[day] if reader_language() == "ko" else f"{local:%a}"
            return f"{local:%Y-%m-%d} ({name}) {local:%H:%M}"
        case "short":
            return f"{local:%m-%d %H:%M}"
        case "clock":
            return f"{local:%H:%M %Z}"
        case _:
            return f"{local:%Y-%m-%d %H:%M %Z}"


@register.simple_tag
def moment(at: datetime | None, zone: ZoneInfo, style: str = "full") -> SafeString:
    """`<time datetime="…">` with the instant written in that zone."""
    if at is None:
        return mark_safe("–")
    machine = at.astimezone(zone).isoformat(timespec="seconds")
    shown = html.escape(written(at, zone, style))
    return mark_safe(f'<time datetime="{machine}">{shown}</time>')  # noqa: S308  escaped


@register.simple_tag
def board_rows(
    page: BoardPage, rows: Iterable[LeaderboardEntry], pinned: bool = False
) -> SafeString:
    """Rows of a board, written here: a template took a fifth of the page for a hundred of them."""
    own = gettext("My team")
    shorts = [f' data-k="{html.escape(c.short)}"' if c.short else "" for c in page.columns]
    found = []
    for entry in rows:
        kind = "baseline" if not entry.rank else "ranked top" if entry.rank <= 3 else "ranked"
        here = ' id="me"' if entry.is_own and not pinned else ""
        mine = " mine" if entry.is_own else ""
        found.append(f'<tr role="row"{here} class="{kind}{mine}">')
        found.append(f'<td role="cell" class="rank">{place(entry.rank, entry.tied)}</td>')
        if page.since:
            change = climbed(entry.climbed, entry.rank)
            found.append(f'<td role="cell" class="c">{change}</td>')
        name, members = html.escape(entry.team_name), html.escape(", ".join(entry.members))
        found.append('<th role="rowheader" scope="row" class="team">')
        spoken_in = lang(entry.team_name)
        found.append(f'<span><span class="name"{spoken_in} title="{members}">{name}</span>')
        if entry.is_own:
            found.append(f' <span class="badge me">{own}</span>')
        found.append("</span></th>")
        small = ""
        for cell, short in zip(entry.cells, shorts, strict=True):
            column = cell.column
            if column.zone is not None:  # an organizers' file came whenever it came
                shown: str = moment(cell.value, column.zone, "short") if entry.rank else ""
            else:  # escaped by Python: Django's looks for lazy texts first, and is slow
                shown = html.escape(column.text(cell.value))
            if column.in_next:
                small = f" <small>{html.escape(column.label)} {shown}</small>" if entry.rank else ""
                continue
            found.append(f'<td role="cell" class="num {column.style}"{short}>{shown}{small}</td>')
            small = ""
        found.append("</tr>")
    return mark_safe("".join(found))  # noqa: S308  every part is escaped


# The same as text alone, for where no element may stand.
register.simple_tag(written, name="written_moment")


@register.simple_tag(takes_context=True)
def typed(context: Context, name: str, otherwise: object = "", **form: object) -> str:
    """What stood in a field when its form was sent, for the page that comes back with it.

    `form` tells it from the page's other forms, by values that it sends: `verb="rename"`.
    """
    sent = context["request"].POST
    if all(sent.get(key) == str(value) for key, value in form.items()):
        return str(sent.get(name, otherwise))
    return str(otherwise)


def duration(length: timedelta) -> str:
    """The two largest units of a length of time: `1일 3시간`, `12분`, `8초`."""
    seconds = max(int(length.total_seconds()), 0)
    days, rest = divmod(seconds, 86_400)
    hours, rest = divmod(rest, 3_600)
    minutes, left = divmod(rest, 60)
    units = [
        ngettext("%(n)d day", "%(n)d days", days) % {"n": days} if days else "",
        ngettext("%(n)d hour", "%(n)d hours", hours) % {"n": hours} if hours else "",
        ngettext("%(n)d minute", "%(n)d minutes", minutes) % {"n": minutes} if minutes else "",
    ]
    said = [unit for unit in units if unit]
    if not said:
        return ngettext("%(n)d second", "%(n)d seconds", left) % {"n": left}
    return " ".join(said[:2])


@register.simple_tag
def until(at: datetime, now: datetime) -> str:
    """How long it is from `now` to `at`, without a direction."""
    return duration(abs(at - now))


@register.simple_tag
def countdown(at: datetime, now: datetime) -> SafeString:
    """How long it is until `at`; `site.js` counts on from there."""
    left = max(int((at - now).total_seconds()), 0)
    return format_html('<span data-left="{}">{}</span>', left, duration(timedelta(seconds=left)))


@register.simple_tag
def away(at: datetime, now: datetime) -> SafeString:
    """An instant as seen from `now`: `23일 전`, `1일 3시간 뒤`. What is ahead is counted down."""
    if at <= now:
        return escape(gettext("%(length)s ago") % {"length": duration(now - at)})
    before, after = gettext("in %(length)s").split("%(length)s")
    return format_html("{}{}{}", before, countdown(at, now), after)


@register.filter
def seconds_long(seconds: float | None) -> str:
    """Seconds for people: `0.18초` below ten, whole units above."""
    if seconds is None:
        return "–"
    if seconds < 10:
        return gettext("%(seconds)s s") % {"seconds": f"{seconds:.2f}".rstrip("0").rstrip(".")}
    return duration(timedelta(seconds=seconds))


register.filter("size", size)


@register.filter
def spoken(holder: Any, name: str = "message") -> str:
    """What `holder` says in the reader's language.

    A method that takes the language, or a remark about a file as the database keeps it; nothing
    where a page has neither.
    """
    language = reader_language()
    if isinstance(holder, dict):
        return write(holder["code"], holder["values"], language)
    say = getattr(holder, name, None)
    return str(say(language)) if say else ""


@register.filter
def language_of(row: Any, name: str) -> str:
    """A field of the row in the reader's language."""
    return in_language(row, name, reader_language())


@register.filter
def signature(text: str | None) -> SafeString:
    """A signature that may break after each bar, and nowhere else."""
    return mark_safe(escape(text or "").replace("|", "|<wbr>"))  # noqa: S308  escaped first


@register.filter
def digest(sha256: str) -> str:
    """A hash shortened for the eye: first eight, last four."""
    return f"{sha256[:8]}…{sha256[-4:]}"


@register.filter
def signed(number: int) -> str:
    """A whole number with its sign, a true minus for less than none."""
    return f"+{number}" if number > 0 else f"−{-number}" if number < 0 else "0"


@register.filter
def four(value: float) -> str:
    """A fraction with the four decimals that every score has."""
    return printed_text(printed(value))


@register.filter
def short_label(columns: Any, place: int) -> str:
    """The label of a column for a narrow screen: `ROUGE-L` becomes `R-L`."""
    return str(columns[place].label).replace("ROUGE", "R")


@register.filter
def prose(source: str) -> SafeString:
    return markdown.render(source)


register.filter("plain", markdown.plain)
register.simple_tag(markdown.folded, name="folded")


_HANGUL = re.compile("[가-힣]")


@register.filter
def lang(text: str) -> str:
    """The attribute for Korean words on an English page, and for English ones on a Korean page."""
    spoken_in = "ko" if _HANGUL.search(text) else "en"
    return "" if spoken_in == reader_language() else mark_safe(f' lang="{spoken_in}"')  # noqa: S308


@register.filter
def announced(source: str) -> SafeString:
    """An announcement's Markdown, in which each line break is one, as people type it."""
    return markdown.render(_LINE_BREAK.sub("  \n", source))
