"""The stage that asks models of meaning how near statements are to pages, and whether these contradict them.

It is for the order of the queue.

It changes the score for triage of pairs that the offline judge has looked at, and the name under which its word on
them is stored (``medreview.judges.runs``); never its label, what is lit, or a quote. Results are stored group
by group, so that the stage can be stopped and resumed; no text is encoded twice.
"""

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from medreview.errors import UserError
from medreview.evidence.assess import Assessment, assess
from medreview.evidence.sentence_analysis import compared_part
from medreview.evidence.sign_names import SIGNS
from medreview.evidence.terms import vocabulary
from medreview.judges.pair_chunks import chunks, index_of
from medreview.judges.runs import ENGINE, JudgeRun, add_run, joined_name, run_for
from medreview.progress import SILENT, Progress
from medreview.semantic.similarity import (
    NOTHING_SAID,
    ByWord,
    Encoder,
    Entailed,
    Entailment,
    Nearness,
    Scorer,
    Similarity,
    SimilarityScale,
    blend,
    encoded,
    passages_for,
    scale_of,
)
from medreview.study import Study
from medreview.study.ids import content_id
from medreview.text import Span

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

GROUP: Final = 256
"""Texts that are encoded, and stored, together: enough for full batches, and little to do again."""

_PAIRS: Final = """SELECT DISTINCT c.snapshot_id, statement.statement_id, statement.text
    FROM statement JOIN judged_pair USING (statement_id) JOIN snapshot_current AS c USING (source_id)
    JOIN evidence AS e ON e.statement_id = statement.statement_id AND e.snapshot_id = c.snapshot_id
    WHERE e.engine = :engine AND e.encoder <> :encoder"""

_COPY: Final = """INSERT OR IGNORE INTO judgement (judgement_id, judge_run_id, statement_id, snapshot_id, raw_label,
        verdict, supported, confidence, quote_status, quote_start, quote_end, quote_more, differences, quote, reason,
        raw_output, error, quote_doubt)
    SELECT :id, :run, statement_id, snapshot_id, raw_label, verdict, supported, confidence, quote_status, quote_start,
        quote_end, quote_more, differences, quote, reason, raw_output, error, quote_doubt
    FROM judgement JOIN judge_run USING (judge_run_id)
    WHERE kind = 'offline' AND model = :engine AND statement_id = :statement AND snapshot_id = :snapshot
    ORDER BY ordinal DESC LIMIT 1"""


@dataclass(frozen=True, slots=True)
class SemanticPlan:
    """What is to be asked: pairs, the texts of them that are not encoded yet, and the characters of these.

    ``read``: texts that a model of entailment is sent, ``read_characters`` theirs: each passage with each statement.
    """

    pairs: int = 0
    passages: int = 0
    statements: int = 0
    characters: int = 0
    read: int = 0
    read_characters: int = 0

    @property
    def texts(self) -> int:
        """All that is to be encoded."""
        return self.passages + self.statements


@dataclass(frozen=True, slots=True)
class SemanticSummary:
    """Pairs that have a new score now, and why the rest has none (``""``: all have); ``model`` is who was asked."""

    model: str
    pairs: int = 0
    left: int = 0
    stopped: str = ""


@dataclass(frozen=True, slots=True)
class _ScoredPair:
    statement_id: str
    statement: str
    snapshot_id: str
    spans: tuple[Span, ...]
    texts: tuple[str, ...]
    by_rules: Assessment


class MeaningModels(NamedTuple):
    """The models to ask, one at least. ``entailment_orders``: what the one of entailment says is part of the score, and
    not only a sign that the reviewer's labels weigh."""

    nearness: Encoder | Scorer | None = None
    entailment: Entailment | None = None
    entailment_orders: bool = True

    @property
    def name(self) -> str:
        """Who has a part in a score, as it is stored with it."""
        shown = "" if self.entailment_orders else " (shown only)"
        entailment = f"{self.entailment.name}{shown}" if self.entailment else ""
        return joined_name(self.nearness.name if self.nearness else "", entailment)


