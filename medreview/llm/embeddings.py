"""Embeddings of texts from an OpenAI-compatible endpoint (``/embeddings``)."""

from collections.abc import Sequence
from typing import Final

from medreview.llm.number_server import NumberServer, in_order, is_finite
from medreview.llm.transport import Reply, post_embeddings

TASK: Final = "embeddings"
_UNREADABLE: Final = "The answer holds no list of as many vectors as texts, all of one length."

Vectors = tuple[tuple[float, ...], ...]


class Embedder(NumberServer):
    """A model that makes embeddings."""

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """A vector for each text, all of one length. Raises what :meth:`asked` raises."""
        body = {**self.settings.params, "model": self.settings.model, "input": list(texts)}
        return await self.asked(
            TASK,
            "\n".join(texts),
            lambda client: post_embeddings(client, body, self.settings.timeout),
            lambda reply: _vectors(reply, len(texts)),
            _UNREADABLE,
        )


def _vectors(reply: Reply, texts: int) -> Vectors | None:
    """The vectors of a reply in the order of the texts; ``None`` when it has not one finite vector for each."""
    entries = in_order(reply.data.get("data") if isinstance(reply.data, dict) else None, texts)
    found: list[tuple[float, ...]] = []
    for entry in entries or ():
        vector = entry.get("embedding")
        if not isinstance(vector, list) or not vector or not all(map(is_finite, vector)):
            return None
        found.append(tuple(map(float, vector)))
    return tuple(found) if found and len({len(vector) for vector in found}) == 1 else None
