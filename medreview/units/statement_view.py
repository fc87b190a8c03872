"""Everything about one statement that the review screen can show, its name among it, read from the study."""

import json
import re
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from medreview.evidence.sign_names import OF_MODELS, SIGNS
from medreview.judges.rollup import MergedJudgement, merged_judgements
from medreview.judges.runs import entailment_in
from medreview.judges.votes import COLUMNS, Vote, VoteReader, VotingJudge
from medreview.labels import NOT_IN_ANSWER, level_named
from medreview.statements.left_out import LeftOut, left_out
from medreview.study.statement_edits import SPLIT, Edit, edits_of, fold
from medreview.text import Span, lazy_pattern
from medreview.units.cited_source import Source, sources_beside


def statement_name(reader: sqlite3.Connection, statement_id: str, response_id: str, ordinal: int) -> str:
    """``S3``; the parts that it was cut into are ``S3a`` and ``S3b``, and joined with the next one it is ``S3+4``."""
    edits = edits_of(reader, response_id)
    if not edits:
        return f"S{ordinal}"
    rows = reader.execute("SELECT statement_id, ordinal FROM statement WHERE response_id = ?", (response_id,))
    return f"S{_number(statement_id, fold(edits).first, dict(rows.fetchall()))}"


def _number(statement_id: str, first: Mapping[str, Edit], ordinals: Mapping[str, int]) -> str:
    edit = first.get(statement_id)
    if edit is None or not edit.replaced:
        return str(ordinals.get(statement_id, "?"))
    names = [_number(each, first, ordinals) for each in edit.replaced]
    if edit.kind == SPLIT:
        return names[0] + "ab"[[one.statement_id for one in edit.made].index(statement_id)]
    return "+".join(names)


_ITEM: Final = lazy_pattern(r"[ \t>]*(?:[^\w\s*_\"'(]|[-*+] |\(?\w{1,4}[.)])")
"""A line that may be an item of a list, or the row of a table."""
_POINTS_BACK: Final = lazy_pattern(
    r"[\W_]*(?:its?|they|their|this|these|those|s?he|his|her|such|both|neither|the (?:latter|former|same))\b",
    re.IGNORECASE,
)


class JudgeQuote(NamedTuple):
    """One quote of a judge, looked up by itself. ``status``: how true it is to the page
    (:mod:`medreview.evidence.grounding`). ``doubt``: what speaks against it as a proof, though it is in the page
    (:mod:`medreview.judges.quote_grounding`); ``None`` where that was not looked at.

    ``spans``: the parts of a quote joined by ellipses, or every place where it stands; empty when it is in no place of
    the snapshot. ``differences`` of an altered one: pairs of ranges, in the quote and in the snapshot; ``kinds`` what
    they are (``"number"``, ``"word"``, ...), each once; older judgements have none. ``opposes``: it is what the page
    says against the statement.
    """

    text: str
    status: str
    doubt: str | None
    spans: tuple[Span, ...]
    differences: tuple[tuple[Span, Span], ...]
    kinds: tuple[str, ...]
    opposes: bool = False


