"""How a server is asked for the form of its answer, and which parameters it takes: learnt once, then remembered."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from medreview.llm.call import Ask, Rung
from medreview.llm.parse import sound
from medreview.llm.settings import JudgeSettings

RUNGS: Final[tuple[Rung, ...]] = ("json_schema", "json_object", "plain")
_NEW_NAME: Final = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
_NOT_IN_A_NAME: Final = re.compile(r"[^A-Za-z0-9_-]")


class Ladder:
    """The strictest form that this judge has not declined, and the parameters that it has not declined."""

    def __init__(self, settings: JudgeSettings) -> None:
        self._model = settings.model
        self._step = 0
        self._proven = -1
        self.params: dict[str, Any] = dict(settings.params)
        """What is sent now."""
        self.changes: list[str] = []
        """What was learnt, a sentence each, for the reviewer."""

    @property
    def rung(self) -> Rung:
        """How the form is asked for now."""
        return RUNGS[self._step]

    def body(self, ask: Ask, messages: Sequence[Mapping[str, str]]) -> dict[str, Any]:
        """The request as it is sent."""
        sent = [{name: sound(text) for name, text in message.items()} for message in messages]
        body: dict[str, Any] = {"model": self._model, "messages": sent}
        body |= self.params
        response_format = form_of(ask, self.rung)
        if response_format:
            body["response_format"] = response_format
        return body

    def took(self, rung: Rung) -> None:
        """The server answered a request on this rung."""
        self._proven = max(self._proven, RUNGS.index(rung))

    def step_down(self, rung: Rung, *, sure: bool) -> bool:
        """Ask less strictly from now on; whether there is anything else to try.

        ``sure``: the server named the form as the reason. Otherwise a rung that has worked before is kept. Requests
        that were under way when another stepped down just go again.
        """
        step = RUNGS.index(rung)
        if step < self._step:
            return True
        if step == len(RUNGS) - 1 or (not sure and self._proven >= 0):
            return False
        self._step = step + 1
        self.changes.append(f"{rung} was not taken; {self.rung} is used.")
        return True

    def drop(self, name: str, sent: Mapping[str, Any]) -> bool:
        """Leave a parameter out from now on, or send it by its other name; whether that changes anything."""
        if name not in sent:
            return False
        if name in self.params:
            value = self.params.pop(name)
            other = _NEW_NAME.get(name)
            if other and not any(other in change for change in self.changes):
                self.params[other] = value
                self.changes.append(f"{name} was not taken; it is sent as {other}.")
            else:
                self.changes.append(f"{name} was not taken and is left out.")
        return True


def form_of(ask: Ask, rung: Rung) -> dict[str, Any] | None:
    """The ``response_format`` of a request on a rung; ``None`` on the plain one, where the prompt alone asks."""
    if rung == "json_schema":
        name = _NOT_IN_A_NAME.sub("_", ask.task)[:64] or "answer"
        return {"type": "json_schema", "json_schema": {"name": name, "strict": True, "schema": dict(ask.schema)}}
    return {"type": "json_object"} if rung == "json_object" else None
