"""Queues: ordered, filtered sets of units to review. A queue is a filter, never a one-way door.

Also the order of a large queue, kept while the material stands; and filters that a reviewer saved by name.
"""

import hashlib
import json
import random
import sqlite3
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import compress
from typing import Final, NamedTuple

from medreview.errors import UserError
from medreview.review.audit import begin_audit
from medreview.review.queue_filters import conditions as narrowed_by
from medreview.review.queue_kinds import HELD, KEPT_UNIT, KINDS, MATERIAL, ROWS, Mode, QueueKind, shown_in
from medreview.storable import storable_text
from medreview.study import Study
from medreview.study.audit_frame import seed_of_draws
from medreview.study.ids import STATEMENT
from medreview.study.package import without_judges
from medreview.study.statement_edits import IS_EDIT

_STATEMENTS: Final = f"""SELECT (SELECT count(*) FROM statement), (SELECT count(*) FROM response),
       (SELECT group_concat(statement_id) FROM (SELECT statement_id FROM retired_statement ORDER BY statement_id)),
       (SELECT count(*) || ' ' || max(event_id) FROM event WHERE {IS_EDIT}),
       (SELECT count(*) FROM event WHERE undoes_event IS NOT NULL)"""
"""Values that change when a statement is added, retired or moved: counts of rows that only grow, and the record of
edits, which alone retires and renumbers statements."""


def in_order(study: Study, kind: QueueKind, reviewer: str, pass_no: int) -> tuple[list[str], list[int], int]:
    """The statements of an open queue that ``follows`` from the material, the number of the response of each, and how
    many more there would be, were they not kept from the judges' sight."""
    query = f"SELECT s.statement_id, r.ordinal {MATERIAL} WHERE {kind.where} ORDER BY {kind.order}"
    ((made_from,),) = study.found(f"{kind.name} made from", lambda: [[_made_from(study.reader, kind)]])
    units, responses = study.listed(query, made_from)
    held = {row[0] for row in study.counted(HELD, (reviewer, pass_no))}
    shown = [unit not in held for unit in units]
    return list(compress(units, shown)), list(compress(responses, shown)), shown.count(False)


def _made_from(reader: sqlite3.Connection, kind: QueueKind) -> str:
    """A hash of all that the order is made from."""
    made_of = (*reader.execute(_STATEMENTS).fetchone(), *reader.execute(kind.follows).fetchone())
    return hashlib.sha256(repr(made_of).encode()).hexdigest()


class Queue(NamedTuple):
    """An ordered set of units, with the filter that made it.

    ``responses``: for each of them the number of what it is listed under, a statement's response. ``reserved``: how
    many more would be in it, were they not kept for the audit. ``among``: the units that it is chosen from, where these
    were listed one by one; then no name leads back to it.
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
            "; what would be in it is reserved for the audit (`medreview plan audit STUDY --release` gives it back)"
            if self.reserved
            else ""
        )
        return f"{said}{kept}."


def kind_named(name: str) -> QueueKind:
    """The kind of queue with this name, or with a word of its title on the screen (``triage``, ``random``); raises
    :class:`UserError` naming those there are."""
    for kind in KINDS:  # first: reviewing statements waits for no other kind of unit
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

    Members of the audit that the reviewer has not seen yet are in no queue that shows the judges, and units kept blind
    in no queue that would reveal them (``queue_kinds.shown_in``). A blind queue other than the audit is put in a random
    order of the reviewer's own, as the order of flags or of responses would give hints. In a copy of a study from which
    the judges were left out every queue is blind: there a statement is flagged by its pages alone. ``mine`` is the
    reviewer's batch, of whatever kind. Raises :class:`UserError` for an unknown queue or filter word.
    """
    kind = kind_named(name)
    if kind.chosen == "mine" and kind.unit == STATEMENT:
        from medreview.review.batches import own_queue

        kind = own_queue(study.reader, reviewer)
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
    conditions.append(f"{kind.column} IN (SELECT value FROM json_each(?))")
    values.append(json.dumps(chosen))
    queue = _open(study, kind, reviewer, pass_no, mode, filter, conditions, values)
    groups = dict(zip(queue.units, queue.responses, strict=True))
    units = [unit for unit in chosen if unit in groups]
    return queue._replace(units=units, responses=[groups[unit] for unit in units])


def _chosen(study: Study, kind: QueueKind, reviewer: str) -> list[str] | None:
    """The units of a queue that lists them one by one, in its order; ``None`` for one that is a filter."""
    match kind.chosen:
        case "second":
            from medreview.review.repeat_annotation import in_pass

            return in_pass(study.reader, reviewer)
        case "conflicts":
            from medreview.review.conflicts import conflict_units

            found = conflict_units(study.reader).get(kind.unit)
            return found.units if found else []
        case "share":
            from medreview.review.repeat_annotation import ready_units

            return ready_units(study.reader, study.meta("study_id"), kind.unit, reviewer)
        case "mine":
            from medreview.review.batches import own_units

            return own_units(study.reader, kind.unit, reviewer)
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
    """The units that fit. In a blind queue in a random order, but for the audit, which has one; of other units than
    statements what is listed together stays together."""
    statements = kind.unit == STATEMENT
    if statements and kind.follows and mode == "open" and not conditions:
        units, responses, reserved = in_order(study, kind, reviewer, pass_no)
        return Queue(kind, mode, filter, units, responses, reserved=reserved)
    if statements:
        columns, chosen_from = f"r.ordinal, {shown_in(kind)}", ROWS
    else:
        from medreview.review.unit_queues import unit_rows

        columns, chosen_from = "s.cluster, 1", unit_rows(kind.unit)
    rows = study.reader.execute(
        f"""SELECT {kind.column}, {columns} {chosen_from}
            WHERE {" AND ".join([kind.where, *conditions])} ORDER BY {kind.order}""",
        (reviewer, pass_no, *values),
    ).fetchall()
    found = [(unit, group) for unit, group, showable in rows if mode == "blind" or showable]
    if mode == "blind" and kind.name != "audit":
        draws = random.Random(seed_of_draws(study.reader, reviewer))
        if statements:
            draws.shuffle(found)
        else:
            groups = list(dict.fromkeys(group for _, group in found))
            draws.shuffle(groups)
            turn = {group: place for place, group in enumerate(groups)}
            found.sort(key=lambda one: turn[one[1]])
    units, responses = [unit for unit, _ in found], [group for _, group in found]
    return Queue(kind, mode, filter, units, responses, reserved=len(rows) - len(found))


