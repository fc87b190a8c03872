"""Looks at what the judges say outside the screens: figures, exports, tables.

They are events, so that labels given afterwards count as what they are: after single verdicts assisted; after totals
blind, with the totals among what had been seen.
"""

import sqlite3
from collections.abc import Callable, Iterable, Mapping
from typing import Final, Literal

from medreview.errors import UserError
from medreview.review.blind_block import BLOCK_SIZE
from medreview.stats.formulas.estimate import FEWEST
from medreview.stats.reports.study_reader import Selection, UnitSelection
from medreview.study import Study
from medreview.study.events import NewEvent, Recorder
from medreview.study.recent_list import recent_list

Shown = Literal["verdicts", "totals", "labels", "gold"]
"""What was shown: the judges' verdicts on each statement, only sums and rates of them, other reviewers' labels, or sums
and rates by right labels that should be hidden still."""

_Change = Callable[[sqlite3.Connection], object]

_NEW: Final[dict[Shown, str]] = {
    "verdicts": """SELECT coalesce(max(imported_at) > (SELECT max(at_utc) FROM event
        WHERE kind = 'look' AND json_extract(payload, '$.shown') = 'verdicts' AND reviewer = ?), 1)
        FROM (SELECT imported_at FROM response UNION ALL SELECT imported_at FROM unit
              UNION ALL SELECT found_at FROM reference)""",
    "totals": "SELECT NOT EXISTS (SELECT 1 FROM judges_look WHERE reviewer = ?)",
    "labels": """SELECT EXISTS (SELECT 1 FROM event AS e
        WHERE e.kind IN ('decide', 'revise', 'note') AND e.reviewer <> ?1
        AND e.event_id > coalesce((SELECT max(l.event_id) FROM event AS l WHERE l.kind = 'look' AND l.reviewer = ?1
                                   AND json_extract(l.payload, '$.shown') = 'labels'), ''))""",
    "gold": """SELECT coalesce(max(added_at) > (SELECT max(at_utc) FROM event
        WHERE kind = 'look' AND json_extract(payload, '$.shown') = 'gold' AND reviewer = ?), 1) FROM gold""",
}

_MARKED_BY_OTHERS: Final = """SELECT EXISTS (SELECT 1 FROM span_live
WHERE reviewer <> ? AND pass = 1 AND axis = 'hallucination')"""

_REVIEWED: Final = """SELECT DISTINCT reviewer FROM event
WHERE kind IN ('decide', 'revise', 'defer', 'note', 'shown') ORDER BY reviewer"""

_SHOWN_OPEN: Final = """SELECT DISTINCT unit, snapshot, block FROM event
WHERE kind = 'shown' AND mode = 'open' AND event_id > ?"""

_SAID: Final = ("judgement", "hallucination_finding", "key_fact_vote", "opinion", "reference_check")
"""Where machines speak."""


def readers(study: Study, reviewer: str, *, is_set: bool) -> tuple[str, ...]:
    """The readers of a command's or script's output on a study: its last reviewer on this machine.

    The list of recent studies records that; ``reviewer`` is meant where the review named nobody. A study that is not in
    the list is read by ``reviewer``, if the settings name one (``is_set``). Else the reader is unknown: all its
    reviewers, and ``reviewer``, the login name.
    """
    path = study.path.resolve()
    for opened in recent_list():
        if opened.file == path:
            return (opened.reviewer or reviewer,)
    if is_set:
        return (reviewer,)
    return tuple(dict.fromkeys((*(row[0] for row in study.reader.execute(_REVIEWED)), reviewer)))


def is_new(reader: sqlite3.Connection, reviewer: str, shown: Shown) -> bool:
    """Whether a look shows the reviewer something new: there is a verdict or label that no look has shown."""
    spoken = (reader.execute(f"SELECT EXISTS (SELECT 1 FROM {table})").fetchone()[0] for table in _SAID)
    if shown not in ("labels", "gold") and not any(spoken):
        return False
    return bool(reader.execute(_NEW[shown], (reviewer,)).fetchone()[0])


