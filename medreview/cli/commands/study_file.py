"""The commands on a study as a file: ``check``, ``backup``, ``export``, and of ``team`` package, split and merge."""

import sys
from dataclasses import asdict
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from typer import Argument, Option

from medreview.cli.completion import reviewers
from medreview.cli.options import Json, LeaveOut, Passed, Reviewer, StudyFile, decider, open_study
from medreview.cli.output import counted, one_line, progress, result, say
from medreview.cli.verdict_access import current_verdicts, looked, one_reading, without_reviewers
from medreview.errors import UserError
from medreview.next_step import command, shell

if TYPE_CHECKING:
    from medreview.exchange.files.csv_file import Dialect
    from medreview.study import Study
    from medreview.study.merge import MergeSummary


def check(
    study: StudyFile,
    against: Annotated[
        list[Path] | None, Option(metavar="FOLDER", help="An export that must have been made of it.")
    ] = None,
    allowed_signers: Annotated[
        Path | None,
        Option(
            metavar="FILE", help="Each seal must be by a key in this file, and one must be there; a file as ssh has."
        ),
    ] = None,
    identifiers: Annotated[
        bool,
        Option("--identifiers", help="Instead: list what looks like an identifier of a patient in texts of files."),
    ] = False,
    sent_anyway: Annotated[
        bool,
        Option(
            "--sent-anyway", help="With --identifiers: let these texts go to models outside; the study keeps who did."
        ),
    ] = False,
    reviewer: Reviewer = None,
    as_json: Json = False,
) -> None:
    """Check that the study is whole, or look for identifiers.

    It reads every stored value, places, the chain of decisions and the seals, and changes nothing. --against also looks
    whether each file of an export has the hash in its manifest.json, and whether the study still has the export's
    newest event.

    --identifiers looks for dates of birth, numbers of records and insurances, telephones, e-mail and street addresses,
    names behind a title. A model outside this machine is sent nothing while there are any that nobody has let go. They
    are found by rules: an empty list does not prove anonymity.

    Exit code 1 when something is wrong, or an identifier is found that nobody has let go.

    Example: medreview check sepsis.medreview --against labels
    """
    if identifiers:
        if against or allowed_signers:
            raise UserError("--identifiers is a check of its own: leave out --against and --allowed-signers.")
        _identifiers(study, reviewer, sent_anyway=sent_anyway, as_json=as_json)
        return
    if sent_anyway:
        raise UserError("--sent-anyway goes with --identifiers.")
    from medreview.exchange.files.export_folder import not_as_exported
    from medreview.study import Study
    from medreview.study.check import check_study

    with Study.open(study, read_only=True, altered_too=True) as opened:
        found = check_study(opened, allowed_signers)
        of_exports = {folder: not_as_exported(opened, folder) for folder in against or ()}
    wrong = [*found.faults, *chain.from_iterable(of_exports.values())]
    for sentence in wrong:
        say(sentence)
    for folder, faults_of_it in of_exports.items():
        if not faults_of_it:
            say(f"{folder}: every file is as it was exported")
    if found.package:
        say(found.package.words)
    for one in found.seals:
        if one.words not in wrong:
            say(one.words)
    faults = counted(len(wrong), "fault") if wrong else "whole"
    events = "events that cannot be counted" if found.events is None else counted(found.events, "event")
    told = {
        "faults": wrong,
        "events": found.events,
        "package": asdict(found.package) if found.package else None,
        "seals": [asdict(one) for one in found.seals],
    }
    result(told, f"{study}: {faults}, {events}", as_json=as_json)
    raise typer.Exit(1 if wrong else 0)


def backup(
    study: StudyFile,
    target: Annotated[Path | None, Argument(metavar="[FILE]", help="Default: a dated copy beside it.")] = None,
    as_json: Json = False,
) -> None:
    """Copy the study, also while it is in use.

    A review makes a copy by itself when it starts.

    Example: medreview backup sepsis.medreview /media/usb/sepsis.medreview
    """
    from medreview.study.backup import backup_to

    open_study(study, read_only=True).close()
    made = backup_to(study, target)
    result({"copy": str(made), "bytes": made.stat().st_size}, f"copied to {made}", as_json=as_json)


