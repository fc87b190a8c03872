"""What Datasette is told of an exported database: titles, descriptions of every column, sort orders, facets, names.

The keys are those of Datasette's ``metadata.json``. Its ``units`` are not among them: they are for units that can be
counted in, which "code points, 0-based" is not, and later versions of Datasette have dropped them; a unit stands in the
description of its column.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any, Final
from urllib.parse import quote

from medreview.exchange.exports.sqlite_schema import Tables, View, reading_order
from medreview.exchange.files.columns import Column
from medreview.visible import visible

_STYLE: Final = (
    "dl.column-descriptions{max-height:9em;overflow-y:auto;resize:vertical;border:1px solid #ccc;padding:.5em 1em}"
    "td.col-question,td.col-statement_text,td.col-text,td.col-quote,td.col-judge_quote,td.col-reason,td.col-note"
    "{min-width:20em}"
)
"""Datasette puts the descriptions above the rows, where those of sixty columns fill two screens, and gives a long text
a narrow column."""
_SEARCHED: Final = {"fts_table": "statements_fts", "fts_pk": "statement_no"}


def metadata(
    database: str, tables: Tables, views: Sequence[View], hidden: Iterable[str], provenance: Mapping[str, Any]
) -> dict[str, Any]:
    """The content of ``metadata.json`` for a database of that name (its file's, without the ending)."""
    shown = {
        name: _told(file.about, reading_order(file), tables, file.sorted_by, file.facets)
        | ({"label_column": file.named_by} if file.named_by else {})
        | ({"size": file.size} if file.size else {})
        for name, file in tables.items()
    }
    for view in views:
        columns = [column for column, _ in view.columns]
        shown[view.name] = _told(view.about, columns, tables, "statement_no", view.facets) | _SEARCHED
    links = ", ".join(f'<a href="{database}/{view.name}">{view.name}</a>' for view in views)
    about = f"<p>{escape(_about(provenance))}</p><p>Start with {links}.</p>"
    return {
        "title": visible(f"medreview: {provenance['title']}"),
        "description_html": about,
        "extra_css_urls": ["data:text/css," + quote(_STYLE)],
        "databases": {
            database: {"description_html": about, "tables": shown | {name: {"hidden": True} for name in hidden}}
        },
    }


def _about(provenance: Mapping[str, Any]) -> str:
    made = f"Study {provenance['study_id']}, begun {provenance['created_at']}"
    newest = f", newest event {provenance['event_at']}" if provenance["event_at"] else ", no events yet"
    return visible(
        f"{made}{newest}. Exported by medreview {provenance['app_version']} (layout {provenance['export_version']}, "
        f"label set {provenance['label_set_version']}). Empty cells are missing values; times are UTC; ranges are "
        "0-based, half-open and count Unicode code points."
    )


def _told(
    about: str, columns: Sequence[Column], tables: Tables, sorted_by: str, facets: Sequence[str]
) -> dict[str, Any]:
    told = {"description": about, "columns": {column.name: _meaning(column, tables) for column in columns}}
    return told | ({"sort": sorted_by} if sorted_by else {}) | ({"facets": facets} if facets else {})


def _meaning(column: Column, tables: Tables) -> str:
    """The meaning with levels and unit; files are called by the names that their tables have."""
    text = re.sub(r"\b(\w+)\.csv\b", lambda found: found[1] if found[1] in tables else found[0], column.meaning)
    levels = f" Levels: {', '.join(column.levels)}." if column.levels else ""
    unit = f" Unit: {column.unit}." if column.unit else ""
    return f"{text}{levels}{unit}"
