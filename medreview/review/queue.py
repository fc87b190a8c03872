"""Queues: ordered, filtered sets of statements to review. A queue is a filter, never a one-way door."""

import json
import random
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from medreview.errors import UserError
from medreview.review.audit import begin_audit
from medreview.review.conflicts import conflict_units
from medreview.review.queue_kinds import ALL, ROWS, Mode, QueueKind, shown_in, unit_rows
from medreview.review.second_annotation import ready_units
from medreview.review.second_pass import in_pass
from medreview.study import Study
from medreview.study.package import without_judges
from medreview.study.unit_ids import STATEMENT

OPEN_FINDING: Final = """NOT EXISTS (SELECT 1 FROM finding_handled AS h
    WHERE h.finding_id = f.finding_id AND h.span = f.span AND h.reviewer = ?1 AND h.pass = ?2 AND h.unit IN (
        SELECT statement_id FROM statement WHERE response_id = {response} UNION ALL SELECT 'answer:' || {response}))"""
"""Which places of findings ``f`` a reviewer has neither taken over nor rejected, in any unit of the response."""

_FILTERS: Final = {
    "model": "r.model = ?",
    "origin": "r.origin = ?",
    "response": "'R' || printf('%02d', r.ordinal) = upper(?)",
    "id": "instr(lower(r.record_id), lower(?)) = 1",
    "badge": "instr(v.badges, ?) > 0",
    "verdict": "v.verdict = ?",
    "merged": "CASE v.merged_supported WHEN 1 THEN 'yes' WHEN 0 THEN 'no' END = ?",
    "mine": "coalesce(mine.label, 'open') = ?",
    "state": "coalesce(mine.state, 'open') = ?",
    "finding": f"""EXISTS (SELECT 1 FROM (SELECT ? AS kind) AS w JOIN finding_statement AS f
               ON f.statement_id = s.statement_id WHERE f.type = w.kind OR w.kind = 'open' AND {
        OPEN_FINDING.format(response="s.response_id")
    })""",
    "page": """EXISTS (SELECT 1 FROM citation AS c JOIN snapshot_current AS p USING (source_id)
               WHERE c.response_id = r.response_id AND p.page_state = ?)""",
    "domain": """EXISTS (SELECT 1 FROM citation AS c JOIN source AS o USING (source_id)
                 WHERE c.response_id = r.response_id AND o.domain = ?)""",
}
_TEXT: Final = "instr(lower(s.text), lower(?)) > 0"
_UNIT_FILTERS: Final = {
    "model": "s.model = ?",
    "origin": "s.origin = ?",
    "id": "instr(lower(s.record_id), lower(?)) = 1",
    "mine": _FILTERS["mine"],
    "state": _FILTERS["state"],
}
"""What the queue of another kind of unit can be narrowed by."""
_MORE_FILTERS: Final = {
    "answer": {
        "finding": f"""EXISTS (SELECT 1 FROM (SELECT ? AS kind) AS w, response AS r
            WHERE r.response_id = substr(s.unit, length('answer:') + 1) AND (
                EXISTS (SELECT 1 FROM finding_current AS f
                        WHERE f.response_id = r.response_id AND NOT f.assisted AND f.type = w.kind)
                OR w.kind = 'open' AND EXISTS (SELECT 1 FROM finding_place AS f
                        WHERE f.response_id = r.response_id AND {OPEN_FINDING.format(response="r.response_id")})))""",
    }
}
"""And by what more, by kind."""
_HIDDEN_WHEN_BLIND: Final = frozenset({"badge", "verdict", "merged", "model", "finding"})


@dataclass(frozen=True, slots=True)
class Queue:
    """An ordered set of units, with the filter that made it.

    ``responses``: for each of them the number of what it is listed under, a statement's response. ``reserved``: how
    many more would be in it, were they not kept for the audit.
    """

    kind: QueueKind
    mode: Mode
    filter: str
    units: Sequence[str]
    responses: Sequence[int]
    reserved: int = 0

    @property
    def nothing(self) -> str:
        """The sentence for a queue without statements."""
        name = f"queue “{self.kind.title}”"
        said = f"Nothing in the {name} fits {self.filter!r}" if self.filter else f"The {name} is empty"
        kept = (
            "; what would be in it is reserved for the audit (`medreview audit STUDY --release` gives it back)"
            if self.reserved
            else ""
        )
        return f"{said}{kept}."


def kind_named(name: str) -> QueueKind:
    """The kind of queue with this name; raises :class:`UserError` naming those there are."""
    for kind in ALL:
        if kind.name == name:
            return kind
    raise UserError(f"There is no queue {name!r}; there are {', '.join(kind.name for kind in ALL)}.")


