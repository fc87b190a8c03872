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
  for triage is of its rules alone or of a model of meaning as well (``medreview.judges.runs``), and bears the
  name of its newest word.
- A judge that was asked and has no vote abstains, and is counted.

Only judgements of one statement by one source are meant: the table ``judgement``. Other tasks have
their own tables and give no votes on support. Raw labels, as judges write them, are mapped to the levels of the
evidence axis.
"""

import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any, Final, NamedTuple, Protocol, TypeVar

from medreview.judges.runs import NAME, model_in
from medreview.labels import FALSE_QUOTES, quote_doubt_words

LABELS: Final[Mapping[str, tuple[str | None, bool | None]]] = {
    "supported": ("supported", True),
    "support": ("supported", True),
    "supports": ("supported", True),
    "found": ("supported", True),
    "yes": ("supported", True),
    "entailment": ("supported", True),
    "entailed": ("supported", True),
    "true": ("supported", True),
    "1": ("supported", True),
    "1.0": ("supported", True),
    "partial": ("partial", False),
    "partially supported": ("partial", False),
    "contradicted": ("contradicted", False),
    "contradiction": ("contradicted", False),
    "contradict": ("contradicted", False),
    "refuted": ("contradicted", False),
    "refutes": ("contradicted", False),
    "not addressed": ("not_addressed", False),
    "neutral": ("not_addressed", False),
    "not enough information": ("not_addressed", False),
    "nei": ("not_addressed", False),
    "not found": (None, False),
    "not supported": (None, False),
    "unsupported": (None, False),
    "no": (None, False),
    "false": (None, False),
    "0": (None, False),
    "0.0": (None, False),
    "cannot judge": ("cannot_judge", None),
    "unsure": (None, None),
    "unknown": (None, None),
    "abstain": (None, None),
}
"""Normalised raw label -> (verdict, supported).

"Not found", "no" and 0 include what is only partly supported (SourceCheckup, RAGAS), so they map to no verdict.
"""


def normalised(label: str) -> str:
    """A raw label for comparison: in lower case, with underscores and hyphens as spaces."""
    return re.sub(r"[\s_-]+", " ", label).strip().lower()


def mapped(label: str) -> tuple[str | None, bool | None] | None:
    """Verdict and supported of a raw label; ``None`` for an unknown label."""
    return LABELS.get(normalised(label))


SURE: Final = "coalesce(CASE j.supported WHEN 1 THEN j.score WHEN 0 THEN 1 - j.score END, j.confidence)"
"""How sure a judge is of its word (SQL, ``judgement AS j``): by its score where one was measured, else as it says."""

COLUMNS: Final = f"""j.judgement_id, run.judge, run.kind, run.ordinal AS run, j.snapshot_id, j.raw_label, j.verdict,
                    j.supported, {SURE} AS confidence, j.quote_status, j.quote_doubt,
                    j.error = '' AS answered"""
"""What a query of judgements selects for :class:`VoteReader`, of ``judgement AS j`` and its ``judge_run AS run``."""

VOTED: Final = f"""j.judgement_id, run.ordinal AS run, j.snapshot_id, j.error = '' AS answered, j.verdict, j.supported,
                  {SURE} AS confidence, j.quote_status, j.quote_doubt,
                  iif(j.supported IS NULL, j.raw_label, '') AS raw_label"""
"""The same for its ``votes`` alone: of a large study every cell counts. The raw label is read only where it matters."""

CAST: Final = "run.ordinal AS run, j.snapshot_id, j.error = '' AS answered, j.verdict, j.supported"
"""The same for its ``ballots`` alone: the last cells of a row."""

_NAMES: Final = (
    "run", "snapshot_id", "answered", "verdict", "supported", "judgement_id", "confidence", "quote_status",
    "quote_doubt", "raw_label",
)  # fmt: skip
_Told = tuple[Any, ...]
"""The cells of a row that are read, in the order of these names, all of them or the first five."""

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


class VotingJudge(NamedTuple):
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


class Ballot(NamedTuple):
    """What counts of a :class:`Vote` when votes are counted: neither its page nor its quote."""

    judge: VotingJudge
    source_id: str
    verdict: str | None
    supported: bool | None


class AnyBallot(Protocol):
    """A :class:`Vote`, or what counts of it."""

    @property
    def judge(self) -> VotingJudge: ...
    @property
    def source_id(self) -> str: ...
    @property
    def verdict(self) -> str | None: ...
    @property
    def supported(self) -> bool | None: ...


C = TypeVar("C", bound=AnyBallot)


class Vote(NamedTuple):
    """A judge's vote on a statement and a source; without ``verdict`` and ``supported`` it abstains.

    ``snapshot_id`` is the page as it is now.
    """

    judgement_id: str
    judge: VotingJudge
    snapshot_id: str
    source_id: str
    verdict: str | None
    supported: bool | None
    confidence: float | None
    quote_status: str
    quote_doubt: str | None = None
    unproven: bool = False
    """The judge said supported and its quote does not show it, so that it has no vote."""

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
        """Whether it is not a vote, but shows that a judge was asked and gave none."""
        return self.verdict is None and self.supported is None


def jury(votes: Iterable[C]) -> list[C]:
    """Those that count on a statement: the offline judge's only where there is no other."""
    everyone = list(votes)
    return [vote for vote in everyone if not vote.judge.offline] or everyone


