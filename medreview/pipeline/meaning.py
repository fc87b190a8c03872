"""Asking a model of meaning about a study: what that costs is said first, then pair by pair."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from medreview.judges.semantic_stage import SemanticPlan, SemanticSummary, judge_by_meaning, plan
from medreview.llm.settings import JudgeSettings, where_texts_go
from medreview.llm.store import CallStore
from medreview.progress import SILENT, Progress
from medreview.semantic.configured import SemanticSettings, configured_encoder, cost
from medreview.semantic.similarity import Encoder, Scorer
from medreview.study import Study
from medreview.words import counted


@dataclass(frozen=True, slots=True)
class Meaning:
    """A model of meaning to be asked: its settings, its endpoint (``None``: on this machine), and who is told first
    what is sent where and what it costs, a line each."""

    settings: SemanticSettings
    endpoint: JudgeSettings | None = None
    say: Callable[[str], None] | None = None


@dataclass(frozen=True, slots=True)
class PlannedMeaning:
    """What a model of meaning would be asked, and the lines that say so."""

    model: str
    plan: SemanticPlan
    lines: tuple[str, ...]


def plan_meaning(
    study: Study, meaning: Meaning, synonyms: Path | None = None, progress: Progress = SILENT
) -> PlannedMeaning:
    """What asking about the pairs of a study that were judged by rules would be; asks nothing.

    Raises :class:`UserError` for a model that is not installed, or that the settings do not have.
    """
    model = _model(study, meaning)
    planned = plan(study, model.name, is_encoder=not isinstance(model, Scorer), synonyms=synonyms, progress=progress)
    lines = []
    if planned.pairs:
        kept = "every text is encoded already."
        what = cost(planned.texts, planned.characters, meaning.endpoint) if planned.texts else kept
        lines.append(f"{model.name}, for the order of {counted(planned.pairs, 'pair')}: {what}")
        if meaning.endpoint is not None and planned.texts:
            lines += where_texts_go([meaning.endpoint], "Statements and passages of their pages go")
    return PlannedMeaning(model.name, planned, tuple(lines))


def ask_meaning(
    study: Study, meaning: Meaning, synonyms: Path | None = None, progress: Progress = SILENT
) -> SemanticSummary:
    """Say what it costs, then ask about every pair that was judged by rules and has no score of this model.

    Raises as :func:`plan_meaning`. What a model does not answer keeps the score of the rules, and is told.
    """
    planned = plan_meaning(study, meaning, synonyms, progress)
    for line in planned.lines:
        if meaning.say:
            meaning.say(line)
    if not planned.plan.pairs:
        return SemanticSummary(planned.model)
    return judge_by_meaning(study, _model(study, meaning), synonyms, progress)


def _model(study: Study, meaning: Meaning) -> Encoder | Scorer:
    models = {meaning.endpoint.name: meaning.endpoint} if meaning.endpoint else {}
    return configured_encoder(meaning.settings, models, CallStore(study))
