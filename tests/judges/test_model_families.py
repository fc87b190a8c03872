"""The family of a model, by the names that people and servers give it."""

import pytest

from medreview.judges.judge_caveats import family_of


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("gpt-4o", "gpt"), ("openai/gpt-5-mini", "gpt"), ("chatgpt-4o-latest", "gpt"), ("o3-mini", "gpt"),
        ("claude-3-5-sonnet", "claude"), ("anthropic.claude-v2:1", "claude"), ("meta-llama/Llama-3.1-8B", "llama"),
        ("llama31", "llama"), ("Mixtral-8x7B", "mistral"), ("mistralai/Ministral-8B", "mistral"),
        ("deepseek-r1-distill-llama-70b", "deepseek"), ("google/medgemma-27b", "gemma"), ("gemini_flash", "gemini"),
        ("atlas-2", "atlas"), ("atlas2", "atlas"), ("Ember", "ember"), ("7b", ""), ("", ""),
    ],
)  # fmt: skip
def test_a_family_is_told_by_the_name(model, family):
    assert family_of(model) == family


def test_only_a_known_family_is_told_by_the_name_of_a_judge():
    assert [family_of(name, known=True) for name in ("gpt", "my claude", "juror one")] == ["gpt", "claude", ""]
