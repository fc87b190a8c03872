"""Spans that are marked in whole responses: what judges found, with an expert's remarks, and the record of a span.

Which word of a judge counts is in the views ``finding_current`` and ``finding_place``: its newest.
"""

import json
import sqlite3
from collections.abc import Iterable
from typing import Any, NamedTuple

from medreview.labels import level_named
from medreview.text import Span, sha256


class FoundSpan(NamedTuple):
    """One of the passages of a finding: ``number`` from 1, the words as the judge gave them, how true these are to the
    response, and where they stand in it: the parts of a quote joined by ellipses, or every place of a repeated one."""

    number: int
    quote: str
    status: str
    places: tuple[Span, ...]


class Finding(NamedTuple):
    """What one judge found in a response. ``type`` is a level of the hallucination axis, ``None`` when it abstained.

    ``assisted``: it was shown an expert's remarks, the events ``assisted_by``; then it is no vote.
    """

    finding_id: str
    response_id: str
    judge: str
    model: str
    prompt_id: str
    assisted: bool
    assisted_by: tuple[str, ...]
    type: str | None
    reason: str
    spans: tuple[FoundSpan, ...]

    @property
    def words(self) -> str:
        """The type as screens say it."""
        return level_named("hallucination", self.type).name if self.type else "no answer"


def findings_of(reader: sqlite3.Connection, response_id: str) -> tuple[Finding, ...]:
    """Each judge's newest word on a response, in the order in which judges were asked; a judge's assisted one after."""
    rows = reader.execute(
        """SELECT * FROM finding_current WHERE response_id = ?
           ORDER BY (SELECT min(ordinal) FROM judge_run AS o WHERE o.judge = finding_current.judge), assisted""",
        (response_id,),
    )
    return tuple(map(_finding, rows))


def alone(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Those that a judge made by itself: the only ones that are votes, and whose places are marked."""
    return tuple(one for one in findings if not one.assisted)


def _finding(row: sqlite3.Row) -> Finding:
    return Finding(
        finding_id=row["finding_id"],
        response_id=row["response_id"],
        judge=row["judge"],
        model=row["model"],
        prompt_id=row["prompt_id"],
        assisted=bool(row["assisted"]),
        assisted_by=tuple(json.loads(row["assisted_by"])),
        type=row["type"],
        reason=row["reason"],
        spans=tuple(_span(number, given) for number, given in enumerate(json.loads(row["spans"]), 1)),
    )


def _span(number: int, given: dict[str, Any]) -> FoundSpan:
    return FoundSpan(number, given["quote"], given["status"], tuple(Span(*place) for place in given["spans"]))


def span_payload(
    axis: str, label: str, target: str, text: str, span: Span, *, reason: str = "", with_span: str | None = None,
    finding: tuple[str, int] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """The payload of a ``span_add``: a range of a text, its words, its level on an axis, and the hash of the text.

    ``target``: the key of the document. ``with_span``: the event of the span that it clashes with. ``finding``: id and
    number of the machine's span that it was taken over from.
    """
    payload: dict[str, Any] = {
        "axis": axis,
        "label": label,
        "target": target,
        "start": span.start,
        "end": span.end,
        "exact": text[span.start : span.end],
        "sha256": sha256(text),
    }
    payload |= {"reason": reason} if reason else {}
    payload |= {"with": with_span} if with_span else {}
    payload |= {"from_finding": finding[0], "from_span": finding[1]} if finding else {}
    return payload
