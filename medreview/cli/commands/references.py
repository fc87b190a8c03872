"""The command ``references``: whether the works that are cited are real, and the ones that they are said to be."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from medreview.cli.mapping import Map, read_mapping
from medreview.cli.network import Proxy
from medreview.cli.options import Json, study_path
from medreview.cli.output import counted, result, say
from medreview.errors import UserError
from medreview.words import in_words

if TYPE_CHECKING:
    from medreview.cli.reports.checked_references import CheckedReport
    from medreview.references.verdict import Verdict

_FAILED: Final = 1
"""The exit code of ``--check`` when a reference has a verdict that is not allowed; a mistake of the user is 2."""

_NO_STUDY: Final = "--ask-model is for a study, which keeps what a model answered: medreview references STUDY."


def references(
    source: Annotated[
        str,
        typer.Argument(
            metavar="FILE|STUDY|-", help="A list, a text, answers, a library or a study; - is standard input."
        ),
    ] = "-",
    library: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Works of your own to look in (CSL-JSON, RIS, BibTeX, nbib); repeatable."),
    ] = None,
    online: Annotated[
        bool | None,
        typer.Option(
            "--online/--offline", help="Ask services, or nobody; default: services where there is no library."
        ),
    ] = None,
    again: Annotated[
        bool,
        typer.Option("--again", help="Of a study: ask once more about what nobody had."),
    ] = False,
    show: Annotated[
        list[str] | None, typer.Option(metavar="VERDICT", help="List the references of this verdict only; repeatable.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="List matches with their slips, too.")] = False,
    limit: Annotated[int, typer.Option(min=0, help="References to list.")] = 50,
    check: Annotated[
        bool, typer.Option("--check", help="Exit with 1 if one is wrong, not found, or could not be looked up.")
    ] = False,
    allow: Annotated[
        list[str] | None, typer.Option(metavar="VERDICT", help="A verdict that --check lets pass; repeatable.")
    ] = None,
    jsonl: Annotated[
        bool, typer.Option("--jsonl", help='JSON lines {"id", "reference"} in on standard input, JSON lines out.')
    ] = False,
    ask_model: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Of a study: ask this judge to read the references that the rules doubt."),
    ] = None,
    local_only: Annotated[bool, typer.Option("--local-only", help="Refuse a model outside this machine.")] = False,
    proxy: Proxy = None,
    mapping: Map = None,
    as_json: Json = False,
    csv: Annotated[Path | None, typer.Option(metavar="FILE", help="Also write a row for each reference.")] = None,
) -> None:
    """Check whether cited works are real and described rightly, in libraries of your own or public services.

    Only the references' own words are sent. Not found is no proof that a work was invented. Of a study, the references
    are found and checked, and kept; it prints counts, and single references with --show or --all.

    Example: medreview references answer.md --library zotero.json --check
    """
    from medreview.cli.referencing import Whom, answer_stdin, checked_file, checked_study, read_by_model
    from medreview.references.verdict import VERDICTS
    from medreview.study.file_kind import is_database

    asked = Whom(library or (), online, proxy, again)
    if local_only and ask_model is None:
        raise UserError("--local-only goes with --ask-model.")
    if jsonl:
        if ask_model is not None:
            raise UserError(_NO_STUDY)
        if source != "-" or again:
            raise UserError("--jsonl reads standard input, and keeps nothing: medreview references --jsonl < FILE")
        answer_stdin(asked)
        return
    shown, passing = _verdicts(show, "--show"), _verdicts(allow, "--allow")
    path = Path(source)
    if source != "-" and not path.is_dir():
        study_path(path)
    if csv is not None:
        from medreview.exchange.exports.checked_references import check_csv

        check_csv(csv)
    is_study = source != "-" and is_database(path)
    if again and not is_study:
        raise UserError("--again is for a study: of a file everything is asked each time.")
    if is_study and mapping:
        raise UserError("--map is for files; the responses of a study have their fields.")
    if ask_model is not None:
        if not is_study:
            raise UserError(_NO_STUDY)
        read_by_model(path, ask_model, local_only=local_only)
    each = bool(shown or everything or as_json or csv)
    report = checked_study(path, asked, each=each) if is_study else checked_file(source, read_mapping(mapping), asked)
    if csv is not None:
        from medreview.exchange.exports.checked_references import write_csv

        say(f"written: {write_csv(report.checked, csv)}")
    listed = shown or [verdict for verdict in VERDICTS if verdict != "match"] if each or not is_study else []
    _show(report, listed, everything=everything, limit=limit, as_json=as_json)
    sys.stdout.flush()
    if check and (failed := _failed(report, passing)):
        say(failed)
        raise typer.Exit(_FAILED)


def _verdicts(told: Sequence[str] | None, option: str) -> "list[Verdict]":
    """The verdicts of an option, as stored or in words. Raises :class:`UserError` for any other word."""
    from medreview.references.verdict import VERDICTS

    names = {form: verdict for verdict in VERDICTS for form in (verdict, in_words(verdict))}
    for word in told or ():
        if word.strip().lower() not in names:
            raise UserError(f"{option} wants one of {', '.join(VERDICTS)}, not {word!r}.")
    return [names[word.strip().lower()] for word in told or ()]


def _show(report: "CheckedReport", shown: "Sequence[Verdict]", *, everything: bool, limit: int, as_json: bool) -> None:
    if as_json:
        from medreview.exchange.exports.checked_references import payload
        from medreview.references.verdict import VERDICTS

        counts = {verdict: report.counts[verdict] for verdict in VERDICTS}
        told = {
            "input": report.name,
            "references": len(report.checked),
            "verdicts": counts,
            "bare_urls": report.bare_urls,
            "unanswered": report.unanswered,
        }
        bad = [{"line": record.line, "reason": record.reason} for record in report.bad]
        result({**told, "left_out": bad, "checks": list(payload(report.checked))}, "", as_json=True)
        return
    from medreview.cli.reports.checked_references import render
    from medreview.config import load_config

    print(render(report, shown, slips=everything, limit=limit, ascii_only=load_config().ascii), end="")


def _failed(report: "CheckedReport", passing: "Sequence[Verdict]") -> str:
    """What speaks against references, in a sentence; ``""`` when nothing does.

    A service that was down proves nothing, and so it does not let a build pass.
    """
    from medreview.references.verdict import ACCUSING

    found = {verdict: report.counts[verdict] for verdict in ACCUSING if verdict not in passing}
    told = [f"{number:,} {in_words(verdict)}" for verdict, number in found.items() if number]
    unanswered = 0 if "not_checkable" in passing else report.unanswered
    if unanswered:
        told.append(f"{unanswered:,} could not be looked up")
    failed = sum(found.values()) + unanswered
    return f"{failed:,} of {counted(len(report.checked), 'reference')}: {', '.join(told)}" if failed else ""
