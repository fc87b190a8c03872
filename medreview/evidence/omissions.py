"""What a quotation with the page's own words can still hide: what its ellipsis skips, and where it begins and ends.

It may skip what changes the rest, move the borders of words, begin too late (``Zinc helps colds`` of ``It is unclear
whether zinc helps colds``) or end too early (``placebo did`` of ``placebo did not``).
"""

import re
from typing import Final, NamedTuple

from medreview.evidence.alignment import Token, tokens
from medreview.evidence.clash_words import CONTRARY
from medreview.evidence.differences import SENTENCE_END, Difference, DifferenceKind, is_number
from medreview.evidence.lexicon import (
    FINITE,
    FINITE_AUXILIARIES,
    HARMLESS,
    NEGATIVE_PREFIXES,
    PREPOSITIONS,
    RESTRICTING,
    VERB_NEGATIONS,
    is_negation,
)
from medreview.evidence.normalise import DASHES, INVISIBLE
from medreview.text import Span, word_lists, word_set

_LISTS: Final = word_lists(__file__)

FURTHEST: Final = 1_000
"""In code points; an ellipsis that leaves out more than this joins two quotations, not one."""

_CONTEXT: Final = 400
"""In code points; how far the sentence of a part is looked for."""
CLAUSE: Final = re.compile(
    r"[,;:]|\b(?:and|but|or|while|whereas|although|though|because|since|if|when|that|which|who)\b", re.IGNORECASE
)
_BESIDE: Final = re.compile(r"[,;:]|and|but|or|while|whereas", re.IGNORECASE)
"""What stands between two clauses of one rank."""
_NEXT_CLAUSE: Final = re.compile(r"[;:]|[.!?]\s|\n\s*\n|\b(?:but|while|whereas|although|though)\b", re.IGNORECASE)
_HEADING: Final = 80
"""In code points; how far a heading reaches that ends the sentence before it."""
_ASIDE: Final = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_MODIFIER: Final = word_set(_LISTS["modifier"])
"""Words that begin a description of the noun before them."""
_CONTRAST: Final = re.compile(r"\b(?:but|whereas|while|although|though|however|yet|conversely|unlike)\b", re.IGNORECASE)
_CIRCUMSTANCE: Final = word_set("before after until till unless if when whenever once without above below during while")
"""Words that begin what a verb before them is said of."""
_BEFORE_NUMBER: Final = HARMLESS | word_set(_LISTS["before_number"])
"""Words that may stand between an ellipsis and a number that belongs to what was skipped."""
_RUN_ON: Final = re.compile(r"[.!?]\s+(?=[^\W\d_a-z])")
_QUOTE_MARK: Final = re.compile(r"[^\w\s]|\n")


class Skipped(NamedTuple):
    """What an ellipsis must not skip: the kind of difference that this is, and the words in the source."""

    kind: DifferenceKind
    source: Span


def wrongly_skipped(text: str, left: Span, right: Span) -> Skipped | None:
    """What an ellipsis between two parts of a source takes away that changes what they say; ``None`` for nothing.

    That is too much text; a negation or a restriction of a sentence that the quotation shows in part; the subject of
    the verb that follows; what the number that follows belongs to, or what belongs to the number before.
    """
    if right.start < left.end or right.start - left.end > FURTHEST:
        return Skipped("word", Span(left.end, max(left.end, right.start)))
    head, tail = _broken(text, left, right)
    for cut in dict.fromkeys((head, tail)):
        for token in _tokens(text, cut):
            if is_negation(token.key) or token.key in RESTRICTING:
                return Skipped("negation", Span(token.start, token.end))
    dangling = _dangling(text, left, right)
    if dangling:
        return Skipped("word", dangling)
    if not tail:
        return None
    lost = (
        _noun_of_number(text, left, right, tail)
        or _parallel(text, left, right, tail)
        or _clause(text, left, right, tail)
        or _subject(text, left, right, tail)
    )
    return Skipped("word", lost) if lost else None


def _broken(text: str, left: Span, right: Span) -> tuple[Span, Span]:
    """What is skipped of the sentence that the left part began, and of the sentence that the right part ends."""
    ends = [
        match.end()
        for match in SENTENCE_END.finditer(text, max(0, left.end - 2), right.start + _HEADING)
        if match.end() <= right.start
    ]
    begins_anew = not text[left.end : right.start].strip() or (
        bool(ends) and not text[ends[-1] : right.start].strip(" \t\n•*-–\"'“‘([")
    )
    ended = bool(ends) and not text[left.end : ends[0]].strip(" \t\n.!?\"'”’)]")
    head = Span(left.end, left.end if ended else min(ends[0] if ends else right.start, left.end + _CONTEXT))
    start = ends[-1] if ends else left.end
    tail = Span(right.start, right.start) if begins_anew else Span(max(start, right.start - _CONTEXT), right.start)
    return head, tail


