"""An export for who is not done with the blind labels: without what machines say of units that are not decided."""

import sqlite3
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Final

from medreview.references.stored import register as register_verdicts
from medreview.study.connection import undone_after
from medreview.units.withheld_models import register

_KEPT: Final = "statement_id NOT IN (SELECT statement_id FROM temp.undecided)"
_DECIDED: Final = "IN (SELECT unit FROM temp.decided)"
_NOT_TOLD: Final = """text IN (SELECT question FROM main.reference_answer)
        AND text NOT IN (SELECT question FROM temp.reference_answer)"""
"""Of a question: that its correct answer is left out, since an answer to it is not decided."""
_GENERATION: Final = (
    "generation_run", "generation", "generation_attempt", "generation_product", "generation_dropped",
)  # fmt: skip
"""What models were asked to write, and what came of it: it tells who wrote what, and the key of it."""
_TOLD: Final = f"'reference:' || reference_id {_DECIDED}"
_CHECKS: Final = f"""SELECT check_id, reference_id, iif({_TOLD}, verdict, NULL) AS verdict, rules, library, online,
        checked_at, iif({_TOLD}, result, without_verdict(result)) AS result FROM main."""
"""Of checks of references: what authorities have stays, what the rules make of it does not."""
_SHADOWS: Final = {
    **{table: f"SELECT * FROM main.{table} WHERE 0" for table in _GENERATION},
    **{
        table: f"SELECT * FROM main.{table} WHERE {_KEPT}"
        for table in ("judgement", "merged_judgement", "verdict", "evidence")
    },
    "opinion": f"SELECT * FROM main.opinion WHERE unit {_DECIDED}",
    # What is right is told when a block is done, and not before.
    "gold": f"""SELECT * FROM main.gold WHERE unit {_DECIDED} AND unit NOT IN (SELECT unit FROM temp.in_open_block)""",
    # A finding tells of every statement of its response, and of the response as an answer.
    "hallucination_finding": f"""SELECT * FROM main.hallucination_finding WHERE 'answer:' || response_id {_DECIDED}
        AND response_id NOT IN (SELECT response_id FROM temp.undecided JOIN main.statement USING (statement_id))""",
    # A correct answer is nearly the right label, unless the study shows it from the start.
    "reference_answer": f"""SELECT * FROM main.reference_answer AS c
        WHERE EXISTS (SELECT 1 FROM main.study WHERE key = 'correct_answer' AND value = 'shown') OR NOT EXISTS (
            SELECT 1 FROM main.response AS r
            WHERE r.question = c.question AND NOT 'answer:' || r.response_id {_DECIDED})""",
    "key_fact_vote": f"SELECT * FROM main.key_fact_vote WHERE 'fact:' || response_id || ':' || key_fact_id {_DECIDED}",
    "unit": f"""SELECT unit_id, kind, ordinal, record_id, origin, iif(unit_id {_DECIDED}, model, '') AS model,
        belongs_to, text, CASE WHEN kind = 'question' AND {_NOT_TOLD}
        THEN json_set(content, '$.answer', '', '$.quote', '') WHEN unit_id {_DECIDED} THEN content
        ELSE without_models(kind, content) END AS content, content_sha256,
        iif(unit_id {_DECIDED}, made_by, '{{}}') AS made_by, imported_at, imported_from FROM main.unit""",
    **{table: _CHECKS + table for table in ("reference_check", "reference_checked")},
    "source_reference": f"""SELECT response_id, source_id, reference_id, iif({_TOLD}, verdict, NULL) AS verdict
        FROM main.source_reference""",
    # Which page opens is shown in a blind queue, too; the score that it is chosen by is not.
    "source_order": f"""SELECT statement_id, source_id, snapshot_id, first, cited, readable,
        iif({_KEPT}, unsupported, NULL) AS unsupported, turn, opens FROM main.source_order""",
}
"""Tables and views of what machines say, each with what may be read of it."""


@contextmanager
def without_judges(reader: sqlite3.Connection, reviewer: str) -> Iterator[Collection[str]]:
    """While it lasts, nothing that is read here says what machines think of units the reviewer has not decided.

    Temporary views of the same names stand before the tables, so that no reader of rows can forget to ask; it yields
    the units that are decided, for what is read by the study's own views.
    """
    register(reader)
    register_verdicts(reader)
    with undone_after(reader):
        reader.execute("CREATE TEMPORARY TABLE undecided (statement_id TEXT PRIMARY KEY) WITHOUT ROWID")
        reader.execute("CREATE TEMPORARY TABLE decided (unit TEXT PRIMARY KEY) WITHOUT ROWID")
        reader.execute("CREATE TEMPORARY TABLE in_open_block (unit TEXT PRIMARY KEY) WITHOUT ROWID")
        reader.execute(
            """INSERT INTO temp.decided
               SELECT DISTINCT unit FROM standing WHERE reviewer = ? AND state = 'decided'""",
            (reviewer,),
        )
        reader.execute(
            """INSERT INTO temp.in_open_block SELECT DISTINCT unit FROM kept_blind
               WHERE reviewer = ? AND act = 'decide' AND NOT seen""",
            (reviewer,),
        )
        reader.execute(
            """INSERT INTO temp.undecided SELECT statement_id FROM statement
               WHERE statement_id NOT IN (SELECT unit FROM temp.decided)"""
        )
        for name, allowed in _SHADOWS.items():
            reader.execute(f"CREATE TEMPORARY VIEW {name} AS {allowed}")
        yield {row[0] for row in reader.execute("SELECT unit FROM temp.decided")}
