"""``judge --semantic``: a model of meaning for the order, asked because somebody said so."""

import json
from pathlib import Path

import pytest

from medreview.study import Study
from tests.judges.renal_study import ANSWER, QUESTION, RENAL, STATEMENTS, fill
from tests.support.commands import Program, own_settings
from tests.support.embeddings_endpoint import Embeddings, letters
from tests.support.http_server import answer_json

SETTINGS = """[semantic]
encoder = "endpoint"
model = "embedder"

[models.embedder]
model = "e"
base_url = "{base}/v1"
"""


@pytest.fixture
def medreview(tmp_path: Path) -> Program:
    with Study.create(tmp_path / "a.medreview") as study:
        fill(study, [(QUESTION, ANSWER, list(STATEMENTS.items()))], {"p1": RENAL})
    return Program(tmp_path)


def test_the_packaged_encoder_says_what_it_costs_and_orders_the_pairs(medreview: Program):
    study, pairs = "a.medreview", len(STATEMENTS)
    plain = medreview("judge", study)
    planned = medreview("judge", study, "--semantic", "--dry-run")
    asked = medreview("judge", study, "--semantic", "--json")
    again = medreview("judge", study, "--semantic", "--dry-run")
    back = medreview("judge", study, "--no-semantic")

    assert "ordered" not in plain.stdout, "off unless it is asked for"
    assert f"for the order of {pairs} pairs: " in planned.stdout
    assert "texts to encode on this machine: about 1 second, and 1 MB of the study." in planned.stdout
    assert planned.stdout == asked.stderr, "what it costs is said before it is done"
    assert json.loads(asked.stdout)["meaning"]["pairs"] == pairs
    assert "nothing is left to ask" in again.stdout
    assert f"{pairs} pairs ordered by the rules alone again" in back.stdout


def test_an_endpoint_of_the_settings_is_named_before_and_its_failure_after(medreview: Program, tmp_path: Path):
    with Embeddings(letters) as server:
        own_settings(tmp_path, SETTINGS.format(base=server.base))
        server.otherwise = answer_json({"error": {"message": "no such model"}}, status=404)
        failed = medreview("judge", "a.medreview", check=1)
        server.otherwise = letters
        done = medreview("judge", "a.medreview")
        medreview("report", "a.medreview", "r.html")
        report = (tmp_path / "r.html").read_text()

    assert "Statements and passages of their pages go to:" in failed.stderr
    assert "no such model" in failed.stderr
    assert f"{len(STATEMENTS)} pairs keep the order that they have; given again, it goes on." in failed.stderr
    assert f"{len(STATEMENTS)} pairs ordered with e at {server.name}" in done.stdout
    assert f"Similarity of meaning (e at {server.name}) had a part in their order" in report


def test_settings_of_somebody_else_send_nothing_anywhere(medreview: Program, tmp_path: Path):
    with Embeddings(letters) as server:
        (tmp_path / "medreview.toml").write_text(SETTINGS.format(base=server.base))
        refused = medreview("judge", "a.medreview", check=2)
        medreview("judge", "a.medreview", "--no-semantic")

        assert server.received == []
    assert "semantic.encoder" in refused.stderr
    assert "were not trusted yet" in refused.stderr


def test_wrong_settings_are_told(medreview: Program, tmp_path: Path):
    own_settings(tmp_path, '[semantic]\nencoder = "bert"\n')
    assert "'semantic.encoder' must be one of" in medreview("judge", "a.medreview", check=2).stderr
    own_settings(tmp_path, '[semantic]\nencode = "minilm"\n')
    assert "unknown key 'semantic.encode'" in medreview("judge", "a.medreview", check=2).stderr
    own_settings(tmp_path, '[semantic]\nencoder = "endpoint"\n')
    assert "needs `model`" in medreview("judge", "a.medreview", check=2).stderr


ENTAILMENT = """[semantic]
entailment = "chat"
entailment_model = "nli"

[models.nli]
model = "n"
base_url = "http://models.example/v1"
"""


def test_a_model_of_entailment_is_held_to_what_holds_for_every_model(medreview: Program, tmp_path: Path):
    (tmp_path / "medreview.toml").write_text(ENTAILMENT)
    untrusted = medreview("judge", "a.medreview", check=2)
    own_settings(tmp_path, ENTAILMENT)
    local = medreview("judge", "a.medreview", "--local-only", check=2)
    medreview("judge", "a.medreview", "--no-semantic")
    planned = medreview("judge", "a.medreview", "--dry-run")
    with Study.create(tmp_path / "b.medreview") as study:
        fill(study, [(f"MRN 12345678. {QUESTION}", ANSWER, list(STATEMENTS.items()))], {"p1": RENAL})
    held = medreview("judge", "b.medreview", check=2)

    assert "semantic.entailment" in untrusted.stderr
    assert "Not on this machine, as --local-only (local_only) asks: nli (models.example)" in local.stderr
    assert "n at models.example, whether pages contradict, " in planned.stdout
    assert "nli: n at models.example, outside this machine, unencrypted, without a key" in planned.stdout
    assert "Nothing was sent to models.example: the texts hold what looks like identifiers" in held.stderr
