"""Studies and what hangs on them, for admins, read only. Drafts and comments belong to their writers and are not here."""

from django.contrib import admin

from annotation.models import (
    Assignment,
    BlindLabel,
    ConsentText,
    Guidelines,
    Item,
    LabelVoid,
    Review,
    Seat,
    Study,
    StudyEvent,
)
from benchmark.admin import ReadOnly


@admin.register(Study)
class StudyAdmin(ReadOnly):
    """Studies."""

    list_display = ["pk", "name", "status", "archived", "owner", "started_at", "closed_at"]
    list_select_related = ["owner"]
    list_filter = ["status", "archived"]


@admin.register(Seat)
class SeatAdmin(ReadOnly):
    """Seats."""

    list_display = ["study_id", "name", "account", "left_at"]
    list_select_related = ["account"]


@admin.register(Item)
class ItemAdmin(ReadOnly):
    """Frozen items."""

    list_display = ["study_id", "public_id", "rollout_id", "model", "condition", "auto_result", "auto_noticed"]


@admin.register(Assignment)
class AssignmentAdmin(ReadOnly):
    """Who holds what."""

    list_display = ["public_id", "item_id", "seat_id", "order", "first_shown", "review_opened_at", "released_at"]


@admin.register(BlindLabel)
class BlindLabelAdmin(ReadOnly):
    """Locked labels. The databases refuse a change too."""

    list_display = ["pk", "assignment_id", "result", "noticed", "submitted", "active_seconds"]


@admin.register(LabelVoid)
class LabelVoidAdmin(ReadOnly):
    """Voids with their reasons."""

    list_display = ["label_id", "reason", "at"]


@admin.register(Review)
class ReviewAdmin(ReadOnly):
    """Every version of every review."""

    list_display = ["pk", "assignment_id", "version", "result", "noticed", "submitted"]


@admin.register(StudyEvent)
class StudyEventAdmin(ReadOnly):
    """What happened."""

    list_display = ["study_id", "verb", "reason", "at"]


@admin.register(Guidelines, ConsentText)
class StudyTextAdmin(ReadOnly):
    """Versions of texts."""

    list_display = ["study_id", "version", "lang", "at"]
