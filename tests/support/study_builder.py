"""A study made row by row: each method adds one row, with a default for every column that does not matter.

What is stored is what the program would store (hashes, sizes, ranges, versions): such a study passes its own check.
"""

import json
import sqlite3
import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar
from urllib.parse import urlsplit

from medreview.judges.runs import JudgeRun, add_run
from medreview.study import Study
from medreview.study.rows import insert
from medreview.text import sha256

T = TypeVar("T")
NOW = "2026-10-09T08:00:00+00:00"
NOT_A_LEVEL: Mapping[str, tuple[str | None, int | None]] = {
    "not found": (None, 0),
    "unsure": (None, None),
    "cannot_judge": ("cannot_judge", None),
}
"""Labels of judges that are no level of the evidence axis, or that tell nothing of support: (verdict, supported)."""


def build(study: Study, make: Callable[["StudyBuilder"], T]) -> T:
    """Add rows to a study in one transaction."""
    return study.write(lambda connection: make(StudyBuilder(connection)))


class StudyBuilder:
    """Adds rows within an open transaction.

    Every method gives the id of its row, and takes further columns by keyword; these stand in for the defaults.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    def add(self, table: str, **columns: Any) -> None:
        """Any row; one that is there already is an error."""
        if insert(self.connection, table, [columns]) != 1:
            raise ValueError(f"{table} has this row already: {columns}")

    def response(
        self, response_id: str, text: str = "text", *, statements: Sequence[str] = (), cites: Sequence[str] = (),
        **columns: Any,
    ) -> str:  # fmt: skip
        """A response that was split and whose citations were extracted; ``cites`` are ids of sources.

        Its statements are named ``response_id.1``, ``.2``, ...
        """
        row: dict[str, Any] = {"response_id": response_id, "ordinal": self._next("response"), "record_id": ""}
        row |= {"model": "atlas-2", "origin": "forum", "imported_at": NOW, "imported_from": "test", "cited": 1}
        row |= {"parser": "test 1", "text_sha256": sha256(text), "question": f"How much, {response_id}?", "text": text}
        self.add("response", **row | columns)
        for source_id in cites:
            self.citation(response_id, source_id)
        for statement in statements:
            self.statement(response_id, statement)
        return response_id

    def statement(self, response_id: str, text: str = "text", statement_id: str = "", **columns: Any) -> str:
        """The next statement of a response, at its first place in the text; without one where it is not there."""
        whole = str(self._one("SELECT text FROM response WHERE response_id = ?", response_id))
        ordinal = 1 + int(self._one("SELECT count(*) FROM statement WHERE response_id = ?", response_id))
        start = whole.find(text)
        row: dict[str, Any] = {"statement_id": statement_id or f"{response_id}.{ordinal}", "response_id": response_id}
        row |= {"ordinal": ordinal, "text_sha256": sha256(text), "text": text}
        row |= {"start": start, "end": start + len(text)} if start >= 0 else {"start": None, "end": None}
        self.add("statement", **row | columns)
        return str(row["statement_id"])

    def source(self, source_id: str, url: str = "", **columns: Any) -> str:
        """A source that nobody has asked for yet."""
        url = url or f"https://{source_id}.example/"
        row = {"source_id": source_id, "key": f"url:{url}", "kind": "url", "value": url, "url": url}
        self.add("source", **row | {"domain": urlsplit(url).netloc} | columns)
        return source_id

    def citation(self, response_id: str, source_id: str, **columns: Any) -> None:
        """A response cites a source, in its text where the value stands there, else beside it."""
        found = self.connection.execute("SELECT kind, value FROM source WHERE source_id = ?", (source_id,)).fetchone()
        text = str(self._one("SELECT text FROM response WHERE response_id = ?", response_id))
        ordinal = 1 + int(self._one("SELECT count(*) FROM citation WHERE response_id = ?", response_id))
        start = text.find(found["value"])
        row = {"response_id": response_id, "ordinal": ordinal, "source_id": source_id, **dict(found)}
        row |= {"start": start, "end": start + len(found["value"])} if start >= 0 else {"start": None, "end": None}
        self.add("citation", **row | columns)

    def own_number(self, response_id: str, number: int, source_id: str) -> None:
        """The answer calls a source by a number of its own."""
        self.add("own_number", response_id=response_id, number=number, source_id=source_id)

    def marker(self, statement_id: str, source_id: str | None, number: int | None = None, **columns: Any) -> None:
        """A statement points to a source, by the answer's own number or else by a name."""
        ordinal = 1 + int(self._one("SELECT count(*) FROM marker WHERE statement_id = ?", statement_id))
        row = {"statement_id": statement_id, "ordinal": ordinal, "start": 0, "end": 0, "number": number}
        row |= {"text": f"[{number}]" if number else "(Smith 2019)", "source_id": source_id}
        self.add("marker", **row | columns)

    def snapshot(self, source_id: str, text: str = "", snapshot_id: str = "", **columns: Any) -> str:
        """The newest snapshot of a source: what is judged and shown from now on."""
        version = 1 + int(self._one("SELECT count(*) FROM snapshot WHERE source_id = ?", source_id))
        body = text.encode("utf-8", "surrogatepass")
        row: dict[str, Any] = {"snapshot_id": snapshot_id or f"{source_id}@{version}", "source_id": source_id}
        row |= {"version": version, "fetched_at": NOW, "page_state": "ok", "state_evidence": "", "status": 200}
        row |= {"content_type": "text/html", "chain": "[]", "title": "", "extractor": "test 1", "full_text": ""}
        row |= {"final_url": self._one("SELECT url FROM source WHERE source_id = ?", source_id)}
        row |= {"raw_size": len(body), "raw_sha256": sha256(body), "text_sha256": sha256(text), "text": text}
        self.add("snapshot", **row | {"body": zlib.compress(body)} | columns)
        current = (row["snapshot_id"], source_id)
        self.connection.execute("UPDATE source SET current_snapshot = ? WHERE source_id = ?", current)
        return str(row["snapshot_id"])

    def page(self, source_id: str, text: str = "", url: str = "", **columns: Any) -> str:
        """A source with its snapshot; the id of the snapshot."""
        return self.snapshot(self.source(source_id, url), text, **columns)

    def judge_run(self, judge: str, kind: str = "", **fields: Any) -> str:
        """The run of a judge; the same run twice is one."""
        kind = kind or ("offline" if judge == "offline" else "recorded")
        return add_run(self.connection, JudgeRun(judge, kind, **{"model": f"{judge}-model", **fields}))

    def judgement(
        self, judge: str, statement_id: str, snapshot_id: str, label: str, quote: str = "", status: str = "",
        run: str = "", **columns: Any,
    ) -> str:  # fmt: skip
        """What a judge (or a ``run`` of one) says of a statement and a snapshot.

        A quote that stands in the snapshot is exact and located there; another one has to be given its status.
        """
        page = str(self._one("SELECT text FROM snapshot WHERE snapshot_id = ?", snapshot_id))
        start = page.find(quote) if quote else -1
        verdict, supported = NOT_A_LEVEL.get(label, (label, int(label == "supported")))
        row: dict[str, Any] = {"judgement_id": f"{judge}-{statement_id}-{snapshot_id}"}
        row |= {"judge_run_id": run or self.judge_run(judge), "statement_id": statement_id}
        row |= {"snapshot_id": snapshot_id, "raw_label": label, "verdict": verdict, "supported": supported}
        row |= {"confidence": 0.9, "quote_status": status or ("exact" if quote else "none"), "quote": quote}
        row |= {"quote_start": None, "quote_end": None, "differences": "[]"}
        if start >= 0 and row["quote_status"] == "exact":
            row |= {"quote_start": start, "quote_end": start + len(quote)}
        row |= {"reason": "", "raw_output": "", "error": ""}
        self.add("judgement", **row | columns)
        return str((row | columns)["judgement_id"])

    def evidence(
        self, statement_id: str, snapshot_id: str, highlights: object = (), lexical: object = (), clashes: object = (),
        **columns: Any,
    ) -> None:  # fmt: skip
        """What the lexical engine found for a statement in a snapshot: ranges, and numbers that differ."""
        row = {"statement_id": statement_id, "snapshot_id": snapshot_id, "engine": "test 1", "unsupported": 0.5}
        row |= {"highlights": json.dumps(highlights), "lexical": json.dumps(lexical), "clashes": json.dumps(clashes)}
        self.add("evidence", **row | columns)

    def _next(self, table: str) -> int:
        return 1 + int(self._one(f"SELECT coalesce(max(ordinal), 0) FROM {table}"))

    def _one(self, query: str, *values: str) -> Any:
        return self.connection.execute(query, values).fetchone()[0]


def new_version(study: Study, source_id: str, text: str, **columns: Any) -> str:
    """A page reads differently from now on; the id of its new snapshot, which is else as the one before."""
    query = "SELECT p.* FROM snapshot AS p JOIN source AS u ON u.current_snapshot = p.snapshot_id WHERE u.source_id = ?"
    old = dict(study.reader.execute(query, (source_id,)).fetchone())
    same = ("page_state", "state_evidence", "status", "content_type", "title", "extractor")
    kept = {name: old[name] for name in same}
    return build(study, lambda rows: rows.snapshot(source_id, text, **{**kept, **columns}))


def rows_of(study: Study, query: str, *values: object) -> list[dict[str, Any]]:
    """The rows of a query as plain dictionaries."""
    return [dict(row) for row in study.reader.execute(query, values)]
