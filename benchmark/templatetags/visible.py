"""Words that people typed or programs wrote, with what a reader cannot see made visible."""

from django import template

from benchmark.core.text import shown

register = template.Library()


@register.filter
def visible(words: object) -> str:
    """Show control characters, zero-width and direction marks as signs; the template still escapes the text."""
    return shown(str(words))
