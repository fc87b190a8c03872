"""A suggested key fact of a case: must a good text on the case say it? (MedFactEval, step 1)"""

import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from medreview.exchange.files.columns import Column, ExportFile, cells_of
from medreview.labels import CATEGORY, FALSE_QUOTES, PROVEN_QUOTES, SUGGESTION, label_words
from medreview.study.events import NewEvent
from medreview.study.unit_table import own_fact_id
from medreview.text import counted
from medreview.units.cases import case_of
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
from medreview.units.stored import content_value, load_unit

_HERE: Final = """FROM unit AS u JOIN clinical_case AS c ON c.case_id = u.belongs_to
WHERE u.kind = 'suggestion' AND (json_extract(u.content, '$.own') IS NULL
      OR EXISTS (SELECT 1 FROM event_live AS e WHERE e.unit = u.unit_id AND e.kind = 'fact_add'))"""
"""Facts that a reviewer added and took back are not there any more."""

_UNSEEN: Final = {"judge_verdict": "no"}

GENERATOR: Final = "key-facts"
"""What suggests facts; its option ``per_case`` says how many of a case are to be kept."""

_WANTED: Final = """SELECT g.item_id AS case_id, json_extract(r.options, '$.per_case') AS wanted
FROM generation_run AS r CROSS JOIN generation AS g USING (run_id) JOIN clinical_case AS c ON c.case_id = g.item_id
WHERE r.generator = ?1 AND g.code = '' AND ?2 IN ('', g.item_id) ORDER BY c.ordinal, r.ordinal"""


@dataclass(frozen=True, slots=True)
class CaseFact:
    """A fact of a case as it stands: ``state`` is open, kept, edited or discarded; ``text`` its words now.

    ``reviewer``: by whose label, or who added it. ``conflict``: reviewers' labels or words differ, and nobody has
    settled it; the newest counts until then.
    """

    unit: str
    case_id: str
    own: bool
    state: str
    suggested: str
    text: str
    category: str
    reviewer: str
    conflict: bool
    model: str


@dataclass(frozen=True, slots=True)
class FactCounts:
    """What became of the facts of some cases: of the ``suggested`` ones so many are open, kept, edited, discarded;
    ``own`` were added by reviewers and stand. ``conflicts``: those that reviewers disagree on."""

    suggested: int
    open: int
    kept: int
    edited: int
    discarded: int
    own: int
    conflicts: int


def case_facts(reader: sqlite3.Connection, case_id: str | None = None) -> list[CaseFact]:
    """The facts of one case or of all, in order."""
    condition, values = ("WHERE case_id = ?", (case_id,)) if case_id else ("", ())
    query = f"""SELECT unit, case_id, own, state, suggested, text, category, reviewer, conflict, model
                FROM case_fact {condition} ORDER BY case_ordinal, ordinal"""
    rows = reader.execute(query, values)
    return [CaseFact(**{**dict(row), "own": bool(row["own"]), "conflict": bool(row["conflict"])}) for row in rows]


def fact_counts(facts: Sequence[CaseFact]) -> FactCounts:
    """Count them."""
    states = Counter(fact.state for fact in facts if not fact.own)
    return FactCounts(
        suggested=states.total(),
        open=states["open"],
        kept=states["kept"],
        edited=states["edited"],
        discarded=states["discarded"],
        own=sum(fact.own and fact.state in ("kept", "edited") for fact in facts),
        conflicts=sum(fact.conflict for fact in facts),
    )


def facts_wanted(reader: sqlite3.Connection, case_id: str = "") -> dict[str, int]:
    """By case, in order, or of one: how many facts are to be kept, by the newest run that suggested some."""
    return {row["case_id"]: row["wanted"] for row in reader.execute(_WANTED, (GENERATOR, case_id))}


