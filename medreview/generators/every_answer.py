"""What no answer to a generator's prompt may be, whatever its task: asked of each before the task's own validator.

Codes:

- ``empty``: it has texts, and nothing stands in any of them;
- ``placeholder``: a field holds its own name, ``string``, ``...``, ``<text>``;
- ``copy_of_prompt``: a field holds words of the prompt's own text, such as those of an example in it;
- ``copy_of_input``: every field is one of the given texts, or one holds a whole long text;
- ``other_language``: it is in another language than the given texts;
- ``instructions``: it speaks to a model, or quotes what stands among instructions to one in a given text;
- ``repeated_items``: a list holds one item again and again.

Fields with an ``enum`` are left alone: their values are those of the schema.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from medreview.evidence.grounding import QuoteIndex, ground
from medreview.evidence.language import language_of, languages_in
from medreview.judges.injection import among_instructions, quotes_instructions
from medreview.labels import PROVEN_QUOTES

_WORD: Final = re.compile(r"\w+")
_SCHEMA: Final = re.compile(r"```json schema\n.*?\n```", re.DOTALL)
_NO_VALUE: Final = re.compile(r"\W*|<[^<>]*>|\{[^{}]*\}|\[[a-z _]+\]|string|text|example|placeholder", re.IGNORECASE)
_OF_PROMPT: Final = 4
"""Words in a row from which on a field repeats the prompt."""
_LONG_INPUT: Final = 60
"""Words of a text that no single field holds as a whole."""
_LOOP: Final = 3
"""How often the items of a list come on average, from which on a model went round in a circle."""
_ADDRESS: Final = re.compile(r"\s*[a-z]+://\S*\s*", re.IGNORECASE)
_FENCE: Final = re.compile(r"<<<(?:end of )?\w+ [0-9a-f]{16}")


def codes_of(
    value: Mapping[str, Any],
    schema: Mapping[str, Any],
    prompt_text: str,
    texts: Mapping[str, str],
    headings: Sequence[str] = (),
) -> tuple[str, ...]:
    """The codes of a value that satisfies its schema, sorted; none: nothing speaks against it.

    ``prompt_text`` is the prompt with its placeholders, ``texts`` are what was put into them. Fields
    of ``headings`` may hold their own name: "Problem" is a heading.
    """
    every = list(_fields(value, schema))
    fields = [(name, text) for name, text in every if text.strip()]
    given = [text for text in texts.values() if text.strip()]
    told = [text for _, text in fields]
    found = {
        "empty": bool(every) and not fields,
        "placeholder": any(name not in headings and _is_placeholder(name, text) for name, text in fields),
        "copy_of_prompt": any(_repeats(text, prompt_text, given) for text in told),
        "copy_of_input": _copies(told, given),
        "other_language": _in_another_language(told, given),
        "instructions": any(_obeys(text, given) for text in told),
        "repeated_items": _repeats_items(value),
    }
    return tuple(sorted(code for code, holds in found.items() if holds))


def _fields(value: Any, schema: Mapping[str, Any], name: str = "") -> Iterator[tuple[str, str]]:
    """The name and text of every field that is not one of a list of words, at any depth."""
    if isinstance(value, str):
        if "enum" not in schema:
            yield name, value
    elif isinstance(value, Mapping):
        for key, of_field in schema.get("properties", {}).items():
            yield from _fields(value.get(key), of_field, key)
    elif isinstance(value, Sequence):
        for one in value:
            yield from _fields(one, schema.get("items", {}), name)


def _words(text: str) -> str:
    """The words of a text, each between two blanks."""
    return f" {' '.join(_WORD.findall(text.casefold()))} "


def _is_placeholder(name: str, text: str) -> bool:
    return _words(text) == _words(name.replace("_", " ")) or _NO_VALUE.fullmatch(text.strip()) is not None


def _repeats(text: str, prompt_text: str, given: Sequence[str]) -> bool:
    words = _words(text)
    if len(words.split()) < _OF_PROMPT or words not in _own_words(prompt_text):
        return False
    return not any(words in _words(one) for one in given)


@lru_cache(maxsize=32)
def _own_words(prompt_text: str) -> str:
    return _words(_SCHEMA.sub(" ", prompt_text))


def _copies(told: Sequence[str], given: Sequence[str]) -> bool:
    inputs = {_words(text) for text in given}
    copies = [words for text in told if not _ADDRESS.fullmatch(text) and (words := _words(text)).strip()]
    whole = [text for text in inputs if len(text.split()) >= _LONG_INPUT]
    return bool(copies) and (
        all(words in inputs for words in copies) or any(text in words for words in copies for text in whole)
    )


def _in_another_language(told: Sequence[str], given: Sequence[str]) -> bool:
    """By each field and by all together; what is quoted from a given text is in its language."""
    known = frozenset[str]().union(*map(languages_in, given))
    own = [text for text in told if not any(text in one for one in given)]
    return bool(known) and any(language_of(text) not in {"", *known} for text in (*own, "\n".join(own)))


def _obeys(text: str, given: Sequence[str]) -> bool:
    if _FENCE.search(text) or quotes_instructions(text):
        return True
    return any(_dictated(text, one) for one in given if _speaks_to_a_model(one))


@lru_cache(maxsize=256)
def _speaks_to_a_model(text: str) -> bool:
    return quotes_instructions(text)


def _dictated(quote: str, text: str) -> bool:
    """Whether a quotation stands in a text only among instructions."""
    found = ground(quote, QuoteIndex(text))
    return (
        found.status in PROVEN_QUOTES and bool(found.spans) and all(among_instructions(text, at) for at in found.spans)
    )


def _repeats_items(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(map(_repeats_items, value.values()))
    if not isinstance(value, Sequence) or isinstance(value, str):
        return False
    items = [" ".join(json.dumps(item, sort_keys=True, ensure_ascii=False).casefold().split()) for item in value]
    different = len(set(items))
    return (len(items) > 1 and (different == 1 or _LOOP * different <= len(items))) or any(map(_repeats_items, value))
