"""Rows of the table ``unit``: ids by content, and how they come in, from files and by events alike.

Key facts of cases are made by events: a reviewer's own become units, and what is kept becomes a key fact. The rows
follow from the events alone, so that a copy of the study, or an export of it, gets the same ones. Which of them are in
force (``key_fact_in_force``) follows from what stands now: nothing is deleted when a fact is discarded.
"""

import json
import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from medreview.labels import EDITED
from medreview.study.ids import content_id, kind_of, unit_id
from medreview.study.rows import insert
from medreview.text import sha256


def dumped(content: Mapping[str, Any]) -> str:
    """The JSON text of a content, the same for the same content."""
    return json.dumps(content, ensure_ascii=False, sort_keys=True)


def content_unit_id(kind: str, belongs_to: str, content: Mapping[str, Any]) -> str:
    """The id of a unit that came as such: the same content has the same one in every study."""
    return unit_id(kind, content_id("x", belongs_to, dumped(content)))


def insert_unit(
    connection: sqlite3.Connection, kind: str, belongs_to: str, content: Mapping[str, Any], **columns: str
) -> int:
    """Insert a unit after the last of its kind; 0 when it is there already.

    ``columns``: record_id, origin, model, text, made_by, imported_at, imported_from.
    """
    last = connection.execute("SELECT max(ordinal) FROM unit WHERE kind = ?", (kind,)).fetchone()[0]
    row = {
        "unit_id": content_unit_id(kind, belongs_to, content),
        "kind": kind,
        "ordinal": 1 + (last or 0),
        "belongs_to": belongs_to,
        "content": dumped(content),
        "content_sha256": sha256(dumped(content)),
        **columns,
    }
    return insert(connection, "unit", [row])


FACT_ADD: Final = "fact_add"
"""The kind of the events by which reviewers add facts of their own; their unit is the new suggestion."""
KIND: Final = "suggestion"
_LABELS: Final = ("decide", "revise", "adjudicate")
_IN_FORCE: Final = ("kept", EDITED)


def key_fact_id(question_sha256: str, text: str) -> str:
    """The id of a key fact: the same fact of the same question has the same one in every study."""
    return content_id("f", question_sha256, text)


def fact_content(case_id: str, fact: str, category: str, quote: str = "", *, own: bool = False) -> dict[str, Any]:
    """What a suggestion is made of; ``quote``: the passage of the reference text that a model gave with it."""
    return {"case": case_id, "fact": fact, "category": category, "quote": quote} | ({"own": 1} if own else {})


def own_fact_id(case_id: str, fact: str, category: str) -> str:
    """The unit of a fact that a reviewer adds to a case."""
    return content_unit_id(KIND, case_id, fact_content(case_id, fact, category, own=True))


class _Fact(NamedTuple):
    """A fact as an event leaves it. Own facts name their ``case_id``, others are found by their ``unit``."""

    unit: str
    case_id: str
    text: str
    category: str


def make_rows(connection: sqlite3.Connection, event: Mapping[str, Any]) -> None:
    """Insert what an event about a suggestion makes: the unit of an own fact, the key fact of what is kept.

    ``event`` is a complete row. Raises ``ValueError`` for an own fact of a case that this study does not have, or whose
    unit is not that of its words.
    """
    if kind_of(event["unit"]) != KIND:
        return
    payload = json.loads(event["payload"])
    if event["kind"] == FACT_ADD:
        _add_unit(connection, event, payload)
    fact = _made(connection, event["kind"], event["unit"], payload)
    question = _question(connection, fact.case_id) if fact else None
    if fact is None or question is None:
        return
    last = connection.execute(
        "SELECT coalesce(max(ordinal), 0) FROM key_fact WHERE question_sha256 = ?", (question,)
    ).fetchone()[0]
    row = {
        "key_fact_id": key_fact_id(question, fact.text),
        "question_sha256": question,
        "ordinal": last + 1,
        "category": fact.category,
        "added_by": event["reviewer"],
        "added_at": event["at_utc"],
        "text": fact.text,
        "suggestion": fact.unit,
    }
    insert(connection, "key_fact", [row])


