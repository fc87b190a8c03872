"""How probable each label of an answer was, by the log probabilities that a server gives of the answer's tokens.

One rule. The answer is read as its tokens spell it; the label is the text after the last ``"label":``. From the token
in which the label's word begins, the alternatives that the server lists are held against the words of the schema: one
that can only begin one word adds its probability to that label. Where the token that was written can begin several
words (``not`` of ``not_addressed`` and ``not_supported``), the next token decides, and counts by the product of both.
What begins no word, and an alternative that is not written and begins several, is left out; the rest is scaled to a sum
of 1.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final, NamedTuple

_LABEL: Final = re.compile(r'"label"\s*:\s*"')
_MOST_TOKENS: Final = 200_000
_MOST_ALTERNATIVES: Final = 50


class _AnswerToken(NamedTuple):
    text: str
    probability: float
    others: Sequence[tuple[str, float]]


def label_probabilities(data: Any, schema: Mapping[str, Any]) -> dict[str, float]:
    """The probability of each label, summing to 1, of a chat completion (decoded JSON); empty where the schema has no
    label of a few words, or the server lists no alternatives for it. Never raises."""
    words = _words(schema)
    tokens = list(islice(_tokens(data), _MOST_TOKENS)) if words else []
    whole = "".join(token.text for token in tokens)
    begins = [found.end() for found in _LABEL.finditer(whole)]
    if not begins:
        return {}
    found: dict[str, float] = {}
    path, written, end = 1.0, "", 0
    for token in tokens:
        start, end = end, end + len(token.text)
        if end <= begins[-1]:
            continue
        before = token.text[: max(0, begins[-1] - start)]
        for text, probability in token.others:
            if text != token.text and text.startswith(before):
                could_be = _begun(words, written + text[len(before) :])
                if len(could_be) == 1:
                    _add(found, could_be[0], path * probability)
        written += token.text[len(before) :]
        could_be = _begun(words, written)
        path *= token.probability
        if len(could_be) < 2:
            if could_be:
                _add(found, could_be[0], path)
            break
    total = math.fsum(found.values())
    has_alternatives = any(token.others for token in tokens)
    return {word: value / total for word, value in found.items()} if total > 0 and has_alternatives else {}


def _words(schema: Mapping[str, Any]) -> list[str]:
    label = schema.get("properties", {}).get("label", {})
    return [word for word in label.get("enum", ()) if isinstance(word, str)] if isinstance(label, Mapping) else []


def _begun(words: Sequence[str], text: str) -> list[str]:
    """The words that a text may be the beginning of: a part of one, or all of it and what comes after its quotation
    mark."""
    said, ended, _ = text.partition('"')
    told = _folded(said)
    return [word for word in words if (_folded(word) == told if ended else told and _folded(word).startswith(told))]


def _folded(word: str) -> str:
    return re.sub(r"[\s_-]", "_", word.casefold())


def _add(found: dict[str, float], word: str, probability: float) -> None:
    found[word] = found.get(word, 0.0) + probability


def _tokens(data: Any) -> Iterator[_AnswerToken]:
    """The tokens of the first choice, as OpenAI's protocol has them; stops at the first that is none."""
    choices = data.get("choices") if isinstance(data, dict) else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    told = choice.get("logprobs") if isinstance(choice, dict) else None
    content = told.get("content") if isinstance(told, dict) else None
    for one in content if isinstance(content, list) else ():
        read = _read(one)
        if read is None:
            return
        listed = one.get("top_logprobs")
        others = [_read(other) for other in (listed if isinstance(listed, list) else ())[:_MOST_ALTERNATIVES]]
        yield _AnswerToken(*read, [other for other in others if other is not None])


def _read(token: Any) -> tuple[str, float] | None:
    text, log = (token.get("token"), token.get("logprob")) if isinstance(token, dict) else (None, None)
    if not isinstance(text, str) or isinstance(log, bool) or not isinstance(log, int | float) or not log <= 0:
        return None
    return text, math.exp(log)
