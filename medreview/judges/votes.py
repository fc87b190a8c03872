"""Which judgements on a statement are votes: the one place that says so, for every table, screen, figure and export.

- A judge is identified by its name. When it was asked again about a source, with another prompt, model or parameters,
  the answer of its newest run counts. A newer run without an answer (no connection, output cut off) does not replace an
  earlier answer. Imported judgements follow the same rule: one name is one rater, however its labels came here.
- A judgement of a page whose text has changed since does not count. A page with the same text is the same page,
  whatever its bytes and page state became.
- "Supported" is a vote of a model asked from here only with a quote that is in the page and bears on the statement
  (``medreview.judges.quote_grounding``): its prompt demands one. An
  imported judgement was made under rules of its own and is what a reviewer agrees with or not: it votes as it was
  given. A false quote puts both at the head of the queue.
- The offline judge votes only where no other judge was asked about the statement. It is one judge, whether its score
  for triage is of its rules alone or of a model of meaning as well (``medreview.judges.semantic_runs``), and bears the
  name of its newest word.
- A judge that was asked and has no vote abstains, and is counted.

Only judgements of one statement by one source are meant: the table ``judgement``. What the other tasks give lies in
tables of its own and is never a vote on support.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from medreview.judges.offline_engine import NAME
from medreview.judges.raw_labels import mapped
from medreview.judges.semantic_runs import model_in
from medreview.labels import FALSE_QUOTES, quote_doubt_words

COLUMNS: Final = """j.judgement_id, run.judge, run.kind, run.ordinal AS run, j.snapshot_id, j.raw_label, j.verdict,
                    j.supported, j.confidence, j.quote_status, j.quote_doubt, j.error = '' AS answered"""
"""What a query of judgements selects for :class:`VoteReader`, of ``judgement AS j`` and its ``judge_run AS run``."""

_PAGES: Final = """
SELECT p.snapshot_id, p.source_id, p.snapshot_id = now.snapshot_id AS current,
       CASE WHEN p.text_sha256 = now.text_sha256 THEN now.snapshot_id ELSE p.snapshot_id END AS page,
       EXISTS (SELECT 1 FROM snapshot_superseded AS o WHERE o.snapshot_id = p.snapshot_id) AS superseded,
       now.snapshot_id AS newest
FROM snapshot AS p JOIN source AS u USING (source_id)
LEFT JOIN snapshot AS now ON now.snapshot_id = u.current_snapshot"""
_OF_ONE: Final = " WHERE p.snapshot_id IN (SELECT snapshot_id FROM judgement WHERE statement_id = ?)"

_JUDGES: Final = """
SELECT judge, kind = 'offline', min(ordinal) AS first FROM judge_run AS run
WHERE EXISTS (
    SELECT 1 FROM judgement AS j WHERE j.judge_run_id = run.judge_run_id AND (kind <> 'offline' OR NOT EXISTS (
        SELECT 1 FROM judge_run AS later JOIN judgement AS k ON k.judge_run_id = later.judge_run_id
        WHERE later.kind = 'offline' AND later.ordinal > run.ordinal
        AND k.statement_id = j.statement_id AND k.snapshot_id = j.snapshot_id)))
GROUP BY 1, 2 ORDER BY first"""


class Judge(NamedTuple):
    """Who judges. The offline judge is apart from a model that bears its name."""

    name: str
    offline: bool = False

    @property
    def title(self) -> str:
        """What to call it; the offline judge as what it is, with the model of meaning that had a part in its order."""
        if not self.offline:
            return self.name
        model = model_in(self.name)
        return f"{NAME} (words; order with {model})" if model else f"{NAME} (words only)"


class Vote(NamedTuple):
    """A judge's vote on a statement and a source; without ``verdict`` and ``supported`` it abstains.

    ``snapshot_id`` is the page as it is now.
    """

    judgement_id: str
    judge: Judge
    snapshot_id: str
    source_id: str
    verdict: str | None
    supported: bool | None
    confidence: float | None
    quote_status: str
    quote_doubt: str | None = None
    unproven: bool = False
    """The judge said supported and its quote does not show it, so that its word is no vote."""

    @property
    def false_quote(self) -> str:
        """What is wrong with the quote of a judge that says supported: ``absent``, ``altered``, ``off topic``, ``hidden
        text``; empty for nothing, and for a quote that was not given to prove support."""
        if not (self.unproven or self.supported):
            return ""
        if self.quote_status in FALSE_QUOTES:
            return self.quote_status
        return quote_doubt_words(self.quote_doubt) or ("absent" if self.unproven else "")

    @property
    def abstains(self) -> bool:
        """Whether it is no vote, but the sign that a judge was asked and gave none."""
        return self.verdict is None and self.supported is None


def jury(votes: Iterable[Vote]) -> list[Vote]:
    """Those that count on a statement: the offline judge's only where there is no other."""
    everyone = list(votes)
    return [vote for vote in everyone if not vote.judge.offline] or everyone


