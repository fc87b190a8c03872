"""Reviewers whose labels do not count in figures and files: named, or since they failed hidden checks.

While :func:`left_out` lasts, temporary views stand before the record of events and before each view of the study that
is made from it. So no figure, list or export can forget to leave these labels out, and nothing in the file changes.
"""

import re
import sqlite3
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from medreview.errors import UserError
from medreview.study.connection import undone_after
from medreview.units.label_comparisons import GoldResult, gold_results, told_results

ATTENTION: Final = "attention"
"""The rule that every check of attention was right."""

_LABELS: Final = (
    "shown", "decide", "revise", "reveal", "reason", "defer", "flag", "note", "span_add", "span_del", "span_move",
    "adjudicate", "finding", "tag",
)  # fmt: skip
"""Events that say what a reviewer thinks or saw of a unit. Edits of statements, draws and words on the study stay."""

_OUT: Final = f"""CREATE TEMPORARY TABLE event_left_out AS
WITH RECURSIVE gone (event_id) AS (
    SELECT event_id FROM main.event WHERE reviewer IN (SELECT reviewer FROM temp.reviewer_left_out)
    AND kind IN {_LABELS} AND unit <> (SELECT value FROM main.study WHERE key = 'study_id')
    UNION SELECT e.event_id FROM gone JOIN main.event AS e ON e.undoes_event = gone.event_id)
SELECT event_id FROM gone"""
_KEPT: Final = """CREATE TEMPORARY VIEW event AS SELECT * FROM main.event
WHERE event_id NOT IN (SELECT event_id FROM temp.event_left_out)"""
_GIVEN: Final = "SELECT count(*) FROM decision_current WHERE reviewer = ?"
_REVIEWERS: Final = "SELECT DISTINCT reviewer FROM decision_current ORDER BY reviewer"
_IS_MADE: Final = "SELECT EXISTS (SELECT 1 FROM sqlite_temp_master WHERE name = 'reviewer_left_out')"


@dataclass(frozen=True, slots=True)
class LeftOutReviewer:
    """A reviewer whose ``labels`` (those that stand, on every axis and pass) do not count.

    ``rule``: what was failed, ``""`` for a reviewer who was named. ``right`` of the ``checks`` that this rule counts:
    hidden checks that the reviewer has decided and no open block hides.
    """

    reviewer: str
    rule: str
    right: int
    checks: int
    labels: int

    @property
    def sentence(self) -> str:
        """Who, why, and how many labels."""
        checks = f"{self.right} of {self.checks} {'check' if self.checks == 1 else 'checks'} right"
        why = f"{checks}; the rule is {self.rule}" if self.rule else f"named; {checks}" if self.checks else "named"
        return f"Left out: {self.reviewer} ({why}), {self.labels:,} {'label' if self.labels == 1 else 'labels'}."


@dataclass(frozen=True, slots=True)
class PassRule:
    """How many checks a reviewer must have right: every one of attention, or a ``share`` of all gold items."""

    share: float | None

    @property
    def words(self) -> str:
        """The rule in a few words."""
        return "every attention check" if self.share is None else f"at least {self.share:.0%} of all checks"

    def counts(self, reader: sqlite3.Connection, reviewer: str) -> tuple[int, int]:
        """How many of how many checks a reviewer has right, of those that this rule counts."""
        found = self._checks(told_results(reader, reviewer))
        return sum(one.right for one in found), len(found)

    def waiting(self, reader: sqlite3.Connection) -> Iterator[str]:
        """A sentence for each reviewer with checks that do not count yet, since an open block hides them, and for each
        who has met none."""
        for name in (row[0] for row in reader.execute(_REVIEWERS)):
            met, counted = len(self._checks(gold_results(reader, name))), self.counts(reader, name)[1]
            if not met:
                yield f"{name} has met no check: these labels stay, and nothing is known of this reviewer's attention."
            elif hidden := met - counted:
                checks = "1 check does" if hidden == 1 else f"{hidden} checks do"
                yield f"Of {name} {checks} not count yet: the batch or the block that hides them is not done."

    def _checks(self, results: Sequence[GoldResult]) -> list[GoldResult]:
        return [one for one in results if self.share is not None or one.gold.attention]

    def fails(self, right: int, checks: int) -> bool:
        """Whether that is too few. Without a check nobody fails."""
        return bool(checks) and right < checks * (1 if self.share is None else self.share)


