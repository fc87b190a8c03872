"""A server on this machine with ``/v1/files`` and ``/v1/batches``, whose batches go on by a step each time they are
asked for; what it does otherwise a test decides."""

import json
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from email import policy
from email.parser import BytesParser
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from medreview.llm.settings import JudgeSettings
from tests.support.http_server import Exchange, LocalServer, Route
from tests.support.judge_endpoint import NOT_ADDRESSED, as_asked, completion, prompt_of

STEPS: Final = ("validating", "in_progress", "finalizing", "completed")
"""The states of a batch, one after the other as it is asked for; the last stays."""


def answered(request: Mapping[str, Any], content: str = json.dumps(NOT_ADDRESSED)) -> dict[str, Any]:
    """The result line of a request that a model answered."""
    with suppress(ValueError):
        content = json.dumps(as_asked(json.loads(content), prompt_of(request.get("body", {}))))
    body = completion(content, usage=None)
    response = {"status_code": 200, "request_id": "x", "body": body}
    return {"id": "r", "custom_id": request["custom_id"], "response": response, "error": None}


def unanswered(request: Mapping[str, Any]) -> dict[str, Any]:
    """The line in the error file of a request that failed."""
    error = {"code": "batch_expired", "message": "This request could not be executed before the batch expired."}
    return {"id": "r", "custom_id": request["custom_id"], "response": None, "error": error}


