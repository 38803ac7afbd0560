"""The annotation app."""

from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    """Studies, blind labels, reviews, agreement."""

    name = "annotation"

    def ready(self) -> None:
        """Register the system check that fails when a label lock is missing."""
        from annotation import checks  # noqa: F401
