"""Runs, prompts and other columns of a file as arms: compared paired by question, and named where they are missing.

Each expectation is worked out here from counts by question, with scipy's t, and not with the program's formulas.
"""

import json
from collections.abc import Callable, Mapping, Sequence

import pytest

from medreview.cli.reports.estimates import difference_parts, repeated_parts
from medreview.cli.reports.terminal import printed
from medreview.errors import UserError
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.reports.answer_arms import ModelRepeats, study_arms
from medreview.stats.reports.study_differences import DifferenceFamily
from medreview.stats.reports.subgroups import NOT_SAID, check_division, strata_of
from medreview.stats.study_figures import StudyFigures, study_figures
from tests.stats.jackknife import jackknife
from tests.stats.small_study import SmallStudy
from tests.support.study_builder import StudyBuilder, build

PLAIN = "Answer the question."
CAREFUL = "You are a careful physician. Cite a guideline for each sentence, and say where none is known."
SAID = {
    ("1", PLAIN): ["SSSS", "SSSN", "SSNN", "SSSS", "SNNN", "SSSS", "SSSN", "SSNN", "SSSS", "SSSN", "SSNN", "SSSS"],
    ("2", PLAIN): ["SSSN", "SSSN", "SNNN", "SSSS", "NNNN", "SSSN", "SSNN", "SNNN", "SSSS", "SSNN", "SSNN", ""],
    ("1", CAREFUL): ["SSSS", "SSSS", "SSSN", "SSSS", "SSNN", "SSSS", "SSSS", "SSSN", "SSSS", "SSSS", "", ""],
}
"""What the judge says of the four statements of each answer, by run and prompt; no answer where nothing is said."""
QUESTIONS = 12


def _share(asked: Callable[[tuple[str, str]], bool], questions: Sequence[int]) -> float:
    words = "".join(SAID[arm][question] for arm in SAID if asked(arm) for question in questions)
    return words.count("S") / len(words)


def by_run(questions: Sequence[int]) -> float:
    return _share(lambda arm: arm[0] == "1", questions) - _share(lambda arm: arm[0] == "2", questions)


def by_prompt(questions: Sequence[int]) -> float:
    return _share(lambda arm: arm[1] == PLAIN, questions) - _share(lambda arm: arm[1] == CAREFUL, questions)


@pytest.fixture
def arms(small: SmallStudy) -> SmallStudy:
    """One model, two runs and two prompts over twelve questions; an answer that says neither, and one of another."""
    for (run, prompt), answers in SAID.items():
        for number, words in enumerate(answers):
            if words:
                name = f"{run}{'c' if prompt == CAREFUL else 'p'}{number}"
                # A column of numbers with a gap is read as 1.0, another file writes 1.
                said = {"Run number": float(run) if number % 2 else run, "System prompt": prompt}
                _answer(small, name, f"Question {number}?", said, words)
    _answer(small, "unsaid", "Question 0?", {"ward": "B"}, "SSSS")
    small.roll_up()
    return small


def _answer(small: SmallStudy, name: str, question: str, said: Mapping[str, object], words: str) -> None:
    small.response(name, len(words), question=question)
    small.judge(" ".join(f"{name}.{place + 1}" for place in range(len(words))), one=words)
    small.study.write(
        lambda connection: connection.execute(
            "UPDATE response SET extra = ? WHERE response_id = ?", (json.dumps(said), name)
        )
    )


def figures(small: SmallStudy, between: str = "model") -> StudyFigures:
    return study_figures(small.study.reader, resampling=Resampling(replicates=199), between=between)


def support(found: StudyFigures) -> DifferenceFamily:
    return next(family for family in found.differences if family.between == "arms_support")


@pytest.mark.parametrize(
    ("between", "sides", "value", "pairing"),
    [
        ("run", ("run 1", "run 2"), by_run, "paired by question (11 shared; 1 only run 1)"),
        ("prompt", (PLAIN, "prompt #1"), by_prompt, f"paired by question (10 shared; 2 only {PLAIN})"),
        ("extra.Run number", ("run number 1", "run number 2"), by_run, "(11 shared; 1 only run number 1)"),
    ],
)
def test_arms_are_paired_by_question_and_all_answers_of_one_count_in_its_question(
    arms: SmallStudy, between: str, sides: tuple[str, str], value: Callable[[Sequence[int]], float], pairing: str
) -> None:
    family = support(figures(arms, between))
    one = next(each for each in family.differences if each.statistic == "statement support")
    expected = jackknife(value, QUESTIONS)

    assert (one.first, one.second) == sides
    assert one.estimate.value == pytest.approx(expected.value)
    ends = (expected.value - expected.half_width, expected.value + expected.half_width)
    assert (one.estimate.low, one.estimate.high) == pytest.approx(ends, rel=2e-3)
    assert one.pvalue == pytest.approx(expected.p, rel=5e-2)
    assert pairing in one.pairing
    assert (one.estimate.clusters, one.estimate.cluster, one.family) == (QUESTIONS, "question", 2)
    assert (family.arms, family.without, family.omitted) == (between, 1, 0)
    text = " ".join(printed(difference_parts([family])).split())
    assert f"{pairing}" in text
    assert "1 response without a" in text
    assert (f"prompt #1: {CAREFUL[:70].rstrip()}…" in text) == (between == "prompt")