def judges_of_support(reader: sqlite3.Connection) -> list[Judge]:
    """The judges that were ever asked whether a source supports a statement, each once, in the order of that; of the
    offline judge the names that its newest words bear."""
    return [Judge(row[0], bool(row[1])) for row in reader.execute(_JUDGES)]


class _Page(NamedTuple):
    """What a snapshot stands for: its source's page as it is now, unless its text is another since (``superseded``).

    ``newest``: that page as it is now, in either case.
    """

    snapshot_id: str
    source_id: str
    current: bool
    superseded: bool
    newest: str


class VoteReader:
    """Finds the votes among all judgements that are stored: of any statement, or of one with ``statement_id``."""

    def __init__(self, reader: sqlite3.Connection, statement_id: str | None = None) -> None:
        query, values = (_PAGES, ()) if statement_id is None else (_PAGES + _OF_ONE, (statement_id,))
        self._pages = {
            row["snapshot_id"]: _Page(
                row["page"], row["source_id"], bool(row["current"]), bool(row["superseded"]), row["newest"]
            )
            for row in reader.execute(query, values)
        }
        self._judges: dict[tuple[str, str], Judge] = {}
        self._asked: dict[Judge, int] = {}
        for name, kind, first in reader.execute("SELECT judge, kind, min(ordinal) FROM judge_run GROUP BY 1, 2"):
            judge = self._judges[name, kind] = Judge(name, kind == "offline")
            self._asked[judge] = min(first, self._asked.get(judge, first))

    def votes(self, rows: Iterable[sqlite3.Row]) -> list[Vote]:
        """Each judge's vote or abstention on each source, from the rows (:data:`COLUMNS`) of one statement.

        In the order in which the judges were first asked, the offline judge last; it is among them also where it has no
        vote (:func:`jury`). A row without a judgement (of an outer join) is passed over.
        """
        newest: dict[tuple[Judge | None, str], tuple[tuple[bool, int, bool], Judge, _Page, sqlite3.Row]] = {}
        for row, page in self._placed(rows):
            if page.superseded:
                continue
            # One run may have judged the same text twice, under two page states: the current snapshot's row counts.
            rank = (bool(row["answered"]), row["run"], page.current)
            judge = self._judge(row)
            key = (_rater(judge), page.source_id)
            if key not in newest or newest[key][0] < rank:
                newest[key] = rank, judge, page, row
        votes = [_vote(judge, page, row) for _, judge, page, row in newest.values()]
        if len(votes) < 2:
            return votes
        return sorted(votes, key=lambda vote: (vote.judge.offline, self._asked[vote.judge], vote.snapshot_id))

    def outdated(self, rows: Iterable[sqlite3.Row], votes: Sequence[Vote]) -> str | None:
        """The page as it is now on which a judge (the offline one aside) spoke before its text changed, and not since;
        ``None`` where there is no such page."""
        since = {(vote.judge, vote.source_id) for vote in votes}
        return next(
            (
                page.newest
                for row, page in self._placed(rows)
                if page.superseded and row["kind"] != "offline" and (self._judge(row), page.source_id) not in since
            ),
            None,
        )

    def _placed(self, rows: Iterable[sqlite3.Row]) -> Iterator[tuple[sqlite3.Row, _Page]]:
        return ((row, self._pages[row["snapshot_id"]]) for row in rows if row["judgement_id"] is not None)

    def _judge(self, row: sqlite3.Row) -> Judge:
        return self._judges[row["judge"], row["kind"]]


def _rater(judge: Judge) -> Judge | None:
    """Whose newest word counts: a judge's own; ``None`` is the offline judge, whatever had a part in its order."""
    return None if judge.offline else judge


def _vote(judge: Judge, page: _Page, row: sqlite3.Row) -> Vote:
    return Vote(
        judgement_id=row["judgement_id"],
        judge=judge,
        snapshot_id=page.snapshot_id,
        source_id=page.source_id,
        verdict=row["verdict"],
        supported=None if row["supported"] is None else bool(row["supported"]),
        confidence=row["confidence"],
        quote_status=row["quote_status"],
        quote_doubt=row["quote_doubt"],
        unproven=_unproven(row),
    )


def _unproven(row: sqlite3.Row) -> bool:
    """Whether the judge's own word is "supported" where none was stored as its verdict: the quote did not show it."""
    level = mapped(row["raw_label"]) if row["supported"] is None else None
    return level is not None and level[1] is True
