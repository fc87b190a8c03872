"""The command ``citations``: which sources responses name, and whether these are of a kind to rely on."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from medreview.cli.mapping import Map, read_mapping
from medreview.cli.network import Proxy, Robots
from medreview.cli.options import Json, study_path
from medreview.cli.output import bad_records, counted, progress, result, say
from medreview.errors import UserError
from medreview.next_step import command

if TYPE_CHECKING:
    from medreview.exchange.imports.citation_answers import CitingAnswer
    from medreview.exchange.imports.rows import BadRecord
    from medreview.sources.lookups.reach import Reach
    from medreview.stats.citations.report import CitationReport, ReachFrom
    from medreview.stats.references.reference_report import ReferenceReport
    from medreview.stats.reports.provenance import Provenance

_MISSED = 1
"""The exit code of ``--check`` when a criterion is missed or undefined; a mistake of the user is 2."""


def _show_allow(wanted: bool) -> None:
    if wanted:
        from medreview.citations.allow_list import shipped_text

        print(shipped_text(), end="")
        raise typer.Exit


def citations(
    source: Annotated[str, typer.Argument(metavar="FILE|STUDY|-", help="Answers, a study, or - for standard input.")],
    allow: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Your own list of evidence domains (TOML).")
    ] = None,
    show_allow: Annotated[
        bool,
        typer.Option("--show-allow", callback=_show_allow, is_eager=True, help="Print the list used without --allow."),
    ] = False,
    check: Annotated[bool, typer.Option("--check", help="Exit with 1 unless both criteria are met.")] = False,
    min_with: Annotated[
        float, typer.Option(min=0, max=100, metavar="PERCENT", help="Responses that must have a citation.")
    ] = 95,
    min_allowed: Annotated[
        float, typer.Option(min=0, max=100, metavar="PERCENT", help="URLs, of all together, that must be allowed.")
    ] = 90,
    reach: Annotated[bool, typer.Option("--reach", help="Ask over the network whether each source is there.")] = False,
    proxy: Proxy = None,
    robots: Robots = None,
    mapping: Map = None,
    as_json: Json = False,
    csv: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write FILE and, beside it, NAME.citations.csv.")
    ] = None,
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="Also write the report as one HTML file.")] = None,
) -> None:
    """Count what responses cite: how many cite at all, which kinds, how much of it is from evidence domains.

    It looks at where a citation points, not at what stands there. Only --reach uses the network; of a study, the pages
    fetched earlier tell what is there. A study is only read; where its references were checked, what the identifiers
    turned out to be is told, and that it was read is noted. A record may also have a reference to compare with, and a
    latency_ms (or latency, in seconds).

    Example: medreview citations answers.jsonl --check --html citations.html
    """
    from medreview.citations.allow_list import load_allow_list
    from medreview.stats.citations.report import Thresholds, citation_report, distinct_sources, scored

    listed = load_allow_list(allow)
    _check_places(csv, html)
    read = _read(source, read_mapping(mapping))
    bad_records(read.bad, read.name)
    if not read.answers:
        raise UserError(f"{read.name} holds no response that can be used.")
    with progress() as bar:
        found = scored(read.answers, listed, len(read.answers), bar)
        known: Mapping[str, Reach] = read.stored
        known_from: ReachFrom = "snapshots" if read.is_study else ""
        if reach:
            import asyncio

            from medreview.cli.network import network_from_config
            from medreview.sources.lookups.reach import ask

            sources = distinct_sources(found)
            say(f"asking for {counted(len(sources), 'source')} over the network")
            known, known_from = asyncio.run(ask(sources, network_from_config(proxy, robots), bar)), "network"
        report = citation_report(
            found, listed, Thresholds(min_with, min_allowed), reach=known, reach_from=known_from,
            provenance=read.provenance, references=read.references, progress=bar,
        )  # fmt: skip
    _write(report, read, csv, html)
    _show(report, read, as_json=as_json)
    sys.stdout.flush()
    if check and not report.passed:
        for criterion in report.criteria:
            if criterion.met is not True:
                say(criterion.sentence)
        raise typer.Exit(_MISSED)


class _Read(NamedTuple):
    """What was brought in; ``stored``: what became of the sources, by the snapshots of a study."""

    name: str
    answers: "list[CitingAnswer]"
    bad: "list[BadRecord]"
    is_study: bool
    stored: "Mapping[str, Reach]"
    provenance: "Provenance | None" = None
    references: "ReferenceReport | None" = None


def _read(source: str, mapping: Mapping[str, str]) -> _Read:
    from medreview.exchange.imports.citation_answers import (
        STDIN,
        CitingAnswer,
        file_answers,
        stream_answers,
        study_answers,
    )
    from medreview.study.file_kind import is_database

    path = Path(source)
    if source != "-" and not path.is_dir():
        study_path(path)
    if source != "-" and is_database(path):
        from medreview.cli.looking import looked
        from medreview.sources.lookups.reach import stored
        from medreview.stats.formulas.bootstrap import DEFAULT
        from medreview.stats.references.found_references import any_checked
        from medreview.stats.references.reference_report import reference_report
        from medreview.stats.reports.provenance import provenance
        from medreview.study import Study

        if mapping:
            raise UserError("--map is for files; the responses of a study have their fields.")
        with Study.open(path, read_only=True) as study:
            answers = list(study_answers(study.reader))
            if not answers:
                raise UserError(
                    f"The study {path} has no response yet: bring some in with `{command('import', path, 'FILE')}`."
                )
            if any_checked(study.reader):
                looked(study, "citations", "totals")
            references = reference_report(study.reader, identified=True)
            origin = provenance(study.reader, DEFAULT)
            return _Read(path.name, answers, [], True, stored(study.reader), origin, references)
    rows = stream_answers(sys.stdin.buffer.read(), mapping) if source == "-" else file_answers(path, mapping)
    told = list(rows)
    return _Read(
        STDIN if source == "-" else path.name,
        [row for row in told if isinstance(row, CitingAnswer)],
        [row for row in told if not isinstance(row, CitingAnswer)],
        False,
        {},
    )


def _check_places(csv: Path | None, html: Path | None) -> None:
    """Refuse a place that cannot be written before anything is asked or counted."""
    if csv is not None:
        from medreview.exchange.exports.citation_rows import check_csv

        check_csv(csv)
    if html is not None:
        from medreview.cli.reports.citations import check_html

        check_html(html)


def _write(report: "CitationReport", read: _Read, csv: Path | None, html: Path | None) -> None:
    if csv is not None:
        from medreview.exchange.exports.citation_rows import write_csv

        say(f"written: {', '.join(map(str, write_csv(report, csv)))}")
    if html is not None:
        from medreview.cli.reports.citations import write_html

        say(f"written: {write_html(report, read.name, html, read.bad)}")


def _show(report: "CitationReport", read: _Read, *, as_json: bool) -> None:
    if as_json:
        from medreview.exchange.exports.citation_rows import payload

        result(payload(report, read.name, read.bad), "", as_json=True)
    else:
        from medreview.cli.reports.citations import render
        from medreview.config import load_config

        print(render(report, read.name, read.bad, ascii_only=load_config().ascii), end="")
