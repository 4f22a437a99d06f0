"""Formats, and trees of JSON or TOML into the values that they declare."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from enum import Enum
from functools import cache
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast, overload
from uuid import uuid4

from harness.errors import LIKENESS, Faults, InputError, nearest
from harness.words import counted

from .of_others import truth_value, whole_number
from .tree import json_tree, toml_tree
from .words import LONE_SURROGATE, FieldError, Path, PathFault, named, quoted, sentence

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails, SchemaValidator

Value = TypeVar("Value")

_LABEL = f"{uuid4().hex}:"
"""Begins the step of an error's path that names a member of a union; as no key of a file does."""

_OF_KEY = "[key]"
"""Ends an error's path where the key is wrong, and not the value."""

_STRICT = frozenset({"bool", "decimal", "float", "int", "str"})
_OF_OTHERS = {"bool": truth_value, "int": whole_number}
"""How a file of another project may spell values of a type."""

_WANTED = {
    "bool_type": "true or false",
    "dataclass_type": "an object",
    "decimal_type": "a number",
    "dict_type": "an object",
    "finite_number": "a finite number",
    "float_type": "a finite number",
    "int_type": "a whole number",
    "is_instance_of": "a number",
    "list_type": "a list",
    "mapping_type": "an object",
    "none_required": "null",
    "string_type": "a string",
    "tuple_type": "a list",
}
_CHOICES = ("enum", "literal_error")
_UNKNOWN = ("unexpected_keyword_argument", "extra_forbidden")
_QUOTED = re.compile(r"'([^']*)'")


class Unknown(Enum):
    """What a format does with keys that it does not declare."""

    REFUSE = "forbid"
    KEEP = "ignore"


REFUSE, KEEP = Unknown.REFUSE, Unknown.KEEP


@dataclass(frozen=True, slots=True)
class Format(Generic[Value]):
    """A declared format: its `name`, the type of its values, and what else stands in an object.

    A name that ends in a version, such as `harness.case/1`, stands in the object under
    `schema_key`. `earlier`: names of earlier versions that are read as well; the type of such a
    format has the key as a field. `hint`: what a message advises, such as where the format is
    described. `of_others`: another project writes the files, and numbers may be as pandas has them
    (`harness.decode.of_others`).
    """

    name: str
    type: type[Value]
    unknown: Unknown = REFUSE
    hint: str = ""
    schema_key: str = "schema"
    earlier: tuple[str, ...] = ()
    of_others: bool = False

    @property
    def has_schema(self) -> bool:
        return "/" in self.name


@overload
def decode(form: Format[Value], data: str | bytes, *, place: str) -> Value: ...


@overload
def decode(
    form: Format[Value], data: str | bytes, *, place: str = "", faults: Faults
) -> Value | None: ...


def decode(
    form: Format[Value], data: str | bytes, *, place: str = "", faults: Faults | None = None
) -> Value | None:
    """Return the value of a JSON text, or None after adding every fault to `faults` after `place`.

    Without `faults`, raise one `InputError` that names `place` and all of them.
    """
    return _decoded(form, json_tree, data, place, faults)


@overload
def decode_toml(form: Format[Value], data: str | bytes, *, place: str) -> Value: ...


@overload
def decode_toml(
    form: Format[Value], data: str | bytes, *, place: str = "", faults: Faults
) -> Value | None: ...


def decode_toml(
    form: Format[Value], data: str | bytes, *, place: str = "", faults: Faults | None = None
) -> Value | None:
    """Decode a TOML text as `decode` does JSON; its decimals are `Decimal`, as they are written."""
    return _decoded(form, toml_tree, data, place, faults)


