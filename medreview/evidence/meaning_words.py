"""The words of a text that decide what it says, each as the forms by which it is compared with another.

Left out are harmless function words (``medreview.evidence.lexicon``), the sign ``=``, and the number of a list's
item. Two of these words are the same when they share a form: an inflection, a spelling, a unit's other name, a number
in figures and in letters.
"""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from medreview.evidence.alignment import Token
from medreview.evidence.inflection import base_forms
from medreview.evidence.lexicon import AMBIGUOUS_NUMBERS, BEFORE_NUMBERS, CONTRACTED, HARMLESS, NUMBER_WORDS, SAME
from medreview.evidence.measurement_units import parse_unit
from medreview.evidence.normalise import DASHES

_FRACTIONS: Final = AMBIGUOUS_NUMBERS - {"one"}
_ORDINAL_ENDINGS: Final = frozenset({"st", "nd", "rd", "th"})
_ORDINALS: Final = {
    str(number): word
    for number, word in enumerate(
        ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"), 1
    )
}
_TENS: Final = range(20, 100, 10)
_EXAMPLE: Final = frozenset({("e", "g"), ("i", "e")})
"""``e.g.`` and ``i.e.``, which stand for harmless words."""
_SHARE: Final = frozenset({"in", "of"})
_SHARE_SIGN: Final = re.compile(r"\s?[/:]\s?")
"""``1 in 10``, ``1 of 10``, ``1/10`` and ``1:10``, which are not ranges."""
_PLAIN_NUMBER: Final = re.compile(r"\d{1,3}")
_STEPS: Final = frozenset(
    {"grade", "grades", "stage", "stages", "phase", "phases", "class", "classes", "type", "types", "level", "levels",
     "day", "days", "week", "weeks", "month", "months", "step", "steps"}
)  # fmt: skip
"""What is numbered: ``grade 3/4`` is both grades, and no share."""
_FEW: Final = frozenset({"few", "little"})
"""Nearly negations, and ``some`` behind an article."""
_PREFERRED: Final = frozenset({"prefer", "prefers", "preferred", "preferring", "preference", "preferable"})
_EACH: Final = frozenset({"every", "each"})
_MOMENT: Final = frozenset({"in", "at"})
"""Prepositions that say when a span of time before which they stand is over, not how long something lasts."""
_TIMES: Final = frozenset(
    {"second", "seconds", "minute", "minutes", "hour", "hours", "day", "days", "week", "weeks", "month", "months",
     "year", "years"}
)  # fmt: skip
_DEGREES: Final = frozenset({"deg", "degree", "degrees"})
_NUMERIC: Final = re.compile(r"\.?\d")
_MINUS: Final = re.compile(rf"(?:^|[^\w)\]%.,\s{DASHES}]|(?<!\d)\s)[{DASHES}]$")
_LIST_NUMBER: Final = re.compile(r"(?:^|\n)[ \t]*$")
_AFTER_LIST_NUMBER: Final = re.compile(r"[.)][ \t]+[^\W\d]")
_SENTENCE_BEFORE: Final = re.compile(r"(?:^|[.!?:;\n•*\"“(])\s*$")


class MeaningWord(NamedTuple):
    """One word that counts: its forms, and the token that it is (a contraction gives several words of one token)."""

    forms: frozenset[str]
    token: Token


def is_number(word: str) -> bool:
    """Whether a normalised token is a number in figures."""
    return _NUMERIC.match(word) is not None


def _counts(word: str) -> bool:
    return is_number(word) or (word in NUMBER_WORDS and word not in _FRACTIONS)


def number_value(number: str) -> str:
    """A number in figures by its value: ``1,000`` and ``1000.0`` are ``1000``."""
    plain = re.sub(r",(?=\d{3}(?:\D|$))", "", number).replace(",", ".")
    whole, _, rest = plain.partition(".")
    rest = rest.rstrip("0")
    return (whole.lstrip("0") or "0") + (f".{rest}" if rest else "")