def _tokens(text: str, span: Span) -> list[Token]:
    return [Token(t.key, t.start + span.start, t.end + span.start) for t in tokens(text[span.start : span.end])]


def _noun_of_number(text: str, left: Span, right: Span, tail: Span) -> Span | None:
    """The skipped words to which a number belongs that begins the right part, or that ends the left one."""
    asides = [match.span() for match in _ASIDE.finditer(text, tail.start, tail.end)]
    skipped = [
        token
        for token in _tokens(text, tail)
        if token.key not in HARMLESS and not any(start < token.start < end for start, end in asides)
    ]
    if not skipped:
        return None
    ahead = next((t for t in tokens(text[right.start : right.end]) if t.key not in _BEFORE_NUMBER), None)
    if ahead is not None and (is_number(ahead.key) or ahead.key[:1] in "<>=±"):
        return Span(skipped[0].start, skipped[-1].end)
    before = tokens(text[max(left.start, left.end - 60) : left.end])
    if ahead is None or not before or not is_number(before[-1].key):
        return None
    joins = text[left.end : left.end + 1].isspace() and text[left.end - 1].isalnum()
    follows = tokens(text[right.start : right.end])[0]
    return Span(skipped[0].start, skipped[-1].end) if joins and follows.key not in HARMLESS else None


def _dangling(text: str, left: Span, right: Span) -> Span | None:
    """The skipped noun of a preposition with which the left part ends, where the right part is of another clause:
    ``treated with … D`` of ``treated with B; D``."""
    before = tokens(text[max(left.start, left.end - 40) : left.end])[-1:]
    if not before or before[0].key not in PREPOSITIONS or not _NEXT_CLAUSE.search(text, left.end, right.start):
        return None
    skipped = _tokens(text, Span(left.end, right.start))
    return Span(skipped[0].start, skipped[0].end) if skipped else None


def _parallel(text: str, left: Span, right: Span, tail: Span) -> Span | None:
    """The skipped second subject, when the right part is what a parallel clause says of it: ``A is caused … by D`` of
    ``A is caused by B, and C by D``."""
    skipped = _tokens(text, tail)
    ahead, before = tokens(text[right.start : right.end])[:1], tokens(text[max(left.start, left.end - 40) : left.end])
    if not skipped or not ahead or tail.start != left.end:
        return None
    if ahead[0].key in PREPOSITIONS | _CIRCUMSTANCE:
        opening, preposition = skipped, ahead[0].key
        if skipped[0].key in PREPOSITIONS | _CIRCUMSTANCE and text[tail.end - 1 : tail.end] != ",":
            preposition = skipped[0].key
    elif before and before[-1].key == skipped[-1].key and before[-1].key in PREPOSITIONS:
        opening, preposition = before[-1:], before[-1].key
        skipped = skipped[:-1]
    else:
        return None
    first = next((word for word in opening if word.key == preposition), None)
    edge = None if first is None else _last_clause(text, tail)
    if first is None or edge is None or (opening is skipped and first.start >= edge):
        return None
    subject = [word for word in skipped if word.start >= edge and word.key not in HARMLESS]
    return Span(subject[0].start, subject[-1].end) if subject else None


def _last_clause(text: str, span: Span) -> int | None:
    """Where the last clause or list item of a range begins, if it stands beside the one before; ``None`` if not."""
    *_, last = (None, *CLAUSE.finditer(text, span.start, span.end))
    return last.end() if last and _BESIDE.fullmatch(last[0]) else None


def _clause(text: str, left: Span, right: Span, tail: Span) -> Span | None:
    """The skipped beginning of a clause that says the contrary or another thing, of which the right part is the end."""
    if tail.start != left.end:
        return None
    skipped = [token for token in _tokens(text, tail) if token.key not in HARMLESS]
    following = tokens(text[right.start : right.end])
    turn = _CONTRAST.search(text, tail.start, tail.end)
    if turn and skipped:
        begun = [token for token in skipped if token.start >= turn.end()]
        broken = [token for token in skipped if token.end <= turn.start()]
        if begun or (broken and not any(token.key in FINITE for token in following)):
            return Span((begun or broken)[0].start, (begun or broken)[-1].end)
    if following and following[0].key in _CIRCUMSTANCE:
        verbs = [token for token in _tokens(text, tail) if token.key in FINITE_AUXILIARIES]
        if verbs and CLAUSE.search(text, tail.start, verbs[-1].start):
            return Span(verbs[0].start, verbs[-1].end)
    return None


