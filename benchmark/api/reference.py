"""The OpenAPI document as a page needs it: what one may call, what to send, what comes back. No schema language."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

DEEPEST = 5
METHODS = ("get", "post", "put")
Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Field:
    """One member of a body or one parameter. `name` is a path (`case.prefix[].number`), `kind` in words."""

    name: str
    kind: str
    is_required: bool
    words: str


@dataclass(frozen=True, slots=True)
class Answer:
    """One kind of answer; `problems` are the names of those it may be."""

    status: str
    media_types: str
    words: str
    fields: tuple[Field, ...]
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Operation:
    """One method of one address."""

    id: str
    method: str
    path: str
    words: str
    parameters: tuple[Field, ...]
    body_type: str
    body: tuple[Field, ...]
    answers: tuple[Answer, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """Operations on one kind of thing."""

    name: str
    operations: tuple[Operation, ...]


def groups(document: Document) -> list[Group]:
    """Every operation of the document, by the first word of its path."""
    found: dict[str, list[Operation]] = {}
    for path, methods in document["paths"].items():
        for method in METHODS:
            if method in methods:
                operation = methods[method]
                found.setdefault(operation["tags"][0], []).append(_operation(document, path, method, operation))
    return [Group(name, tuple(operations)) for name, operations in found.items()]


def problems(document: Document) -> dict[str, dict[str, Any]]:
    """The named problems that any operation may answer with, by name: type, title, status."""
    found: dict[str, dict[str, Any]] = {}
    for methods in document["paths"].values():
        for operation in methods.values():
            for answer in operation["responses"].values():
                for content in answer.get("content", {}).values():
                    found |= _named(content)
    return dict(sorted(found.items()))


def _operation(document: Document, path: str, method: str, operation: Mapping[str, Any]) -> Operation:
    body_type, body = "", tuple[Field, ...]()
    for media_type, content in operation.get("requestBody", {}).get("content", {}).items():
        body_type, body = media_type, tuple(_fields(document, content["schema"], ""))
    return Operation(
        operation["operationId"],
        method.upper(),
        path,
        operation.get("description", ""),
        tuple(_parameter(document, one) for one in operation.get("parameters", [])),
        body_type,
        body,
        tuple(
            _answer(document, status, answer)
            for status, answer in operation["responses"].items()
            if status != "default"
        ),
    )


def _parameter(document: Document, parameter: Mapping[str, Any]) -> Field:
    words = parameter.get("description", "")
    where = {"path": "in the path", "header": "header"}.get(parameter["in"], "")
    kind = _kind(document, parameter["schema"])
    return Field(parameter["name"], ", ".join(filter(None, (kind, where))), parameter.get("required", False), words)


def _answer(document: Document, status: str, answer: Mapping[str, Any]) -> Answer:
    content = answer.get("content", {})
    named = tuple(name for one in content.values() for name in _named(one))
    schemas = [one["schema"] for one in content.values()] if not named else []
    fields = tuple(_fields(document, schemas[0], "")) if schemas else ()
    return Answer(status, ", ".join(content), answer.get("description", ""), fields, named)


def _named(content: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The named problems among a media type's examples."""
    examples = [one["value"] for one in content.get("examples", {}).values()]
    return {value["type"].partition("#")[2]: value for value in examples}


def _fields(document: Document, schema: Mapping[str, Any], prefix: str, depth: int = 0) -> Iterator[Field]:
    schema = _resolved(document, schema)
    if schema.get("type") == "array":
        yield from _fields(document, schema["items"], f"{prefix}[]", depth)
        return
    required = schema.get("required", ())
    for name, member in schema.get("properties", {}).items():
        path = f"{prefix}.{name}" if prefix else name
        yield Field(path, _kind(document, member), name in required, _words(document, member))
        if depth < DEEPEST:
            yield from _fields(document, member, path, depth + 1)


def _resolved(document: Document, schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """The schema behind references and wrappers; the first of several."""
    while True:
        if "$ref" in schema:
            schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        elif inner := schema.get("allOf") or schema.get("oneOf"):
            schema = inner[0]
        else:
            return schema


def _words(document: Document, schema: Mapping[str, Any]) -> str:
    return str(schema.get("description") or _resolved(document, schema).get("description", ""))


def _kind(document: Document, schema: Mapping[str, Any]) -> str:
    found = _resolved(document, schema)
    if "enum" in found:
        kind = " | ".join(str(value) for value in found["enum"] if value not in ("", None))
    elif found.get("type") == "array":
        kind = f"list of {_kind(document, found['items'])}"
    else:
        kind = str(found.get("format") or found.get("type") or "any JSON")
    return f"{kind} or null" if schema.get("nullable") else kind
