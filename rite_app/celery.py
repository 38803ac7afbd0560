"""The worker. Start one with `celery -A rite_app worker`, and one `celery -A rite_app beat` a deployment."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "rite_app.settings")

app = Celery("rite_app", include=["rite_app.heartbeat"])
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
