"""What a stage of a brief must keep to: codes for each rule that an answer breaks, none for a valid one."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Final

from medreview.evidence.alignment import tokens
from medreview.evidence.lexicon import is_negation
from medreview.evidence.meaning_words import is_number, number_value
from medreview.evidence.sentence_analysis import analyse
from medreview.generators.brief.claims import HEADINGS, Claim, Organised, Placed, Refined
from medreview.generators.checks import words
from medreview.statements.sentences import sentence_spans

LONGEST: Final = 60
"""Words of a statement."""
SHORT_NOTES: Final = 120
"""Words that a brief may always have, however short its notes are."""
_OF_NOTES: Final = 1.5
"""A brief has at most so many times the words of its notes: these leave out what a sentence needs."""
_FROM_NOTES: Final = 0.25
"""Share of a brief's words and numbers that must stand in its notes, whose abbreviations it may spell out."""
_COPIED: Final = 0.8
"""Share of a note's sentences from which on it was copied, and not told."""
_FEW: Final = 5
"""Sentences of a note below which a brief may have all of them."""
_REORGANISED: Final = 2.5
"""A reorganised brief has at most so many times the words of the one before: statements may stand in two sections."""
_LOST: Final = 0.5
"""Share of a brief's statements from which on it was lost when they vanish."""
_SAME: Final = 0.7
"""Share of a statement's words and numbers from which on another one that has them says the same."""
_OTHER: Final = 0.2
"""The same share below which a statement is not the one that its number says."""
_FROM: Final = 0.8
"""Share of a merged statement's words that must come from the statements it is made of."""
_KEPT: Final = 0.6
"""Share of their words that must be left of statements that were moved or merged."""
_NAMED: Final = 0.5
"""Share of the words of a problem's name that must stand in the statements, or be those of headings."""
OTHER_PROBLEMS: Final = "Other problems"
"""The heading of a problem whose name is not shown."""
_LONGEST_NAME: Final = 12
"""Words of a problem's name."""


def draft_codes(claims: Sequence[Claim], shown: Mapping[str, str], others: Collection[str]) -> list[str]:
    """Of a draft. ``shown``: the notes that it was made from, by tag; ``others``: tags of further notes of the case.

    A tag that names no note at all is no fault here where a right one stands beside it: it is dropped when tags are
    resolved.
    """
    return _once(_draft(claims, shown, others))


def _draft(claims: Sequence[Claim], shown: Mapping[str, str], others: Collection[str]) -> Iterator[str]:
    yield from _form(claims, words_of(shown.values()))
    yield from _told([claim.text for claim in claims], shown.values())
    for claim in claims:
        if not set(claim.tags) & set(shown):
            yield "untagged"
        if set(claim.tags) & set(others):
            yield "tag_of_other_note"


def refine_codes(before: Sequence[Claim], after: Sequence[Refined], tag: str, note: str, most: int) -> list[str]:
    """Of a refined brief: no tag vanishes unless its statement does, and new tags name the note (``tag``) only.

    ``most``: the words of all notes that were brought in so far, this one among them.
    """
    return _once(_refine(before, after, tag, note, most))


def _refine(before: Sequence[Claim], after: Sequence[Refined], tag: str, note: str, most: int) -> Iterator[str]:
    yield from _form([each.claim for each in after], most)
    known = [claim.text for claim in before]
    yield from _told(
        [each.claim.text for each in after if each.claim.text not in known], (note, *known), copied=(note,)
    )
    numbers = [each.number for each in after if each.number]
    if len(set(numbers)) < len(numbers):
        yield "number_twice"
    vanished = [claim for number, claim in enumerate(before, 1) if number not in numbers]
    if len(vanished) > _LOST * len(before):
        yield "brief_lost"
    for number, claim in after:
        if not 0 <= number <= len(before):
            yield "number_unknown"
        elif number == 0:
            yield from _new(claim, tag, vanished)
        else:
            yield from _kept(before[number - 1], claim, tag)


def _new(claim: Claim, tag: str, vanished: Sequence[Claim]) -> Iterator[str]:
    tags = set(claim.tags)
    if not tags:
        yield "untagged"
    if tags - {tag}:
        yield "tag_of_other_note"
    if any(share(old.text, claim.text) >= _SAME and set(old.tags) - tags for old in vanished):
        yield "tag_lost"


def _kept(old: Claim, claim: Claim, tag: str) -> Iterator[str]:
    if set(old.tags) - set(claim.tags):
        yield "tag_lost"
    if set(claim.tags) - set(old.tags) - {tag}:
        yield "tag_of_other_note"
    if max(share(old.text, claim.text), share(claim.text, old.text)) < _OTHER:
        yield "statement_exchanged"
    elif tag not in claim.tags and marks(claim.text) - marks(old.text):
        yield "change_untagged"


