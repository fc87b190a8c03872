"""The paragraphs of texts with what they are measured by, before any is chosen."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from medreview.evidence.alignment import tokens
from medreview.generators.passages.drop_rules import noise
from medreview.generators.passages.entities import Tagger, density
from medreview.generators.passages.features import coherence_variance, semantic_entropy
from medreview.generators.passages.paragraphs import paragraphs
from medreview.generators.passages.vectors import WordWeights
from medreview.generators.source_texts import SourceText
from medreview.progress import SILENT, Progress
from medreview.statements.sentences import sentence_spans
from medreview.text import Span
from medreview.units.stored import NewPassage

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


class Meaning(NamedTuple):
    """What the vectors of a passage's sentences tell of it."""

    variance: float
    entropy: float


MeaningOf = Mapping[str, Meaning]
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


def by_words(every: Sequence[Candidate], alike: float, progress: Progress = SILENT) -> dict[str, Meaning]:
    """What TF-IDF tells of the paragraphs, the words weighed by all of their sentences."""
    weights = WordWeights(sentence for one in every for sentence in one.sentences)
    progress.begin("sentences", len(every))
    found: dict[str, Meaning] = {}
    for one in every:
        vectors = weights.vectors(one.sentences)
        found[one.passage.passage_id] = Meaning(coherence_variance(vectors), semantic_entropy(vectors, alike))
        progress.step()
    return found