@dataclass(frozen=True, slots=True)
class Judgement:
    """What one judge says of the statement by one source; ``offline``: the rules, no model.

    Its newest word on the source's page as it is now, a vote or an abstention (:mod:`medreview.judges.votes`).
    ``raw_label`` is the judge's own word, ``verdict`` the level of the evidence axis it maps to, ``supported`` the
    two-way one; both are ``None`` where the judge abstained. ``confidence`` 0..1 as given. ``quotes``: each by itself;
    ``quote``, ``quote_status`` (``"none"`` without one) and ``quote_doubt`` are those of all together
    (:mod:`medreview.judges.judge_answer`). ``unproven``: it said supported, and its quotes do not show it.
    ``missing``: the part of the statement that the page does not state, ``missing_at`` where that stands in it.
    ``opposes``: whether the page says the opposite. ``""`` and ``None`` where the judge was not asked.
    """

    judge: str
    model: str
    prompt: str
    offline: bool
    source_id: str
    snapshot_id: str
    raw_label: str
    verdict: str | None
    supported: bool | None
    confidence: float | None
    reason: str
    quote: str
    quote_status: str
    quote_doubt: str | None
    quotes: tuple[JudgeQuote, ...]
    judgement_id: str
    unproven: bool
    missing: str = ""
    missing_at: tuple[Span, ...] = ()
    opposes: bool | None = None

    @property
    def quote_spans(self) -> tuple[Span, ...]:
        """Where its quotes stand, all of them."""
        return tuple(span for one in self.quotes for span in one.spans)

    @property
    def vote(self) -> Vote:
        """The same as the roll-up takes it."""
        return Vote(
            judgement_id=self.judgement_id,
            judge=VotingJudge(self.judge, self.offline),
            snapshot_id=self.snapshot_id,
            source_id=self.source_id,
            verdict=self.verdict,
            supported=self.supported,
            confidence=self.confidence,
            quote_status=self.quote_status,
            quote_doubt=self.quote_doubt,
            unproven=self.unproven,
        )


@dataclass(frozen=True, slots=True)
class Verdict:
    """The judges' word, rolled up over sources and jury (``medreview.judges.rollup``).

    ``verdict`` is a level of the evidence axis, ``supported`` the two-way one; both are ``None`` where nobody could
    tell, and for a tie that the study's tie rule leaves open. ``conflict``: one source supports, another contradicts.
    ``votes_for`` counts the judges of that verdict, ``votes_other`` those of another, ``abstained`` those without any;
    ``tied``: votes were even, whatever the tie rule made of it.
    ``judgement_id`` is what to show first, ``badges`` why it is flagged, ``""`` when it is not; ``snapshot_id`` is the
    page that the gravest flag about one page is about. ``merged`` and ``merged_supported``: the judges' common word by
    all sources together, rolled up as the others, ``None`` where nobody was asked or could tell.
    """

    verdict: str | None
    supported: bool | None
    conflict: bool
    votes_for: int
    votes_other: int
    abstained: int
    tied: bool
    judgement_id: str | None
    snapshot_id: str | None
    badges: str
    merged: str | None
    merged_supported: bool | None


@dataclass(frozen=True, slots=True)
class ClashMark:
    """Two places that disagree: one in the statement's own text, one in the snapshot's."""

    kind: str
    statement: Span
    source: Span


class Evidence(NamedTuple):
    """What the lexical engine found in one snapshot. ``lacking``: the names, numbers and list items of the statement
    that it does not have. ``entailment``: the model of entailment that was asked, ``contradicts``: its number, 0 to 1;
    to be seen only where the judges are."""

    highlights: tuple[Span, ...] = ()
    lexical: tuple[Span, ...] = ()
    clashes: tuple[ClashMark, ...] = ()
    lacking: tuple[Span, ...] = ()
    entailment: str = ""
    contradicts: float | None = None


NO_EVIDENCE: Final = Evidence()


