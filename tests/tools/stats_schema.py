"""Make ``docs/reference/stats.schema.json``, the schema of ``medreview stats --json``, from the dataclasses.

    python -m tests.tools.stats_schema [--check]

What is in the committed schema must stay in it as long as its number does: with ``--check`` nothing is written, and
every field that is missing or has another type now is named.
"""

import inspect
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import core_schema

from medreview.stats.requirements import Outcome
from medreview.stats.study_figures import SCHEMA, StudyFigures

PLACE = Path(__file__).parents[2] / "docs" / "reference" / "stats.schema.json"
_PUBLISHED = {"StatisticDifference": "Difference"}
_DIALECT = "https://json-schema.org/draft/2020-12/schema"


class _Schema(GenerateJsonSchema):
    def is_instance_schema(self, schema: core_schema.IsInstanceSchema) -> dict[str, Any]:
        """Labels are any value that can be a key; in JSON they are texts, or numbers of a scale."""
        return {"type": ["string", "number", "boolean"]}

    def normalize_name(self, name: str) -> str:
        """Names that were published before their classes had others stay."""
        return _PUBLISHED.get(found := super().normalize_name(name), found)

    def dataclass_schema(self, schema: core_schema.DataclassSchema) -> dict[str, Any]:
        """With the docstring, and without room for anything but what a class made of it adds."""
        made, cls = super().dataclass_schema(schema), schema["cls"]
        return {**made, "additionalProperties": bool(cls.__subclasses__()), "description": _described(cls)}

    def dataclass_field_should_be_included(self, field: core_schema.DataclassField) -> bool:
        """All fields are printed, those with a default, too."""
        return True

    def field_is_required(self, *_: Any, **__: Any) -> bool:
        """Every field is printed each time."""
        return True


def made() -> dict[str, Any]:
    """The schema of the code as it is."""
    schema = TypeAdapter(StudyFigures).json_schema(mode="serialization", schema_generator=_Schema)
    own = schema.pop("properties")
    held = TypeAdapter(tuple[Outcome, ...]).json_schema(mode="serialization", schema_generator=_Schema)
    return {
        "$schema": _DIALECT,
        "$id": SCHEMA,
        "title": "medreview stats --json",
        "description": schema.pop("description"),
        "type": "object",
        "properties": {"schema": {"const": SCHEMA}, **own, "require": _only_asked(held)},
        "required": ["schema", *schema.pop("required")],
        "additionalProperties": False,
        "$defs": {**schema.pop("$defs"), **held["$defs"]},
    }


def _only_asked(held: dict[str, Any]) -> dict[str, Any]:
    """What stands there with ``--require`` alone."""
    return {"type": "array", "items": held["items"], "description": "What became of each --require; only with one."}


def lost(old: Any, new: Any, path: str = "") -> Iterator[str]:
    """What an older schema promises that a newer one does not: fields that are gone, and types that are others."""
    if isinstance(old, dict):
        if not isinstance(new, dict):
            yield path
            return
        for key, held in old.items():
            if key in ("description", "title", "$id", "additionalProperties"):
                continue
            if key not in new:
                yield f"{path}/{key}"
            else:
                yield from lost(held, new[key], f"{path}/{key}")
    elif isinstance(old, list) and isinstance(new, list):
        yield from (f"{path}/{each}" for each in old if each not in new)
    elif old != new:
        yield path


def _described(cls: type) -> str:
    return " ".join((inspect.getdoc(cls) or "").replace("``", "").split())


def _main() -> int:
    schema = made()
    committed = json.loads(PLACE.read_text()) if PLACE.exists() else {}
    gone = list(lost(committed, schema)) if committed.get("$id") == SCHEMA else []
    if gone:
        print(f"{SCHEMA} promises what is not there any more; give it another number:", *gone, sep="\n  ")
        return 1
    if "--check" not in sys.argv:
        PLACE.write_text(json.dumps(schema, indent=1, ensure_ascii=False) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(_main())
