"""A jury beside one person of the panel: leave-one-out kappas, their mean, the difference and its test."""

import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.formulas.human_baseline import MARGIN
from medreview.stats.units.fact_report import single_person
from medreview.study import Study
from medreview.units.held_facts import held_facts
from tests.support.fact_study import FactStudy

FEW = Resampling(replicates=999, seed=5)
PEOPLE = ("ann", "bob", "cyd")
LEVEL = {"Y": "present", "N": "absent", "-": "cannot_judge"}


def kappa(pairs: Sequence[tuple[str, str]]) -> float:
    """Cohen's, by its definition."""
    n = len(pairs)
    agree = sum(a == b for a, b in pairs) / n
    first, second = (sum(pair[place] == "Y" for pair in pairs) / n for place in (0, 1))
    chance = first * second + (1 - first) * (1 - second)
    return (agree - chance) / (1 - chance)


def majority(words: Sequence[str]) -> str:
    """Of Y and N; - for a tie."""
    return "-" if words.count("Y") == words.count("N") else max("YN", key=words.count)


@pytest.fixture
def votes(tmp_path: Path) -> Iterator[tuple[FactStudy, dict[str, list[str]]]]:
    """Twelve cases of three facts; people err in one of six, one judge hardly ever, one half of the time."""
    rng = random.Random(7)
    errs = dict.fromkeys(PEOPLE, 1 / 6) | {"good": 0.03, "bad": 0.5}
    said: dict[str, list[str]] = {name: [] for name in errs}
    with Study.create(tmp_path / "s.medreview") as study:
        facts = FactStudy(study)
        for number in range(12):
            case = f"c{number}"
            facts.case(case, *((f"Fact {place}.", "other") for place in range(3)))
            text, truth = facts.text("atlas", case), [rng.choice("YN") for _ in range(3)]
            for name, rate in errs.items():
                words = [("N" if one == "Y" else "Y") if rng.random() < rate else one for one in truth]
                said[name] += words
                if name in PEOPLE:
                    facts.labels(name, text, *(LEVEL[word] for word in words))
                else:
                    facts.votes(name, text, "".join(words))
        yield facts, said


def test_a_person_is_held_against_the_others_and_a_judge_against_all(votes):
    facts, said = votes
    found = single_person(held_facts(facts.study.reader), "undecided", FEW)
    alone = []
    for name in PEOPLE:
        others = [majority([said[other][place] for other in PEOPLE if other != name]) for place in range(36)]
        alone.append(kappa([pair for pair in zip(others, said[name], strict=True) if pair[0] != "-"]))
    whole = [majority([said[name][place] for name in PEOPLE]) for place in range(36)]
    mean = sum(alone) / 3
    assert found.people == 3
    assert found.person.value == pytest.approx(mean)
    by_name = {one.rater: one for one in found.beside}
    assert list(by_name) == ["the jury", "good", "bad"]
    for judge in ("good", "bad"):
        own = kappa(list(zip(whole, said[judge], strict=True)))
        assert by_name[judge].difference.value == pytest.approx(own - mean)
    assert by_name["good"].difference.level == 0.9
    assert by_name["good"].non_inferior is (by_name["good"].difference.low > -MARGIN) is True
    assert by_name["bad"].non_inferior is False
    assert by_name["good"].p < 0.05 < by_name["bad"].p
    assert single_person(held_facts(facts.study.reader), "undecided", FEW) == found


def test_the_tie_rule_is_one_on_both_sides(votes):
    facts, _ = votes
    held = held_facts(facts.study.reader)
    n = {rule: single_person(held, rule, FEW).person.n for rule in ("undecided", "supported", "not_supported")}
    # With three people the others of one are two, who tie where they differ.
    assert n["undecided"] < n["supported"] == n["not_supported"] == 3 * 36


def test_it_takes_judges_and_three_people_and_labels_that_vary(tmp_path):
    with Study.create(tmp_path / "s.medreview") as study:
        facts = FactStudy(study)
        for case in ("one", "two"):
            facts.case(case, ("A fact.", "other"))
            text = facts.text("atlas", case)
            facts.labels("ann", text, "present")
            facts.labels("bob", text, "present")
            assert single_person(held_facts(study.reader), "undecided", FEW) is None
            facts.labels("cyd", text, "present")
        assert single_person(held_facts(study.reader), "undecided", FEW) is None
        facts.votes("judge", "atlas-one", "Y")
        found = single_person(held_facts(study.reader), "undecided", FEW)
        assert (found.person.value, found.beside[0].p, found.beside[0].non_inferior) == (None, None, None)
        assert "0/0" in found.person.reason