def plan(
    study: Study, models: MeaningModels, *, synonyms: Path | None = None, progress: Progress = SILENT
) -> SemanticPlan:
    """What asking these models would be: each passage and each statement counted once, without those encoded before.

    A scorer encodes nothing, and reads every passage again with every statement; so does a model of entailment.
    """
    pairs = passages = characters = read = read_characters = 0
    statements: dict[str, int] = {}
    encoder = "" if models.nearness is None or isinstance(models.nearness, Scorer) else models.nearness.name
    progress.begin("pairs looked through", _waiting(study.reader, models.name))
    for snapshot_id, of_page in groupby(_pairs(study.reader, models.name, synonyms), key=attrgetter("snapshot_id")):
        wanted: dict[Span, int] = {}
        for pair in of_page:
            pairs += 1
            progress.step()
            lengths = [len(text) for text in pair.texts]
            whole = sum(lengths) + len(pair.statement)
            if encoder:
                wanted |= zip(pair.spans, lengths, strict=True)
                statements[pair.statement_id] = len(pair.statement)
            elif models.nearness:
                passages += len(lengths)
                characters += whole
            if models.entailment and lengths:
                read += len(lengths) + 1
                read_characters += whole
        for row in study.reader.execute(_VECTORS, (encoder, snapshot_id)):
            wanted.pop(Span(row[0], row[1]), None)
        passages += len(wanted)
        characters += sum(wanted.values())
    new = {one for one in statements if _statement(study.reader, encoder, one) is None}
    characters += sum(statements[one] for one in new)
    return SemanticPlan(pairs, passages, len(new), characters, read, read_characters)


def judge_by_meaning(
    study: Study, models: MeaningModels, synonyms: Path | None = None, progress: Progress = SILENT
) -> SemanticSummary:
    """Ask the models about every pair whose score is not of them yet, and store what they say as it comes.

    A model that gives no answer stops it: what is done is kept, and the rest keeps the score that it has. Raises
    :class:`UserError` for a study that cannot be written, and for a table of synonyms that cannot be used.
    """
    vocabulary(synonyms)
    total, done = _waiting(study.reader, models.name), 0
    progress.begin("pairs", total)
    if not total:
        return SemanticSummary(models.name)
    run = run_for(study.reader, models.name)
    study.write(lambda connection: add_run(connection, run))
    asked: _PairModel = _Nobody()
    if models.nearness is not None:
        asked = _Scored(models.nearness) if isinstance(models.nearness, Scorer) else _Encoded(study, models.nearness)
    for group in _groups(_pairs(study.reader, models.name, synonyms)):
        try:
            said = list(zip(group, asked.nearness(group), _entailed(models.entailment, group), strict=True))
        except UserError as error:
            return SemanticSummary(models.name, done, total - done, str(error))
        study.write(lambda connection, said=said: _store(connection, run, models, said))  # type: ignore[misc]
        done += len(group)
        progress.step(len(group))
    return SemanticSummary(models.name, done)


def by_rules_alone(study: Study) -> int:
    """Take the models' part out of every score again; how many pairs had one. Vectors stay, for the next time."""
    query = "SELECT statement_id, snapshot_id FROM evidence WHERE engine = ? AND encoder <> ''"
    pairs = study.reader.execute(query, (ENGINE,)).fetchall()
    if pairs:
        run = run_for(study.reader, "")

        def change(connection: sqlite3.Connection) -> None:
            add_run(connection, run)
            for statement_id, snapshot_id in pairs:
                _restate(connection, run, "", statement_id, snapshot_id, None)

        study.write(change)
    return len(pairs)


def _waiting(reader: sqlite3.Connection, model: str) -> int:
    query = f"SELECT count(*) FROM ({_PAIRS})"
    return int(reader.execute(query, {"engine": ENGINE, "encoder": model}).fetchone()[0])


def _pairs(reader: sqlite3.Connection, model: str, synonyms: Path | None) -> Iterator[_ScoredPair]:
    """The pairs whose score is not of this model yet, page by page."""
    for chunk in chunks(reader, _PAIRS, {"engine": ENGINE, "encoder": model}, synonyms):
        index = index_of(chunk)
        for statement_id, statement in chunk.statements:
            spans = passages_for(statement, index)
            texts = tuple(index.text[span.start : span.end] for span in spans)
            by_rules = assess(statement, index)
            yield _ScoredPair(statement_id, compared_part(statement), chunk.snapshot_id, spans, texts, by_rules)


