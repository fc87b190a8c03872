"""A statement's place in its response: found word for word, or by the nearest sentence, and the context before it.

A model that splits a response puts the noun for "it" and leaves words out, so that its statement is not a part of the
response. Its content must be there all the same: its words in one sentence, but for those that it took from the
sentences just before, and every number.

The context is the introduction of its list, and what "it" refers to. The statement keeps its text and place; the
context is shown beside it.
"""

import re
import sqlite3
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from typing import Final

from medreview.citations.markers import Marker
from medreview.statements.blocks import Block, blocks
from medreview.statements.kinds import without_marks
from medreview.statements.marks import CitationIndex
from medreview.statements.sentences import sentence_spans
from medreview.text import Span, with_line_ends

_IGNORED: Final = frozenset("*_`\\")
_CLOSING: Final = frozenset(".,;:!?)")


class VerbatimText:
    """A response in which statements are found word by word; prepared when the first is looked for."""

    def __init__(self, response: str, markers: Sequence[Marker]) -> None:
        self._response, self._markers = response, markers

    @cached_property
    def _prepared(self) -> tuple[str, list[int]]:
        return _plain_with_offsets(self._response, self._markers)

    def find(self, statement: str) -> Span | None:
        """Where the response says a statement; ``None`` when it does not, or when the statement has no words."""
        wanted, _ = _plain_with_offsets(statement, ())
        wanted = wanted.strip().rstrip(".;:")
        text, at = self._prepared
        found = text.find(wanted) if wanted else -1
        return None if found < 0 else Span(at[found], at[found + len(wanted) - 1] + 1)


def _plain_with_offsets(text: str, markers: Sequence[Marker]) -> tuple[str, list[int]]:
    """The text in small letters without markers and emphasis, with single blanks, and the offset of each character."""
    marked = {offset for marker in markers for offset in range(marker.start, marker.end)}
    characters: list[str] = []
    at: list[int] = []
    for offset, character in enumerate(text):
        if offset in marked or character in _IGNORED:
            continue
        blank = character.isspace()
        if blank and (not characters or characters[-1] == " "):
            continue
        if character in _CLOSING and characters and characters[-1] == " ":
            characters.pop()
            at.pop()
        small = character.lower()
        characters.append(" " if blank else small if len(small) == 1 else character)
        at.append(offset)
    return "".join(characters), at


