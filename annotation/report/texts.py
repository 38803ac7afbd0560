"""Markdown of guidelines and consent texts as safe HTML."""

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

_ALLOWED_TAGS = {
    *("h1", "h2", "h3", "h4", "p", "br", "hr", "ul", "ol", "li", "blockquote", "pre", "code"),
    *("em", "strong", "s", "a", "table", "thead", "tbody", "tr", "th", "td"),
}
_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


def html_of(markdown: str) -> SafeString:
    """Render a researcher's Markdown; raw HTML in it comes out as text, and only plain text tags and links remain."""
    cleaned = nh3.clean(
        _MARKDOWN.render(markdown), tags=_ALLOWED_TAGS, attributes={"a": {"href"}}, url_schemes={"http", "https"}
    )
    return mark_safe(cleaned)
