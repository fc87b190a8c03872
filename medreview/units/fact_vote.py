"""A key fact in one response: does the text say it, leave it out, or contradict it? (MedFactEval, step 2)"""

import sqlite3
from collections.abc import Iterable, Iterator
from types import MappingProxyType
from typing import Final

from medreview.judges.fact_votes import (
    CONTRADICTION,
    PRESENCE,
    FactInResponse,
    FactVote,
    JuryWord,
    fact_in_response,
    facts_in_responses,
)
from medreview.judges.rollup import tie_rule
from medreview.labels import PRESENCE as LEVELS
from medreview.labels import TieRule, label_words
from medreview.study.ids import ids_of, unit_id
from medreview.units.cases import case_of_question
from medreview.units.kind import (
    CardPart,
    Document,
    DocumentPassage,
    Headline,
    Machines,
    Opinion,
    Rating,
    TextMark,
    UnitKind,
    UnitView,
)
from medreview.units.statement_view import response_name

_FACT: Final = """SELECT k.question_sha256, k.ordinal, k.text, coalesce(f.category, k.category) AS category
FROM key_fact AS k LEFT JOIN key_fact_in_force AS f USING (key_fact_id) WHERE k.key_fact_id = ?"""

_CASE: Final = """(SELECT 'C' || printf('%02d', c.ordinal) FROM key_fact AS f
 JOIN clinical_case AS c ON c.question_sha256 = f.question_sha256
 WHERE f.key_fact_id = substr(s.unit, instr(substr(s.unit, 6), ':') + 6) ORDER BY c.ordinal LIMIT 1)"""
"""SQL over the rows of the kind (as ``s``): the case, as the screen calls it; none where the fact is of none."""

_RULES: Final[dict[TieRule, str]] = {
    "undecided": "undecided", "supported": "counts as yes", "not_supported": "counts as no",
}  # fmt: skip
_YES: Final = {PRESENCE: "present", CONTRADICTION: "contradicted"}
_NO: Final = {PRESENCE: "absent", CONTRADICTION: "not contradicted"}


