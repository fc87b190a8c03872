"""The commands ``references`` and ``evidence``: are cited works real, and does a text support a statement.

References of a file, a text or a study, and whom they are held against. Both commands are filters for scripts as well.
"""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

import typer
from typer import Argument, Option

from medreview.cli.completion import judges, studies
from medreview.cli.jsonl_filters import answer_lines, answer_references, library_of_files
from medreview.cli.network import Proxy, authorities_from_config, network_from_config, services_from_config
from medreview.cli.options import MAP_IS_FOR_FILES, Json, Map, no_response, open_study, read_mapping, study_path
from medreview.cli.output import bad_records, counted, progress, result, say
from medreview.cli.verdict_access import looked
from medreview.errors import UserError
from medreview.references.verdict import ACCUSING, VERDICTS, Verdict
from medreview.text import in_words

if TYPE_CHECKING:
    from medreview.cli.reports.checked_references import CheckedReport
    from medreview.pipeline import Authorities
    from medreview.references.model import Reference, ReferenceCheck


STDIN: Final = "standard input"
_TOGETHER: Final = 100
"""Lines of a filter that services are asked about at once: what waits goes into one request."""


class Whom(NamedTuple):
    """Authorities to check references against, by the options; ``online`` is ``None`` if they do not say.

    ``again``: of a study, what nobody had is asked again.
    """

    libraries: Sequence[Path]
    online: bool | None = None
    proxy: str | None = None
    again: bool = False

    @property
    def ask(self) -> bool:
        """Whether services are asked: a library is asked alone, unless something else was said."""
        return not self.libraries if self.online is None else self.online


def checker(asked: Whom) -> "Callable[[Sequence[Reference]], list[ReferenceCheck | None]]":
    """Checks references one list after the other; what was answered once is not asked again.

    It gives the checks in order; ``None`` where nobody could be asked.
    """
    from medreview.references.services.client import MemoryAnswers

    library = library_of_files(asked.libraries).library if asked.libraries else None
    answers = MemoryAnswers()
    said: list[str] = []

    def say_once(sentence: str) -> None:
        """What leaves the machine; not before each batch of lines."""
        if not said:
            say(sentence)
        said.append(sentence)

    def check(references: "Sequence[Reference]") -> "list[ReferenceCheck | None]":
        found: list[ReferenceCheck | None] = [None] * len(references)
        with progress() as bar:
            if asked.ask:
                from medreview.references.services.look_up import look_up

                done = look_up(
                    references, services_from_config(), network_from_config(asked.proxy), answers, library=library,
                    on_done=found.__setitem__, progress=bar, say=say_once,
                )  # fmt: skip
                say(*done.stopped.values())
            elif library is not None:
                bar.begin("references", len(references))
                for place, reference in enumerate(references):
                    found[place] = library.check(reference)
                    bar.step()
        return found

    return check


def answer_stdin(asked: Whom) -> None:
    """The filter: a line out for each line in."""
    from medreview.references.model import ReferenceCheck

    look = checker(asked)
    unasked = ReferenceCheck("not_checkable", because="Nobody could be asked.")

    def check(references: "Sequence[Reference]") -> "Iterator[ReferenceCheck]":
        return (one or unasked for one in look(references))

    answer_references(check, _TOGETHER if asked.ask else 1)


def checked_file(source: str, mapping: Mapping[str, str], asked: Whom) -> "CheckedReport":
    """The references of a file, or of standard input, checked; records that were left out are said.

    Raises :class:`UserError` when it cannot be read, names no reference, or nobody is to be asked.
    """
    from medreview.cli.reports.checked_references import CheckedReport
    from medreview.references.input_file import CheckedReference, brought_by, brought_in

    if not (asked.ask or asked.libraries):
        raise UserError("--offline needs a library to look in: --library FILE.")
    if source == "-" and sys.stdin.isatty():
        say("Type or paste references; Ctrl-D ends.")
    name = STDIN if source == "-" else Path(source).name
    found = brought_in(sys.stdin.buffer.read(), mapping) if source == "-" else brought_by(Path(source), mapping)
    bad_records(found.bad, name if source == "-" else source)
    if not found.references:
        where = f"{counted(found.texts, 'response')} of {name}" if found.texts > 1 else name
        raise UserError(f"No reference was found in {where}; the plainest form is a list with one on each line.")
    checks = checker(asked)([one.reference for one in found.references])
    checked = tuple(
        CheckedReference(one, None if one.reference.bare_url else check)
        for one, check in zip(found.references, checks, strict=True)
    )
    return CheckedReport(name, checked, found.texts, found.bad)