def _groups(pairs: Iterator[_ScoredPair]) -> Iterator[list[_ScoredPair]]:
    group: list[_ScoredPair] = []
    texts = 0
    for pair in pairs:
        group.append(pair)
        texts += len(pair.texts) + 1
        if texts >= GROUP:
            yield group
            group, texts = [], 0
    if group:
        yield group


def _entailed(model: Entailment | None, group: Sequence[_ScoredPair]) -> list[Entailed]:
    readable = [pair for pair in group if pair.texts]
    told = iter(model.entail([(pair.statement, pair.texts) for pair in readable]) if model and readable else ())
    return [next(told) if model and pair.texts else NOTHING_SAID for pair in group]


class _PairModel(Protocol):
    def nearness(self, group: Sequence[_ScoredPair]) -> Sequence[Nearness | None]: ...


class _Nobody:
    """There is a model of entailment alone."""

    def nearness(self, group: Sequence[_ScoredPair]) -> list[None]:
        return [None] * len(group)


class _Scored:
    """Asks a scorer, which gets each statement with its passages."""

    def __init__(self, model: Scorer) -> None:
        self._similarity = Similarity(model)

    def nearness(self, group: Sequence[_ScoredPair]) -> list[Nearness | None]:
        near = iter(self._similarity.of([(pair.statement, pair.texts) for pair in group if pair.texts]))
        return [next(near) if pair.texts else None for pair in group]


class _Encoded:
    """Asks an encoder for the vectors that the study does not have, and stores them."""

    def __init__(self, study: Study, model: Encoder) -> None:
        self._study = study
        self._model = model
        self._scale: SimilarityScale | None = None

    def nearness(self, group: Sequence[_ScoredPair]) -> list[Nearness | None]:
        self._scale = self._scale or scale_of(self._model)
        passages, statements = self._vectors(group)
        return [
            self._scale.nearness(
                statements[pair.statement_id], [passages[pair.snapshot_id, span] for span in pair.spans]
            )
            if pair.spans
            else None
            for pair in group
        ]

    def _vectors(self, group: Sequence[_ScoredPair]) -> "tuple[dict[tuple[str, Span], Vectors], dict[str, Vectors]]":
        reader, name = self._study.reader, self._model.name
        passages = {
            (page, Span(start, end)): self._unpacked(vectors)
            for page in dict.fromkeys(pair.snapshot_id for pair in group)
            for start, end, vectors in reader.execute(_VECTORS, (name, page))
        }
        found = {pair.statement_id: _statement(reader, name, pair.statement_id) for pair in group}
        statements = {statement_id: self._unpacked(kept) for statement_id, kept in found.items() if kept is not None}
        wanted = {
            (pair.snapshot_id, span): text
            for pair in group
            for span, text in zip(pair.spans, pair.texts, strict=True)
            if (pair.snapshot_id, span) not in passages
        }
        unread = {pair.statement_id: pair.statement for pair in group if pair.statement_id not in statements}
        texts = [*wanted.values(), *unread.values()]
        if texts:
            packed = [self._packed(vectors) for vectors in encoded(self._model, texts)]
            new, said = dict(zip(wanted, packed, strict=False)), dict(zip(unread, packed[len(wanted) :], strict=True))
            self._study.write(lambda connection: _keep(connection, name, new, said))
            # As it will be read from the study: the same score whether a vector is new or kept.
            passages |= {place: self._unpacked(vectors) for place, vectors in new.items()}
            statements |= {statement_id: self._unpacked(vectors) for statement_id, vectors in said.items()}
        return passages, statements

    def _packed(self, vectors: "Vectors") -> bytes:
        """The vectors of a text as they are stored: 16 bits a number; 8 where there is one for each word, since a page
        has 25 times as many (the AUROC of triage stays to .001)."""
        import numpy as np

        if not isinstance(self._model, ByWord):
            return vectors.astype(_HALF).tobytes()
        widest = np.abs(vectors).max(axis=1, keepdims=True)
        eight: NDArray[np.int8] = np.rint(vectors * (127 / widest)).astype(np.int8)
        return eight.tobytes()

    def _unpacked(self, stored: bytes) -> "Vectors":
        import numpy as np

        if not isinstance(self._model, ByWord):
            return np.frombuffer(stored, dtype=_HALF).astype(np.float32)[None, :]
        rows = np.frombuffer(stored, dtype=np.int8).reshape(-1, self._model.size).astype(np.float32)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        return rows


