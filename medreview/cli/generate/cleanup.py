"""The command ``generate cleanup``."""

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from medreview.cli.generate_options import Wanted, generator_command
from medreview.cli.generating import generate_with
from medreview.cli.options import StudyFile
from medreview.cli.output import bad_records

if TYPE_CHECKING:
    from medreview.generators.counts import GenerationCounts
    from medreview.study import Study

_UNSUPPORTED = "unsupported"


@generator_command(verifies=True)
def cleanup(
    study: StudyFile,
    wanted: Wanted,
    statements: Annotated[
        str,
        typer.Option(
            metavar="unsupported|FILE", help="Those that their sources do not support, or a file that lists statements."
        ),
    ] = _UNSUPPORTED,
) -> None:
    """Revise or remove statements that their sources do not support; a judge verifies each revision, and you decide.

    Unsupported is what reviewers say is, else the judges' verdict. Another judge of the settings verifies, unless
    --judge names one. Prints how many were removed and how many are supported now, beside SourceCleanup's figures.

    Example: medreview generate cleanup sepsis.medreview --model writer --judge local
    """
    from functools import partial

    from medreview.generators.cleanup import Cleanup
    from medreview.generators.unsupported import listed

    path = None if statements == _UNSUPPORTED else Path(statements)

    def named(opened: "Study") -> None:
        if path:
            bad_records(listed(opened.reader, path)[1], path)

    wanted = replace(wanted, verified=True)
    generate_with(study, partial(Cleanup, statements=path), wanted, before=named, figures=_figures)


def _figures(study: "Study", counts: "GenerationCounts") -> "tuple[dict[str, Any], list[str]]":
    from medreview.cli.reports.cleanup import cleanup_parts
    from medreview.cli.reports.terminal import lines_of
    from medreview.stats.reports.cleanup_report import cleanup_report

    figures = cleanup_report(study.reader)
    return {"cleanup": list(map(asdict, figures))}, lines_of(cleanup_parts(figures))
