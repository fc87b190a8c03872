"""The generators by the words of their command."""

from collections.abc import Mapping
from typing import Final

from medreview.generators.answers import Answers
from medreview.generators.brief.generator import Brief
from medreview.generators.brief.single_prompt import SinglePrompt
from medreview.generators.cleanup import Cleanup
from medreview.generators.generator import Generator
from medreview.generators.hallucinations import Hallucinations
from medreview.generators.key_facts import KeyFacts
from medreview.generators.override_themes import OverrideThemes
from medreview.generators.qa.items import QAItems
from medreview.generators.questions import Questions
from medreview.generators.themes import Themes

_EVERY: Final[tuple[type[Generator], ...]] = (
    QAItems,
    Questions,
    Answers,
    Cleanup,
    Hallucinations,
    KeyFacts,
    Themes,
    OverrideThemes,
    Brief,
    SinglePrompt,
)  # fmt: skip
GENERATORS: Final[Mapping[str, type[Generator]]] = {one.name: one for one in _EVERY}