def decode_file(form: Format[Value], path: FilePath) -> Value:
    """Return the value of a JSON file, or of a `.toml`; raise `InputError` with every fault."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}", "Check the path.") from error
    of_text = decode_toml if path.suffix == ".toml" else decode
    return of_text(form, data, place=str(path))


@overload
def typed(form: Format[Value], tree: Any, faults: None = None, at: str = "") -> Value: ...


@overload
def typed(
    form: Format[Value], tree: Any, faults: Faults, at: str = "", odd: Sequence[PathFault] = ()
) -> Value | None: ...


def typed(
    form: Format[Value],
    tree: Any,
    faults: Faults | None = None,
    at: str = "",
    odd: Sequence[PathFault] = (),
) -> Value | None:
    """Return the value of a tree that is read already, or None after adding every fault.

    `at` is the path of the tree: a fault of its key `text` is named `at.text`. Without `faults`,
    raise one `InputError` that names `at` and all of them. `odd`: what `json_tree` found in it.
    """
    value, found = _checked(form, tree)
    places = {path for path, _ in odd}  # what stands there now says nothing
    found = [*odd, *(fault for fault in found if fault[0] not in places)]
    noted = Faults() if faults is None else faults
    for path, message in found:
        noted.add(sentence(path, message, "" if faults is None else at))
    if faults is None:
        noted.raise_if_any(at, form.hint)
    return None if found else cast(Value, value)


def schema_fault(value: Any, expected: str) -> str | None:
    """Return what is wrong with the schema that an object names, or None."""
    if value == expected:
        return None
    name, version = expected.rsplit("/", maxsplit=1)
    start, _, other = value.rpartition("/") if isinstance(value, str) else ("", "", "")
    if start == name and other.isdecimal() and int(other) > int(version):
        return f"is {value!r}, newer than {expected!r}: a newer harness reads it"
    return f"is {named(value)}, expected {expected!r}"


def _decoded(
    form: Format[Value],
    read: Callable[[str | bytes], tuple[Any, list[PathFault]]],
    data: str | bytes,
    place: str,
    faults: Faults | None,
) -> Value | None:
    noted = Faults()
    value: Value | None = None
    try:
        tree, odd = read(data)
    except ValueError as error:
        noted.add(str(error))
    else:
        value = typed(form, tree, noted, odd=odd)
    if faults is None:
        noted.raise_if_any(place, form.hint)
        return value
    for message in noted:
        faults.add(f"{place}: {message}" if place else message)
    return None if len(noted) else value


def _checked(form: Format[Any], tree: Any) -> tuple[Any, list[PathFault]]:
    from pydantic_core import ValidationError

    missing: list[PathFault] = []
    body = tree
    if form.has_schema and isinstance(tree, dict):
        if form.schema_key not in tree:
            missing.append(((form.schema_key,), "is missing"))
        elif tree[form.schema_key] not in form.earlier:
            wrong = schema_fault(tree[form.schema_key], form.name)
            if wrong is not None:  # the rest is not worth reading
                return None, [((form.schema_key,), wrong)]
        if not form.earlier:
            body = {key: entry for key, entry in tree.items() if key != form.schema_key}
    validator, schema = _validator(cast(Hashable, form.type), form.of_others)
    try:
        value = validator.validate_python(body, extra=form.unknown.value)
    except ValidationError as error:
        errors = error.errors(include_url=False)
    else:
        return (None, missing) if missing else (value, [])
    unknown = [fault for fault in errors if fault["type"] in _UNKNOWN]
    if unknown:  # they keep the checks that objects make of themselves from running
        try:
            validator.validate_python(body, extra=KEEP.value)
        except ValidationError as error:
            errors = [*error.errors(include_url=False), *unknown]
    meant = _meant([*(path for path, _ in missing), *_paths(errors, "missing")], errors)
    absent = set(meant.values())
    missing = [fault for fault in missing if fault[0] not in absent]
    return None, [*missing, *_faults(errors, schema, meant)]


def _paths(errors: Iterable[ErrorDetails], *kinds: str) -> list[Path]:
    return [_path(error["loc"]) for error in errors if error["type"] in kinds]


def _meant(missing: Sequence[Path], errors: Sequence[ErrorDetails]) -> dict[Path, Path]:
    """Return the missing key that each unknown key of the same object is most like: the two are one
    fault, a key that is misspelled."""
    meant: dict[Path, Path] = {}
    for path in dict.fromkeys(_paths(errors, *_UNKNOWN)):
        free = [
            other[-1]
            for other in missing
            if other[:-1] == path[:-1] and other not in meant.values()
        ]
        for name in get_close_matches(str(path[-1]), map(str, free), n=1, cutoff=LIKENESS):
            meant[path] = (*path[:-1], name)
    return meant


@cache
def _validator(kind: Hashable, of_others: bool) -> tuple[SchemaValidator, Any]:
    """Return the validator of a type, and the schema that it was made from."""
    from pydantic import TypeAdapter
    from pydantic_core import SchemaValidator

    schema = _strict(TypeAdapter(cast(Any, kind)).core_schema, of_others=of_others)
    return SchemaValidator(schema), schema


def _strict(schema: Any, *, of_others: bool) -> Any:
    """Return a schema whose values are of their type already, but for what others may spell
    otherwise, and whose unions label their members so that an error's path tells them from keys."""
    if isinstance(schema, list):
        return [_strict(entry, of_others=of_others) for entry in schema]
    if not isinstance(schema, dict):
        return schema
    made = {
        key: _strict(entry, of_others=of_others)
        for key, entry in schema.items()
        if key != "metadata"
    }
    if "metadata" in schema:
        made["metadata"] = schema["metadata"]
    kind = schema.get("type")
    if kind in _STRICT:
        made["strict"] = True
    if kind == "float":
        made["allow_inf_nan"] = False
    if kind == "union":
        members = [entry[0] if isinstance(entry, tuple) else entry for entry in schema["choices"]]
        made["choices"] = [
            (_strict(entry, of_others=of_others), f"{_LABEL}{place}")
            for place, entry in enumerate(members)
        ]
        made["mode"] = "left_to_right"  # strict members: a value is of one of them at most
    if of_others and kind in _OF_OTHERS:
        from pydantic_core import core_schema

        return core_schema.no_info_before_validator_function(_OF_OTHERS[kind], made)
    return made