def _subject(text: str, left: Span, right: Span, tail: Span) -> Span | None:
    """The skipped subject of the verb with which the right part begins."""
    first = next(iter(tokens(text[right.start : right.end])), None)
    if first is None or first.key not in FINITE:
        return None
    gap = _ASIDE.sub(lambda m: " " * len(m[0]), text[tail.start : tail.end])
    edges = [match.end() for match in CLAUSE.finditer(gap)]
    last = Span(tail.start + (edges[-1] if edges else 0), tail.end)
    words = _tokens(text[: last.start] + gap[last.start - tail.start :], last)
    # A phrase set off by a comma has no verb of its own yet: what follows the ellipsis is not said of it alone.
    opened = text[max(0, left.end - 2) : left.end + 1].rstrip().endswith(",")
    if not edges and words and words[0].key in _MODIFIER and not opened:
        return None
    content = [word for word in words if word.key not in HARMLESS]
    if opened and all(is_number(word.key) or not word.key.isalpha() for word in content):
        return None
    return Span(content[0].start, content[-1].end) if content else None


def moved_borders(quote: str, original: str) -> list[Difference]:
    """Differences between two texts with the same letters: a prefix that became a word (``a typical``, ``not able``), a
    sentence that runs on into the next."""
    said, written = tokens(quote), tokens(original)
    found: list[Difference] = []
    i = j = 0
    while i < len(said) and j < len(written):
        a, b = i + 1, j + 1
        one, other = said[i].key, written[j].key
        while len(one) != len(other) and (a < len(said) if len(one) < len(other) else b < len(written)):
            if len(one) < len(other):
                one, a = one + said[a].key, a + 1
            else:
                other, b = other + written[b].key, b + 1
        if (a - i, b - j) != (1, 1) and (
            _negates(said[i:a], written[j:b], quote) or _negates(written[j:b], said[i:a], original)
        ):
            quoted, shown = Span(said[i].start, said[a - 1].end), Span(written[j].start, written[b - 1].end)
            found.append(Difference("negation", quoted, shown))
        i, j = a, b
    return found + _run_on(quote, said, original, written)


def _negates(split: list[Token], whole: list[Token], text: str) -> bool:
    """Whether the first of some words, a blank before the next, is a negation or negative prefix in the other text."""
    if len(split) < 2:
        return False
    between = text[split[0].end : split[1].start]
    if not between.isspace() or re.search(rf"[{DASHES}\n]", between):
        return False
    return any(is_negation(word.key) for word in split) != any(is_negation(word.key) for word in whole) or (
        split[0].key in NEGATIVE_PREFIXES and len(whole[0].key) > len(split[0].key)
    )


def _run_on(quote: str, said: list[Token], original: str, written: list[Token]) -> list[Difference]:
    """Where the quotation goes on over the end of a sentence as if there were none."""
    if len(said) != len(written):
        return []
    found = []
    for at in range(len(said) - 1):
        border = original[written[at].end : written[at + 1].start + 1]
        own = quote[said[at].end : said[at + 1].start]
        if (
            _RUN_ON.search(border)
            and not _QUOTE_MARK.search(own)
            and said[at + 1].key == quote[said[at + 1].start : said[at + 1].end]
        ):
            found.append(
                Difference("word", Span(said[at].end, said[at + 1].start), Span(written[at].end, written[at + 1].start))
            )
    return found


