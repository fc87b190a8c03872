"""A part of a study for a copy: some of its responses and stored units, and all that hangs on them.

The one place that says what belongs to it. A row stays when everything of the study that it names stays: which
response, statement, source, page, reference or unit it is of, its columns say by their names, in every table. What
names none of these (guidelines, cases, passages, key facts, runs) is small and stays whole.
"""

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from medreview.errors import UserError
from medreview.study.ids import MADE_OF, STATEMENT, ids_of, kind_of

_FUNCTION: Final = "is_in_part"

_CALLS: Final = ("llm_call", "llm_sent")
"""Models' answers name nothing but their question: they stay where they were paid for."""

_SOURCES: Final = """
SELECT source_id FROM citation WHERE {in_part:response_id}
UNION SELECT source_id FROM own_number WHERE {in_part:response_id}
UNION SELECT source_id FROM listed_pair WHERE {in_part:statement_id}
UNION SELECT source_id FROM marker WHERE source_id IS NOT NULL AND {in_part:statement_id}
UNION SELECT source_id FROM reference_source WHERE {in_part:reference_id}
UNION SELECT source_id FROM snapshot
      WHERE snapshot_id IN (SELECT snapshot_id FROM judgement WHERE {in_part:statement_id})
"""
"""The sources of a part: those that its responses cite, in whatever way, and those that they were judged by."""


@dataclass(frozen=True, slots=True)
class StudyPart:
    """``words`` say which part it is; ``held``: the ids in it, by the columns that name them. ``units``: the only ones
    it has rows of, if not all that are made of what it holds. ``without``: tables of which it has nothing. ``batch``:
    the draw whose units it is for, if it is a batch."""

    words: str
    held: Mapping[str, frozenset[str]]
    units: frozenset[str] | None = None
    without: Collection[str] = _CALLS
    batch: str = ""

    def holds(self, column: str, value: str | None) -> bool:
        """Whether a row whose column has this value may stay; without a value it is of nothing."""
        return value is None or (self._holds_unit(value) if column == "unit" else value in self.held[column])

    def _holds_unit(self, unit: str) -> bool:
        if self.units is not None:
            return unit in self.units
        kind, first = kind_of(unit), ids_of(unit)[0]
        if kind == STATEMENT:
            return first in self.held["statement_id"] or first in self.held["study"]
        made_of = MADE_OF.get(kind)
        return first in self.held[f"{made_of[0]}_id"] if made_of else unit in self.held["unit_id"]

    def register(self, reader: sqlite3.Connection) -> None:
        """Give a connection the function that :meth:`where` asks."""
        reader.create_function(_FUNCTION, 2, self.holds, deterministic=True)

    def where(self, table: str, columns: Iterable[str]) -> str:
        """The condition on the rows of a table that stay, as SQL."""
        if table in self.without:
            return "0"
        named = [name for name in columns if name == "unit" or name in self.held]
        return " AND ".join(f"""{_FUNCTION}('{name}', "{name}")""" for name in named) or "1"


def part_of(reader: sqlite3.Connection, words: str, responses: Collection[str], units: Collection[str]) -> StudyPart:
    """The part with these responses and stored units, of a study that is open."""
    held = {"response_id": frozenset(responses), "unit_id": frozenset(units)}
    (study,) = reader.execute("SELECT value FROM study WHERE key = 'study_id'").fetchone()
    part = StudyPart(words, held | {"study": frozenset((study,))})
    part.register(reader)

    def ids(query: str) -> frozenset[str]:
        for column in ("response_id", "statement_id", "reference_id"):
            query = query.replace(f"{{in_part:{column}}}", f"{_FUNCTION}('{column}', {column})")
        return frozenset(row[0] for row in reader.execute(query))

    for table in ("statement", "reference"):
        found = ids(f"SELECT {table}_id FROM {table} WHERE {{in_part:response_id}}")
        part = replace(part, held={**part.held, f"{table}_id": found})
    part.register(reader)
    sources = ids(_SOURCES)
    pages = frozenset(
        row[0] for row in reader.execute("SELECT snapshot_id, source_id FROM snapshot") if row[1] in sources
    )
    part = replace(part, held={**part.held, "source_id": sources, "snapshot_id": pages})
    part.register(reader)
    return part


def shards(reader: sqlite3.Connection, count: int) -> Iterator[StudyPart]:
    """A study in so many parts of about the same size, one after the other; the same each time.

    A response is never divided, and all responses to one question are in one shard. A stored unit is with the response
    that it belongs to, else with the others that belong to the same case or passage. Raises :class:`UserError` when
    there are fewer questions than shards.
    """
    place: dict[str, int] = {}
    questions: dict[str, int] = {}
    for response_id, question in reader.execute("SELECT response_id, question FROM response ORDER BY ordinal"):
        place[response_id] = questions.setdefault(question or response_id, len(questions)) % count
    groups: dict[str, int] = {}
    unit_place = {
        unit: place[whole] if whole in place else groups.setdefault(whole or unit, len(groups)) % count
        for unit, whole in reader.execute("SELECT unit_id, belongs_to FROM unit ORDER BY kind, ordinal")
    }
    if count > (most := max(len(questions), len(groups))):
        raise UserError(
            f"The study can be split into {most:,} shards at the most: responses to one question stay together."
        )
    for number in range(count):
        responses = [one for one, shard in place.items() if shard == number]
        units = [one for one, shard in unit_place.items() if shard == number]
        yield part_of(reader, f"shard {number + 1} of {count}", responses, units)
