"""How near sources are to statements by an encoder or a scorer, and the triage score that this makes with the rules'.

The scale is measured for each encoder; ``blend.toml`` has the weights of the score.
"""

from collections.abc import Sequence
from functools import cache
from math import exp, log
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol, runtime_checkable

from medreview.errors import UserError
from medreview.evidence.assess import Assessment
from medreview.evidence.jsonl_filter import AssessedPair
from medreview.evidence.passage_ranking import SourceIndex
from medreview.evidence.sentence_analysis import compared_part
from medreview.text import Span

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Encoder(Protocol):
    """Gives each text a vector; texts of like meaning have vectors with a large scalar product.

    ``name`` says model and version: it is stored with vectors and stands in the judge's name, so that vectors of two
    models are never compared.
    """

    @property
    def name(self) -> str: ...

    def encode(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """One row of length 1 for each text, in their order. Raises ``UserError`` when no vectors can be had."""
        ...


@runtime_checkable
class ByWord(Encoder, Protocol):
    """An encoder that also gives the vectors of a text's words; ``size``: numbers of a vector."""

    size: int

    def encode_words(self, texts: Sequence[str]) -> "list[NDArray[np.float32]]":
        """For each text rows of length 1: that of :meth:`encode`, and one for each part of a word that counts."""
        ...


def encoded(encoder: Encoder, texts: Sequence[str]) -> "list[NDArray[np.float32]]":
    """The vectors of texts, a matrix a text: its own in the first row, those of its words below, where the encoder
    gives them."""
    if isinstance(encoder, ByWord):
        return encoder.encode_words(texts)
    return [row[None, :] for row in encoder.encode(texts)]


@runtime_checkable
class Scorer(Protocol):
    """Says of each passage how much it bears on a statement, both read together: a reranking model."""

    @property
    def name(self) -> str: ...

    def score(self, statement: str, passages: Sequence[str]) -> list[float]:
        """One number from 0 to 1 for each passage, in their order. Raises ``UserError`` when there is no answer."""
        ...


PARAPHRASES: Final = (
    ("Metformin lowers blood glucose.", "Blood sugar falls under treatment with metformin."),
    ("High blood pressure damages the kidneys.", "Hypertension can lead to renal disease."),
    (
        "Antibiotics do not help against viral infections.",
        "Viral disease is not cured by antibacterial drugs.",
    ),
    ("Smoking is the main cause of lung cancer.", "Most bronchial carcinomas are due to tobacco."),
    ("Insomnia is treated with behavioural therapy first.", "For sleeplessness, begin with cognitive therapy."),
    ("Measles is prevented by vaccination.", "Immunisation protects children from measles."),
    ("Opioids cause constipation.", "Bowel movements become rare in patients who take morphine."),
    ("Iron deficiency is a common cause of anaemia.", "A low haemoglobin often comes from a lack of iron."),
    ("Migraine may begin with visual disturbances.", "Some headache attacks are preceded by flickering lights."),
    ("Osteoporosis raises the risk of hip fracture.", "Fragile bones break more easily at the hip."),
    ("Asthma attacks are relieved by inhaled salbutamol.", "A beta agonist by inhaler eases acute bronchospasm."),
    ("Depression is more common after a stroke.", "Many survivors of a cerebral infarction become depressed."),
)
"""Pairs that say the same; the first of one and the second of another are unrelated."""


class Nearness(NamedTuple):
    """How near a statement is to a source: 0 as unrelated texts, 1 as a paraphrase; beyond both, too.

    ``best``: the nearest passage. ``around``: the nearest passage together with the one before and the one after it.
    ``words``: each word of the statement to the nearest of all passages' (MaxSim), the mean; ``None`` where the encoder
    gives no vectors of words.
    """

    best: float
    around: float
    words: float | None = None

    @property
    def near(self) -> float:
        """One number: the mean of what the passages say and, where they were asked, of what the words say.

        The shares are fixed. Fitted ones did no better on annotated cases of a set that was left out.
        """
        passages = (self.best + self.around) / 2
        return passages if self.words is None else (self.words + passages) / 2


class _Stretch(NamedTuple):
    """The mean scalar products of unrelated sentences and of paraphrases."""

    unrelated: float
    same: float

    def of(self, product: float) -> float:
        return (product - self.unrelated) / (self.same - self.unrelated)


class SimilarityScale(NamedTuple):
    """What unrelated sentences and paraphrases have with an encoder, by their vectors and by those of their words."""

    texts: _Stretch
    words: _Stretch | None

    def nearness(self, statement: "NDArray[np.float32]", passages: "Sequence[NDArray[np.float32]]") -> Nearness:
        """How near a statement is to passages (at least one), which are in the order of the text; each :func:`encoded`
        by the encoder of this scale."""
        import numpy as np

        rows = np.array([passage[0] for passage in passages])
        around = rows.copy()
        around[1:] += rows[:-1]
        around[:-1] += rows[1:]
        around /= np.linalg.norm(around, axis=1, keepdims=True)
        best, together = (float((vectors @ statement[0]).max()) for vectors in (rows, around))
        words = self.words.of(_max_sim(statement, passages)) if self.words else None
        return Nearness(self.texts.of(best), self.texts.of(together), words)


def _max_sim(statement: "NDArray[np.float32]", passages: "Sequence[NDArray[np.float32]]") -> float:
    """The mean over the words of a statement of the largest product with a word of the passages (ColBERT)."""
    import numpy as np

    products = statement[1:] @ np.concatenate([passage[1:] for passage in passages]).T
    return float(products.max(axis=1).mean())


def scale_of(encoder: Encoder) -> SimilarityScale:
    """The scale of an encoder; raises ``UserError`` for one that cannot tell paraphrases from unrelated sentences."""
    vectors = encoded(encoder, [text for pair in PARAPHRASES for text in pair])
    said, again = vectors[0::2], vectors[1::2]
    texts = _stretch(encoder, [[float(one[0] @ other[0]) for other in again] for one in said])
    if not isinstance(encoder, ByWord):
        return SimilarityScale(texts, None)
    return SimilarityScale(texts, _stretch(encoder, [[_max_sim(one, [other]) for other in again] for one in said]))


def _stretch(encoder: Encoder, products: Sequence[Sequence[float]]) -> _Stretch:
    """From the products of each paraphrase with each other one: those of a pair stand in the diagonal."""
    count = len(products)
    same = sum(row[at] for at, row in enumerate(products))
    unrelated = (sum(map(sum, products)) - same) / (count * (count - 1))
    if not same / count > unrelated:
        raise UserError(f"The encoder {encoder.name} cannot tell paraphrases from unrelated sentences: take another.")
    return _Stretch(unrelated, same / count)


StatementPassages = tuple[str, Sequence[str]]
"""A statement, and passages of one source (at least one) in the order of its text."""


class Entailed(NamedTuple):
    """How likely it is, 0 to 1, that one of the passages supports a statement, and that one contradicts it; ``None``
    where a model says nothing on that."""

    supports: float | None = None
    contradicts: float | None = None


NOTHING_SAID: Final = Entailed()


class Entailment(Protocol):
    """A model that tells support from contradiction: the second channel beside nearness, which cannot."""

    @property
    def name(self) -> str: ...

    def entail(self, pairs: Sequence[StatementPassages]) -> list[Entailed]:
        """What it says of each pair, in their order. Raises ``UserError`` when it cannot be asked."""
        ...


MOST_KEPT: Final = 1_024
"""Texts whose vectors are kept, 30 MB of the packaged encoder: the passages of a page come again with each
statement."""


class Similarity:
    """Asks the model, and for an encoder its scale with the first question. Keeps a few vectors; a study keeps all."""

    def __init__(self, model: Encoder | Scorer) -> None:
        self.name = model.name
        self._model = model
        self._scale: SimilarityScale | None = None
        self._kept: dict[str, NDArray[np.float32]] = {}

    def of(self, pairs: Sequence[StatementPassages]) -> list[Nearness]:
        """How near each statement is to its passages; an encoder is asked once for all texts of all pairs.

        A scorer reads one passage at a time, so that its best score stands for what is around it, too. Raises
        ``UserError`` when the model gives no answer.
        """
        if isinstance(self._model, Scorer):
            best = [max(self._model.score(statement, passages)) for statement, passages in pairs]
            return [Nearness(score, score) for score in best]
        if self._scale is None:
            self._scale = scale_of(self._model)
        texts = dict.fromkeys(text for statement, passages in pairs for text in (statement, *passages))
        if new := [text for text in texts if text not in self._kept]:
            if len(self._kept) > MOST_KEPT:
                self._kept = {text: self._kept[text] for text in texts if text in self._kept}
            self._kept |= zip(new, encoded(self._model, new), strict=True)
        return [
            self._scale.nearness(self._kept[statement], [self._kept[passage] for passage in passages])
            for statement, passages in pairs
        ]


MOST: Final = 8
"""Passages of a source that a model is asked about."""
LEADING: Final = 3
"""Of them, so many are looked at with the passage before and the one after."""
_EDGE: Final = 1e-6


class BlendWeights(NamedTuple):
    """The coefficients of the score, explained in ``blend.toml``."""

    bias: float
    rules: float
    near: float
    clash: float


def load(path: Path | None = None) -> BlendWeights:
    """The weights of a file in the format of ``blend.toml``, by default the package's."""
    import tomllib

    return BlendWeights(**tomllib.loads((path or Path(__file__).with_name("blend.toml")).read_text("utf-8")))


@cache
def weights() -> BlendWeights:
    """The package's weights."""
    return load()


def passages_for(statement: str, index: SourceIndex) -> tuple[Span, ...]:
    """The passages of a source that a model is asked about, at most ``MOST``, in the order of the text.

    They are the ``LEADING`` best by the rules with their neighbours, then the next best, then those at the beginning:
    a paraphrase may share no word. None for a statement that is blank without its markers.
    """
    compared = compared_part(statement)
    if not compared.strip():
        return ()
    best = [match.passage for match in index.match(index.query(compared), MOST)]
    neighbours = [at + step for at in best[:LEADING] for step in (0, -1, 1)]
    wanted = dict.fromkeys([*neighbours, *best, *range(MOST)])
    there = [at for at in wanted if 0 <= at < len(index.passages)]
    return tuple(index.span(at) for at in sorted(there[:MOST]))


def signs(assessment: Assessment, near: float, contradicts: float = 0.0) -> tuple[float, float, float]:
    """What is weighed: the log odds of the rules; how near the source is; 1 with a clash, which no likeness of words
    outweighs, or how sure an entailment model is of a contradiction."""
    rules = min(max(assessment.unsupported, _EDGE), 1 - _EDGE)
    return log(rules / (1 - rules)), near, max(float(bool(assessment.clashes)), contradicts)


def blend(assessment: Assessment, nearness: Nearness | None, entailed: Entailed = NOTHING_SAID) -> float:
    """The new ``unsupported``, 0 to 1.

    A contradiction that an entailment model is sure of weighs as much as a clash of the rules, and one beside a clash
    nothing. Its support stands for nearness where no other model gives that. Where nothing does, the rules' log odds
    stay, with the contradiction added.
    """
    weigh = weights()
    near = nearness.near if nearness else entailed.supports
    rules, nearest, clash = signs(assessment, near or 0.0, entailed.contradicts or 0.0)
    if near is None:
        total = rules + weigh.clash * (clash - bool(assessment.clashes))
    else:
        total = weigh.bias + weigh.rules * rules + weigh.near * nearest + weigh.clash * clash
    return 1 / (1 + exp(-total))


def rescore(
    pairs: Sequence[AssessedPair], similarity: Similarity | None, entailment: Entailment | None = None
) -> list[float]:
    """The new ``unsupported`` of each pair, 0 to 1; where there is no passage to ask about, that of the rules.

    The models are asked about all pairs at once. Raises ``UserError`` when one gives no answer.
    """
    near = nearness_of(pairs, similarity) if similarity else [None] * len(pairs)
    said = entailed_of(pairs, entailment) if entailment else [NOTHING_SAID] * len(pairs)
    return [
        blend(pair.assessment, one, told) if one or told != NOTHING_SAID else pair.assessment.unsupported
        for pair, one, told in zip(pairs, near, said, strict=True)
    ]


def nearness_of(pairs: Sequence[AssessedPair], similarity: Similarity) -> list[Nearness | None]:
    """How near each statement is to its source, or ``None`` without a passage; raises as :meth:`Similarity.of` does."""
    asked = _readable(pairs)
    near = dict(zip(asked, similarity.of(list(asked.values())), strict=True))
    return [near.get(at) for at in range(len(pairs))]


def entailed_of(pairs: Sequence[AssessedPair], entailment: Entailment) -> list[Entailed]:
    """What a model of entailment says of each pair; nothing without a passage. Raises ``UserError`` as it does."""
    asked = _readable(pairs)
    said = dict(zip(asked, entailment.entail(list(asked.values())), strict=True))
    return [said.get(at, NOTHING_SAID) for at in range(len(pairs))]


def _readable(pairs: Sequence[AssessedPair]) -> dict[int, StatementPassages]:
    """By number the pairs that a model can be asked about, statements without their markers, as the rules have them."""
    chosen = {at: passages_for(pair.statement, pair.source) for at, pair in enumerate(pairs)}
    return {
        at: (compared_part(pairs[at].statement), [pairs[at].source.text[span.start : span.end] for span in spans])
        for at, spans in chosen.items()
        if spans
    }