_PREFIX: Final = re.compile(
    rf"(?<![^\W_])(?P<prefix>{'|'.join(sorted({'non', 'anti', 'un', 'pseudo', 'co', 'sub'}.union(*CONTRARY)))})"
    r"[-\u2010\u2011\u2013]$",
    re.IGNORECASE,
)
"""A prefix that changes what the word says that it is joined to; a longer dash sets words apart."""
_LONGEST_PREFIX: Final = 12
_FURTHEST: Final = 120
"""In code points; how far before a quotation what takes it back is looked for."""
_LONGEST_END: Final = 40
_STOP: Final = re.compile(r"[\"'”’)\]]*[.!?]")
_CLOSING: Final = "\"'”’)] \t\n"
_WITHIN_PHRASE: Final = 3
"""Words that may stand between a negation and the word that it belongs to."""
_BEFORE_NOUN: Final = HARMLESS - FINITE - PREPOSITIONS - {"that", "which", "who", "whom", "whose"} | word_set(
    _LISTS["before_noun"]
)
"""Words that may stand there, beside adverbs."""
_OR_NOT: Final = re.compile(r"\b(?:or|with\s+and)\s+$", re.IGNORECASE)
"""Before a negation that leaves both open: ``whether or not``, ``with or without``."""
_BARE: Final = re.compile(rf"[\s\"'“”‘’()\[\]*_{INVISIBLE}]*")
"""What may stand between a word and the one that it belongs to."""
_ASIDE_AFTER_COMMA: Final = re.compile(r",(?:[^,.;:]*,)?")
_FOR_ITSELF: Final = re.compile(rf"(?:{'|'.join(sorted(PREPOSITIONS))}|after|before)\b|{CLAUSE.pattern}", re.IGNORECASE)
"""The beginning of what says something for itself behind a denied verb."""

_CONDITIONS: Final = word_set("whether if")
"""Words before a clause that is not said to be true."""
_DOUBTS: Final = word_set(_LISTS["doubts"])
_NEAR: Final = 6
"""In words; how far a doubt stands from the ``that`` of what is doubted."""
_LITTLE: Final = word_set("few little hardly scarcely barely rarely seldom")
"""Words that are nearly a negation, unless an article stands before them, or they are a surname."""
_WITHOUT: Final = _LITTLE | word_set("no without none neither nor lack absence")
"""Negations of the noun behind them."""
_OF_CLAUSE: Final = (_WITHOUT - {"without"}) | word_set("not never nobody nothing")
"""Negations that, at the head of a sentence, deny its clause."""
_PROOF: Final = word_set("evidence proof indication reason suggestion data study studies trial trials")
"""What shows that something is so; without it, it is not shown."""
_AFFIRMED: Final = _DOUBTS | word_set(_LISTS["affirmed"])
"""Words whose negation says that something is so."""
_ENDS_DENIAL: Final = _AFFIRMED | (FINITE - FINITE_AUXILIARIES)
"""Words behind which the negation of a sentence's head denies nothing more."""


def cut(quote: str, text: str, span: Span, *, goes_on: bool = False) -> Difference | None:
    """What stands right before or behind a passage and takes back what a quotation of it says; ``None`` for nothing.

    ``goes_on``: the quotation has words of its own behind the passage, in place of what stands there.
    """
    return _cut_beginning(quote, text, span) or _cut_end(quote, text, span, goes_on)


def _cut_beginning(quote: str, text: str, span: Span) -> Difference | None:
    """What a quotation loses that begins later: a prefix of its first word (``ST-elevation`` of ``non-ST-elevation``),
    or what its sentence says of it (``Give`` of ``Do not give``).

    A quotation that begins in the middle of a sentence, and shows that by a small letter, may leave out what its
    sentence says before, but not the negation of its first words.
    """
    prefix = _PREFIX.search(text, max(0, span.start - _LONGEST_PREFIX), span.start)
    if prefix:
        return Difference("word", Span(0, 0), Span(*prefix.span("prefix")))
    start = span.end - len(text[span.start : span.end].lstrip(", "))
    begin = max(0, start - _FURTHEST)
    *_, begin = (begin, *(match.end() for match in SENTENCE_END.finditer(text, begin, start)))
    before = [Token(t.key, t.start + begin, t.end + begin) for t in tokens(text[begin:start])]
    if not before:
        return None
    gap = text[before[-1].end : start]
    # A name keeps its capital within a sentence, but so begin the lines of a list and the cells of a table.
    if not text[start].islower() and gap.removeprefix(",") != " ":
        return None
    taken = _of_clause(before, text, start)
    if not taken and _BARE.fullmatch(gap):
        opening = next((char for char in quote if char.isalnum()), "")
        taken = _negation(before, text, start) or (_taken(before, text) if opening.isupper() else None)
    return Difference("negation", Span(0, 0), Span(taken.start, taken.end)) if taken else None


