"""What a judge takes apart: a response into self-contained statements, each with its span; a reference into its fields.

Of references a judge reads those that the rules read with doubt, in the reference's own words.
"""

import json
import re
import sqlite3
from collections.abc import Sequence
from typing import Any, Final

from medreview.evidence.grounding import QuoteIndex, ground
from medreview.judges.runs import add_run
from medreview.judges.tasks.task import Rows, Task, TaskUnit, Unit, said
from medreview.labels import SAME_WORDS
from medreview.llm.call import ModelAnswer
from medreview.references.model import Reference, reference_of, to_json
from medreview.references.model_reading import as_told, in_doubt
from medreview.study.ids import content_id
from medreview.study.rows import insert
from medreview.text import Span, sha256

STATEMENT_PARSING: Final = "statement_parsing"
REFERENCE_PARSING: Final = "reference_parsing"
_BY_THE_RULES: Final = "json_extract(f.reading, '$.read_by') IS NULL"
_ELLIPSIS: Final = re.compile(r"\u2026|\.\s?\.")


class Parsing(Task):
    """The task for one judge run: units are the responses that are not split into statements yet.

    A response that rules or another judge split stays so: judgements and decisions refer to those statements.
    A response that no judge could split stays unsplit, and the rules can still do it.
    """

    def waiting(self, *, again: bool = False) -> list[tuple[str, ...]]:
        """(response id,) in order; failures leave a response unsplit, so that ``again`` makes no difference."""
        rows = self.study.reader.execute("SELECT response_id FROM response_to_split ORDER BY ordinal")
        return [tuple(row) for row in rows]

    def unit(self, ids: tuple[str, ...]) -> TaskUnit:
        """The unit, with one request."""
        response = self.responses.get(ids[0])
        texts = {"question": response.question, "response": response.text}
        return TaskUnit(ids, (self.request(texts, response.name),))

    def rows(self, unit: TaskUnit, answers: Sequence[ModelAnswer]) -> Rows:
        """Rows of ``statement`` and the row of the response; no rows for an abstention.

        A statement that is in the response, apart from typography, gets the response's own words and their range; one
        that was reworded keeps the judge's words and has no range.
        """
        value, failed = said(answers)
        if failed is not None:
            return Rows({}, failed.status, abstained=True)
        response_id = unit.ids[0]
        texts = [" ".join(str(text).split()) for text in value["statements"]]
        aligned = align([text for text in texts if text], self.responses.get(response_id).text)
        statements = [
            {
                "statement_id": content_id("s", response_id, span.start if span else None, text),
                "response_id": response_id,
                "ordinal": ordinal,
                "start": span.start if span else None,
                "end": span.end if span else None,
                "text_sha256": sha256(text),
                "text": text,
            }
            for ordinal, (text, span) in enumerate(aligned, 1)
        ]
        left_out = value.get("left_out")
        dropped = len(left_out) if isinstance(left_out, list) else 0
        parser = f"{self.run.judge} {self.run.prompt_id} {self.run.judge_run_id}"
        response = {"response_id": response_id, "parser": parser, "dropped": dropped}
        verbatim = sum(span is not None for _, span in aligned)
        words = "all in the answer's words" if verbatim == len(aligned) else "some in other words"
        outcome = f"split, {words}" if aligned else "without any statement"
        return Rows({"statement": statements, "response": [response]}, outcome, abstained=False)

    def save(self, connection: sqlite3.Connection, rows: Sequence[Rows]) -> None:
        """Store rows, unless the response was split in the meantime by another judge of the same command."""
        add_run(connection, self.run)
        for made in rows:
            for response in made.tables.get("response", ()):
                claimed = connection.execute(
                    "UPDATE response SET parser = :parser, dropped = :dropped "
                    "WHERE response_id = :response_id AND parser IS NULL",
                    response,
                )
                if claimed.rowcount:
                    insert(connection, "statement", made.tables["statement"])


def align(statements: Sequence[str], response: str) -> list[tuple[str, Span | None]]:
    """The statements without duplicates, each with its range in the response, and the words there instead of the
    judge's; ``None`` for one that is not there.

    Of several occurrences, the first after the previous statement is taken.
    """
    index = QuoteIndex(response)
    found: list[tuple[str, Span | None]] = []
    seen: set[Any] = set()
    after = 0
    for text in statements:
        span = _find(text, index, after)
        words = response[span.start : span.end] if span else text
        if (key := span or text) in seen:
            continue
        seen.add(key)
        after = span.end if span else after
        found.append((words, span))
    return found


def _find(text: str, index: QuoteIndex, after: int) -> Span | None:
    bare = text.rstrip(" .;")
    words = re.compile(rf"(?<!\w){re.escape(bare)}(?!\w)") if bare else None
    if words and (found := words.search(index.text, after) or words.search(index.text)):
        end = found.end()
        return Span(found.start(), end + (index.text[end : end + 1] == "." and text.endswith(".")))
    if _ELLIPSIS.search(text):  # its parts would be found separately, and no single range is the statement
        return None
    grounding = ground(text, index)
    if grounding.status not in SAME_WORDS:
        return None
    return next((span for span in grounding.spans if span.start >= after), next(iter(grounding.spans), None))


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
