"""How near sources are to statements, by an encoder or by a scorer, whichever is given."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from medreview.semantic.encoder import Encoder, Scorer
from medreview.semantic.scale import Nearness, Scale, scale_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

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