def _faults(
    errors: list[ErrorDetails], schema: Any, meant: Mapping[Path, Path]
) -> Iterator[PathFault]:
    """Yield one fault a path and thing: members of a union that the value is not are one fault, as
    are an unknown key and the missing one that is `meant`."""
    absent = set(meant.values())
    entered = {
        error["loc"][:place]
        for error in errors
        for place, step in enumerate(error["loc"])
        if _is_label(step) and not (place == len(error["loc"]) - 1 and _wanted(error))
    }
    wanted: dict[Path, list[str]] = {}
    for error in errors:
        words = _wanted(error)
        if words is not None and not _is_of_entered(error["loc"], entered):
            of_path = wanted.setdefault(_path(error["loc"]), [])
            of_path.extend([words] if words not in of_path else [])
    seen: set[PathFault] = set()
    for error in errors:
        if _is_of_entered(error["loc"], entered) and _wanted(error):
            continue
        if error["type"] == "missing" and _path(error["loc"]) in absent:
            continue
        for fault in _sentences(error, wanted, schema, meant):
            if fault not in seen:
                seen.add(fault)
                yield fault


def _wanted(error: ErrorDetails) -> str | None:
    """Return what a value is that `error` says is of another type; None for other errors."""
    if error["type"] in _CHOICES and not isinstance(error["input"], str):
        return str(error["ctx"]["expected"])
    return _WANTED.get(error["type"])


def _is_label(step: str | int) -> bool:
    return isinstance(step, str) and step.startswith(_LABEL)


def _is_of_entered(loc: tuple[str | int, ...], entered: set[tuple[str | int, ...]]) -> bool:
    """Return whether an error says that a value is not a member of a union of which it is
    another."""
    return bool(loc) and _is_label(loc[-1]) and loc[:-1] in entered


def _path(loc: tuple[str | int, ...]) -> Path:
    steps = loc[:-1] if loc and loc[-1] == _OF_KEY else loc
    return tuple(step for step in steps if not _is_label(step))


def _sentences(
    error: ErrorDetails,
    wanted: dict[Path, list[str]],
    schema: Any,
    meant: Mapping[Path, Path],
) -> Iterator[PathFault]:
    kind, path, value = error["type"], _path(error["loc"]), error["input"]
    context = error.get("ctx", {})
    if kind == "value_error":
        reason = context["error"]
        if isinstance(reason, FieldError):
            yield from (((*path, *below), message) for below, message in reason.faults)
        else:
            yield path, f": {reason}"
    elif kind == "missing":
        yield path, f"is missing{_advice(schema, error['loc'])}"
    elif kind in _UNKNOWN:
        known = [str(meant[path][-1])] if path in meant else _keys_at(schema, error["loc"][:-1])
        yield path, f"is an unknown key{nearest(str(path[-1]), known)}"
    elif kind == "string_unicode":
        yield path, LONE_SURROGATE
    elif _wanted(error) is not None:
        words = " or ".join(wanted[path])
        yield path, f"is {named(value)}, expected {words}{_advice(schema, error['loc'])}"
    elif kind in _CHOICES:
        choices = context["expected"]
        yield (
            path,
            f"is {quoted(value)}, expected {choices}{nearest(value, _QUOTED.findall(choices))}",
        )
    elif kind in ("too_long", "too_short"):
        length = context.get("max_length", context.get("min_length"))
        yield path, f"has {counted(len(value), 'entry')}, expected {length}"
    else:
        yield path, f"is {named(value)}: {error['msg'][:1].lower()}{error['msg'][1:]}"


def _advice(schema: Any, loc: tuple[str | int, ...]) -> str:
    """Return what to write at a place, where its field has an example."""
    node = _node(schema, loc)
    while isinstance(node, dict):
        example = node.get("metadata", {}).get("example")
        if example is not None:
            return f"; write {example}"
        node = node.get("schema")
    return ""


def _keys_at(schema: Any, loc: tuple[str | int, ...]) -> list[str]:
    node = _inner(_node(schema, loc), schema)
    return [_key(field) for field in node.get("fields", ())]


def _key(field: Any) -> str:
    return str(field.get("validation_alias", field["name"]))


def _node(schema: Any, loc: tuple[str | int, ...]) -> Any:
    """Return the schema of the place that an error's path names, with what wraps it."""
    node = schema
    for step in loc:
        inner = _inner(node, schema)
        kind = inner.get("type")
        if kind == "union" and isinstance(step, str):
            node = inner["choices"][int(step.removeprefix(_LABEL))][0]
        elif kind == "dataclass-args":
            node = next((field for field in inner["fields"] if _key(field) == step), {})
        elif kind == "tuple" and isinstance(step, int):
            entries = inner["items_schema"]
            node = entries[min(step, len(entries) - 1)]
        else:
            node = inner.get("values_schema", inner.get("items_schema", {}))
    return node


def _inner(node: Any, schema: Any) -> Any:
    """Return what defaults, checks and references to definitions are wrapped around."""
    while True:
        if node.get("type") == "definition-ref":
            definitions = schema.get("definitions", ())
            node = next(entry for entry in definitions if entry["ref"] == node["schema_ref"])
        elif "schema" in node:
            node = node["schema"]
        else:
            return node