_LEAST_ALIKE: Final = 55
"""Least token set ratio (0 to 100) of a statement with the sentence alone."""
_LEAST_SHARE: Final = 0.7
"""Least share of a statement's words in the sentence and those before it."""
_BEFORE: Final = 3
"""Sentences before, in which a statement's noun may stand."""
_NEGATES: Final = re.compile(r"\b(?:not|no|never|without|neither|nor|cannot)\b|n['’]t\b", re.IGNORECASE)
_CLAUSES: Final = re.compile(
    r"[,;:()]|\b(?:and|but|or|while|whereas|although|because|which|who|that|if)\b", re.IGNORECASE
)
_WORD: Final = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+(?:['’-][^\W\d_]+)*")
_LITTLE: Final = re.compile(
    r"(?:an?|and|are|as|at|be|been|by|can|for|from|has|have|if|in|into|is|its?|of|on|or|that|the|their|them|there|these|they|this"
    r"|those|to|was|were|which|who|with)\Z"
)
_UNPLACED: Final = """
SELECT s.response_id, s.statement_id, s.text, r.text AS response
FROM statement_standing AS s JOIN response AS r USING (response_id)
WHERE s."start" IS NULL AND s.parts = '[]' ORDER BY s.response_id"""


class Sentences:
    """The sentences of a response, in which statements that have no place of their own are looked for."""

    def __init__(self, response: str) -> None:
        self._response = response

    @cached_property
    def _prepared(self) -> list[tuple[Span, list[str]]]:
        """Each sentence with its words; made when the first statement is looked for."""
        spans = sentence_spans(self._response)
        return [(span, _words(self._response[span.start : span.end])) for span in spans]

    def find(self, statement: str) -> Span | None:
        """The sentence that says a statement; ``None`` when none does."""
        from rapidfuzz import fuzz

        wanted = _words(statement)
        if not wanted:
            return None
        numbers = {word for word in wanted if word[0].isdigit()}
        said = " ".join(wanted)
        best: tuple[float, Span] | None = None
        for at, (span, words) in enumerate(self._prepared):
            alone = fuzz.token_set_ratio(said, " ".join(words))
            if alone < _LEAST_ALIKE or (best and alone <= best[0]) or self._negates_otherwise(statement, span):
                continue
            around = [word for _, each in self._prepared[max(0, at - _BEFORE) : at + 1] for word in each]
            if numbers <= set(around) and _share(wanted, around) >= _LEAST_SHARE:
                best = alone, span
        return best[1] if best else None

    def _negates_otherwise(self, statement: str, span: Span) -> bool:
        """Whether one of a statement and a sentence says no; of a sentence of several clauses nobody can tell which."""
        sentence = self._response[span.start : span.end]
        if _NEGATES.search(statement):
            return not _NEGATES.search(sentence)
        return bool(_NEGATES.search(sentence)) and not _CLAUSES.search(sentence)


def said_nowhere(reader: sqlite3.Connection) -> frozenset[str]:
    """The ids of the statements that are not in their response, not even in other words."""
    found: list[str] = []
    for _, group in groupby(reader.execute(_UNPLACED), itemgetter("response_id")):
        rows = list(group)
        sentences = Sentences(rows[0]["response"])
        found += [row["statement_id"] for row in rows if sentences.find(row["text"]) is None]
    return frozenset(found)


def _words(text: str) -> list[str]:
    """The words that say something, and the numbers, in small letters."""
    return [word for word in (found.casefold() for found in _WORD.findall(text)) if not _LITTLE.match(word)]


def _share(wanted: Sequence[str], there: Sequence[str]) -> float:
    """The share of words that stand there, too, in whatever inflection."""
    from rapidfuzz import fuzz, process

    known = set(there)
    near = sum(
        word in known or bool(len(word) > 4 and process.extractOne(word, known, scorer=fuzz.ratio, score_cutoff=80))
        for word in wanted
    )
    return near / len(wanted)


_PRONOUN: Final = re.compile(
    r"[\W_]*(?:it|its|it['’]s|they|their|this|these|those|he|she|his|her|such|both|neither|the\s(?:latter|former|same))\b",
    re.IGNORECASE,
)
_IT_IS_THAT: Final = re.compile(
    r"""[\W_]*it(?:['’]s|\s(?:is|was|may\sbe|can\sbe|should\sbe|seems|remains))\s(?:\w+ly\s|not\s|very\s|also\s)?
      (?:\w+\sthat|(?:advisable|best|better|common|critical|crucial|difficult|easy|essential|good|helpful|important|necessary
        |normal|possible|prudent|rare|reasonable|recommended|safe|sensible|unclear|unusual|useful|vital|wise)
        \s(?:to|for|if|whether))\b""",
    re.IGNORECASE | re.VERBOSE,
)
"""Here "it" refers to nothing before: "It is important to ..."."""
_MOST_BACK: Final = 4
_EMPHASIS: Final = re.compile(r"\*\*|__|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)|^#{1,6}\s+|\s*\|\s*\Z|\A\s*\|\s*")


class Contexts:
    """What stands before the statements of one response."""

    def __init__(self, response: str) -> None:
        self._text = with_line_ends(response)
        self._blocks = blocks(self._text, CitationIndex(self._text, ()))

    def of(self, place: Span) -> str:
        """What a statement that begins at a place needs: the introduction, then what it refers to; or ``""``."""
        at = next((n for n, block in enumerate(self._blocks) if block.start <= place.start < block.end), None)
        if at is None:
            return ""
        parts = [*self._introductions(at)][::-1]
        if (meant := self._meant(at, place)) is not None:
            parts.append(meant)
        return " ".join(dict.fromkeys(filter(None, map(_plain, parts))))

    def _introductions(self, at: int) -> Iterator[str]:
        """From the nearest on: the items that an item stands below, what leads into its list; a table's head."""
        block = self._blocks[at]
        if block.shape not in ("item", "row"):
            return
        indent = block.indent
        for before in reversed(self._blocks[:at]):
            if before.shape == "item" and block.shape == "item":
                if before.indent < indent:
                    indent = before.indent
                    yield self._last_sentence(before)
            elif before.shape == "heading":
                yield self._text[before.start : before.end]
                return
            elif before.shape != block.shape:
                lead = self._last_sentence(before)
                if before.shape == "prose" and lead.rstrip("*_ ").endswith((":", "：")):
                    yield lead
                return

    def _last_sentence(self, block: Block) -> str:
        *_, last = sentence_spans(self._text, block.start, block.end)
        return self._text[last.start : last.end]

    def _meant(self, at: int, place: Span) -> str | None:
        """The last sentence before a place that begins with no pronoun, where the one there does."""
        block = self._blocks[at]
        ends = (place.start, block.end)
        if not _PRONOUN.match(self._text, *ends) or _IT_IS_THAT.match(self._text, *ends):
            return None
        earlier = [block]
        if block.shape == "prose" and at and self._blocks[at - 1].shape == "prose":
            earlier.insert(0, self._blocks[at - 1])
        sentences = [span for one in earlier for span in sentence_spans(self._text, one.start, one.end)]
        for span in [span for span in sentences if span.end <= place.start][: -_MOST_BACK - 1 : -1]:
            if not _PRONOUN.match(self._text, span.start, span.end):
                return self._text[span.start : span.end]
        return None


def _plain(text: str) -> str:
    return " ".join(_EMPHASIS.sub("", without_marks(text).strip()).split()).replace(" .", ".")
