"""The probability of a label, by the log probabilities of an answer's tokens."""

import math

import pytest

from medreview.llm.label_probability import label_probabilities

FOUR = {"properties": {"label": {"enum": ["supported", "partial", "contradicted", "not_addressed"]}}}
CLOSE = {"properties": {"label": {"enum": ["supported", "not_supported", "not_addressed"]}}}


def completed(*tokens):
    """A completion of tokens: a text, or the chances of the written one (the first) and of others in its place."""
    content = []
    for token in tokens:
        chances = {token: 1.0} if isinstance(token, str) else token
        listed = [{"token": text, "logprob": math.log(p)} for text, p in chances.items()]
        content.append({**listed[0], "top_logprobs": listed})
    return {"choices": [{"logprobs": {"content": content}}]}


@pytest.mark.parametrize(
    ("schema", "tokens", "found"),
    [
        (FOUR, ['{"', "label", '":', ' "', {"supported": 0.7, "partial": 0.2, "contr": 0.1}, '"}'],
         {"supported": 0.7, "partial": 0.2, "contradicted": 0.1}),
        # the quotation mark is part of the token, and case does not matter
        (FOUR, ['{"label":', {' "supp': 0.6, ' "Part': 0.4}, 'orted"}'], {"supported": 0.6, "partial": 0.4}),
        # what begins no word is left out, and the rest scaled
        (FOUR, ['{"label": "', {"supported": 0.6, "x": 0.2, "partial": 0.2}, '"}'],
         {"supported": 0.75, "partial": 0.25}),
        # the next token decides between words that begin alike
        (CLOSE, ['{"label": "', {"not": 0.8, "supp": 0.2}, {"_addressed": 0.75, "_supported": 0.25}, '"}'],
         {"not_addressed": 0.6, "not_supported": 0.2, "supported": 0.2}),
        # the last label counts, and one within a text is none
        (FOUR, ['{"quote": "\\"label\\": \\"partial\\"", "label": "', {"supported": 0.9, "partial": 0.1}, '"}'],
         {"supported": 0.9, "partial": 0.1}),
        (FOUR, ["Supported."], {}),
        ({"properties": {"colour": {"enum": ["red"]}}}, ['{"label": "', {"red": 0.5, "blue": 0.5}, '"}'], {}),
    ],
)  # fmt: skip
def test_the_rule(schema, tokens, found):
    assert label_probabilities(completed(*tokens), schema) == pytest.approx(found)


@pytest.mark.parametrize(
    "data",
    [
        None,
        {},
        {"choices": [{}]},
        {"choices": [{"logprobs": {"content": "no list"}}]},
        {"choices": [{"logprobs": {"content": [{"token": '{"label": "supported"}', "logprob": float("nan")}]}}]},
        {"choices": [{"logprobs": {"content": [{"token": '{"label": "supported"}', "logprob": 3}]}}]},
        {"choices": [{"logprobs": {"content": [{"token": '{"label": "', "logprob": -1, "top_logprobs": {}},
                                               {"token": 'supported"}', "logprob": -1, "top_logprobs": [1, None]}]}}]},
    ],
)  # fmt: skip
def test_what_is_no_list_of_tokens_with_alternatives_gives_nothing(data):
    assert label_probabilities(data, FOUR) == {}
