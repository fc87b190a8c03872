"""The generators by the words of their command."""

from collections.abc import Mapping
from typing import Final

from medreview.generators.answers import Answers
from medreview.generators.brief_generator import Brief, SinglePrompt
from medreview.generators.cleanup import Cleanup
from medreview.generators.fact_candidates import FactCandidates
from medreview.generators.generator import Generator
from medreview.generators.hallucinations import Hallucinations
from medreview.generators.qa_answers import QAAnswers
from medreview.generators.qa_items import QAItems
from medreview.generators.questions import Questions
from medreview.generators.themes import OverrideThemesGenerator, ThemesGenerator

_EVERY: Final[tuple[type[Generator], ...]] = (
    QAItems,
    Questions,
    Answers,
    QAAnswers,
    Cleanup,
    Hallucinations,
    FactCandidates,
    ThemesGenerator,
    OverrideThemesGenerator,
    Brief,
    SinglePrompt,
)  # fmt: skip
GENERATORS: Final[Mapping[str, type[Generator]]] = {one.name: one for one in _EVERY}
