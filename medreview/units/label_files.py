"""Files of people's labels on pairs and on key facts in responses: one record for each reviewer and unit."""

import sqlite3
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from medreview.citations import Citation, canonical_key, from_list
from medreview.exchange.imports.field_mapping import name_of, text_of
from medreview.judges.votes import mapped
from medreview.labels import EVIDENCE, PRESENCE, REASONS
from medreview.study import Study
from medreview.study.ids import PAIR, unit_id
from medreview.units.named_statement import find_statement
from medreview.units.new_units import EXPOSURES, Brought, ImportedLabel
from medreview.units.unit_format import UnitFormat

_PAIR_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
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
_PAIR_NEEDED: Final = ("reviewer", "statement", "source", "label")

_CITED: Final = """
SELECT DISTINCT c.kind, c.value, u.source_id, u.url, u.current_snapshot, n.number
FROM citation AS c JOIN source AS u USING (source_id) LEFT JOIN own_number AS n USING (response_id, source_id)
WHERE c.response_id = ?"""


def read_pair_label(values: Mapping[str, Any], study: Study) -> Brought:
    """What a record brings. Raises ``ValueError`` for what is no label, and for what the study does not have."""
    for field in _PAIR_NEEDED:
        if not name_of(values, field):
            raise ValueError(f"has no {field}")
    axis, label = _label(name_of(values, "label"))
    blind = given_blind(values)
    statement = find_statement(study.reader, name_of(values, "statement"), name_of(values, "response"))
    source_id, snapshot = _source(study.reader, statement.response_id, name_of(values, "source"))
    page = study.reader.execute("SELECT text_sha256 FROM snapshot WHERE snapshot_id = ?", (snapshot,)).fetchone()
    reason, words = reason_of(text_of(values, "reason").strip())
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
                blind=blind,
                snapshot=snapshot,
                texts={"statement_sha256": statement.text_sha256, "snapshot_sha256": page[0] if page else ""},
            ),
        )
    )


def given_blind(values: Mapping[str, Any]) -> bool:
    """Whether a record says that its label was given blind. What nobody knows counts as assisted.

    Raises ``ValueError`` for other words than those of ``EXPOSURES``, ``open`` and ``unknown``.
    """
    exposure = name_of(values, "exposure").lower() or EXPOSURES[0]
    if exposure not in (*EXPOSURES, "open", "unknown"):
        raise ValueError(f"has {exposure!r} as its exposure; it is blind, or assisted (also open, unknown)")
    return exposure == "blind"


def _label(raw: str) -> tuple[str, str]:
    """Axis and level; "not supported" is no level of the evidence axis, and stays what it is."""
    verdict, supported = mapped(raw) or (None, None)
    if verdict is not None:
        return "evidence", verdict
    if supported is None:
        raise ValueError(f"has the label {raw!r}; there are {', '.join(one.level for one in EVIDENCE)}, not_supported")
    return "support", "not_supported"


def reason_of(told: str) -> tuple[str, str]:
    """The code that a reason is, or else its words, which become a note."""
    folded = told.casefold().replace("_", " ")
    for one in REASONS:
        if folded in (one.level, one.name):
            return one.level, ""
    return "", told


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


def of_people(columns: Collection[str], _records: Sequence[Mapping[str, Any]]) -> bool:
    """A file with a judge's name is one of judgements."""
    return "judge" not in columns


PAIR_LABEL_FILES: Final = UnitFormat(
    name=PAIR,
    fields=_PAIR_FIELDS,
    characteristic=_PAIR_NEEDED,
    required=_PAIR_NEEDED,
    read=read_pair_label,
    tells=of_people,
    on_statements=True,
)
"""Labels of people on pairs that the study has."""


_FACT_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "reviewer": ("reviewer", "expert", "annotator", "rater", "physician"),
    "response": ("response", "response_id"),
    "fact": ("fact", "key_fact"),
    "label": ("label", "presence"),
    "note": ("note", "comment"),
    "exposure": ("exposure",),
    "at": ("at", "date"),
}
_FACT_NEEDED: Final = ("reviewer", "response", "fact", "label")
_WORDS: Final = {
    "yes": "present", "no": "absent", "1": "present", "0": "absent", "true": "present", "false": "absent",
    "present, contradicted": "both", "present and contradicted": "both", "unsure": "cannot_judge",
}  # fmt: skip
"""Other words for the levels, as files write them."""

_RESPONSES: Final = "SELECT response_id, text_sha256 FROM response WHERE ?1 IN (record_id, response_id)"
_FACTS: Final = """
SELECT k.key_fact_id, k.text FROM key_fact_in_force AS k JOIN response AS r ON sha256_of(r.question) = k.question_sha256
WHERE r.response_id = ?"""


def _read(values: Mapping[str, Any], study: Study) -> Brought:
    for field in _FACT_NEEDED:
        if values.get(field) is None or not text_of(values, field).strip():
            raise ValueError(f"has no {field}")
    blind = given_blind(values)
    told = name_of(values, "response")
    found = study.reader.execute(_RESPONSES, (told,)).fetchall()
    if len(found) != 1:
        raise ValueError(f"names the response {told!r}, " + ("which are several" if found else "which is not there"))
    label = ImportedLabel(
        unit=unit_id("fact", found[0]["response_id"], _fact(study, found[0]["response_id"], text_of(values, "fact"))),
        reviewer=name_of(values, "reviewer"),
        axis="presence",
        label=_level(text_of(values, "label").strip()),
        note=text_of(values, "note").strip(),
        at=name_of(values, "at"),
        blind=blind,
        texts={"statement_sha256": found[0]["text_sha256"]},
    )
    return Brought(labels=(label,))


def _fact(study: Study, response_id: str, told: str) -> str:
    """A fact of the case of the response, by its id or its words."""
    words = told.split()
    for row in study.reader.execute(_FACTS, (response_id,)):
        if row["key_fact_id"] == told.strip() or row["text"].split() == words:
            return str(row["key_fact_id"])
    raise ValueError(f"has a fact that is no key fact of the response's case: {told.strip()[:60]!r}")


def _level(told: str) -> str:
    folded = told.casefold().replace("_", " ")
    level = _WORDS.get(folded, folded.replace(" ", "_"))
    if level not in [label.level for label in PRESENCE]:
        raise ValueError(f"has the label {told!r}; there are {', '.join(label.level for label in PRESENCE)}")
    return level


def _facts_of_people(columns: Collection[str], _records: Sequence[Mapping[str, Any]]) -> bool:
    """A file with a judge's name is one of judgements."""
    return "judge" not in columns


FACT_LABEL_FILES: Final = UnitFormat(
    name="fact",
    fields=_FACT_FIELDS,
    characteristic=_FACT_NEEDED,
    required=_FACT_NEEDED,
    read=_read,
    tells=_facts_of_people,
    on_statements=True,
)
"""Labels of people on key facts that the study has."""
