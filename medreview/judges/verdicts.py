"""The table ``verdict``: for every statement the rolled-up verdict, and the flags with the page they are about.

The table is derived, and the study keeps beside it a fingerprint of what it was made from. ``medreview.pipeline`` makes
the table again when that has changed. If it missed a change, its next run sees that.

Of the references that statements cite, triage takes the rules' verdicts, and the reviewers'. A reviewer's label on a
reference takes the place of the rules' verdict: the one that settled a conflict, else the newest, whoever gave it.
"Cannot judge" says nothing of the reference, and leaves the verdict as it is.
"""

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator
from itertools import chain, groupby, islice
from operator import itemgetter
from typing import Any, Final, NamedTuple

from medreview.judges.claimed_quotes import false_claims
from medreview.judges.rollup import RollUp, every_merged, merged_judgements, roll_up, roll_up_merged, tie_rule
from medreview.judges.triage import (
    CitedPages,
    CitedReference,
    Flag,
    cause,
    common_lacks,
    flags,
    priority,
    worth_flagging,
)
from medreview.judges.verdict_fingerprint import LABELS_OF_REFERENCES, fingerprint, keep_fingerprint, kept_fingerprint
from medreview.judges.votes import COLUMNS, Vote, VoteReader
from medreview.labels import TieRule
from medreview.progress import SILENT, Progress
from medreview.references.model import PARTLY_LISTED, Reference, ReferenceCheck, check_of, reference_of
from medreview.references.verdict import Verdict
from medreview.sources.ocr_pages import every_word_in_doubt, least_sure
from medreview.study import Study
from medreview.text import Span

_CITED: Final = """
SELECT s.statement_id, f.reference_id, f.reading, c.verdict, c.result,
       (SELECT u.current_snapshot FROM reference_source AS n JOIN source AS u USING (source_id)
        WHERE n.reference_id = f.reference_id ORDER BY u.source_id LIMIT 1) AS snapshot_id
FROM statement_reference AS s JOIN reference AS f USING (reference_id) JOIN reference_checked AS c USING (reference_id)
WHERE c.verdict IS NOT NULL {where} ORDER BY s.statement_id, f.ordinal"""
_LIBRARY: Final = "library"
_WITHDRAWN: Final = ("retracted", "withdrawn")


def cited_references(reader: sqlite3.Connection, response_id: str | None = None) -> dict[str, list[CitedReference]]:
    """By statement: what it cites and was checked; of one response, or of all."""
    said: dict[str, Verdict] = {row["reference_id"]: row["label"] for row in reader.execute(LABELS_OF_REFERENCES)}
    rows: Iterable[sqlite3.Row]
    if response_id is None:
        rows = reader.execute(_CITED.format(where=""))
    else:
        one = _CITED.format(where="AND s.statement_id = ?")
        statements = reader.execute(
            "SELECT statement_id FROM statement WHERE response_id = ?", (response_id,)
        ).fetchall()
        rows = chain.from_iterable(reader.execute(one, (statement["statement_id"],)) for statement in statements)
    found: dict[str, list[CitedReference]] = {}
    for row in rows:
        found.setdefault(row["statement_id"], []).append(_cited(row, said))
    return found


def _cited(row: sqlite3.Row, said: dict[str, Verdict]) -> CitedReference:
    check, reference = check_of(json.loads(row["result"])), reference_of(json.loads(row["reading"]))
    label = said.get(row["reference_id"])
    verdict = check.verdict if label in (None, "cannot_judge") else label
    assert verdict is not None
    notices = check.record.notices if check.record and verdict in ("match", "mismatch") else ()
    return CitedReference(
        verdict,
        row["snapshot_id"],
        retracted=any(notice.kind in _WITHDRAWN for notice in notices),
        says_little=_says_little(check, reference) and label != "not_found",
    )


def _says_little(check: ReferenceCheck, reference: Reference) -> bool:
    """Whether it proves little that nobody has a reference: such works are listed in part, or only a library was asked
    that one made oneself."""
    answered = {asked.authority for asked in check.asked if asked.outcome != "failed"}
    return reference.kind in PARTLY_LISTED or not answered - {_LIBRARY}


_BATCH = 5000
_MOST: Final = 2 / 3
"""Share of a response's statements that must cite something, for one that cites nothing to be an exception."""
_TALLY: Final = RollUp._fields[: RollUp._fields.index("lead")]
"""Columns of the table that are fields of a roll-up."""
_COLUMNS = (
    "statement_id", *_TALLY, "judgement_id", "snapshot_id", "by_rules", "doubt", "priority", "badges", "merged",
    "merged_supported",
)  # fmt: skip


def refresh(study: Study, progress: Progress = SILENT) -> int:
    """Roll up every statement again; how many are flagged."""
    made_from = fingerprint(study.reader)
    total = study.reader.execute("SELECT count(*) FROM statement").fetchone()[0]
    progress.begin("verdicts", total)
    flagged = 0
    rows = _rows(study.reader)
    while batch := list(islice(rows, _BATCH)):
        study.write(lambda connection, batch=batch: _store(connection, batch))  # type: ignore[misc]
        flagged += sum(row["priority"] > 0 for row in batch)
        progress.step(len(batch))
    study.write(lambda connection: keep_fingerprint(connection, made_from))
    return flagged