def read_by_model(path: Path, judge: str, *, local_only: bool) -> None:
    """Let a judge of the settings read the references of a study that the rules read with doubt; what that costs is
    said before."""
    from medreview import pipeline
    from medreview.cli.ask_models import did, judges_named, planned, say_what_is_waited_for, say_where_texts_go
    from medreview.judges.tasks.parsing import REFERENCE_PARSING

    judges = judges_named([judge], task=REFERENCE_PARSING, local_only=local_only)
    with open_study(path) as study, progress() as bar:
        pipeline.find_references(study, bar)
        (plan,) = pipeline.plan_for(study, judges, progress=bar)
        if not plan.units:
            say("The rules read no reference with doubt: the model is not asked.")
            return
        say(planned(plan, "reference"))
        say_where_texts_go(judges)
        try:
            done = pipeline.judge_by(study, judges, progress=bar, on_wait=say_what_is_waited_for)
        except pipeline.Interrupted as stopped:
            say(*(line for tally in stopped.tallies for line in did(tally)))
            raise
    say(*(line for tally in done.judges for line in did(tally)))


def checked_study(path: Path, asked: Whom, *, each: bool) -> "CheckedReport":
    """The references of a study: found, checked and kept where that is missing. ``each``: single ones will be shown.

    Raises :class:`UserError` when it has no response, or cannot be written.
    """
    from medreview.cli.reports.checked_references import CheckedReport
    from medreview.pipeline import check_references
    from medreview.references.input_file import CheckedReference, ReadReference
    from medreview.references.study_references import study_checks
    from medreview.units.statement_view import response_name

    with open_study(path) as study:
        responses = study.reader.execute("SELECT count(*) FROM response").fetchone()[0]
        if not responses:
            raise no_response(path)
        with progress() as bar:
            done = check_references(study, _authorities(asked), bar)
        say(*done.stopped.values())
        looked(study, "references", "verdicts" if each else "totals")
        checked = tuple(
            CheckedReference(
                ReadReference(one.reference, 0, response_name(one.response), one.model, one.origin), one.check
            )
            for one in study_checks(study.reader)
        )
    return CheckedReport(path.name, checked, responses)


def _authorities(asked: Whom) -> "Authorities":
    """The same for a study: where the options name no library, that of the settings, as ``run`` would ask."""
    from medreview.pipeline import Authorities
    from medreview.sources.fetching.network import Network, Services

    told = asked.ask if asked.libraries else asked.online
    found = authorities_from_config(asked.libraries, ask=told, proxy=asked.proxy)
    if found is None and asked.ask:
        found = authorities_from_config(ask=True, proxy=asked.proxy)
    if asked.again and (found is None or not found.ask):
        raise UserError("--again asks services once more: it cannot go without --online here.")
    return replace(found, again=asked.again) if found else Authorities(Services(), Network())


_NO_STUDY: Final = "--ask-model is for a study, which keeps what a model answered: medreview references STUDY."


