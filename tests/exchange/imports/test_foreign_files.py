"""Files of other programs that hold no answers as medreview reads them: refused with what they look like, whole."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from medreview import pipeline
from medreview.errors import UserError
from medreview.exchange.imports.citation_answers import file_answers, stream_answers
from medreview.study import Study

Write = Callable[[str, str | bytes], Path]
ANSWER = "Metformin is contraindicated below an eGFR of 30 mL/min."
SAID = {"role": "assistant", "content": ANSWER}
ASKED = {"role": "user", "content": "Is metformin safe at an eGFR of 25?"}
COMPLETION = {"id": "c1", "object": "reply", "model": "atlas-2", "alternatives": [{"index": 0, "message": SAID}]}
"""An answer as no API that is known gives it."""
BLOCKS = [{"type": "text", "text": "Metformin "}, {"type": "text", "text": "is contraindicated.", "citations": []}]
CHAT = {"uuid": "1", "name": "On metformin", "chat_messages": [
    {"uuid": "a", "text": ASKED["content"], "sender": "human"}, {"uuid": "b", "text": ANSWER, "sender": "assistant"},
]}  # fmt: skip


def lines(*records: Any) -> str:
    return "\n".join(map(json.dumps, records))


JUNK = {
    "a log of requests": (
        "a.jsonl",
        lines({"request": {"messages": [ASKED]}, "response": COMPLETION}),
        "the log of an API: response holds no answer",
    ),
    "a batch": (
        "a.jsonl",
        lines({"custom_id": "q1", "response": {"status_code": 200, "body": COMPLETION}, "error": None}),
        "response holds status_code, body where the text",
    ),
    "a message as the answer": ("a.jsonl", lines({"id": 1, "response": SAID}), "response holds role, content"),
    "a completion": ("a.json", json.dumps(COMPLETION), "the answer of an API as it came"),
    "blocks of an answer": ("a.json", json.dumps({"role": "assistant", "content": BLOCKS}), "the parts of one answer"),
    "turns, a line each": ("a.jsonl", lines(ASKED, SAID), "a conversation: its records are turns"),
    "turns as a table": ("a.csv", f"role,text\nuser,Is it safe?\nassistant,{ANSWER}\n", "a conversation"),
    "turns as answers": (
        "a.jsonl",
        lines({"answers": [{"role": "user", "text": "Is it?"}, {"role": "x", "text": "No."}]}),
        "a conversation: the turns of the user stand in answers",
    ),
    "pieces of a stream": (
        "a.jsonl",
        lines(*({"response": word, "done": False} for word in ANSWER.split())),
        "a stream that was saved piece by piece",
    ),
    "a stream": (
        "a.txt",
        f"event: start\ndata: {json.dumps(COMPLETION)}\n\ndata: [DONE]\n",
        "the saved stream of an API",
    ),
    "a stream of comments first": ("a.md", f": ping\n\ndata: {json.dumps(SAID)}\n\n", "the saved stream of an API"),
    "JSON as a text": ("a.txt", json.dumps(COMPLETION, indent=1), "looks like the answer of an API"),
    "JSON lines as a text": ("a.txt", lines(SAID, SAID), "no column for the response (it has role, content)"),
    "XML": ("a.txt", f"<?xml version='1.0'?>\n<answer>{ANSWER}</answer>", "the source of a document in XML or HTML"),
    "a log without texts": (
        "a.json",
        json.dumps([{"inputs": {"q": "Q?"}, "metric": [{"a": 1}]}]),
        "no member of them is the text",
    ),
    "no record that can be read": (
        "a.jsonl",
        lines({"response": 1}, {"response": 2}),
        "holds no answer that can be read: line 1",
    ),
    "labels on statements": (
        "a.csv",
        "id,response,statement,label,judge\n1,a17,It is safe.,supported,x\n",
        "looks like labels",
    ),
    "labels on texts": ("a.csv", "id,text,verdict\n1,It is safe.,yes\n2,It is not safe.,no\n", "looks like labels"),
    "labels on responses": ("a.csv", "response,rating\na17,3\na18,4\n", "looks like labels"),
    "a title over the header": (
        "a.csv",
        "Answers,,\nNo.,Question,Answer\n1,Q?,No.\n",
        "no name for column 2, which holds 'Question'",
    ),
    "a title alone": (
        "a.csv",
        "Answers\nNo.,Question,Answer\n1,Q?,No.\n",
        "line 2 has 3 fields where the header names 1",
    ),
    "two lines of names": ("a.csv", "ID,Question,Answer,\n,,atlas-2,ember\n1,Q?,No.,Yes.\n", "no name for column 4"),
}


@pytest.mark.parametrize("what", JUNK)
def test_it_is_refused_with_what_it_looks_like(what: str, write: Write, study: Study) -> None:
    name, content, words = JUNK[what]
    path = write(name, content)
    with pytest.raises(UserError) as refused:
        pipeline.bring_in(study, path, {})
    assert words in str(refused.value)
    assert str(path) in str(refused.value)
    assert "\n" not in str(refused.value)
    with pytest.raises(UserError):
        pipeline.run(study, [path], {}, pipeline.PageProvider(path.parent))
    assert study.reader.execute("SELECT count(*) FROM response").fetchone()[0] == 0


@pytest.mark.parametrize(("column", "record"), [("message", {"index": 0, "message": SAID}), ("chat_messages", CHAT),
                                                ("content", {"id": "m", "content": BLOCKS})])  # fmt: skip
def test_a_column_of_objects_is_no_response_though_it_is_mapped(
    column: str, record: Any, write: Write, study: Study
) -> None:
    with pytest.raises(UserError, match="looks like"):
        pipeline.bring_in(study, write("a.json", json.dumps([record])), {column: "response"})


def test_the_report_on_citations_refuses_it_as_well(write: Write) -> None:
    with pytest.raises(UserError, match="looks like a conversation"):
        file_answers(write("a.json", json.dumps(CHAT)))
    with pytest.raises(UserError, match="looks like the saved stream"):
        stream_answers(f"data: {json.dumps(SAID)}\n\n".encode())


@pytest.mark.parametrize(
    ("record", "mapping"),
    [
        ({"response": ANSWER, "messages": [ASKED, SAID]}, {}),
        ({"messages": [ASKED, SAID], "final": ANSWER}, {"final": "response"}),
        ({"outputs": {"answer": ANSWER}, "inputs": {"question": "Q?"}}, {}),
        ({"answers": {"atlas-2": {"text": ANSWER, "seconds": 3}}, "choices": ["a", "b"]}, {}),
        ({"question": "Q?", "type": "reasoning", "answer": ANSWER}, {}),
        ({"model": "atlas-2", "response": ANSWER, "done": True, "context": [1, 2]}, {}),
        ({"answer": ANSWER, "label": "supported"}, {}),
        ({"question": "Q?", "text": ANSWER, "label": "supported"}, {}),
        ({"text": ANSWER, "label": "supported"}, {"text": "response"}),
        ({"author": "atlas-2", "text": ANSWER, "data": {"a": {"b": 1}}}, {}),
    ],
)
def test_an_answer_beside_such_things_comes_in(
    record: Any, mapping: dict[str, str], write: Write, study: Study
) -> None:
    assert pipeline.bring_in(study, write("a.jsonl", lines(record)), mapping).added == 1
    assert study.reader.execute("SELECT text FROM response").fetchone()[0] == ANSWER


@pytest.mark.parametrize(
    "text",
    [
        f"data: the trial's own\n{ANSWER}\n",
        f'Send this:\n\ndata: {{"dose": 5}}\n\nThen wait. {ANSWER}\n\nNote: see below.\n',
        "[1] See the label.\n",
        '{"a": 1} is what the pump sends.\nStop then.',
    ],
)
def test_prose_with_such_lines_stays_prose(text: str, write: Write, study: Study) -> None:
    assert pipeline.bring_in(study, write("a.md", text), {}).added == 1


def test_a_mapped_text_is_advised_where_there_is_one(write: Write, study: Study) -> None:
    with pytest.raises(UserError, match="say which with --map COLUMN=response"):
        pipeline.bring_in(study, write("a.jsonl", lines({"messages": [ASKED], "final_answer": ANSWER})), {})


def test_a_numbered_table_and_a_stray_comma_come_in(write: Write, study: Study) -> None:
    table = f",question,answer,\n0,Q?,{ANSWER},\n1,R?,{ANSWER},\n"
    assert pipeline.bring_in(study, write("a.csv", table), {}).added == 2
