"""A submitted blind label never changes: whatever tries, by whatever road, both databases refuse it themselves."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from django.core.checks import run_checks
from django.core.management import call_command
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.test import Client

from annotation.actions import labelling
from annotation.locks import TABLE, create_locks, drop_locks, missing_locks
from annotation.models import Assignment, BlindLabel, LabelVoid, Study

pytestmark = pytest.mark.django_db


@pytest.fixture
def label(make_study: Callable[..., Study]) -> BlindLabel:
    """A locked label: Result yes, Noticed no."""
    place = Assignment.objects.filter(item__study=make_study()).first()
    return labelling.submit_blind(assignment=place, result=True, noticed=False, evidence={"result": ["R3"]})


@contextmanager
def refused(label: BlindLabel) -> Iterator[None]:
    """What is tried inside raises, and the label stays what it was in every column."""
    before = BlindLabel.objects.values().get(pk=label.pk)
    with pytest.raises(DatabaseError), transaction.atomic():
        yield
    assert BlindLabel.objects.values().get(pk=label.pk) == before
    assert BlindLabel.objects.count() == 1


def execute(sql: str, *values: object) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)


def test_saving_a_changed_label_is_refused(label: BlindLabel) -> None:
    label.result = False
    with refused(label):
        label.save()


def test_saving_an_unchanged_label_is_refused_too(label: BlindLabel) -> None:
    with refused(label):
        label.save()


def test_a_queryset_update_is_refused(label: BlindLabel) -> None:
    with refused(label):
        BlindLabel.objects.update(noticed=True)


def test_a_bulk_update_is_refused(label: BlindLabel) -> None:
    label.noticed = True
    with refused(label):
        BlindLabel.objects.bulk_update([label], ["noticed"])


def test_an_upsert_is_refused(label: BlindLabel) -> None:
    twin = BlindLabel(assignment_id=label.assignment_id, result=False, first_shown=label.first_shown)
    with refused(label):
        BlindLabel.objects.bulk_create(
            [twin], update_conflicts=True, unique_fields=["assignment"], update_fields=["result"]
        )


def test_a_second_label_of_the_same_place_is_refused(label: BlindLabel) -> None:
    label.pk, label._state.adding = None, True
    with pytest.raises(IntegrityError), transaction.atomic():
        label.save(force_insert=True)
    assert BlindLabel.objects.get().result is True


def test_deleting_a_label_is_refused(label: BlindLabel) -> None:
    with refused(label):
        label.delete()


def test_deleting_by_queryset_is_refused(label: BlindLabel) -> None:
    with refused(label):
        BlindLabel.objects.all().delete()


def test_raw_update_is_refused(label: BlindLabel) -> None:
    with refused(label):
        execute(f"UPDATE {TABLE} SET evidence = '{{}}' WHERE id = %s", label.pk)


def test_raw_delete_is_refused(label: BlindLabel) -> None:
    with refused(label):
        execute(f"DELETE FROM {TABLE}")


@pytest.mark.sqlite
@pytest.mark.parametrize(
    "verb", ["INSERT OR REPLACE", "REPLACE", "INSERT OR IGNORE", "INSERT OR FAIL", "INSERT OR ABORT"]
)
@pytest.mark.parametrize("column", ["id", "assignment_id"])
def test_insert_over_a_label_is_refused_by_sqlite(label: BlindLabel, verb: str, column: str) -> None:
    other = {"id": label.pk + 1000, "assignment_id": label.assignment_id} if column == "assignment_id" else None
    row = other or {"id": label.pk, "assignment_id": Assignment.objects.exclude(pk=label.assignment_id).first().pk}
    with refused(label):
        execute(
            f"{verb} INTO {TABLE} (id, assignment_id, result, noticed, evidence, first_shown, submitted, active_seconds) "
            "VALUES (%s, %s, 0, 0, '{}', '2026-01-01', '2026-01-01', 0)",
            row["id"],
            row["assignment_id"],
        )


@pytest.mark.sqlite
def test_update_or_replace_is_refused_by_sqlite(label: BlindLabel) -> None:
    with refused(label):
        execute(f"UPDATE OR REPLACE {TABLE} SET result = 0")


@pytest.mark.parametrize("path", ["", "{pk}/change/", "{pk}/delete/", "add/"])
def test_the_admin_site_offers_no_way_to_a_label(
    label: BlindLabel, signed_in: Callable[..., Client], path: str
) -> None:
    client = signed_in("admin")
    url = f"/admin/annotation/blindlabel/{path.format(pk=label.pk)}"
    before = BlindLabel.objects.values().get()
    chosen = {"action": "delete_selected", "_selected_action": label.pk}
    client.post(url, {"result": "false", "noticed": "true", "post": "yes", **chosen})
    assert BlindLabel.objects.values().get() == before


def test_voiding_leaves_the_label_as_it_was(label: BlindLabel) -> None:
    before = BlindLabel.objects.values().get()
    LabelVoid.objects.create(label=label, reason="labelled the wrong item", who=label.assignment.item.study.owner)
    assert BlindLabel.objects.values().get() == before


@pytest.mark.parametrize("model", ["study", "seat", "item", "assignment"])
def test_what_a_label_hangs_on_cannot_be_deleted(label: BlindLabel, model: str) -> None:
    place = label.assignment
    rows = {"study": place.item.study, "seat": place.seat, "item": place.item, "assignment": place}
    with pytest.raises(IntegrityError), transaction.atomic():
        rows[model].delete()
    assert BlindLabel.objects.count() == 1


def test_every_lock_stands_after_all_migrations(db: None) -> None:
    assert missing_locks(connection) == []


def test_a_missing_lock_fails_the_system_check(db: None) -> None:
    drop_locks(connection)
    try:
        assert "annotation.E001" in {message.id for message in run_checks(databases=["default"])}
    finally:
        create_locks(connection)
    assert "annotation.E001" not in {message.id for message in run_checks(databases=["default"])}


@pytest.mark.sqlite
@pytest.mark.parametrize("name", ["blindlabel_no_update", "blindlabel_no_delete", "blindlabel_no_replace"])
def test_each_single_lock_is_missed(db: None, name: str) -> None:
    execute(f"DROP TRIGGER {name}")
    try:
        assert missing_locks(connection) == [name]
    finally:
        create_locks(connection)


@pytest.mark.services("postgresql")
def test_a_disabled_lock_is_a_missing_one_on_postgresql(db: None) -> None:
    execute(f"ALTER TABLE {TABLE} DISABLE TRIGGER blindlabel_locked")
    assert missing_locks(connection) == ["blindlabel_locked"]


def test_no_migration_is_missing(db: None) -> None:
    call_command("makemigrations", "annotation", check=True, dry_run=True, verbosity=0)
