"""For each generator a small study with inputs, and a model that answers it well: what every generator is tested on."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from medreview import pipeline
from medreview.generators.questions import Questions
from medreview.study import Study
from medreview.units.brought import Brought, store_brought
from medreview.units.stored import NewPassage
from tests.support.misbehaving import Asked, Good


@dataclass(frozen=True, slots=True)
class Sample:
    """A generator as it is set up, what fills a study for it, and good answers to its questions.

    ``inputs``: so many there are then. ``options``: what its command needs beside study and model.
    """

    make: "pipeline.generating.Make"
    fill: Callable[[Study], None]
    good: Good
    inputs: int
    options: tuple[str, ...] = ()


ASPIRIN: Final = "Aspirin is stopped 7 days before the operation. Nobody needs a bridge with heparin for that."
IRON: Final = "Oral iron is best taken every other day. Taken twice daily, less of each dose is absorbed."


def passages(*texts: str) -> Callable[[Study], None]:
    """A study with these texts as passages."""

    def fill(study: Study) -> None:
        made = tuple(NewPassage(text, f"text {number}") for number, text in enumerate(texts, 1))
        study.write(lambda connection: store_brought(connection, [Brought(passages=made)], "test"))

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

SAMPLES: Final[Mapping[str, Sample]] = {
    "questions": Sample(Questions, passages(ASPIRIN, IRON), by_text(_QUESTIONS), 2),
}
"""By the name of the generator."""
