"""The order of open queues, learned from a reviewer's own labels.

The queues in which the gravest doubts come first (``QueueKind.learns``) have the order of the rules. From 25 labels on,
and again every ten, the chance that a statement is not supported is fitted to what the reviewer decided: by its place
in that order, and by the signs of its pair (``medreview.evidence.pair_signs``). Each fit is an event, so that every
decision can name the order it came from. What is fitted is applied without numpy, and the same everywhere.

It must tell nothing that is hidden. So it is of one reviewer and of open queues alone; statements that are held back
from the reviewer (:data:`queue_kinds.HELD`: decided blind and not revealed, reserved for the audit) have no part in it,
neither with their labels nor with their places in the order of the rules. Other reviewers' labels are never read.
"""

import json
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from itertools import groupby
from math import log
from typing import Final, NamedTuple

from medreview.errors import UserError
from medreview.evidence.sign_names import GROUPS, OF_MODELS, SIGNS
from medreview.judges.runs import ENGINE
from medreview.review.queue import Queue
from medreview.review.queue_kinds import HELD, IN_ORDER, MATERIAL
from medreview.study import Study
from medreview.study.study_acts import newest_act, write_act
from medreview.text import counted

EVENT: Final = "triage_order"
FROM: Final = 25
"""Labels from which on an order is learned."""
EVERY: Final = 10
"""Further labels after which it is learned again."""
CLIP: Final = 3.0
"""Spreads from the mean beyond which a sign says no more: one odd page must not outweigh all else."""
_HEADS: Final = 8500
"""The priority from which on a flag heads the queue whatever was learned: quotes that were invented or altered, text
that nobody sees, pages that speak to judges, another work's reference (``judges.triage``)."""
_EVERY: Final = (*SIGNS, *OF_MODELS)
_NAMED: Final = 3
"""Groups of signs that are named."""
_COUNTS: Final = 0.05
"""The weight below which a group of signs is not worth naming."""
_ROUND: Final = 6

_ROWS: Final = f"""SELECT s.statement_id, coalesce(v.priority, 0) AS priority, coalesce(v.doubt, 0) AS doubt, e.signs
{MATERIAL} LEFT JOIN evidence AS e ON e.statement_id = s.statement_id
    AND ifnull(e.blended, e.unsupported) = v.doubt -- the page that opens: the doubt is copied from it
ORDER BY priority DESC, doubt DESC, {IN_ORDER}"""
_LABELS: Final = """SELECT unit, label FROM decision_current
WHERE reviewer = ? AND pass = 1 AND axis = 'evidence' AND label <> 'cannot_judge'"""


KnownSigns = Sequence[float | None]
"""The signs of a pair, in the order of ``sign_names``; ``None`` for one that a model would give, where none was
asked."""


class SignWeight(NamedTuple):
    """The weight of a sign per spread, and its mean and spread in the study when that was fitted."""

    weight: float
    mean: float
    spread: float


class OrderVersion(NamedTuple):
    """What was learned: the log odds that a statement is not supported, by the log odds of its place (``slope``) and
    its signs, as the rules of a version (``rules``) made these. ``on``: whether queues have this order; ``labels``:
    from how many it was learned, 0 for not yet."""

    event_id: str
    rules: str
    on: bool
    labels: int
    bias: float
    slope: float
    signs: Mapping[str, SignWeight]

    @property
    def words(self) -> str:
        """``ordered by your 60 labels: names, negation``: what weighs most, without saying how."""
        weights = {group: max(abs(self.signs[name].weight) for name in names) for group, names in GROUPS.items()}
        most = sorted((group for group in weights if weights[group] >= _COUNTS), key=lambda group: -weights[group])
        told = f": {', '.join(most[:_NAMED])}" if most else ""
        return f"ordered by your {counted(self.labels, 'label')}{told}"

    def doubt(self, place: float, signs: KnownSigns | None) -> float:
        """The log odds that a statement is not supported; a sign that is not there says nothing."""
        found = self.bias + self.slope * place
        for value, (weight, mean, spread) in zip(signs or (), map(self.signs.__getitem__, _EVERY), strict=False):
            if value is None:
                continue
            away = (value - mean) / spread
            found += weight * (away if -CLIP < away < CLIP else CLIP if away > 0 else -CLIP)
        return round(found, _ROUND)

    @classmethod
    def fitted(cls, statements: Sequence[tuple[float, KnownSigns]], labels: Mapping[int, bool]) -> "OrderVersion":
        """What labels teach (by the number of a statement: it is not supported) on statements with the log odds of
        their places in the rules' order and their signs."""
        from medreview.review.order_fit import fit

        found = fit([signs for _, signs in statements], [place for place, _ in statements], labels, CLIP)
        signs = {name: SignWeight(*values) for name, values in zip(_EVERY, found.signs, strict=True)}
        return cls("", ENGINE, True, len(labels), found.bias, found.slope, signs)