_ALL = "judges,models,gold,labels,notes"
SealFirst = Annotated[
    bool, Option("--seal", help="Seal the study before that, with your SSH key: `medreview seal` says how.")
]


def _sealed_first(study: Path, reviewer: str | None) -> None:
    from medreview.study.signed_seals import seal

    with open_study(study) as opened:
        say(seal(opened, decider(reviewer)).words)


def package(
    study: StudyFile,
    out: Annotated[Path, Argument(metavar="OUT", help="The new file.")],
    without: Annotated[
        str,
        Option(
            metavar="PARTS",
            help="What is left out, parted by commas: judges (what machines say), models (names of the models that "
            "wrote the texts), gold (right labels), labels and notes (other reviewers'); none leaves nothing out.",
        ),
    ] = _ALL,
    made_for: Annotated[
        str,
        Option(
            "--for",
            metavar="NAME",
            autocompletion=reviewers,
            help="A reviewer whose own labels, notes and drafts stay in it.",
        ),
    ] = "",
    batch: Annotated[
        str,
        Option(
            metavar="NAME",
            help="Only the units of this draw; with --for, those of that reviewer's batch (`medreview plan`).",
        ),
    ] = "",
    seal: SealFirst = False,
    reviewer: Reviewer = None,
    as_json: Json = False,
) -> None:
    """Copy the study for a colleague, fit for a blind review.

    The copy is self-contained and lacks what must not be known before a blind decision.

    What is decided in the copy comes back with `team merge`; nothing of what was left out is removed here. The copy
    says of itself what is not in it: on its first screen and in `check`. A copy without judges is reviewed blind.

    Example: medreview team package sepsis.medreview sepsis-for-anna.medreview --for anna
    """
    from medreview.exchange.exports.batch_part import batch_part
    from medreview.exchange.exports.package import package as make
    from medreview.exchange.exports.package import parts_named

    parts = parts_named(without)
    if seal:
        _sealed_first(study, reviewer)
    with open_study(study, read_only=True) as opened, progress() as bar:
        who = decider(reviewer)
        part = batch_part(opened, batch, made_for) if batch else None
        made = make(opened, out, who, without=parts, made_for=made_for, part=part, progress=bar)
    lines = [f"{out}: {made.words}", f"{counted(made.events, 'event')} of the record left out"]
    result({"file": str(out), **asdict(made)}, *lines, as_json=as_json)


