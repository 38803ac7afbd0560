"""Rows as they are stored, for admins, read only: changes are made on the pages and by commands, which keep the rules."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.models import Group
from django.http import HttpRequest

from benchmark.models import Account, AgentModel, ImportBatch, Judgment, Rollout, Unit, WorkerBeat
from benchmark.permissions import Right

# Rights come from the account's one role; groups mean nothing here.
admin.site.unregister(Group)


class ReadOnly(admin.ModelAdmin):
    """A list and a page for each row, nothing to add, change or delete."""

    actions = None
    show_full_result_count = False

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Admins, as long as they have nothing open to label."""
        return request.user.has_perm(Right.ADMINISTER.permission)

    def has_module_permission(self, request: HttpRequest) -> bool:
        """As for a row."""
        return self.has_view_permission(request)

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Never."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Never."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Never."""
        return False


@admin.register(Account)
class AccountAdmin(ReadOnly):
    """Accounts without their password hashes."""

    list_display = ["username", "name", "role", "is_active", "joined", "erased_at"]
    list_filter = ["role", "is_active"]
    search_fields = ["username", "name"]
    fields = ["username", "name", "role", "is_active", "joined", "last_login", "erased_at"]


@admin.register(ImportBatch)
class ImportBatchAdmin(ReadOnly):
    """Imports."""

    list_display = ["pk", "file_name", "format", "status", "read", "known", "skipped", "licence", "created"]
    list_filter = ["status", "format"]


@admin.register(Rollout)
class RolloutAdmin(ReadOnly):
    """Rollouts; the list leaves the long columns in the database."""

    list_display = ["pk", "record_id", "model", "condition", "end", "noticed", "state", "excluded"]
    list_select_related = ["model"]
    list_filter = ["origin", "condition", "end"]

    def get_queryset(self, request: HttpRequest) -> Any:
        """The list asks for no bodies; a single row brings them when it is opened."""
        return Rollout.objects.without_bodies().order_by("-pk")


@admin.register(Judgment)
class JudgmentAdmin(ReadOnly):
    """Judgments, newest successful ones count."""

    list_display = ["pk", "rollout_id", "judge", "label", "created"]
    list_filter = ["label"]


@admin.register(AgentModel, Unit, WorkerBeat)
class PlainAdmin(ReadOnly):
    """What its name says."""
