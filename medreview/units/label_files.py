"""Files of people's labels on statements, pairs, lists of statements, and key facts: a record for each person and unit.

A label is on the page that is beside the unit now, as one that is given in the workbench.
"""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

from medreview.citations import Citation, canonical_key, from_list
from medreview.exchange.imports.field_mapping import name_of, text_of
from medreview.exchange.imports.file_rows import BadRecord
from medreview.judges.votes import LABELS, mapped, normalised
from medreview.labels import EVIDENCE, PRESENCE, REASONS, is_label
from medreview.study import Study
from medreview.study.ids import PAIR, STATEMENT, unit_id
from medreview.text import Span, counted, sha256
from medreview.units.answer_files import place_of
from medreview.units.findings import span_payload
from medreview.units.kind import RESPONSE
from medreview.units.named_statement import find_statement
from medreview.units.new_units import EXPOSURES, ImportedLabel, ImportRecord, unknown_label
from medreview.units.statement_list import LIST, StatementList, load_list
from medreview.units.unit_format import UnitFormat, texts_of

_REVIEWER: Final = ("reviewer", "expert", "annotator", "rater")
_ALSO: Final[dict[str, tuple[str, ...]]] = {
    "note": ("note", "comment"), "exposure": ("exposure",), "at": ("at", "date"),
}  # fmt: skip


class _Labelled(NamedTuple):
    """The unit that a record names, its page as it is now, and the hashes of what is read there."""

    unit: str
    texts: Mapping[str, str]
    snapshot: str | None = None


_Find = Callable[[Mapping[str, Any], sqlite3.Connection], _Labelled]


def _label_files(
    kind: str,
    required: Sequence[str],
    fields: dict[str, tuple[str, ...]],
    find: _Find,
    label: Callable[[str], tuple[str, str]],
    cautions: Callable[[Sequence[BadRecord]], list[str]] = lambda bad: [],
    finder: Callable[[sqlite3.Connection], _Find] | None = None,
) -> UnitFormat:
    """The files of one kind. ``find``: the unit of a record; a ``finder`` makes another one for each file; ``label``:
    axis and level of the word of a file."""

    def read(values: Mapping[str, Any], study: Study, find: _Find = find) -> ImportRecord:
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
        begin=(lambda study: partial(read, find=finder(study.reader))) if finder else None,
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
_RESPONSES: Final = "SELECT * FROM response WHERE record_id = ?1 OR response_id = ?1"


def _facts(reader: sqlite3.Connection) -> _Find:
    """Finds a fact of the case of a response, by its id or its words, among the facts in force when the file began."""
    facts: dict[str, list[sqlite3.Row]] = {}
    for row in reader.execute("SELECT question_sha256, key_fact_id, text FROM key_fact_in_force"):
        facts.setdefault(row["question_sha256"], []).append(row)

    def find(values: Mapping[str, Any], reader: sqlite3.Connection) -> _Labelled:
        response, fact = _response_named(reader, name_of(values, "response")), name_of(values, "fact")
        for row in facts.get(sha256(response["question"]), ()):
            if row["key_fact_id"] == fact or row["text"].split() == fact.split():
                unit = unit_id("fact", response["response_id"], row["key_fact_id"])
                return _Labelled(unit, {"statement_sha256": response["text_sha256"]})
        raise ValueError(f"has a fact that is not a key fact of the response's case: {fact[:60]!r}")

    return find


def _response_named(reader: sqlite3.Connection, named: str) -> sqlite3.Row:
    found = reader.execute(_RESPONSES, (named,)).fetchall()
    if len(found) != 1:
        raise ValueError(f"names the response {named!r}, " + ("which are several" if found else "which is not there"))
    row: sqlite3.Row = found[0]
    return row


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
    lambda values, reader: _facts(reader)(values, reader),
    _presence,
    finder=_facts,
)
"""Labels of people on key facts that the study has."""

_ANSWER: Final = "SELECT 1 FROM response WHERE response_id = ? AND invalid = '' AND parser IS NOT NULL"


def _read_list(values: Mapping[str, Any], study: Study) -> ImportRecord:
    """What one reviewer says of the list of one answer: the numbers of its faulty statements, and what it lacks."""
    response = _response_named(study.reader, name_of(values, "response"))
    response_id, answer = response["response_id"], response["text"]
    if study.reader.execute(_ANSWER, (response_id,)).fetchone() is None:
        raise ValueError(f"names the response {name_of(values, 'response')!r}, which was not split into statements")
    known = load_list(study.reader, response_id, answer)
    ids = {one.statement_id: one.line for one in known.statements}
    marks = [
        span_payload(_LIST, fault, LIST, known.text, line)
        for fault in _FAULTS
        for named in texts_of(values, fault)
        for line in _lines(known, ids, named)
    ]
    given = texts_of(values, "missing")
    amounts = [one.casefold() for one in given if one.casefold() in _AMOUNTS or one.isdecimal()]
    lacks = any(one not in _NO_FAULT for one in amounts)
    for words in given:
        if words.casefold() in amounts:
            continue
        place = place_of(words, answer)
        if place is None:
            raise ValueError(f"has a missing statement that is not in the answer's words: {words[:60]!r}")
        marks.append(span_payload(_LIST, "missing", RESPONSE, answer, place))
    found = {"missing"} if lacks else {str(mark["label"]) for mark in marks}
    label = next((fault for fault in ("missing", *_FAULTS) if fault in found), "none")
    said = ImportedLabel(
        unit=unit_id(_LIST, response_id),
        reviewer=name_of(values, "reviewer"),
        axis=_LIST,
        label=label,
        note=text_of(values, "note").strip(),
        at=name_of(values, "at"),
        blind=_given_blind(values),
        texts={"statement_sha256": sha256(known.listed)},
        spans=tuple(marks),
    )
    return ImportRecord(labels=(said,))


def _lines(known: StatementList, ids: Mapping[str, Span], named: str) -> Sequence[Span]:
    """The statements that a cell names by number or id. Raises ``ValueError`` for one that the list does not have."""
    found: list[Span] = []
    for word in named.replace(",", " ").split():
        if word.casefold() in _NO_FAULT - {"0"}:
            continue
        try:
            found += [ids[word]] if word in ids else known.numbered(word)
        except ValueError as error:
            raise ValueError(f"names a statement of another list: {str(error)[0].lower()}{str(error)[1:-1]}") from error
    return found


_LIST: Final = "statement_list"
_FAULTS: Final = ("not_contained", "not_self_contained")
_NO_FAULT: Final = frozenset({"no", "none", "0", "false"})
_AMOUNTS: Final = _NO_FAULT | {"yes", "true"}
"""What a cell may say instead of the words that are missing; a number is how many."""
LIST_LABEL_FILES: Final = UnitFormat(
    name=_LIST,
    fields={
        "reviewer": (*_REVIEWER, "reviewer_id", "physician", "doctor"),
        "response": ("response", "response_id", "record_id", "answer"),
        "not_contained": ("not_contained",),
        "not_self_contained": ("not_self_contained",),
        "missing": ("missing",),
        **_ALSO,
    },
    characteristic=("reviewer", "response", "not_contained", "missing"),
    required=("reviewer", "response"),
    read=_read_list,
    on_statements=True,
)
"""What people found in the lists of statements of the study's answers: a record for each person and answer."""
