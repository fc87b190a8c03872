"""Draws: so many units of a kind, taken at random with a seed, stratified on request, and kept under a name.

A draw is one event with all that it was made by (seed, strata, filter, size of the frame) and the units in their order,
so that anybody can draw it again from the same study and get the same. Each unit has a number that depends on the seed
and on the unit alone (``permanent_number``); the smallest numbers of each stratum are drawn, and stand in their order.
"""

import json
import re
import shlex
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal, NamedTuple, get_args

from medreview.errors import UserError
from medreview.review.queue_filters import asked, conditions, filters_of
from medreview.review.queue_kinds import KINDS as OF_STATEMENTS
from medreview.review.queue_kinds import ROWS, QueueKind
from medreview.review.unit_queues import UNIT_QUEUES, unit_rows
from medreview.storable import is_damaged
from medreview.study import Study
from medreview.study.audit_frame import permanent_number, seed_of_draws
from medreview.study.events import NewEvent, Recorder
from medreview.study.ids import STATEMENT
from medreview.study.package import package_of
from medreview.study.study_acts import write_act
from medreview.text import counted, name_list, sha256
from medreview.units.registry import KINDS

DRAW: Final = "draw"
"""The kind of event."""
NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
"""What a draw may be called: a word, as filters and file names have it."""

LONGEST_REASON: Final = 1_000
"""Characters of why a draw is taken back."""

Allot = Literal["share", "equal"]
"""How a size is spread over strata: each its share of the frame, or all alike as far as they reach."""
ALLOTS: Final[tuple[Allot, ...]] = get_args(Allot)

ASKED: Final = "asked"
ADDRESS: Final = "address"
"""What can be drawn and is no unit of review: questions that responses answer, addresses that responses cite."""


class DrawFrame(NamedTuple):
    """What a draw is from: ``kind`` in the record, the ``noun`` of one of them, and the queue of the kind (``None`` of
    what is no unit of review). ``rows`` is SQL that selects ``unit`` and the ``columns`` it can be stratified by."""

    kind: str
    noun: str
    queue: QueueKind | None = None
    rows: str = ""
    columns: tuple[str, ...] = ()


_OTHERS: Final = {
    ASKED: DrawFrame(
        ASKED, "question", None,
        "SELECT question AS unit, min(origin) AS origin FROM response WHERE question <> '' GROUP BY question",
        ("origin",),
    ),
    "addresses": DrawFrame(
        ADDRESS, "cited URL", None,
        """SELECT o."key" AS unit, o.domain,
                  CASE n.valid WHEN 1 THEN 'valid' WHEN 0 THEN 'invalid' ELSE 'not fetched' END AS valid
           FROM source AS o LEFT JOIN snapshot_content AS n ON n.snapshot_id = o.current_snapshot
           WHERE EXISTS (SELECT 1 FROM citation AS c WHERE c.source_id = o.source_id)""",
        ("domain", "valid"),
    ),
}  # fmt: skip


def frame_names() -> tuple[str, ...]:
    """What can be drawn, by the names of queues."""
    return ("statements", *(queue.name for queue in UNIT_QUEUES), *_OTHERS)


def frame_named(name: str) -> DrawFrame:
    """The frame by the name of its queue or of its kind; ``responses`` are whole responses.

    Raises :class:`UserError` for another name.
    """
    if name in _OTHERS:
        return _OTHERS[name]
    if name in ("statements", STATEMENT):
        return DrawFrame(STATEMENT, STATEMENT, next(one for one in OF_STATEMENTS if one.name == "responses"))
    for queue in UNIT_QUEUES:
        if name in (queue.name, queue.unit, f"{queue.unit}s"):
            return DrawFrame(queue.unit, KINDS[queue.unit].noun, queue)
    raise UserError(f"There is no kind of unit {name!r} to draw; there are {', '.join(frame_names())}.")


def frame_of(drawn: "UnitDraw") -> DrawFrame:
    """What a draw is from."""
    return next((one for one in _OTHERS.values() if one.kind == drawn.kind), None) or frame_named(drawn.kind)


@dataclass(frozen=True, slots=True)
class DrawStratum:
    """A stratum of a draw: so many units of the ``frame``, ``drawn`` of them. ``name``: its values, ``""`` where they
    would tell who wrote what."""

    name: str
    frame: int
    drawn: int


