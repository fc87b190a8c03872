"""Entity density, coherence variance, semantic entropy, and what is chosen by them."""

import sys
from math import log
from pathlib import Path

import numpy as np
import pytest

from medreview.errors import UserError
from medreview.generators.passage_candidates import TaggerCommand, TermLists, density
from medreview.generators.passage_measures import (
    Features,
    PassageThresholds,
    WordWeights,
    coherence_variance,
    cosines,
    semantic_entropy,
    thresholds_keeping,
)
from medreview.text import Span


def named(text: str) -> set[str]:
    (spans,) = TermLists().entities([text])
    return {text[slice(*span)] for span in spans}


def test_diseases_drugs_procedures_and_amounts_are_entities_and_words_of_reports_are_not():
    text = "In women with atrial fibrillation apixaban 5 mg reduces strokes and safely prevents more than aspirin."
    assert {"atrial fibrillation", "apixaban", "5 mg", "strokes", "aspirin"} <= named(text)
    assert not named("Many women prevent it safely, and treatment increases what physicians avoid.")


def test_density_counts_the_tokens_of_entities_once():
    text = "Atrial fibrillation needs apixaban today."
    assert density(text, [Span(0, 19), Span(7, 19), Span(26, 34)]) == pytest.approx(3 / 5)
    assert density("...", []) == 0


def test_variance_is_of_consecutive_cosines_and_none_for_fewer_than_two_of_them():
    one, other = [1.0, 0.0], [0.0, 1.0]
    assert coherence_variance(np.array([one, one, other])) == pytest.approx(0.25)
    assert coherence_variance(np.array([one, other, one])) == 0
    assert coherence_variance(np.array([one, other])) == 0


def test_entropy_is_over_clusters_that_chains_of_likeness_join():
    east, north_east, north = [1.0, 0.0], [2**-0.5, 2**-0.5], [0.0, 1.0]
    assert semantic_entropy(np.array([east, north_east, north]), 0.5) == 0
    assert semantic_entropy(np.array([east, east, north, north]), 0.5) == pytest.approx(log(2))
    assert semantic_entropy(np.array([east, north_east, north]), 0.8) == pytest.approx(log(3))
    assert semantic_entropy(np.array([east]), 0.5) == 0


def test_words_that_few_sentences_have_make_them_alike_and_synonyms_are_one_word():
    sentences = ["Digoxin is cleared by the kidney.", "Renal failure raises digoxin.", "Clozapine slows the bowel."]
    weights = WordWeights([*sentences, *(f"The kidney has {word} in it." for word in ("one", "two", "three", "many"))])
    found = cosines(weights.vectors(sentences))
    assert found[0, 0] == pytest.approx(1)
    assert 0.2 < found[0, 1] < 0.9
    assert found[0, 2] == 0
    assert cosines(weights.vectors(["of the", "and"])).tolist() == [[0, 0], [0, 0]]


def test_each_threshold_fails_its_own_rule():
    limits = PassageThresholds(0.05, 0.05, 1.0)
    assert limits.failed(Features(0.05, 0.05, 1.0)) == ()
    assert limits.failed(Features(0.04, 0.06, 1.1)) == ("low_density", "incoherent", "unfocused")


def test_a_share_is_kept_of_those_that_are_good_by_all_three_measures():
    every = [Features(0.1 * number, 0.001 * (10 - number), 0.1 * (10 - number)) for number in range(10)]
    odd = Features(0.9, 0.5, 0.0)  # the best by two of them, the worst by the third
    for share in (0.1, 0.3, 0.6, 1.0):
        limits = thresholds_keeping(share, [*every, odd])
        kept = [one for one in [*every, odd] if not limits.failed(one)]
        assert len(kept) == -(-share * 11 // 1)
        assert (odd in kept) is (share == 1)
    assert thresholds_keeping(0.5, []) == PassageThresholds()


def test_equally_good_ones_are_kept_together():
    limits = thresholds_keeping(0.1, [Features(0.2, 0.0, 0.0)] * 5)
    assert not limits.failed(Features(0.2, 0.0, 0.0))


def tagger(tmp_path: Path, body: str) -> TaggerCommand:
    path = tmp_path / "tagger.py"
    path.write_text(f"import json, sys\nfor line in sys.stdin:\n    text = json.loads(line)['text']\n    {body}\n")
    return TaggerCommand(f"{sys.executable} {path}")


def test_a_tagger_of_the_users_own_answers_a_line_for_each_passage(tmp_path):
    found = tagger(tmp_path, "print(json.dumps({'entities': [[0, text.index(' '), 'DRUG']]}))")
    assert found.entities(["Aspirin ä\nhelps.", "Warfarin too."]) == [[Span(0, 7)], [Span(0, 8)]]
    assert found.name.endswith("tagger.py")


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("pass", "answered 1 passages with 0 lines"),
        ("print('[]')", r"Line 1 of the tagger .* is not"),
        ("print('nonsense')", r"Line 1 of the tagger .* is not"),
        ("print(json.dumps({'entities': [[0, 99]]}))", "a range that is not in its passage"),
        ("sys.exit('no model')", "ended with the code 1: no model"),
    ],
)
def test_a_tagger_that_answers_otherwise_is_named_with_what_is_wrong(tmp_path, body, why):
    with pytest.raises(UserError, match=why):
        tagger(tmp_path, body).entities(["Aspirin helps."])


def test_a_tagger_that_is_not_there_is_named():
    with pytest.raises(UserError, match="cannot be started"):
        TaggerCommand("no-such-tagger --fast").entities(["Aspirin helps."])
