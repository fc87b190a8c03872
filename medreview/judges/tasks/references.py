"""Reading of references by a judge: those that the rules read with doubt, in the reference's own words."""

import json
import sqlite3
from collections.abc import Sequence
from typing import Final

from medreview.judges.chosen_units import Unit
from medreview.judges.runs import add_run
from medreview.judges.tasks.task import Rows, Task, TaskUnit, said
from medreview.llm.call import ModelAnswer
from medreview.references.model import Reference, reference_of, to_json
from medreview.references.model_reading import as_told, in_doubt

NAME: Final = "reference_parsing"
_BY_THE_RULES: Final = "json_extract(f.reading, '$.read_by') IS NULL"


class ReferenceParsing(Task):
    """The task for one judge run: units are the references that the rules read with doubt.

    The judge gets the reference's own text alone. Its answer is taken where every field stands in that text; else the
    reading of the rules stays. An answer that was not taken is in the cache and costs nothing a second time.
    """

    def waiting(self, *, again: bool = False) -> list[tuple[str, ...]]:
        """(reference id,) in order; one that was not taken stays in doubt, so that ``again`` makes no difference."""
        rows = self.study.reader.execute(
            f"""SELECT f.reference_id, f.reading FROM reference_current AS f JOIN response AS r USING (response_id)
                WHERE {_BY_THE_RULES} ORDER BY r.ordinal, f.ordinal"""
        )
        return [(row["reference_id"],) for row in rows if in_doubt(reference_of(json.loads(row["reading"])))]

    def about(self, unit: Unit) -> str:
        """The response that the reference is in."""
        query = "SELECT response_id FROM reference WHERE reference_id = ?"
        return str(self.study.reader.execute(query, unit).fetchone()[0])

    def unit(self, ids: tuple[str, ...]) -> TaskUnit:
        """The unit, with one request."""
        texts = {"reference": self._reference(ids[0]).text}
        return TaskUnit(ids, (self.request(texts, f"reference {ids[0]}"),))

    def rows(self, unit: TaskUnit, answers: Sequence[ModelAnswer]) -> Rows:
        """The new reading of the row of ``reference``; no row for an abstention and for words that are not there."""
        value, failed = said(answers)
        if failed is not None:
            return Rows({}, failed.status, abstained=True)
        by = f"{self.run.judge} {self.run.prompt_id} {self.run.judge_run_id}"
        read = as_told(self._reference(unit.ids[0]), value, by)
        if read is None:
            return Rows({}, "left to the rules", abstained=False)
        row = {"reference_id": unit.ids[0], "reading": json.dumps(to_json(read), ensure_ascii=False)}
        return Rows({"reference": [row]}, "read", abstained=False)

    def save(self, connection: sqlite3.Connection, rows: Sequence[Rows]) -> None:
        """Store readings, unless another judge read the reference in the meantime."""
        add_run(connection, self.run)
        for made in rows:
            connection.executemany(
                f"UPDATE reference AS f SET reading = :reading WHERE reference_id = :reference_id AND {_BY_THE_RULES}",
                made.tables.get("reference", ()),
            )

    def _reference(self, reference_id: str) -> Reference:
        row = self.study.reader.execute(
            "SELECT reading FROM reference WHERE reference_id = ?", (reference_id,)
        ).fetchone()
        return reference_of(json.loads(row["reading"]))