def open_among(
    study: Study, reviewer: str, units: Sequence[str], title: str, *, name: str = "responses", filter: str = ""
) -> Queue:
    """Units listed one by one, in the order of the queue of all of their kind (``name``), with judges shown.

    Being in it reveals what the judges think: units kept blind are left out. ``title``: what to call it. Raises
    :class:`UserError` for a word that no filter knows.
    """
    kind = kind_named(name)._replace(title=title, mode="open", tells=True)
    conditions, values = narrowed_by(filter, kind, "open")
    conditions.append(f"{kind.column} IN (SELECT value FROM json_each(?))")
    values.append(json.dumps(list(units)))
    if kind.unit != STATEMENT:
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


LONGEST: Final = 40
"""Characters of a name."""
MOST: Final = 50
"""Saved filters of one reviewer."""


class SavedFilter(NamedTuple):
    """A queue by name, how it is shown, and what narrows it."""

    name: str
    queue: str
    filter: str
    mode: Mode

    @property
    def title(self) -> str:
        """What the screen calls its queue."""
        from medreview.review.unit_queues import ALL

        return next((kind.title for kind in ALL if kind.name == self.queue), self.queue)


class FilterLine(NamedTuple):
    """A saved filter as it stands now: how many units it keeps, how many of them are open. ``wrong``: why it cannot be
    opened, as a sentence; ``hidden``: its counts would reveal the judges."""

    saved: SavedFilter
    size: int = 0
    open: int = 0
    wrong: str = ""
    hidden: bool = False


def saved_filters(reader: sqlite3.Connection, reviewer: str) -> list[SavedFilter]:
    """Those of a reviewer, by name."""
    rows = reader.execute(
        "SELECT name, queue, filter, mode FROM saved_filter WHERE reviewer = ? ORDER BY name", (reviewer,)
    )
    return [SavedFilter(*row) for row in rows]


def save_filter(study: Study, reviewer: str, name: str, queue: Queue) -> SavedFilter:
    """Save a queue with its filter under a name; one that has the name is replaced.

    Raises :class:`UserError` for an invalid name, a queue without a filter, and one filter too many.
    """
    name = " ".join(storable_text(name).split())
    if not name or len(name) > LONGEST:
        raise UserError(f"A saved filter has a name of 1 to {LONGEST} characters: save NAME.")
    if not queue.filter:
        raise UserError("This queue is not narrowed; filter it first, then save the filter by a name.")
    there = [saved.name for saved in saved_filters(study.reader, reviewer)]
    if name not in there and len(there) >= MOST:
        raise UserError(f"There are {MOST} saved filters already; delete one first.")
    new = SavedFilter(name, queue.kind.name, queue.filter, queue.mode)
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    study.write(
        lambda connection: connection.execute(
            "INSERT OR REPLACE INTO saved_filter VALUES (?, ?, ?, ?, ?, ?)",
            (reviewer, new.name, new.queue, new.filter, now, new.mode),
        )
    )
    return new


def delete_filter(study: Study, reviewer: str, name: str) -> None:
    """Delete a saved filter. Raises :class:`UserError` listing the existing names for an unknown one."""
    there = [saved.name for saved in saved_filters(study.reader, reviewer)]
    if name not in there:
        known = f"; there are {', '.join(there)}" if there else ""
        raise UserError(f"There is no saved filter {name!r}{known}.")
    study.write(
        lambda connection: connection.execute(
            "DELETE FROM saved_filter WHERE reviewer = ? AND name = ?", (reviewer, name)
        )
    )


def open_saved(study: Study, reviewer: str, saved: SavedFilter) -> Queue:
    """The queue of a saved filter as it stands now. Raises :class:`UserError` where it cannot be opened any more."""
    return open_queue(study, saved.queue, reviewer, filter=saved.filter, blind=saved.mode == "blind")


def filter_lines(study: Study, reviewer: str, *, blind: bool) -> tuple[FilterLine, ...]:
    """The saved filters of a reviewer, counted; ``blind``: while an open blind block hides what reveals the judges."""
    return tuple(_line(study, reviewer, saved, blind) for saved in saved_filters(study.reader, reviewer))


def _line(study: Study, reviewer: str, saved: SavedFilter, blind: bool) -> FilterLine:
    try:
        queue = open_saved(study, reviewer, saved)
    except UserError as error:  # a kind of unit or filter that this version does not know
        return FilterLine(saved, wrong=str(error))
    if blind and queue.kind.tells:
        return FilterLine(saved, hidden=True)
    decided = {
        row[0]
        for row in study.reader.execute(
            "SELECT unit FROM standing WHERE reviewer = ? AND pass = ?", (reviewer, queue.kind.pass_no)
        )
    }
    return FilterLine(saved, len(queue.units), sum(unit not in decided for unit in queue.units))