def refresh_response(study: Study, response_id: str) -> None:
    """Flag the statements of one response again, after a label that replaces the rules' verdict on a reference.

    The table is as current afterwards as it was before: no other change is taken in.
    """
    kept = kept_fingerprint(study.reader)
    rows = list(_rows_of(study.reader, response_id))
    study.write(lambda connection: _store(connection, rows))
    now = fingerprint(study.reader)
    if kept is not None and kept.split()[0] == now.split()[0]:
        study.write(lambda connection: keep_fingerprint(connection, now))


def flagged(reader: sqlite3.Connection) -> int:
    """How many statements are flagged."""
    query = "SELECT count(*) FROM verdict JOIN statement_standing USING (statement_id) WHERE priority > 0"
    return int(reader.execute(query).fetchone()[0])


def _store(connection: sqlite3.Connection, rows: list[dict[str, Any]]) -> None:
    names = ", ".join(_COLUMNS)
    connection.executemany(
        f"INSERT OR REPLACE INTO verdict ({names}) VALUES ({', '.join('?' * len(_COLUMNS))})",
        [[row[column] for column in _COLUMNS] for row in rows],
    )


def _rows(reader: sqlite3.Connection) -> Iterator[dict[str, Any]]:
    found = list(_each(reader))
    retired = {row[0] for row in reader.execute("SELECT statement_id FROM retired_statement")}
    common = common_lacks([flags_of_one for row, flags_of_one in found if row["statement_id"] not in retired])
    for row, of_one in found:
        yield _flagged(row, of_one, common)


def _rows_of(reader: sqlite3.Connection, response_id: str) -> Iterator[dict[str, Any]]:
    """The rows of one response. Causes too common for a flag were found when all were made: the rows lack them."""
    query = f"SELECT statement_id, badges FROM verdict WHERE {_OF_ONE}"
    before = dict(reader.execute(query, (response_id,)).fetchall())
    for row, of_one in _each(reader, response_id):
        known = before.get(row["statement_id"], "").split(" · ")
        yield _flagged(row, of_one, {flag.badge for flag in of_one if flag.kind == "lack" and flag.badge not in known})


def _flagged(row: dict[str, Any], of_one: Iterable[Flag], common: Collection[str]) -> dict[str, Any]:
    kept = worth_flagging(of_one, common)
    return row | {
        "snapshot_id": cause(kept),
        "priority": priority(kept, row["doubt"] or 0.0),
        "badges": " · ".join(flag.badge for flag in kept),
    }


_OF_ONE: Final = "statement_id IN (SELECT statement_id FROM statement WHERE response_id = ?)"


def _where(condition: str, response_id: str | None) -> tuple[str, tuple[str, ...]]:
    """``WHERE`` with its value where only one response is asked for; else a condition that always holds."""
    return ("WHERE 1", ()) if response_id is None else (f"WHERE {condition}", (response_id,))


def _each(reader: sqlite3.Connection, only: str | None = None) -> Iterator[tuple[dict[str, Any], list[Flag]]]:
    """Every statement's row, and all flags that it could have; ``only``: those of one response."""
    pages = _pages(reader, only)
    beside = _beside(reader, only)
    clashes = _clashes(reader, only)
    findings = _findings(reader, only)
    references = cited_references(reader, only)
    claims = false_claims(reader, *_where(_OF_ONE, only))
    tie = tie_rule(reader)
    injected = {row[0] for row in reader.execute("SELECT snapshot_id FROM snapshot WHERE instructions <> ''")}
    voters = VoteReader(reader)
    merged = every_merged(reader, tie) if only is None else _merged_of(reader, only, tie)
    where, values = _where("s.response_id = ?", only)
    judged = reader.execute(
        f"""SELECT s.statement_id, s.response_id, {COLUMNS}
            FROM statement AS s LEFT JOIN judgement AS j ON j.statement_id = s.statement_id
            LEFT JOIN judge_run AS run USING (judge_run_id) {where} ORDER BY s.statement_id""",
        values,
    )
    nothing_cited = CitedPages(0, ())
    for statement_id, group in groupby(judged, key=itemgetter("statement_id")):
        rows = list(group)
        votes = voters.votes(rows)
        result = roll_up(votes, tie)
        own = beside.get(statement_id, _StatementPages())
        clashing = clashes.get((statement_id, own.opens or ""), _Clashing())
        cited = pages.get(rows[0]["response_id"], nothing_cited)._replace(
            misled=_rests_on_injection(votes, injected),
            changed=voters.outdated(rows, votes),
            opens=own.opens,
            nothing=any(vote.snapshot_id == own.opens and vote.verdict == "not_addressed" for vote in votes),
            own=own.cited,
            own_readable=own.readable,
            alone=own.alone,
        )
        together = merged.get(statement_id)
        said = {
            "merged": together.verdict if together else None,
            "merged_supported": together.supported if together else None,
        }
        beside_it = findings.get(statement_id, ()), references.get(statement_id, ())
        marks = flags(
            result, clashing.kinds, cited, together, *beside_it, clashing.doubtful, claims.get(statement_id, ())
        )
        judgement_id = result.lead.judgement_id if result.lead else None
        told = {"judgement_id": judgement_id, "by_rules": result.by_rules, "doubt": own.doubt, **said}
        yield {"statement_id": statement_id, **dict(zip(_TALLY, result, strict=False)), **told}, marks