@dataclass(frozen=True, slots=True)
class UnitDraw:
    """A draw as it stands: its ``units`` in order, of ``frame`` that there were; what it was made by, by whom and when.

    ``by``: what it is stratified by. ``size``: how many were asked for, ``None`` for all. ``where``: the filter that
    the frame was narrowed by. ``frame_sha256``: of the ids of the frame, in order, one a line.
    """

    name: str
    kind: str
    seed: str
    by: tuple[str, ...]
    allot: Allot
    size: int | None
    where: str
    frame: int
    frame_sha256: str
    strata: tuple[DrawStratum, ...]
    units: tuple[str, ...]
    reviewer: str = ""
    at_utc: str = ""

    @property
    def noun(self) -> str:
        """One of its units."""
        return frame_of(self).noun

    @property
    def words(self) -> str:
        """What it is: ``400 pairs of 1,204, at random in each model; seed s1``."""
        whole = self.frame == len(self.units)
        size = f"all {counted(self.frame, self.noun)}" if whole else (
            f"{counted(len(self.units), self.noun)} of {self.frame:,}"
        )  # fmt: skip
        strata = f" in each {' and '.join(self.by)}" if self.by else ""
        how = f", at random{strata}" + (", as many of each" if self.by and self.allot == "equal" else "")
        part = f" (where {self.where})" if self.where else ""
        return f"{size}{part}{', in a random order' if whole else how}; seed {self.seed}"


def draws(reader: sqlite3.Connection) -> dict[str, UnitDraw]:
    """All draws by name, oldest first."""
    rows = reader.execute("SELECT payload, reviewer, at_utc FROM draw_standing ORDER BY event_id")
    found = (_of(json.loads(row[0]), row[1], row[2]) for row in rows)
    return {one.name: one for one in found}


def draw_named(reader: sqlite3.Connection, name: str) -> UnitDraw:
    """The draw with a name. Raises :class:`UserError` listing those there are."""
    every = draws(reader)
    if name not in every:
        known = f"there are {', '.join(every)}" if every else "nothing is drawn yet"
        raise UserError(f"There is no draw {name!r}; {known}.")
    return every[name]


class DrawTakenBack(NamedTuple):
    """A draw that was taken back: by whom, when (UTC), why."""

    name: str
    reviewer: str
    at_utc: str
    reason: str


_TAKEN_BACK: Final = """SELECT DISTINCT json_extract(e.payload, '$.name'), r.reviewer, r.at_utc,
       json_extract(r.payload, '$.reason') FROM event AS r JOIN event AS e ON e.event_id = r.undoes_event
WHERE e.kind = 'draw' ORDER BY r.event_id"""
_ON_BATCHES: Final = """SELECT b.reviewer, count(*) FROM batch_unit AS b
JOIN standing AS s ON s.unit = b.unit AND s.reviewer = b.reviewer AND s.pass = 1 AND s.state = 'decided'
WHERE b.name = ? GROUP BY 1"""
_EVENTS: Final = """SELECT event_id FROM event_live
WHERE (kind = 'draw' AND json_extract(payload, '$.name') = ?1)
OR (kind = 'assign' AND json_extract(payload, '$.draw') = ?1)
ORDER BY event_id"""


def taken_back(reader: sqlite3.Connection) -> list[DrawTakenBack]:
    """All draws that were taken back, oldest first."""
    return [DrawTakenBack(*row) for row in reader.execute(_TAKEN_BACK)]


def take_back(study: Study, reviewer: str, name: str, reason: str, *, labels_stay: bool = False) -> DrawTakenBack:
    """Take a draw back, with its batches, in one transaction: the record keeps both, and the name is free again.

    Labels on its units are labels of the study and stay. Raises :class:`UserError` for a draw that there is not,
    without a reason, and, unless ``labels_stay``, where reviewers have decided units of their batches.
    """
    reader, reason = study.reader, " ".join(reason.split())
    draw_named(reader, name)
    if not reason or len(reason) > LONGEST_REASON or is_damaged(reason):
        raise UserError(f"Say why, in 1 to {LONGEST_REASON} characters: --reason 'The seed was the wrong one.'")
    given = dict(reader.execute(_ON_BATCHES, (name,)).fetchall())
    if given and not labels_stay:
        raise UserError(
            f"{name_list([*given])} decided {counted(sum(given.values()), 'unit')} of the batches of {name!r}. Taking "
            "the draw back changes none of these labels, and ends the batches: add --labels-stay if you mean that."
        )
    events, study_id = [row[0] for row in reader.execute(_EVENTS, (name,))], study.meta("study_id")
    recorder = Recorder(reviewer)

    def change(connection: sqlite3.Connection) -> None:
        for event in events:
            undo = NewEvent("retract", study_id, {"reason": reason}, undoes_event=event)
            recorder.append(connection, undo, block=DRAW, mode="blind")

    study.write(change)
    return taken_back(study.reader)[-1]


