"""Foreign text in templates: always escaped, marked where a marker says so."""

from django import template
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString, mark_safe

from benchmark.report.marking import Marker, pieces

register = template.Library()


@register.filter
def marked(shown: str, marker: Marker | str) -> SafeString:
    """The escaped text with its marked places in `<mark>`; without a marker just the escaped text."""
    if not isinstance(marker, Marker):
        return conditional_escape(shown)
    return mark_safe("".join(_piece(kind, words) for kind, words in pieces(shown, marker.spans(shown))))


def _piece(kind: str, words: str) -> SafeString:
    return format_html('<mark class="{}">{}</mark>', kind, words) if kind else conditional_escape(words)