_NOTHING_YET: Final = OrderVersion("", ENGINE, True, 0, 0.0, 0.0, {})


def newest_version(reader: sqlite3.Connection, reviewer: str) -> OrderVersion | None:
    """What was learned last from a reviewer's labels, or ``None``; also where that was of signs that other rules made,
    as long as it is on: it has to be learned again."""
    act = newest_act(reader, EVENT, reviewer)
    if act is None:
        return None
    signs = {name: SignWeight(*values) for name, values in act.said["signs"].items()}
    found = OrderVersion(act.event_id, **{**act.said, "signs": signs})
    if found.rules == ENGINE and signs.keys() == (set(_EVERY) if found.labels else set()):
        return found
    return None if found.on else _NOTHING_YET._replace(event_id=act.event_id, on=False)


class _Statement(NamedTuple):
    """A statement of the study: its rank and the log odds of its place in the rules' order, whether it heads the queue,
    its signs; ``None`` where nothing was compared."""

    rank: int
    place: float
    heads: bool
    signs: KnownSigns | None


class LearnedOrder:
    """The learned order of one reviewer's queue in a sitting. Statements are read once, when they are needed."""

    def __init__(self, study: Study, reviewer: str) -> None:
        self._study = study
        self._reviewer = reviewer
        self.version = newest_version(study.reader, reviewer)
        self._statements: dict[str, _Statement] | None = None
        self._wait = 0
        """Decisions after which the labels are counted again."""
        self._laid: list[tuple[int, str]] = []

    @property
    def in_force(self) -> OrderVersion | None:
        """The version that queues are ordered by now."""
        version = self.version
        return version if version is not None and version.on and version.labels else None

    def version_at(self, place: int) -> str:
        """The event of the version that put a unit at a place of the queue; ``""`` for the order of the rules."""
        return next((event_id for start, event_id in reversed(self._laid) if start <= place), "")

    def prepare(self) -> None:
        """Load what is needed for the next fit, while nobody waits."""
        rows = self._study.reader.execute(_LABELS, (self._reviewer,)).fetchall()
        if self._study.writable and len(rows) + EVERY >= FROM:
            import medreview.review.order_fit  # noqa: F401

            self._read()

    def opened(self, queue: Queue, passed: Sequence[bool], first: str) -> Queue:
        """The queue as it was learned: what is ``passed`` (decided or put off), the unit ``first``, then the others,
        those in doubt first."""
        version = self.in_force
        self._laid = []
        if version is None:
            return queue
        self._laid = [(0, version.event_id)]
        units = queue.units
        return self._sorted(queue, version, 0, lambda at: (not passed[at], units[at] != first))

    def behind(self, queue: Queue, passed: Sequence[bool], place: int) -> Queue:
        """The queue with what stands behind a place as it was learned; there what is passed comes last."""
        version = self.in_force
        if version is None:
            return queue
        self._laid.append((place, version.event_id))
        return self._sorted(queue, version, place, lambda at: (passed[at], False))

    def _sorted(
        self, queue: Queue, version: OrderVersion, start: int, part: Callable[[int], tuple[bool, bool]]
    ) -> Queue:
        turns = {at: (*part(at), *self._turn(queue.units[at], version), at) for at in range(start, len(queue.units))}
        places = [*range(start), *sorted(turns, key=turns.__getitem__)]
        units, responses = ([values[at] for at in places] for values in (queue.units, queue.responses))
        return queue._replace(units=units, responses=responses)

    def _turn(self, unit: str, version: OrderVersion) -> tuple[bool, float, int]:
        """What a unit is sorted by: whether it does not head the queue, its doubt, its rank in the rules' order."""
        statements = self._read()
        one = statements.get(unit)
        if one is None:  # made since
            return True, 0.0, len(statements)
        return not one.heads, -version.doubt(one.place, one.signs), one.rank

    def decided(self) -> bool:
        """A label was given: learn again where it is time to; whether there is a new version."""
        if self.version is not None and not self.version.on:
            return False
        self._wait -= 1
        if self._wait > 0:
            return False
        labels = self._labels()
        learned = self.version.labels if self.version is not None else 0
        due = learned + EVERY if learned else FROM
        self._wait = due - len(labels)
        if self._wait > 0:
            return False
        with suppress(UserError, sqlite3.Error):  # the decision is saved; the order stays as it was
            self._keep(self._learned(labels))
            return True
        return False

    def switch(self) -> OrderVersion:
        """Turn it off, or on again: by another event. Raises :class:`UserError` when that cannot be written."""
        before = self.version or _NOTHING_YET
        labels = {} if before.on else self._labels()
        return self._keep(self._learned(labels) if len(labels) >= FROM else before._replace(on=not before.on))

    def _learned(self, labels: Mapping[str, bool]) -> OrderVersion:
        known = [(unit, one.place, one.signs) for unit, one in self._read().items() if one.signs is not None]
        labelled = {at: labels[unit] for at, (unit, _, _) in enumerate(known) if unit in labels}
        return OrderVersion.fitted([(place, signs) for _, place, signs in known], labelled)

    def _keep(self, version: OrderVersion) -> OrderVersion:
        said = version._asdict()
        del said["event_id"]
        receipt = write_act(self._study, self._reviewer, EVENT, said)
        self.version, self._wait = version._replace(event_id=receipt.event_id), 0
        return self.version

    def _labels(self) -> dict[str, bool]:
        """By statement whether the reviewer's label says that it is not supported, of those that can be learned from;
        none as long as there are too few of any."""
        rows = self._study.reader.execute(_LABELS, (self._reviewer,)).fetchall()
        if len(rows) < FROM:
            return dict.fromkeys((row[0] for row in rows), False)
        known = self._read()
        return {unit: label != "supported" for unit, label in rows if unit in known and known[unit].signs is not None}

    def _read(self) -> dict[str, _Statement]:
        if self._statements is None:
            reader = self._study.reader
            held = {row[0] for row in reader.execute(HELD, (self._reviewer, 1))}
            rows = list({row[0]: row for row in reader.execute(_ROWS) if row[0] not in held}.values())
            self._statements = {}
            places = log_odds_of_places([(row[1], row[2]) for row in rows])
            for rank, ((unit, priority, _, written), place) in enumerate(zip(rows, places, strict=True)):
                signs = tuple(json.loads(written)) if written else ()
                there = len(SIGNS) <= len(signs) <= len(_EVERY)
                known = (*signs, *[None] * (len(_EVERY) - len(signs))) if there else None
                self._statements[unit] = _Statement(rank, place, priority >= _HEADS, known)
        return self._statements


def log_odds_of_places(doubts: Sequence[object]) -> list[float]:
    """For what is sorted by its doubt, greatest first: the log odds of the share that comes after. What is in equal
    doubt shares its mean place."""
    places: list[float] = []
    for _, alike in groupby(doubts):
        number = len(list(alike))
        share = 1 - (len(places) + number / 2) / len(doubts)
        places += [log(share / (1 - share))] * number
    return places
