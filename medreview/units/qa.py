"""A question with its answer, made from a passage: its parts, what its type asks of it, and how relevant it is.

As in ClinIQLink; what is wrong with it is said by flags.
"""

import json
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from operator import itemgetter
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from medreview.exchange.files.columns import Cell
from medreview.labels import FLAG_AXES, RELEVANCE
from medreview.text import Span
from medreview.units.documents import about
from medreview.units.kind import CardPart, Headline, Machines, UnitKind, UnitView
from medreview.units.stored import (
    GROUPED_ROWS,
    content_column,
    content_table,
    content_value,
    load_unit,
    opinions_beside,
)

TYPES: Final[Mapping[str, str]] = {
    "true_false": "true or false",
    "list": "list",
    "multiple_choice": "multiple choice",
    "short": "short answer",
    "short_inverse": "short answer, inverse",
    "multi_hop": "several steps",
    "multi_hop_inverse": "several steps, inverse",
}
"""The seven types of an item, as stored, and as the screen says them. An inverse item shows a wrong answer; whoever is
asked has to name its flaw."""

MOST_WORDS: Final = 40
"""Of a short answer."""
_CHOICES: Final = (4, 5)
"""How many options a multiple-choice question may have."""
_ALL_OF: Final = re.compile(r"\b(?:all|none|both|any)\s+(?:of\s+)?(?:the\s+)?(?:above|these|them)\b")


@dataclass(frozen=True, slots=True)
class QAItem:
    """``options`` with their letters, ``answers`` as texts, one but for a list; ``steps``: the reasoning.

    ``wrong_answer``, ``wrong_steps`` and ``flaw`` (what is wrong with them) are of the inverse types. ``passage``: its
    id, ``""`` when the text did not come; ``span``: where in it the answer is said to stand, if that was given.
    """

    type: str
    question: str
    options: tuple[tuple[str, str], ...] = ()
    answers: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    wrong_answer: str = ""
    wrong_steps: tuple[str, ...] = ()
    flaw: str = ""
    passage: str = ""
    span: Span | None = None

    @property
    def inverse(self) -> bool:
        """Whether a wrong answer is shown."""
        return self.type.endswith("_inverse")

    def lettered(self, answer: str) -> str:
        """An answer with the letter of its option, if it is one."""
        letter = next((letter for letter, text in self.options if folded(text) == folded(answer)), "")
        return f"{letter}  {answer}" if letter else answer

    def content(self) -> dict[str, Any]:
        """As the table ``unit`` holds it."""
        return asdict(self)


def item_of(content: Mapping[str, Any]) -> QAItem:
    """The item that a unit's content is."""
    return QAItem(
        type=content["type"],
        question=content["question"],
        options=tuple((letter, text) for letter, text in content["options"]),
        answers=tuple(content["answers"]),
        steps=tuple(content["steps"]),
        wrong_answer=content["wrong_answer"],
        wrong_steps=tuple(content["wrong_steps"]),
        flaw=content["flaw"],
        passage=content["passage"],
        span=Span(*content["span"]) if content["span"] else None,
    )


def folded(text: str) -> str:
    """A text for comparison with another: without case, punctuation at its ends and doubled blanks."""
    return " ".join(text.casefold().split()).strip(" .,;:!?")