def open_queue(
    study: Study, name: str, reviewer: str, *, filter: str = "", blind: bool | None = None, pass_no: int = 1
) -> Queue:
    """The queue as it stands now for this reviewer.

    Members of the audit that the reviewer has not met yet are in no queue that shows the judges, and what is kept blind
    is in none that would tell (``queue_kinds.shown_in``). A blind queue other than the audit is put in a random order
    of the reviewer's own, because the order of flags or of responses would tell. In a copy of a study from which the
    judges were left out every queue that can be is blind.
    Raises :class:`UserError` for an unknown queue or filter word.
    """
    kind = kind_named(name)
    pass_no = max(pass_no, kind.pass_no)
    if blind is None and not kind.tells and without_judges(study.reader):
        blind = True
    mode: Mode = kind.mode if blind is None else "blind" if blind else "open"
    if kind.tells and mode == "blind":
        raise UserError("This queue cannot be blind: being in it says what the judges think. Use the audit.")
    if kind.name == "audit" and not begin_audit(study, reviewer) and not study.writable:
        raise UserError("The audit is not drawn yet, and a study open for reading only cannot draw it.")
    conditions, values = _conditions(filter, mode, _filters(kind.unit))
    chosen = _chosen(study, kind, reviewer)
    if chosen is None:
        return _open(study, kind, reviewer, pass_no, mode, filter, conditions, values)
    unit = "s.statement_id" if kind.unit == STATEMENT else "s.unit"
    conditions.append(f"{unit} IN (SELECT value FROM json_each(?))")
    values.append(json.dumps(chosen))
    queue = _open(study, kind, reviewer, pass_no, mode, filter, conditions, values)
    groups = dict(zip(queue.units, queue.responses, strict=True))
    units = [unit for unit in chosen if unit in groups]
    return replace(queue, units=units, responses=[groups[unit] for unit in units])


def _chosen(study: Study, kind: QueueKind, reviewer: str) -> list[str] | None:
    """What is in a queue whose units are told one by one, in its order; ``None`` for one that is a filter."""
    match kind.chosen:
        case "second":
            return in_pass(study.reader, reviewer)
        case "conflicts":
            return conflict_units(study.reader, kind.unit)
        case "share":
            return ready_units(study.reader, study.meta("study_id"), kind.unit, reviewer)
    return None


def _open(
    study: Study,
    kind: QueueKind,
    reviewer: str,
    pass_no: int,
    mode: Mode,
    filter: str,
    conditions: list[str],
    values: list[str],
) -> Queue:
    if kind.unit != STATEMENT:
        return _unit_queue(study, kind, reviewer, pass_no, mode, filter, conditions, values)
    rows = study.reader.execute(
        f"""SELECT s.statement_id, r.ordinal, {shown_in(kind)} AS showable {ROWS}
            WHERE {" AND ".join([kind.where, *conditions])} ORDER BY {kind.order}""",
        (reviewer, pass_no, *values),
    ).fetchall()
    found = [(row[0], row[1]) for row in rows if mode == "blind" or row["showable"]]
    if mode == "blind" and kind.name != "audit":
        random.Random(f"{study.meta('study_id')}/{reviewer}").shuffle(found)
    units, responses = [unit for unit, _ in found], [response for _, response in found]
    return Queue(kind, mode, filter, units, responses, reserved=len(rows) - len(found))


def _unit_queue(
    study: Study,
    kind: QueueKind,
    reviewer: str,
    pass_no: int,
    mode: Mode,
    filter: str,
    conditions: list[str],
    values: list[str],
) -> Queue:
    """A queue of another kind of unit: what is listed together stays together, in a random order when it is blind."""
    found = study.reader.execute(
        f"""SELECT s.unit, s.cluster {unit_rows(kind.unit)}
            WHERE {" AND ".join([kind.where, *conditions])} ORDER BY {kind.order}""",
        (reviewer, pass_no, *values),
    ).fetchall()
    if mode == "blind":
        clusters = list(dict.fromkeys(row["cluster"] for row in found))
        random.Random(f"{study.meta('study_id')}/{reviewer}").shuffle(clusters)
        turn = {cluster: place for place, cluster in enumerate(clusters)}
        found.sort(key=lambda row: turn[row["cluster"]])
    return Queue(kind, mode, filter, [row["unit"] for row in found], [row["cluster"] for row in found])


def open_again(study: Study, queue: Queue, reviewer: str, filter: str, pass_no: int) -> Queue:
    """The same queue as it is now, with a filter. Raises :class:`UserError` for words that no filter knows."""
    blind = queue.mode == "blind"
    return open_queue(study, queue.kind.name, reviewer, filter=filter, blind=blind, pass_no=pass_no)


def with_units(queue: Queue, units: Sequence[str], place: int, before: Queue) -> Queue:
    """The queue with further units at a place, listed where the one was that stood there ``before``."""
    if not units:
        return queue
    place = min(place, len(queue.units))
    listed = before.responses[min(place, len(before.responses) - 1)]
    return replace(
        queue,
        units=[*queue.units[:place], *units, *queue.units[place:]],
        responses=[*queue.responses[:place], *[listed] * len(units), *queue.responses[place:]],
    )


def _filters(unit: str) -> Mapping[str, str]:
    return _FILTERS if unit == STATEMENT else {**_UNIT_FILTERS, **_MORE_FILTERS.get(unit, {})}


def _conditions(text: str, mode: Mode, filters: Mapping[str, str]) -> tuple[list[str], list[str]]:
    try:
        words = shlex.split(text)
    except ValueError:
        raise UserError(f"The filter {text!r} has an open quotation mark.") from None
    conditions, values = [], []
    for word in words:
        key, separator, value = word.partition("=")
        if separator and key not in filters:
            raise UserError(f"A filter cannot use {key!r}; it can use {', '.join(filters)} and plain words.")
        if mode == "blind" and key in _HIDDEN_WHEN_BLIND and separator:
            raise UserError(f"A blind queue cannot be filtered by {key}: that would show what is hidden.")
        conditions.append(filters[key] if separator else _TEXT)
        values.append(value if separator else word)
    return conditions, values