def _of(said: Mapping[str, Any], reviewer: str, at_utc: str) -> UnitDraw:
    strata = tuple(DrawStratum(one["name"], one["frame"], one["drawn"]) for one in said["strata"])
    lists = {"by": tuple(said["by"]), "units": tuple(said["units"]), "strata": strata}
    return UnitDraw(**{**said, **lists}, reviewer=reviewer, at_utc=at_utc)


class DrawnNow(NamedTuple):
    """A draw; ``new``: it was made now. ``same``: its seed draws the same units from the study as it is now."""

    draw: UnitDraw
    new: bool
    same: bool


def draw(
    study: Study,
    reviewer: str,
    frame: DrawFrame,
    size: int | None,
    *,
    name: str = "",
    by: Sequence[str] = (),
    seed: str = "",
    where: str = "",
    allot: Allot = "share",
) -> DrawnNow:
    """Draw ``size`` units, ``None`` for all, and keep them under a name (the kind's, with a number, when empty).

    The same draw again changes nothing. The ``seed`` is made of the study's and the draw's name when empty. Raises
    :class:`UserError` for an invalid name, size, stratum or filter, for a name that another draw has, and in a copy
    that lacks what it would be drawn by.
    """
    reader = study.reader
    there = draws(reader)
    name = name or next(each for each in _numbered(_base_name(frame)) if each not in there)
    if not NAME.fullmatch(name):
        raise UserError(f"A draw is called by 1 to 40 letters, digits, dots and dashes, not {name!r}.")
    copy = package_of(reader)
    if copy is not None and "models" in copy.without and "model" in by:
        raise UserError("This copy lacks the names of the models; draw by model where the copy is from.")
    before = there.get(name)
    seed = seed or (before.seed if before else f"{seed_of_draws(reader)}/{name}")
    told = _told_filter(frame, where)
    rows = _rows(reader, frame, by, where, reviewer)
    made = _drawn(frame, rows, size, by, seed, allot)
    new = UnitDraw(name, frame.kind, seed, tuple(by), allot, size, told, len(rows), _digest(rows), *made)
    if before is not None:
        if _asked_for(before) != _asked_for(new):
            raise UserError(f"{name!r} is drawn already ({before.words}): give this draw another --name.")
        return DrawnNow(before, False, before.units == new.units)
    said = {key: value for key, value in asdict(new).items() if key not in ("reviewer", "at_utc")}
    write_act(study, reviewer, DRAW, said)
    return DrawnNow(draw_named(reader, name), True, True)


def _asked_for(one: UnitDraw) -> tuple[object, ...]:
    return one.kind, one.seed, one.by, one.allot, one.size, one.where


def _base_name(frame: DrawFrame) -> str:
    if frame.queue is None:
        return next(name for name, one in _OTHERS.items() if one.kind == frame.kind)
    return f"{STATEMENT}s" if frame.kind == STATEMENT else frame.queue.name


def _told_filter(frame: DrawFrame, where: str) -> str:
    """A filter as the record has it: without values that would tell who wrote the units.

    Raises :class:`UserError` for a filter by which being drawn would tell what machines say.
    """
    if not where.strip():
        return ""
    if frame.queue is None:
        raise UserError(f"A draw of {frame.noun}s takes no filter.")
    found = asked(where, frame.queue)
    if any(each.tells and not each.column for each, _ in found):
        raise UserError(
            f"A draw cannot be narrowed by {where!r}: that a unit is drawn would tell a reviewer what machines say."
        )
    if any(each.tells for each, _ in found):
        return " ".join(f"{word.partition('=')[0]}=..." for word in shlex.split(where))
    return where.strip()


def _numbered(base: str) -> Iterator[str]:
    yield base
    number = 2
    while True:
        yield f"{base}-{number}"
        number += 1