class FactVotes(UnitKind):
    """``fact:RESPONSE_ID:KEY_FACT_ID``: every key fact in force, in every response to its question."""

    name = "fact"
    title = "key facts"
    noun = "key fact"
    about = "Does the response say the fact, or contradict it?"
    headline = Headline("said by the text", {"presence": ("present", "both")})
    axis = "presence"
    levels = LEVELS
    rows = """SELECT 'fact:' || r.response_id || ':' || k.key_fact_id AS unit, r.ordinal AS cluster,
       k.ordinal AS ordinal, k.text AS text, r.model, r.origin, r.record_id
FROM response AS r CROSS JOIN key_fact_in_force AS k ON k.question_sha256 = sha256_of(r.question)"""

    filters = MappingProxyType({"case": _CASE})

    def in_use(self, reader: sqlite3.Connection) -> bool:
        """Whether there are key facts to hold a response against."""
        facts = reader.execute("SELECT EXISTS (SELECT 1 FROM key_fact)").fetchone()[0]
        # Where there are none, SQLite need not prepare the other query, which takes it 12 ms.
        return bool(facts and reader.execute(f"SELECT EXISTS ({self.rows})").fetchone()[0])

    def load(self, reader: sqlite3.Connection, unit: str) -> UnitView:
        """The fact; the response, the reference text and the notes of the case."""
        response_id, key_fact_id = ids_of(unit)
        response = reader.execute("SELECT * FROM response WHERE response_id = ?", (response_id,)).fetchone()
        fact = reader.execute(_FACT, (key_fact_id,)).fetchone()
        if response is None or fact is None:
            raise KeyError(unit)
        case = case_of_question(reader, fact["question_sha256"])
        name = response_name(response["ordinal"])
        return UnitView(
            unit=unit,
            kind=self.name,
            name=f"{name} F{fact['ordinal']}",
            group=name,
            text=fact["text"],
            text_sha256=response["text_sha256"],
            parts=(
                CardPart("fact", fact["text"], main=True),
                CardPart("category", label_words("category", fact["category"])),
                CardPart("asked", response["question"], tone="dim"),
            ),
            documents=(
                Document("response", f"response {name}", response["text"]),
                *(case.documents if case else ()),
            ),
            model=response["model"],
            origin=response["origin"],
            record_id=response["record_id"],
            response_id=response_id,
            missing="" if response["text"].strip() else "This response is empty.",
        )

    def machines(self, reader: sqlite3.Connection, unit: str) -> Machines:
        """Every judge's word on presence and on contradiction, and the jury's by the study's tie rule."""
        found, tie = fact_in_response(reader, *ids_of(unit)), tie_rule(reader)
        juries = {task: found.jury(task, tie) for task in _YES}
        asked = {task: jury for task, jury in juries.items() if jury.asked}
        return Machines(
            opinions=tuple(_opinion(vote) for vote in found.votes),
            level=found.level(tie),
            words=" · ".join(f"{_YES[task]} {vote_strip(jury, tie)}" for task, jury in asked.items()),
            badges=" · ".join(_badges(found, asked.values())),
            marks=tuple(
                ("response", TextMark(*vote.span, "clash" if vote.task == CONTRADICTION else "quote"))
                for vote in found.votes
                if vote.span and vote.answer
            ),
        )

    def cluster(self, reader: sqlite3.Connection, unit: str) -> str:
        """The case; the question's hash where the fact is of none."""
        query = "SELECT question_sha256 FROM key_fact WHERE key_fact_id = ?"
        return _cluster(reader, reader.execute(query, (ids_of(unit)[1],)).fetchone()[0])

    def machine_ratings(self, reader: sqlite3.Connection) -> Iterator[Rating]:
        """Each judge's level: its answers to both questions together."""
        questions = dict(reader.execute("SELECT key_fact_id, question_sha256 FROM key_fact").fetchall())
        cases = {question: _cluster(reader, question) for question in set(questions.values())}
        for found in facts_in_responses(reader):
            unit = unit_id(self.name, found.response_id, found.key_fact_id)
            for judge, level in found.each_judge():
                yield Rating(unit, cases[questions[found.key_fact_id]], self.axis, judge, True, "", level)


def _cluster(reader: sqlite3.Connection, question_sha256: str) -> str:
    case = case_of_question(reader, question_sha256)
    return case.case_id if case else question_sha256


def vote_strip(jury: JuryWord, tie: TieRule) -> str:
    """``YYYYYYY NNN 7-3``, with abstentions and ties in words."""
    strip = " ".join(filter(None, ("Y" * jury.yes, "N" * jury.no)))
    words = f"{strip} {jury.yes}-{jury.no}" if strip else "no vote"
    words += f", tie: {_RULES[tie]}" if jury.tied else ""
    return words + (f", {jury.abstained} abstained" if jury.abstained else "")


def _badges(found: FactInResponse, asked: Iterable[JuryWord]) -> Iterator[str]:
    """Why the fact is worth a look: an even or split jury, a yes with a quote that is not there."""
    words = list(asked)
    if any(jury.tied for jury in words):
        yield "jury tied"
    elif any(jury.yes and jury.no for jury in words):
        yield "jury split"
    if any(vote.false_quote for vote in found.votes):
        yield "false quote"


def _opinion(vote: FactVote) -> Opinion:
    if vote.answer is None:
        said = f"abstained ({vote.error.partition(':')[0] or f'{vote.raw_answer}, quote {vote.quote_status}'})"
    else:
        said = (_YES if vote.answer else _NO)[vote.task]
    status = vote.quote_status if vote.quote else ""
    passages = (
        (DocumentPassage("response", vote.quote, status, (vote.span,) if vote.span else ()),) if vote.quote else ()
    )
    label = None
    if vote.answer is not None and (vote.task == PRESENCE or vote.answer):
        label = said
    return Opinion(
        vote.vote_id, vote.judge, vote.model, vote.prompt, said, label,
        reason=vote.reason, passages=passages, counts=vote.answer is not None,
    )  # fmt: skip
