"""Files of people's labels on statements, on pairs, and on key facts in responses: one record for each person and unit.

A label is on the page that is beside the unit now, as one that is given in the workbench.
"""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from medreview.citations import Citation, canonical_key, from_list
from medreview.exchange.imports.field_mapping import name_of, text_of
from medreview.exchange.imports.file_rows import BadRecord
from medreview.judges.votes import LABELS, mapped, normalised
from medreview.labels import EVIDENCE, PRESENCE, REASONS, is_label
from medreview.study import Study
from medreview.study.ids import PAIR, STATEMENT, unit_id
from medreview.text import counted
from medreview.units.named_statement import find_statement
from medreview.units.new_units import EXPOSURES, ImportedLabel, ImportRecord, unknown_label
from medreview.units.unit_format import UnitFormat

_REVIEWER: Final = ("reviewer", "expert", "annotator", "rater")
_ALSO: Final[dict[str, tuple[str, ...]]] = {
    "note": ("note", "comment"), "exposure": ("exposure",), "at": ("at", "date"),
}  # fmt: skip


class _Labelled(NamedTuple):
    """The unit that a record names, its page as it is now, and the hashes of what is read there."""

    unit: str
    texts: Mapping[str, str]
    snapshot: str | None = None


def _label_files(
    kind: str,
    required: Sequence[str],
    fields: dict[str, tuple[str, ...]],
    find: Callable[[Mapping[str, Any], sqlite3.Connection], _Labelled],
    label: Callable[[str], tuple[str, str]],
    cautions: Callable[[Sequence[BadRecord]], list[str]] = lambda bad: [],
) -> UnitFormat:
    """The files of one kind. ``find``: the unit of a record; ``label``: axis and level of the word of a file."""

    def read(values: Mapping[str, Any], study: Study) -> ImportRecord:
        (axis, level), blind = label(name_of(values, "label")), _given_blind(values)
        found = find(values, study.reader)
        reason, words = _reason(text_of(values, "reason").strip())
        given = ImportedLabel(
            unit=found.unit,
            reviewer=name_of(values, "reviewer"),
            axis=axis,
            label=level,
            note="\n".join(filter(None, (words, text_of(values, "note").strip()))),
            at=name_of(values, "at"),
            reason=reason,
            blind=blind,
            snapshot=found.snapshot,
            texts=found.texts,
        )
        return ImportRecord(labels=(given,))

    return UnitFormat(
        name=kind,
        fields=fields | _ALSO,
        characteristic=tuple(required),
        required=tuple(required),
        read=read,
        tells=lambda columns, records: "judge" not in columns,  # a file with a judge's name is one of judgements
        on_statements=True,
        cautions=cautions,
    )


def _given_blind(values: Mapping[str, Any]) -> bool:
    """Whether a record says that its label was given blind. What nobody knows counts as assisted.

    Raises ``ValueError`` for other words than those of ``EXPOSURES``, ``open`` and ``unknown``.
    """
    exposure = name_of(values, "exposure").lower() or EXPOSURES[0]
    if exposure not in (*EXPOSURES, "open", "unknown"):
        raise ValueError(f"has {exposure!r} as its exposure; it is blind, or assisted (also open, unknown)")
    return exposure == "blind"


def _reason(given: str) -> tuple[str, str]:
    """The code that a reason is, or else its words, which become a note."""
    folded = given.casefold().replace("_", " ")
    code = next((one.level for one in REASONS if folded in (one.level, one.name)), "")
    return code, "" if code else given


_TWO_WAY: Final = "which does not say in which way the statement is not supported"
_PAGE: Final = """SELECT p.snapshot_id, p.text_sha256 FROM source_order AS o JOIN snapshot AS p USING (snapshot_id)
WHERE o.statement_id = ? AND o.opens"""


def _statement(values: Mapping[str, Any], reader: sqlite3.Connection) -> _Labelled:
    found = find_statement(reader, name_of(values, "statement"), name_of(values, "response"), name_of(values, "model"))
    snapshot, text = reader.execute(_PAGE, (found.statement_id,)).fetchone() or (None, "")
    texts = {"statement_sha256": found.text_sha256, "snapshot_sha256": text}
    return _Labelled(found.statement_id, texts, snapshot)


def _evidence(raw: str) -> tuple[str, str]:
    verdict, supported = mapped(raw) or (None, None)
    if verdict is not None:
        return "evidence", verdict
    if supported is not None:
        raise ValueError(f"has the label {raw!r}, {_TWO_WAY}: partial, contradicted or not_addressed")
    raise unknown_label(f"the label {raw!r}", EVIDENCE, _nearest(raw))


def _nearest(raw: str) -> str:
    from rapidfuzz import process

    known = [word for word, (verdict, _) in LABELS.items() if verdict is not None]
    found = process.extractOne(normalised(raw), known, score_cutoff=75)
    return f"; nearest: {LABELS[found[0]][0]}" if found else ""


def _one_sided(bad: Sequence[BadRecord]) -> list[str]:
    """What to say where labels came in that say "supported", and none that only say "not supported"."""
    left = sum(_TWO_WAY in record.reason for record in bad)
    if not left:
        return []
    return [
        f"{counted(left, 'label')} that only {'says' if left == 1 else 'say'} not supported left out, while those that "
        "say supported came in: shares and agreement of these labels look better than they are. Say how each is not "
        "supported, or name its source, since a label on a pair may leave that open"
    ]


