"""What a record of a file, or a model, adds to a study: units and all that belongs to them, labels of people among it.

Labels that people gave elsewhere, in another tool, are events of those people. They stand in the block ``imported`` and
count as assisted, since nothing can vouch for what had been seen, unless the file says that a label was given blind.
The time of the event is that of the import; when the label was given is ``given_at`` in its payload. A file never
replaces what a reviewer did in the workbench.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from typing import Any, Final, NamedTuple

from medreview.exchange.imports.answer_records import AnswerRecord, add_responses, response_row
from medreview.labels import FLAGS, REASONS, Label, Via, is_label
from medreview.study.events import NewEvent, Recorder
from medreview.study.rows import insert
from medreview.units.cases import NewCase, add_cases
from medreview.units.kind import Gold
from medreview.units.stored import (
    NewOpinion,
    NewPassage,
    NewUnit,
    add_gold,
    add_opinions,
    add_passages,
    add_reference,
    add_units,
)

BLOCK: Final = "imported"
"""The name of the queue that such labels were met in: none of this program."""
VIA: Final[Via] = "file"
EXPOSURES: Final = ("assisted", "blind")
"""What files may say of how a label was given; the first where they say nothing."""
_TEXTS: Final = frozenset({"statement_sha256", "snapshot_sha256"})


@dataclass(frozen=True, slots=True)
class ImportedLabel:
    """What one person said of one unit: ``label`` on ``axis``, none when that is empty, with ``flags`` and a ``note``.

    ``reason``: a level of ``medreview.labels.REASONS``, why the label differs from a judge's. ``at``: when, as the file
    has it. ``blind``: the file says that no judge's opinion had been seen. ``snapshot``: the page that it is on, and
    ``texts`` the hashes of what was read, by the names that decisions have for them. ``spans``: payloads of what they
    marked (:func:`medreview.units.findings.span_payload`). ``group``: what kind of people they are (expert,
    layperson), which each of these events says. Raises ``ValueError``, half a
    sentence, for what is no label, flag or reason of this program.
    """

    unit: str
    reviewer: str
    axis: str = ""
    label: str = ""
    flags: tuple[str, ...] = ()
    note: str = ""
    at: str = ""
    reason: str = ""
    blind: bool = False
    snapshot: str | None = None
    texts: Mapping[str, str] = field(default_factory=dict)
    spans: tuple[Mapping[str, Any], ...] = ()
    group: str = ""

    def __post_init__(self) -> None:
        if not self.reviewer.strip():
            raise ValueError("has a label without the name of who gave it")
        if self.label and not is_label(self.axis, self.label):
            raise ValueError(f"has {self.label!r} as its {self.axis}, which is not one of its labels")
        for what, labels, given in (("flag", FLAGS, self.flags), ("reason", REASONS, (self.reason,))):
            for one in filter(None, given):
                if one not in [label.level for label in labels]:
                    raise unknown_label(f"{one!r} as a {what}", labels)

    @property
    def mode(self) -> str:
        """How its unit was shown."""
        return "blind" if self.blind else "open"


def add_labels(connection: sqlite3.Connection, labels: Iterable[ImportedLabel]) -> int:
    """Store them inside the caller's transaction, one sitting for each person; how many people's words are new.

    Labels that a file stored before, or that the same person gave in the workbench, are skipped.
    """
    added = 0
    # One person after the other: two recorders at a time could give the same id.
    for reviewer, given in groupby(sorted(labels, key=attrgetter("reviewer")), attrgetter("reviewer")):
        recorder = Recorder(reviewer)
        added += sum(_add(connection, recorder, one) for one in given)
    return added


def _add(connection: sqlite3.Connection, recorder: Recorder, one: ImportedLabel) -> bool:
    fresh = [event for event in _events(one) if _is_new(connection, one.reviewer, event)]
    decision = ""
    for event in fresh:
        receipt = recorder.append(connection, event, block=BLOCK, mode=one.mode)
        decision = receipt.event_id if event.kind == "decide" else decision
    if decision and one.reason:
        event = NewEvent("reason", one.unit, {"decision": decision, "code": one.reason})
        recorder.append(connection, event, block=BLOCK, mode=one.mode)
    return bool(fresh)


def _events(one: ImportedLabel) -> Iterator[NewEvent]:
    given = {"via": VIA, "given_at": one.at} | ({"group": one.group} if one.group else {})
    if one.label:
        seen = {"exposure": {"judge_verdict": "no"}} if one.blind else {}
        payload = {"axis": one.axis, "label": one.label, **given, **seen, **one.texts}
        yield NewEvent("decide", one.unit, payload, one.snapshot)
    for span in one.spans:
        yield NewEvent("span_add", one.unit, {**span, **given})
    for flag in one.flags:
        yield NewEvent("flag", one.unit, {"flag": flag, "on": True, **given})
    if one.note:
        yield NewEvent("note", one.unit, {"text": one.note, **given})


def _is_new(connection: sqlite3.Connection, reviewer: str, event: NewEvent) -> bool:
    """Whether this person neither said the same in a file before nor anything of the kind in the workbench."""
    rows = connection.execute(
        "SELECT block, payload FROM event WHERE unit = ? AND reviewer = ? AND kind IN (?, ?)",
        (event.unit, reviewer, event.kind, "revise" if event.kind == "decide" else event.kind),
    )
    said: Iterator[tuple[str, Mapping[str, Any]]] = ((row["block"], json.loads(row["payload"])) for row in rows)
    return not any(
        _same_matter(before, event.payload) if block != BLOCK else _same_words(before, event.payload)
        for block, before in said
    )


def _same_matter(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return all(one.get(name) == other.get(name) for name in ("axis", "flag"))


def _same_words(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether a file has said it before: on another text of the page the same line says nothing new."""
    named = {*one, *other} - _TEXTS
    return all(one.get(name) == other.get(name) for name in named)


