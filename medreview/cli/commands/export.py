"""The command ``export``: the study as flat files."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from medreview.cli.current_verdicts import current_verdicts
from medreview.cli.looking import looked, one_reading
from medreview.cli.options import Json, StudyFile
from medreview.cli.output import counted, progress, result
from medreview.errors import UserError

_ENDINGS = (".csv", ".tsv", ".xlsx", ".xls", ".ods", ".json", ".jsonl", ".zip", ".db", ".sqlite", ".html", ".txt")
"""Of files: nobody means a folder by such a name."""


def export(
    study: StudyFile,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new folder, or an earlier export of this study.")],
    dialect: Annotated[
        Literal["analysis", "excel"],
        typer.Option(help="analysis: plain UTF-8, untouched. excel: opens well in Excel, formulas guarded."),
    ] = "analysis",
    sqlite: Annotated[
        str,
        typer.Option(
            metavar="NAME.db",
            help="Also write all tables, untouched in both dialects, into one SQLite file of this name in DIR, with "
            "the pages of the sources, views and full-text search, and a metadata.json for Datasette.",
        ),
    ] = "",
    page_text: Annotated[
        bool,
        typer.Option(
            "--page-text/--no-page-text",
            help="Whether the SQLite file holds the texts of the pages. They belong to their publishers: leave them "
            "out of a file that you pass on where you may not redistribute them. Quotes stay.",
        ),
    ] = True,
    blind: Annotated[
        bool,
        typer.Option(
            "--blind",
            help="Leave out what judges say of statements that you have not decided yet, so that labels that you give "
            "later are still blind.",
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Write labels, spans, judgements and events as CSV files, with a codebook and a manifest.

    Example: medreview export sepsis.medreview labels-2026-11 --sqlite labels.db
    """
    from medreview.exchange.exports.export import export as write
    from medreview.next_step import command, shell
    from medreview.study import Study

    if not page_text and not sqlite:
        raise UserError("--no-page-text is about the SQLite file: add --sqlite labels.db. The CSV files hold no pages.")
    if folder.suffix.lower() in _ENDINGS and not folder.exists():
        raise UserError(
            f"The export is a folder of many files, not one file {folder}: name a folder, as in "
            f"`{command('export', study, folder.with_suffix(''))}`; --sqlite NAME.db puts all tables in one file."
        )
    with Study.open(study, read_only=True) as opened, progress() as bar:
        current_verdicts(opened)
        hidden_from = one_reading(opened) if blind else None
        if not blind:
            looked(opened, "export", "verdicts")
        looked(opened, "export", "labels")
        summary = write(opened, folder, dialect, bar, database=sqlite, page_text=page_text, blind_for=hidden_from)
        others = opened.reader.execute("SELECT count(*) FROM reviewer_label WHERE instr(unit, ':')").fetchone()[0]
    labels = summary.files.get("labels.csv", 0)
    of_others = f", {counted(others, 'label')} on other units" if others else ""
    lines = [f"{counted(labels, 'label')}{of_others}, and {len(summary.files) - 1} more files in {folder}"]
    if made := summary.database:
        opens = shell("datasette", folder / made.file, "-m", folder / made.metadata)
        lines.append(f"Open the database: {opens}")
    result(summary, *lines, as_json=as_json)
