"""A real HTTP server on this machine that plays what servers of models are known to do."""

import json
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from medreview.llm.call import Ask
from medreview.llm.settings import JudgeSettings
from medreview.llm.store import CallStore
from medreview.study import Study

SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["quote", "label", "confidence"],
    "properties": {
        "quote": {"type": "string"},
        "label": {"type": "string", "enum": ["supported", "not_addressed"]},
        "confidence": {"type": "number"},
    },
}
GOOD = {"quote": "5 mg once daily", "label": "supported", "confidence": 0.9}
PROMPT = "The source says that the usual dose is 5 mg once daily. Answer with one JSON object."


def ask_of(text=PROMPT, schema=SCHEMA, task="source_verification"):
    return Ask(task, f"{task}/1", "hash-of-prompt", ({"role": "user", "content": text},), schema)


def completion(content, finish="stop", usage=(40, 20), **message):
    body = {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [
            {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": content, **message}}
        ],
    }
    if usage:
        body["usage"] = {
            "prompt_tokens": usage[0],
            "completion_tokens": usage[1],
            "total_tokens": sum(usage),
        }
    return body


def says(content=None, finish="stop", usage=(40, 20), **message):
    """The model writes this (by default a good answer)."""
    return sends(200, completion(json.dumps(GOOD) if content is None else content, finish, usage, **message))


def sends(status, body, **headers):
    """This status and body, an object or a text."""

    def play(handler, _):
        text = body if isinstance(body, str) else json.dumps(body)
        kind = "text/html" if text.startswith("<") else "application/json"
        handler.answer(
            status, text.encode(), {"Content-Type": kind, **{k.replace("_", "-"): v for k, v in headers.items()}}
        )

    return play


def refuses(status, message, **more):
    return sends(status, {"error": {"message": message, "type": "invalid_request_error", **more}})


def echoes_the_key(handler, _):
    key = handler.headers["Authorization"]
    handler.answer(401, json.dumps({"error": {"message": f"Incorrect API key provided: {key}.", "code": "x"}}).encode())


def drops_the_body(handler, _):
    body = json.dumps(completion(json.dumps(GOOD))).encode()
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body[:30])
    handler.close_connection = True


def hangs_up(handler, _):
    handler.close_connection = True


def drips(handler, _):
    """A byte every 50 ms: no read timeout ever fires."""
    handler.send_response(200)
    handler.send_header("Content-Length", "100000")
    handler.end_headers()
    while not handler.server.over.wait(0.05):
        handler.wfile.write(b" ")
        handler.wfile.flush()


def strict(*, takes=("json_schema", "json_object", "plain"), without=(), then=None):
    """A server that declines forms of the answer and parameters, in the words of those in use."""

    def play(handler, body):
        form = body.get("response_format", {"type": "plain"})["type"]
        if form not in takes:
            refuses(400, f"'response_format.type' {form} is not supported by this model")(handler, body)
            return
        for name in without:
            if name in body:
                message = f"Unsupported parameter: '{name}' is not supported with this model."
                refuses(400, message, param=name, code="unsupported_parameter")(handler, body)
                return
        (then or says())(handler, body)

    return play


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # or each answer comes 40 ms late

    def do_POST(self):
        model = self.server
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with model.lock:
            number = len(model.asked)
            model.asked.append(body)
            model.headers.append(dict(self.headers))
            model.paths.append(self.path)
            model.under_way += 1
            model.most_at_once = max(model.most_at_once, model.under_way)
        try:
            if model.latency:
                time.sleep(model.latency)
            model.plays[min(number, len(model.plays) - 1)](self, body)
        except (BrokenPipeError, ConnectionResetError):
            pass
        finally:
            with model.lock:
                model.under_way -= 1

    def answer(self, status, body, headers=None):
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Model(ThreadingHTTPServer):
    """``plays``: what it does for the first, second, ... request; the last of them for all further ones."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.lock = threading.Lock()
        self.over = threading.Event()
        self.asked, self.headers, self.paths = [], [], []
        self.plays = [says()]
        self.latency = self.under_way = self.most_at_once = 0

    def handle_error(self, *_):
        pass

    def play(self, *plays):
        self.plays = list(plays)

    def settings(self, **more):
        address = f"http://127.0.0.1:{self.server_address[1]}/v1"
        return JudgeSettings(**{"name": "j", "model": "m", "base_url": address, "timeout": 5.0, **more})


@pytest.fixture
def model():
    server = Model()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield server
    server.over.set()
    server.shutdown()
    server.server_close()


@pytest.fixture
def study(tmp_path):
    with Study.create(tmp_path / "s.medreview") as opened:
        yield opened


@pytest.fixture
def store(study):
    return CallStore(study)


@pytest.fixture
def acts():
    """What a server can do and what it can be asked: the functions of this file."""
    return sys.modules[__name__]