def _keep(
    connection: sqlite3.Connection,
    encoder: str,
    passages: Mapping[tuple[str, Span], bytes],
    statements: Mapping[str, bytes],
) -> None:
    """Store vectors of passages, by page and place, and of statements, by their ids."""
    places = [(encoder, page, span.start, span.end, vectors) for (page, span), vectors in passages.items()]
    connection.executemany("INSERT OR REPLACE INTO passage_vector VALUES (?, ?, ?, ?, ?)", places)
    rows = [(encoder, statement_id, vectors) for statement_id, vectors in statements.items()]
    connection.executemany("INSERT OR REPLACE INTO statement_vector VALUES (?, ?, ?)", rows)


def _store(
    connection: sqlite3.Connection,
    run: JudgeRun,
    models: MeaningModels,
    said: Sequence[tuple[_ScoredPair, Nearness | None, Entailed]],
) -> None:
    for pair, near, entailed in said:
        orders = entailed if models.entailment_orders else NOTHING_SAID
        score = blend(pair.by_rules, near, orders) if near or orders != NOTHING_SAID else None
        signs = [None if sign is None else round(sign, 4) for sign in (near.near if near else None, *entailed)]
        while signs and signs[-1] is None:
            signs.pop()
        _restate(connection, run, models.name, pair.statement_id, pair.snapshot_id, score, signs)


def _restate(
    connection: sqlite3.Connection,
    run: JudgeRun,
    model: str,
    statement_id: str,
    snapshot_id: str,
    score: float | None,
    signs: Sequence[float | None] = (),
) -> None:
    """Give a pair its score, the signs of the model behind those of the rules, and the rules' word on it the name of
    this run."""
    written = connection.execute(
        "SELECT signs FROM evidence WHERE statement_id = ? AND snapshot_id = ?", (statement_id, snapshot_id)
    ).fetchone()[0]
    of_rules = json.loads(written)[: len(SIGNS)]
    every = [*of_rules, *signs] if len(of_rules) == len(SIGNS) else of_rules
    connection.execute(
        "UPDATE evidence SET blended = ?, encoder = ?, signs = ? WHERE statement_id = ? AND snapshot_id = ?",
        (score, model, json.dumps(every), statement_id, snapshot_id),
    )
    copied = {"id": content_id("g", run.judge_run_id, statement_id, snapshot_id), "run": run.judge_run_id}
    connection.execute(_COPY, {**copied, "engine": ENGINE, "statement": statement_id, "snapshot": snapshot_id})


_VECTORS: Final = """SELECT v.start_cp, v.end_cp, v.vector FROM snapshot AS p
    JOIN snapshot AS same ON same.source_id = p.source_id AND same.text_sha256 = p.text_sha256
    JOIN passage_vector AS v ON v.encoder = ? AND v.snapshot_id = same.snapshot_id
    WHERE p.snapshot_id = ?"""
"""The vectors of a page's passages by an encoder, also those made when it was fetched before with this text."""

_HALF: Final = "<f2"
"""Half precision: the scalar product of two vectors of length 1 changes by less than 0.001."""


def _statement(reader: sqlite3.Connection, encoder: str, statement_id: str) -> bytes | None:
    """A statement's vectors by this encoder, as they are stored; ``None`` before there are any."""
    query = "SELECT vector FROM statement_vector WHERE encoder = ? AND statement_id = ?"
    row = reader.execute(query, (encoder, statement_id)).fetchone()
    return bytes(row[0]) if row else None
