"""Clashes of words: negations and denials, significance, contrasts, contrary prefixes, directions.

Negation: a word that both have and one negates, or one of a pair: ``effective`` against ``ineffective``. Denied
relations are no association, no evidence that, no effect, against a relation or a direction that is affirmed.
Significance is a p value against ``significant``, ``no difference`` against ``significantly``.

Words that exclude one another: contrasts are benign against malignant, oral against intravenous, men against women;
prefixes hypokalaemia against hyperkalaemia; directions increase against decrease, better against worse. Two contrasts
or directions clash where their frames are alike: the content words beside each, the nearest first, tell whether both
sentences say the same there.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice, product
from typing import Final, NamedTuple

from medreview.evidence.clash import WIDE_WINDOW, Clash, shared_context, span_of
from medreview.evidence.inflection import spelling
from medreview.evidence.lexicon import (
    AUXILIARIES,
    NEGATED_NOUNS,
    OPPOSITES,
    PHRASE_PREPOSITIONS,
    VERB_NEGATIONS,
    ContrastKind,
    FoundMember,
    contrasts,
    is_negation,
    negated_form,
    negated_forms,
)
from medreview.evidence.sentence_analysis import (
    SCOPE,
    SentenceAnalysis,
    Word,
    claims_significance,
    once,
    significance,
    significance_denials,
)
from medreview.evidence.terms import stem
from medreview.text import Span, word_set

CONDITIONS: Final = frozenset({"if", "unless", "whether", "when"})
"""Words behind which a negation says no more than what would follow."""
_NARROWING: Final = frozenset({"unless", "until", "before", "except"})


def narrowed_otherwise(claim: SentenceAnalysis, evidence: SentenceAnalysis) -> bool:
    """Whether only one of both says until when, or but for which case: not before 45, and at 45, may both be true."""
    return _NARROWING & claim.keys != _NARROWING & evidence.keys


def negations(claim: SentenceAnalysis, evidence: SentenceAnalysis) -> Iterator[Clash]:
    """A word that both have and one negates; a pair such as ``effective`` and ``ineffective``."""
    if narrowed_otherwise(claim, evidence):
        return
    yield from _negated_in_one(claim, evidence) or _with_negative_prefix(claim, evidence)


def _negated_in_one(claim: SentenceAnalysis, evidence: SentenceAnalysis) -> list[Clash]:
    """A word that both have and one negates."""
    if not (claim.is_negated or evidence.is_negated):
        return []
    mine, yours = _by_negation(claim), _by_negation(evidence)
    for own, opposite in ((0, 1), (1, 0)):  # affirmed here and negated there, then the reverse
        for term in sorted(mine[own].keys() & yours[opposite].keys() - mine[opposite].keys() - yours[own].keys()):
            claimed, other = mine[own][term], yours[opposite][term]
            if shared_context(claim, claimed, evidence, other, WIDE_WINDOW) >= 2:
                if own:
                    return [Clash("negation", _negation_span(claim, claimed), span_of(other))]
                return [Clash("negation", span_of(claimed), _negation_span(evidence, other))]
    return []


def _with_negative_prefix(claim: SentenceAnalysis, evidence: SentenceAnalysis) -> list[Clash]:
    """A pair such as ``effective`` and ``ineffective``."""
    if _negated_forms_of(claim).isdisjoint(evidence.keys):
        return []
    with_prefix_change = [word for word in claim.words if not negated_forms(word.key).isdisjoint(evidence.keys)]
    for claimed, other in product(with_prefix_change, evidence.words):
        if (
            negated_form(claimed.key, other.key)
            and claimed.negated == other.negated
            and claimed.key not in evidence.keys
            and other.key not in claim.keys
            and shared_context(claim, claimed, evidence, other, WIDE_WINDOW) >= 2
        ):
            return [Clash("negation", span_of(claimed), span_of(other))]
    return []


@once
def _negated_forms_of(claim: SentenceAnalysis) -> frozenset[str]:
    return frozenset().union(*map(negated_forms, claim.keys))


@once
def _by_negation(sentence: SentenceAnalysis) -> tuple[dict[str, Word], dict[str, Word]]:
    """Content words by term: those that are affirmed, and those that are the head of a negation."""
    affirmed: dict[str, Word] = {}
    negated: dict[str, Word] = {}
    significance_spans = significance_denials(sentence.text)
    for at, word in enumerate(sentence.words):
        if is_negation(word.key):
            if any(near.key in CONDITIONS for near in sentence.words[max(0, at - 4) : at]):
                continue
            head = _negated_by(sentence.words, at)
            within = any(start <= word.start < end for start, end in significance_spans)
            if head is not None and not within:
                negated.setdefault(head.term, head)
        elif word.is_content and not word.negated and not _has_none(sentence.words, at):
            affirmed.setdefault(word.term, word)
    return affirmed, negated


def _has_none(words: list[Word], at: int) -> bool:
    """Whether a verb's object is denied: ``need no treatment`` affirms no need."""
    return at + 1 < len(words) and words[at + 1].key == "no"


