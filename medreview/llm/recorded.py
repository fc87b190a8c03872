"""A model whose answers were recorded: for the demo and for trying a study without a server. Nothing is sent."""

import asyncio
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from medreview.errors import UserError
from medreview.llm.call import JudgeRequest, ModelAnswer, cache_key
from medreview.llm.completion import parse
from medreview.llm.costs import cost_of
from medreview.llm.judge_client import Judge
from medreview.llm.settings import JudgeSettings
from medreview.llm.store import CallStore
from medreview.redaction import redact

_ENDED: Final = {"": "unparsable", "length": "truncated", "content_filter": "refused"}


class RecordedModel:
    """Answers like :class:`~medreview.llm.judge_client.Judge`, from the files ``TASK.jsonl`` of a folder.

    Each line has ``for`` (what the request is about), ``attempt`` (1 where it is missing), and ``answer``: an object,
    or a text as a model would have written it. ``model`` names the model that said so, where several are recorded;
    ``finish`` says why it ended (``stop`` when missing; ``length``, ``content_filter``). ``prompt_tokens``,
    ``completion_tokens`` and ``latency_ms`` are as recorded.
    """

    def __init__(self, settings: JudgeSettings, store: CallStore | None = None) -> None:
        self.settings = settings
        self._store = store
        self.is_stopped = False
        self.in_flight = 0
        self.dead = ""
        self.changes: tuple[str, ...] = ()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass

    def stop(self) -> None:
        """Answer nothing more."""
        self.is_stopped = True

    async def ask(self, ask: JudgeRequest) -> ModelAnswer:
        """The answer that was recorded; ``skipped`` without one."""
        key = cache_key(self.settings, ask)
        cached = self._store.get(key, ask.schema) if self._store else None
        if self._store and cached is not None:
            await self._store.reuse(key)
            return cached
        await asyncio.sleep(0)  # as with a server, others have their turn
        answer = self._answer(ask, key)
        if self._store and answer.tries:
            await self._store.put(self.settings, ask, answer)
        return answer

    def _answer(self, ask: JudgeRequest, key: str) -> ModelAnswer:
        told = None if self.is_stopped else self._recorded(ask)
        if told is None:
            error = f"No answer to {ask.task} was recorded for {ask.about}, attempt {ask.attempt}."
            return ModelAnswer("skipped", None, "", error, None, None, 0, None, 0, "", False, key)
        given = told["answer"]
        raw = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
        read = parse(raw, ask.schema)
        finish = str(told.get("finish", "stop"))
        status = _ENDED.get(finish) or ("ok" if read.value is not None else "unparsable")
        tokens = (_count(told, "prompt_tokens"), _count(told, "completion_tokens"))
        return ModelAnswer(
            status=status,  # type: ignore[arg-type]
            value=read.value if status == "ok" else None,
            raw=raw,
            error="" if status == "ok" else redact(read.problem or f"It ended with {finish}."),
            prompt_tokens=tokens[0],
            completion_tokens=tokens[1],
            latency_ms=_count(told, "latency_ms") or 0,
            cost=cost_of(self.settings, *tokens),
            tries=1,
            rung="json_schema",
            cached=False,
            cache_key=key,
            kept=1,
        )

    def _recorded(self, ask: JudgeRequest) -> Mapping[str, Any] | None:
        if self.settings.recorded is None:
            raise ValueError(f"{self.settings.name} has no folder of recorded answers")
        found = _read(self.settings.recorded / f"{ask.task}.jsonl")
        model = self.settings.model
        return found.get((model, ask.about, ask.attempt)) or found.get(("", ask.about, ask.attempt))


def open_model(settings: JudgeSettings, store: CallStore | None = None) -> Judge | RecordedModel:
    """The model of these settings: a server, or recorded answers."""
    return RecordedModel(settings, store) if settings.recorded else Judge(settings, store)


@cache
def _read(path: Path) -> dict[tuple[str, str, int], dict[str, Any]]:
    found: dict[tuple[str, str, int], dict[str, Any]] = {}
    if not path.exists():
        return found
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            told = json.loads(line)
            key = (str(told.get("model", "")), str(told["for"]), int(told.get("attempt", 1)))
            told["answer"]
        except (ValueError, TypeError, KeyError) as error:
            raise UserError(f"{path}, line {number}, is no recorded answer ({error}).") from error
        if key in found:
            raise UserError(f"{path}, line {number}, records the same answer a second time: {key[1]}.")
        found[key] = told
    return found


def _count(told: Mapping[str, Any], name: str) -> int | None:
    value = told.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
