"""The differences between a quotation and the aligned passage that change what is said.

Compared are the words that decide, in order: a word that was put in, left out, replaced or moved is a difference.
Harmless function words, inflection, spelling, an abbreviation beside or in place of what it stands for, and an omitted
parenthesis of figures are no differences.

No word that decides is a harmless function word (``medreview.evidence.lexicon``), the sign ``=``, or the number of a
list's item. Two of these words are the same when they share a form: an inflection, a spelling, a unit's other name, a
number in figures and in letters.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from medreview.evidence.alignment import Token, tokens
from medreview.evidence.inflection import base_forms, is_slip
from medreview.evidence.lexicon import (
    AMBIGUOUS_NUMBERS,
    BEFORE_NUMBERS,
    CONTRACTED,
    HARMLESS,
    NUMBER_WORDS,
    SAME,
    is_negation,
    negated_form,
    opposed,
)
from medreview.evidence.normalise import DASHES
from medreview.evidence.quantities import parse_unit
from medreview.text import Span, word_lists, word_set

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


_LISTS: Final = word_lists(__file__)

DifferenceKind = Literal["number", "unit", "negation", "direction", "word", "wording"]
"""What differs. ``wording``: words that decide nothing; all other kinds change what is said."""


class Difference(NamedTuple):
    """A difference: its kind, and its spans in the quotation and in the source; one of them may be empty."""

    kind: DifferenceKind
    quote: Span
    source: Span

    def moved(self, quote: int, source: int) -> "Difference":
        """The same difference, its places moved by so many code points."""
        return Difference(
            self.kind,
            Span(self.quote.start + quote, self.quote.end + quote),
            Span(self.source.start + source, self.source.end + source),
        )


UNITS: Final = word_set(_LISTS["units"])
"""Normalised words; one in place of another changes the amount."""

_STATISTICAL: Final = word_set(_LISTS["statistical"])
"""Words of a parenthesis that holds figures or points elsewhere."""
_REPORTS: Final = word_set(_LISTS["reports"])
"""Who is named at the head of a quotation in place of "we", where the passage says who found it."""
_EXAMPLES: Final = re.compile(r"\(\s*(?:e\.?\s?g\.?|such as|for example|for instance|i\.?\s?e\.?)\W", re.IGNORECASE)
SENTENCE_END: Final = re.compile(
    r"[.!?][\"'”’)\]]*\s+(?=[^\W_a-z])|\n\s*\n|\n(?=\s*(?:[•*\-–]\s|\d{1,2}[.)]\s))"
    r"|(?:\n|(?<=[.!?)]))\s*(?=[A-Z][A-Z ./&,\n-]{3,60}:\s)|(?<![^\s.!?)])[A-Z][A-Z ./&,\n-]{3,60}:\s+(?=[^\W_a-z])"
)
"""Also before and after a heading in capitals (``BODY.RESULTS:``)."""
_BRACKET: Final = 310
_BRACKETED: Final = re.compile(r"\([^()]{0,300}\)|\[[^\[\]]{0,300}\]")
_THOUSANDS: Final = re.compile(r"\d{1,3}(?:[ ,\u00a0\u2009\u202f]\d{3})+")
_SEPARATOR: Final = re.compile(r"[ ,\u00a0\u2009\u202f]")
_NEXT_ITEM: Final = re.compile(r"\n\s*(?:[-*+•‣◦▪●–—·]|\(?\d{1,2}[.)]|\(?[a-z]\))\s")
_MARGIN: Final = 4
"""Words of the source on either side of the aligned passage that may still belong to it."""
_LONGEST_NAME: Final = 8
"""Words that one abbreviation may stand for."""

_Pair = tuple[list[MeaningWord], list[MeaningWord]]


def differences(
    quote: Sequence[Token], quote_text: str, source: Sequence[Token], source_text: str, passage: Span, matched: Span
) -> list[Difference]:
    """What changes the meaning between a quotation's tokens and those of the passage, in order; empty for the same.

    ``passage`` and ``matched`` are ranges of the source's text: where the quotation should stand, and from the first to
    the last word that it shares. ``source`` may be longer at both ends: words outside of ``matched`` that the quotation
    lacks are no difference, since it may begin late and end early.
    """
    said, written = meaning_words(quote, quote_text), meaning_words(source, source_text)
    found = []
    for a, b, c, d in _unlike(said, written):
        if a == b and (c == 0 or d == len(written)):
            c, d = _inside(written, c, d, matched, source_text)
            if c == d:
                continue
        elif a < b:
            before = all(word.token.end <= passage.start for word in written[c:d])
            if a == 0 and before and all(word.token.key in _REPORTS for word in said[a:b]):
                continue
            if c == 0:
                c = max(c, min(d - (b - a), sum(word.token.end <= passage.start for word in written)))
            if d == len(written):
                d = min(d, max(c + b - a, sum(word.token.start < passage.end for word in written)))
        pair = said[a:b], written[c:d]
        if _joins_items(pair, written, c, source_text) or _same_number(pair, quote_text, source_text):
            continue
        if _same_letters(pair) or _mistyped(pair) or _named(pair, said, a, written, c, quote_text, source_text):
            continue
        if a == b and _left_out_harmlessly(pair[1], written, source_text):
            continue
        kind = _kind([word.token for word in pair[0]], [word.token for word in pair[1]])
        found.append(Difference(kind, _span(said, a, b, quote), _span(written, c, d, source)))
    return found


def _inside(written: Sequence[MeaningWord], c: int, d: int, matched: Span, text: str) -> tuple[int, int]:
    """Of the words before the first shared word that decides, or after the last one, those within the quotation:
    between harmless words that it has, and in the same sentence."""
    if c == 0:
        edge = written[d].token.start if d < len(written) else matched.end
        ends = [m.end() for m in SENTENCE_END.finditer(text, matched.start, edge) if not text[m.start() - 1].isdigit()]
        begin = max([matched.start, *ends])  # a digit here is the number of a list's item
        return max(c, d - sum(begin <= word.token.start for word in written[c:d])), d
    edge = written[c - 1].token.end
    ended = SENTENCE_END.search(text, edge, matched.end)
    end = ended.start() if ended else matched.end
    return c, c + sum(word.token.end <= end for word in written[c:d])


def without_figures(text: str) -> str:
    """The text with blanks in place of the brackets that hold figures only; all offsets stay."""
    found = list(_BRACKETED.finditer(text))
    for match in reversed(found):
        words = meaning_words(tokens(match[0]), match[0])
        if (
            words
            and any(is_number(word.token.key) for word in words)
            and all(_is_figure(word.token, match[0]) for word in words)
        ):
            text = text[: match.start()] + " " * len(match[0]) + text[match.end() :]
    return text


def with_margin(start: int, end: int, total: int) -> tuple[int, int]:
    """The range of tokens to compare for an aligned range, out of ``total`` tokens."""
    return max(0, start - _MARGIN), min(total, end + _MARGIN)


def _unlike(said: Sequence[MeaningWord], written: Sequence[MeaningWord]) -> list[tuple[int, int, int, int]]:
    """Where two sequences of words differ: ranges of indices in the first and in the second."""
    from rapidfuzz.distance import Indel

    classes = _classes([*said, *written])
    left, right = classes[: len(said)], classes[len(said) :]
    found: list[tuple[int, int, int, int]] = []
    for code in Indel.opcodes(left, right):
        if code.tag == "equal":
            continue
        if found and found[-1][1] == code.src_start and found[-1][3] == code.dest_start:
            a, _, c, _ = found.pop()
            found.append((a, code.src_end, c, code.dest_end))
        else:
            found.append((code.src_start, code.src_end, code.dest_start, code.dest_end))
    return found


def _classes(words: Sequence[MeaningWord]) -> list[int]:
    """A number for every word, equal for words that share a form, also through a third."""
    parent: dict[str, str] = {}

    def root(form: str) -> str:
        while parent.setdefault(form, form) != form:
            parent[form] = parent[parent[form]]
            form = parent[form]
        return form

    for word in words:
        first, *others = sorted(word.forms)
        for form in others:
            parent[root(form)] = root(first)
    numbers: dict[str, int] = {}
    return [numbers.setdefault(root(min(word.forms)), len(numbers)) for word in words]


def _span(words: Sequence[MeaningWord], start: int, end: int, all_tokens: Sequence[Token]) -> Span:
    if end > start:
        return Span(words[start].token.start, words[end - 1].token.end)
    if start < len(words):
        return Span(words[start].token.start, words[start].token.start)
    at = all_tokens[-1].end if all_tokens else 0
    return Span(at, at)


def _same_letters(pair: _Pair) -> bool:
    """Whether only the borders of words differ, and no negative prefix came or went with one."""
    quoted, original = ([word.token.key for word in words] for words in pair)
    if not quoted or not original or "".join(quoted) != "".join(original):
        return False
    return not any(is_number(key) for key in (*quoted, *original)) and not any(map(is_negation, (*quoted, *original)))


def _same_number(pair: _Pair, quote: str, source: str) -> bool:
    """Whether one number is written with and without marks of thousands: ``12 500``, ``12,500``, ``12500``."""
    texts = [text[span.start : span.end] for span, text in
             ((_around(words), text) for words, text in zip(pair, (quote, source), strict=True)) if span]  # fmt: skip
    if len(texts) != 2 or not any(map(_THOUSANDS.fullmatch, texts)):
        return False
    one, other = (_SEPARATOR.sub("", text) for text in texts)
    return one == other and one.isdecimal()


def _around(words: Sequence[MeaningWord]) -> Span | None:
    return Span(words[0].token.start, words[-1].token.end) if words else None


def _joins_items(pair: _Pair, written: Sequence[MeaningWord], at: int, source: str) -> bool:
    """Whether the quotation puts an ``or`` where the passage goes on with the next item of a list on its own line."""
    quoted, original = pair
    if original or [word.token.key for word in quoted] != ["or"] or not 0 < at < len(written):
        return False
    return _NEXT_ITEM.search(source, written[at - 1].token.end, written[at].token.end) is not None


def _mistyped(pair: _Pair) -> bool:
    quoted, original = pair
    return len(quoted) == len(original) > 0 and all(
        one.forms & other.forms or is_slip(one.token.key, other.token.key)
        for one, other in zip(quoted, original, strict=True)
    )


def _named(
    pair: _Pair, said: list[MeaningWord], a: int, written: list[MeaningWord], c: int, quote: str, source: str
) -> bool:
    """Whether an abbreviation stands in place of what it stands for, or one of the two was left out beside it."""
    quoted, original = pair
    if quoted and original:
        return (len(quoted) == 1 and _spells(quoted[0].token, original, quote, source)) or (
            len(original) == 1 and _spells(original[0].token, quoted, source, quote)
        )
    some, words, at, text = (quoted, said, a, quote) if quoted else (original, written, c, source)
    beside = [words[at - 1 : at], words[at + len(some) : at + len(some) + 1]]
    if any(near and _spells(near[0].token, some, text, text) for near in beside):
        return True
    return len(some) == 1 and any(
        _spells(some[0].token, group, text, text)
        for group in (
            [words[max(0, at - size) : at] for size in range(2, _LONGEST_NAME)]
            + [words[at + 1 : at + 1 + size] for size in range(2, _LONGEST_NAME)]
        )
    )


def _spells(short: Token, words: Sequence[MeaningWord], text: str, words_text: str) -> bool:
    """Whether the letters of an abbreviation, in capitals, are in order the initials of some words."""
    letters = text[short.start : short.end]
    capitals = [char.lower() for char in letters if char.isupper()]
    if not 2 <= len(capitals) <= _LONGEST_NAME or len(letters) > len(capitals) + 2 or not words:
        return False
    span = words_text[words[0].token.start : words[-1].token.end]
    initials = [part[0].lower() for part in re.findall(r"[^\W\d_]+", span)]
    spoken = [initial for initial, part in zip(initials, re.findall(r"[^\W\d_]+", span), strict=True)
              if part.lower() not in ("of", "the", "and", "in", "for", "to")]  # fmt: skip
    return capitals in (initials, spoken) or [char.lower() for char in letters] in (initials, spoken)


def _left_out_harmlessly(left_out: Sequence[MeaningWord], written: Sequence[MeaningWord], text: str) -> bool:
    """Whether words that the quotation lacks are whole parentheses that only give figures, names or examples."""
    start, end = left_out[0].token.start, left_out[-1].token.end
    brackets = list(_BRACKETED.finditer(text, max(0, start - _BRACKET), min(len(text), end + _BRACKET)))
    for word in left_out:
        within = next((m for m in brackets if m.start() < word.token.start and word.token.end < m.end()), None)
        if within is None or is_negation(word.token.key):
            return False
        if not _is_figure(word.token, text) and not _EXAMPLES.match(within[0]):
            return False
        if any(within.start() < other.token.start < within.end() and other not in left_out for other in written):
            return False
    return True


def _is_figure(word: Token, text: str) -> bool:
    """Whether a word of a bracket gives a figure or an abbreviation."""
    figure = (
        is_number(word.key)
        or word.key in NUMBER_WORDS
        or not word.key.isalpha()
        or word.key in _STATISTICAL
        or parse_unit(word.key)
    )
    return bool(figure) or text[word.start : word.end].isupper()


def _kind(quoted: Sequence[Token], original: Sequence[Token]) -> DifferenceKind:
    digits = any(is_number(word.key) for word in (*quoted, *original))
    if _amounts(quoted, digits) != _amounts(original, digits):
        return "number"
    left, right = {word.key for word in quoted}, {word.key for word in original}
    if _negations(quoted) != _negations(original) or any(negated_form(one, other) for one in left for other in right):
        return "negation"
    if any(opposed(one, other) for one in left - right for other in right - left):
        return "direction"
    removed, added = (left & UNITS) - right, (right & UNITS) - left
    if removed and added:
        return "unit"
    return "word"


def _amounts(words: Sequence[Token], digits: bool) -> Counter[str]:
    """Numbers by value, and comparison signs; ``one`` and fractions in words count only with ``digits``."""
    found: Counter[str] = Counter()
    for word in words:
        if is_number(word.key):
            found[number_value(word.key)] += 1
        elif word.key in NUMBER_WORDS and (digits or word.key not in AMBIGUOUS_NUMBERS):
            found[number_value(str(NUMBER_WORDS[word.key]))] += 1
        elif word.key[:1] in "<>±":
            found[word.key] += 1
    return found


def _negations(words: Sequence[Token]) -> int:
    return sum(is_negation(word.key) for word in words)
