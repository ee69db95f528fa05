"""Organizers' Markdown as HTML that cannot carry a script, a style or a picture from elsewhere.

A link that leaves this server shows where it leads: its text may claim anything.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from urllib.parse import urlsplit

import nh3
from django.conf import settings
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

ALLOWED_TAGS = {
    *("h3", "h4", "p", "br", "hr", "blockquote", "pre", "code", "em", "strong", "s"),
    *("ul", "ol", "li", "a", "table", "thead", "tbody", "tr", "th", "td"),
}

# Markdown cannot make these tags from text: html is off, so what stands there is escaped.
_HEADING = re.compile(r"<h([1-6])>")
_HEADING_TAG = re.compile(r"(</?h)([1-6])>")
# What browsers take for another host: `//host`, and a web address with any number of slashes.
_ELSEWHERE = re.compile(r"(?:https?:/*|//+)([^/?#]*)", re.I)


def _other_host(href: str) -> str:
    """The host that a link leads to, '' for a page of this server or for mail.

    The parser has written international names as `xn--…` and escaped back-slashes.
    """
    found = _ELSEWHERE.match(href)
    host = found[1].rpartition("@")[2].lower() if found else ""
    return "" if host == urlsplit(settings.BASE_URL).netloc.lower() else host


def _show_hosts(state: StateCore) -> None:
    for block in state.tokens:
        if block.children:
            block.children = list(_with_hosts(block.children))


def _with_hosts(tokens: list[Token]) -> Iterator[Token]:
    href, text = "", ""
    for token in tokens:
        yield token
        if token.type == "link_open":
            href, text = str(token.attrGet("href") or ""), ""
        elif token.type == "link_close":
            host = _other_host(href)
            # An address written out shows its host itself.
            if host and _other_host(text) != host:
                yield Token("text", "", 0, content=f" ({host})")
        else:
            text += token.content


_markdown = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
_markdown.core.ruler.push("show_hosts", _show_hosts)


@lru_cache(maxsize=256)
def render(source: str) -> SafeString:
    """Markdown to clean HTML. Headings start at the third rank: the page holds the first two."""
    dirty = _markdown.render(source)
    used = sorted({int(rank) for rank in _HEADING.findall(dirty)})
    # The highest rank used becomes the third, whatever the organizer began with.
    ranks = {str(rank): str(min(3 + place, 4)) for place, rank in enumerate(used)}
    dirty = _HEADING_TAG.sub(lambda tag: f"{tag[1]}{ranks[tag[2]]}>", dirty)
    clean = nh3.clean(
        dirty,
        tags=ALLOWED_TAGS,
        attributes={"a": {"href"}, "ol": {"start"}},
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener nofollow",
    )
    return mark_safe(clean)  # noqa: S308  cleaned by nh3's allow-list right above
