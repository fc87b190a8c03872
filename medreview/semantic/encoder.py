"""What a model of meaning is to the rest: an encoder of texts, or a scorer of passages."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

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