def split(
    study: StudyFile,
    count: Annotated[int, Argument(metavar="N", min=2, help="How many shards.")],
    without: Annotated[
        str,
        Option(
            metavar="PARTS", help="What is left out of each, as with `team package`: judges,models,gold,labels,notes."
        ),
    ] = "none",
    reviewer: Reviewer = None,
    as_json: Json = False,
) -> None:
    """Split the study into N parts, for N machines.

    They are fetched, judged or reviewed there; `team merge` brings them back.

    A shard is a study of the same id, beside the study, with some of its responses and all of their statements, pages,
    judgements and decisions. Responses to one question stay together. Models' answers stay here. Statements must be
    there: those made in a shard would not come back.

    Example: medreview team split sepsis.medreview 8
    """
    from medreview.exchange.exports.package import package as make
    from medreview.exchange.exports.package import parts_named
    from medreview.exchange.exports.study_part import shards

    parts = parts_named(without)
    files = [study.with_name(f"{study.stem}-{number}-of-{count}{study.suffix}") for number in range(1, count + 1)]
    if taken := next((file for file in files if file.exists()), None):
        raise UserError(f"{taken} exists already: it may hold work. Merge it, then move it away.")
    made = []
    with open_study(study, read_only=True) as opened, progress() as bar:
        query = "SELECT count(*) FROM response WHERE parser IS NULL AND invalid = ''"
        if unparsed := opened.reader.execute(query).fetchone()[0]:
            raise UserError(
                f"{counted(unparsed, 'answer')} of the study {'has' if unparsed == 1 else 'have'} no statements yet, "
                "and statements that are made in a shard do not come back. First run "
                f"`{command('parse', study)}`, or `{command('judge', study, '--task', 'statement_parsing')}`."
            )
        who = decider(reviewer)
        for file, part in zip(files, shards(opened.reader, count), strict=True):
            shard = make(opened, file, who, without=parts, part=part, progress=bar)
            size = {"bytes": file.stat().st_size, "responses": len(part.held["response_id"])}
            size |= {"statements": len(part.held["statement_id"]), "pages": len(part.held["snapshot_id"])}
            made.append({"file": str(file), **size, **asdict(shard)})
    lines = [
        f"{one['file']}: {counted(one['responses'], 'response')}, {counted(one['statements'], 'statement')}, "
        f"{counted(one['pages'], 'page')}, {one['bytes'] / 1e6:,.1f} MB"
        for one in made
    ]
    lines.append(f"Bring them back: {command('team', 'merge', study, *files[:2])}{' ...' if count > 2 else ''}")
    result(made, *lines, as_json=as_json)


