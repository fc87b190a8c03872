"""What a quotation with the page's own words can still hide: what its ellipsis skips, and borders that it moved."""

import re
from typing import Final, NamedTuple

from medreview.evidence.alignment import Token, tokens
from medreview.evidence.differences import SENTENCE_END, Difference, DifferenceKind
from medreview.evidence.function_words import FINITE, FINITE_AUXILIARIES, HARMLESS, PREPOSITIONS, RESTRICTING, word_set
from medreview.evidence.lexicon import NEGATIVE_PREFIXES, is_negation
from medreview.evidence.meaning_words import is_number
from medreview.evidence.normalise import DASHES
from medreview.text import Span

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
_MODIFIER: Final = word_set(
    """with without in of for at on during from by to among within under over aged who which that whose having using
    receiving taking treated"""
)
"""Words that begin a description of the noun before them."""
_CONTRAST: Final = re.compile(r"\b(?:but|whereas|while|although|though|however|yet|conversely|unlike)\b", re.IGNORECASE)
_CIRCUMSTANCE: Final = word_set("before after until till unless if when whenever once without above below during while")
"""Words that begin what a verb before them is said of."""
_BEFORE_NUMBER: Final = HARMLESS | word_set(
    "about approximately around roughly nearly almost least most up over under by from than more less"
)
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