def shown_by(part: Selection) -> Shown:
    """What figures of a part of a study show: sums and rates, or, where it was chosen by what judges say or holds fewer
    statements than a blind block, what they say of single ones."""
    if part.statements is None:
        return "totals"
    return "verdicts" if part.tells or len(part.statements) < BLOCK_SIZE else "totals"


def shown_by_units(part: UnitSelection | None, by: str | None) -> Shown:
    """The same of figures of a kind of unit, a part of it, or each of its parts: cases have few units each."""
    few = part is not None and (part.tells or len(part.units) < BLOCK_SIZE)
    return "verdicts" if few or by == "case" else "totals"


def note_look(study: Study, reviewer: str, what: str, shown: Shown) -> str:
    """Record that a reviewer reads what the judges say, before it is shown; ``what`` names it: ``stats``, ``export``.

    A look that shows nothing new is no event. ``""``, or a sentence where it cannot be recorded: another process writes
    to the study, it is read-only, or an earlier version made it.
    """
    if not is_new(study.reader, reviewer, shown):
        return ""
    return _written(study, _look(study, reviewer, what, {"what": what, "shown": shown}), shown)


def note_test_look(study: Study, reviewer: str) -> None:
    """Record a look at the test half of the labels (``stats.reports.judged_labels``), before it is shown.

    Raises :class:`UserError` where that cannot be done.
    """
    said = {"what": "judges --test", "shown": "totals", "half": "test"}
    try:
        _write(study, _look(study, reviewer, "judges", said))
    except UserError as error:
        why = str(error).rstrip(".")
        raise UserError(
            f"The test half is shown only where the study can count the look, and it cannot: {why}."
        ) from None


def _look(study: Study, reviewer: str, block: str, said: Mapping[str, str]) -> _Change:
    event = NewEvent("look", study.meta("study_id"), said)
    return lambda connection: Recorder(reviewer).append(connection, event, block=block, mode="open")


def note_shown_in_copy(study: Study, copy: Study, reviewer: str) -> str:
    """Record in a study the units that its copy has shown with the judges since it was made.

    ``""``, or a sentence as from :func:`note_look`.
    """
    newest = study.reader.execute("SELECT coalesce(max(event_id), '') FROM event").fetchone()[0]
    seen = copy.reader.execute(_SHOWN_OPEN, (newest,)).fetchall()

    def change(connection: sqlite3.Connection) -> None:
        recorder = Recorder(reviewer)
        for unit, snapshot, block in seen:
            recorder.append(connection, NewEvent("shown", unit, snapshot=snapshot), block=block, mode="open")

    return _written(study, change, "verdicts") if seen else ""


def _write(study: Study, change: _Change) -> None:
    """Make a change of the record, also of a study that is open for reading."""
    if study.writable:
        study.write(change)
    else:
        study.write_aside(change)


def _written(study: Study, change: _Change, shown: Shown) -> str:
    """The same; why not, if it cannot be."""
    try:
        _write(study, change)
    except UserError as error:
        return cannot_vouch(str(error), shown)
    return ""


def cannot_vouch(why: str, shown: Shown = "verdicts") -> str:
    """The sentence on a look that is not recorded."""
    at, count_as = ("other reviewers' labels", "independent") if shown == "labels" else ("the judges", "blind")
    return (
        f"This look at {at} is not recorded in the study ({why.rstrip('.')}): "
        f"that labels given after it are {count_as} cannot be vouched for."
    )


def told_by_sums(labels: Iterable[tuple[str, int]], reviewer: str) -> bool:
    """Whether sums over so many labels of each reviewer show one of them another's labels on single units."""
    return any(0 < count < FEWEST for who, count in labels if who != reviewer)


def tells_of_others(reader: sqlite3.Connection, reviewer: str, listed: frozenset[str] | None) -> bool:
    """Whether a list of these statements (``study.held_back.listable``), with the marks in all answers, shows a
    reviewer what others said of undecided units."""
    return listed is None or bool(reader.execute(_MARKED_BY_OTHERS, (reviewer,)).fetchone()[0])
