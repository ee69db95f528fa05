"""Markdown as HTML that cannot carry a script, a style or a picture from elsewhere.

A link that leaves this server shows where it leads: its text may claim anything. The cost of a
post is bounded, since everybody writes posts.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from html import unescape
from urllib.parse import urlsplit

import nh3
from django.conf import settings
from django.utils.html import format_html, strip_tags
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
# What may be wider than the page scrolls in a box of its own, which the keyboard reaches too.
_BOXED = (
    ("<table>", '<div class="scroller" tabindex="0"><table>'),
    ("</table>", "</table></div>"),
    ("<pre><code>", '<pre tabindex="0"><code>'),
)
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
            # An address written out shows its host itself; but of `http://us∕c∕@host` one reads
            # what stands before the @.
            shown = _ELSEWHERE.match(text)
            if host and (shown is None or shown[1].lower() != host):
                yield Token("text", "", 0, content=f" ({host})")
        else:
            text += token.content


# --- What a post may cost ------------------------------------------------------------------------

MOST_LINES = 1_000  # a text of 20,000 characters with more of them is no prose,
MOST_MARKS = 5_000  # nor is one of which each fourth character may begin or end something
MOST_CELLS = 5_000  # of its tables: a short line may ask for thousands of empty ones
_MARKS = re.compile(r"[]*_~`[!<&\\]")
_DEEPEST = 12  # quotes and lists within each other, two to a list


def _parser(**limits: int) -> MarkdownIt:
    made = MarkdownIt("commonmark", {"html": False, **limits}).enable(["table", "strikethrough"])
    made.core.ruler.push("show_hosts", _show_hosts)
    return made


_markdown = _parser()
_of_posts = _parser(maxNesting=_DEEPEST).disable("image")


@lru_cache(maxsize=256)
def render(source: str) -> SafeString:
    """An organizer's Markdown as clean HTML."""
    return _clean(_markdown.render(source))


def preview_post(source: str) -> SafeString:
    """Anybody's Markdown as clean HTML; what would take too long stands as it was typed."""
    lines = source.split("\n")
    cells = len(lines) * max(line.count("|") for line in lines)
    if len(lines) > MOST_LINES or cells > MOST_CELLS or len(_MARKS.findall(source)) > MOST_MARKS:
        return format_html("<pre>{}</pre>", source)
    return _clean(_of_posts.render(source))


render_post = lru_cache(maxsize=512)(preview_post)
"""The same, kept; nothing is kept of what nobody has sent yet."""

LEAD = 60  # characters after which the next block of a text is folded


@lru_cache(maxsize=256)
def folded(source: str) -> tuple[SafeString, SafeString]:
    """An organizer's Markdown as clean HTML in two parts: the first paragraphs, and the rest."""
    blocks = _markdown.parse(source.replace("\f", " "))
    length = 0
    for place, block in enumerate(blocks):
        begins = block.level == 0 and block.nesting >= 0
        if begins and length >= LEAD and blocks[place - 1].type != "heading_close":
            break
        length += len(block.content)
    else:
        return render(source), SafeString()
    halves = (
        _markdown.renderer.render(half, _markdown.options, {})
        for half in (blocks[:place], blocks[place:])
    )
    first, _, rest = _clean("\f".join(halves)).partition("\f")
    return mark_safe(first), mark_safe(rest)  # noqa: S308  cleaned as one, and cut between blocks


@lru_cache(maxsize=256)
def plain(source: str) -> str:
    """An organizer's Markdown as the words that are read, in one line."""
    return " ".join(unescape(strip_tags(render(source))).split())


def _clean(dirty: str) -> SafeString:
    """Headings start at the third rank: the page holds the first two."""
    used = sorted({int(rank) for rank in _HEADING.findall(dirty)})
    # The highest rank used becomes the third, whatever somebody began with.
    ranks = {str(rank): str(min(3 + place, 4)) for place, rank in enumerate(used)}
    dirty = _HEADING_TAG.sub(lambda tag: f"{tag[1]}{ranks[tag[2]]}>", dirty)
    clean = nh3.clean(
        dirty,
        tags=ALLOWED_TAGS,
        attributes={"a": {"href"}, "ol": {"start"}},
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener nofollow",
    )
    for bare, boxed in _BOXED:
        clean = clean.replace(bare, boxed)
    return mark_safe(clean)  # noqa: S308  cleaned by nh3's allow-list right above
