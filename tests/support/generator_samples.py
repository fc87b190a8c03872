"""For each generator a small study with inputs, and a model that answers it well: what every generator is tested on."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from medreview import pipeline
from medreview.generators.answers import Answers
from medreview.generators.brief_generator import Brief, SinglePrompt
from medreview.generators.cleanup import Cleanup
from medreview.generators.fact_candidates import FactCandidates
from medreview.generators.generator import ATTEMPTS
from medreview.generators.hallucinations import Hallucinations
from medreview.generators.qa_answers import QAAnswers
from medreview.generators.qa_items import QAItems
from medreview.generators.questions import Questions
from medreview.generators.themes import OverrideThemesGenerator, ThemesGenerator
from medreview.study import Study
from medreview.units.cases import NewCase
from medreview.units.new_units import ImportRecord, store_records
from medreview.units.stored import NewPassage, NewUnit
from tests.support import asked_items, brief_sample, good_qa_items, override_study, planted_answers, unsupported_study
from tests.support.fact_study import FactStudy
from tests.support.misbehaving import MODES, Asked, Good
from tests.support.qa_samples import SOME, chapter, good_item


@dataclass(frozen=True, slots=True)
class Sample:
    """A generator as it is set up, what fills a study for it, and good answers to its questions.

    ``inputs``: so many there are then. ``options``: what its command needs beside study and model. ``attempts``: how
    often it tries. ``keeps_invalid``: what a bad model says is kept, as an invalid response. ``harmless``: ways to
    misbehave that are none here. ``reports``: it makes something for a report, and no product. ``stages``: of an input
    with several questions those from which on a model may go bad.
    """

    make: "pipeline.asking.Make"
    fill: Callable[[Study], None]
    good: Good
    inputs: int
    options: tuple[str, ...] = ()
    attempts: int = ATTEMPTS
    keeps_invalid: bool = False
    harmless: tuple[str, ...] = ()
    reports: bool = False
    stages: tuple[int, ...] = ()


ASPIRIN: Final = "Aspirin is stopped 7 days before the operation. Nobody needs a bridge with heparin for that."
IRON: Final = "Oral iron is best taken every other day. Taken twice daily, less of each dose is absorbed."


def passages(*texts: str) -> Callable[[Study], None]:
    """A study with these texts as passages."""

    def fill(study: Study) -> None:
        made = tuple(NewPassage(text, f"text {number}") for number, text in enumerate(texts, 1))
        study.write(lambda connection: store_records(connection, [ImportRecord(passages=made)], "test"))

    return fill


def by_text(answers: Mapping[str, Mapping[str, Any]]) -> Good:
    """A model that knows an answer by words that stand between the fences of the prompt."""

    def good(asked: Asked) -> Mapping[str, Any]:
        whole = "\n".join(asked.texts.values())
        return next(answer for words, answer in answers.items() if words in whole)

    return good


_QUESTIONS: Final = {
    ASPIRIN: {
        "quote": "Aspirin is stopped 7 days before the operation.",
        "answer": "7 days before",
        "question": "How long before an operation is aspirin stopped?",
    },
    IRON: {
        "quote": "Oral iron is best taken every other day.",
        "answer": "Every other day",
        "question": "How often should a patient take oral iron tablets?",
    },
}

_ANSWERS: Final = {
    "aspirin": {
        "response": "Aspirin that is taken to prevent a first event is stopped 7 days before the operation [1]. After "
        "a stent the cardiologist is asked before aspirin is stopped [1].",
        "sources": ["https://surgery.example/aspirin"],
    },
    "iron": {
        "response": "Oral iron is taken every other day, since less of a dose is absorbed when it is taken daily [1].",
        "sources": ["https://blood.example/iron"],
    },
}


def asked(*questions: str) -> Callable[[Study], None]:
    """A study with these questions."""

    def fill(study: Study) -> None:
        named = ("answer", "quote", "passage", "url")
        made = [NewUnit("question", one, {"question": one, **dict.fromkeys(named, "")}) for one in questions]
        study.write(lambda connection: store_records(connection, [ImportRecord(units=tuple(made))], "test"))

    return fill


def _cleaned_up(asked: Asked) -> Mapping[str, Any]:
    """A revision of the one statement, or the judge's word on it."""
    return unsupported_study.SUPPORTS if "label" in asked.schema["properties"] else unsupported_study.GOOD