def judges_of_support(reader: sqlite3.Connection) -> list[VotingJudge]:
    """The judges that were ever asked whether a source supports a statement, each once, in the order of that; of the
    offline judge the names that its newest words bear."""
    return [VotingJudge(row[0], bool(row[1])) for row in reader.execute(_JUDGES)]


class _Page(NamedTuple):
    """What a snapshot stands for: its source's page as it is now, unless its text is another since (``superseded``).

    ``newest``: that page as it is now, in either case.
    """

    snapshot_id: str
    source_id: str
    current: bool
    superseded: bool
    newest: str


_Held = tuple[int, str, VotingJudge, _Page, _Told]
"""The judge's turn and the page's id, by which words are ordered; the judge, the page, the row."""


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
        self._judge_of: dict[int, VotingJudge] = {}
        asked: dict[VotingJudge, None] = {}
        for run, name, kind in reader.execute("SELECT ordinal, judge, kind FROM judge_run ORDER BY ordinal"):
            asked[self._judge_of.setdefault(run, VotingJudge(name, kind == "offline"))] = None
        ordered = sorted(asked, key=lambda judge: judge.offline)
        self._turn = {judge: place for place, judge in enumerate(ordered)}
        self._readers: dict[tuple[str, ...], Callable[[sqlite3.Row], _Told]] = {}

    def votes(self, rows: Iterable[sqlite3.Row]) -> list[Vote]:
        """Each judge's vote or abstention on each source, from the rows (:data:`COLUMNS`) of one statement.

        In the order in which the judges were first asked, the offline judge last; it is among them also where it has no
        vote (:func:`jury`). A row without a judgement (of an outer join) is passed over.
        """
        read: Callable[[sqlite3.Row], _Told] | None = None
        every = []
        for row in rows:
            read = read or self._reader_of(row)
            every.append(read(row))
        return [_vote(judge, page, told) for _, _, judge, page, told in self._newest(every)]

    def ballots(self, rows: Iterable[sqlite3.Row]) -> list[Ballot]:
        """What counts of the same votes in the same order, from rows that end with :data:`CAST`."""
        return [
            Ballot(judge, page.source_id, verdict, None if said is None else bool(said))
            for _, _, judge, page, (_, _, _, verdict, said) in self._newest([row[-5:] for row in rows])
        ]

    def _newest(self, every: Iterable[_Told]) -> list[_Held]:
        """Of each rater's words on a source the one that counts, by the judge's turn and the page."""
        newest: dict[tuple[VotingJudge | None, str], _Held] = {}
        for told in every:
            run, snapshot_id = told[:2]
            if run is None:
                continue
            page = self._pages[snapshot_id]
            if page.superseded:
                continue
            judge = self._judge_of[run]
            # A rater is a judge of one name; the offline judge is one, whatever model had a part in its order.
            key = (None if judge.offline else judge, page.source_id)
            held = newest.get(key)
            if held is None or _rank(held[4], held[3]) < _rank(told, page):
                newest[key] = self._turn[judge], page.snapshot_id, judge, page, told
        return sorted(newest.values(), key=itemgetter(0, 1))

    def outdated(self, rows: Iterable[sqlite3.Row], votes: Sequence[Vote]) -> str | None:
        """The page as it is now on which a judge (the offline one aside) spoke before its text changed, and not since;
        ``None`` where there is no such page."""
        since = {(vote.judge, vote.source_id) for vote in votes}
        return next(
            (
                page.newest
                for row, page in self._placed(rows)
                if page.superseded
                and row["kind"] != "offline"
                and (self._judge_of[row["run"]], page.source_id) not in since
            ),
            None,
        )

    def _placed(self, rows: Iterable[sqlite3.Row]) -> Iterator[tuple[sqlite3.Row, _Page]]:
        return ((row, self._pages[row["snapshot_id"]]) for row in rows if row["judgement_id"] is not None)

    def _reader_of(self, row: sqlite3.Row) -> Callable[[sqlite3.Row], _Told]:
        """Reads the cells of such rows by their places: by name each cell of each row would be looked for."""
        names = tuple(row.keys())
        if names not in self._readers:
            self._readers[names] = itemgetter(*(names.index(name) for name in _NAMES))
        return self._readers[names]


def _rank(told: _Told, page: _Page) -> tuple[bool, int, bool]:
    """Of a rater's words on a source the highest counts. One run may have judged the same text twice, under two page
    states: then it is the current snapshot's."""
    return bool(told[2]), told[0], page.current


def _vote(judge: VotingJudge, page: _Page, told: _Told) -> Vote:
    _, _, _, verdict, said, judgement_id, confidence, quote_status, quote_doubt, raw_label = told
    supported = None if said is None else bool(said)
    return Vote(
        judgement_id, judge, page.snapshot_id, page.source_id, verdict, supported, confidence, quote_status,
        quote_doubt, supported is None and says_unproven(raw_label),
    )  # fmt: skip


def says_unproven(raw_label: str) -> bool:
    """Whether the judge's own word is "supported" where none was stored as its verdict: the quote did not show it."""
    level = mapped(raw_label)
    return level is not None and level[1] is True
