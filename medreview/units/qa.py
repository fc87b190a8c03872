"""A question with its answer, made from a passage: how relevant is it? (ClinIQLink; what is wrong with it, by flags)"""

import sqlite3
from collections.abc import Iterator
from types import MappingProxyType
from typing import Final

from medreview.labels import RELEVANCE
from medreview.units.about import about
from medreview.units.content_table import content_table
from medreview.units.kind import Cell, Headline, Rating, UnitKind
from medreview.units.opinions import given_quote, located, stored_opinions, stored_ratings
from medreview.units.qa_item import TYPES, QAItem, item_of
from medreview.units.stored import GROUPED_ROWS, StoredUnit, content_value, load_unit
from medreview.units.view import Machines, Part, UnitView


def _cells(stored: StoredUnit) -> tuple[Cell, ...]:
    item = item_of(stored.content)
    return (
        item.type,
        item.question,
        "\n".join(f"{letter}  {text}" for letter, text in item.options),
        "\n".join(item.answers),
        "\n".join(item.steps),
        item.wrong_answer,
        "\n".join(item.wrong_steps),
        item.flaw,
        item.passage,
        item.span.start if item.span else None,
        item.span.end if item.span else None,
    )


_COLUMNS: Final = (
    ("item_type", "text", "What kind of question it is."),
    ("question", "text", "The question."),
    ("options", "text", "The options with their letters, one a line."),
    ("answers", "text", "The answers, one a line; more than one of a list only."),
    ("steps", "text", "The steps of the reasoning, one a line."),
    ("wrong_answer", "text", "Of an inverse item, the wrong answer that is shown."),
    ("wrong_steps", "text", "Of an inverse item, the wrong reasoning, one step a line."),
    ("flaw", "text", "What is wrong with these."),
    ("passage_id", "text", "The passage that it was made from."),
    ("answer_start_cp", "integer", "Where the answer is said to stand in the passage: first code point."),
    ("answer_end_cp", "integer", "The end of that, half-open."),
)


_SHORT: Final = 40
"""Characters; options that are all so short stand beside each other, others one a line."""


class QA(UnitKind):
    """``qa:ID``. Its answer is what is judged, so that it is shown; where its writer found it is shown afterwards."""

    name = "qa"
    title = "QA items"
    noun = "QA item"
    about = "How relevant is it to general practice? Flag errors."
    headline = Headline("highly relevant", {"relevance": ("5",)})
    queue = "qa"
    axis = "relevance"
    levels = RELEVANCE
    rows = GROUPED_ROWS.format("qa")
    filters = MappingProxyType({"type": content_value("type")})
    tables = (content_table("qa", "qa_items.csv", _COLUMNS, _cells),)

    def load(self, reader: sqlite3.Connection, unit: str) -> UnitView:
        """The question, its options and answer, the reasoning; the passage beside."""
        stored = load_unit(reader, unit)
        item = item_of(stored.content)
        passage = about(reader, item.passage, "", _looked_for(item))
        return UnitView(
            unit=unit,
            kind=self.name,
            name=f"Q{stored.ordinal}",
            group=passage.title if passage else "",
            text=stored.text,
            text_sha256=stored.content_sha256,
            parts=tuple(_parts(item)),
            documents=(passage,) if passage else (),
            model=stored.model,
            origin=stored.origin,
            record_id=stored.record_id,
            missing="" if passage else "The passage did not come with this item.",
        )

    def machines(self, reader: sqlite3.Connection, unit: str) -> Machines:
        """Stored opinions, and where the writer of the item says that the answer stands."""
        stored = load_unit(reader, unit)
        item = item_of(stored.content)
        passage = about(reader, item.passage, "", "")
        found = stored_opinions(reader, unit, self.axis)
        if item.span and passage:
            quote = given_quote(stored.model, passage.text[item.span.start : item.span.end])
            found = found._replace(opinions=(*found.opinions, quote))
        return located(found, passage)

    def cluster(self, reader: sqlite3.Connection, unit: str) -> str:
        """The passage."""
        return load_unit(reader, unit).belongs_to or unit

    def machine_ratings(self, reader: sqlite3.Connection) -> Iterator[Rating]:
        """Stored labels of machines."""
        return stored_ratings(reader, self.name, self.axis)


def _parts(item: QAItem) -> Iterator[Part]:
    yield Part("question", item.question, main=True)
    options = [f"{letter}  {text}" for letter, text in item.options]
    if options:
        apart = "\n" if any(len(option) > _SHORT for option in options) else "  ·  "
        yield Part("options", apart.join(options), main=True)
    if item.answers:
        yield Part("answer", "  ·  ".join(map(item.lettered, item.answers)), main=True, tone="title")
    else:
        yield Part("answer", "none given: the reply expected names the flaw", main=True, tone="dim")
    if item.wrong_answer:
        yield Part("shown wrong", item.lettered(item.wrong_answer), main=True, tone="badge")
    if item.flaw:
        yield Part("flaw", item.flaw, main=True)
    yield Part("type", TYPES.get(item.type, item.type or "not said"), tone="dim")
    yield from (Part(f"step {number}", text) for number, text in enumerate(item.steps, 1))
    yield from (Part(f"wrong {number}", text, tone="badge") for number, text in enumerate(item.wrong_steps, 1))


def _looked_for(item: QAItem) -> str:
    """The words to look for in the passage: the answer's; of a statement to be called true or false, its own."""
    if item.type == "true_false":
        return item.question
    return "\n".join(item.answers) or item.wrong_answer