class Suggestion(UnitKind):
    """``suggestion:HASH``, a stored unit. A label ``edited`` has the words, and the category, in its payload."""

    name = "suggestion"
    title = "suggested key facts"
    noun = "suggested fact"
    about = "Must a good text on the case say this fact?"
    headline = Headline("kept, in some words", {"suggestion": ("kept", "edited")})
    axis = "suggestion"
    levels = SUGGESTION
    also = ("category",)
    entry = "words"
    adds = "fact"
    rows = f"""SELECT u.unit_id AS unit, c.ordinal AS cluster, u.ordinal, u.text, u.model, u.origin, u.record_id
{_HERE}"""
    models = ("quote",)  # names nobody, but is what the model that suggested the fact says for it
    filters = MappingProxyType({"category": content_value("category")})

    def load(self, reader: sqlite3.Connection, unit: str) -> UnitView:
        """The fact and its category; the reference text and the notes of the case."""
        stored = load_unit(reader, unit)
        case = case_of(reader, stored.belongs_to)
        if case is None:
            raise KeyError(unit)
        wanted = facts_wanted(reader, case.case_id).get(case.case_id)
        keep = f" · keep {counted(wanted, 'fact')}" if wanted else ""
        return stored.view(
            f"{case.name} F{_place(reader, stored.belongs_to, stored.ordinal)}",
            (
                CardPart("fact", stored.content["fact"], main=True),
                CardPart("category", label_words("category", stored.content["category"])),
                CardPart("case", (case.title or case.question) + keep, tone="dim"),
            ),
            case.documents,
            group=" ".join(part for part in (case.name, case.title) if part),
            missing="" if case.reference else "This case came without a reference text: notes only.",
        )

    def machines(self, reader: sqlite3.Connection, unit: str) -> Machines:
        """Who suggested it, and the passage of the reference text that was given with it."""
        stored = load_unit(reader, unit)
        if stored.content.get("own"):
            return Machines()
        case, quote = case_of(reader, stored.belongs_to), stored.content["quote"]
        passage = _located(quote, case.documents if case else ())
        model = stored.model or "not known by whom"
        opinion = Opinion(
            unit, model, stored.model, str(stored.made_by.get("prompt", "")), "suggested", None,
            passages=(passage,) if passage else (), counts=False,
        )  # fmt: skip
        marks = tuple((passage.key, TextMark(*span, "quote")) for span in passage.spans) if passage else ()
        return Machines((opinion,), None, f"suggested: {model}", _badge(passage), marks)

    def stands(self, reader: sqlite3.Connection, unit: str) -> bool:
        """A suggested one always; an own one while somebody's adding of it stands."""
        return bool(reader.execute(f"SELECT EXISTS (SELECT 1 {_HERE} AND u.unit_id = ?)", (unit,)).fetchone()[0])

    def added(self, reader: sqlite3.Connection, beside: str, text: str, category: str) -> tuple[NewEvent, ...]:
        """A fact of a reviewer's own for the case of the suggestion ``beside``, which is kept.

        Raises ``ValueError`` without a text, for an unknown category, and for a fact that the case has.
        """
        words = text.strip()
        if not words:
            raise ValueError("A fact has no words yet.")
        if category not in [label.level for label in CATEGORY]:
            raise ValueError(
                f"{category!r} is not a category; there are {', '.join(label.level for label in CATEGORY)}."
            )
        case_id = load_unit(reader, beside).belongs_to
        if any(fact.text == words and fact.state != "discarded" for fact in case_facts(reader, case_id)):
            raise ValueError("The case has this fact already.")
        unit = own_fact_id(case_id, words, category)
        return (
            NewEvent("fact_add", unit, {"case": case_id, "text": words, "category": category}),
            # No machine has a say on it: what there is of them cannot have been seen.
            NewEvent("decide", unit, {"axis": self.axis, "label": "kept", "via": "digit", "exposure": _UNSEEN}),
        )

    def machine_ratings(self, reader: sqlite3.Connection) -> Iterator[Rating]:
        """None: a model that suggests a fact has not judged it."""
        return iter(())


def _place(reader: sqlite3.Connection, case_id: str, ordinal: int) -> int:
    """The number of a fact within its case, from 1; one that was taken back keeps its place."""
    query = "SELECT count(*) FROM unit WHERE kind = 'suggestion' AND belongs_to = ? AND ordinal <= ?"
    return int(reader.execute(query, (case_id, ordinal)).fetchone()[0])


def _located(quote: str, documents: Sequence[Document]) -> DocumentPassage | None:
    """Where a quotation stands: in the first document that has it, else missing from the first of all."""
    if not quote or not documents:
        return None
    from medreview.evidence.grounding import ground

    found = [(document, ground(quote, document.text)) for document in documents]
    document, grounding = next(((d, g) for d, g in found if g.status in PROVEN_QUOTES), found[0])
    return DocumentPassage(document.key, quote, grounding.status, grounding.spans)


def _badge(passage: DocumentPassage | None) -> str:
    return f"quote {passage.status}" if passage and passage.status in FALSE_QUOTES else ""


_COLUMNS: Final = (
    Column("unit", "text", "The suggested or added fact."),
    Column("case_id", "text", "Its case."),
    Column("own", "boolean", "1: a reviewer added it."),
    Column("state", "text", "open, kept, edited or discarded, by the label that counts."),
    Column("text", "text", "Its words as they stand."),
    Column("suggested", "text", "Its words as they were suggested or added."),
    Column("category", "text", "What it is about, as last said."),
    Column("reviewer", "text", "Whose label counts, or who added it.", made=lambda fact: fact.reviewer or None),
    Column("conflict", "boolean", "1: reviewers' labels or words differ and nobody settled it; the newest counts."),
    Column("model", "text", "Who suggested it; empty when nobody is known.", made=lambda fact: fact.model or None),
)  # fmt: skip
Suggestion.tables = (
    ExportFile("case_facts.csv", _COLUMNS, lambda reader: map(cells_of(_COLUMNS), case_facts(reader))),
)
