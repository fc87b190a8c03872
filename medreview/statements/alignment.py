"""Where an answer says what a reworded statement says: the sentence that is nearest to it, or nowhere.

A model that splits a response puts the noun for "it" and leaves words out, so that its statement is no stretch of the
response. What it says must be there all the same: its words in one sentence, but for those that it took from the
sentences just before, and every number.
"""

import re
import sqlite3
from collections.abc import Sequence
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from typing import Final

from medreview.statements.sentences import sentence_spans
from medreview.text import Span

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
