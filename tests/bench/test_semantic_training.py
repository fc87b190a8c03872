"""The script that fits the blend: on cases with one thing to learn, and what it writes."""

import gzip
import json
import shutil
from pathlib import Path

import numpy as np

from medreview.semantic import similarity as home
from medreview.semantic.minilm import MiniLM
from medreview.semantic.similarity import Similarity
from tests.bench import semantic_training as training
from tests.bench.semantic_training import SIGNS, Judged, figures, fit, load
from tests.support.packaged_encoder import needs_packaged_encoder

pytestmark = needs_packaged_encoder


def made(seen: int, seed: int, against: bool = False) -> Judged:
    """Cases of which one column tells right from wrong, the others nothing."""
    drawn = np.random.default_rng(seed)
    rows = drawn.normal(size=(80, 3))
    wrong = (rows[:, seen] * SIGNS[seen] + drawn.normal(scale=0.5, size=80) > 0) != against
    return Judged(rows, wrong, np.zeros(80, dtype=bool))


def test_the_column_that_tells_most_weighs_most_and_keeps_its_sign():
    rules, near = fit([made(0, 1), made(0, 2)]), fit([made(1, 1), made(1, 2)])

    assert rules.rules > max(1, 4 * abs(rules.near), 4 * rules.clash)
    assert -near.near > max(1, 4 * near.rules, 4 * near.clash)
    assert fit([made(1, 1, against=True)]).near == 0
    assert fit([made(0, 1), made(0, 2)]) == rules


def test_what_a_share_of_wrong_statements_of_a_set_is_changes_no_weight():
    one = made(0, 1)
    tilted = Judged(one.rows + np.array([2.0, 0, 0]), one.wrong, one.medical)

    assert abs(fit([one, tilted]).rules - fit([one, one]).rules) < 0.2


def test_statements_are_read_from_sets_of_both_kinds_and_paraphrases_are_told(tmp_path):
    source = "Participants came from three countries. The trial enrolled 400 adults."
    told = [("Volunteers lived in several nations.", "supported"), ("Prices rose in several nations.", "not_found")]
    rows: list[dict[str, object]] = [{"statement": text, "source_text": source, "label": label} for text, label in told]
    rows += [{**row, "tasks": ["evidence"]} for row in rows] + [{"quote": "x", "source_text": "-"}]
    rows += [{"statement": "x", "source_text": "", "label": "not_found"}]
    with gzip.open(tmp_path / "own.jsonl.gz", "wt", encoding="utf-8") as out:
        out.writelines(json.dumps(row) + "\n" for row in rows)
    sets = load(tmp_path, Similarity(MiniLM()))

    assert sets["own"].wrong.tolist() == [False, True], "without what is not a verdict, no statement, no passage"
    assert figures(sets, {"own": home.load()})["own"]["AUROC"] == 1


def test_what_is_written_is_read_back_and_comments_stay(tmp_path):
    path = tmp_path / "blend.toml"
    shutil.copy(Path(home.__file__).with_name("blend.toml"), path)
    comments = path.read_text().count("#")
    new = home.BlendWeights(-1.5, 0.25, -3.0, 12.0)

    training.write(new, path)

    assert home.load(path) == new
    assert path.read_text().count("#") == comments