def _negated_by(words: list[Word], at: int) -> Word | None:
    """The word that the negation at an index negates; ``None`` for a noun whose negation changes little."""
    fails = words[at].key in ("fail", "fails", "failed")
    for word in words[at + 1 + fails : at + 5]:
        if not word.negated or word.key in PHRASE_PREPOSITIONS:
            return None
        if word.key in AUXILIARIES or word.key.endswith("ly"):
            continue
        if words[at].key in VERB_NEGATIONS:
            return word
        return word if word.key in NEGATED_NOUNS else None
    return None


def _negation_span(sentence: SentenceAnalysis, word: Word) -> Span:
    """The range from the negation to the negated word."""
    before = [w for w in sentence.words if w.end <= word.start and is_negation(w.key)]
    return Span(before[-1].start if before else word.start, word.end)


_DENIAL: Final = re.compile(
    r"\b(?:no|not|never|without|lack of|little|n['’]t|cannot|unlikely|insufficient|neither|nor|fail(?:s|ed)? to)\b"
    r"[^.;,]{0,30}?\b(?:evidence|associat\w+|relationships?|relat(?:ed|ion)|correlat\w+|link(?:s|ed)?|effects?|affect\w*|"
    r"impacts?|influenc\w+|indication|proof|role|depend\w*|caus\w+|increas\w+|decreas\w+|reduc\w+|lower\w*|rais\w+|"
    r"improv\w+|prevent\w*|protect\w*|benefi\w+|contribut\w+|predict\w*)\b"
    r"|\b(?:unrelated|unassociated|unaffected|uncorrelated|ineffective|refute\w*|disprove\w*)\b",
    re.IGNORECASE,
)
_HELD_BACK: Final = re.compile(
    r"\bnot (?:only|necessarily|just|merely|simply|yet)\b|\bno (?:more|less|fewer|later)\b"
    r"|\bsignifican|\bno differen|\bnot differ",
    re.IGNORECASE,
)
_FLAT: Final = re.compile(
    r"(?:there (?:is|are|was|were|has been|have been) (?P<there>no \w+)"
    r"|[^.,;:()]{1,90}?\b(?P<verb>(?:(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would) ?(?:not|n['’]t)"
    r"|cannot|(?:has|have|had|shows?|showed|found) no|fail(?:s|ed)? to|never) (?:be(?:en)? )?\w+))",
    re.IGNORECASE,
)
_SUBORDINATE: Final = re.compile(
    r"\b(?:that|which|who|what|why|if|when|while|because|although|though|whether|until|unless|where|only|all|yet|enough|alone)\b",
    re.IGNORECASE,
)
"""Words with which a denial is one of a part, or of less than the whole."""
RELATIONS: Final = word_set(
    """
    associated association associations relationship relationships correlated correlates correlation linked link links
    effect effects affect affects affected impact impacts impacted influence influences influenced cause causes caused
    prevent prevents prevented protect protects protected improve improves improved worsen worsens worsened predict
    predicts predicted contribute contributes contributed depend depends related
    """
)
DIRECTIONS: Final = frozenset().union(*OPPOSITES[0])
MOST: Final = 0.6
"""Share of the statement's content words besides relations and directions that must stand in the passage."""
MOST_OF_FLAT: Final = 0.5
"""The same for what is denied flatly."""
_WEAKENED: Final = word_set(
    """
    rare rarely unlikely little less few fewer low lower free unclear unknown uncertain dangerous harmful hazardous
    useless futile worthless pointless unnecessary redundant avoid avoided contraindicated impossible stop stopped
    """
)
"""Words of a passage that affirms little, or that denies without a negation."""
LEAST: Final = 2
"""So many of them at least."""


