"""Lock blind labels in the database itself."""

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

from annotation.locks import create_locks, drop_locks


def lock(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Create the triggers."""
    create_locks(schema_editor.connection)


def unlock(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Lift the triggers."""
    drop_locks(schema_editor.connection)


class Migration(migrations.Migration):
    """Ends with the locks; so must every later migration that touches the table."""

    dependencies = [("annotation", "0001_initial")]

    operations = [migrations.RunPython(lock, unlock)]
