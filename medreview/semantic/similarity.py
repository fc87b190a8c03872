"""How near sources are to statements by an encoder or a scorer, on a scale that is measured for each encoder."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol, runtime_checkable

from medreview.errors import UserError

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
    """

    best: float
    around: float


class Scale(NamedTuple):
    """The mean scalar products of unrelated sentences and of paraphrases."""

    unrelated: float
    same: float

    def nearness(self, statement: "NDArray[np.float32]", passages: "Sequence[NDArray[np.float32]]") -> Nearness:
        """How near a statement's vector is to those of passages (at least one), which are in the order of the text."""
        import numpy as np

        rows = np.asarray(passages)
        around = rows.copy()
        around[1:] += rows[:-1]
        around[:-1] += rows[1:]
        around /= np.linalg.norm(around, axis=1, keepdims=True)
        width = self.same - self.unrelated
        best, together = (float((vectors @ statement).max()) for vectors in (rows, around))
        return Nearness((best - self.unrelated) / width, (together - self.unrelated) / width)


def scale_of(encoder: Encoder) -> Scale:
    """The scale of an encoder; raises ``UserError`` for one that cannot tell paraphrases from unrelated sentences."""
    texts: Sequence[str] = [text for pair in PARAPHRASES for text in pair]
    vectors = encoder.encode(texts)
    products = vectors[0::2] @ vectors[1::2].T
    count = len(PARAPHRASES)
    same = float(products.trace()) / count
    unrelated = (float(products.sum()) - same * count) / (count * (count - 1))
    if not same > unrelated:
        raise UserError(f"The encoder {encoder.name} cannot tell paraphrases from unrelated sentences: take another.")
    return Scale(unrelated, same)


Pair = tuple[str, Sequence[str]]
"""A statement, and passages of one source (at least one) in the order of its text."""


MOST_KEPT: Final = 4_096
"""Vectors that are kept, 6 MB of the packaged encoder: the passages of a page come again with each statement."""


class Similarity:
    """Asks the model, and for an encoder its scale with the first question. Keeps a few vectors; a study keeps all."""

    def __init__(self, model: Encoder | Scorer) -> None:
        self.name = model.name
        self._model = model
        self._scale: Scale | None = None
        self._kept: dict[str, NDArray[np.float32]] = {}

    def of(self, pairs: Sequence[Pair]) -> list[Nearness]:
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
            self._kept |= zip(new, self._model.encode(new), strict=True)
        return [
            self._scale.nearness(self._kept[statement], [self._kept[passage] for passage in passages])
            for statement, passages in pairs
        ]
