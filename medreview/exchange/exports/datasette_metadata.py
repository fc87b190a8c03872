"""What Datasette is told of an exported database: titles, descriptions of every column, sort orders, facets, names.

The keys are those of Datasette's ``metadata.json``. Its ``units`` are not among them: they are for units that can be
counted in, which "code points, 0-based" is not, and later versions of Datasette have dropped them; a unit stands in the
description of its column.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from medreview.exchange.exports.sqlite_schema import Tables, View, reading_order
from medreview.exchange.files.columns import Column
from medreview.units.registry import KINDS
from medreview.visible import visible

DESCRIPTIONS: Final = {
    "labels": "One row for every statement, reviewer and pass. Blind and assisted labels answer different questions: "
    "never count them together.",
    "spans": "Words that reviewers marked, in a response or in a page.",
    "pairs": "One row for every statement and source that its response cites: whether the statement itself points to "
    "it, and what the judges say of this page.",
    "judgements": "What each judge said of each statement and page, also of pages that have changed since.",
    "events": "Everything that reviewers did, in the order of time; nothing in it is ever changed.",
    "event_values": "What events hold for which the table of events has no column.",
    "responses": "The answers of the language models, with their questions.",
    "statements": "The responses cut into statements that can be verified one by one.",
    "left_out": "What of the responses is no statement, with the reason.",
    "citations": "What the responses cite, each with its source and the source's current page.",
    "merged": "Judgements of a statement by all sources of its response together: a row for each place of each quote.",
    "hallucination_findings": "What judges found in whole responses: a row for each place of each span.",
    "key_facts": "What a good response to a question must say.",
    "key_fact_votes": "What each judge said of each key fact in each response.",
    "reviewers": "Who gave the labels: what they say of themselves, and the result of gold items.",
    "unit_labels": "One row for every unit of any kind, reviewer, pass and axis, with the label that settles a "
    "conflict. Blind and assisted labels answer different questions: never count them together.",
    "units": "Units that came as such: questions, rankings, suggested key facts, revisions.",
    "unit_values": "What the content of units is, value by value.",
    "passages": "Texts that questions, items and revisions are about.",
    "passage_runs": "How passages were chosen from texts: by which measures and thresholds.",
    "passage_features": "What each paragraph of these texts was measured by, and which rules left it out.",
    "cases": "Patients' stories as written for a study, with what models were asked to write about them.",
    "case_notes": "The notes of the cases.",
    "reference_answers": "What a correct answer to a question is.",
    "gold": "Right labels that were known beforehand.",
    "gold_spans": "Words that belong to them.",
    "opinions": "What machines say of units that are no statements.",
    "generation_runs": "What models were asked to write: a row for each model, with its prompts and options.",
    "generation": "What came of each input that a model was given to write from.",
    "generation_values": "Prompts, parameters and options of these runs, and what they keep for their reports.",
    "generation_attempts": "Every answer of a model that was asked to write, the invalid ones too.",
    "generation_products": "Which unit, response, passage or case was made of which input.",
    "generation_dropped": "What rules left out of what models wrote.",
    "references": "What the responses say the works are that they cite, beside what authorities have of them. A work "
    "that was not found need not be invented.",
    "reference_differences": "Where references differ from the work, field by field; slips mislead nobody.",
    "reference_checks": "Every check of a reference, the older ones too; the newest counts.",
    "reference_values": "What was read of references and found by their checks, value by value.",
    "codebook": "The columns of the CSV files that these tables were made with.",
    "sources": "What the citations lead to, each source once.",
    "snapshots": "The pages of the sources, every version that was fetched. The texts belong to their publishers and "
    "may not be yours to pass on.",
    "labels_wide": "Labels with question, statement, the judges' verdict and the page, in an order for reading. Search "
    "looks in the statements.",
    "disagreements": "Labels that differ from the judges' verdict; label_state names those that are stale.",
    "pairs_wide": "Pairs with the judges' verdicts on the source's current page side by side.",
}
"""Name of a table or view -> what its rows are."""

OF_KINDS: Final = {
    Path(table.file).stem: table.about for kind in KINDS.values() for table in kind.tables
}  # fmt: skip
"""The same of the tables that kinds of unit have for themselves."""

FACETS: Final[Mapping[str, Sequence[str]]] = {
    "labels": ("verdict_final", "judge_verdict", "reviewer_id", "mode"),
    "labels_wide": ("verdict_final", "judge_verdict", "reviewer_id", "mode"),
    "disagreements": ("verdict_final", "judge_verdict", "label_state"),
    "pairs": ("page_state", "verdict", "cited_by_statement"),
    "pairs_wide": ("page_state", "cited_by_statement"),
    "judgements": ("judge", "verdict", "quote_status"),
    "events": ("kind", "reviewer"),
    "responses": ("model", "origin"),
    "citations": ("page_state", "kind"),
    "spans": ("label", "target_type"),
    "sources": ("kind",),
    "snapshots": ("page_state", "is_current"),
    "unit_labels": ("kind", "axis", "label_final", "reviewer_id", "mode"),
    "units": ("kind", "origin"),
    "opinions": ("judge", "axis", "label"),
    "generation": ("code",),
    "references": ("verdict", "kind", "standing", "response_model"),
    "generation_attempts": ("status", "stage"),
    "generation_products": ("kind",),
    "generation_dropped": ("code",),
    "codebook": ("file",),
}
"""Name of a table or view -> the columns that are counted beside its rows."""

SORTED_BY: Final = {
    "labels_wide": "statement_no",
    "disagreements": "statement_no",
    "pairs_wide": "statement_no",
    "responses": "ordinal",
    "sources": "url",
    "snapshots": "url",
}
NAMED_BY: Final = {
    "responses": "question",
    "statements": "text",
    "sources": "url",
    "snapshots": "url",
    "events": "kind",
    "key_facts": "text",
    "units": "text",
    "passages": "title",
    "cases": "title",
}
"""Name of a table -> the column that stands for a row of it wherever another table refers to it."""
_STYLE: Final = (
    "dl.column-descriptions{max-height:9em;overflow-y:auto;resize:vertical;border:1px solid #ccc;padding:.5em 1em}"
    "td.col-question,td.col-statement_text,td.col-text,td.col-quote,td.col-judge_quote,td.col-reason,td.col-note"
    "{min-width:20em}"
)
"""Datasette puts the descriptions above the rows, where those of sixty columns fill two screens, and gives a long text
a narrow column."""
_ROWS: Final = {"responses": 20, "snapshots": 20}
_SEARCHED: Final = {"fts_table": "statements_fts", "fts_pk": "statement_no"}


def metadata(
    database: str, tables: Tables, views: Sequence[View], hidden: Iterable[str], provenance: Mapping[str, Any]
) -> dict[str, Any]:
    """The content of ``metadata.json`` for a database of that name (its file's, without the ending)."""
    shown = {name: _table(name, reading_order(name, columns), tables) for name, columns in tables.items()}
    for view in views:
        shown[view.name] = _table(view.name, [column for column, _ in view.columns], tables) | _SEARCHED
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


def _table(name: str, columns: Sequence[Column], tables: Tables) -> dict[str, Any]:
    told: dict[str, Any] = {
        "description": (DESCRIPTIONS | OF_KINDS).get(name, ""),
        "columns": {column.name: _meaning(column, tables) for column in columns},
    }
    options = {"sort": SORTED_BY, "facets": FACETS, "label_column": NAMED_BY, "size": _ROWS}
    return told | {key: of_table[name] for key, of_table in options.items() if name in of_table}


def _meaning(column: Column, tables: Tables) -> str:
    """The meaning with levels and unit; files are called by the names that their tables have."""
    text = re.sub(r"\b(\w+)\.csv\b", lambda found: found[1] if found[1] in tables else found[0], column.meaning)
    levels = f" Levels: {', '.join(column.levels)}." if column.levels else ""
    unit = f" Unit: {column.unit}." if column.unit else ""
    return f"{text}{levels}{unit}"
