import pytest

from medreview.errors import UserError
from medreview.judges.prompts import known_hash, load_prompt, prompt_names
from medreview.labels import EVIDENCE


@pytest.mark.parametrize("name", prompt_names())
def test_every_prompt_names_its_fields_and_asks_for_the_label_last_but_confidence(name):
    prompt = load_prompt(name)

    assert all("{" + field + "}" in prompt.text for field in prompt.fields)
    assert list(prompt.schema["properties"]) == prompt.schema["required"]
    assert known_hash(prompt.id) == prompt.sha256


def test_the_labels_a_judge_may_give_are_levels_of_the_evidence_axis():
    allowed = set(load_prompt("source_verification").schema["properties"]["label"]["enum"])

    assert allowed < {label.level for label in EVIDENCE}


def test_the_statement_comes_after_the_source():
    text = load_prompt("source_verification").text

    assert text.index("{source}") < text.index("{question}") < text.index("{statement}")


def test_an_unknown_prompt_is_named():
    with pytest.raises(UserError, match="there are: source_verification"):
        load_prompt("poetry")
    assert known_hash("source_verification/99") == known_hash("elsewhere/1") == ""
