"""The command ``generate hallucinations``."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from medreview.cli.generate_options import Wanted, generator_command
from medreview.cli.generating import generate_with
from medreview.cli.options import StudyFile

if TYPE_CHECKING:
    from medreview.generators.counts import GenerationCounts
    from medreview.study import Study


@generator_command()
def hallucinations(
    study: StudyFile,
    wanted: Wanted,
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="Questions with correct answers, imported first.")
    ] = None,
    kind: Annotated[
        Literal["fact", "input", "context", "none", "all"],
        typer.Option("--type", help="Which type; all: dealt by the seed, balanced within each data set."),
    ] = "all",
    seed: Annotated[int, typer.Option(min=0, help="Deals the types.")] = 1,
) -> None:
    """Plant hallucinations of a known type in answers to the study's questions; type and spans stay hidden.

    Inputs are all questions whose correct answer the study knows. Each product is an answer of the model NAME/halu; its
    type and spans are the right label, hidden until you have decided and told to no judge. Type none is the correct
    answer itself. Prints how many there are by data set and type, beside MedHalu's.

    Example: medreview generate hallucinations sepsis.medreview questions.jsonl --type all --seed 1 --model writer
    """
    from functools import partial

    from medreview import pipeline
    from medreview.cli.importing import imported_sentence, say_what_is_missing
    from medreview.cli.output import say
    from medreview.errors import UserError
    from medreview.generators.correct_answers import answered_questions
    from medreview.generators.hallucinations import Hallucinations

    def bring(opened: "Study") -> None:
        if file:
            done = pipeline.bring_in(opened, file, {})
            say_what_is_missing(done, study, None, "import", study)
            say(imported_sentence(done))
        if not answered_questions(opened.reader):
            raise UserError(
                "The study knows no correct answer: name a file with the columns question and reference_answer."
            )

    generate_with(study, partial(Hallucinations, kind=kind, seed=seed), wanted, before=bring, figures=_figures)


def _figures(study: "Study", counts: "GenerationCounts") -> "tuple[dict[str, Any], list[str]]":
    from medreview.cli.reports.planted import planted_parts
    from medreview.cli.reports.terminal import lines_of
    from medreview.stats.reports.planted_report import planted_report

    figures = planted_report(study.reader)
    return {"hallucinations": asdict(figures)}, lines_of(planted_parts(figures))