def references(
    source: Annotated[
        str,
        Argument(
            metavar="FILE|STUDY|-",
            autocompletion=studies,
            help="A list, a text, answers, a library or a study; - is standard input.",
        ),
    ] = "-",
    library: Annotated[
        list[Path] | None,
        Option(metavar="FILE", help="Works of your own to look in (CSL-JSON, RIS, BibTeX, nbib); repeatable."),
    ] = None,
    online: Annotated[
        bool | None,
        Option("--online/--offline", help="Ask services, or nobody; default: services, unless you name a library."),
    ] = None,
    again: Annotated[bool, Option("--again", help="Of a study: ask once more about what nobody had.")] = False,
    show: Annotated[
        list[str] | None, Option(metavar="VERDICT", help="List the references of this verdict only; repeatable.")
    ] = None,
    everything: Annotated[bool, Option("--all", help="List matches with their slips, too.")] = False,
    limit: Annotated[int, Option(min=0, help="References to list.")] = 50,
    check: Annotated[
        bool, Option("--check", help="Exit with 1 if one is wrong, not found, or could not be looked up.")
    ] = False,
    allow: Annotated[
        list[str] | None, Option(metavar="VERDICT", help="A verdict that --check lets pass; repeatable.")
    ] = None,
    jsonl: Annotated[
        bool, Option("--jsonl", help='JSON lines {"id", "reference"} in on standard input, JSON lines out.')
    ] = False,
    ask_model: Annotated[
        str | None,
        Option(
            metavar="NAME",
            autocompletion=judges,
            help="Of a study: ask this judge to read the references that the rules doubt.",
        ),
    ] = None,
    local_only: Annotated[bool, Option("--local-only", help="Refuse a model outside this machine.")] = False,
    proxy: Proxy = None,
    mapping: Map = None,
    as_json: Json = False,
    csv: Annotated[Path | None, Option(metavar="FILE", help="Also write a row for each reference.")] = None,
) -> None:
    """Check whether cited works are real and described rightly.

    It looks in libraries of your own, or asks public services. Only the references' own words are sent. Not found is no
    proof that a work was invented. Of a study, the references are found and checked, and kept; it prints counts, and
    single references with --show or --all.

    Example: medreview references answer.md --library zotero.json --check
    """
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
        from medreview.exchange.exports.reference_rows import OF_FILE
        from medreview.exchange.files.csv_file import check_report

        check_report(csv, OF_FILE)
    is_study = source != "-" and is_database(path)
    if again and not is_study:
        raise UserError("--again is for a study: of a file everything is asked each time.")
    if is_study and mapping:
        raise UserError(MAP_IS_FOR_FILES)
    if ask_model is not None:
        if not is_study:
            raise UserError(_NO_STUDY)
        read_by_model(path, ask_model, local_only=local_only)
    each = bool(shown or everything or as_json or csv)
    report = checked_study(path, asked, each=each) if is_study else checked_file(source, read_mapping(mapping), asked)
    if csv is not None:
        from medreview.exchange.exports.reference_rows import OF_FILE, file_rows
        from medreview.exchange.files.csv_file import write_report

        write_report(csv, OF_FILE, file_rows(report.checked))
        say(f"written: {csv}")
    listed = shown or [verdict for verdict in VERDICTS if verdict != "match"] if each or not is_study else []
    _show(report, listed, everything=everything, limit=limit, as_json=as_json)
    sys.stdout.flush()
    if check and (failed := _failed(report, passing)):
        say(failed)
        raise typer.Exit(1)  # a verdict is not allowed; a mistake of the user is 2


def _verdicts(told: Sequence[str] | None, option: str) -> "list[Verdict]":
    """The verdicts of an option, as stored or in words. Raises :class:`UserError` for any other word."""
    names = {form: verdict for verdict in VERDICTS for form in (verdict, in_words(verdict))}
    for word in told or ():
        if word.strip().lower() not in names:
            raise UserError(f"{option} wants one of {', '.join(VERDICTS)}, not {word!r}.")
    return [names[word.strip().lower()] for word in told or ()]


def _show(report: "CheckedReport", shown: "Sequence[Verdict]", *, everything: bool, limit: int, as_json: bool) -> None:
    if as_json:
        from medreview.exchange.exports.reference_rows import payload

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
    from medreview.cli.reports.checked_references import checked_parts
    from medreview.cli.reports.terminal import show
    from medreview.config import load_config

    show(checked_parts(report, shown, slips=everything, limit=limit), ascii_only=load_config().ascii)


def _failed(report: "CheckedReport", passing: "Sequence[Verdict]") -> str:
    """What speaks against references, in a sentence; ``""`` when nothing does.

    A service that was down proves nothing, and so it does not let a build pass.
    """
    found = {verdict: report.counts[verdict] for verdict in ACCUSING if verdict not in passing}
    told = [f"{number:,} {in_words(verdict)}" for verdict, number in found.items() if number]
    unanswered = 0 if "not_checkable" in passing else report.unanswered
    if unanswered:
        told.append(f"{unanswered:,} could not be looked up")
    failed = sum(found.values()) + unanswered
    return f"{failed:,} of {counted(len(report.checked), 'reference')}: {', '.join(told)}" if failed else ""


def evidence(
    jsonl: Annotated[bool, Option("--jsonl", help="JSON lines in on standard input, JSON lines out.")] = False,
    semantic: Annotated[
        bool,
        Option(
            "--semantic",
            help="Score with a model of meaning, too: that of [semantic] in the settings, or the packaged one.",
        ),
    ] = False,
) -> None:
    """Find what a text says about a statement, or a quotation.

    It shows where the quotation stands in the text. It needs no study and no network. Each line in is an object with
    "statement" or "quote", "source_text" and, if you like, "id"; each line out answers one line in, at once. Places
    count characters from 0, the end not included.

    Example: medreview evidence --jsonl < cases.jsonl > answers.jsonl
    """
    if not jsonl:
        raise UserError("This command reads JSON lines only: medreview evidence --jsonl < cases.jsonl")
    answer_lines(semantic)
