"""One response of a study: what was asked and answered, what it cites, and what else is known of it."""

import json
import sqlite3
from dataclasses import dataclass

from medreview.citations.citation import Citation
from medreview.labels import FINISHES
from medreview.statements.own_citations import numbering
from medreview.text import counted, in_words
from medreview.units.cited_source import Source, load_sources
from medreview.units.statement_view import response_name


@dataclass(frozen=True, slots=True, repr=False)
class StudyResponse:
    """A response of a study.

    ``record_id`` is its id in the file it came from, ``""`` without one. ``citations`` stand in their order, those of a
    list beside the text without a place in it; ``sources`` are what they resolve to, each once. ``statements`` counts
    what it was split into, ``left_out`` the parts that are no statements; ``parser`` says by what, ``""`` before.
    """

    response_id: str
    name: str
    record_id: str
    model: str
    origin: str
    question: str
    text: str
    citations: tuple[Citation, ...]
    sources: tuple[Source, ...]
    statements: int
    left_out: int
    parser: str

    def __repr__(self) -> str:
        """Short enough for a notebook."""
        sources = counted(len(self.sources), "source")
        return f"<StudyResponse {self.name}: {counted(self.statements, 'statement')}, {sources}>"


def response_ids(reader: sqlite3.Connection) -> list[str]:
    """The responses of a study in the order of import."""
    return [row[0] for row in reader.execute("SELECT response_id FROM response ORDER BY ordinal")]


def load_response(reader: sqlite3.Connection, response_id: str) -> StudyResponse:
    """Read one response; raises ``KeyError`` when the study does not have it."""
    row = reader.execute(
        """SELECT r.*, (SELECT count(*) FROM statement_standing WHERE response_id = r.response_id) AS statements,
                  iif(r.left_out_by IS NULL, r.dropped,
                      (SELECT count(*) FROM left_out WHERE response_id = r.response_id)) AS left_out
           FROM response AS r WHERE r.response_id = ?""",
        (response_id,),
    ).fetchone()
    if row is None:
        raise KeyError(response_id)
    citations = reader.execute(
        'SELECT kind, value, "start", "end" FROM citation WHERE response_id = ? ORDER BY ordinal', (response_id,)
    )
    return StudyResponse(
        response_id=response_id,
        name=response_name(row["ordinal"]),
        record_id=row["record_id"],
        model=row["model"],
        origin=row["origin"],
        question=row["question"],
        text=row["text"],
        citations=tuple(Citation(*cited) for cited in citations),
        sources=load_sources(reader, response_id, numbering(reader, response_id)),
        statements=row["statements"],
        left_out=row["left_out"],
        parser=row["parser"] or "",
    )


_ROLES = {"user": "asked before", "assistant": "answered before", "system": "system prompt"}


_QUOTED = {"absent": "this is not in the page", "altered": "the page says something else there"}


def about_answer(reader: sqlite3.Connection, response_id: str, statement_id: str, *, named: bool) -> str:
    """All of it as paragraphs; of a model's name and whatever may show it only where it may be ``named``. First the
    passages that the answer itself shows as the proof of a statement, and whether they are in their pages.

    ``""`` where the study knows nothing beside the question and the text.
    """
    row = reader.execute("SELECT * FROM response WHERE response_id = ?", (response_id,)).fetchone()
    claims = reader.execute(
        """SELECT c.quote, c.status, url FROM claimed_quote AS c JOIN snapshot USING (snapshot_id)
           JOIN source USING (source_id)
           WHERE c.statement_id = ? ORDER BY url, c.quote""",
        (statement_id,),
    )
    shown = [
        f"The answer shows as its proof, from {claim['url'] or 'a document'}: “{claim['quote']}” "
        f"({_QUOTED.get(claim['status'], 'it is in the page')})"
        for claim in claims
    ]
    facts = []
    if row["finish"]:
        facts.append(f"how it ended: {in_words(row['finish'])}, {FINISHES[row['finish']]}")
    if named:
        facts += [
            f"{name}: {value}"
            for name, value in (
                ("model", row["model"]), ("given at", row["created_at"]), ("read as", row["producer"]),
                ("file", row["imported_from"]), ("id", row["record_id"]), ("question id", row["question_id"]),
                *json.loads(row["extra"]).items(),
            )
            if value not in ("", None)
            for value in [value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)]
        ]  # fmt: skip
    turns = reader.execute("SELECT role, text FROM turn WHERE response_id = ? ORDER BY ordinal", (response_id,))
    said = [f"{_ROLES.get(turn['role'], turn['role'])}: {turn['text'].strip()}" for turn in turns]
    if said:
        said.append(f"asked: {row['question'].strip() or 'nothing that was recorded'}")
    return "\n\n".join(filter(None, (*shown, "\n".join(facts), *said)))
