"""Write docs/reference/units-files.md: which fields the files of each kind of unit have, and a record of the sample.

    python -m tests.tools.units_files_page

A test compares the page with what this makes.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from medreview.units.formats import FORMATS
from medreview.units.unit_format import ABOUT, UnitFormat

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = ROOT / "docs" / "reference" / "units-files.md"
SAMPLES: Final = {
    "qa": "qa_items.jsonl",
    "question": "question_checks.jsonl",
    "revision": "revisions.jsonl",
    "answer": "answers_with_gold.jsonl",
    "case": "cases.jsonl",
    "ranking": "rankings.jsonl",
}
"""By format: the file of ``sample_data`` whose first record is shown."""
_LONGEST: Final = 70
"""Characters of a text in a record that is shown; the rest is left out."""
_MOST: Final = 2
"""Entries of a list in such a record."""
HEAD: Final = """# Files of units

The fields of every file that `medreview import STUDY FILE` reads as units of review or as labels on them.
[Units of review](../how-to/units.md) says what to do with them.

A record is a line of JSON or a row of a table. Each field is found by any of the column names beside it; capitals,
spaces and hyphens make no difference. `--map COLUMN=field` names another column, and `--map field:=value` gives all
records one value. A file is of a kind when every record says so (`"unit": "qa"`), when `--map unit:=qa` says so, or
when it has columns that only such a file has.

This page is made by `python -m tests.tools.units_files_page`.
"""


def units_files_page() -> str:
    """The whole page."""
    lines = [HEAD, "## Fields of several kinds", "", *_table(ABOUT, ()), ""]
    for form in {form.name: form for form in FORMATS.values()}.values():
        lines += [f"## {form.name}", "", *_sample(form), *_fields(form), ""]
    return "\n".join(lines)


def _sample(form: UnitFormat) -> Iterator[str]:
    name = SAMPLES.get(form.name)
    if name:
        first = (ROOT / "sample_data" / name).read_text(encoding="utf-8").partition("\n")[0]
        record = {key: value for key, value in json.loads(first).items() if key != "planted"}
        shown = json.dumps(_short(record), ensure_ascii=False, indent=1)
        yield from (f"The first record of `sample_data/{name}`, with long texts cut:", "", "```json", shown, "```", "")


def _short(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _short(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [*map(_short, value[:_MOST]), *(["..."] if len(value) > _MOST else [])]
    if isinstance(value, str) and len(value) > _LONGEST:
        return f"{value[:_LONGEST].rsplit(' ', 1)[0]} ..."
    return value


def _fields(form: UnitFormat) -> Iterator[str]:
    own = dict(form.fields)
    if own.items() >= ABOUT.items():
        own = {field: names for field, names in own.items() if field not in ABOUT}
        yield from ("It also has the [fields of several kinds](#fields-of-several-kinds).", "")
    yield from _table(own, form.required)


def _table(fields: Mapping[str, tuple[str, ...]], required: tuple[str, ...]) -> Iterator[str]:
    yield from ("| field | columns that are read | |", "| --- | --- | --- |")
    for field, names in fields.items():
        columns = ", ".join(f"`{name}`" for name in names)
        yield f"| `{field}` | {columns} | {'must be there' if field in required else ''} |"


if __name__ == "__main__":
    PAGE.write_text(units_files_page(), encoding="utf-8")
