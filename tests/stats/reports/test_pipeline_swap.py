"""Another parser, verifier or question writer: shares under each combination, statements matched by their text."""

from pathlib import Path

import pytest

from medreview.errors import UserError
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.reports.pipeline_swap import NOT_WRITTEN, PipelineSwaps, StageSwap, pipeline_swaps
from medreview.study import Study
from tests.support.swapped_studies import parsed, written
from tests.support.unit_study import decide

FEW = Resampling(replicates=199)
FIRST = {
    "r1": {"Aspirin thins blood.": "g+ c+", "Rest helps.": "g+ c-"},
    "r2": {"Water is wet.": "g- c-", "Salt is not.": "g+ c?"},
    "r3": {"Tea is warm.": "g+ c+"},
}
SECOND = {
    "r1": {"aspirin thins blood": "g+ c+", "Rest helps, and sleep.": "g- c-"},
    "r2": {"Water is wet [1].": "g+ c-"},
    "r3": {"Tea is warm.": "g+ c-", "Tea is hot.": "g- c-"},
}


def two(tmp_path: Path) -> PipelineSwaps:
    with (
        parsed(tmp_path / "a.medreview", "split 9", FIRST) as a,
        parsed(tmp_path / "b.medreview", "x p/1 run", SECOND) as b,
    ):
        return pipeline_swaps({"a": a.reader, "b": b.reader}, FEW)


def counts(found: PipelineSwaps) -> dict[tuple[str, str], tuple[int, int, int]]:
    """By parser and verifier: supported, statements, left out."""
    return {
        (one.pipeline.parser, one.pipeline.verifier):
            (round((one.supported.value or 0) * one.statements), one.statements, one.left_out)
        for one in found.support
    }  # fmt: skip


def the(found: PipelineSwaps, stage: str, first: str, second: str, **held: str) -> StageSwap:
    return next(
        one for one in found.swaps
        if one.stage == stage and (getattr(one.first, stage), getattr(one.second, stage)) == (first, second)
        and all(getattr(one.first, name) == value for name, value in held.items())
    )  # fmt: skip


def test_support_is_counted_under_each_combination_of_parser_and_verifier(tmp_path: Path) -> None:
    assert counts(two(tmp_path)) == {
        ("split 9", "c"): (2, 4, 1), ("split 9", "g"): (4, 5, 0), ("x p/1", "c"): (1, 5, 0), ("x p/1", "g"): (3, 5, 0),
    }  # fmt: skip


def test_statements_of_two_parsers_are_matched_by_answer_and_text_and_what_is_in_one_only_is_counted(
    tmp_path: Path,
) -> None:
    both = two(tmp_path)
    found = the(both, "parser", "split 9", "x p/1", verifier="g")
    assert (found.matched, found.first_only, found.second_only) == (3, 2, 2)
    assert found.agreement[0].value == pytest.approx(2 / 3)  # on "Water is wet." the verifier changed its mind
    assert found.difference.value == pytest.approx(4 / 5 - 3 / 5)
    assert found.difference.clusters == 3
    uneven = the(both, "parser", "split 9", "x p/1", verifier="c")
    assert (uneven.matched, uneven.first_only, uneven.second_only) == (3, 1, 2)


def test_only_combinations_that_differ_in_one_part_stand_beside_each_other_and_p_is_adjusted_for_all(
    tmp_path: Path,
) -> None:
    swaps = two(tmp_path).swaps
    assert sorted(one.stage for one in swaps) == ["parser", "parser", "verifier", "verifier"]
    assert all(one.p is None or one.holm is None or one.holm >= one.p for one in swaps)


def test_the_same_answer_or_statement_twice_counts_twice(tmp_path: Path) -> None:
    said = {"r1": {"Yes.": "g+"}, "r2": {"Yes.": "g-"}}
    with parsed(tmp_path / "a.medreview", "split 9", said, asked="The one question?") as study:
        study.write(lambda c: c.execute("UPDATE response SET text = 'Yes.', text_sha256 = 'same'"))
        (only,) = pipeline_swaps({"a": study.reader}, FEW).support
    assert (only.answers, only.statements, only.supported.value) == (2, 2, 0.5)
    assert (only.supported.clusters, only.supported.cluster) == (1, "question")


def test_one_study_with_questions_of_two_writers_has_their_support_and_their_valid_questions(tmp_path: Path) -> None:
    said = {name: {f"S {name}.": "g+" if name != "r2" else "g-"} for name in ("r1", "r2", "r3", "r4")}
    with parsed(tmp_path / "a.medreview", "split 9", said) as study:
        written(
            study,
            {"What is to be done, r1?": "gpt", "what is to be done, R2": "gpt", "What is to be done, r3?": "claude"},
        )
        units = [row[0] for row in study.reader.execute("SELECT unit_id FROM unit ORDER BY ordinal")]
        for unit, label in zip(units, ("answerable", "not_answerable", "answerable"), strict=True):
            decide(study, "anna", unit, "answerability", label)
        found = pipeline_swaps({"a": study.reader}, FEW)
    by_writer = {one.pipeline.writer: one.supported.value for one in found.support}
    assert by_writer == {"gpt": 0.5, "claude": 1.0, NOT_WRITTEN: 1.0}
    swap = the(found, "writer", "claude", "gpt")
    assert (swap.matched, swap.agreement, swap.difference.value) == (0, (), 0.5)
    valid = {one.writer: (one.questions.answerable.value, one.questions.answerable.n) for one in found.writers}
    assert valid == {"gpt": (0.5, 2), "claude": (1.0, 1)}


def test_the_rules_alone_are_no_verifier(tmp_path: Path) -> None:
    by_rules = parsed(tmp_path / "a.medreview", "split 9", {"r1": {"One.": "offline+"}})
    with by_rules as study, pytest.raises(UserError, match="No judge has looked into any source"):
        pipeline_swaps({"a": study.reader}, FEW)
    with Study.create(tmp_path / "b.medreview") as study, pytest.raises(UserError, match="No judge"):
        pipeline_swaps({"b": study.reader}, FEW)
