"""Answers of models: parsed as they come, also hostile ones."""

import asyncio
import gzip
import json
import subprocess
import sys
import time
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medreview.llm.completion import Mismatch, parse, validate
from medreview.llm.judge_client import Judge
from medreview.llm.transport import MOST_VALUES
from tests.llm.questions import ask_of
from tests.support.commands import ROOT
from tests.support.http_server import answer, hang_up
from tests.support.judge_endpoint import GOOD, JudgeEndpoint, completion, refuses, says

OK = completion(json.dumps(GOOD))
BODY = json.dumps(OK).encode()
KINDS = {"json": "application/json", "events": "text/event-stream"}
MOST_MEMORY = 120
"""MB that all hostile bodies together may add to a process that has asked before; they would be up to 1,000 MB each."""


def sent(body, status=200, kind="json", **headers):
    return answer(body, status=status, Content_Type=KINDS[kind], **headers)


def counting(**usage):
    return sent(json.dumps({**OK, "usage": usage}).encode())


def events(*told, end="data: [DONE]\n\n", between="\n\n", kind="events"):
    return sent("".join(f"data: {json.dumps(it)}{between}" for it in told).encode() + end.encode(), kind=kind)


def in_pieces(text, size=7):
    """The events in which a model's answer comes."""
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    yield {"choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}}]}
    for piece in pieces:
        yield {"choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]}
    yield {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    yield {"choices": [], "usage": {"prompt_tokens": 40, "completion_tokens": 20}}


PIECES = list(in_pieces(json.dumps(GOOD)))


def left_open(exchange):
    """A stream that ends, on a connection that stays."""
    body = "".join(f"data: {json.dumps(it)}\n\n" for it in PIECES).encode() + b"data: [DONE]\n\n"
    exchange.begin(200, {"Content-Type": KINDS["events"], "Transfer-Encoding": "chunked"})
    exchange.wfile.write(b"%x\r\n%s\r\n" % (len(body), body))
    exchange.wfile.flush()
    exchange.local.over.wait()


READ = {
    "a byte-order mark": sent(b"\xef\xbb\xbf" + BODY),
    "UTF-16": sent(BODY.decode().encode("utf-16")),
    "UTF-16 without a mark": sent(BODY.decode().encode("utf-16-be")),
    "UTF-32": sent(BODY.decode().encode("utf-32")),
    "gzip": sent(gzip.compress(BODY), Content_Encoding="gzip"),
    "deflate": sent(zlib.compress(BODY), Content_Encoding="deflate"),
    "events": events(*PIECES),
    "events under another name": events(*PIECES, kind="json"),
    "events without empty lines": events(*PIECES, between="\n"),
    "events with CRLF": events(*PIECES, between="\r\n\r\n", end="data: [DONE]\r\n\r\n"),
    "events that are not ended by name": events(*PIECES, end=""),
    "events with remarks": sent(b": ping\n\nevent: x\n" + b"data: " + BODY + b"\n\n", kind="events"),
    "one event with all": events(OK),
    "a connection that stays open": left_open,
}


@pytest.mark.parametrize("play", READ.values(), ids=READ.keys())
async def test_what_can_be_read_is_read_at_the_first_try(model, play):
    model.play(play)
    async with Judge(model.settings(price_input=1.0, price_output=1.0), backoff=0.001) as judge:
        had = await judge.ask(ask_of())

    assert (had.status, had.tries, had.kept, had.value["quote"]) == ("ok", 1, 1, GOOD["quote"])
    assert (had.prompt_tokens, had.completion_tokens, had.cost) == (40, 20, 60 / 1e6)


HOSTILE = {
    "more tokens than 64 bits hold": (counting(prompt_tokens=10**30), "unparsable", "count of tokens cannot be true"),
    "a count of 5,000 digits": (sent(BODY.replace(b"40", b"4" * 5000, 1)), "unparsable", "cannot be true"),
    "a count that is not a number": (counting(prompt_tokens=float("nan")), "unparsable", "cannot be true"),
    "brackets in what was written": (says("[" * 200_000), "unparsable", "no JSON object"),
    "half a character": (says('{"quote": "\ud800'), "unparsable", "no JSON object"),
    "an infinite confidence": (says(json.dumps(GOOD).replace("0.9", "1e999")), "unparsable", "must be a number"),
    "a number of 5,000 digits": (says(json.dumps(GOOD).replace("0.9", "9" * 5000)), "unparsable", "no JSON object"),
    "brackets": (sent(b"[" * 200_000), "unparsable", "too deep"),
    "more values than are counted": (sent(b"[" + b"0," * (MOST_VALUES + 1) + b"0]"), "unparsable", "500,000 values"),
    "nested errors": (sent(b'{"error": {"message": ' + b"[" * 90 + b"]" * 90 + b"}}", 500), "error", "answered 500"),
    "deeply nested errors": (sent(b'{"error": ' + b"[" * 900 + b"]" * 900 + b"}", 500), "error", "answered 500"),
    "events that break off": (events(*PIECES[:-3], end=""), "error", "not JSON"),
    "an error as an event": (events({"error": {"message": "busy", "code": 503}}, end=""), "error", "503: busy"),
    "an encoding that was not asked for": (sent(BODY, Content_Encoding="br"), "error", "not accepted (br)"),
    "two encodings": (sent(BODY, Content_Encoding="gzip, gzip"), "error", "not accepted (gzip, gzip)"),
    "an encoding that is none": (sent(BODY, Content_Encoding="gzip"), "error", "broken compression"),
    "a date that is none": (sent(b"{}", 502, Retry_After="Sun, 32 Xxx 9999999999 00:00:00"), "error", "502"),
    "trailing words": (sent(BODY + b"bye"), "error", "not JSON"),
    "a hang-up": (hang_up, "error", "reached"),
}


@pytest.mark.parametrize(("play", "status", "word"), HOSTILE.values(), ids=HOSTILE.keys())
async def test_what_cannot_be_read_is_stored_as_that_and_the_rest_goes_on(model, study, store, play, status, word):
    async with Judge(model.settings(), store, backoff=0.001) as judge:
        model.play(play)
        bad = await judge.ask(ask_of("one"))
        model.play(says())
        good = await judge.ask(ask_of("another"))

    assert (bad.status, bad.value, good.status) == (status, None, "ok")
    assert word in bad.error
    rows = study.reader.execute("SELECT status, error, tries FROM llm_call ORDER BY at_utc").fetchall()
    assert [tuple(row) for row in rows] == [(status, bad.error, bad.tries), ("ok", "", 1)]
    sent_rows = study.reader.execute("SELECT sent, kept, declined FROM llm_sent ORDER BY at_utc").fetchall()
    assert [tuple(row) for row in sent_rows] == [(bad.tries, bad.kept, bad.declined), (1, 1, 0)]


@pytest.mark.parametrize(
    "usage", [{"prompt_tokens": -1}, {"prompt_tokens": "40"}, {"prompt_tokens": True}, [[1]], None]
)
async def test_a_count_that_is_none_leaves_the_answer_and_no_cost(model, usage):
    model.play(sent(json.dumps({**OK, "usage": usage}).encode()))
    async with Judge(model.settings(price_input=1.0, price_output=1.0)) as judge:
        had = await judge.ask(ask_of())

    assert (had.status, had.prompt_tokens, had.cost) == ("ok", None, None)


async def test_tokens_of_answers_that_cannot_be_used_are_counted_too(model):
    empty = sent(json.dumps({"choices": [], "usage": {"prompt_tokens": 40, "completion_tokens": 2}}).encode())
    model.play(empty, sent(b"not JSON"), refuses(500, "boom"), says())
    async with Judge(model.settings(price_input=1.0, price_output=1.0), backoff=0.001) as judge:
        had = await judge.ask(ask_of())

    assert (had.status, had.prompt_tokens, had.completion_tokens, had.cost) == ("ok", 80, 22, 102 / 1e6)
    assert (had.tries, had.kept, had.declined) == (4, 1, 1), "the first two may have been paid for, and are lost"


def endless(status, start=b"", piece=b"x" * 65536, **headers):
    """A gigabyte, or as much of it as anybody reads."""

    def send(exchange):
        exchange.begin(status, {name.replace("_", "-"): value for name, value in headers.items()})
        exchange.wfile.write(start)
        for _ in range(1_000_000_000 // len(piece)):
            exchange.wfile.write(piece)
        exchange.close_connection = True

    return send


def test_no_body_takes_more_memory_than_its_bound():
    bomb = _bomb()
    plays = {
        "/0": says(),
        "/1": endless(500),
        "/2": endless(200),
        "/3": answer(bomb, status=500, Content_Encoding="gzip"),
        "/4": answer(bomb, status=200, Content_Encoding="gzip"),
        "/5": endless(200, b"data: {}\n\n", b"data: {}\n\n" * 5000, Content_Type=KINDS["events"]),
        "/6": answer(b"x", status=200, Content_Length=str(10**12)),
        "/7": sent(b"[" + b"[]," * 2_500_000 + b"0]"),
        "/8": sent(b"data: {}\n\n" * 790_000, kind="events"),
        "/9": endless(302, Location="http://192.0.2.1/"),
    }
    said = [
        *(("error", word) for word in ("answered 500", "larger than 8 MB", "answered 500", *["larger than 8 MB"] * 3)),
        *(("unparsable", word) for word in ("500,000 values", "200,000 events")),
        ("error", "302"),
    ]
    with JudgeEndpoint() as model:
        for path, play in plays.items():
            model.routes[f"{path}/chat/completions"] = play
        command = [sys.executable, "-m", "tests.llm.ask_in_child", *(f"{model.base}{path}" for path in plays)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240, check=False)

    assert done.returncode == 0, done.stderr
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(told) == len(said)
    for answered, (status, word) in zip(told, said, strict=True):
        assert answered["status"] == status
        assert word in answered["error"]
    assert told[-1]["growth_mb"] < MOST_MEMORY


def _bomb():
    """400 MB of nothing in 400 kB."""
    packer = zlib.compressobj(9, wbits=31)
    return b"".join(packer.compress(bytes(10_000_000)) for _ in range(40)) + packer.flush()


async def test_an_answer_too_many_never_becomes_the_answer_to_the_next_question(model):
    """A server, or a balancer before it, that sends two responses for one request."""

    def sends_two(exchange):
        asked = json.loads(exchange.body)["messages"][0]["content"]
        body = json.dumps(completion(json.dumps({**GOOD, "quote": asked}))).encode()
        for _ in range(2):
            exchange.answer(body, 200, {"Content-Type": KINDS["json"]})

    model.play(sends_two)
    questions = [f"Question {number}. Answer with one JSON object." for number in range(46)]
    async with Judge(model.settings(concurrency=4)) as judge:
        answers = await asyncio.gather(*(judge.ask(ask_of(text)) for text in questions))
    assert sum((answer.value or {}).get("quote") == text for answer, text in zip(answers, questions, strict=True)) == 46


SCHEMA = {
    "type": "object",
    "required": ["quote", "label"],
    "properties": {
        "quote": {"type": "string"},
        "label": {"type": "string", "enum": ["supported", "not_addressed"]},
        "sure": {"type": "boolean"},
        "spans": {"type": "array", "items": {"type": "string"}},
        "page": {"type": ["integer", "null"]},
    },
}
YES = '{"quote": "a", "label": "supported"}'
NO = '{"quote": "b", "label": "not_addressed"}'


@pytest.mark.parametrize(
    ("text", "label"),
    [
        (f"{NO}\n\nOn second thoughts:\n{YES}", "supported"),
        (f"<think>{YES}</think>{NO}", "not_addressed"),
        (f"<THINKING>\n{YES}\n</THINKING>\n```json\n{NO}\n```", "not_addressed"),
        (f"[{YES}]", "supported"),
        ("{1, 2} is a set. " + YES, "supported"),
        ('{"quote": "</think> {", "label": "supported"}', "supported"),
        ('{"quote": "line\nbreak", "label": "supported"}', "supported"),
        ('{"quote": "", "label": "Not addressed", "why": "x"}', "not_addressed"),
    ],
)
def test_the_last_object_counts(text, label):
    assert parse(text, SCHEMA).value["label"] == label


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "no JSON object"),
        ("supported", "no JSON object"),
        (f"<think>{YES}", "no JSON object"),
        (f"{YES} but then {{'quote': 1}}", None),
        (f'{YES} or rather {{"quote": "b", "label": "not_add', "no JSON object"),
        (f'{YES} or rather {{"quote": "b"}}', "`label` is missing"),
        ('{"quote": "b", "label": "supported", "label": "not_addressed"}', "twice"),
        (f"[{YES}, {NO}]", "one JSON object"),
        ('{"quote": "b", "label": "probably supported"}', "`label` must be one of"),
        ('{"quote": 5, "label": "supported"}', "`quote` must be a text"),
        ('{"quote": "a", "label": "supported", "spans": ["a", 1]}', r"`spans\[1\]` must be a text"),
        ('{"quote": "a", "label": "supported", "page": "four"}', "integer, null"),
        ('{"quote": "a", "label": "supported", "sure": "very"}', "true or false"),
        ('{"quote": "a", "label": null}', "`label` must be one of"),
        ("[" * 100_000, "no JSON object"),
    ],
)
def test_what_is_not_an_answer_is_none(text, problem):
    parsed = parse(text, SCHEMA)

    if problem is None:
        assert parsed.value["label"] == "supported"  # what follows is no object at all
    else:
        assert parsed.value is None
        with pytest.raises(AssertionError, match=problem):
            raise AssertionError(parsed.problem)


@given(
    value=st.fixed_dictionaries(
        {"quote": st.text(), "label": st.sampled_from(["supported", "not_addressed"])},
        optional={
            "sure": st.booleans(),
            "spans": st.lists(st.text()),
            "page": st.none() | st.integers(-(2**63), 2**63 - 1),
        },
    ),
    before=st.sampled_from(["", "Well: ", "<think>{</think>", "```json\n", 'He said "{" and\n']),
    indent=st.sampled_from([None, 2]),
)
def test_what_was_written_is_read_as_it_was_meant(value, before, indent):
    text = before + json.dumps(value, ensure_ascii=False, indent=indent) + ("\n```" if "```" in before else "")
    told = any(tag in json.dumps(value) for tag in ("think>", "thinking>", "thought>", "reasoning>", "```"))

    assert told or parse(text, SCHEMA).value == value


@given(st.text(alphabet='{}[]":,\\ab<>/think`\n', max_size=300))
def test_any_text_is_read_without_an_error(text):
    parsed = parse(text, SCHEMA)

    assert (parsed.value is None) == bool(parsed.problem)


@pytest.mark.parametrize(
    "piece", ["{", '{"a":', "<think>", '{"a": "', "[{", "```json\n", '{"quote": "x"} ', "</think>"]
)
def test_hostile_repetition_is_read_fast(piece):
    begun = time.thread_time()

    parse(piece * (200_000 // len(piece)), SCHEMA)

    assert time.thread_time() - begun < 2, "processor time: a cost that grows with the square would be minutes"


def test_numbers_are_finite_and_whole_where_wanted():
    assert validate("0.5", {"type": "number"}) == 0.5
    assert validate(3.0, {"type": "integer"}) == 3
    assert validate(10**400, {"type": "number"}) == 10**400
    for value, kind in ((True, "number"), (3.5, "integer"), ("nan", "number"), (float("inf"), "number"), (1, "null")):
        with pytest.raises(Mismatch):
            validate(value, {"type": kind})
    assert parse('{"one": true}', {"type": "object", "properties": {"one": {"enum": [1, 2]}}}).value is None
    assert parse('{"quote": "a", "label": "supported", "page": 1e999}', SCHEMA).value is None
    assert parse('{"quote": "a", "label": "supported", "page": NaN}', SCHEMA).value is None
