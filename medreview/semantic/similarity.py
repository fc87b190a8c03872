"""How near passages are to statements, by an encoder or by a scorer, whichever is given."""

from collections.abc import Sequence

from medreview.semantic.encoder import Encoder, Scorer
from medreview.semantic.scale import Scale, scale_of


class Similarity:
    """Asks the model, and for an encoder its scale with the first question. Keeps no vectors: the study does."""

    def __init__(self, model: Encoder | Scorer) -> None:
        self.name = model.name
        self._model = model
        self._scale: Scale | None = None

    def of(self, pairs: Sequence[tuple[str, Sequence[str]]]) -> list[list[float]]:
        """For each statement a number for each of its passages: 0 unrelated, 1 the same.

        An encoder is asked once for all texts of all pairs. Raises ``UserError`` when the model gives no answer.
        """
        if isinstance(self._model, Scorer):
            return [self._model.score(statement, passages) for statement, passages in pairs]
        if self._scale is None:
            self._scale = scale_of(self._model)
        texts = dict.fromkeys(text for statement, passages in pairs for text in (statement, *passages))
        rows = dict(zip(texts, self._model.encode(list(texts)), strict=True))
        return [
            self._scale.similarities(rows[statement], [rows[passage] for passage in passages])
            for statement, passages in pairs
        ]
