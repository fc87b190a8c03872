"""How near sources are to statements, by an encoder or by a scorer, whichever is given."""

from collections.abc import Sequence

from medreview.semantic.encoder import Encoder, Scorer
from medreview.semantic.scale import Nearness, Scale, scale_of

Pair = tuple[str, Sequence[str]]
"""A statement, and passages of one source (at least one) in the order of its text."""


class Similarity:
    """Asks the model, and for an encoder its scale with the first question. Keeps no vectors: the study does."""

    def __init__(self, model: Encoder | Scorer) -> None:
        self.name = model.name
        self._model = model
        self._scale: Scale | None = None

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
        rows = dict(zip(texts, self._model.encode(list(texts)), strict=True))
        return [
            self._scale.nearness(rows[statement], [rows[passage] for passage in passages])
            for statement, passages in pairs
        ]