def _rests_on_injection(votes: Iterable[Vote], injected: set[str]) -> str | None:
    """The page that speaks to models and on which a model's word for the statement rests."""
    supporting = (vote.snapshot_id for vote in votes if vote.supported and not vote.judge.offline)
    return next((page for page in supporting if page in injected), None)


def _merged_of(reader: sqlite3.Connection, response_id: str, tie: TieRule) -> dict[str, RollUp]:
    statements = reader.execute("SELECT statement_id FROM statement WHERE response_id = ?", (response_id,)).fetchall()
    found = ((row[0], merged_judgements(reader, row[0])) for row in statements)
    return {statement_id: roll_up_merged(said, tie) for statement_id, said in found if said}


def _pages(reader: sqlite3.Connection, only: str | None) -> dict[str, CitedPages]:
    """By response: how many sources it cites, the states of their pages, and whether one can be judged."""
    where, values = _where("response_id = ?", only)
    rows = reader.execute(
        f"""SELECT DISTINCT response_id, source_id, readable,
                  CASE WHEN instructions <> '' THEN 'instructions' ELSE page_state END AS page_state
           FROM citation LEFT JOIN snapshot_current USING (source_id)
           LEFT JOIN snapshot_content USING (snapshot_id, source_id) {where} ORDER BY response_id""",
        values,
    )
    found = {}
    for response_id, group in groupby(rows, key=itemgetter("response_id")):
        pages = list(group)
        states = tuple(page["page_state"] for page in pages if page["page_state"])
        found[response_id] = CitedPages(len(pages), states, readable=any(page["readable"] for page in pages))
    return found


class _StatementPages(NamedTuple):
    """What stands beside a statement: the page that ``opens``, the rules' ``doubt`` on it, and what it cites itself."""

    opens: str | None = None
    doubt: float | None = None
    cited: int = 0
    readable: bool = False
    alone: bool = False


def _beside(reader: sqlite3.Connection, only: str | None) -> dict[str, _StatementPages]:
    """By statement. A statement is ``alone`` in citing nothing when most others of its response do."""
    where, values = _where("s.response_id = ?", only)
    rows = reader.execute(
        f"""SELECT s.response_id, o.statement_id, max(iif(opens, snapshot_id, NULL)) AS opens,
                  max(iif(opens, unsupported, NULL)) AS doubt, sum(cited) AS cited, max(cited AND readable) AS readable,
                  NOT EXISTS (SELECT 1 FROM retired_statement AS x WHERE x.statement_id = o.statement_id) AS stands
           FROM source_order AS o JOIN statement AS s USING (statement_id) {where} GROUP BY o.statement_id
           ORDER BY s.response_id""",
        values,
    )
    found: dict[str, _StatementPages] = {}
    for _, group in groupby(rows, key=itemgetter("response_id")):
        siblings = list(group)
        standing = [row["cited"] > 0 for row in siblings if row["stands"]]
        marked = sum(standing) >= _MOST * len(standing)
        for row in siblings:
            alone = marked and not row["cited"]
            own = _StatementPages(row["opens"], row["doubt"], row["cited"], bool(row["readable"]), alone)
            found[row["statement_id"]] = own
    return found


class _Clashing(NamedTuple):
    """The kinds of a pair's clashes, and of those that rest on words which OCR may have read wrong."""

    kinds: tuple[str, ...] = ()
    doubtful: tuple[str, ...] = ()


def _clashes(reader: sqlite3.Connection, only: str | None) -> dict[tuple[str, str], _Clashing]:
    where, values = _where(_OF_ONE, only)
    query = f"SELECT statement_id, snapshot_id, clashes FROM evidence {where} AND clashes <> '[]'"
    rows = reader.execute(query, values)
    in_doubt = every_word_in_doubt(reader)
    found = {}
    for row in rows:
        doubtful = in_doubt.get(row["snapshot_id"], ())
        kinds: tuple[list[str], list[str]] = [], []
        for clash in json.loads(row["clashes"]):
            kinds[least_sure(doubtful, Span(*clash["source"])) is not None].append(clash["kind"])
        found[(row["statement_id"], row["snapshot_id"])] = _Clashing(*map(tuple, kinds))
    return found


def _findings(reader: sqlite3.Connection, only: str | None) -> dict[str, set[str]]:
    """By statement: the types of hallucination that judges by themselves found where it stands in its response."""
    where, values = _where(_OF_ONE, only)
    rows = reader.execute(f"SELECT DISTINCT statement_id, type FROM finding_statement {where}", values)
    found: dict[str, set[str]] = {}
    for statement_id, kind in rows:
        found.setdefault(statement_id, set()).add(kind)
    return found