def strata_of(reader: sqlite3.Connection, frame: DrawFrame, by: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """What each unit of a frame has of the columns ``by``. Raises :class:`UserError` for another column."""
    return dict(_rows(reader, frame, by, "", ""))


_Rows = list[tuple[str, tuple[str, ...]]]
"""Each unit of a frame, and its values in the columns of the strata."""


def _rows(reader: sqlite3.Connection, frame: DrawFrame, by: Sequence[str], where: str, reviewer: str) -> _Rows:
    values: list[str | int] = []
    if frame.queue is None:
        columns = [_column(each, {one: one for one in frame.columns}) for each in by]
        query = f"SELECT {', '.join(['unit', *columns])} FROM ({frame.rows})"
    else:
        narrowed, words = conditions(where, frame.queue, "open")
        known = {name: one.column for name, one in filters_of(frame.queue).items() if one.column}
        columns = [_column(each, known) for each in by]
        query = f"""SELECT {", ".join([frame.queue.column, *columns])}
                    {ROWS if frame.kind == STATEMENT else unit_rows(frame.kind)}
                    WHERE {" AND ".join(narrowed) or "1"}"""
        values = [reviewer, 1, *words]
    found = reader.execute(query, values)
    return [(row[0], tuple("" if each is None else str(each) for each in row[1:])) for row in found]


def _column(name: str, known: Mapping[str, str]) -> str:
    if name not in known:
        raise UserError(f"Strata cannot be by {name!r} here; they can be by {', '.join(known)}.")
    return known[name]


def _digest(rows: _Rows) -> str:
    return sha256("\n".join(sorted(unit for unit, _ in rows)))


def _drawn(
    frame: DrawFrame, rows: _Rows, size: int | None, by: Sequence[str], seed: str, allot: Allot
) -> tuple[tuple[DrawStratum, ...], tuple[str, ...]]:
    if not rows:
        raise UserError(f"There is no {frame.noun} to draw from.")
    if size is not None and not 0 < size <= len(rows):
        raise UserError(f"There are {counted(len(rows), frame.noun)} to draw from: draw 1 to {len(rows)}, or `all`.")
    held: dict[tuple[str, ...], list[tuple[float, str]]] = {}
    for unit, stratum in rows:
        held.setdefault(stratum, []).append((permanent_number(f"{seed}/draw", unit), unit))
    names = sorted(held)
    sizes = allotted(len(rows) if size is None else size, [len(held[each]) for each in names], allot)
    taken = [one for each, number in zip(names, sizes, strict=True) for one in sorted(held[each])[:number]]
    filters = filters_of(frame.queue) if frame.queue else {}
    tells = any(filters[one].tells for one in by if one in filters)
    strata = tuple(
        DrawStratum("" if tells else " · ".join(each), len(held[each]), number)
        for each, number in zip(names, sizes, strict=True)
    )
    return strata if by else (), tuple(unit for _, unit in sorted(taken))


def allotted(size: int, held: Sequence[int], allot: Allot) -> list[int]:
    """How many units of each stratum are drawn, of so many that it has: ``size`` in all, at most what there is.

    ``share``: by the largest remainder (Hamilton). ``equal``: as many of each, until a stratum is used up.
    """
    whole = sum(held)
    if allot == "equal":
        found = [0] * len(held)
        while left := size - sum(found):
            open_strata = [place for place, there in enumerate(held) if found[place] < there]
            each = max(1, min(left // len(open_strata), *(held[place] - found[place] for place in open_strata)))
            for place in open_strata[:left]:
                found[place] += each
        return found
    whole = sum(held)
    found = [size * each // whole for each in held]
    remainders = sorted(range(len(held)), key=lambda place: (-(size * held[place] % whole), place))
    for place in remainders[: size - sum(found)]:
        found[place] += 1
    return found


def strata_now(reader: sqlite3.Connection, drawn: UnitDraw) -> list[DrawStratum]:
    """The strata of a draw with their names, as the study is now; those that the record has not named included."""
    if not drawn.by:
        return []
    of = strata_of(reader, frame_of(drawn), drawn.by)
    whole, taken = Counter(of.values()), Counter(of[unit] for unit in drawn.units if unit in of)
    return [DrawStratum(" · ".join(one), whole[one], taken[one]) for one in sorted(whole)]


def question_texts(reader: sqlite3.Connection, drawn: UnitDraw) -> list[str]:
    """The texts of drawn questions, in order. Raises :class:`UserError` for a draw of anything else."""
    if drawn.kind == ASKED:
        return list(drawn.units)
    if drawn.kind != "question":
        raise UserError(f"{drawn.name!r} is a draw of {drawn.noun}s, not of questions.")
    texts = dict(reader.execute("SELECT unit_id, text FROM unit WHERE kind = 'question'").fetchall())
    return [texts[unit] for unit in drawn.units if unit in texts]


def address_ids(reader: sqlite3.Connection, drawn: UnitDraw) -> frozenset[str]:
    """The sources that drawn addresses are. Raises :class:`UserError` for a draw of anything else."""
    if drawn.kind != ADDRESS:
        raise UserError(f"{drawn.name!r} is a draw of {drawn.noun}s, not of cited addresses.")
    query = """SELECT source_id FROM source WHERE "key" IN (SELECT unit FROM drawn_unit WHERE name = ?)"""
    return frozenset(row[0] for row in reader.execute(query, (drawn.name,)))
