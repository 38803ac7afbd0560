"""The project: settings, addresses, and the worker. `app` is here so that `shared_task` finds it."""

from rite_app.celery import app

__all__ = ["app"]
