"""Backups: one file with the database, the uploads, and a manifest by which both are checked before anything is put back."""

import hashlib
import json
import os
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Any

from django.conf import settings
from django.db import DatabaseError, connection
from django.utils import timezone

from benchmark.actions import database_copy, schema

FORMAT = "rite.backup/1"
MANIFEST = "manifest.json"
UPLOADS = "uploads"
BLOCK = 1 << 20


class BackupRefused(Exception):
    """Nothing was written or put back; the message says why and what to do."""


@dataclass(frozen=True)
class Receipt:
    """What a backup holds, for the person who made or restored it. `older_schema`: `migrate` must follow a restore."""

    database: str
    made: str
    files: int
    bytes: int
    older_schema: bool


def make(target: Path) -> Receipt:
    """Write a backup while others work. Raises BackupRefused if the file exists or the database cannot be copied."""
    if target.exists():
        raise BackupRefused(f"{target} exists already. Choose another name; a backup is never overwritten.")
    part = target.with_name(f"{target.name}.part")
    try:
        with open(part, "wb", opener=_private) as file:
            receipt = _write(file)
        os.replace(part, target)
    except database_copy.CopyFailed as problem:
        raise BackupRefused(str(problem)) from problem
    finally:
        part.unlink(missing_ok=True)
    return receipt


def restore(source: Path, *, replace: bool) -> Receipt:
    """Check a backup to the last byte, then put it back. Raises BackupRefused, nothing changed.

    A database that holds data is replaced only if `replace` says so.
    """
    try:
        with zipfile.ZipFile(source) as archive:
            manifest = _checked_manifest(archive)
            if not replace:
                _require_empty()
            _put_back(archive, manifest)
    except (zipfile.BadZipFile, OSError) as problem:
        raise BackupRefused(f"{source} cannot be read as a backup: {problem}") from problem
    except (database_copy.CopyFailed, schema.NewerSchema) as problem:
        raise BackupRefused(str(problem)) from problem
    return _receipt(manifest)


def _require_empty() -> None:
    try:
        full = database_copy.holds_data()
    except DatabaseError as problem:
        raise BackupRefused(f"The database cannot be read ({problem}). To replace it, add --replace.") from problem
    if full:
        raise BackupRefused("The database holds data. Restoring replaces all of it: say so with --replace.")


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _write(file: IO[bytes]) -> Receipt:
    """Uploads, database, uploads that came meanwhile: so each upload that a row of the copy names is in the backup."""
    digests: dict[str, dict[str, Any]] = {}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        _add_uploads(archive, digests)
        with tempfile.TemporaryDirectory(dir=settings.VAR) as scratch:
            copy = Path(scratch) / database_copy.file_name()
            database_copy.write_copy(copy)
            _add(archive, copy, copy.name, digests)
        _add_uploads(archive, digests)
        manifest = {
            "format": FORMAT,
            "made": timezone.now().isoformat(timespec="seconds"),
            "database": connection.vendor,
            "migrations": schema.applied_migrations(),
            "files": digests,
        }
        archive.writestr(MANIFEST, json.dumps(manifest, indent=1))
    return _receipt(manifest)


def _add_uploads(archive: zipfile.ZipFile, digests: dict[str, dict[str, Any]]) -> None:
    for path in _uploads():
        name = str(PurePosixPath(UPLOADS, path.relative_to(settings.MEDIA_ROOT).as_posix()))
        if name not in digests:
            try:
                _add(archive, path, name, digests)
            except FileNotFoundError:
                continue  # removed since it was listed: the import that it belonged to has ended


def _uploads() -> Iterator[Path]:
    arriving = Path(settings.FILE_UPLOAD_TEMP_DIR)
    for path in sorted(Path(settings.MEDIA_ROOT).rglob("*")):
        if path.is_file() and arriving not in path.parents:
            yield path


def _add(archive: zipfile.ZipFile, path: Path, name: str, digests: dict[str, dict[str, Any]]) -> None:
    with path.open("rb") as source, archive.open(name, "w", force_zip64=True) as target:
        digests[name] = _copy(source, target)


def _copy(source: IO[bytes], target: IO[bytes] | None) -> dict[str, Any]:
    """Copy if there is a target, and say size and SHA-256 of what went through."""
    digest, size = hashlib.sha256(), 0
    while block := source.read(BLOCK):
        digest.update(block)
        size += len(block)
        if target:
            target.write(block)
    return {"sha256": digest.hexdigest(), "bytes": size}


def _checked_manifest(archive: zipfile.ZipFile) -> dict[str, Any]:
    manifest = _manifest(archive)
    if manifest["database"] != connection.vendor:
        raise BackupRefused(
            f"This is a backup of a {manifest['database']} database, and DATABASE_URL names a {connection.vendor} one. "
            "Restore into the same kind."
        )
    schema.refuse_newer_schema([(app, name) for app, name in manifest["migrations"]])
    present = set(archive.namelist()) - {MANIFEST}
    if different := present ^ set(manifest["files"]):
        raise BackupRefused(f"The backup is damaged: {', '.join(sorted(different)[:3])} is missing or was added.")
    for name, noted in manifest["files"].items():
        if ".." in PurePosixPath(name).parts or name.startswith("/"):
            raise BackupRefused(f"The backup is not ours: it would write to {name}.")
        with archive.open(name) as content:
            if _copy(content, None) != noted:
                raise BackupRefused(f"The backup is damaged: {name} is not what was backed up.")
    return manifest


def _manifest(archive: zipfile.ZipFile) -> dict[str, Any]:
    try:
        manifest: dict[str, Any] = json.loads(archive.read(MANIFEST))
        form = manifest["format"]
    except (KeyError, TypeError, ValueError) as problem:
        raise BackupRefused("This is not a backup made by `manage.py backup`: it has no manifest.") from problem
    if form != FORMAT:
        raise BackupRefused(
            f"This backup has the format {form!r}; this version reads {FORMAT!r}. Use the newer version."
        )
    return manifest


def _put_back(archive: zipfile.ZipFile, manifest: dict[str, Any]) -> None:
    """First add the uploads, then replace the database, then drop other uploads: broken off anywhere, rows find theirs."""
    uploads = Path(settings.MEDIA_ROOT)
    kept = {uploads / name.removeprefix(f"{UPLOADS}/") for name in manifest["files"] if name.startswith(f"{UPLOADS}/")}
    with tempfile.TemporaryDirectory(dir=settings.VAR) as scratch:
        for path in kept:
            _extract(archive, str(PurePosixPath(UPLOADS, path.relative_to(uploads).as_posix())), path, Path(scratch))
        copy = Path(scratch) / database_copy.file_name()
        _extract(archive, copy.name, copy, Path(scratch))
        database_copy.read_copy(copy)
    for path in set(_uploads()) - kept:
        path.unlink()


def _extract(archive: zipfile.ZipFile, name: str, target: Path, scratch: Path) -> None:
    part = scratch / "part"
    with archive.open(name) as source, open(part, "wb", opener=_private) as file:
        _copy(source, file)
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.replace(part, target)


def _receipt(manifest: dict[str, Any]) -> Receipt:
    files = manifest["files"]
    return Receipt(
        database=manifest["database"],
        made=manifest["made"],
        files=len(files),
        bytes=sum(noted["bytes"] for noted in files.values()),
        older_schema=[tuple(pair) for pair in manifest["migrations"]] != schema.known_migrations(),
    )
