"""A model of meaning for the order of the queue: the option, what is said before, and what came of it."""

from typing import TYPE_CHECKING, Annotated

import typer

from medreview.cli.ask_models import leave_by
from medreview.cli.output import counted, progress, result, say
from medreview.cli.trusting import with_settings

if TYPE_CHECKING:
    from pathlib import Path

    from medreview.judges.semantic_stage import SemanticSummary
    from medreview.pipeline import Meaning
    from medreview.study import Study

Semantic = Annotated[
    bool | None,
    typer.Option(
        "--semantic/--no-semantic",
        help="Ask a model of meaning, for the order only; default: as [semantic] of the settings says.",
        show_default=False,
    ),
]


def meaning_from_config(wanted: bool | None, *, local_only: bool = False) -> "Meaning | None":
    """The model that is to be asked, which says what it costs before; ``None`` where none is wanted."""
    from dataclasses import replace

    from medreview.configured import meaning_of

    meaning = with_settings(lambda config: meaning_of(config, wanted, local_only=local_only))
    return replace(meaning, say=say) if meaning else None


def plan_and_say(study: "Study", meaning: "Meaning", synonyms: "Path | None", *, as_json: bool) -> None:
    """What asking would be, as the result of a command; nothing is asked."""
    from medreview import pipeline

    with progress() as bar:
        planned = pipeline.plan_meaning(study, meaning, synonyms, bar)
    result(planned, *(planned.lines or [f"{planned.model}: nothing is left to ask"]), as_json=as_json)


def ordered(summary: "SemanticSummary | None") -> str:
    """What a model did, as the end of a sentence; ``""`` where none was asked or nothing was left to do."""
    return f"; {counted(summary.pairs, 'pair')} ordered with {summary.model}" if summary and summary.pairs else ""


def leave_by_summary(summary: "SemanticSummary | None") -> None:
    """Say why pairs have no score of the model, and leave with the exit code of questions without an answer."""
    if summary and summary.stopped:
        say(summary.stopped, f"{counted(summary.left, 'pair')} keep the order that they have; given again, it goes on.")
        leave_by(summary.left, summary.left + summary.pairs)