@dataclass(frozen=True, slots=True)
class StatementView:
    """One statement with its response, sources and the judges' opinions.

    ``short_name`` is what it is called in its response (:func:`~medreview.units.statement_view.statement_name`).
    ``span`` is its place in the response, ``parts`` its places where it has several; neither when it was reworded. Then
    ``said_at`` is the sentence that says the same, ``None`` where the response does not. ``context`` is what of the
    text before it a statement needs (:mod:`medreview.statements.place_in_response`).
    ``sources`` stand in the order of :mod:`medreview.units.cited_source`: what the statement itself cites first.
    ``turns`` counts what was said before the question, ``finish`` says how the response ended
    (:data:`~medreview.labels.FINISHES`). ``left_out`` is what of the response is no statement. ``judgements`` holds
    each judge's word on each source as it is now; what was said before that is not shown. ``merged``: each judge's word
    by all sources of the response together.
    """

    statement_id: str
    ordinal: int
    short_name: str
    siblings: int
    text: str
    text_sha256: str
    span: Span | None
    parts: tuple[Span, ...]
    said_at: Span | None
    context: str
    response_id: str
    response_name: str
    record_id: str
    model: str
    origin: str
    question: str
    turns: int
    finish: str
    response: str
    left_out: tuple[LeftOut, ...]
    sources: tuple[Source, ...]
    judgements: tuple[Judgement, ...]
    verdict: Verdict | None
    merged: tuple[MergedJudgement, ...]

    @property
    def places(self) -> tuple[Span, ...]:
        """Its places in the response: one, several, or none when it was reworded."""
        return (self.span,) if self.span else self.parts

    @property
    def shown_at(self) -> tuple[Span, ...]:
        """Where the response is marked: its places, else the sentence that says the same."""
        return self.places or ((self.said_at,) if self.said_at else ())

    @property
    def beside(self) -> str:
        """What is shown beside its text: what it needs of the text before it, or that it was reworded."""
        if self.places:
            return f"after: {self.context}" if self.context else ""
        return "reworded: the nearest sentence of the answer is marked" if self.said_at else NOT_IN_ANSWER

    def source_of(self, snapshot_id: str | None) -> Source | None:
        """The cited source that a snapshot belongs to."""
        return next(
            (source for source in self.sources if source.snapshot_id and source.snapshot_id == snapshot_id), None
        )

    @property
    def opening_source(self) -> Source | None:
        """The source to open first, but for queues with a cause; ``None`` when nothing is cited."""
        return next((source for source in self.sources if source.opens), None)


def load_statement_view(reader: sqlite3.Connection, statement_id: str) -> StatementView:
    """Read one statement; raises ``KeyError`` when the study does not have it."""
    row = reader.execute(
        """SELECT s.*, r.ordinal AS response_ordinal, r.record_id, r.model, r.origin, r.question, r.text AS response,
                  r.finish,
                  (SELECT count(*) FROM turn WHERE response_id = s.response_id AND role <> 'system') AS turns,
                  (SELECT count(*) FROM statement_standing WHERE response_id = s.response_id) AS siblings
           FROM statement AS s JOIN response AS r USING (response_id) WHERE s.statement_id = ?""",
        (statement_id,),
    ).fetchone()
    if row is None:
        raise KeyError(statement_id)
    places, response = places_of(row), row["response"]
    return StatementView(
        statement_id=statement_id,
        ordinal=row["ordinal"],
        short_name=statement_name(reader, statement_id, row["response_id"], row["ordinal"]),
        siblings=row["siblings"],
        text=row["text"],
        text_sha256=row["text_sha256"],
        span=_span(row["start"], row["end"]),
        parts=tuple(Span(*part) for part in json.loads(row["parts"])),
        said_at=None if places else said_at(response, row["text"]),
        context=_context(response, places[0]) if places else "",
        response_id=row["response_id"],
        response_name=response_name(row["response_ordinal"]),
        record_id=row["record_id"],
        model=row["model"],
        origin=row["origin"],
        question=row["question"],
        turns=row["turns"],
        finish=row["finish"],
        response=response,
        left_out=tuple(left_out(reader, row["response_id"])),
        sources=sources_beside(reader, statement_id, row["response_id"]),
        judgements=load_judgements(reader, statement_id),
        verdict=_verdict(reader, statement_id),
        merged=merged_judgements(reader, statement_id),
    )


def said_at(response: str, text: str) -> Span | None:
    """The sentence of a response that says a statement in other words; ``None`` where none does."""
    from medreview.statements.place_in_response import Sentences  # as below

    return Sentences(response).find(text)


