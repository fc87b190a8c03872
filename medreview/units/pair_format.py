"""Files of people's labels on pairs: one record for each reviewer, statement and source."""

import sqlite3
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, NamedTuple

from medreview.citations import Citation, canonical_key, from_list
from medreview.exchange.imports.field_mapping import name_of, text_of
from medreview.judges.raw_labels import mapped
from medreview.labels import EVIDENCE, REASONS
from medreview.study import Study
from medreview.study.unit_ids import PAIR, unit_id
from medreview.text import sha256
from medreview.units.brought import Brought
from medreview.units.imported_labels import EXPOSURES, ImportedLabel
from medreview.units.unit_format import UnitFormat

FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "reviewer": ("reviewer", "expert", "annotator", "rater"),
    "response": ("response",),
    "statement": ("statement",),
    "source": ("source",),
    "label": ("label",),
    "reason": ("reason",),
    "note": ("note", "comment"),
    "exposure": ("exposure",),
    "at": ("at", "date"),
}
_NEEDED: Final = ("reviewer", "statement", "source", "label")

_BY_TEXT: Final = """
SELECT s.statement_id, s.response_id, s.text_sha256 FROM statement_standing AS s JOIN response AS r USING (response_id)
WHERE (s.statement_id = ?1 OR s.text_sha256 = ?2) AND ?3 IN ('', r.record_id, r.response_id)"""
_IN_RESPONSE: Final = """
SELECT s.statement_id, s.response_id, s.text_sha256, s.text
FROM statement_standing AS s JOIN response AS r USING (response_id) WHERE ?1 IN (r.record_id, r.response_id)"""
_CITED: Final = """
SELECT DISTINCT c.kind, c.value, u.source_id, u.url, u.current_snapshot, n.number
FROM citation AS c JOIN source AS u USING (source_id) LEFT JOIN own_number AS n USING (response_id, source_id)
WHERE c.response_id = ?"""


class _Statement(NamedTuple):
    statement_id: str
    response_id: str
    text_sha256: str


def read_pair_label(values: Mapping[str, Any], study: Study) -> Brought:
    """What a record brings. Raises ``ValueError`` for what is no label, and for what the study does not have."""
    for field in _NEEDED:
        if not name_of(values, field):
            raise ValueError(f"has no {field}")
    axis, label = _label(name_of(values, "label"))
    exposure = name_of(values, "exposure").lower() or EXPOSURES[0]
    if exposure not in EXPOSURES:
        raise ValueError(f"has {exposure!r} as its exposure; it is assisted or blind")
    statement = _statement(study.reader, text_of(values, "statement").strip(), name_of(values, "response"))
    source_id, snapshot = _source(study.reader, statement.response_id, name_of(values, "source"))
    page = study.reader.execute("SELECT text_sha256 FROM snapshot WHERE snapshot_id = ?", (snapshot,)).fetchone()
    reason, words = _reason(text_of(values, "reason").strip())
    return Brought(
        labels=(
            ImportedLabel(
                unit=unit_id(PAIR, statement.statement_id, source_id),
                reviewer=name_of(values, "reviewer"),
                axis=axis,
                label=label,
                note="\n".join(filter(None, (words, text_of(values, "note").strip()))),
                at=name_of(values, "at"),
                reason=reason,
                blind=exposure == "blind",
                snapshot=snapshot,
                texts={"statement_sha256": statement.text_sha256, "snapshot_sha256": page[0] if page else ""},
            ),
        )
    )


def _label(raw: str) -> tuple[str, str]:
    """Axis and level; "not supported" is no level of the evidence axis, and stays what it is."""
    verdict, supported = mapped(raw) or (None, None)
    if verdict is not None:
        return "evidence", verdict
    if supported is None:
        raise ValueError(f"has the label {raw!r}; there are {', '.join(one.level for one in EVIDENCE)}, not_supported")
    return "support", "not_supported"


def _reason(told: str) -> tuple[str, str]:
    """The code that a reason is, or else its words, which become a note."""
    folded = told.casefold().replace("_", " ")
    for one in REASONS:
        if folded in (one.level, one.name):
            return one.level, ""
    return "", told


def _statement(reader: sqlite3.Connection, told: str, response: str) -> _Statement:
    """A statement by its id or its text, in the response that is named by its id in its file or in the study."""
    found = [_Statement(*row) for row in reader.execute(_BY_TEXT, (told, sha256(told), response))]
    if not found and response:
        rows = reader.execute(_IN_RESPONSE, (response,)).fetchall()
        if not rows:
            raise ValueError(f"names the response {response!r}, which the study does not have")
        found = [_Statement(*row[:3]) for row in rows if row["text"].split() == told.split()]
    if len(found) > 1:
        raise ValueError("has a statement of several responses; say of which, by its id in a column response")
    if not found:
        raise ValueError(f"has a statement that is none of the study: {told[:60]!r}")
    return found[0]


def _source(reader: sqlite3.Connection, response_id: str, told: str) -> tuple[str, str | None]:
    """A source that the response cites, and its page as it is now: by id, address, identifier, or its number there."""
    cited = from_list([told]).citations
    key = canonical_key(cited[0]) if cited else ""
    number = told.strip("[]")
    for row in reader.execute(_CITED, (response_id,)):
        same = told in (row["source_id"], row["url"], row["value"]) or number == str(row["number"])
        if same or (key and key == canonical_key(Citation(row["kind"], row["value"]))):
            return row["source_id"], row["current_snapshot"]
    raise ValueError(f"has a source that its response does not cite: {told[:80]!r}")


def _of_people(columns: Collection[str], _records: Sequence[Mapping[str, Any]]) -> bool:
    """A file with a judge's name is one of judgements."""
    return "judge" not in columns


FORMAT: Final = UnitFormat(
    name=PAIR,
    fields=FIELDS,
    characteristic=_NEEDED,
    required=_NEEDED,
    read=read_pair_label,
    tells=_of_people,
    on_statements=True,
)
"""Labels of people on pairs that the study has."""
