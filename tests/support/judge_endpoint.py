"""An OpenAI-compatible endpoint of a model on this machine, whose answers a test decides."""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from medreview.judges.llm_stage import Tally, put_to_models
from medreview.judges.tasks.registry import DEFAULT, tasks_of
from medreview.llm.settings import JudgeSettings
from medreview.study import Study
from tests.support.http_server import Exchange, LocalServer, Route, answer, answer_json, in_turn

GOOD = {"quote": "5 mg once daily", "label": "supported", "confidence": 0.9}
"""An answer to source verification that satisfies its schema."""
NOT_ADDRESSED = {"quote": "", "reason": "Nothing on this.", "label": "not_addressed", "confidence": 0.8}


def judge_with(
    study: Study, settings: Sequence[JudgeSettings], *, task: str = DEFAULT, prompts: Path | None = None, **more: Any
) -> list[Tally]:
    """Put a task to judges, without rolling up what they say."""
    return put_to_models(study, tasks_of(study, settings, task, prompts), **more)


class JudgeEndpoint(LocalServer):
    """Answers one request after the other with ``plays``; the last stays. Without any it says :data:`GOOD`."""

    def __init__(self, *plays: Route) -> None:
        super().__init__(keep_alive=True)
        self.play(*plays or (says(),))

    def play(self, *plays: Route) -> Self:
        """From now on answer so, beginning with the first of these."""
        self.otherwise = in_turn(*plays)
        return self

    @property
    def asked(self) -> list[dict[str, Any]]:
        """The bodies of all requests."""
        return [json.loads(request.body) for request in self.received]

    @property
    def prompts(self) -> list[str]:
        """What the user says first in each request."""
        return [body["messages"][0]["content"] for body in self.asked]

    def settings(self, name: str = "one", **more: Any) -> JudgeSettings:
        """The settings of a judge that is asked here."""
        fields = {"model": "m", "base_url": f"{self.base}/v1", "timeout": 5.0, **more}
        return JudgeSettings(name, **fields)

    def table(self, name: str, model: str = "m", **more: float | str | bool) -> str:
        """The same as a table of ``medreview.toml``."""
        fields = {"model": model, "base_url": f"{self.base}/v1", **more}
        return f"[judges.{name}]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in fields.items())


def prompt_of(body: Mapping[str, Any]) -> str:
    """What a request asks; ``""`` of one that has no messages."""
    return str(body["messages"][0]["content"]) if body.get("messages") else ""


def as_asked(told: Any, prompt: str = "`opposing_quote`") -> Any:
    """An answer in the form that its prompt asks for: what a test is not about is filled in.

    Prompts ask for a list of quotes since their version 2; a contradiction has its quote as the opposite.
    """
    if "`opposing_quote`" not in prompt or not isinstance(told, dict) or "opposes" in told or "label" not in told:
        return told
    quotes = told.get("quotes") or [quote for quote in [told.get("quote")] if quote]
    opposes = told["label"] == "contradicted"
    rest = {name: value for name, value in told.items() if name != "quote"}
    whole = {"opposes": opposes, "opposing_quote": quotes[0] if opposes and quotes else "", "missing": "", "reason": ""}
    return {"quotes": quotes, **whole, **rest}


def completion(
    content: object, finish: str | None = "stop", usage: tuple[int, int] | None = (40, 20), **message: object
) -> dict[str, Any]:
    """The body of an answer: what was written, why it ended, tokens in and out."""
    told = {"role": "assistant", "content": content, **message}
    body: dict[str, Any] = {"id": "c1", "object": "chat.completion", "created": 1, "model": "m"}
    body["choices"] = [{"index": 0, "finish_reason": finish, "message": told}]
    if usage:
        body["usage"] = dict(
            zip(("prompt_tokens", "completion_tokens", "total_tokens"), (*usage, sum(usage)), strict=True)
        )
    return body


def says(
    content: object = None, finish: str | None = "stop", usage: tuple[int, int] | None = (40, 20), **message: object
) -> Route:
    """The model writes this (by default a good answer)."""
    written = json.dumps(GOOD) if content is None else content

    def play(exchange: Exchange) -> None:
        content = written
        if isinstance(written, str) and written.startswith("{"):
            with suppress(ValueError):
                told = json.loads(written)
                as_it_asks = as_asked(told, prompt_of(json.loads(exchange.body)))
                content = written if as_it_asks is told else json.dumps(as_it_asks)
        answer_json(completion(content, finish, usage, **message))(exchange)

    return play


def sends(status: int, body: object, **headers: str) -> Route:
    """This status and body: an object as JSON, a text as it is."""
    if not isinstance(body, str):
        return answer_json(body, status=status, **headers)
    kind = "text/html" if body.startswith("<") else "application/json"
    return answer(body.encode(), status=status, Content_Type=kind, **headers)


def refuses(status: int, message: str, **more: object) -> Route:
    """An error in the words of this kind of server."""
    return sends(status, {"error": {"message": message, "type": "invalid_request_error", **more}})


def echoes_the_key(exchange: Exchange) -> None:
    """Refuse a key and repeat it."""
    key = exchange.headers["Authorization"]
    refuses(401, f"Incorrect API key provided: {key}.", code="x")(exchange)


def strict(
    *,
    takes: tuple[str, ...] = ("json_schema", "json_object", "plain"),
    without: tuple[str, ...] = (),
    then: Route | None = None,
) -> Route:
    """A server that declines forms of the answer and parameters, in the words of those in use."""

    def play(exchange: Exchange) -> None:
        body = json.loads(exchange.body)
        form = body.get("response_format", {"type": "plain"})["type"]
        if form not in takes:
            return refuses(400, f"'response_format.type' {form} is not supported by this model")(exchange)
        for name in without:
            if name in body:
                message = f"Unsupported parameter: '{name}' is not supported with this model."
                return refuses(400, message, param=name, code="unsupported_parameter")(exchange)
        return (then or says())(exchange)

    return play


def by_prompt(reply: Callable[[str], object]) -> Route:
    """A model whose answer is made of the prompt: an object, a text, or the HTTP status to fail with.

    It counts four characters of a prompt as a token, as a server would that read all of it.
    """

    def play(exchange: Exchange) -> None:
        prompt = json.loads(exchange.body)["messages"][0]["content"]
        told = reply(prompt)
        if isinstance(told, int):
            return refuses(told, "out of order")(exchange)
        content = told if isinstance(told, str) else json.dumps(as_asked(told, prompt))
        return says(content, usage=(len(prompt) // 4, 50))(exchange)

    return play
