"""A study by hand, and a real server of a model whose answers a test decides, prompt by prompt."""

import json
import re
import threading
import time
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from medreview.llm.settings import JudgeSettings
from medreview.study import Study
from medreview.study.rows import insert
from medreview.text import sha256

RENAL = (
    "Metformin and the kidney\n\nMetformin should not be started when the eGFR is below 30 mL/min/1.73 m2.\n"
    "Review the dose when the eGFR falls below 45.\n\nStop metformin before iodinated contrast if the eGFR is under 30."
)
VITAMIN = "Long treatment with metformin can lower vitamin B12. Measure it when the feet are numb."
QUESTION = "Can I take metformin with an eGFR of 28?"
ANSWER = (
    "Metformin should not be started below an eGFR of 30. It can lower vitamin B12. It may be continued at any eGFR."
)
STATEMENTS = {
    "s1": "Metformin should not be started below an eGFR of 30.",
    "s2": "It can lower vitamin B12.",
    "s3": "It may be continued at any eGFR.",
}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        server = self.server
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        prompt = body["messages"][0]["content"]
        with server.lock:
            server.prompts.append(prompt)
            server.models.append(body["model"])
        time.sleep(server.latency)
        said = server.answer(prompt)
        if isinstance(said, int):
            self._send(said, {"error": {"message": "out of order"}})
            return
        content = said if isinstance(said, str) else json.dumps(said)
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": content}}
        usage = {"prompt_tokens": len(prompt) // 4, "completion_tokens": 50, "total_tokens": len(prompt) // 4 + 50}
        self._send(200, {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice],
                         "usage": usage})  # fmt: skip

    def _send(self, status, told):
        data = json.dumps(told).encode()
        try:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)
        except (BrokenPipeError, ConnectionResetError):
            pass

    def log_message(self, *_):
        pass


class Model(ThreadingHTTPServer):
    """``answer(prompt)`` gives an object, a text or an HTTP status."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, answer):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answer = answer
        self.latency = 0.0
        self.lock = threading.Lock()
        self.prompts, self.models = [], []

    def settings(self, name="one", **more):
        address = f"http://127.0.0.1:{self.server_address[1]}/v1"
        return JudgeSettings(**{"name": name, "model": f"{name}-model", "base_url": address, "timeout": 5.0, **more})

    def handle_error(self, *_):
        pass


def part_of(prompt, name):
    """What stands in the fence of a field."""
    word = re.search(r"<<<\w+ (\w{16})\W", prompt)[1]
    return re.search(rf"<<<{name} {word}[^>]*>>>\n(.*?)\n<<<end of {name} {word}>>>", prompt, re.DOTALL)[1]


def careful(prompt):
    """A judge that finds the first two statements in the source that holds them, and nothing else."""
    source, statement = part_of(prompt, "source"), part_of(prompt, "statement")
    passages = {"s1": "Metformin should not be started when the eGFR is below 30", "s2": "can lower vitamin B12"}
    for key, passage in passages.items():
        if statement == STATEMENTS[key] and passage in source:
            return {"quote": passage, "reason": "It says so.", "label": "supported", "confidence": 0.9}
    return {"quote": "", "reason": "Nothing on this.", "label": "not_addressed", "confidence": 0.8}


@pytest.fixture
def serve():
    """Starts a server for an answer."""
    servers = []

    def start(answer=careful):
        server = Model(answer)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        servers.append(server)
        return server

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture
def study(tmp_path):
    with Study.create(tmp_path / "a.medreview") as opened:
        fill(opened, [(QUESTION, ANSWER, list(STATEMENTS.items()))], {"p1": RENAL, "p2": VITAMIN})
        yield opened


@pytest.fixture
def tools():
    """The functions of this file."""
    import sys

    return sys.modules[__name__]


def fill(study, answers, pages):
    """Responses, each citing every page; ``None`` for statements leaves a response unsplit."""

    def change(connection):
        for number, (snapshot_id, text) in enumerate(pages.items(), 1):
            url = f"https://page{number}.example/"
            row = {"source_id": f"u{number}", "key": f"url:{url}", "kind": "url", "value": url, "url": url}
            insert(connection, "source", [row | {"domain": f"page{number}.example"}])
            row = {"snapshot_id": snapshot_id, "source_id": f"u{number}", "version": 1, "fetched_at": "2026-10-09"}
            row |= {"page_state": "ok", "state_evidence": "", "status": 200, "content_type": "text/html", "chain": "[]"}
            row |= {"final_url": url, "title": "", "extractor": "x", "raw_size": 1, "raw_sha256": sha256(b"x")}
            row |= {"text_sha256": sha256(text), "text": text, "full_text": "", "body": zlib.compress(b"x")}
            insert(connection, "snapshot", [row])
            current = (snapshot_id, f"u{number}")
            connection.execute("UPDATE source SET current_snapshot = ? WHERE source_id = ?", current)
        for ordinal, (question, text, statements) in enumerate(answers, 1):
            row = {"response_id": f"r{ordinal}", "ordinal": ordinal, "record_id": "", "model": "atlas", "origin": ""}
            row |= {"imported_at": "", "imported_from": "", "cited": 1, "text_sha256": sha256(text)}
            parser = None if statements is None else "x"
            insert(connection, "response", [row | {"question": question, "text": text, "parser": parser}])
            for number in range(len(pages)):
                url = f"https://page{number + 1}.example/"
                cited = {"response_id": f"r{ordinal}", "ordinal": number, "source_id": f"u{number + 1}", "kind": "url"}
                insert(connection, "citation", [cited | {"value": url, "start": None, "end": None}])
            for place, (statement_id, said) in enumerate(statements or (), 1):
                start = text.find(said)
                row = {"statement_id": statement_id, "response_id": f"r{ordinal}", "ordinal": place, "text": said}
                ends = (start, start + len(said)) if start >= 0 else (None, None)
                insert(connection, "statement", [row | {"start": ends[0], "end": ends[1], "text_sha256": sha256(said)}])

    study.write(change)


def rows(study, query, *values):
    """The rows of a query as plain dictionaries."""
    return [dict(row) for row in study.reader.execute(query, values)]