def reorganise_codes(before: Sequence[Claim], organised: Organised) -> list[str]:
    """Of a reorganised brief: statements are moved and merged only, and the set of tags is unchanged."""
    return _once(_reorganise(before, organised))


def _reorganise(before: Sequence[Claim], organised: Organised) -> Iterator[str]:
    most = round(_REORGANISED * words_of(claim.text for claim in before))
    yield from _form([placed.claim for placed in organised.claims()], most, twice=True)
    if _tags(before) != _tags([placed.claim for placed in organised.claims()]):
        yield "tags_changed"
    body = [*organised.course, *(placed for problem in organised.problems for placed in problem.claims)]
    if set(range(1, 1 + len(before))) - {number for placed in body for number in placed.numbers}:
        yield "statement_lost"
    if not organised.course or not organised.problems:
        yield "section_empty"
    for placed in organised.claims():
        if not placed.numbers or not all(1 <= number <= len(before) for number in placed.numbers):
            yield "number_unknown"
        else:
            made_of = [before[number - 1] for number in placed.numbers]
            yield from _merged(made_of, placed, whole=placed is not organised.summary)


def heading(name: str, said: Iterable[str]) -> str:
    """The heading for a problem as a model named it. It is no statement, and loses no brief; but nobody verifies it, so
    that one that tells more than the statements ``said`` is not shown."""
    if not name or words(name) > _LONGEST_NAME or share(name, " ".join((HEADINGS, *said))) < _NAMED:
        return OTHER_PROBLEMS
    return name


def _merged(made_of: Sequence[Claim], placed: Placed, *, whole: bool) -> Iterator[str]:
    """Of one statement of a section; ``whole``: it must keep what it is made of, as the one line need not."""
    together = " ".join(claim.text for claim in made_of)
    text = placed.claim.text
    if set(placed.claim.tags) != _tags(made_of):
        yield "tags_changed"
    if figures(text) - figures(together):
        yield "number_added"
    if share(text, together) < _FROM:
        yield "text_added"
    if negates(text) and not negates(together):
        yield "negation_changed"
    if whole and (figures(together) - figures(text) or any(share(claim.text, text) < _KEPT for claim in made_of)):
        yield "text_lost"
    if whole and negates(together) and not negates(text):
        yield "negation_changed"


def single_codes(texts: Sequence[str], notes: Sequence[str]) -> list[str]:
    """Of a brief that was written in one call, without tags: its statements in order."""
    claims = [Claim(text, ()) for text in texts]
    return _once(chain(_form(claims, words_of(notes), twice=True), _told(texts, notes)))


def _told(texts: Sequence[str], notes: Collection[str], copied: Collection[str] | None = None) -> Iterator[str]:
    """Of the words of statements: they stand in the notes for the greater part, and are no copy of a note."""
    if texts and share(" ".join(texts), " ".join(notes)) < _FROM_NOTES:
        yield "not_from_notes"
    written = _plain(" ".join(texts))
    for note in notes if copied is None else copied:
        sentences = [_plain(note[span.start : span.end]) for span in sentence_spans(note)]
        there = sum(sentence in written for sentence in sentences)
        if len(sentences) > _FEW and there >= _COPIED * len(sentences):
            yield "copy_of_note"


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _form(claims: Sequence[Claim], most: int, *, twice: bool = False) -> Iterator[str]:
    """Of any brief from texts of ``most`` words; ``twice``: a statement may stand in it more than once."""
    if not claims or not all(claim.text for claim in claims):
        yield "empty"
    if any(words(claim.text) > LONGEST for claim in claims):
        yield "statement_long"
    if words_of(claim.text for claim in claims) > max(SHORT_NOTES, most if twice else _OF_NOTES * most):
        yield "too_long"
    texts = [claim.text.casefold() for claim in claims]
    if not twice and len(set(texts)) < len(texts):
        yield "repeated"


def share(text: str, other: str) -> float:
    """Share 0..1 of the content words and numbers of a text that stand in another one; 1 where it has none."""
    own = marks(text)
    return len(own & marks(other)) / len(own) if own else 1.0


@lru_cache(maxsize=2_000)
def marks(text: str) -> frozenset[str]:
    """The content words, by their stems, and the numbers of a text: what tells what it says."""
    return frozenset(analyse(text).content) | figures(text)


@lru_cache(maxsize=2_000)
def figures(text: str) -> frozenset[str]:
    """The numbers of a text by their values."""
    return frozenset(number_value(token.key) for token in tokens(text) if is_number(token.key))


def negates(text: str) -> bool:
    """Whether a text has a negation."""
    return any(is_negation(token.key) for token in tokens(text))


def words_of(texts: Iterable[str]) -> int:
    """How many words some texts have."""
    return sum(map(words, texts))


def _tags(claims: Sequence[Claim]) -> set[str]:
    return {tag for claim in claims for tag in claim.tags}


def _once(codes: Iterator[str]) -> list[str]:
    return list(dict.fromkeys(codes))
