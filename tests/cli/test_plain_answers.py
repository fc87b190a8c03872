"""Answers and findings in line mode."""

from pathlib import Path

from medreview import pipeline
from medreview.review.reviewer_state import load_reviewer_state
from medreview.study import Study
from tests.support.answer_study import CORRECT, answer_units, bring_answers, find
from tests.support.commands import Program, own_settings


def test_answers_are_decided_marked_and_compared_with_the_findings_in_lines(medreview: Program, tmp_path: Path) -> None:
    own_settings(tmp_path, 'reviewer = "kb"\n')
    path = tmp_path / "a.medreview"
    with Study.create(path) as study:
        bring_answers(study, tmp_path)
        pipeline.parse(study)
        unit = answer_units(study)[1]
        find(study, "one", unit, "fact", "week 35", "Paracetamol")
    typed = [
        "?", "h 1 week 28", "3", "not there", "Do not take ibuprofen after week 28",
        "You may take ibuprofen in week 35 // 28 against 35", "", "r", "", "]", "h 1 Paracetamol", "F", "F 9", "F 1",
        "F 1 x", "F", "q",
    ]  # fmt: skip
    queue = ("--queue", "answers", "--filter", "id=a2")
    done = medreview("review", path, "--plain", *queue, input="".join(f"{line}\n" for line in typed)).stdout
    for words in (
        "h N WORDS", "Say first what is wrong with the answer: 1-4.", "does not say that in these words",
        "the other place", "you marked “You may take ibuprofen in week 35”, context (28 against 35)", "CORRECT ANSWER",
        "1 one: fact “Paracetamol”", "Say F and a number from 1 to 2", "took over “Paracetamol”", "rejected “week 35”",
        "No finding is open here any more.",
    ):  # fmt: skip
        assert words.casefold() in " ".join(done.split()).casefold(), words
    assert " ".join(CORRECT.split()) not in " ".join(done.partition("saved #")[0].split())
    with Study.open(path, read_only=True) as study:
        own = load_reviewer_state(study.reader, unit, "kb")
        assert (own.label, [mine.label for mine in own.spans]) == ("context", ["context", "context", "fact", "fact"])
        assert own.spans[1].with_span == own.spans[0].event_id
