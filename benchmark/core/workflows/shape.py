"""A workflow file against its published JSON Schema, every error in words."""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path as FilePath
from typing import Any

from jsonschema import Draft202012Validator, SchemaError, ValidationError

from benchmark.core.strict_yaml import Path

SCHEMA_FILE = FilePath(__file__).parent / "schemas" / "rite.workflow.1.json"

_TYPES = {
    "array": "a list",
    "boolean": "true or false",
    "integer": "a whole number",
    "object": "keys and values",
    "string": "text",
}


@cache
def schema() -> dict[str, Any]:
    """The published JSON Schema (draft 2020-12) of `rite.workflow/1`."""
    loaded: dict[str, Any] = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))
    return loaded


def problems(data: Any) -> Iterator[tuple[Path, str]]:
    """What in a file's value is not as the schema says: the path (list places from 1) and a sentence what to do."""
    errors = sorted(_validator().iter_errors(data), key=lambda error: [str(part) for part in error.absolute_path])
    seen = set()
    for error in errors:
        for path, text in _told(error):
            if (path, text) not in seen:
                seen.add((path, text))
                yield path, text
    if not errors:
        yield from _bad_inputs(data["inputs"])


def shown(value: object) -> str:
    """Name a wrong value in a sentence, shortened."""
    if isinstance(value, dict):
        return "keys and values"
    if isinstance(value, list):
        return "a list"
    words = value if isinstance(value, str) else json.dumps(value)
    return f"“{words[:40]}…”" if len(words) > 40 else f"“{words}”" if words else "nothing"


@cache
def _validator() -> Draft202012Validator:
    return Draft202012Validator(schema())


def _told(error: ValidationError) -> Iterator[tuple[Path, str]]:
    path = tuple(part + 1 if isinstance(part, int) else str(part) for part in error.absolute_path)
    asked: Any = error.validator_value
    found: Any = error.instance
    match error.validator:
        case "required":
            missing = [key for key in asked if key not in found]
            yield from ((path, f"Add the key {key}; it is missing.") for key in missing)
        case "additionalProperties":
            known = error.schema["properties"] if isinstance(error.schema, dict) else {}
            text = f"Take this key out or mend its name; the known keys are {', '.join(known)}."
            yield from (((*path, key), text) for key in found if key not in known)
        case _:
            yield path, f"Write {_wanted(error)}, not {shown(error.instance)}."


def _wanted(error: ValidationError) -> str:
    asked: Any = error.validator_value
    if error.validator in ("const", "enum"):
        choices = asked if error.validator == "enum" else [asked]
        return " or ".join(one if isinstance(one, str) else json.dumps(one) for one in choices)
    if error.validator == "uniqueItems":
        return "each of them once"
    described = error.schema.get("description", "") if isinstance(error.schema, dict) else ""
    return described or _TYPES.get(str(asked), "what the schema says")


def _bad_inputs(inputs: dict[str, Any]) -> Iterator[tuple[Path, str]]:
    try:
        Draft202012Validator.check_schema(inputs)
    except SchemaError as error:
        path = tuple(part + 1 if isinstance(part, int) else str(part) for part in error.absolute_path)
        yield ("inputs", *path), f"This is not JSON Schema (draft 2020-12): {error.message[:200]}."
        return
    for place, name in enumerate(inputs["required"], 1):
        if name not in inputs["properties"]:
            yield ("inputs", "required", place), f"There is no input {shown(name)} under properties."