def with_letters(texts: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Options with the letters A, B, C ..."""
    return tuple((chr(ord("A") + number % 26), text) for number, text in enumerate(texts))


def spelled(answer: str, options: tuple[tuple[str, str], ...]) -> str:
    """The text of the option that a letter names; any other answer as it stands."""
    if folded(answer) in [folded(text) for _, text in options]:
        return answer
    return next((text for letter, text in options if folded(letter) == folded(answer)), answer)


class Fault(NamedTuple):
    """What an item lacks: a word for counts, and half a sentence (``has the same option twice``)."""

    code: str
    words: str


def faults(item: QAItem) -> Iterator[Fault]:
    """What an item lacks by the rules of its type."""
    if item.type not in TYPES:
        words = f"has {item.type!r} as its type, which is not one of {', '.join(TYPES)}" if item.type else "has no type"
        yield Fault("unknown_type", words)
    yield from _options(item)
    match item.type:
        case "true_false":
            if len(item.answers) != 1 or folded(item.answers[0]) not in ("true", "false"):
                yield Fault("neither_true_nor_false", "is a true-false item whose answer is not one of true and false")
        case "list":
            if len(item.options) < _CHOICES[0] or not 2 <= len(item.answers) < len(item.options):
                words = "is a list without four options, or whose answers are fewer than two or all of the options"
                yield Fault("list_shape", words)
        case "multiple_choice":
            if len(item.options) not in _CHOICES or len(item.answers) != 1:
                words = "is a multiple-choice item without four or five options, or without exactly one answer"
                yield Fault("choice_shape", words)
        case "short" | "short_inverse":
            if any(len(answer.split()) > MOST_WORDS for answer in item.answers):
                yield Fault("answer_length", f"has a short answer of more than {MOST_WORDS} words")
        case "multi_hop" | "multi_hop_inverse":
            if len(item.wrong_steps if item.inverse and not item.steps else item.steps) < 2:
                yield Fault("few_steps", "is an item of several steps with fewer than two")
    if item.inverse:
        missing = [name for name, value in (("wrong answer", item.wrong_answer), ("flaw", item.flaw)) if not value]
        if missing:
            yield Fault("inverse_incomplete", f"is an inverse item without its {' and its '.join(missing)}")
        if item.wrong_answer and folded(item.wrong_answer) in map(folded, item.answers):
            yield Fault("wrong_answer_is_right", "has the same text as its answer and as its wrong answer")
    question = folded(item.question)
    if any(len(answer) > 3 and folded(answer) in question for answer in item.answers if item.type != "true_false"):
        yield Fault("answer_in_question", "has its answer in its question")
    if not item.passage:
        yield Fault("no_passage", "has no passage to be compared with")


def _options(item: QAItem) -> Iterator[Fault]:
    texts = [folded(text) for _, text in item.options]
    if len(set(texts)) < len(texts):
        yield Fault("option_twice", "has the same option twice")
    if any(_ALL_OF.search(text) for text in texts):
        yield Fault("option_all_of_these", "has an option such as “all of the above”")
    if texts and (strange := [answer for answer in item.answers if folded(answer) not in texts]):
        yield Fault("answer_no_option", f"has an answer that is not one of its options ({strange[0][:40]})")


def _lines(name: str) -> Callable[[Mapping[str, Any]], Cell]:
    return lambda content: "\n".join(content[name])


_COLUMNS: Final = (
    content_column("item_type", "text", "What kind of question it is.", itemgetter("type")),
    content_column("question", "text", "The question."),
    content_column("options", "text", "The options with their letters, one a line.",
                   lambda content: "\n".join(map("  ".join, content["options"]))),
    content_column("answers", "text", "The answers, one a line; more than one of a list only.", _lines("answers")),
    content_column("steps", "text", "The steps of the reasoning, one a line.", _lines("steps")),
    content_column("wrong_answer", "text", "Of an inverse item, the wrong answer that is shown."),
    content_column("wrong_steps", "text", "Of an inverse item, the wrong reasoning, one step a line.",
                   _lines("wrong_steps")),
    content_column("flaw", "text", "What is wrong with these."),
    content_column("passage_id", "text", "The passage that it was made from.", itemgetter("passage")),
    content_column("answer_start_cp", "integer", "Where the answer is said to stand in the passage: first code point.",
                   lambda content: content["span"][0] if content["span"] else None),
    content_column("answer_end_cp", "integer", "The end of that, half-open.",
                   lambda content: content["span"][1] if content["span"] else None),
)  # fmt: skip


_SHORT: Final = 40
"""Characters; options that are all so short stand beside each other, others one a line."""


def item_name(ordinal: int) -> str:
    """What the screen calls an item."""
    return f"Q{ordinal}"


def items_of(reader: sqlite3.Connection) -> dict[str, tuple[str, QAItem]]:
    """Every item of a study by its unit, in order, each with its name on the screen."""
    rows = reader.execute("SELECT unit_id, ordinal, content FROM unit WHERE kind = 'qa' ORDER BY ordinal")
    return {unit: (item_name(ordinal), item_of(json.loads(content))) for unit, ordinal, content in rows}


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
    flags = FLAG_AXES
    rows = GROUPED_ROWS.format("qa")
    filters = MappingProxyType({"type": content_value("type")})
    tables = (content_table("qa", "qa_items.csv", _COLUMNS),)

    def load(self, reader: sqlite3.Connection, unit: str) -> UnitView:
        """The question, its options and answer, the reasoning; the passage beside."""
        stored = load_unit(reader, unit)
        item = item_of(stored.content)
        passage = about(reader, item.passage, "", _looked_for(item))
        name, parts = item_name(stored.ordinal), _parts(item)
        if passage is None:
            return stored.view(name, parts, (), missing="The passage did not come with this item.")
        return stored.view(name, parts, (passage,), group=passage.title)

    def machines(self, reader: sqlite3.Connection, unit: str) -> Machines:
        """Stored opinions, and where the writer of the item says that the answer stands."""
        stored = load_unit(reader, unit)
        item = item_of(stored.content)
        passage = about(reader, item.passage, "", "")
        quote = passage.text[item.span.start : item.span.end] if item.span and passage else ""
        return opinions_beside(reader, stored, self.axis, passage, quote)


def _parts(item: QAItem) -> Iterator[CardPart]:
    yield CardPart("question", item.question, main=True)
    options = [f"{letter}  {text}" for letter, text in item.options]
    if options:
        apart = "\n" if any(len(option) > _SHORT for option in options) else "  ·  "
        yield CardPart("options", apart.join(options), main=True)
    if item.answers:
        yield CardPart("answer", "  ·  ".join(map(item.lettered, item.answers)), main=True, tone="title")
    else:
        yield CardPart("answer", "none given: the reply expected names the flaw", main=True, tone="dim")
    if item.wrong_answer:
        yield CardPart("shown wrong", item.lettered(item.wrong_answer), main=True, tone="badge")
    if item.flaw:
        yield CardPart("flaw", item.flaw, main=True)
    yield CardPart("type", TYPES.get(item.type, item.type or "not said"), tone="dim")
    yield from (CardPart(f"step {number}", text) for number, text in enumerate(item.steps, 1))
    yield from (CardPart(f"wrong {number}", text, tone="badge") for number, text in enumerate(item.wrong_steps, 1))


def _looked_for(item: QAItem) -> str:
    """The words to look for in the passage: the answer's; of a statement to be called true or false, its own."""
    if item.type == "true_false":
        return item.question
    return "\n".join(item.answers) or item.wrong_answer
