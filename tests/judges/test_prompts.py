import pytest

from medreview.errors import UserError
from medreview.generators.registry import GENERATORS
from medreview.judges.prompts import known_hash, load_prompt, prompt_names
from medreview.judges.tasks.registry import NAMES
from medreview.labels import EVIDENCE, HALLUCINATION

EXTENDS = {"source_verification", "merged_verification"}


@pytest.mark.parametrize("name", prompt_names())
def test_every_prompt_names_its_fields_and_all_of_its_answer(name):
    prompt = load_prompt(name)

    assert all(prompt.text.count("{" + field + "}") == 1 for field in prompt.fields)
    assert list(prompt.schema["properties"]) == prompt.schema["required"]
    assert prompt.schema["additionalProperties"] is False
    assert known_hash(prompt.id) == prompt.sha256


def test_every_task_has_a_prompt_and_every_prompt_a_task_or_a_generator():
    generators = {name for generator in GENERATORS.values() for name in generator.prompt_names}
    assert sorted({*NAMES, *generators}) == prompt_names()


@pytest.mark.parametrize("name", sorted(set(NAMES) - {"statement_parsing", "reference_parsing"}))
def test_quotes_and_reason_come_before_what_they_lead_to(name):
    asked = list(load_prompt(name).schema["properties"])
    first = min(asked.index(word) for word in ("label", "answer", "found") if word in asked)

    assert asked.index("reason") < first
    assert asked.index(asked[0]) == 0 < first
    assert asked[0] in ("quote", "quotes", "spans")


def test_the_labels_a_judge_may_give_are_levels_of_their_axes():
    for name in EXTENDS:
        allowed = set(load_prompt(name).schema["properties"]["label"]["enum"])
        assert allowed < {label.level for label in EVIDENCE}
    for name in ("hallucination_detection", "hallucination_assisted"):
        allowed = load_prompt(name).schema["properties"]["type"]["enum"]
        assert allowed == [label.level for label in HALLUCINATION]


def test_the_statement_comes_after_the_source():
    text = load_prompt("source_verification").text

    assert text.index("{source}") < text.index("{question}") < text.index("{statement}")


def test_fields_are_filled_in_once():
    prompt = load_prompt("source_verification")
    (message,) = prompt.messages({"source": "A {statement} and {question}.", "question": "{source}?", "statement": "B"})

    assert "A {statement} and {question}." in message["content"]
    assert "{source}?" in message["content"]
    assert message["role"] == "user"


def test_an_unknown_prompt_is_named():
    with pytest.raises(UserError, match=r"there are: .*source_verification"):
        load_prompt("poetry")
    assert known_hash("source_verification/99") == known_hash("elsewhere/1") == ""


OWN = """+++
task = "source_verification"
version = 7
fields = ["source", "statement"]
+++
{source}
{statement}
```json schema
{"properties": {"quote": {"type": "string"}, "label": {"enum": ["found", "not found"]}}, "required": ["quote", "label"]}
```
"""


def test_a_file_in_the_users_folder_takes_the_place_of_ours(tmp_path):
    (tmp_path / "source_verification.md").write_text(OWN)
    prompt = load_prompt("source_verification", tmp_path)

    assert prompt.id == "source_verification/7"
    assert prompt.sha256 != load_prompt("source_verification").sha256
    assert load_prompt("statement_parsing", tmp_path) == load_prompt("statement_parsing")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (('"found", "not found"', '"found", "maybe"'), "'label' must be an enum of"),
        (('{"enum": ["found", "not found"]}', '{"type": "string"}'), "'label' must be an enum of"),
        (('"quote": {"type": "string"}, ', ""), "lacks quote"),
        (('fields = ["source", "statement"]', 'fields = ["source", "poem"]'), "wants poem"),
        (("{statement}", "it"), "has no place for it"),
        (("+++\n{source}", "\n{source}"), "needs a head"),
        (("version = 7", "version = "), "cannot be read"),
        (("version = 7\n", ""), "does not give 'version'"),
        (('"properties": ', ""), "cannot be read"),
        (('task = "source_verification"', 'task = "statement_parsing"'), "its name says 'source_verification'"),
    ],
)
def test_what_is_wrong_with_a_users_prompt_is_said(tmp_path, change, sentence):
    assert change[0] in OWN
    (tmp_path / "source_verification.md").write_text(OWN.replace(*change))

    with pytest.raises(UserError, match=sentence):
        load_prompt("source_verification", tmp_path)


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(UserError, match="is not there"):
        load_prompt("source_verification", tmp_path / "nowhere")
