"""Which answer a model's words give to a closed QA item (true or false, list, multiple choice), and whether it is the
key's.

Models write ``B``, ``Answer: B.``, ``(b) Linezolid``, ``The statement is not true``, or nothing of use. One rule per
type says what is read:

- **true or false**: the word behind *answer*, else the word that the text begins with, else the only one of the two
  that occurs, where nothing else is denied. *Not true*, *incorrect*, *no* and *F* say false; *correct*, *yes* and *T*
  say true.
- **multiple choice and list**: the letters behind *answer*, else those that the text or each of its lines begins with,
  else those in brackets; without a letter the options whose whole words occur, unless the text denies something, or
  names several where one is right. A letter beside the words of another option alone is not read.
- A list without options: its parts, by lines, commas and semicolons.

Right is what names the key and nothing else. Of a list :func:`overlap` says how near it is. An answer of which nothing
can be read is a refusal where it says so, else unread; neither is right.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from medreview.units.qa import QAItem, folded

CLOSED: Final = ("true_false", "list", "multiple_choice")
"""The types that the key alone decides."""
OPEN: Final = ("short", "short_inverse", "multi_hop", "multi_hop_inverse")
"""The types that take a reader."""

How = Literal["read", "refused", "unread", "empty"]


@dataclass(frozen=True, slots=True)
class ReadChoice:
    """What an answer names: letters of options, ``True`` or ``False``, parts of a list; ``how``: whether anything."""

    how: How
    chosen: frozenset[str] = frozenset()


_TRUE, _FALSE = "True", "False"
_MARKUP: Final = re.compile(r"[*_`#\"“”]+")
_BEHIND: Final = re.compile(
    r"\b(?:answers?|options?|choices?|selections?)\b(?:\s+(?:is|are|would\s+be|letters?))*\s*[:=\-–]?\s*(?=\S)",
    re.IGNORECASE,
)
_CHOOSES: Final = re.compile(r"\bi(?:\s+would)?\s+(?:choose|pick|select|say)\s+|\bit(?:['’]s|\s+is)\s+", re.IGNORECASE)
_SAYS: Final = re.compile(
    r"\b(?P<false>not\s+(?:\w+\s+)?(?:true|correct)|untrue|incorrect|false|no)\b|\b(?P<true>true|correct|yes)\b",
    re.IGNORECASE,
)
_SAYS_SO: Final = re.compile(r"\bnot\s+(?:\w+\s+)?(?:true|correct)\b", re.IGNORECASE)
_YES_OR_NO: Final = ("yes", "no")
_T_OR_F: Final = re.compile(r"\W*(?:(?P<true>t)|(?P<false>f))\W*", re.IGNORECASE)
_REFUSES: Final = re.compile(
    r"\b(?:can(?:no|['’])t|can not|could not|couldn['’]t|unable to|not able to|won['’]t|do not|don['’]t)\s+"
    r"(?:\w+\s+){0,2}(?:answer|determine|help|assist|provide|know|say|tell|decide|comply|advise)\b"
    r"|\b(?:insufficient|not enough)\s+information\b|\bas an ai\b|\bi(?:['’]m| am) (?:sorry|not sure)\b",
    re.IGNORECASE,
)
_DENIES: Final = re.compile(r"\b(?:not|no|never|except|without|unlike|neither|nor|rather than|n['’]t)\b", re.IGNORECASE)
_PARTS: Final = re.compile(r"[\n;,]+|\band\b")
_BULLET: Final = re.compile(r"^\s*(?:[-•*]|\(?\d{1,2}[.)])\s*")


def read_choice(item: QAItem, answer: str) -> ReadChoice:
    """What an answer to a closed item names."""
    text = _MARKUP.sub("", answer).strip()
    if not text:
        return ReadChoice("empty")
    if item.type == "true_false":
        chosen = _true_or_false(text)
    elif item.options:
        chosen = _of_options(item, text)
    else:
        refuses = _REFUSES.search(text)
        chosen = frozenset() if refuses else frozenset(filter(None, (folded(part) for part in _items(text))))
    if chosen:
        return ReadChoice("read", chosen)
    return ReadChoice("refused" if _REFUSES.search(text) else "unread")


def key_of(item: QAItem) -> frozenset[str]:
    """What :func:`read_choice` gives for the right answer; empty where the key fits none of the options."""
    if item.type == "true_false":
        return frozenset(answer for one in item.answers if (answer := folded(one).capitalize()) in (_TRUE, _FALSE))
    if not item.options:
        return frozenset(map(folded, item.answers))
    letters = {folded(text): letter.upper() for letter, text in item.options if letter.strip()}
    return frozenset(letters[one] for one in map(folded, item.answers) if one in letters)


def overlap(chosen: frozenset[str], key: frozenset[str]) -> float:
    """F1 of what was named against the key: 1 where they are the same, 0 where they share nothing."""
    named = len(chosen) + len(key)
    return 2 * len(chosen & key) / named if named else 0.0


def _true_or_false(text: str) -> frozenset[str]:
    if alone := _T_OR_F.fullmatch(text):
        return frozenset({_TRUE if alone["true"] else _FALSE})
    said = {_word(found) for found in _SAYS.finditer(text) if found[0].casefold() not in _YES_OR_NO}
    for part in (*_behind(text), text):
        first = _SAYS.match(part.lstrip(" ([:"))
        if first and (first[0].casefold() not in _YES_OR_NO or said <= {_word(first)}):
            return frozenset({_word(first)})
    return frozenset(said) if len(said) == 1 and not _DENIES.search(_SAYS_SO.sub("", text)) else frozenset()


def _word(found: re.Match[str]) -> str:
    return _TRUE if found["true"] else _FALSE


def _behind(text: str, *markers: re.Pattern[str]) -> Iterator[str]:
    """What stands behind the word *answer*, or behind other ``markers``, the last one first."""
    for marker in (_BEHIND, *markers):
        for found in reversed(list(marker.finditer(text))):
            yield text[found.end() :]


def _of_options(item: QAItem, text: str) -> frozenset[str]:
    texts = {letter.upper(): folded(option) for letter, option in item.options if letter.strip()}
    letters = "|".join(re.escape(one) for one in sorted(texts, key=len, reverse=True))
    named = _letters(text, letters) if letters else frozenset()
    words = _in_words(text, texts)
    if named:
        return named if not words or words & named else frozenset()
    unclear = _DENIES.search(text) or (item.type == "multiple_choice" and len(words) > 1)
    return frozenset() if unclear else words


def _letters(text: str, letters: str) -> frozenset[str]:
    """The letters that a text gives as its answer: a row of them, or one at the head of each line."""
    one = rf"[(\[]?(?:{letters})(?:[)\].:]|(?![\w'’]))"
    row = re.compile(rf"\W{{0,3}}{one}(?:\s*(?:,|;|/|&|\+|and|or)*\s*{one})*", re.IGNORECASE)
    each = re.compile(letters, re.IGNORECASE)
    if re.fullmatch(rf"(?:{letters}){{2,}}", text):
        return frozenset(re.findall(letters, text))
    for part in _behind(text, _CHOOSES):
        if (found := row.match(part)) and not _is_word(part, found, "ai"):
            return _found(each, found[0])
    numbered = bool(re.search(r"\d", letters))
    lines = [line if numbered else _BULLET.sub("", line) for line in text.splitlines() if line.strip()]
    heads = [row.match(line) for line in lines]
    if (first := heads[0]) and not _is_word(lines[0], first, "ai"):
        others = [head for line, head in zip(lines[1:], heads[1:], strict=True) if head and not _is_word(line, head)]
        rows = (first, *others) if len(others) == len(lines) - 1 else (first,)
        return frozenset().union(*(_found(each, head[0]) for head in rows))
    return frozenset(letter.upper() for letter in re.findall(rf"[(\[]({letters})[)\]]", text))


def _found(each: re.Pattern[str], row: str) -> frozenset[str]:
    """The letters of a row, without those of its *and* and *or*."""
    return frozenset(word.upper() for word in re.split(r"\W+", row) if each.fullmatch(word))


def _is_word(line: str, found: re.Match[str], only: str = "") -> bool:
    """Whether a letter, one of ``only`` where these are given, is a word of a sentence: ``A patient with ...``."""
    bare = found[0].strip().casefold()
    goes_on = bool(re.match(r"\s+[a-z]", line[found.end() :]))
    return len(bare) == 1 and goes_on and (not only or bare in only)


def _in_words(text: str, texts: dict[str, str]) -> frozenset[str]:
    """The options whose words stand in a text; one that is a part of another that stands there is not meant."""
    left, found = folded(text), set()
    for letter, option in sorted(texts.items(), key=lambda one: -len(one[1])):
        if not option or option not in left:
            continue  # most are not: there are too many different ones for a pattern each
        whole = re.compile(rf"(?<!\w){re.escape(option)}(?!\w)")
        if whole.search(left):
            found.add(letter)
            left = whole.sub(" ", left)
    return frozenset(found)


def _items(text: str) -> Iterator[str]:
    behind = next(_behind(text), text)
    for part in _PARTS.split(behind):
        yield _BULLET.sub("", part)