def unknown_label(what: str, labels: Iterable[Label], more: str = "") -> ValueError:
    """The error for a word of a file that is none of the labels: what the record has, and which labels there are."""
    return ValueError(f"has {what}; there are {', '.join(label.level for label in labels)}{more}")


@dataclass(frozen=True, slots=True)
class ImportRecord:
    """What one record brings: units, the passages and cases they are about, right labels, what machines and people say.

    ``answers``: ordinary responses, which are units of a kind as they are; ``references``: (question, correct answer).
    ``others``: rows of further tables, ``(table, row)``; a row that is there already is passed over. ``warnings``: what
    is odd about the record, each half a sentence (``has one option only``).
    """

    units: tuple[NewUnit, ...] = ()
    passages: tuple[NewPassage, ...] = ()
    cases: tuple[NewCase, ...] = ()
    gold: tuple[tuple[str, Gold], ...] = ()
    opinions: tuple[NewOpinion, ...] = ()
    labels: tuple[ImportedLabel, ...] = ()
    others: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    answers: tuple[AnswerRecord, ...] = ()
    references: tuple[tuple[str, str], ...] = ()
    warnings: tuple[str, ...] = ()


class StoredCounts(NamedTuple):
    """How many imported items are new; ``units``: responses among them."""

    units: int
    cases: int
    gold: int
    opinions: int
    labels: int


def store_records(connection: sqlite3.Connection, batch: Sequence[ImportRecord], imported_from: str) -> StoredCounts:
    """Store what came inside the caller's transaction; what is there already is passed over."""
    answers = add_responses(connection, [response_row(one, imported_from) for one in _each(batch, "answers")])
    for question, text in _each(batch, "references"):
        add_reference(connection, question, text, imported_from)
    add_passages(connection, _each(batch, "passages"), imported_from)
    cases = add_cases(connection, _each(batch, "cases"), imported_from)
    for table, row in _each(batch, "others"):
        insert(connection, table, [row])
    units = add_units(connection, list(_each(batch, "units")), imported_from)
    gold = add_gold(connection, _each(batch, "gold"), imported_from)
    opinions = add_opinions(connection, _each(batch, "opinions"), imported_from)
    return StoredCounts(units + answers, cases, gold, opinions, add_labels(connection, _each(batch, "labels")))


def _each(batch: Sequence[ImportRecord], name: str) -> Iterator[Any]:
    return (item for one in batch for item in getattr(one, name))
