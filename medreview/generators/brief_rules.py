"""What each stage of a brief must keep to: statements with the tags of their notes, and codes for broken rules.

Instructions and recommendations that the notes do not have are out of scope for a brief (MedAgentBrief, 3.2).
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, Final, NamedTuple

from medreview.evidence.alignment import tokens
from medreview.evidence.differences import is_number, number_value
from medreview.evidence.lexicon import is_negation
from medreview.evidence.passage_ranking import SourceIndex
from medreview.evidence.sentence_analysis import analyse
from medreview.generators.answer_rules import words
from medreview.generators.brief_text import BriefPart, Sections, TaggedNote
from medreview.generators.generator import ValidatorResult
from medreview.statements.sentences import sentence_spans

_TAG_IN_TEXT: Final = re.compile(r"\s*[<\[(]\s*N\d{1,4}(?:\s*[,;]\s*N\d{1,4})*\s*[>\])]")
_LEAD: Final = re.compile(r"\A(?:[#>*•-]+\s+|\d{1,3}[.)]\s+)+")
_LONGEST_HEADING: Final = 6
"""Words of a line that stands as a heading among statements."""
HEADINGS: Final = """
    problem problems list active chronic other issues disposition follow up plan assessment medication medications
    discharge admission hospital course one line summary history allergies social functional code status diet procedures
    results laboratory imaging consults background general prophylaxis presentation outcome
"""
"""Words of the headings of clinical documents."""
_HEADING_WORDS: Final = frozenset(HEADINGS.split())


class Claim(NamedTuple):
    """One statement of a brief, and the tags of the notes that it comes from."""

    text: str
    tags: tuple[str, ...]


class Refined(NamedTuple):
    """A statement of a refined brief; ``number``: which statement of the brief before it was, 0 for a new one."""

    number: int
    claim: Claim


class Placed(NamedTuple):
    """A statement of a reorganised brief, and the ``numbers`` of those that it was made of."""

    numbers: tuple[int, ...]
    claim: Claim


class Problem(NamedTuple):
    """One problem of the problem list: its name, not a statement, and its statements."""

    name: str
    claims: tuple[Placed, ...]


class Organised(NamedTuple):
    """A brief in its three sections (MedAgentBrief): one line, the hospital course, the problem list."""

    summary: Placed
    course: tuple[Placed, ...]
    problems: tuple[Problem, ...]

    def claims(self) -> Iterator[Placed]:
        """All statements in order."""
        yield self.summary
        yield from self.course
        for problem in self.problems:
            yield from problem.claims


def claims_of(value: Mapping[str, Any]) -> list[Claim]:
    """The statements of a draft as a model returned it; headings among them are left out."""
    return [_claim(item) for item in value["statements"] if not is_heading(item["text"])]


def refined_of(value: Mapping[str, Any], before: Sequence[Claim]) -> list[Refined]:
    """The statements of a refined brief as a model returned it, without headings; one without a text is as it was
    ``before``."""
    return [
        Refined(item["number"], _claim(item, [item["number"]], before))
        for item in value["statements"]
        if not is_heading(item["text"])
    ]


def organised_of(value: Mapping[str, Any], before: Sequence[Claim]) -> Organised:
    """A reorganised brief as a model returned it; statements without a text stand as they did ``before``. Headings are
    not statements. A problem without statements is left out."""

    def placed(items: Iterable[Mapping[str, Any]]) -> tuple[Placed, ...]:
        return tuple(
            Placed(tuple(dict.fromkeys(item["numbers"])), _claim(item, item["numbers"], before))
            for item in items
            if not is_heading(item["text"])
        )

    one = value["one_line_summary"]
    summary = Placed(tuple(dict.fromkeys(one["numbers"])), _claim(one, one["numbers"], before))
    problems = (Problem(on_one_line(item["problem"]), placed(item["statements"])) for item in value["problem_list"])
    return Organised(summary, placed(value["hospital_course"]), tuple(one for one in problems if one.claims))


def numbered(claims: Sequence[Claim]) -> str:
    """Statements as a prompt has them, a line each: ``3. Weight fell from 84 to 78 kg. [N1] [N4]``."""
    return "\n".join(
        " ".join([f"{number}.", claim.text, *(f"[{tag}]" for tag in claim.tags)])
        for number, claim in enumerate(claims, 1)
    )


def in_order(tags: Iterable[str]) -> tuple[str, ...]:
    """Tags once each, ``N2`` before ``N10``."""
    return tuple(sorted(dict.fromkeys(tags), key=lambda tag: (len(tag), tag)))


def _claim(item: Mapping[str, Any], numbers: Iterable[int] = (), before: Sequence[Claim] = ()) -> Claim:
    """A statement, where it has no text or no tags with those of the statements that it was made of."""
    made_of = [before[number - 1] for number in dict.fromkeys(numbers) if 1 <= number <= len(before)]
    text, tags = cleaned(item["text"]), [tag.strip().strip("<>[]") for tag in item["tags"]]
    if not text:
        text = " ".join(claim.text for claim in made_of)
        tags = tags or [tag for claim in made_of for tag in claim.tags]
    return Claim(text, in_order(filter(None, tags)))


def is_heading(text: str) -> bool:
    """Whether a line that a model wrote among statements is a heading: ``## Allergies``, ``Disposition:``."""
    line = on_one_line(text).strip("*_ ")
    found = re.findall(r"[^\W_]+", line.casefold())
    if not found or len(found) > _LONGEST_HEADING:
        return False
    return line.startswith("#") or line.endswith(":") or _HEADING_WORDS.issuperset(found)


