"""The paragraphs of texts with what they are measured by, before any is chosen: rules on form, entity density.

Entities are found by our term lists, or by a tagger of the user's own.
"""

import json
import re
import shlex
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from typing import Final, NamedTuple, Protocol

from medreview.errors import UserError
from medreview.evidence.alignment import tokens
from medreview.evidence.lexicon import names_medicine
from medreview.evidence.quantities import quantities
from medreview.evidence.segment import WRAP_LENGTH, is_item, is_row, is_wrapped
from medreview.evidence.terms import stem, terms, vocabulary
from medreview.generators.passage_measures import WordWeights, coherence_variance, semantic_entropy
from medreview.generators.source_texts import SourceText
from medreview.progress import SILENT, Progress
from medreview.statements.kinds import is_disclaimer, names_condition, names_drug
from medreview.statements.sentences import sentence_spans
from medreview.text import Span
from medreview.units.stored import NewPassage

_LINE: Final = re.compile(r"[^\n\f]*[^\s][^\n\f]*")
_BREAK: Final = re.compile(r"\n[^\S\n]*\n|\f")


def paragraphs(text: str) -> Iterator[Span]:
    """The paragraphs in order, disjoint, without white space at their ends; all that is not white space is in one.

    A blank line and a heading of Markdown part two. Without a blank line between them, lines are one paragraph where
    the text is hard-wrapped and the line before is a full one, or the line goes on in lower case; rows of a table stay
    together, and so do the items of a list with what introduces them.
    """
    wrapped = is_wrapped(text)
    lines = [_bare(text, match.start(), match.end()) for match in _LINE.finditer(text)]
    start = 0
    for at, (before, line) in enumerate(pairwise(lines), 1):
        if _BREAK.search(text, before.end, line.start) or not _continues(text, before, line, wrapped):
            yield Span(lines[start].start, before.end)
            start = at
    if lines:
        yield Span(lines[start].start, lines[-1].end)


def _bare(text: str, start: int, end: int) -> Span:
    line = text[start:end]
    return Span(start + len(line) - len(line.lstrip()), start + len(line.rstrip()))


def _continues(text: str, before: Span, line: Span, wrapped: bool) -> bool:
    first, then = text[slice(*before)], text[slice(*line)]
    if first[0] == "#" or then[0] == "#":
        return False
    if is_row(first) != is_row(then):
        # A short line beside rows is what is left of a cell.
        return len(first if is_row(then) else then) < WRAP_LENGTH
    if is_row(then) or is_item(then) or then[0].islower():
        return True
    return wrapped and (len(first) >= WRAP_LENGTH or first[-1] in ",-(")


LEAST_TOKENS: Final = 15
LEAST_SENTENCES: Final = 2
MOST_TOKENS: Final = 1_000
"""Ours: a longer one is a text whose paragraphs were lost, and too long for one question."""
TABULAR: Final = 0.3
"""Share of lines."""