def test_agreement_of_the_judges_with_labels_is_compared_by_arm_too(arms: SmallStudy) -> None:
    for (run, prompt), answers in SAID.items():
        for number, words in enumerate(answers):
            for place, word in enumerate(words, 1):
                # anna differs from the judge on every fourth statement of run 2.
                told = "N" if word == "S" else "S"
                letter = told if run == "2" and place == 4 else word
                arms.say(f"{run}{'c' if prompt == CAREFUL else 'p'}{number}.{place}", "blind", anna=letter)
    family = next(each for each in figures(arms, "run").differences if each.between == "arms_agreement")
    one = next(each for each in family.differences if each.statistic == "percent agreement")

    assert (family.reviewer, family.mode, family.arms) == ("anna", "blind", "run")
    assert (one.first, one.second, one.estimate.value) == ("run 1", "run 2", pytest.approx(0.25))
    assert one.pairing == "paired by question (11 shared; 1 only run 1)"


def test_six_arms_are_compared_in_the_order_of_their_numbers_and_others_named(small: SmallStudy) -> None:
    for run in range(11, 2, -1):
        for question in range(5):
            _answer(small, f"r{run}q{question}", f"Question {question}?", {"trial": run}, "SN" if run % 2 else "SS")
    small.roll_up()
    family = support(figures(small, "run"))

    sides = dict.fromkeys(name for one in family.differences for name in (one.first, one.second))
    assert list(sides) == [f"run {run}" for run in range(3, 9)]
    assert family.omitted == 3
    assert "3 more runs not compared" in printed(difference_parts([family]))


def test_what_answers_do_not_say_is_refused_with_what_they_say(arms: SmallStudy) -> None:
    for between, words in (
        ("version", r"No answer of this study says its version .* here say: model, run, prompt\."),
        ("extra.temperature", r"says its temperature\. What answers here say: model, run, prompt\."),
        ("colour", r"model, run, prompt, version or extra.NAME, not by 'colour'\. What"),
        ("extra.", "not by 'extra.'"),
    ):
        with pytest.raises(UserError, match=words):
            study_arms(arms.study.reader, between)
    with pytest.raises(UserError, match=r"say their ward say the same \(B\): there is nothing to compare"):
        figures(arms, "extra.ward")


def test_a_study_is_divided_by_the_same_arms(arms: SmallStudy) -> None:
    reader = arms.study.reader
    parts = strata_of(reader, "extra.run number")
    assert (parts["1p0.1"], parts["2p3.4"], parts["unsaid.1"]) == (("run number 1",), ("run number 2",), (NOT_SAID,))
    found = study_figures(reader, resampling=Resampling(replicates=199), by="prompt").by
    assert found is not None
    assert (found.by, found.arms) == ("arms", "prompt")
    assert found.about == "what the record of the answer says of its prompt"
    assert found.cautions == (f"prompt #1: {CAREFUL[:70].rstrip()}…",)
    shares = {one.stratum: (one.responses, one.supported.value) for one in found.strata}
    assert shares[PLAIN] == (23, pytest.approx(_share(lambda arm: arm[1] == PLAIN, range(QUESTIONS))))
    assert shares["prompt #1"] == (10, pytest.approx(_share(lambda arm: arm[1] == CAREFUL, range(QUESTIONS))))
    for by, words in (("colour", "divided by model, origin"), ("extra.dose", "says its dose"), ("version", "version")):
        with pytest.raises(UserError, match=words):
            check_division(reader, by)


def test_several_answers_of_a_model_to_a_question_are_said_with_what_tells_them_apart(arms: SmallStudy) -> None:
    found = figures(arms).repeated
    assert found is not None
    # Three to each question but 10 (two) and 11 (one), and a fourth to question 0.
    assert found.models == (ModelRepeats("atlas", 11, 33),)
    assert found.told_by == ("run", "prompt")
    text = " ".join(printed(repeated_parts(found, arms.study.path)).split())
    assert "atlas gave 33 to 11 questions; tell them apart: run, prompt." in text
    assert "--full --between run" in text
    arms.study.write(lambda connection: connection.execute("UPDATE response SET extra = '{}'"))
    silent = figures(arms).repeated
    assert silent is not None
    text = " ".join(printed(repeated_parts(silent, arms.study.path)).split())
    assert "33 to 11 questions; no record tells them apart." in text
    arms.study.write(lambda connection: connection.execute("UPDATE response SET question = ''"))
    assert figures(arms).repeated is None


def test_long_prompts_that_begin_alike_are_told_apart_by_where_they_differ(small: SmallStudy) -> None:
    before = "You are a physician who answers patients in plain words, without a greeting. "
    for number, rule in enumerate(("Cite a guideline for each sentence.", "Say how sure you are.")):
        _answer(small, f"r{number}", "", {"system_prompt": before + rule}, "S")
    found = study_arms(small.study.reader, "prompt")

    assert found.explained(["prompt #2", "prompt #1", "run 1"]) == (
        "prompt #2: …without a greeting. Say how sure you are.",
        "prompt #1: …without a greeting. Cite a guideline for each sentence.",
    )


def test_answers_made_here_say_their_run_and_prompt_and_a_chat_its_system_prompt(small: SmallStudy) -> None:
    for name in "abc":
        small.response(name, 1)

    def made(rows: StudyBuilder) -> None:
        for number, name in enumerate("ab", 1):
            rows.add(
                "generation_run", run_id=name, ordinal=number, generator="answers", model_name="atlas", model="atlas",
                host="", judge="", prompts=json.dumps({f"answer/{number}": "0123456789ab"}), params="{}", options="{}",
                started_at="2026-10-09T08:00:00+00:00",
            )  # fmt: skip
            rows.add("generation_product", run_id=name, item_id=name, kind="response", made=name)
        rows.add("turn", response_id="c", ordinal=1, role="system", text="Be\nbrief.")

    build(small.study, made)
    assert study_arms(small.study.reader, "run").of == {"a": "generation 1", "b": "generation 2"}
    assert study_arms(small.study.reader, "prompt").of == {
        "a": "answer/1 0123456", "b": "answer/2 0123456", "c": "Be brief."
    }  # fmt: skip
