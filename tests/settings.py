"""The real settings, on a scratch folder that goes away with the test run."""

import atexit
import os
import shutil
import tempfile

if "RITE_VAR" not in os.environ:
    os.environ["RITE_VAR"] = tempfile.mkdtemp(prefix="rite-tests-")
    atexit.register(shutil.rmtree, os.environ["RITE_VAR"], ignore_errors=True)

from rite_app.settings import *
from rite_app.settings import DATABASES, STORAGES, VAR

ALLOWED_HOSTS = ["*"]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES = {**STORAGES, "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
# Rates of the API are counted in the cache; a test that asks for a thousand answers in a second is no flood.
CACHES = {"default": {"BACKEND": "django.core.cache.backends.dummy.DummyCache"}}
CELERY_TASK_ALWAYS_EAGER = True
CELERY_TASK_EAGER_PROPAGATES = True

if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # In memory, SQLite would lock whole tables between threads and never use its write-ahead log.
    DATABASES["default"]["TEST"] = {"NAME": str(VAR / "test.sqlite3")}
