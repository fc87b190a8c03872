"""The command ``export``: a folder of flat files, or one table."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from typer import Argument, Option

from medreview.cli.options import Json, StudyFile, open_study
from medreview.cli.output import counted, progress, result
from medreview.cli.verdict_access import current_verdicts, looked, one_reading
from medreview.errors import UserError
from medreview.next_step import command, shell

if TYPE_CHECKING:
    from medreview.exchange.files.csv_file import Dialect
    from medreview.study import Study


_ENDINGS = (".csv", ".tsv", ".xlsx", ".xls", ".ods", ".json", ".jsonl", ".zip", ".db", ".sqlite", ".html", ".txt")
"""Of files: nobody means a folder by such a name."""


def export(
    study: StudyFile,
    folder: Annotated[
        Path | None,
        Argument(metavar="DIR", help="A new folder, or an earlier export of this study.", show_default=False),
    ] = None,
    table: Annotated[
        str,
        Option(
            metavar="FILE.csv",
            help="Write one table of labels instead of a folder, with question, statement, source, the judges' "
            "verdict, reviewer, label, reason and note: `--table labels.csv`; `--table -` prints it.",
        ),
    ] = "",
    dialect: Annotated[
        Literal["analysis", "excel"],
        Option(help="analysis: plain UTF-8, untouched. excel: opens well in Excel, formulas guarded."),
    ] = "analysis",
    sqlite: Annotated[
        str,
        Option(
            metavar="NAME.db",
            help="Also write all tables, untouched in both dialects, into one SQLite file of this name in DIR, with "
            "the pages of the sources, views and full-text search, and a metadata.json for Datasette.",
        ),
    ] = "",
    jsonl: Annotated[
        bool,
        Option(
            "--jsonl",
            help="Also write labels.jsonl: a JSON object a line for each labelled unit, with question, statement, "
            "passages of its sources, every reviewer's labels, consensus and judges. For pandas and Hugging Face "
            "datasets: `medreview export sepsis.medreview labels --jsonl`",
        ),
    ] = False,
    page_text: Annotated[
        bool,
        Option(
            "--page-text/--no-page-text",
            help="Whether the SQLite file holds the texts of the pages, and labels.jsonl passages of them. They belong "
            "to their publishers: leave them out of a file that you pass on where you may not redistribute them. "
            "Quotes stay.",
        ),
    ] = True,
    blind: Annotated[
        bool,
        Option(
            "--blind",
            help="Leave out what judges say of statements that you have not decided yet, so that labels that you give "
            "later are still blind.",
        ),
    ] = False,
    deposit: Annotated[
        bool,
        Option(
            "--deposit",
            help="Make DIR fit for a repository: reviewers as pseudonyms, no texts of pages, no record of events; with "
            "README.md, datapackage.json (Data Package) and ro-crate-metadata.json (RO-Crate). "
            "`medreview export sepsis.medreview sepsis-data --deposit`",
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Write labels, spans, judgements and events as CSV files, with a codebook and a manifest.

    With --table it writes one table of labels, and nothing else.

    Example: medreview export sepsis.medreview labels-2026-11 --sqlite labels.db
    """
    from medreview.exchange.exports.export import export as write

    if table:
        if folder is not None or sqlite or jsonl or deposit:
            raise UserError(
                "--table writes one table instead of a folder: leave out DIR, --sqlite, --jsonl and --deposit."
            )
        _table(study, table, dialect, blind=blind, as_json=as_json)
        return
    if folder is None:
        raise UserError(
            f"Say where to write: `{command('export', study, study.with_suffix('').name + '-labels')}` makes a folder, "
            f"`{command('export', study, '--table', 'labels.csv')}` one table."
        )
    if deposit and (sqlite or dialect == "excel"):
        raise UserError("--deposit makes plain CSV files: leave out --sqlite and --dialect excel.")
    if not page_text and not sqlite and not jsonl:
        raise UserError(
            "--no-page-text is about the SQLite file and labels.jsonl: add --sqlite labels.db or --jsonl. The CSV "
            "files hold no pages."
        )
    if folder.suffix.lower() in _ENDINGS and not folder.exists():
        raise UserError(
            f"The export is a folder of many files, not one file {folder}: name a folder, as in "
            f"`{command('export', study, folder.with_suffix(''))}`. --sqlite NAME.db puts all tables in one file, and "
            f"`{command('export', study, '--table', folder.with_suffix('.csv'))}` writes one table of labels."
        )
    with open_study(study, read_only=True) as opened, progress() as bar:
        hidden_from = _for_export(opened, blind=blind)
        summary = write(
            opened, folder, dialect, bar, database=sqlite, jsonl=jsonl, page_text=page_text, blind_for=hidden_from,
            for_deposit=deposit,
        )  # fmt: skip
        others = opened.reader.execute("SELECT count(*) FROM reviewer_label WHERE instr(unit, ':')").fetchone()[0]
    labels = summary.files.get("labels.csv", 0)
    of_others = f", {counted(others, 'label')} on other units" if others else ""
    lines = [f"{counted(labels, 'label')}{of_others}, and {len(summary.files) - 1} more files in {folder}"]
    if deposit:
        lines.append("Before you hand it in, read the notes, questions and cases in it: they may name people.")
    if made := summary.database:
        opens = shell("datasette", folder / made.file, "-m", folder / made.metadata)
        lines.append(f"Open the database: {opens}")
    result(summary, *lines, as_json=as_json)


def _table(path: Path, table: str, dialect: "Dialect", *, blind: bool, as_json: bool) -> None:
    """Write the table of ``export --table``; ``-`` is standard output."""
    from medreview.exchange.exports.label_table import check_table, table_lines, write_table

    if table == "-":
        if as_json or dialect == "excel":
            raise UserError("--table - prints the table itself: leave out --json and --dialect, or name a file.")
    else:
        check_table(Path(table))
    with open_study(path, read_only=True) as opened:
        hidden_from = _for_export(opened, blind=blind)
        if table == "-":
            for line in table_lines(opened, shown=sys.stdout.isatty(), blind_for=hidden_from):
                print(line, end="")
            sys.stdout.flush()
            return
        rows = write_table(opened, Path(table), dialect, blind_for=hidden_from)
    result({"file": table, "rows": rows}, f"{counted(rows, 'label')} written to {table}", as_json=as_json)


def _for_export(study: "Study", *, blind: bool) -> str | None:
    """Roll up what is new and note the look; the reviewer for whom judges stay hidden, if for one."""
    current_verdicts(study)
    hidden_from = one_reading(study) if blind else None
    if not blind:
        looked(study, "export", "verdicts")
    looked(study, "export", "labels")
    return hidden_from
