"""Scores of passages from an endpoint that reads each together with a statement (``/rerank`` or ``/score``)."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, Literal

from medreview.llm.number_server import NumberServer, in_order, is_finite
from medreview.llm.settings import JudgeSettings
from medreview.llm.store import CallStore
from medreview.llm.transport import Reply, post_json

if TYPE_CHECKING:
    from openai import AsyncOpenAI

TASK: Final = "scores"
Path = Literal["rerank", "score"]
_UNREADABLE: Final = "The answer holds no list of one score for each passage."


class Reranker(NumberServer):
    """A model that scores passages, at the address of the settings with ``/rerank`` or ``/score`` behind it.

    ``/rerank`` is asked as Jina, Cohere, vLLM and llama.cpp have it (``documents``); a server that says it wants
    ``texts`` (text-embeddings-inference) gets them. ``/score`` is that of vLLM (``text_1``, ``text_2``).
    """

    def __init__(self, settings: JudgeSettings, store: CallStore | None, path: Path, *, backoff: float = 0.5) -> None:
        super().__init__(settings, store, backoff=backoff)
        self._path = path
        self._wants_texts = False

    async def score(self, statement: str, passages: Sequence[str]) -> tuple[float, ...]:
        """The model's own number for each passage, in their order. Raises what :meth:`asked` raises."""
        return await self.asked(
            TASK,
            "\n".join((statement, *passages)),
            lambda client: self._send(client, statement, passages),
            lambda reply: _scores(reply, len(passages)),
            _UNREADABLE,
        )

    async def _send(self, client: "AsyncOpenAI", statement: str, passages: Sequence[str]) -> Reply:
        reply = await self._post(client, statement, passages)
        if self._path == "rerank" and not self._wants_texts and reply.status in {400, 422} and "texts" in reply.text:
            self._wants_texts = True
            reply = await self._post(client, statement, passages)
        return reply

    async def _post(self, client: "AsyncOpenAI", statement: str, passages: Sequence[str]) -> Reply:
        asked: dict[str, Any]
        if self._path == "score":
            asked = {"model": self.settings.model, "text_1": statement, "text_2": list(passages)}
        elif self._wants_texts:
            asked = {"query": statement, "texts": list(passages)}
        else:
            asked = {"model": self.settings.model, "query": statement, "documents": list(passages)}
        return await post_json(client, f"/{self._path}", {**self.settings.params, **asked}, self.settings.timeout)


def _scores(reply: Reply, passages: int) -> tuple[float, ...] | None:
    """The scores in the order of the passages; ``None`` when there is not one finite number for each."""
    data = reply.data
    entries = in_order(data.get("results", data.get("data")) if isinstance(data, dict) else data, passages)
    named = [entry.get("relevance_score", entry.get("score")) for entry in entries or ()]
    found = tuple(float(score) for score in named if is_finite(score))
    return found if found and len(found) == passages else None