def _context(response: str, place: Span) -> str:
    line = response.rfind("\n", 0, place.start) + 1
    if not (_ITEM.match(response, line) or _POINTS_BACK.match(response, place.start)):
        return ""
    from medreview.statements.place_in_response import (
        Contexts,  # its rules take long to load, and most statements need none
    )

    return Contexts(response).of(place)


def said_in_words(judgement: Judgement) -> str:
    """What a judge says, in words: the name of its level, the two-way word where it has no other, or its own."""
    if judgement.verdict:
        return level_named("evidence", judgement.verdict).name
    if judgement.supported is None:
        return judgement.raw_label or "unsure"
    return "supported" if judgement.supported else "not supported"


def vote_in_words(verdict: str | None, supported: bool | None, raw: str) -> str:
    """A judge's verdict in words; where it has no vote, that, with its own word."""
    if verdict is not None:
        return level_named("evidence", verdict).name
    if supported is not None:
        return "supported" if supported else "not supported"
    return f"no vote ({raw or 'unsure'})"


def judge_name(judgement: Judgement) -> str:
    """What to call who judged; the offline judge as what it is."""
    return judgement.vote.judge.title


def response_name(ordinal: int) -> str:
    """What the screen calls a response: R07."""
    return f"R{ordinal:02d}"


def load_name(reader: sqlite3.Connection, statement_id: str) -> str:
    """What the screen calls a statement among all: R07 S3; empty for one that the study does not have."""
    row = reader.execute(
        """SELECT r.ordinal, s.ordinal, response_id FROM statement AS s JOIN response AS r USING (response_id)
           WHERE statement_id = ?""",
        (statement_id,),
    ).fetchone()
    return f"{response_name(row[0])} {statement_name(reader, statement_id, row[2], row[1])}" if row else ""


def load_text(reader: sqlite3.Connection, snapshot_id: str, *, whole: bool = False) -> str:
    """The text of a snapshot, as stored; ``whole``: everything on the page, ``""`` when that is the same."""
    column = "full_text" if whole else "text"
    return str(reader.execute(f"SELECT {column} FROM snapshot WHERE snapshot_id = ?", (snapshot_id,)).fetchone()[0])


def load_absent_claims(reader: sqlite3.Connection, statement_id: str, snapshot_id: str | None) -> list[str]:
    """The passages that the answer itself shows as the proof of a statement, and that are not in a page."""
    query = "SELECT quote FROM claimed_quote WHERE statement_id = ? AND snapshot_id = ? AND status = 'absent'"
    return [row[0] for row in reader.execute(f"{query} ORDER BY quote", (statement_id, snapshot_id))]


def load_evidence(reader: sqlite3.Connection, statement_id: str, snapshot_id: str | None) -> Evidence:
    """What was found for a statement in a snapshot; empty without one, and when the pair was not looked at yet."""
    row = reader.execute(
        "SELECT highlights, lexical, clashes, lacking, signs, encoder FROM evidence "
        "WHERE statement_id = ? AND snapshot_id = ?",
        (statement_id, snapshot_id),
    ).fetchone()
    if row is None:
        return Evidence()
    entailment = entailment_in(row["encoder"])
    of_models = dict(zip(OF_MODELS, json.loads(row["signs"])[len(SIGNS) :], strict=False)) if entailment else {}
    return Evidence(
        highlights=tuple(Span(*span) for span in json.loads(row["highlights"])),
        lexical=tuple(Span(*span) for span in json.loads(row["lexical"])),
        clashes=tuple(
            ClashMark(clash["kind"], Span(*clash["statement"]), Span(*clash["source"]))
            for clash in json.loads(row["clashes"])
        ),
        lacking=tuple(Span(*span) for span in json.loads(row["lacking"])),
        entailment=entailment,
        contradicts=of_models.get("contradicted"),
    )


def places_of(statement: sqlite3.Row) -> tuple[Span, ...]:
    """The places in its response of a row of ``statement``: one, several, or none when it was reworded."""
    span = _span(statement["start"], statement["end"])
    return (span,) if span else tuple(Span(*part) for part in json.loads(statement["parts"]))


