"""The command ``generate answers``."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from medreview.cli.generate_options import Wanted, generator_command
from medreview.cli.generating import generate_with
from medreview.cli.options import StudyFile
from medreview.errors import UserError

if TYPE_CHECKING:
    from medreview.generators.counts import GenerationCounts
    from medreview.study import Study


@generator_command()
def answers(
    study: StudyFile,
    wanted: Wanted,
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="Questions to import first; only these are asked then.")
    ] = None,
    web: Annotated[
        bool, typer.Option("--web", help='Tell the model to search the web first; it is called "NAME (web)" then.')
    ] = False,
) -> None:
    """Ask a model the study's questions: a short answer with a list of its sources, which becomes a response.

    Asked are the questions that were made or imported, but for those that a reviewer found unfit, and those of the
    responses that are there. An answer that is empty or breaks off gets one more try, and is kept as invalid then.

    Example: medreview generate answers sepsis.medreview --model writer
    """
    from medreview.generators.answers import Answers, questions_of
    from medreview.next_step import command

    asked: list[str] | None = None if file is None else []

    def bring(study: "Study") -> None:
        if file is not None and asked is not None:
            asked.extend(_imported(study, file))
        if not questions_of(study.reader, asked):
            raise UserError(
                "There is no question to ask: name a file of questions, or let a model make some with "
                f"`{command('generate', 'questions', study.path, '--model', wanted.model)}`."
            )

    make = partial(Answers, web=web, only=asked)
    generate_with(study, make, wanted, before=bring, figures=_figures)


def _imported(study: "Study", file: Path) -> list[str]:
    """Bring a file of questions into the study, and say what of it was odd; their texts."""
    from medreview.cli.output import bad_records, odd_records, progress
    from medreview.units.question_format import FORMAT
    from medreview.units.unit_format import import_units

    texts: list[str] = []
    with progress() as bar:
        done = import_units(study, file, FORMAT, progress=bar, on_unit=lambda unit: texts.append(unit.text))
    bad_records(done.bad, file)
    odd_records(done.odd, file)
    return texts


def _figures(study: "Study", counts: "GenerationCounts") -> tuple[dict[str, Any], list[str]]:
    from dataclasses import asdict

    from medreview.cli.output import counted
    from medreview.next_step import command
    from medreview.stats.reports.response_kinds import kinds_of_run

    found = kinds_of_run(study.reader, counts.run_id)
    invalid = found.empty + found.incomplete
    words = f" ({found.empty} empty, {found.incomplete} incomplete)" if invalid else ""
    line = (
        f"  of {counted(found.responses, 'response')} {invalid} invalid after the second try{words}, "
        f"{found.sourceless} without a source"
    )
    lines = [line, f"  fetch what they cite, and go on: {command('run', study.path)}"] if found.responses else []
    return {"responses": asdict(found)}, lines
