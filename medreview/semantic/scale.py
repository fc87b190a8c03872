"""The scale of an encoder: which scalar product is that of unrelated sentences, and which that of paraphrases.

Encoders differ in it: unrelated sentences have 0.05 with one, 0.7 with another. Each is asked about the same sentences,
written for this, once a run; no label, no text of the study and no chance is in it, so that the same encoder always has
the same scale.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from medreview.errors import UserError
from medreview.semantic.encoder import Encoder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

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
