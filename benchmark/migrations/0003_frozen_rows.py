"""Freeze what a release rests on in the database itself."""

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

from benchmark.models.frozen import freeze, thaw


def set_triggers(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Create the triggers."""
    freeze(schema_editor.connection)


def lift_triggers(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Lift them."""
    thaw(schema_editor.connection)


class Migration(migrations.Migration):
    """Ends with the triggers; so must every later migration that touches one of the tables."""

    dependencies = [("benchmark", "0002_benchmark_release")]

    operations = [migrations.RunPython(set_triggers, lift_triggers)]
