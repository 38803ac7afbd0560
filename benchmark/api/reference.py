"""The OpenAPI document as a page needs it: what one may call, what to send, what comes back. No schema language."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

METHODS = ("get", "post", "put")
Document = Mapping[str, Any]
Schema = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Words:
    """A sentence in which names stand between backticks."""

    source: str

    @property
    def parts(self) -> list[tuple[bool, str]]:
        """Its pieces in order, each with whether it is a name."""
        return [(bool(number % 2), part) for number, part in enumerate(self.source.split("`")) if part]


@dataclass(frozen=True, slots=True)
class Field:
    """One member of a body or one parameter. `name` is a path (`case.prefix[].number`), `kind` in words."""

    name: str
    kind: str
    is_required: bool
    words: Words


@dataclass(frozen=True, slots=True)
class Answer:
    """One kind of answer; `problems` are the names of those it may be."""

    status: str
    media_types: str
    words: Words
    fields: tuple[Field, ...]
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Operation:
    """One method of one address; `short` is the address below /api/v1/."""

    id: str
    method: str
    path: str
    short: str
    words: Words
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
        body_type, body = media_type, _members(document, content["schema"])
    answers = [(status, answer) for status, answer in operation["responses"].items() if status != "default"]
    return Operation(
        id=operation["operationId"],
        method=method.upper(),
        path=path,
        short=path.removeprefix("/api/v1/"),
        words=Words(operation.get("description", "")),
        parameters=tuple(_parameter(document, one) for one in operation.get("parameters", [])),
        body_type=body_type,
        body=body,
        answers=tuple(_answer(document, status, answer) for status, answer in answers),
    )


def _parameter(document: Document, parameter: Mapping[str, Any]) -> Field:
    where = {"path": "in the path", "header": "header"}.get(parameter["in"], "")
    kind = ", ".join(filter(None, (_kind(document, parameter["schema"]), where)))
    return Field(parameter["name"], kind, parameter.get("required", False), Words(parameter.get("description", "")))


def _answer(document: Document, status: str, answer: Mapping[str, Any]) -> Answer:
    content = answer.get("content", {})
    named = tuple(name for one in content.values() for name in _named(one))
    schemas = [] if named else [one["schema"] for one in content.values()]
    fields = _members(document, schemas[0]) if schemas else ()
    return Answer(status, ", ".join(content), Words(answer.get("description", "")), fields, named)


def _named(content: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The named problems among a media type's examples."""
    examples = [one["value"] for one in content.get("examples", {}).values()]
    return {value["type"].partition("#")[2]: value for value in examples}


def _members(document: Document, schema: Schema) -> tuple[Field, ...]:
    return tuple(_fields(document, schema, "", {}))


def _fields(document: Document, schema: Schema, prefix: str, told: dict[str, str]) -> Iterator[Field]:
    """The members below a schema, depth first; `told` says by name where a shared schema was already told in full."""
    schema = _resolved(document, schema)
    if schema.get("type") == "array":
        yield from _fields(document, schema["items"], f"{prefix}[]", told)
        return
    required = schema.get("required", ())
    for name, member in schema.get("properties", {}).items():
        path = f"{prefix}.{name}" if prefix else name
        shared = _shared_name(document, member)
        kind = _kind(document, member)
        if shared in told:
            yield Field(path, f"{kind}, as {told[shared]}", name in required, Words(member.get("description", "")))
            continue
        yield Field(path, kind, name in required, _words(document, member))
        if shared:
            told[shared] = path
        yield from _fields(document, member, path, told)


def _shared_name(document: Document, schema: Schema) -> str:
    """The name of the schema that a member, or each entry of its list, refers to; empty where it has none of its own."""
    while "$ref" not in schema:
        inner = schema.get("allOf") or schema.get("oneOf") or [schema.get("items", {})]
        if not inner[0]:
            return ""
        schema = inner[0]
    return str(schema["$ref"])


def _resolved(document: Document, schema: Schema) -> Schema:
    """The schema behind references and wrappers; the first of several."""
    while True:
        if "$ref" in schema:
            schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        elif inner := schema.get("allOf") or schema.get("oneOf"):
            schema = inner[0]
        else:
            return schema


def _words(document: Document, schema: Schema) -> Words:
    return Words(str(schema.get("description") or _resolved(document, schema).get("description", "")))


def _kind(document: Document, schema: Schema) -> str:
    found = _resolved(document, schema)
    if "enum" in found:
        kind = " | ".join(str(value) for value in found["enum"] if value not in ("", None))
    elif found.get("type") == "array":
        kind = f"list of {_kind(document, found['items'])}"
    else:
        kind = str(found.get("format") or found.get("type") or "any JSON")
    return f"{kind} or null" if schema.get("nullable") or found.get("nullable") else kind