def with_correct_answer(study: Study) -> None:
    """A study with one question and its correct answer."""
    answer = (planted_answers.QUESTION, planted_answers.CORRECT)
    study.write(lambda connection: store_records(connection, [ImportRecord(references=(answer,))], "test"))


def cases(*references: str) -> Callable[[Study], None]:
    """A study with cases of these human-written texts."""

    def fill(study: Study) -> None:
        made = tuple(
            NewCase(f"c{number}", f"Case {number}", f"Write the course of case {number}.", text, ())
            for number, text in enumerate(references, 1)
        )
        study.write(lambda connection: store_records(connection, [ImportRecord(cases=made)], "test"))

    return fill


_REFERENCE: Final = (
    "The patient had pneumonia of the left lower lobe. Warfarin was stopped because of an INR of 6.1. A chest X-ray is "
    "due in 6 weeks. He was told to stop smoking."
)
_FACTS: Final = [
    {
        "fact": "Pneumonia of the left lower lobe was found.",
        "category": "diagnosis",
        "quote": "The patient had pneumonia of the left lower lobe",
    },
    {
        "fact": "Warfarin was stopped at an INR of 6.1.",
        "category": "management",
        "quote": "Warfarin was stopped because of an INR of 6.1.",
    },
    {"fact": "A chest X-ray is due in 6 weeks.", "category": "follow_up", "quote": "A chest X-ray is due in 6 weeks."},
]


def failures(study: Study) -> None:
    """A system that omits two key facts on each of two cases."""
    facts = FactStudy(study)
    for case in ("one", "two"):
        facts.case(case, ("Warfarin was stopped at an INR of 6.1.", "management"), ("An X-ray is due.", "follow_up"))
        facts.votes("juror", facts.text("atlas", case), "NN", reason="The text says nothing of it.")


_THEMES: Final = [
    {"facts": [1, 3], "title": "Why warfarin was stopped", "about": "Neither the medicine nor the reason is named."},
    {"facts": [2, 4], "title": "Controls after discharge", "about": "The X-ray that is still due is left out."},
]


def _qa(kind: str, stages: tuple[int, ...] = ()) -> Sample:
    make = partial(QAItems, kind=kind, distractors=True)
    options = ("--type", kind, "--distractors")
    return Sample(make, passages(good_qa_items.MRSA), good_qa_items.answers(kind), 1, options, stages=stages)


SAMPLES: Final[Mapping[str, Sample]] = {
    "brief": Sample(Brief, brief_sample.fill, brief_sample.good, 1, stages=(2, 4, 5)),
    "brief --single-prompt": Sample(SinglePrompt, brief_sample.fill, brief_sample.good, 1),
    "qa": Sample(partial(QAItems, distractors=True), passages(*(chapter()[name] for name in SOME)), good_item, 5),
    "questions": Sample(Questions, passages(ASPIRIN, IRON), by_text(_QUESTIONS), 2),
    "answers": Sample(
        Answers,
        asked("How long before an operation is aspirin stopped?", "How often should a patient take oral iron?"),
        by_text(_ANSWERS),
        2,
        attempts=2,
        keeps_invalid=True,
        harmless=("repeated items",),
    ),
    "answers --to qa": Sample(
        QAAnswers,
        lambda study: asked_items.fill(study, 7),
        lambda asked: {"answer": "A dose by weight: what is given follows from how heavy somebody is."},
        7,
        attempts=2,
        # What it writes is what is examined, whatever it is worth.
        harmless=tuple(mode for mode in MODES if mode not in ("nothing", "empty fields", "a filter")),
        reports=True,
    ),
    "cleanup": Sample(Cleanup, unsupported_study.fill, _cleaned_up, 1, stages=(2,)),
    "hallucinations": Sample(
        partial(Hallucinations, kind="fact"),
        with_correct_answer,
        by_text({planted_answers.QUESTION: planted_answers.FACT}),
        1,
        ("--type", "fact"),
    ),
    "key-facts": Sample(FactCandidates, cases(_REFERENCE), lambda _: {"candidates": _FACTS}, 1),
    "themes": Sample(ThemesGenerator, failures, lambda _: {"themes": _THEMES}, 1, reports=True),
    "override-themes": Sample(
        partial(OverrideThemesGenerator, to=(override_study.WHO,)),
        override_study.fill,
        lambda _: override_study.THEMES,
        1,
        reports=True,
    ),
    "qa, list": _qa("list", stages=(2,)),
    "qa, multi_hop_inverse": _qa("multi_hop_inverse"),
}
"""By the name of the generator, and after a comma what more distinguishes the sample."""