class BatchEndpoint(LocalServer):
    """Keeps files and batches in memory.

    ``steps`` are the states of a batch, ``results`` and ``errors`` make its files of the requests of its input.
    ``instead`` maps ``METHOD /path`` (``*`` for an id) to routes that answer in the place of the server, one after the
    other; where one is ``None``, the server answers. What ``silent_after`` names is done, and never answered. ``lists``
    is false for a server without lists, ``keeps_metadata`` for one that forgets the metadata of a batch.
    """

    def __init__(self, *steps: str) -> None:
        self.steps = steps or STEPS
        self.files: dict[str, dict[str, Any]] = {}
        self.batches: dict[str, dict[str, Any]] = {}
        self.instead: dict[str, list[Route | None]] = {}
        self.results: Callable[[list[dict[str, Any]]], str] = lambda requests: lines(map(answered, requests))
        self.errors: Callable[[list[dict[str, Any]]], str] = lambda requests: ""
        self.lists = self.keeps_metadata = True
        self.silent_after = ""
        super().__init__(self._serve, keep_alive=True)

    def settings(self, name: str = "one", **more: Any) -> JudgeSettings:
        """The settings of a judge that is asked here."""
        return JudgeSettings(name, **{"model": "m", "base_url": f"{self.base}/v1", "timeout": 5.0, **more})

    def table(self, name: str, **more: Any) -> str:
        """The same as a table of ``medreview.toml``."""
        fields = {"model": "m", "base_url": f"{self.base}/v1", **more}
        return f"[judges.{name}]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in fields.items())

    def count(self, what: str) -> int:
        """How often ``METHOD /path`` (``*`` for an id) was asked for."""
        return sum(_named(request.method, request.path) == what for request in self.received)

    def _serve(self, exchange: Exchange) -> None:
        what = _named(exchange.command, exchange.path)
        with self.lock:
            planned = self.instead.get(what, [])
            route = planned.pop(0) if planned else None
        if route is not None:
            route(exchange)
            return
        words = urlsplit(exchange.path).path.split("/")
        with self.lock:
            told = self._answer(what, words[3] if len(words) > 3 else "", exchange)
            self.lock.notify_all()
        if what == self.silent_after:
            self.over.wait()
        if isinstance(told, bytes):
            exchange.answer(told, headers={"Content-Type": "application/octet-stream"})
        elif told is None:
            self._say(exchange, {"error": {"message": f"No such thing: {exchange.path}", "code": None}}, 404)
        else:
            self._say(exchange, told)

    @staticmethod
    def _say(exchange: Exchange, told: object, status: int = 200) -> None:
        exchange.answer(json.dumps(told).encode(), status, {"Content-Type": "application/json"})

    def _answer(self, what: str, name: str, exchange: Exchange) -> dict[str, Any] | bytes | None:
        match what:
            case "POST /v1/files":
                return self._upload(exchange)
            case "GET /v1/files" if self.lists:
                return {"object": "list", "data": [_told(it) for it in self.files.values()], "has_more": False}
            case "GET /v1/files/*/content" if name in self.files:
                return bytes(self.files[name]["content"])
            case "DELETE /v1/files/*" if name in self.files:
                del self.files[name]
                return {"id": name, "object": "file", "deleted": True}
            case "POST /v1/batches":
                return self.begin(json.loads(exchange.body))
            case "GET /v1/batches" if self.lists:
                return {"object": "list", "data": list(self.batches.values()), "has_more": False}
            case "GET /v1/batches/*" if name in self.batches:
                return self._step(self.batches[name])
            case "POST /v1/batches/*/cancel" if name in self.batches:
                self.batches[name]["left"] = ["cancelled"]
                self.batches[name]["status"] = "cancelling"
                return self.batches[name]
        return None

    def _upload(self, exchange: Exchange) -> dict[str, Any]:
        head = f"Content-Type: {exchange.headers['Content-Type']}\r\n\r\n".encode()
        form: Any = BytesParser(policy=policy.HTTP).parsebytes(head + exchange.body)
        parts: dict[str, Any] = {it.get_param("name", header="content-disposition"): it for it in form.iter_parts()}
        content = parts["file"].get_payload(decode=True)
        name = f"file-{len(self.files) + 1}"
        fields = {str(key): part.get_payload(decode=True).decode() for key, part in parts.items() if key != "file"}
        self.files[name] = {
            "id": name, "object": "file", "filename": parts["file"].get_filename(), "bytes": len(content),
            "created_at": 1, "status": "processed", "purpose": fields["purpose"], "fields": fields, "content": content,
        }  # fmt: skip
        return _told(self.files[name])

    def begin(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Begin a batch, as the request asks for it."""
        name = f"batch_{len(self.batches) + 1}"
        total = len(self.files[asked["input_file_id"]]["content"].splitlines())
        self.batches[name] = {
            "id": name, "object": "batch", "created_at": 1, "endpoint": asked["endpoint"],
            "input_file_id": asked["input_file_id"],
            "completion_window": asked["completion_window"], "status": self.steps[0], "left": list(self.steps),
            "metadata": asked.get("metadata") if self.keeps_metadata else None, "output_file_id": None,
            "error_file_id": "", "request_counts": {"total": total, "completed": 0, "failed": 0},
        }  # fmt: skip
        return self.batches[name]

    def _step(self, batch: dict[str, Any]) -> dict[str, Any]:
        batch["status"] = state = batch["left"].pop(0) if len(batch["left"]) > 1 else batch["left"][0]
        if state in ("completed", "expired", "cancelled") and not batch["output_file_id"]:
            requests = [json.loads(line) for line in self.files[batch["input_file_id"]]["content"].splitlines()]
            for field, made in (("output_file_id", self.results(requests)), ("error_file_id", self.errors(requests))):
                if made:
                    name = f"file-{len(self.files) + 1}"
                    self.files[name] = {"id": name, "filename": "out", "bytes": len(made), "content": made.encode()}
                    batch[field] = name
                batch["request_counts"]["completed"] = len(self.results(requests).splitlines())
        return batch


def lines(results: Any) -> str:
    """A file of JSON lines."""
    return "".join(json.dumps(result) + "\n" for result in results)


def query_of(path: str) -> dict[str, list[str]]:
    """The query of a request."""
    return parse_qs(urlsplit(path).query)


def _told(file: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in file.items() if name not in ("content", "fields")}


def _named(method: str, path: str) -> str:
    return f"{method} " + re.sub(r"^(/v1/\w+/)[^/]+", r"\1*", urlsplit(path).path)
