"""Settings, read top to bottom. The environment says only what differs between deployments: see the table in README.md."""

import os
from datetime import timedelta
from pathlib import Path

from csp.constants import NONE, SELF

from rite_app import environment

ROOT = Path(__file__).resolve().parent.parent
VAR = environment.folder(os.environ, "RITE_VAR", ROOT / "var")

DEBUG = environment.flag(os.environ, "DEBUG")
HTTPS = environment.flag(os.environ, "HTTPS")
PROXY_COUNT = environment.count(os.environ, "PROXY_COUNT")
SECRET_KEY = environment.secret_key(os.environ, "SECRET_KEY", VAR)
ALLOWED_HOSTS = environment.hosts(os.environ, "ALLOWED_HOSTS")
CSRF_TRUSTED_ORIGINS = environment.origins(os.environ, "CSRF_TRUSTED_ORIGINS")

INSTALLED_APPS = [
    "rite_app.apps.RiteAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "django_htmx",
    "django_filters",
    "rest_framework",
    "drf_spectacular",
    "axes",
    "csp",
    "benchmark",
    "annotation",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.gzip.GZipMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "axes.middleware.AxesMiddleware",
]

DEMO_LOADERS = ["benchmark.actions.demo.load", "annotation.actions.demo.load"]

ROOT_URLCONF = "rite_app.urls"
WSGI_APPLICATION = "rite_app.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [ROOT / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    }
]

DATABASES = {"default": environment.database(os.environ, "DATABASE_URL", VAR)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = False

AUTH_USER_MODEL = "benchmark.Account"
AUTHENTICATION_BACKENDS = ["axes.backends.AxesStandaloneBackend", "annotation.backends.EffectiveRoleBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
LOGIN_URL = "/accounts/login/"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "/accounts/login/"

# Lock-out is per account and address together, so that one person's slips never lock a whole lab. Addresses are kept
# only while an attempt counts: no access log, and a task forgets old attempts.
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_FAILURE_LIMIT = 8
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_RESET_ON_SUCCESS = True
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_DISABLE_ACCESS_LOG = True
AXES_ENABLE_ADMIN = False
AXES_CLIENT_IP_CALLABLE = "rite_app.proxies.client_address"
AXES_LOCKOUT_TEMPLATE = "benchmark/locked_out.html"

SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if PROXY_COUNT else None
SECURE_REFERRER_POLICY = "same-origin"
SECURE_REDIRECT_EXEMPT = [r"^health\.json$"]
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "img-src": [SELF, "data:"],
        "object-src": [NONE],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    }
}

STATIC_URL = "static/"
STATIC_ROOT = environment.made(VAR / "static")
STATICFILES_DIRS = [ROOT / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if DEBUG
        else "whitenoise.storage.CompressedManifestStaticFilesStorage"
    },
}
WHITENOISE_USE_FINDERS = WHITENOISE_AUTOREFRESH = DEBUG
MEDIA_ROOT = VAR / "uploads"
FILE_UPLOAD_HANDLERS = ["django.core.files.uploadhandler.TemporaryFileUploadHandler"]
FILE_UPLOAD_TEMP_DIR = environment.made(VAR / "uploads" / "incoming")
FILE_UPLOAD_PERMISSIONS = 0o600
DATA_UPLOAD_MAX_MEMORY_SIZE = 5_000_000

CELERY_BROKER_URL = environment.broker(os.environ, "CELERY_BROKER_URL")
CELERY_BROKER_TRANSPORT_OPTIONS = environment.queue_options(CELERY_BROKER_URL, VAR)
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_WORKER_POOL = "threads"
CELERY_WORKER_CONCURRENCY = 8
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TASK_IGNORE_RESULT = True
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TIMEZONE = TIME_ZONE
CELERY_BEAT_SCHEDULE_FILENAME = str(VAR / "beat-schedule")
CELERY_BEAT_SCHEDULE = {
    "sweep-imports": {"task": "benchmark.tasks.sweep_imports", "schedule": 30.0},
    "forget-sign-in-attempts": {"task": "benchmark.tasks.forget_sign_in_attempts", "schedule": 60.0},
    "forget-old-sessions": {"task": "benchmark.tasks.forget_old_sessions", "schedule": 3600.0},
}

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "benchmark.api.authentication.PersonalToken",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["benchmark.api.permissions.HasRight"],
    "DEFAULT_PARSER_CLASSES": ["benchmark.api.json_text.JsonParser"],
    "DEFAULT_RENDERER_CLASSES": ["benchmark.api.json_text.JsonRenderer"],
    "DEFAULT_PAGINATION_CLASS": "benchmark.api.paging.Keyset",
    "DEFAULT_SCHEMA_CLASS": "benchmark.api.schema.ApiSchema",
    "DEFAULT_THROTTLE_CLASSES": ["rest_framework.throttling.UserRateThrottle"],
    "DEFAULT_THROTTLE_RATES": {"user": "600/min"},
    "DEFAULT_METADATA_CLASS": None,
    "EXCEPTION_HANDLER": "benchmark.api.errors.answer",
    "URL_FORMAT_OVERRIDE": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "RITE",
    "DESCRIPTION": "What this account may call. A personal token says who calls: `Authorization: Bearer …`.",
    "VERSION": "1",
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "SERVE_PUBLIC": False,
    "SERVE_PERMISSIONS": ["benchmark.api.permissions.HasRight"],
    "SERVE_INCLUDE_SCHEMA": False,
    "COMPONENT_SPLIT_REQUEST": True,
    "POSTPROCESSING_HOOKS": ["benchmark.api.schema.inline_words"],
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"mask": {"()": "rite_app.logs.MaskLinks"}},
    "formatters": {"line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["mask"]}},
    "root": {"handlers": ["console"], "level": "INFO"},
    # axes writes addresses into its messages; they may not be kept beyond the lock-out window.
    "loggers": {"axes": {"level": "CRITICAL"}, "django": {"handlers": [], "propagate": True}},
}