class Stance(NamedTuple):
    """Whether a sentence denies a relation or affirms one, and where."""

    denies: bool
    span: Span


def denials(claim: SentenceAnalysis, evidence: SentenceAnalysis) -> Iterator[Clash]:
    """A relation that one of the two denies and the other affirms, of the same; a flat denial of what is affirmed."""
    subjects = _subjects(claim)
    shared = subjects & evidence.content
    if len(shared) < max(LEAST, MOST_OF_FLAT * len(subjects)) or narrowed_otherwise(claim, evidence):
        return
    claimed = stance(claim)
    written = stance(evidence) if claimed is not None else None
    if claimed is not None and written is not None and claimed.denies != written.denies:
        if len(shared) >= MOST * len(subjects):
            yield Clash("negation", claimed.span, written.span)
        return
    denied = flat_denial(claim.text)
    if (
        denied is not None
        and not evidence.is_negated
        and _WEAKENED.isdisjoint(evidence.keys)
        and ("?" not in evidence.text)
        and all(negated_forms(word.key).isdisjoint(evidence.keys) for word in claim.words if word.negated)
    ):
        places = [word for word in evidence.words if word.term in shared]
        yield Clash("negation", denied, Span(places[0].start, places[-1].end))


@once
def _subjects(claim: SentenceAnalysis) -> frozenset[str]:
    return frozenset(
        [w.term for w in claim.words if w.is_content and w.key not in RELATIONS and w.key not in DIRECTIONS]
    )


@lru_cache(maxsize=2_000)
def flat_denial(text: str) -> Span | None:
    """Where a statement denies the whole of what it speaks of: ``cats cannot catch it``, ``there is no cure``."""
    found = _FLAT.match(text, len(text) - len(text.lstrip()))
    if found is None or _SUBORDINATE.search(text) or _HELD_BACK.search(text):
        return None
    return Span(*found.span("there" if found["there"] else "verb"))


@lru_cache(maxsize=2_000)
def _denial(text: str) -> Span | None:
    found = _DENIAL.search(text)
    return Span(*found.span()) if found else None


@once
def stance(sentence: SentenceAnalysis) -> Stance | None:
    """``None`` for a sentence that says neither, or that holds back."""
    if _HELD_BACK.search(sentence.text):
        return None
    denial = _denial(sentence.text)
    if denial is not None:
        return Stance(True, denial)
    if sentence.is_negated:
        return None
    word = next((w for w in sentence.words if w.key in RELATIONS or w.key in DIRECTIONS), None)
    return Stance(False, Span(word.start, word.end)) if word else None


def significant_findings(claim: SentenceAnalysis, evidence: SentenceAnalysis) -> Iterator[Clash]:
    """``significantly`` against ``no significant difference`` or p > 0.05, or the reverse."""
    if not claims_significance(claim.text):
        return
    claimed, other = significance(claim), significance(evidence)
    if claimed is not None and other is not None and claimed[0] != other[0]:
        yield Clash("significance", claimed[1], other[1])


REACH: Final = 6
"""Content words on each side that make a frame."""
BESIDE: Final = 2
"""What an equal word right beside counts more than one further away."""
PEOPLE: Final = word_set(
    "patient patients people person persons individual individuals participant participants subject subjects"
)
"""Words for those whom a sentence is about, one as good as another."""
_PEOPLE: Final = "people"
MOST_COMPARED: Final = 20
"""Words of one kind in a text whose frames are compared: the work on a pair stays bounded."""


class Frame(NamedTuple):
    """The terms of the content words before and after a word, the nearest first."""

    before: tuple[str, ...]
    after: tuple[str, ...]