def facts_made(
    connection: sqlite3.Connection, events: Iterable[tuple[str, str, Mapping[str, Any]]]
) -> tuple[set[str], set[str]]:
    """The units, and the ids of the key facts, that events of (kind, unit, payload) will make in this study."""
    units: set[str] = set()
    facts: set[str] = set()
    added: dict[str, Mapping[str, Any]] = {}
    for kind, unit, payload in events:
        if kind_of(unit) != KIND:
            continue
        if kind == FACT_ADD and _question(connection, payload["case"]) is not None:
            units.add(unit)
            added[unit] = payload
        fact = _made(connection, kind, unit, payload, added.get(unit))
        question = _question(connection, fact.case_id) if fact else None
        if fact is not None and question is not None:
            facts.add(key_fact_id(question, fact.text))
    return units, facts


def number_added(connection: sqlite3.Connection) -> None:
    """Number the own facts by when they were added, whoever did it in whichever copy; for after a merge."""
    rows = connection.execute(
        """SELECT u.unit_id, u.ordinal FROM unit AS u JOIN event AS e ON e.unit = u.unit_id
           WHERE u.kind = ? AND e.kind = ? GROUP BY u.unit_id ORDER BY min(e.event_id)""",
        (KIND, FACT_ADD),
    ).fetchall()
    places = sorted(row["ordinal"] for row in rows)
    moved = [(place, row["unit_id"]) for place, row in zip(places, rows, strict=True) if place != row["ordinal"]]
    for sign in (-1, 1):  # no two have one place meanwhile
        connection.executemany(
            "UPDATE unit SET ordinal = ? WHERE unit_id = ?", [(sign * place, unit) for place, unit in moved]
        )


def _add_unit(connection: sqlite3.Connection, event: Mapping[str, Any], payload: Mapping[str, Any]) -> None:
    case_id, text, category = payload["case"], payload["text"], payload["category"]
    if _question(connection, case_id) is None:
        raise ValueError(f"the case {case_id} is not in this study")
    if event["unit"] != own_fact_id(case_id, text, category):
        raise ValueError(f"{event['unit']} is not the unit of the fact that was added")
    insert_unit(
        connection, KIND, case_id, fact_content(case_id, text, category, own=True),
        record_id="", origin="", model="", text=text, made_by=dumped({"reviewer": event["reviewer"]}),
        imported_at=event["at_utc"], imported_from="",
    )  # fmt: skip


def _made(
    connection: sqlite3.Connection,
    kind: str,
    unit: str,
    payload: Mapping[str, Any],
    added: Mapping[str, Any] | None = None,
) -> _Fact | None:
    """The fact that an event puts in force; ``added``: the payload of the event that adds the unit, where it is new."""
    if kind == FACT_ADD:
        return _Fact(unit, payload["case"], payload["text"], payload["category"])
    if kind not in _LABELS or payload.get("axis") != KIND or payload.get("label") not in _IN_FORCE:
        return None
    row = connection.execute("SELECT content FROM unit WHERE unit_id = ?", (unit,)).fetchone()
    if row is None and added is None:
        return None
    content = json.loads(row["content"]) if row else {**(added or {}), "fact": (added or {})["text"]}
    words = str(payload.get("text") or "").strip(" ") if payload["label"] == EDITED else ""
    return _Fact(unit, content["case"], words or content["fact"], payload.get("category") or content["category"])


def _question(connection: sqlite3.Connection, case_id: str) -> str | None:
    row = connection.execute("SELECT question_sha256 FROM clinical_case WHERE case_id = ?", (case_id,)).fetchone()
    return None if row is None else str(row["question_sha256"])
