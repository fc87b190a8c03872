"""The command ``export``: the study as flat files."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from medreview.cli.options import Json, StudyFile
from medreview.cli.output import counted, progress, result


def export(
    study: StudyFile,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new folder, or an earlier export of this study.")],
    dialect: Annotated[
        Literal["analysis", "excel"],
        typer.Option(help="analysis: plain UTF-8, untouched. excel: opens well in Excel, formulas guarded."),
    ] = "analysis",
    as_json: Json = False,
) -> None:
    """Write labels, spans, judgements and events as CSV files, with a codebook and a manifest.

    Example: medreview export sepsis.medreview labels-2026-11
    """
    from medreview.exchange.exports.export import export as write
    from medreview.study import Study

    with Study.open(study, read_only=True) as opened, progress() as bar:
        summary = write(opened, folder, dialect, bar)
    labels = summary.files.get("labels.csv", 0)
    result(summary, f"{counted(labels, 'label')} and {len(summary.files) - 1} more files in {folder}", as_json=as_json)
