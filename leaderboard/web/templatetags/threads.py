"""How threads of the forum are written in lists and on their own pages.

Written here as `board_rows` are: in templates thirty lines took half of the list's page.
"""

import html
from collections.abc import Iterable, Mapping
from typing import Any
from zoneinfo import ZoneInfo

from django import template
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext, ngettext, pgettext

from leaderboard.community.models import Thread
from leaderboard.web.contest.forum import Byline
from leaderboard.web.templatetags.formatting import lang, moment

register = template.Library()


@register.simple_tag
def thread_title(thread: Thread) -> str:
    """What it is called, also where its author took that back."""
    return thread.title or gettext("Deleted by its author")


@register.simple_tag
def thread_badges(thread: Thread) -> SafeString:
    """Its kind, and what an organizer or its author has made of it."""
    is_inquiry = thread.kind == Thread.Kind.INQUIRY
    badges = [("badge look" if is_inquiry else "badge", str(Thread.Kind(thread.kind).label))]
    if thread.pinned_at:
        badges.append(("badge me", gettext("Pinned")))
    if thread.answered:
        badges.append(("badge go", gettext("Answered")))
    if thread.locked_at:
        badges.append(("badge", pgettext("thread", "Locked")))
    if thread.hidden_at:
        badges.append(("badge stop", pgettext("thread", "Hidden")))
    if thread.deleted_at:
        badges.append(("badge stop", pgettext("thread", "Deleted")))
    shown = (f'<span class="{css}">{html.escape(word)}</span>' for css, word in badges)
    return mark_safe(" ".join(shown))  # noqa: S308  every part is escaped


@register.simple_tag
def byline(by: Byline) -> SafeString:
    """Who wrote, with the team where it says more than the name."""
    shown = f'<b dir="auto"{lang(by.name)}>{html.escape(by.name)}</b>'
    if by.team:
        shown += f' <span class="dim" dir="auto"{lang(by.team)}>{html.escape(by.team)}</span>'
    return mark_safe(shown)  # noqa: S308  every part is escaped


@register.simple_tag
def thread_lines(
    lines: Iterable[Mapping[str, Any]], slug: str, zone: ZoneInfo, when: str
) -> SafeString:
    """A line for each thread. `when`: the field with the instant that stands before it."""
    last = pgettext("thread", "Last page")
    found = []
    for line in lines:
        thread = line["thread"]
        address = reverse("thread", args=[slug, thread.pk])
        found.append("<li>")
        found.append(moment(getattr(thread, when), zone))
        title, badges = thread_title(thread), thread_badges(thread)
        found.append(f'<div><p class="full"><a href="{address}" dir="auto"{lang(title)}>')
        found.append(f"<b>{html.escape(title)}</b></a> ")
        found.append(f'{badges}</p><p class="small dim">{byline(line["by"])} · ')
        replies = ngettext("%(n)s reply", "%(n)s replies", thread.replies) % {"n": thread.replies}
        found.append(html.escape(replies))
        if line["last_page"] > 1:
            found.append(f' · <a href="{address}?page={line["last_page"]}">{last}</a>')
        found.append("</p></div></li>\n")
    return mark_safe("".join(found))  # noqa: S308  every part is escaped
