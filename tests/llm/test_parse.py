"""Reading an object out of what a model wrote."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medreview.llm.completion import Mismatch, parse, validate

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
    assert parse('{"quote": "a", "label": "supported", "page": 1e999}', SCHEMA).value is None
    assert parse('{"quote": "a", "label": "supported", "page": NaN}', SCHEMA).value is None
