"""References, records and checks as JSON and back: what the study keeps and what is handed on as lines.

A field that has its default is left out. Reading back takes nothing that was not written so: it comes from files, too.
"""

from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, Final, Literal, get_args, get_origin, get_type_hints

from medreview.references.model import Record, Reference, ReferenceCheck
from medreview.storable import unstorable

_NO_DEFAULT: Final = object()


def to_json(value: Reference | Record | ReferenceCheck) -> dict[str, Any]:
    """The value as JSON has it: objects by the names of their fields, ranges of a text as ``[start, end]``."""
    written = _written(value)
    assert isinstance(written, dict)
    return written


def reference_of(value: object) -> Reference:
    """The reference that was written so. Raises ``ValueError`` for anything else."""
    reference = _read(Reference, value, "reference")
    assert isinstance(reference, Reference)
    return reference


def record_of_json(value: object) -> Record:
    """The record that was written so. Raises ``ValueError`` for anything else."""
    record = _read(Record, value, "record")
    assert isinstance(record, Record)
    return record


def check_of(value: object) -> ReferenceCheck:
    """The check that was written so. Raises ``ValueError`` for anything else."""
    check = _read(ReferenceCheck, value, "check")
    assert isinstance(check, ReferenceCheck)
    return check


def _written(value: object) -> object:
    if _has_fields(type(value)):
        defaults = _defaults(type(value))
        named = {name: getattr(value, name) for name in defaults}
        if type(value).__name__ == "Span":
            return list(named.values())
        return {name: _written(one) for name, one in named.items() if one != defaults[name]}
    if isinstance(value, Mapping):
        return {name: _written(one) for name, one in value.items()}
    if isinstance(value, tuple):
        return [_written(one) for one in value]
    return value


def _read(hint: Any, value: object, where: str) -> object:
    """The value as the type of its field asks for it; ``where``: the name of the field, for who reads the error."""
    origin, inside = get_origin(hint), get_args(hint)
    if _has_fields(hint):
        return _object(hint, value, where)
    if origin is tuple and isinstance(value, list):
        return tuple(_read(inside[0], one, where) for one in value)
    if origin is Mapping and isinstance(value, dict):
        return {_read(inside[0], name, where): _read(inside[1], one, where) for name, one in value.items()}
    if origin is UnionType:
        if value is None and NoneType in inside:
            return None
        return _read(next(one for one in inside if one is not NoneType), value, where)
    if origin is Literal and isinstance(value, str) and value in inside:
        return value
    if hint in (str, int, bool) and type(value) is hint and not unstorable(value):
        return value
    raise ValueError(f"{where}: {str(value)[:40]!r} is no value of it")


def _object(kind: Any, value: object, where: str) -> object:
    defaults = _defaults(kind)
    if kind.__name__ == "Span" and isinstance(value, list) and len(value) == len(defaults):
        value = dict(zip(defaults, value, strict=True))
    if not isinstance(value, dict):
        raise ValueError(f"{where}: no object")
    if unknown := value.keys() - defaults.keys():
        raise ValueError(f"{where}: nothing is called {min(unknown)!r}")
    if missing := [name for name, default in defaults.items() if default is _NO_DEFAULT and name not in value]:
        raise ValueError(f"{where}: {missing[0]} is missing")
    hints = get_type_hints(kind)
    return kind(**{name: _read(hints[name], one, f"{where}.{name}") for name, one in value.items()})


def _has_fields(kind: Any) -> bool:
    return is_dataclass(kind) or (isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields"))


def _defaults(kind: Any) -> dict[str, object]:
    """The fields of a type and what each has when it is not given."""
    if not is_dataclass(kind):
        return {name: kind._field_defaults.get(name, _NO_DEFAULT) for name in kind._fields}
    return {
        one.name: one.default
        if one.default is not MISSING
        else one.default_factory()
        if one.default_factory is not MISSING
        else _NO_DEFAULT
        for one in fields(kind)
    }