_CITED: Final = """
SELECT DISTINCT c.kind, c.value, u.source_id, u.url, u.current_snapshot, n.number, p.text_sha256
FROM citation AS c JOIN source AS u USING (source_id) LEFT JOIN own_number AS n USING (response_id, source_id)
LEFT JOIN snapshot AS p ON p.snapshot_id = u.current_snapshot WHERE c.response_id = ?"""


def _pair(values: Mapping[str, Any], reader: sqlite3.Connection) -> _Labelled:
    statement = find_statement(reader, name_of(values, "statement"), name_of(values, "response"))
    source = _source(reader, statement.response_id, name_of(values, "source"))
    texts = {"statement_sha256": statement.text_sha256, "snapshot_sha256": source["text_sha256"] or ""}
    unit = unit_id(PAIR, statement.statement_id, source["source_id"])
    return _Labelled(unit, texts, source["current_snapshot"])


def _source(reader: sqlite3.Connection, response_id: str, named: str) -> sqlite3.Row:
    """A source that the response cites: by id, address, identifier, or its number there."""
    cited = from_list([named]).citations
    key = canonical_key(cited[0]) if cited else ""
    number = named.strip("[]")
    for row in reader.execute(_CITED, (response_id,)):
        same = named in (row["source_id"], row["url"], row["value"]) or number == str(row["number"])
        if same or (key and key == canonical_key(Citation(row["kind"], row["value"]))):
            found: sqlite3.Row = row
            return found
    raise ValueError(f"has a source that its response does not cite: {named[:80]!r}")


def _support(raw: str) -> tuple[str, str]:
    """Axis and level; "not supported" is no level of the evidence axis, and stays what it is."""
    verdict, supported = mapped(raw) or (None, None)
    if verdict is not None:
        return "evidence", verdict
    if supported is not None:
        return "support", "not_supported"
    raise unknown_label(f"the label {raw!r}", EVIDENCE, ", not_supported")


_PRESENCE: Final = {
    "yes": "present", "no": "absent", "1": "present", "0": "absent", "true": "present", "false": "absent",
    "present, contradicted": "both", "present and contradicted": "both", "unsure": "cannot_judge",
}  # fmt: skip
"""Other words for the levels, as files write them."""
_RESPONSES: Final = "SELECT response_id, text_sha256 FROM response WHERE record_id = ?1 OR response_id = ?1"
_FACTS: Final = """
SELECT k.key_fact_id, k.text FROM key_fact_in_force AS k JOIN response AS r ON sha256_of(r.question) = k.question_sha256
WHERE r.response_id = ?"""


def _fact(values: Mapping[str, Any], reader: sqlite3.Connection) -> _Labelled:
    """A fact of the case of a response, by its id or its words."""
    response, fact = name_of(values, "response"), name_of(values, "fact")
    found = reader.execute(_RESPONSES, (response,)).fetchall()
    if len(found) != 1:
        raise ValueError(
            f"names the response {response!r}, " + ("which are several" if found else "which is not there")
        )
    for row in reader.execute(_FACTS, (found[0]["response_id"],)):
        if row["key_fact_id"] == fact or row["text"].split() == fact.split():
            unit = unit_id("fact", found[0]["response_id"], row["key_fact_id"])
            return _Labelled(unit, {"statement_sha256": found[0]["text_sha256"]})
    raise ValueError(f"has a fact that is no key fact of the response's case: {fact[:60]!r}")


def _presence(raw: str) -> tuple[str, str]:
    folded = raw.casefold().replace("_", " ")
    level = _PRESENCE.get(folded, folded.replace(" ", "_"))
    if not is_label("presence", level):
        raise unknown_label(f"the label {raw!r}", PRESENCE)
    return "presence", level


STATEMENT_LABEL_FILES: Final = _label_files(
    STATEMENT,
    ("reviewer", "statement", "label"),
    {
        "reviewer": (*_REVIEWER, "physician"),
        "response": ("response", "response_id", "record_id"),
        "model": ("model",),
        "statement": ("statement", "statement_id", "claim", "ordinal"),
        "label": ("label", "verdict"),
        "reason": ("reason",),
    },
    _statement,
    _evidence,
    _one_sided,
)
"""Labels of people on statements that the study has."""

PAIR_LABEL_FILES: Final = _label_files(
    PAIR,
    ("reviewer", "statement", "source", "label"),
    {
        "reviewer": _REVIEWER,
        "response": ("response",),
        "statement": ("statement",),
        "source": ("source",),
        "label": ("label",),
        "reason": ("reason",),
    },
    _pair,
    _support,
)
"""Labels of people on pairs that the study has."""

FACT_LABEL_FILES: Final = _label_files(
    "fact",
    ("reviewer", "response", "fact", "label"),
    {
        "reviewer": (*_REVIEWER, "physician"),
        "response": ("response", "response_id"),
        "fact": ("fact", "key_fact"),
        "label": ("label", "presence"),
    },
    _fact,
    _presence,
)
"""Labels of people on key facts that the study has."""
