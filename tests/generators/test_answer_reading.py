"""What of a model's output is an answer, and what is none."""

import json

import pytest

from medreview.generators.answers import ReadAnswer, check_answer, read_output

TEXT = "Aspirin is stopped 7 days before the operation [1]."
URL = "https://surgery.example/aspirin"


def read(output: object, status: str = "unparsable") -> tuple[tuple[str, ...], ReadAnswer]:
    """What an output that satisfies no schema comes to."""
    raw = output if isinstance(output, str) else json.dumps(output)
    checked = check_answer(read_output(status, raw))
    return checked.codes, checked.value


@pytest.mark.parametrize(
    "output",
    [
        {"answer": TEXT, "references": [URL]},
        {"response": TEXT, "sources": [{"title": "Aspirin", "url": URL}]},
        {"response": TEXT, "sources": URL},
        f"Here it is:\n```json\n{json.dumps({'response': TEXT, 'urls': [URL]})}\n```",
        f"<think>{{</think>{json.dumps({'response': TEXT, 'citations': [URL]})}",
    ],
)
def test_an_object_of_another_form_is_an_answer_with_its_list(output):
    codes, answer = read(output)
    assert codes == ()
    assert (answer.text, [one.rpartition(" ")[2] for one in answer.sources], answer.invalid) == (TEXT, [URL], "")


def test_prose_with_an_address_is_an_answer_as_it_stands():
    prose = f"Aspirin is stopped 7 days before. See {URL}."
    assert read(prose) == ((), ReadAnswer(prose))
    assert read({"response": prose, "sources": None}) == ((), ReadAnswer(prose))
    assert read("Seven days before (PMID: 99999901).") == ((), ReadAnswer("Seven days before (PMID: 99999901)."))


def test_an_empty_list_is_a_list():
    """That nothing is cited is said by the model; it is no fault of the answer."""
    assert check_answer({"response": TEXT, "sources": []}).value == ReadAnswer(TEXT)
    assert read({"answer": TEXT, "sources": []}) == ((), ReadAnswer(TEXT))


@pytest.mark.parametrize(
    ("output", "status", "code", "kept"),
    [
        ("Seven days before.", "unparsable", "no_list_and_no_address", "Seven days before."),
        ("I'm sorry, I cannot help.", "refused", "no_list_and_no_address", "I'm sorry, I cannot help."),
        ({"response": TEXT}, "unparsable", "no_list_and_no_address", TEXT),
        (f"Stopped 7 days before, see {URL}, and", "truncated", "cut_off", f"Stopped 7 days before, see {URL}, and"),
        ('{"response": "Aspirin is \\"stop', "unparsable", "cut_off", 'Aspirin is "stop'),
        ('{"response": "Aspirin is", "sources": ["https://a', "truncated", "cut_off", "Aspirin is"),
        ({"response": 7, "sources": [URL]}, "unparsable", "wrong_form", f'{{"response": 7, "sources": ["{URL}"]}}'),
        ({"type": "object", "required": ["response"]}, "unparsable", "wrong_form", None),
        ({"response": TEXT, "sources": "none"}, "unparsable", "no_list_and_no_address", TEXT),
    ],
)  # fmt: skip
def test_what_broke_off_or_has_another_form_is_incomplete_and_its_text_is_kept(output, status, code, kept):
    codes, answer = read(output, status)
    assert (codes, answer.invalid, answer.sources) == ((code,), "incomplete", ())
    assert answer.text == (json.dumps(output) if kept is None else kept)


@pytest.mark.parametrize(
    "output", ["", " \n", "<think>Let me see.</think>", {"response": " "}, {"response": None}, '{"']
)
def test_what_holds_no_text_is_empty(output):
    codes, answer = read(output)
    assert answer == ReadAnswer("", (), "empty")
    assert codes == ("empty",)


def test_a_form_that_is_right_can_be_empty_or_say_the_same_again_and_again_too():
    assert check_answer({"response": " ", "sources": [URL]}).value.invalid == "empty"
    assert check_answer({"response": f"{TEXT} {TEXT}", "sources": [URL]}).codes == ()
    assert check_answer({"response": " ".join([TEXT] * 3), "sources": [URL]}).codes == ("repeats_itself",)