def meaning_words(words: Sequence[Token], text: str) -> list[MeaningWord]:
    """The words among a text's tokens that decide, in order; ``text`` is what the tokens' offsets refer to."""
    shouted = _is_shouted(words, text)
    found: list[MeaningWord] = []
    skip = False
    for at, token in enumerate(words):
        before = words[at - 1].key if at else ""
        after = words[at + 1].key if at + 1 < len(words) else ""
        if skip:
            skip = False
            continue
        if is_number(token.key) and after in _ORDINAL_ENDINGS and token.end == words[at + 1].start:
            skip = True
            whole = Token(token.key + after, token.start, words[at + 1].end)
            found.append(MeaningWord(frozenset({_ORDINALS.get(token.key, whole.key)}), whole))
        elif is_number(token.key):
            if not _numbers_item(text, token):
                found.append(MeaningWord(frozenset({"#" + _signed(token, text)}), token))
            if is_number(after) and _is_share(words, at, text):
                found.append(MeaningWord(frozenset({"of"}), Token("of", token.end, words[at + 1].start)))
        elif token.key in NUMBER_WORDS and token.key not in _FRACTIONS:
            value = NUMBER_WORDS[token.key]
            if value in _TENS and 0 < NUMBER_WORDS.get(after, 0) < 10:
                value, skip = value + NUMBER_WORDS[after], True
                token = Token(token.key, token.start, words[at + 1].end)
            found.append(MeaningWord(frozenset({f"#{value}"}), token))
        elif token.key in _FEW and before == "a":
            found.append(MeaningWord(frozenset({"some"}), Token("some", token.start, token.end)))
        elif token.key == "over" and before in _PREFERRED:
            continue  # preferred over is preferred to
        elif token.key in CONTRACTED:
            found += [MeaningWord(frozenset({key}), token) for key in CONTRACTED[token.key]]
        elif token.key in HARMLESS:
            if decisive := _before_number(words, at):
                found.append(MeaningWord(frozenset({decisive}), token))
            elif not shouted and _is_name(text, token):
                found.append(MeaningWord(frozenset({token.key}), token))
        elif (token.key, after) in _EXAMPLE and text[token.end : token.end + 1] == ".":
            skip = True
        elif token.key in _DEGREES and is_number(before):
            continue  # the sign for it is no word
        elif token.key == "cent" and before == "per":
            found.append(MeaningWord(_forms("percent"), token))
        elif token.key in _EACH and before in _SHARE and _counts(after) and _counts(_ahead(words, at - 1)):
            continue  # one in every ten is one in ten
        elif token.key == "out" and after == "of" and _counts(before):
            continue  # and one out of ten
        elif token.key == "%" and _is_first_of_range(words, at):
            continue
        elif token.key == "x" and is_number(before) and is_number(after):
            continue  # the sign of multiplication, which is no word where it is written as one
        elif token.key not in ("=", ""):
            found.append(MeaningWord(_forms(token.key), token))
    return found


def _before_number(words: Sequence[Token], at: int) -> str:
    """What a harmless word decides by standing before a number, as a word; ``""`` for nothing."""
    key, before = words[at].key, _ahead(words, at)
    after = [word.key for word in words[at + 1 : at + 4]]
    counted = after[1:] if after[:1] and after[0] in ("the", *_EACH) else after
    if counted and _counts(counted[0]):
        if _counts(before):
            return "of" if key in _SHARE else ""
        if key in _MOMENT and counted[1:] and counted[1] in _TIMES:
            return "at"
    return key if key in BEFORE_NUMBERS and before != "%" and after and _counts(after[0]) else ""


def _ahead(words: Sequence[Token], at: int) -> str:
    """The word before another; of ``out of`` the one before both."""
    before = words[max(0, at - 2) : at]
    if len(before) == 2 and before[1].key == "out" and words[at].key == "of":
        return before[0].key
    return before[-1].key if before else ""


def _is_share(words: Sequence[Token], at: int, text: str) -> bool:
    """Whether a number and the next are a share (``1/10``), and not two doses, years or steps (``grade 3/4``)."""
    some, among = words[at], words[at + 1]
    if not _SHARE_SIGN.fullmatch(text, some.end, among.start) or not _PLAIN_NUMBER.fullmatch(some.key):
        return False
    whole = number_value(among.key)
    return whole.isdecimal() and int(some.key) < int(whole) and not (at and words[at - 1].key in _STEPS)


@lru_cache(maxsize=50_000)
def _forms(key: str) -> frozenset[str]:
    if key in SAME:
        return frozenset({SAME[key]})
    if len(key) == 1 and not key.isascii():
        return frozenset({_letters_name(key)})
    unit = parse_unit(key) if len(key) > 1 or key in "lgh%" else None
    return base_forms(key) | {f"{unit.base} {unit.factor}"} if unit else base_forms(key)


def _is_first_of_range(words: Sequence[Token], at: int) -> bool:
    """Whether a per cent sign is the first of two: ``1% to 10%``, which is also written ``1 to 10%``."""
    rest = [word.key for word in words[at + 1 : at + 4]]
    rest = rest[1:] if rest[:1] == ["to"] else rest
    return len(rest) > 1 and is_number(rest[0]) and rest[1] == "%"


def _letters_name(letter: str) -> str:
    """The name of a Greek letter (``alpha``); any other letter is itself."""
    alphabet, _, name = unicodedata.name(letter, "").partition(" SMALL LETTER ")
    return name.replace("LAMDA", "LAMBDA").lower() if alphabet == "GREEK" and " " not in name else letter


def _signed(token: Token, text: str) -> str:
    minus = _MINUS.search(text[max(0, token.start - 3) : token.start])
    return ("-" if minus else "") + number_value(token.key.lstrip(".") if token.key[:1] != "." else "0" + token.key)


def _numbers_item(text: str, token: Token) -> bool:
    """Whether a number is that of an item in a list: at the beginning of a line, before a full stop or a bracket."""
    return (
        _LIST_NUMBER.search(text[max(0, token.start - 40) : token.start]) is not None
        and _AFTER_LIST_NUMBER.match(text[token.end : token.end + 10]) is not None
    )


def _is_shouted(words: Sequence[Token], text: str) -> bool:
    """Whether a text is mostly in capitals, which then mark no names."""
    capitals = sum(text[word.start : word.end].isupper() for word in words)
    return capitals * 2 > sum(word.key.isalpha() for word in words)


def _is_name(text: str, token: Token) -> bool:
    """Whether a word that could be harmless is a name: ``WHO``, ``IT``, the A of ``hepatitis A``."""
    raw = text[token.start : token.end]
    if not raw.isupper():
        return False
    return len(raw) > 1 or not _SENTENCE_BEFORE.search(text[max(0, token.start - 5) : token.start])
