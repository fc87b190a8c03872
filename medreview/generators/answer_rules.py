"""What no answer to a generator's prompt may be, and rules that validators of several generators share.

Codes that are asked of each answer, whatever its task, before the task's own validator:

- ``empty``: it has texts, and nothing stands in any of them;
- ``placeholder``: a field holds its own name, ``string``, ``...``, ``<text>``;
- ``copy_of_prompt``: a field holds words of the prompt's own text, such as those of an example in it;
- ``copy_of_input``: every field is one of the given texts, or one holds a whole long text;
- ``other_language``: it is in another language than the given texts;
- ``instructions``: it speaks to a model, or quotes what stands among instructions to one in a given text;
- ``repeated_items``: a list holds one item again and again.

Fields with an ``enum`` are left alone: their values are those of the schema.

Whether two places of one answer clash (:func:`clash`): amounts of the same thing that differ, a no or an advice against
in one of two places that speak of the same, and words of opposite meaning (this list and those of
``medreview.evidence``). Contradictions that need knowledge (a drug of one class and advice against the class) are taken
for no clash, so that an answer with such a contradiction is asked for again.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from math import isclose
from typing import Any, Final

from medreview.evidence.clash import agrees, comparable
from medreview.evidence.clashes import clashes
from medreview.evidence.grounding import Grounding, QuoteIndex, ground
from medreview.evidence.language import language_of, languages_in
from medreview.evidence.lexicon import OPPOSITES, POSSIBLE, REQUIRED, is_negation
from medreview.evidence.quantities import Quantity, quantities
from medreview.evidence.segment import segment
from medreview.evidence.sentence_analysis import SentenceAnalysis, analyse
from medreview.judges.injection import among_instructions, quotes_instructions
from medreview.labels import PROVEN_QUOTES, SAME_WORDS
from medreview.text import Span, word_set

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
    written = [text for _, text in fields]
    found = {
        "empty": bool(every) and not fields,
        "placeholder": any(name not in headings and _is_placeholder(name, text) for name, text in fields),
        "copy_of_prompt": any(_repeats(text, prompt_text, given) for text in written),
        "copy_of_input": _copies(written, given),
        "other_language": _in_another_language(written, given),
        "instructions": any(_obeys(text, given) for text in written),
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


def _copies(written: Sequence[str], given: Sequence[str]) -> bool:
    inputs = {_words(text) for text in given}
    copies = [words for text in written if not _ADDRESS.fullmatch(text) and (words := _words(text)).strip()]
    whole = [text for text in inputs if len(text.split()) >= _LONG_INPUT]
    return bool(copies) and (
        all(words in inputs for words in copies) or any(text in words for words in copies for text in whole)
    )


def _in_another_language(written: Sequence[str], given: Sequence[str]) -> bool:
    """By each field and by all together; what is quoted from a given text is in its language."""
    known = frozenset[str]().union(*map(languages_in, given))
    own = [text for text in written if not any(text in one for one in given)]
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


_DEIXIS: Final = re.compile(
    r"\b(?:according to|(?:information|details|data) (?:given|provided|above)|(?:mentioned|described) (?:above|here|in)"
    r"|the (?:passage|text|paragraph|article|excerpt|document|authors?|above|given (?:text|passage))"
    r"|this (?:passage|text|paragraph|article|document|study|page))\b",
    re.IGNORECASE,
)


def quote_codes(quote: str, text: str) -> tuple[str, ...]:
    """Why a quote does not prove that a text says something: ``no_quote``, ``quote_altered``, ``quote_absent``."""
    if not quote.strip():
        return ("no_quote",)
    found = grounded(quote, text)
    if found.status in SAME_WORDS:
        return ()
    return ("quote_altered",) if found.status in ("near", "altered") else ("quote_absent",)


def grounded(quote: str, text: str) -> Grounding:
    """Where a quote stands in a text, and how true to it."""
    return ground(quote, text)


def numbers_missing(claim: str, source: str) -> list[str]:
    """The numbers of a claim that a source does not have with the same value and unit, as they are written.

    A number without a unit is there when any number of the source is written so; one by a further unit (1,000 mg a day)
    also where the source has it without (1,000 mg). A bound (at most 4) is there where the number is, unless that is
    one to the other side.
    """
    there = quantities(source)
    return [claim[one.start : one.end] for one in quantities(claim) if not any(_is_there(one, it) for it in there)]


def _is_there(claimed: Quantity, there: Quantity) -> bool:
    sides = {sign[0] for sign in (claimed.sign, there.sign)}
    if {"<", ">"} <= sides:
        return False
    if claimed.equals(there):
        return True
    if claimed.unit and (claimed.unit == there.unit or claimed.unit.split("/")[0] != there.unit.split("/")[0]):
        return False
    return isclose(claimed.number, there.number) and isclose(claimed.high * there.low, there.high * claimed.low)


def points_at_its_text(text: str) -> bool:
    """Whether a question speaks of a text that whoever is asked does not see (``according to the passage``)."""
    return _DEIXIS.search(text) is not None


def words(text: str) -> int:
    """The number of words, by white space."""
    return len(text.split())


_CONTRARY: Final = tuple(
    tuple(word_set(side) for side in pair.split("|"))
    for pair in (
        "start starts begin begins continue continued | stop stops discontinue discontinued",
        "immediately soon promptly early first | wait waits delay delays delayed later last",
        "before | after",
        "with | without",
        "always every each any must | never rarely seldom sometimes unless",
        "safe harmless fine freely | dangerous unsafe harmful risky fatal forbidden",
        "common often usually most | rare uncommon seldom unusual rarely",
        "empty fasting fasted | full food meal meals breakfast",
        "cold cool | hot warm",
        "inside fridge refrigerated | outside",
        "night evening bedtime | morning",
        "plenty freely | restrict limit limited restricted",
        "virus viruses viral | bacteria bacterial bacterium",
        "yes | no",
        "same | other different",
        "whole | crushed crush chewed chew broken split halved",
    )
)
_AGAINST: Final = word_set("avoid avoids avoided contraindicated forbidden banned")
_CLAUSES: Final = re.compile(r"[.;:!?()]|\b(?:but|however|although|whereas|while)\b", re.IGNORECASE)
_CONDITIONS: Final = word_set("if unless when whenever until")
_AT_ONCE: Final = re.compile(r"\b(?:at once|straight away|right away|as soon as possible)\b", re.IGNORECASE)
_HOURS: Final = {"h": 1.0, "month": 730.5}
"""Times are of two units, since a month has no fixed number of days."""


def clash(one: str, other: str) -> bool:
    """Whether two pieces of an answer clash, as far as rules can tell."""
    if clashes(one, other) or clashes(other, one):
        return True
    first, second = (analyse(_AT_ONCE.sub("immediately", text)) for text in (one, other))
    if _amounts(first, second):
        return True
    if not first.content & second.content:
        return False
    return _denies(one, other) or _denies(other, one) or _opposed(first, second)


def any_clash(text: str, spans: list[Span]) -> bool:
    """Whether two of some places of a text clash, or the sentences that they stand in."""
    sentences = [Span(*passage[:2]) for passage in segment(text)]

    def sentence(span: Span) -> str:
        around = [found for found in sentences if found.overlap(span)]
        return text[around[0].start : around[-1].end] if around else text[span.start : span.end]

    for at, one in enumerate(spans):
        for other in spans[at + 1 :]:
            if one.overlap(other):
                continue
            if clash(text[one.start : one.end], text[other.start : other.end]):
                return True
            if sentence(one) != sentence(other) and clash(sentence(one), sentence(other)):
                return True
    return False


def _amounts(one: SentenceAnalysis, other: SentenceAnalysis) -> bool:
    """Whether both speak of the same, be it by another amount that they share, and an amount of each has nothing in the
    other that agrees with it."""
    first, second = (tuple(map(_in_hours, text.quantities)) for text in (one, other))
    pairs = [(a, b) for a in first for b in second if comparable(a, b)]
    agreeing = {amount for a, b in pairs if agrees(a, b) for amount in (a, b)}
    if not agreeing and not one.content & other.content:
        return False
    return any(a not in agreeing and b not in agreeing for a, b in pairs)


def _in_hours(amount: Quantity) -> Quantity:
    factor = _HOURS.get(amount.unit)
    return amount._replace(low=amount.low * factor, high=amount.high * factor, unit="h") if factor else amount


def _denies(one: str, other: str) -> bool:
    """Whether a clause of one says no to something that the other speaks of without a no."""
    affirmed = [clause.content for clause in _clauses(other) if not _says_no(clause)]
    for clause in _clauses(one):
        denied = frozenset(word.term for word in clause.words if word.is_content and word.key not in _AGAINST)
        if not denied or not _says_no(clause) or clause.keys & _CONDITIONS:
            continue
        if any(len(denied & content) >= min(2, len(denied)) for content in affirmed):
            return True
    return False


def _clauses(text: str) -> list[SentenceAnalysis]:
    return [analyse(clause) for clause in _CLAUSES.split(text) if clause.strip()]


def _says_no(clause: SentenceAnalysis) -> bool:
    return any(is_negation(word) or word in _AGAINST for word in clause.keys)


def _opposed(one: SentenceAnalysis, other: SentenceAnalysis) -> bool:
    """Whether each has a word of opposite meaning to one of the other's, apart from the words that both have."""
    first, second = one.keys - other.keys, other.keys - one.keys
    for left, right in (*OPPOSITES, (REQUIRED, POSSIBLE), *_CONTRARY):
        for side, opposite in ((left, right), (right, left)):
            if first & side and second & opposite and not (first & opposite or second & side):
                return True
    return False