def _cut_end(quote: str, text: str, span: Span, goes_on: bool) -> Difference | None:
    """The negation that a quotation loses that ends before it, where either ends the sentence there: ``Placebo did`` of
    ``Placebo did not.``, ``It was seen.`` of ``It was seen in none.``; or that it has another word for."""
    behind = text[span.end : span.end + _LONGEST_END]
    following = tokens(behind)[:2]
    if not following or behind[: following[0].start].strip():
        return None
    if not is_negation(following[0].key) and following[0].key not in _LITTLE:
        return None
    if SENTENCE_END.search(text, max(span.start, span.end - 3), span.end + following[0].end):
        return None
    rest = behind[following[0].end : following[1].start if len(following) > 1 else None]
    at = len(quote.rstrip())
    mark = quote.rstrip(_CLOSING)[-1:]
    ended = mark in (".", "!", "?") or (mark in (":", ";", ",") and rest.startswith(mark))
    # "no. 5" is a number, not an end
    numbered = following[0].key == "no" and len(following) > 1 and is_number(following[1].key)
    stops = SENTENCE_END.match(rest + "\n\n") or (_STOP.match(rest) and not numbered)
    if not (goes_on or ended or stops):
        return None
    return Difference("negation", Span(at, at), Span(span.end + following[0].start, span.end + following[0].end))


def _negation(before: list[Token], text: str, start: int) -> Token | None:
    """The negation of the phrase that a passage begins with, of its sentence's words before it: ``No`` of ``No
    clinically relevant``, ``None`` of ``None of the``; else ``None``.

    Only what may stand between a negation and its noun may stand between the two.
    """
    end = start
    for at in range(len(before) - 1, max(-1, len(before) - 2 - _WITHIN_PHRASE), -1):
        word = before[at]
        if not _BARE.fullmatch(text, word.end, end):
            return None
        if is_negation(word.key):
            return None if _OR_NOT.search(text, max(0, word.start - 20), word.start) else word
        if word.key in _LITTLE:
            return None if _is_some(before, at, text) else word
        if not (word.key.endswith("ly") or word.key in _BEFORE_NOUN):
            return None
        end = word.start
    return None


def _is_some(words: list[Token], at: int, text: str) -> bool:
    """Whether ``few`` or its like is not a negation: ``a few``, or the surname ``Little``, with no border but a comma
    before it."""
    if not at:
        return False
    named = text[words[at].start].isupper() and not text[words[at - 1].end : words[at].start].strip(" ,")
    return named or words[at - 1].key in ("a", "the", "these", "only")


def _of_clause(before: list[Token], text: str, start: int) -> Token | None:
    """The negation that a sentence begins with, where a passage begins in the clause that it denies: ``Rarely`` of
    ``Rarely, zinc``, ``Nor`` of ``Nor does daily zinc``, ``Few`` of ``Few in vitro trials``; ``None`` for no such.

    An aside may stand behind it (``Few, if any, trials``). What stands behind a verb, or begins with a preposition or
    another clause, may be said for itself.
    """
    at = next((at for at, word in enumerate(before) if word.key not in _BEFORE_NOUN), len(before))
    if at == len(before) or before[at].key not in _OF_CLAUSE or _is_some(before, at, text):
        return None
    head, edge = before[at], before[at].end
    aside = _ASIDE_AFTER_COMMA.match(text, edge, start)
    if aside and head.key != "no":
        edge = aside.end()
    words = [word.key for word in before[at + 1 :] if word.start >= edge and word.key not in FINITE_AUXILIARIES]
    if len(words) > _WITHIN_PHRASE or CLAUSE.search(text, edge, start) or not {*words}.isdisjoint(_ENDS_DENIAL):
        return None
    return None if words and _FOR_ITSELF.match(text, start) else head


def _taken(before: list[Token], text: str) -> Token | None:
    """The word that narrows or doubts what follows, of its sentence's words before it; ``None`` if none does."""
    last = before[-1]
    if last.key in _CONDITIONS or last.key in RESTRICTING:
        return last
    if last.key != "that":
        return None
    edge = max((match.end() for match in CLAUSE.finditer(text, before[0].start, last.start)), default=0)
    clause = [word for word in before[:-1] if word.start >= edge]
    negated = [word for at, word in enumerate(clause) if _denies_what_follows(clause, at)]
    doubted = [word for word in clause[-_NEAR:] if word.key in _DOUBTS and text[word.end] != "-"]
    if any(is_negation(word.key) for word in clause) and any(word.key in _AFFIRMED for word in clause):
        return None
    return next(iter(negated or doubted), None)


def _denies_what_follows(clause: list[Token], at: int) -> bool:
    """Whether a word before ``that`` denies what follows: a verb's negation, or that of what would prove it."""
    key = clause[at].key
    if key in _WITHOUT:
        return any(word.key in _PROOF for word in clause[at + 1 :])
    if key == "not":
        return any(word.key in FINITE_AUXILIARIES for word in clause[:at])
    return key in VERB_NEGATIONS
