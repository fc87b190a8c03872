"""Queues: ordered, filtered sets of statements to review. A queue is a filter, never a one-way door."""

import json
import random
from collections.abc import Sequence
from typing import NamedTuple

from medreview.errors import UserError
from medreview.review.audit import begin_audit
from medreview.review.queue_filters import conditions as narrowed_by
from medreview.review.queue_kinds import KEPT_UNIT, KINDS, ROWS, Mode, QueueKind, shown_in
from medreview.review.queue_order import in_order
from medreview.study import Study
from medreview.study.package import without_judges
from medreview.study.unit_ids import STATEMENT


class Queue(NamedTuple):
    """An ordered set of units, with the filter that made it.

    ``responses``: for each of them the number of what it is listed under, a statement's response. ``reserved``: how
    many more would be in it, were they not kept for the audit. ``among``: the units that it is chosen from, where these
    were told one by one; then it is no queue to come back to by name.
    """

    kind: QueueKind
    mode: Mode
    filter: str
    units: Sequence[str]
    responses: Sequence[int]
    reserved: int = 0
    among: tuple[str, ...] | None = None

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
    """The kind of queue with this name, or with a word of its title on the screen (``triage``, ``random``); raises
    :class:`UserError` naming those there are."""
    for kind in KINDS:  # first: who reviews statements waits for no other kind of unit
        if name in (kind.name, *kind.title.split(": ")):
            return kind
    from medreview.review.unit_queues import ALL

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
    judges were left out every queue is blind: that a statement is flagged there is said by its pages alone.
    Raises :class:`UserError` for an unknown queue or filter word.
    """
    kind = kind_named(name)
    pass_no = max(pass_no, kind.pass_no)
    silent = without_judges(study.reader)
    blind = True if blind is None and silent else blind
    mode: Mode = kind.mode if blind is None else "blind" if blind else "open"
    if kind.tells and mode == "blind" and not silent:
        raise UserError("This queue cannot be blind: being in it says what the judges think. Use the audit.")
    if kind.name == "audit" and not begin_audit(study, reviewer) and not study.writable:
        raise UserError("The audit is not drawn yet, and a study open for reading only cannot draw it.")
    conditions, values = narrowed_by(filter, kind, mode)
    chosen = _chosen(study, kind, reviewer)
    if chosen is None:
        return _open(study, kind, reviewer, pass_no, mode, filter, conditions, values)
    unit = "s.statement_id" if kind.unit == STATEMENT else "s.unit"
    conditions.append(f"{unit} IN (SELECT value FROM json_each(?))")
    values.append(json.dumps(chosen))
    queue = _open(study, kind, reviewer, pass_no, mode, filter, conditions, values)
    groups = dict(zip(queue.units, queue.responses, strict=True))
    units = [unit for unit in chosen if unit in groups]
    return queue._replace(units=units, responses=[groups[unit] for unit in units])


def _chosen(study: Study, kind: QueueKind, reviewer: str) -> list[str] | None:
    """What is in a queue whose units are told one by one, in its order; ``None`` for one that is a filter."""
    match kind.chosen:
        case "second":
            from medreview.review.second_pass import in_pass

            return in_pass(study.reader, reviewer)
        case "conflicts":
            from medreview.review.conflicts import conflict_units

            found = conflict_units(study.reader).get(kind.unit)
            return found.units if found else []
        case "share":
            from medreview.review.second_annotation import ready_units

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
    if kind.follows and mode == "open" and not conditions:
        units, responses, reserved = in_order(study, kind, reviewer, pass_no)
        return Queue(kind, mode, filter, units, responses, reserved=reserved)
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
    from medreview.review.unit_queues import unit_rows

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


def open_among(
    study: Study, reviewer: str, units: Sequence[str], title: str, *, name: str = "responses", filter: str = ""
) -> Queue:
    """Units of the queue of all of their kind (``name``) that are told one by one, in its order, with judges shown.

    That they are in it tells what the judges think: nothing is in it that is kept blind. ``title``: what to call it.
    Raises :class:`UserError` for a word that no filter knows.
    """
    kind = kind_named(name)._replace(title=title, mode="open", tells=True)
    conditions, values = narrowed_by(filter, kind, "open")
    statements = kind.unit == STATEMENT
    conditions.append(f"{'s.statement_id' if statements else 's.unit'} IN (SELECT value FROM json_each(?))")
    values.append(json.dumps(list(units)))
    if not statements:
        conditions.append(f"NOT {KEPT_UNIT}")
    queue = _open(study, kind, reviewer, 1, "open", filter, conditions, values)
    return queue._replace(among=tuple(units))


def open_again(study: Study, queue: Queue, reviewer: str, filter: str, pass_no: int) -> Queue:
    """The same queue as it is now, with a filter. Raises :class:`UserError` for words that no filter knows."""
    if queue.among is not None:
        return open_among(study, reviewer, queue.among, queue.kind.title, name=queue.kind.name, filter=filter)
    blind = queue.mode == "blind"
    return open_queue(study, queue.kind.name, reviewer, filter=filter, blind=blind, pass_no=pass_no)


def with_units(queue: Queue, units: Sequence[str], place: int, before: Queue) -> Queue:
    """The queue with further units at a place, listed where the one was that stood there ``before``."""
    if not units:
        return queue
    place = min(place, len(queue.units))
    listed = before.responses[min(place, len(before.responses) - 1)]
    return queue._replace(
        among=None if queue.among is None else (*queue.among, *units),
        units=[*queue.units[:place], *units, *queue.units[place:]],
        responses=[*queue.responses[:place], *[listed] * len(units), *queue.responses[place:]],
    )
