"""Organizers' Markdown as HTML that cannot carry a script, a style or a picture from elsewhere."""

from functools import lru_cache

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

ALLOWED_TAGS = {
    *("h3", "h4", "p", "br", "hr", "blockquote", "pre", "code", "em", "strong", "s"),
    *("ul", "ol", "li", "a", "table", "thead", "tbody", "tr", "th", "td"),
}

_markdown = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


@lru_cache(maxsize=256)
def render(source: str) -> SafeString:
    """Markdown to clean HTML. Headings start at the third rank: the page holds the first two."""
    dirty = _markdown.render(source)
    for rank, lower in ((3, 4), (2, 3), (1, 3)):
        dirty = dirty.replace(f"<h{rank}>", f"<h{lower}>").replace(f"</h{rank}>", f"</h{lower}>")
    clean = nh3.clean(
        dirty,
        tags=ALLOWED_TAGS,
        attributes={"a": {"href"}, "ol": {"start"}},
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener nofollow",
    )
    return mark_safe(clean)  # noqa: S308  cleaned by nh3's allow-list right above
