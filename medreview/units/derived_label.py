"""A statement's label as it follows from one reviewer's labels on its pairs.

The rule is the judges' own over sources (:func:`medreview.judges.rollup.over_sources`): supported as soon as one source
supports; else, once all pairs are labelled, contradicted if one contradicts, then partial, then not addressed. Until
then it is missing. As with judges, labels on a page whose text changed since do not count.
"""

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from typing import Final, NamedTuple

from medreview.judges.rollup import SourceOpinion, over_sources
from medreview.labels import level_named
from medreview.study.ids import PAIR, ids_of, unit_id

_PAIRS: Final = "SELECT statement_id, source_id FROM reviewed_pair"

# Units are compared as a range, which SQLite takes into the views: those of one statement are found by the index.
_STANDING: Final = """
FROM decision_current AS c {join}
WHERE c.unit >= ? AND c.unit < ? AND c.axis IN ('evidence', 'support')
      AND NOT EXISTS (SELECT 1 FROM decision_stale AS o WHERE o.event_id = c.event_id)"""
_LABELS: Final = f"SELECT c.reviewer, c.pass, c.unit, c.axis, c.label {_STANDING.format(join='')}"
_WITH_MODES: Final = f"""
SELECT c.reviewer, c.pass, c.unit, c.axis, c.label, f.label AS first, coalesce(s.event_id <= f.event_id, 0) AS assisted
{
    _STANDING.format(
        join='''LEFT JOIN decision_first AS f USING (reviewer, pass, unit, axis)
LEFT JOIN judges_seen AS s USING (reviewer, unit)'''
    )
}"""

_WORDS: Final = {"supported": SourceOpinion("supported", True), "not_supported": SourceOpinion(None, False)}
"""What labels come to that say more or less than a level: a two-way word has no level."""


class Derived(NamedTuple):
    """What labels on ``labelled`` of all ``pairs`` of a statement come to.

    ``label``: a level of the evidence axis, ``supported`` the two-way word; both ``None`` while it is undefined.
    ``label`` is ``None``, too, where a pair has the two-way word only, ``supported`` where the reviewer could not tell.
    """

    label: str | None
    supported: bool | None
    labelled: int
    pairs: int

    @property
    def words(self) -> str:
        """``derived from 3 of 3 pairs: supported``; ``2 of 3 pairs labelled`` while it is undefined."""
        if self.labelled < self.pairs and not self.supported:
            return f"{self.labelled} of {self.pairs} pairs labelled"
        two_way = {True: "supported", False: "not supported", None: "cannot judge"}[self.supported]
        name = level_named("evidence", self.label).name if self.label else two_way
        return f"derived from {self.labelled} of {self.pairs} pairs: {name}"


class DerivedLabel(NamedTuple):
    """One reviewer's in one pass: by the ``current`` labels, and by the ``counting`` ones, of blind ones the first.

    ``mode``: ``blind`` when all of the labels were given before anything of the judges' opinion on their pairs had been
    seen, else ``assisted``.
    """

    statement_id: str
    reviewer: str
    pass_no: int
    mode: str
    current: Derived
    counting: Derived


def derive(labels: Mapping[str, SourceOpinion], sources: Iterable[str]) -> Derived:
    """The label of a statement from those on its pairs, by source; ``sources``: those of all its pairs."""
    every = {*sources, *labels}
    word = over_sources(labels.values())
    if len(labels) < len(every) and not word.supported:
        word = SourceOpinion(None, None)
    return Derived(*word, len(labels), len(every))


def derived_label(reader: sqlite3.Connection, statement_id: str, reviewer: str, pass_no: int = 1) -> Derived | None:
    """What a reviewer's pair labels say of one statement; ``None`` when none of its pairs is labelled."""
    rows = reader.execute(_LABELS, _range(unit_id(PAIR, statement_id, ""))).fetchall()
    mine = [row for row in rows if row["reviewer"] == reviewer and row["pass"] == pass_no]
    if not mine:
        return None
    sources = [row[1] for row in reader.execute(f"{_PAIRS} WHERE statement_id = ?", (statement_id,))]
    return derive(_words(mine, "label"), sources)


def derived_labels(reader: sqlite3.Connection) -> Iterator[DerivedLabel]:
    """Those of every statement of the study, reviewer and pass with a labelled pair, ordered by their ids."""
    standing = {row[0] for row in reader.execute("SELECT statement_id FROM statement_standing")}
    found = ((ids_of(row["unit"])[0], row["reviewer"], row["pass"], row) for row in reader.execute(_WITH_MODES, _ALL))
    rows = sorted((one for one in found if one[0] in standing), key=itemgetter(0, 1, 2))
    if not rows:
        return
    pairs: dict[str, list[str]] = {statement_id: [] for statement_id, *_ in rows}
    for statement_id, source_id in reader.execute(_PAIRS):
        if statement_id in pairs:
            pairs[statement_id].append(source_id)
    for (statement_id, reviewer, pass_no), group in groupby(rows, key=itemgetter(0, 1, 2)):
        labels = [row for *_, row in group]
        yield DerivedLabel(
            statement_id,
            reviewer,
            pass_no,
            "assisted" if any(row["assisted"] for row in labels) else "blind",
            derive(_words(labels, "label"), pairs[statement_id]),
            derive(_words(labels, "first"), pairs[statement_id]),
        )


def _range(prefix: str) -> tuple[str, str]:
    """The bounds of all units whose ids begin so; ``prefix`` ends with a colon, and ``;`` comes after it."""
    return prefix, prefix[:-1] + ";"


_ALL: Final = _range(f"{PAIR}:")


def _words(rows: Collection[sqlite3.Row], column: str) -> dict[str, SourceOpinion]:
    """The labels by source; of an assisted one the current label counts, whatever the column."""
    found: dict[str, SourceOpinion] = {}
    for row in sorted(rows, key=lambda row: str(row["axis"]) == "evidence"):  # a level says more than a two-way word
        label = row["label"] if column == "label" or row["assisted"] else row[column]
        found[ids_of(row["unit"])[1]] = _word(label or row["label"])
    return found


def _word(label: str) -> SourceOpinion:
    """A label of the axis ``evidence`` or ``support`` as the roll-up takes it."""
    return _WORDS.get(label) or SourceOpinion(label, None if label == "cannot_judge" else False)