def merge(
    study: StudyFile,
    others: Annotated[list[Path], Argument(metavar="OTHER...", help="Copies or shards of the study.")],
    only: Annotated[
        Literal["decisions", "judgements", "generated"] | None,
        Option(
            help="Take over one part alone. decisions: what people decided and noted. judgements: what judges, rules "
            "and services said, models' answers with their cost, and pages that were fetched. generated: what "
            "generators made, with models' answers."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Join what was decided or judged in copies with the study.

    That is decisions, judgements, pages, and what was generated. Joining twice adds nothing.

    A copy comes in wholly or not at all. Nothing here is changed: of two answers of one judge to one question the one
    that is here stays. A copy without judges brings decisions alone.

    Example: medreview team merge sepsis.medreview sepsis-from-anna.medreview
    """
    from medreview import pipeline
    from medreview.review.statement_editing import edit_conflicts
    from medreview.study.merge import BRINGS

    with open_study(study) as opened, progress() as bar:
        summary = pipeline.merge(opened, others, bar, [only] if only else tuple(BRINGS))
        lost = edit_conflicts(opened.reader)
    told = asdict(summary) | {"edits_that_do_not_stand": lost}
    result(told, *_joined(summary), *lost, as_json=as_json)


def _joined(summary: "MergeSummary") -> list[str]:
    """What a merge brought, in lines; the first one of decisions."""
    from medreview.study.machine_rows import KINDS

    known = f", {counted(summary.known, 'event')} known already" if summary.known else ""
    foreign = f", {counted(summary.foreign, 'event')} on other material left out" if summary.foreign else ""
    lines = [f"{counted(summary.added, 'event')} added{known}{foreign}"]
    if summary.pages:
        lines.append(f"{counted(summary.pages, 'page')} added")
    for kind, rows in summary.rows.items():
        words = {
            "known already": rows.known,
            "in the place of failures": rows.replaced,
            "that this study has in other words left as they are here": rows.kept,
            "on other material left out": rows.foreign,
        }
        more = "".join(f", {number:,} {what}" for what, number in words.items() if number)
        lines.append(f"{KINDS[kind]}: {rows.added:,} added{more}")
    return [*lines, *filter(None, [summary.left_out])]


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
    leave_out: LeaveOut = None,
    passed: Passed = "",
    seal: SealFirst = False,
    as_json: Json = False,
) -> None:
    """Write labels, judgements and events as tables (CSV).

    It makes a folder of CSV files with a codebook and a manifest. With --table it writes one table of labels, and
    nothing else.

    Example: medreview export sepsis.medreview labels-2026-11 --sqlite labels.db
    """
    from medreview.exchange.exports.export import export as write
    from medreview.units.left_out_reviewers import reviewers_left_out

    if blind and (leave_out or passed):
        raise UserError("--leave-out and --passed tell how others did in hidden checks: leave out --blind.")
    if table:
        if folder is not None or sqlite or jsonl or deposit:
            raise UserError(
                "--table writes one table instead of a folder: leave out DIR, --sqlite, --jsonl and --deposit."
            )
        if seal:
            raise UserError("--seal goes with an export of the record: leave out --table, or use `medreview seal`.")
        _label_table(study, table, dialect, leave_out, passed, blind=blind, as_json=as_json)
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
    if seal:
        _sealed_first(study, None)
    with open_study(study, read_only=True) as opened, progress() as bar:
        hidden_from = _for_export(opened, blind=blind)
        with without_reviewers(opened, leave_out, passed):
            summary = write(
                opened, folder, dialect, bar, database=sqlite, jsonl=jsonl, page_text=page_text,
                blind_for=hidden_from, for_deposit=deposit,
            )  # fmt: skip
            others = opened.reader.execute("SELECT count(*) FROM reviewer_label WHERE instr(unit, ':')").fetchone()[0]
            say(*(one_line(one.sentence) for one in reviewers_left_out(opened.reader)))
    labels = summary.files.get("labels.csv", 0)
    of_others = f", {counted(others, 'label')} on other units" if others else ""
    lines = [f"{counted(labels, 'label')}{of_others}, and {len(summary.files) - 1} more files in {folder}"]
    if deposit:
        lines.append("Before you hand it in, read the notes, questions and cases in it: they may name people.")
    if made := summary.database:
        opens = shell("datasette", folder / made.file, "-m", folder / made.metadata)
        lines.append(f"Open the database: {opens}")
    result(summary, *lines, as_json=as_json)


def _label_table(
    path: Path, table: str, dialect: "Dialect", leave_out: list[str] | None, passed: str, *, blind: bool, as_json: bool
) -> None:
    """Write the table of ``export --table``; ``-`` is standard output."""
    from medreview.exchange.exports.label_table import check_table, table_lines, write_table
    from medreview.units.left_out_reviewers import reviewers_left_out

    if table == "-":
        if as_json or dialect == "excel":
            raise UserError("--table - prints the table itself: leave out --json and --dialect, or name a file.")
    else:
        check_table(Path(table))
    with open_study(path, read_only=True) as opened:
        hidden_from = _for_export(opened, blind=blind)
        with without_reviewers(opened, leave_out, passed):
            say(*(one_line(one.sentence) for one in reviewers_left_out(opened.reader)))
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


def _identifiers(study: Path, reviewer: str | None, *, sent_anyway: bool, as_json: bool) -> None:
    from medreview.pipeline.identifier_check import kinds_of, let_go, texts_with_identifiers

    with open_study(study, read_only=not sent_anyway) as opened:
        new = let_go(opened, decider(reviewer)) if sent_anyway else []
        found = texts_with_identifiers(opened.reader)
    held = [text for text in found if not text.allowed]
    lines = [f"{line}{' (let go)' if text.allowed else ''}" for text in found for line in text.lines()]
    lines += [f"Let go now: {kinds_of(new)}."] if new else []
    lines += [f"Not let go: {kinds_of(held)}. With --sent-anyway they may be sent."] if held else []
    told = [
        {
            "place": text.place,
            "kind": kind,
            "start": start,
            "end": end,
            "found": text.text[start:end],
            "let_go": text.allowed,
        }
        for text in found
        for kind, start, end in text.found
    ]
    nothing = "Nothing looks like an identifier of a patient. Rules looked; that does not prove anonymity."
    result({"identifiers": told}, *(lines or [nothing]), as_json=as_json)
    if held:
        raise typer.Exit(1)