def on_one_line(text: str) -> str:
    """A text as a model wrote it, without line ends and NULs."""
    return " ".join(text.replace("\0", " ").split())


def cleaned(text: str) -> str:
    """A statement as a model wrote it, without tags, list and heading marks, on one line, with a full stop."""
    text = _LEAD.sub("", on_one_line(_TAG_IN_TEXT.sub("", text)), count=1)
    return text if not text or text[-1] in ".!?" else f"{text}."


LONGEST: Final = 60
"""Words of a statement."""
SHORT_NOTES: Final = 120
"""Words that a brief may always have, however short its notes are."""
_OF_NOTES: Final = 1.5
"""A brief has at most so many times the words of its notes: these leave out what a sentence needs."""
_FROM_NOTES: Final = 0.25
"""Share of a brief's words and numbers that must stand in its notes, whose abbreviations it may spell out."""
_COPIED: Final = 0.8
"""Share of a note's sentences from which on it was copied, not restated."""
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

    ``most``: the words of all notes that were used so far, this one among them.
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
    """The heading for a problem as a model named it. It is not a statement, and loses no brief. Nobody verifies it, so
    one that says more than the statements ``said`` is not shown."""
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
    """Of the words of statements: most of them stand in the notes, and they do not copy a note."""
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
    """The content words, by their stems, and the numbers of a text: its meaning."""
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


_ADVISES: Final = re.compile(
    r"\b(?:should|must|ought to|needs? to|needs|(?:is|are) to|has to|have to|please|ensure|avoid\w*|recommend\w*"
    r"|advis\w*|suggest\w*|consider\w*|encourag\w*|instruct\w*|counsel\w*|seek|call|return (?:to|if|for)"
    r"|follow[- ]?up|monitor\w*|repeat\w*|continu\w*|refer(?:red|ral)?|schedul\w*|planned|due)\b",
    re.IGNORECASE,
)
_FOUND: Final = 0.4
"""Share of a statement's weight, without the words that advise, that two passages in a row must have together."""


def advises(text: str) -> bool:
    """Whether a text reads like an instruction, a recommendation or a plan."""
    return _ADVISES.search(text) is not None


def is_own_advice(text: str, notes: Sequence[str]) -> bool:
    """Whether a statement gives advice that none of its notes has: no place there has enough of its words, or its
    numbers are not in that note. Each part of it between semicolons is looked at by itself."""
    parts = [part for part in text.split(";") if advises(part)]
    return not all(any(_says(note, part) for note in notes) for part in parts)


def _says(note: str, text: str) -> bool:
    source = SourceIndex(note)
    query = source.query(_ADVISES.sub(" ", text))
    places = range(len(source.passages))
    found = max((source.covered(query, [at, at + 1]) for at in places), default=0.0)
    return found >= _FOUND and figures(text) <= figures(note)


def check_draft(value: Mapping[str, Any], shown: Sequence[TaggedNote], notes: Sequence[TaggedNote]) -> ValidatorResult:
    """A draft, made from the notes ``shown`` of all ``notes``; its value: the statements."""
    claims = claims_of(value)
    others = {note.tag for note in notes} - {note.tag for note in shown}
    return ValidatorResult(tuple(draft_codes(claims, {note.tag: note.text for note in shown}, others)), claims)


def check_refined(
    value: Mapping[str, Any], before: Sequence[Claim], note: TaggedNote, brought_in: Sequence[TaggedNote]
) -> ValidatorResult:
    """A brief after one more note, and all notes that are in it now; its value: the statements."""
    after = refined_of(value, before)
    most = words_of(one.text for one in brought_in)
    codes = refine_codes(before, after, note.tag, note.text, most)
    return ValidatorResult(tuple(codes), [each.claim for each in after])


def check_reorganised(value: Mapping[str, Any], before: Sequence[Claim]) -> ValidatorResult:
    """A brief in three sections; its value: an :class:`~medreview.generators.brief_rules.Organised`."""
    organised = organised_of(value, before)
    said = [claim.text for claim in before]
    problems = tuple(problem._replace(name=heading(problem.name, said)) for problem in organised.problems)
    return ValidatorResult(tuple(reorganise_codes(before, organised)), organised._replace(problems=problems))


def check_single(value: Mapping[str, Any], notes: Sequence[TaggedNote]) -> ValidatorResult:
    """A brief that was written in one call; its value: the :class:`~medreview.generators.brief_text.Sections`."""
    named = [(on_one_line(item["problem"]), _parts(item["statements"])) for item in value["problem_list"]]
    summary, course = _parts([value["one_line_summary"]]), _parts(value["hospital_course"])
    texts = [part.text for part in (*summary, *course, *(part for _, those in named for part in those))]
    problems = tuple((heading(name, texts), those) for name, those in named if those)
    sections = Sections(summary, course, problems)
    codes = single_codes(texts, [note.text for note in notes])
    if not (summary and course and problems):
        codes.append("section_empty")
    return ValidatorResult(tuple(codes), sections)


def _parts(texts: Sequence[str]) -> tuple[BriefPart, ...]:
    return tuple(BriefPart(cleaned(text), ()) for text in texts if text.strip() and not is_heading(text))