def pass_rule(text: str) -> PassRule:
    """The rule that a word means: ``attention``, ``80%`` or ``0.8``. Raises :class:`UserError` for another word."""
    word = text.strip().casefold()
    if word == ATTENTION:
        return PassRule(None)
    number = re.fullmatch(r"(\d{1,3}(?:\.\d{1,4})?)\s?(%?)", word)
    share = float(number[1]) / (100 if number[2] else 1) if number else 0
    if not 0 < share <= 1:
        raise UserError(f"--passed takes attention, or a share of the checks above 0, as 80% or 0.8, not {text!r}.")
    return PassRule(share)


@contextmanager
def left_out(
    reader: sqlite3.Connection, names: Collection[str] = (), rule: PassRule | None = None
) -> Iterator[tuple[LeftOutReviewer, ...]]:
    """While it lasts, nothing that is read here has a label of the reviewers ``names`` and of those who fail ``rule``.

    Everything is read of one state of the file. A reviewer without a check that the rule counts stays. Raises
    :class:`UserError` for a name without labels, and where nobody would be left.
    """
    known = [row[0] for row in reader.execute(_REVIEWERS)]
    found = tuple(_leaving(reader, known, names, rule))
    if not found:
        yield ()
        return
    if len(found) == len(known):
        raise UserError(f"No reviewer is left. {' '.join(one.sentence for one in found)}")
    with undone_after(reader):
        reader.execute("CREATE TEMPORARY TABLE reviewer_left_out (reviewer TEXT, rule TEXT, right, checks, labels)")
        for one in found:
            values = (one.reviewer, one.rule, one.right, one.checks, one.labels)
            reader.execute("INSERT INTO temp.reviewer_left_out VALUES (?, ?, ?, ?, ?)", values)
        reader.execute(_OUT)
        reader.execute("CREATE UNIQUE INDEX temp.event_left_out_id ON event_left_out (event_id)")
        reader.execute(_KEPT)
        for view in _made_of_events(reader):
            reader.execute(view)
        yield found


def reviewers_left_out(reader: sqlite3.Connection) -> tuple[LeftOutReviewer, ...]:
    """Those of the :func:`left_out` that lasts; none outside it."""
    if not reader.execute(_IS_MADE).fetchone()[0]:
        return ()
    rows = reader.execute("SELECT reviewer, rule, right, checks, labels FROM temp.reviewer_left_out ORDER BY reviewer")
    return tuple(LeftOutReviewer(*row) for row in rows)


def _leaving(
    reader: sqlite3.Connection, known: Sequence[str], names: Collection[str], rule: PassRule | None
) -> Iterator[LeftOutReviewer]:
    for name in names:
        if name not in known:
            raise UserError(f"No reviewer {name!r} has a label in this study; there are {', '.join(known) or 'none'}.")
    for name in known:
        right, checks = (rule or PassRule(1)).counts(reader, name)
        fails = rule is not None and rule.fails(right, checks)
        if fails or name in names:
            labels = reader.execute(_GIVEN, (name,)).fetchone()[0]
            yield LeftOutReviewer(name, rule.words if rule and fails else "", right, checks, labels)


def _made_of_events(reader: sqlite3.Connection) -> list[str]:
    """Statements that make temporary copies of all views that read events, by way of other views, too."""
    views = dict(reader.execute("SELECT name, sql FROM main.sqlite_master WHERE type = 'view'").fetchall())
    named = {name: set(re.findall(r"\w+", sql)) - {name} for name, sql in views.items()}
    found = {"event"}
    while more := {name for name, words in named.items() if words & found} - found:
        found |= more
    made = re.compile(r"CREATE\s+VIEW\b", re.IGNORECASE)
    return [made.sub("CREATE TEMPORARY VIEW", sql, count=1) for name, sql in views.items() if name in found]