def frame(sentence: SentenceAnalysis, first: int, end: int) -> Frame:
    """The frame of the words from one index to another, which is not included."""
    return Frame(
        _content(sentence, range(first - 1, -1, -1)),
        _content(sentence, range(end, len(sentence.words))),
    )


def _content(sentence: SentenceAnalysis, indices: range) -> tuple[str, ...]:
    found: list[str] = []
    for at in indices:
        word = sentence.words[at]
        if word.is_content:
            found.append(_PEOPLE if word.key in PEOPLE else word.term)
            if len(found) == REACH:
                break
    return tuple(found)


def likeness(one: Frame, other: Frame) -> int:
    """The number of shared terms; an equal word right before or right after counts ``1 + BESIDE``."""
    shared = len({*one.before, *one.after} & {*other.before, *other.after})
    return shared + BESIDE * (_equal_beside(one.before, other.before) + _equal_beside(one.after, other.after))


def beside(one: Frame, other: Frame) -> bool:
    """Whether a word right beside is the same, on either side: ``mild croup``, ``croup is severe``."""
    return bool({*one.before[:1], *one.after[:1]} & {*other.before[:1], *other.after[:1]})


def _equal_beside(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    return bool(one and other) and one[0] == other[0]


ALIKE: Final = 3
"""Likeness of the two frames from which on both sentences say the same around the words."""
OF_THE_NEXT: Final[frozenset[ContrastKind]] = frozenset({"severity", "quantifier"})
"""Kinds of words that say something of a word beside them."""
NEAR: Final = 3
"""Words before a word within which a negation is its own."""


def contrasting_words(claim: SentenceAnalysis, evidence: SentenceAnalysis) -> Iterator[Clash]:
    """A word in the statement, one that it excludes, and only that, in the passage, in a frame alike."""
    theirs = _by_contrast(evidence)
    if not theirs:
        return
    for contrast, claimed in _by_contrast(claim).items():
        others = theirs.get(contrast, [])
        groups = {found.member.group for found in claimed}
        # both alternatives in one text: it compares them, and the words do not tell which is meant
        if not others or len(groups) > 1 or any(other.member.group in groups for other in others):
            continue
        kind = contrasts().kinds[contrast]
        pairs = [
            (_alike(kind, claim, one, evidence, other), one, other)
            for one in claimed
            for other in others
            if _denied(claim, one) == _denied(evidence, other)
            and not _in_parts(one, evidence)
            and not _in_parts(other, claim)
        ]
        best = max(pairs, key=lambda pair: pair[0], default=None)
        if best is not None and best[0] >= ALIKE:
            yield Clash(kind, _span(claim, best[1]), _span(evidence, best[2]))


def _alike(
    kind: ContrastKind, claim: SentenceAnalysis, one: FoundMember, evidence: SentenceAnalysis, other: FoundMember
) -> int:
    """The likeness of two frames; 0 for words that say something of a word beside them, if that is another."""
    claimed, written = frame(claim, one.first, one.end), frame(evidence, other.first, other.end)
    # of the first and the third trimester: what both are of stands within the phrases
    of_the_same = len(one.member.keys) > 1 and one.member.keys[-1] == other.member.keys[-1]
    if kind in OF_THE_NEXT and not of_the_same and not beside(claimed, written):
        return 0
    return likeness(claimed, written) + (1 + BESIDE) * of_the_same


def _denied(sentence: SentenceAnalysis, found: FoundMember) -> bool:
    """Whether a negation stands right before: ``not recommended``; not in ``must not be used in severe``."""
    before = sentence.words[max(0, found.first - NEAR) : found.first]
    cue = next((word for word in before if is_negation(word.key)), None)
    return cue is not None and "," not in sentence.text[cue.end : sentence.words[found.first].start]


def _in_parts(found: FoundMember, other: SentenceAnalysis) -> bool:
    """Whether another sentence has the words of a phrase, apart: in the second and the third trimester."""
    return len(found.member.keys) > 1 and other.keys.issuperset(found.member.keys)


@once
def _by_contrast(sentence: SentenceAnalysis) -> dict[int, list[FoundMember]]:
    found: dict[int, list[FoundMember]] = {}
    for one in sentence.contrasting:
        found.setdefault(one.member.contrast, []).append(one)
    return {contrast: members[:MOST_COMPARED] for contrast, members in found.items()}


def _span(sentence: SentenceAnalysis, found: FoundMember) -> Span:
    return Span(sentence.words[found.first].start, sentence.words[found.end - 1].end)


CONTRARY: Final = (
    ("hypo", "hyper", "normo", "eu"),
    ("brady", "tachy"),
    ("pre", "post", "peri", "intra"),
    ("ante", "post"),
    ("intra", "extra"),
    ("endo", "exo"),
    ("macro", "micro", "normo"),
    ("poly", "oligo", "mono", "an"),
    ("inter", "intra"),
    ("supra", "infra", "sub"),
    ("over", "under"),
    ("homo", "hetero"),
)
"""Prefixes of which one excludes the others before the same word."""
_OTHERS: Final = {
    prefix: tuple(other for group in CONTRARY if prefix in group for other in group if other != prefix)
    for group in CONTRARY
    for prefix in group
}
_OPENINGS: Final = frozenset(prefix[:2] for prefix in _OTHERS)
_SHORTEST: Final = 4
"""Letters of the shortest rest: ``predict`` and ``postdict`` are words of another kind, ``preop`` none."""


def prefixes(claim: SentenceAnalysis, evidence: SentenceAnalysis) -> Iterator[Clash]:
    """A word in the statement and the same with a contrary prefix in the passage, which has no word as the first."""
    candidates = _with_prefix(claim)
    if not candidates:
        return
    written = {_plain(word.key): word for word in _with_prefix(evidence)}
    said = {_plain(word.key) for word in candidates}
    for word in candidates:
        if word.term in evidence.content or _plain(word.key) in written:
            continue
        other = next((written[form] for form in contrary_forms(word.key) if form in written and form not in said), None)
        if other is not None and other.negated == word.negated:
            yield Clash("opposite", span_of(word), span_of(other))


@once
def _with_prefix(sentence: SentenceAnalysis) -> list[Word]:
    return [word for word in sentence.words if word.is_content and word.key[:2] in _OPENINGS]


@lru_cache(maxsize=20_000)
def contrary_forms(word: str) -> tuple[str, ...]:
    """The stems of a normalised word with its prefix replaced by a contrary one; most are not words."""
    plain = spelling(word)
    return tuple(
        stem(other + plain.removeprefix(prefix))
        for prefix, others in _OTHERS.items()
        if plain.startswith(prefix) and len(plain) - len(prefix) >= _SHORTEST
        for other in others
    )


@lru_cache(maxsize=20_000)
def _plain(word: str) -> str:
    return stem(spelling(word))


COMPARED: Final = frozenset({"more", "less", "faster", "slower"})
"""Directions of the word after them, whatever it is."""
_NEXT: Final = 2
"""Content words after a direction among which is what goes up or down."""
_BREAKS: Final = re.compile(r"[;:,()]|\b(?:while|whereas|but|although|though|and|because)\b", re.IGNORECASE)


class Directed(NamedTuple):
    """A word with a direction: its index, and its side in a pair of ``OPPOSITES``."""

    at: int
    word: Word
    side: int


def directions(claim: SentenceAnalysis, evidence: SentenceAnalysis) -> Iterator[Clash]:
    """A direction in the statement, and the opposite of the same thing in the passage, which the statement lacks."""
    for at, claimed in enumerate(_directed(claim)):
        written = _directed(evidence)[at] if claimed else []
        sides = {other.side for other in written}
        for one in claimed if written else ():
            if one.word.key in COMPARED and one.side in sides:
                continue
            against = max((found for found in _like_words(claim, one, evidence, written, -1)), default=None)
            if against is None or not _of_the_same(claim, one, evidence, against[1]):
                continue
            along = max((score for score, _ in _like_words(claim, one, evidence, written, 1)), default=0)
            better = max((score for score, _ in _like_words(evidence, against[1], claim, claimed, 1)), default=0)
            if against[0] >= ALIKE and against[0] > max(along, better) and not is_mirrored(claim, evidence):
                yield Clash("direction", span_of(one.word), span_of(against[1].word))
                return


def _like_words(
    sentence: SentenceAnalysis, one: Directed, other: SentenceAnalysis, words: list[Directed], sign: int
) -> Iterator[tuple[int, Directed]]:
    """The words of another sentence with the same side (``sign`` 1) or the other (-1), with the frames' likeness."""
    own = frame(sentence, one.at, one.at + 1)
    for word in words:
        if word.word.negated == one.word.negated and (word.side == one.side) == (sign > 0):
            yield likeness(own, frame(other, word.at, word.at + 1)), word


def _of_the_same(claim: SentenceAnalysis, one: Directed, evidence: SentenceAnalysis, other: Directed) -> bool:
    """Whether what goes up in one goes down in the other: a noun beside both, in the same clause."""
    before, after = _beside(claim, one.at)
    others_before, others_after = _beside(evidence, other.at)
    if one.word.key in COMPARED or other.word.key in COMPARED:
        return bool(after[:1]) and after[:1] == others_after[:1]
    return bool(
        {*after[:1]} & {*others_before[:1], *others_after}
        or {*others_after[:1]} & {*before[:1], *after}
        or {*before[:1]} & {*others_before[:1]}
    )


def _beside(sentence: SentenceAnalysis, at: int) -> tuple[list[str], list[str]]:
    """The terms of the content words before and after a word up to the end of its clause, the nearest first."""
    word = sentence.words[at]
    before: list[str] = []
    for near in reversed(sentence.words[max(0, at - 2 * SCOPE) : at]):
        if len(before) == _NEXT or _BREAKS.search(sentence.text, near.start, word.start):
            break
        before += [near.term] if _counts(near) else []
    after: list[str] = []
    for near in sentence.words[at + 1 : at + 1 + 2 * SCOPE]:
        if len(after) == _NEXT or _BREAKS.search(sentence.text, word.end, near.end):
            break
        after += [near.term] if _counts(near) else []
    return before, after


@once
def _directed(sentence: SentenceAnalysis) -> list[list[Directed]]:
    """The words with a direction by pair of ``OPPOSITES``."""
    return [_directed_by(sentence, pair) for pair in OPPOSITES]


def _directed_by(sentence: SentenceAnalysis, pair: tuple[frozenset[str], frozenset[str]]) -> list[Directed]:
    if sentence.keys.isdisjoint(pair[0]) and sentence.keys.isdisjoint(pair[1]):
        return []
    found = (
        Directed(at, word, side)
        for at, word in enumerate(sentence.words)
        for side in (0, 1)
        if word.key in pair[side] and not _in_quantity(sentence, word)
    )
    return list(islice(found, MOST_COMPARED))


def _in_quantity(sentence: SentenceAnalysis, word: Word) -> bool:
    """Whether a word is part of a quantity (``below 30``)."""
    return any(quantity.start <= word.start < quantity.end for quantity in sentence.quantities)


def _counts(word: Word) -> bool:
    """Whether a word may be what goes up or down; ``significantly`` is not."""
    return word.is_content and not word.key.endswith("ly")


def is_mirrored(claim: SentenceAnalysis, evidence: SentenceAnalysis) -> bool:
    """Whether both make the same comparison with the sides exchanged (A less than B, B more than A)."""
    claimed, other = _sides_of_than(claim), _sides_of_than(evidence)
    if claimed is None or other is None:
        return False
    crossed = len(claimed[0] & other[1]) + len(claimed[1] & other[0])
    return crossed >= len(claimed[0] & other[0]) + len(claimed[1] & other[1]) or bool(
        claimed[1] & (other[0] - other[1])
    )


def _sides_of_than(sentence: SentenceAnalysis) -> tuple[frozenset[str], frozenset[str]] | None:
    """The content terms before and after ``than``."""
    at = next((word.start for word in sentence.words if word.key == "than"), None)
    if at is None:
        return None
    content = [word for word in sentence.words if word.is_content]
    return (
        frozenset(word.term for word in content if word.start < at),
        frozenset(word.term for word in content if word.start > at),
    )
