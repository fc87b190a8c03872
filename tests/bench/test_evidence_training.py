"""The script that fits the evidence weights: on cases with one thing to learn, and what it writes."""

import gzip
import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from medreview.evidence import passage_ranking as home
from tests.bench import evidence_training as training
from tests.bench.evidence_fit.cases import load
from tests.bench.evidence_fit.figures import auroc, figures, found_early
from tests.bench.evidence_fit.ranking import with_ranking
from tests.bench.evidence_fit.triage import with_triage
from tests.bench.evidence_fit.trial_weights import using

DRUGS = ("apixaban", "metformin", "lisinopril", "methotrexate", "salbutamol", "warfarin")


@pytest.fixture
def cases(tmp_path):
    """In every case the annotators named a methods sentence, against what is expected of papers."""
    with gzip.open(tmp_path / "odd.jsonl.gz", "wt", encoding="utf-8") as out:
        for number, drug in enumerate(DRUGS):
            parts = ["METHODS:", f"We gave {drug} to adults.", "RESULTS:", f"We saw {drug} in adults."]
            text = "\n".join(parts)
            sentences = [[text.index(part), text.index(part) + len(part)] for part in parts]
            statement = f"Adults had {drug}" + (" and rashes." if number % 2 else ".")
            label = "contradicted" if number % 2 else "supported"
            row = {"id": drug, "statement": statement, "source_text": text, "sentences": sentences}
            row |= {"gold_sets": [[1]], "label": label, "tasks": ["evidence", "verdict"]}
            print(json.dumps(row), file=out)
        print(json.dumps({"id": "q", "quote": "not a statement", "source_text": "-"}), file=out)
    return load(tmp_path)


def test_weights_go_where_the_cases_say(cases):
    start = home.load()
    fitted = training.fit(cases, start)
    before, after = figures(cases, start), figures(cases, fitted)

    assert fitted.ranking.sections["methods"] > start.ranking.sections["methods"]
    assert fitted.triage.absent > 0 > fitted.triage.said
    assert before["hit@1"] == 0
    assert after["hit@3"] == after["AUROC"] == 1


def test_the_same_cases_give_the_same_weights(cases):
    assert training.fit(cases, home.load()) == training.fit(cases, home.load())


def test_the_package_keeps_its_weights(cases):
    before = home.weights()
    with using(before._replace(triage=before.triage._replace(bias=9.0))):
        pass

    assert home.weights() == before == home.load()


def test_what_is_written_is_read_back_and_comments_stay(tmp_path):
    path = tmp_path / "weights.toml"
    shutil.copy(Path(home.__file__).with_name("weights.toml"), path)
    comments = path.read_text().count("#")
    old = home.load(path)
    new = with_triage(with_ranking(old, {"bm25": -12.25, "sections.title": 3.5}), {"bias": 0.125})

    training.write(new, path)

    assert home.load(path) == new != old
    assert path.read_text().count("#") == comments


def test_a_pile_read_at_random_gives_the_share_that_was_read():
    scores = np.zeros(50)
    wrong = np.arange(50) < 20

    assert found_early(scores, wrong) == pytest.approx(0.2)
    assert found_early(wrong.astype(float), wrong) == pytest.approx(0.2 / 0.3)
    assert auroc(scores, wrong) == 0.5
