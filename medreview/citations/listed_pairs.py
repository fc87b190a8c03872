"""Which sources a statement is judged by, where the table that it came from lists them."""

import sqlite3
from collections.abc import Iterable

from medreview.citations.citation import canonical_key
from medreview.citations.extract import from_list
from medreview.citations.stored_sources import earlier_sources, source_id
from medreview.exchange.imports.judgements import JudgementRecord
from medreview.exchange.imports.sourcecheckup import PARSER
from medreview.study import Study
from medreview.study.rows import insert


def list_pairs(study: Study, decisions: Iterable[JudgementRecord]) -> int:
    """Store the pairs of a table's decisions whose statements came with it, in one transaction; how many are new.

    A statement of a response that was split here is judged by all sources of its response, as ever.
    """
    wanted = [(record.response, record.statement, _key(record.source)) for record in decisions]

    def change(connection: sqlite3.Connection) -> int:
        known = {row[0] for row in connection.execute("SELECT source_id FROM source")}
        given = {
            (row[0], row[1]): row[2]
            for row in connection.execute(
                "SELECT response_id, s.text, statement_id FROM statement AS s JOIN response USING (response_id) "
                "WHERE parser = ?",
                (PARSER,),
            )
        }
        earlier = earlier_sources(connection)
        pairs = ((given.get((response, text)), source_id(key, earlier)) for response, text, key in wanted)
        rows = [{"statement_id": one, "source_id": other} for one, other in pairs if one and other in known]
        return insert(connection, "listed_pair", rows)

    return study.write(change)


def _key(source: str) -> str:
    cited = from_list([source]).citations
    return canonical_key(cited[0]) if cited else ""
