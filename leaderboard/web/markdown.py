"""Organizers' Markdown as HTML that cannot carry a script, a style or a picture from elsewhere."""

import re
from functools import lru_cache

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

ALLOWED_TAGS = {
    *("h3", "h4", "p", "br", "hr", "blockquote", "pre", "code", "em", "strong", "s"),
    *("ul", "ol", "li", "a", "table", "thead", "tbody", "tr", "th", "td"),
}

# Markdown cannot make these tags from text: html is off, so what stands there is escaped.
_HEADING = re.compile(r"<h([1-6])>")
_HEADING_TAG = re.compile(r"(</?h)([1-6])>")
_markdown = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


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
