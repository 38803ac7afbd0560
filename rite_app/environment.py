"""Reads the environment. Every function raises ImproperlyConfigured with a sentence that says what to write instead."""

import contextlib
import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import dj_database_url
from django.core.exceptions import ImproperlyConfigured

SQLITE_WAITS_SECONDS = 20
SQLITE_KEPT_SECONDS = 600
POOL_SIZE = 16
SHORTEST_SECRET = 32
BROKERS = {"redis", "rediss", "amqp", "amqps", "filesystem"}
FLAGS = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}


def flag(environ: Mapping[str, str], name: str) -> bool:
    """A yes or no; no where it is not set."""
    value = environ.get(name, "0").strip().lower()
    if value not in FLAGS:
        raise ImproperlyConfigured(f"{name} is {value!r}. Write 1 or 0.")
    return FLAGS[value]


def count(environ: Mapping[str, str], name: str) -> int:
    """A whole number from 0; 0 where it is not set."""
    value = environ.get(name, "0").strip()
    if not (value.isascii() and value.isdigit()):
        raise ImproperlyConfigured(f"{name} is {value!r}. Write a whole number from 0.")
    return int(value)


def hosts(environ: Mapping[str, str], name: str) -> list[str]:
    """Host names, separated by commas; this machine only where it is not set."""
    found = _words(environ.get(name, "localhost,127.0.0.1,[::1]"))
    for host in found:
        if "/" in host or " " in host:
            raise ImproperlyConfigured(f"{name} has {host!r}. Write host names only, like rite.example.org, no scheme.")
    return found


def origins(environ: Mapping[str, str], name: str) -> list[str]:
    """Addresses with their scheme, separated by commas; none where it is not set."""
    found = _words(environ.get(name, ""))
    for origin in found:
        if urlsplit(origin).scheme not in {"http", "https"}:
            raise ImproperlyConfigured(f"{name} has {origin!r}. Write the whole origin, like https://rite.example.org.")
    return found


def folder(environ: Mapping[str, str], name: str, default: Path) -> Path:
    """A folder that exists afterwards; where it has to be made, only this user can read it."""
    path = Path(environ.get(name) or default).resolve()
    try:
        return made(path)
    except OSError as problem:
        raise ImproperlyConfigured(f"{name}: cannot make the folder {path} ({problem.strerror}).") from problem


def made(path: Path) -> Path:
    """The same folder, made if it was not there."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path


def secret_key(environ: Mapping[str, str], name: str, var: Path) -> str:
    """The key that signs sessions: from the environment, else a random one written once to var/secret-key."""
    if name not in environ:
        return _kept_secret(var / "secret-key")
    if len(environ[name]) < SHORTEST_SECRET:
        raise ImproperlyConfigured(
            f"{name} is shorter than {SHORTEST_SECRET} characters. Make one with: openssl rand -base64 48"
        )
    return environ[name]


def database(environ: Mapping[str, str], name: str, var: Path) -> dict[str, Any]:
    """Django's settings of one database: SQLite in `var` where no URL is set, else SQLite or PostgreSQL by URL."""
    url = environ.get(name) or f"sqlite:///{var / 'rite.sqlite3'}"
    scheme = url.partition("://")[0]
    if scheme == "sqlite":
        # A connection opened anew reads the schema and fills its cache again: 4 ms of every request.
        return {**_parsed(url, name), "CONN_MAX_AGE": SQLITE_KEPT_SECONDS, "OPTIONS": _sqlite_options()}
    if scheme in {"postgres", "postgresql"}:
        parsed = _parsed(url, name)
        pool = {"min_size": 1, "max_size": POOL_SIZE, "timeout": 10}
        return {**parsed, "OPTIONS": {**parsed.get("OPTIONS", {}), "pool": pool}}
    raise ImproperlyConfigured(
        f"{name} starts with {scheme!r}. Write postgres://user:password@host:5432/name or sqlite:////path."
    )


def broker(environ: Mapping[str, str], name: str) -> str:
    """Where jobs queue: folders under `var` where no URL is set."""
    url = environ.get(name) or "filesystem://"
    scheme = url.partition("://")[0]
    if scheme not in BROKERS:
        raise ImproperlyConfigured(
            f"{name} starts with {scheme!r}. Write redis://host:6379/0 or amqp://user:password@host//."
        )
    return url


def queue_options(url: str, var: Path) -> dict[str, Any]:
    """What the broker's transport is told. The embedded one's folders exist afterwards; what goes out comes in again."""
    if url.startswith("redis"):
        return {"socket_connect_timeout": 5}
    if not url.startswith("filesystem:"):
        return {}
    jobs = str(made(var / "queue"))
    return {
        "data_folder_in": jobs,
        "data_folder_out": jobs,
        "control_folder": str(made(var / "queue" / "control")),
        "store_processed": False,
        "polling_interval": 0.2,
    }


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _parsed(url: str, name: str) -> dict[str, Any]:
    try:
        parsed: dict[str, Any] = dict(dj_database_url.parse(url))
    except ValueError as problem:
        raise ImproperlyConfigured(f"{name} cannot be read: {problem}") from problem
    if not parsed["NAME"]:
        raise ImproperlyConfigured(f"{name} names no database. Write postgres://user:password@host:5432/name.")
    return parsed


def _sqlite_options() -> dict[str, Any]:
    # IMMEDIATE: a transaction that reads first and writes later would otherwise fail at once, without waiting its turn.
    return {
        "transaction_mode": "IMMEDIATE",
        "timeout": SQLITE_WAITS_SECONDS,
        "init_command": "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;",
    }


def _kept_secret(path: Path) -> str:
    if not path.exists():
        # Written aside and linked: of two processes that start at once neither sees the other's half-written key.
        aside = path.with_name(f"{path.name}.{os.getpid()}")
        with os.fdopen(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write(secrets.token_urlsafe(48))
        with contextlib.suppress(FileExistsError):
            os.link(aside, path)
        aside.unlink()
    if key := path.read_text().strip():
        return key
    raise ImproperlyConfigured(f"{path.name} is empty. Delete {path}; a new one is made, and everybody signs in again.")
