"""Whether a question that a model made of a text can be asked, and the text answers it."""

import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from medreview.generators.ask import Checked
from medreview.generators.checks import grounded, numbers_missing, points_at_its_text, quote_codes, words
from medreview.text import Span

_WORDS: Final = (5, 60)
"""How many words a question has, at least and at most."""
_LONGEST_ANSWER: Final = 40
"""Words of the answer."""
_PIECE: Final = re.compile(r"\w+")
NOTHING: Final = "empty"
_NO_GIVEAWAY: Final = frozenset({"yes", "no"})


class MadeQuestion(NamedTuple):
    """A valid question with its answer, the quote that holds it, and where that stands in the text."""

    question: str
    answer: str
    quote: str
    place: Span


def check_question(value: Mapping[str, Any], text: str) -> Checked:
    """A question, its answer and quote against the text that it was made from.

    Codes: ``empty`` (all three are: the model found nothing to ask about), ``no_question_mark``, ``question_length``
    (5 to 60 words), ``points_at_text``, ``no_answer``, ``answer_length`` (40 words), ``answer_in_question``,
    ``copy_of_text``, ``no_quote``, ``quote_altered``, ``quote_absent``, ``number_not_in_quote``.
    """
    question, answer = (" ".join(str(value[name]).split()) for name in ("question", "answer"))
    quote = str(value["quote"]).strip()
    if not (question or answer or quote):
        return Checked((NOTHING,))
    codes = []
    if not question.endswith("?"):
        codes.append("no_question_mark")
    if not _WORDS[0] <= words(question) <= _WORDS[1]:
        codes.append("question_length")
    if points_at_its_text(question):
        codes.append("points_at_text")
    codes += _answer_codes(answer, question, text)
    codes += quote_codes(quote, text)
    if numbers_missing(answer, quote):
        codes.append("number_not_in_quote")
    if codes:
        return Checked(tuple(codes))
    return Checked((), MadeQuestion(question, answer, quote, grounded(quote, text).spans[0]))


def _answer_codes(answer: str, question: str, text: str) -> tuple[str, ...]:
    if not answer:
        return ("no_answer",)
    if words(answer) > _LONGEST_ANSWER:
        return ("answer_length",)
    if _pieces(answer) == _pieces(text):
        return ("copy_of_text",)
    return ("answer_in_question",) if _gives_away(answer, question) else ()


def _gives_away(answer: str, question: str) -> bool:
    """Whether the answer stands in the question word for word; a yes or no can stand in any."""
    wanted, there = _pieces(answer), _pieces(question)
    if not wanted or (len(wanted) == 1 and wanted[0] in _NO_GIVEAWAY):
        return False
    return any(there[at : at + len(wanted)] == wanted for at in range(len(there)))


def _pieces(text: str) -> list[str]:
    return _PIECE.findall(text.casefold())