def _span(start: int | None, end: int | None) -> Span | None:
    return None if start is None or end is None else Span(start, end)


def load_judgements(reader: sqlite3.Connection, statement_id: str) -> tuple[Judgement, ...]:
    """Each judge's word on each source of a statement, as :class:`Judgement` says."""
    rows = reader.execute(
        f"""SELECT {COLUMNS}, run.model, run.prompt_id, j.reason, j.quote, j.quote_start, j.quote_end, j.quote_more,
                   j.differences, j.quotes, j.opposes, j.missing, j.missing_at
            FROM judgement AS j JOIN judge_run AS run USING (judge_run_id) WHERE j.statement_id = ?""",
        (statement_id,),
    ).fetchall()
    by_id = {row["judgement_id"]: row for row in rows}
    votes = VoteReader(reader, statement_id).votes(rows)
    return tuple(_judgement(vote, by_id[vote.judgement_id]) for vote in votes)


def _judgement(vote: Vote, row: sqlite3.Row) -> Judgement:
    return Judgement(
        judge=vote.judge.name,
        model=row["model"],
        prompt=row["prompt_id"],
        offline=vote.judge.offline,
        source_id=vote.source_id,
        snapshot_id=vote.snapshot_id,
        raw_label=row["raw_label"],
        verdict=vote.verdict,
        supported=vote.supported,
        confidence=vote.confidence,
        reason=row["reason"],
        quote=row["quote"],
        quote_status=vote.quote_status,
        quote_doubt=vote.quote_doubt,
        quotes=_quotes(row, vote),
        judgement_id=vote.judgement_id,
        unproven=vote.unproven,
        missing=row["missing"],
        missing_at=tuple(Span(*span) for span in json.loads(row["missing_at"])),
        opposes=_boolean(row["opposes"]),
    )


def _quotes(row: sqlite3.Row, vote: Vote) -> tuple[JudgeQuote, ...]:
    """Several as they are stored; of one the columns say all."""
    if several := json.loads(row["quotes"]):
        return tuple(
            _quote(one["quote"], one["status"], one["doubt"], one["spans"], one["differences"], one["opposes"])
            for one in several
        )
    if vote.quote_status == "none":
        return ()
    first = [] if row["quote_start"] is None else [[row["quote_start"], row["quote_end"]]]
    spans = [*first, *json.loads(row["quote_more"])]
    doubt = "none" if vote.quote_doubt in ("opposed", "part_missing") else vote.quote_doubt  # of no quote, but of all
    return (_quote(row["quote"], vote.quote_status, doubt, spans, json.loads(row["differences"])),)


def _quote(
    text: str, status: str, doubt: str | None, spans: Any, differences: Any, opposes: bool = False
) -> JudgeQuote:
    return JudgeQuote(
        text,
        status,
        doubt,
        tuple(Span(*span) for span in spans),
        tuple((Span(*pair["quote"]), Span(*pair["source"])) for pair in differences),
        tuple(dict.fromkeys(pair["kind"] for pair in differences if "kind" in pair)),
        opposes,
    )


def _verdict(reader: sqlite3.Connection, statement_id: str) -> Verdict | None:
    row = reader.execute("SELECT * FROM verdict WHERE statement_id = ?", (statement_id,)).fetchone()
    if row is None:
        return None
    return Verdict(
        verdict=row["verdict"],
        supported=_boolean(row["supported"]),
        conflict=bool(row["conflict"]),
        votes_for=row["votes_for"],
        votes_other=row["votes_other"],
        abstained=row["abstained"],
        tied=bool(row["tied"]),
        judgement_id=row["judgement_id"],
        snapshot_id=row["snapshot_id"],
        badges=row["badges"],
        merged=row["merged"],
        merged_supported=_boolean(row["merged_supported"]),
    )


def _boolean(value: Any) -> bool | None:
    return None if value is None else bool(value)