_NAVIGATION: Final = re.compile(
    r"""\b(?:
        (?:skip|go|jump|return|back)\s(?:back\s)?to\s(?:the\s)?(?:main\s)?(?:content|top|index|contents|start|home|menu|navigation)
      | (?:previous|next)\s(?:chapter|section|page|article|topic|post)
      | table\sof\scontents | click\s(?:here|on|the) | read\smore | sign\s(?:in|up) | log\s?in | subscribe
      | share\s(?:this|on) | follow\sus | print\sthis | download\s(?:pdf|citation|the) | accept\s(?:all\s)?cookies
      | (?:search|browse)\sthis\s(?:site|book) | you\sare\shere | site\s?map
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)
_LINK_TARGET: Final = re.compile(r"(?<=\])\([^()\s]*\)")
_IMPRINT: Final = re.compile(
    r"""\b(?:e-?)?ISBN(?:-1[03])?\b[\s:]*[\dX-] | \bISSN\b[\s:]*\d | © | \(c\)\s(?:19|20)\d\d
      | \bcopyright\b\s*(?:©|\(c\)|by\b|(?:19|20)\d\d|of\b|holder|notice|is\sheld)
      | \ball\srights\sreserved\b | \bno\spart\sof\sthis\b | \bprinted\s(?:and\sbound\s)?in\b | \bcreative\scommons\b
      | \b(?:publishers?|authors?|editors?)\b[^.]{0,80}\b(?:accepts?\sno|disclaims?
          |(?:is|are)\snot\s(?:liable|responsible))""",
    re.IGNORECASE | re.VERBOSE,
)
_CAPTION: Final = re.compile(
    r"[\W_]*(?:supplementary\s|online\s)?(?:figure|fig\.?|table|box|plate|panel|scheme|chart|exhibit|algorithm)\s"
    r"(?:[A-Z]?\d{1,3}(?:[.–-]\d{1,3})*[A-Za-z]?|[IVX]{1,5})[\s*_]*(?:[.:|–—-](?=\s|\Z|[*_])|\)|\Z|\n)",
    re.IGNORECASE,
)
_LATEX: Final = re.compile(
    r"\\(?:[a-zA-Z]+\*?\s*[{\[]|(?:alpha|beta|gamma|delta|Delta|mu|sigma|times|cdot|leq?|geq?|pm|sum|int|infty|approx|sim"
    r"|rightarrow|left|right|quad|item|hline|noindent|degree|circ)(?![a-zA-Z])|[\[\]()](?=.*\\[\[\]()]))"
    r"|\$\$|\$(?=\S)[^$\n]{0,200}?[\\^_={}][^$\n]{0,200}?(?<=\S)\$|\$[A-Za-z]\$",
)


def noise(text: str, tokens: int, sentences: list[str]) -> Iterator[str]:
    """The codes of the rules that a paragraph fails; ``sentences`` are its own."""
    if tokens < LEAST_TOKENS:
        yield "few_tokens"
    if len(sentences) < LEAST_SENTENCES:
        yield "few_sentences"
    if tokens > MOST_TOKENS:
        yield "too_long"
        return
    if _is_boilerplate(text, sentences):
        yield "boilerplate"
    lines = [line for line in text.split("\n") if line.strip()]
    if sum(map(is_row, lines)) >= TABULAR * len(lines):
        yield "table"
    if _CAPTION.match(text):
        yield "caption"
    if _LATEX.search(text):
        yield "latex"


def _is_boilerplate(text: str, sentences: list[str]) -> bool:
    """An imprint anywhere; disclaimers or navigation in half of the sentences."""
    if _IMPRINT.search(text):
        return True
    cues = sum(is_disclaimer(sentence) or _is_navigation(sentence) for sentence in sentences)
    return cues * 2 >= max(1, len(sentences))


def _is_navigation(sentence: str) -> bool:
    """Whether a sentence is cues of navigation for the greater part, not counting where its links lead."""
    bare = _LINK_TARGET.sub("", sentence)
    return sum(len(found[0]) for found in _NAVIGATION.finditer(bare)) * 2 >= len(bare)


TERM_LISTS: Final = "medreview term lists"
"""The name under which the densities by our own lists are stored."""

_NO_ENTITIES: Final = (
    "prevent", "safe", "efficacy", "treat", "avoid", "increase", "decrease", "monthly", "men", "women", "physician",
)  # fmt: skip
"""Words of the synonym table that name no disease, drug, procedure or measure: a word of each of their groups."""


class Tagger(Protocol):
    """What finds entities; ``name`` is stored with each density."""

    name: str

    def entities(self, texts: Sequence[str]) -> list[list[Span]]:
        """The ranges of the entities of each text."""


class TermLists:
    """Diseases, drugs, procedures and measures by the program's lists and word endings, and amounts with a unit."""

    name = TERM_LISTS

    def entities(self, texts: Sequence[str]) -> list[list[Span]]:
        """The ranges of the entities of each text; they may overlap."""
        return [_named_in(text) for text in texts]


class TaggerCommand:
    """A program of the user's own, for example with spaCy: it gets a JSON line ``{"text": ...}`` for each passage, and
    answers each with a line ``{"entities": [[start, end], ...]}``, in code points, in the same order."""

    def __init__(self, command: str) -> None:
        self.name = command

    def entities(self, texts: Sequence[str]) -> list[list[Span]]:
        """The ranges of the entities of each text. Raises :class:`UserError` when the program does not answer so."""
        lines = "".join(json.dumps({"text": text}) + "\n" for text in texts)
        try:
            # Named by whoever gives the command, like any program of a pipe.
            done = subprocess.run(shlex.split(self.name), input=lines, capture_output=True, encoding="utf-8")
        except (OSError, ValueError) as error:
            raise UserError(f"The tagger {self.name!r} cannot be started ({error}).") from error
        if done.returncode:
            last = "".join(f": {line[:200]}" for line in done.stderr.strip().splitlines()[-1:])
            raise UserError(f"The tagger {self.name!r} ended with the code {done.returncode}{last or '.'}")
        answers = done.stdout.splitlines()
        if len(answers) != len(texts):
            raise UserError(
                f"The tagger {self.name!r} answered {len(texts)} passages with {len(answers)} lines; it needs one "
                "for each."
            )
        return [self._read(line, text, at) for at, (line, text) in enumerate(zip(answers, texts, strict=True), 1)]

    def _read(self, line: str, text: str, at: int) -> list[Span]:
        try:
            found = [Span(int(start), int(end)) for start, end, *_ in json.loads(line)["entities"]]
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise UserError(
                f'Line {at} of the tagger {self.name!r} is not {{"entities": [[start, end], ...]}}: {line[:80]!r}.'
            ) from error
        if any(not 0 <= span.start < span.end <= len(text) for span in found):
            raise UserError(f"Line {at} of the tagger {self.name!r} has a range that is not in its passage.")
        return found


def density(text: str, entities: Sequence[Span]) -> float:
    """The share of a text's tokens that belong to an entity."""
    all_tokens = tokens(text)
    found = sum(any(token.start < span.end and span.start < token.end for span in entities) for token in all_tokens)
    return found / len(all_tokens) if all_tokens else 0.0


def _named_in(text: str) -> list[Span]:
    no_entities = _no_entities()
    found = [
        Span(term.start, term.end) for term in terms(text) if term.key.startswith("~") and term.key not in no_entities
    ]
    found += [Span(amount.start, amount.end) for amount in quantities(text) if amount.unit]
    found += [Span(token.start, token.end) for token in tokens(text) if _is_name(token.key)]
    return found


@lru_cache(maxsize=100_000)
def _is_name(word: str) -> bool:
    return names_medicine(word) or names_drug(word) or names_condition(word)


@cache
def _no_entities() -> frozenset[str]:
    return frozenset(vocabulary().single[stem(word)] for word in _NO_ENTITIES)


TAGGED_AT_ONCE: Final = 500
"""Passages that a tagger is given in one go."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A paragraph: the text it stands in, where, its tokens and sentences, the codes of the rules on form that it
    fails."""

    source: SourceText
    span: Span
    tokens: int
    sentences: tuple[str, ...]
    noise: tuple[str, ...]

    @property
    def is_measured(self) -> bool:
        """Whether its features are worked out: not those of a text that is too long to be a paragraph."""
        return "too_long" not in self.noise

    @property
    def text(self) -> str:
        """Its text."""
        return self.source.text[self.span.start : self.span.end]

    @property
    def passage(self) -> NewPassage:
        """The passage that it becomes when it is kept."""
        return NewPassage(self.text, self.source.title, self.source.url)


class PassageMeaning(NamedTuple):
    """What the vectors of a passage's sentences tell of it."""

    variance: float
    entropy: float


MeaningOf = Mapping[str, PassageMeaning]
"""By passage id."""


def candidates(source: SourceText) -> Iterator[Candidate]:
    """The paragraphs of a text, in order."""
    text = source.text
    for span in paragraphs(text):
        inside = tuple(text[slice(*one)] for one in sentence_spans(text, *span))
        count = len(tokens(text[slice(*span)]))
        yield Candidate(source, span, count, inside, tuple(noise(text[slice(*span)], count, list(inside))))


def densities(every: Sequence[Candidate], tagger: Tagger, progress: Progress = SILENT) -> list[float]:
    """The entity density of each paragraph, in order."""
    found: list[float] = []
    progress.begin("entities", len(every))
    for at in range(0, len(every), TAGGED_AT_ONCE):
        texts = [one.text for one in every[at : at + TAGGED_AT_ONCE]]
        found += [density(text, spans) for text, spans in zip(texts, tagger.entities(texts), strict=True)]
        progress.step(len(texts))
    return found


def by_words(every: Sequence[Candidate], alike: float, progress: Progress = SILENT) -> dict[str, PassageMeaning]:
    """What TF-IDF tells of the paragraphs, the words weighed by all of their sentences."""
    weights = WordWeights(sentence for one in every for sentence in one.sentences)
    progress.begin("sentences", len(every))
    found: dict[str, PassageMeaning] = {}
    for one in every:
        vectors = weights.vectors(one.sentences)
        found[one.passage.passage_id] = PassageMeaning(coherence_variance(vectors), semantic_entropy(vectors, alike))
        progress.step()
    return found
