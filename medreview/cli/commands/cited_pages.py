"""The commands ``fetch``, ``citations`` and ``sources ...``: cited sources, and what changed in them."""

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from typer import Argument, Option

from medreview.cli.completion import studies
from medreview.cli.network import (
    Ocr,
    PagesFrom,
    Proxy,
    Robots,
    network_from_config,
    pages_from,
    pages_sentence,
    scans_lines,
    services_from_config,
)
from medreview.cli.options import (
    MAP_IS_FOR_FILES,
    Json,
    Map,
    Reviewer,
    StudyFile,
    decider,
    no_response,
    open_study,
    read_mapping,
    study_path,
)
from medreview.cli.output import bad_records, confirmed, counted, progress, result, say
from medreview.cli.verdict_access import looked
from medreview.errors import UserError
from medreview.next_step import command
from medreview.text import in_words
from medreview.visible import visible_line

if TYPE_CHECKING:
    from medreview.exchange.imports.citation_answers import CitingAnswer
    from medreview.exchange.imports.file_rows import BadRecord
    from medreview.review.snapshot_diff import SnapshotDiff
    from medreview.sources.lookups import LookupSummary


def fetch(
    study: StudyFile,
    pages: PagesFrom = None,
    again: Annotated[bool, Option("--again", help="Try the pages once more that could not be had.")] = False,
    refresh: Annotated[
        bool, Option("--refresh", help="Fetch every page again; what changed becomes a new snapshot.")
    ] = False,
    save_pages: Annotated[
        Path | None, Option(metavar="DIR", help="Then write all pages into a folder that --pages can read.")
    ] = None,
    proxy: Proxy = None,
    robots: Robots = None,
    ocr: Ocr = None,
    as_json: Json = False,
) -> None:
    """Get the cited pages that the study does not have yet.

    They come from the network, a folder or a WARC file. A PMID or PMCID is asked for at PubMed and Europe PMC, a DOI at
    its resolver. Every page is kept as it came; one that has changed becomes a new snapshot, and labels on the old one
    are shown as stale (`medreview sources diff`).

    With --ocr, or `ocr = "scans"` in the settings, pages of PDFs that have no text are read from their pictures, also
    those that came earlier. `pip install 'medreview[ocr]'` brings what that takes; nothing is sent anywhere.

    Example: medreview fetch sepsis.medreview --again --save-pages pages-for-anna
    """
    from medreview import pipeline
    from medreview.sources.saved.pages_folder import SavedPages

    if again and refresh:
        raise UserError("--again and --refresh exclude each other: --refresh asks for every page, these too.")
    with open_study(study) as opened, progress() as bar:
        if save_pages:
            SavedPages(save_pages).close()  # a folder that cannot be written is reported before anything is fetched
        done = pipeline.fetch(
            opened,
            pages_from(pages, proxy, robots, ocr=ocr),
            scope="all" if refresh else "failed" if again else "missing",
            progress=bar,
        )
        saved = pipeline.save_pages(opened, save_pages, bar) if save_pages else None
    lines = [pages_sentence(done), *scans_lines(done)]
    if saved is not None:
        lines.append(f"{counted(saved, 'page')} in {save_pages}; a colleague reads them with --pages {save_pages}")
    say(*done.note.splitlines())
    if done.by_ocr:
        lines.append(f"Judge what was read: {command('judge', study)}")
    if done.changed:
        lines.append(f"Judge the new texts: {command('judge', study)}")
        lines.append(f"What changed around your labels: {command('sources', 'diff', study)}")
    result(done, *lines, as_json=as_json)


def attach(
    study: StudyFile,
    source: Annotated[str, Argument(help="Its address, DOI or PMID, or a part of its address.")],
    file: Annotated[str, Argument(help="A PDF, a saved page or a text; - reads standard input, also a pasted text.")],
    force: Annotated[
        bool, Option("--force", help="Keep it also where it looks like another work, or a page was read before.")
    ] = False,
    reviewer: Reviewer = None,
    as_json: Json = False,
) -> None:
    """Give the text of a source yourself, from a file or pasted.

    It is for a source that could not be fetched. The text is held against the address, the DOI and the title of the
    source and of the references that name it. Where it looks like another work, or would take the place of a page that
    was read, you are asked first. It becomes a snapshot that says who gave it and when; earlier ones stay.

    Example: medreview sources attach sepsis.medreview 10.1000/renal.2019.7 ~/Downloads/renal.pdf
    """
    from medreview import pipeline
    from medreview.config import load_config

    name = "pasted text" if file == "-" else visible_line(Path(file).name)
    who, body = decider(reviewer), _pasted() if file == "-" else pipeline.bytes_of(Path(file))
    with open_study(study) as opened:
        given = pipeline.look_at(opened, source, body, name)
        keep = force or (
            bool(given.question)
            and file != "-"
            and confirmed(f"{given.question[0].upper()}{given.question[1:]}. Keep it?")
        )
        with progress() as bar:
            own = load_config().synonyms_file
            done = pipeline.attach(opened, given, who, force=keep, progress=bar, synonyms=own)
    where = visible_line(done.url or source)
    if not done.stored:
        result(done, f"{where}: the study has this text already, as snapshot {done.version}.", as_json=as_json)
        return
    shown = f", matched by {done.shown_by}" if done.shown_by else "; nothing in it says which work it is"
    lines = [
        f"{where}: {counted(done.words, 'word')} attached as snapshot {done.version}{'' if done.doubt else shown}."
    ]
    if done.stale:
        lines.append(f'{counted(done.stale, "label")} on the earlier text became stale (queue "stale").')
    if not done.pairs:
        lines.append(f"Compare it with the statements: {command('judge', study)}")
    result(done, *lines, as_json=as_json)


def _pasted() -> bytes:
    """What comes on standard input; one byte more than a page may have, at most."""
    from medreview.sources.fetching.network import Limits

    if sys.stdin.isatty():
        say("Paste the text; Ctrl-D on a line of its own ends.")
    return sys.stdin.buffer.read(Limits().max_bytes + 1)


def _show_allow(wanted: bool) -> None:
    if wanted:
        from medreview.citations.allow_list import shipped_text

        print(shipped_text(), end="")
        raise typer.Exit


def citations(
    source: Annotated[
        str, Argument(metavar="FILE|STUDY|-", autocompletion=studies, help="Answers, a study, or - for standard input.")
    ],
    allow: Annotated[Path | None, Option(metavar="FILE", help="Your own list of evidence domains (TOML).")] = None,
    show_allow: Annotated[
        bool, Option("--show-allow", callback=_show_allow, is_eager=True, help="Print the list used without --allow.")
    ] = False,
    check: Annotated[bool, Option("--check", help="Exit with 1 unless both criteria are met.")] = False,
    min_with: Annotated[
        float, Option(min=0, max=100, metavar="PERCENT", help="Responses that must have a citation.")
    ] = 95,
    min_allowed: Annotated[
        float, Option(min=0, max=100, metavar="PERCENT", help="URLs, of all together, that must be allowed.")
    ] = 90,
    reach: Annotated[bool, Option("--reach", help="Ask over the network whether each source is there.")] = False,
    proxy: Proxy = None,
    robots: Robots = None,
    mapping: Map = None,
    as_json: Json = False,
    csv: Annotated[
        Path | None, Option(metavar="FILE", help="Also write FILE and, beside it, NAME.citations.csv.")
    ] = None,
    html: Annotated[Path | None, Option(metavar="FILE", help="Also write the report as one HTML file.")] = None,
) -> None:
    """Count what answers cite, and how much is evidence.

    It counts how many cite at all, which kinds, and how much is from evidence domains. It looks at where a citation
    points, not at what stands there. Only --reach uses the network; of a study, the pages fetched earlier tell what is
    there. A study is only read; where its references were checked, what the identifiers turned out to be is told, and
    that it was read is noted. A record may also have a reference to compare with, and a latency_ms (or latency, in
    seconds).

    Example: medreview citations answers.jsonl --check --html citations.html
    """
    from medreview.citations.allow_list import load_allow_list
    from medreview.exchange.exports.citation_rows import check_csv, payload, write_csv
    from medreview.stats.citation_kpis import PassCriteria, citation_report, distinct_sources, scored

    listed = load_allow_list(allow)
    if csv is not None:  # a place that cannot be written is reported before anything is asked or counted
        check_csv(csv)
    if html is not None:
        from medreview.cli.reports.citations import check_html

        check_html(html)
    name, answers, bad, known = _read(source, read_mapping(mapping))
    bad_records(bad, name)
    if not answers:
        raise UserError(f"{name} holds no response that can be used.")
    with progress() as bar:
        found = scored(answers, listed, len(answers), bar)
        if reach:
            import asyncio

            from medreview.sources.reach import ask

            sources = distinct_sources(found)
            say(f"asking for {counted(len(sources), 'source')} over the network")
            asked = asyncio.run(ask(sources, network_from_config(proxy, robots), bar))
            known |= {"reach": asked, "reach_from": "network"}
        report = citation_report(found, listed, PassCriteria(min_with, min_allowed), **known, progress=bar)
    if csv is not None:
        say(f"written: {', '.join(map(str, write_csv(report, csv)))}")
    if html is not None:
        from medreview.cli.reports.citations import write_html

        say(f"written: {write_html(report, name, html, bad)}")
    if as_json:
        result(payload(report, name, bad), as_json=True)
    else:
        from medreview.cli.reports.citations import report_parts
        from medreview.cli.reports.terminal import show
        from medreview.config import load_config

        show(report_parts(report, name, bad, full=False), ascii_only=load_config().ascii)
    sys.stdout.flush()
    if check and not report.passed:
        for criterion in report.criteria:
            if criterion.met is not True:
                say(criterion.sentence)
        raise typer.Exit(1)  # a criterion is missed or undefined; a mistake of the user is 2


def _read(source: str, mapping: Mapping[str, str]) -> "tuple[str, list[CitingAnswer], list[BadRecord], dict[str, Any]]":
    """The name of what is read, its answers, the records left out, and what a study knows besides, for the report."""
    from medreview.exchange.imports import citation_answers
    from medreview.exchange.imports.file_rows import BadRecord
    from medreview.study.file_kind import is_database

    path = Path(source)
    if source != "-" and not path.is_dir():
        study_path(path)
    if source != "-" and is_database(path):
        from medreview.sources.reach import stored
        from medreview.stats.formulas.bootstrap import DEFAULT
        from medreview.stats.reference_verdicts import any_checked, reference_report
        from medreview.stats.reports.provenance import provenance

        if mapping:
            raise UserError(MAP_IS_FOR_FILES)
        with open_study(path, read_only=True) as study:
            answers = list(citation_answers.study_answers(study.reader))
            if not answers:
                raise no_response(path)
            if any_checked(study.reader):
                looked(study, "citations", "totals")
            known = {"references": reference_report(study.reader, identified=True),
                     "provenance": provenance(study.reader, DEFAULT),
                     "reach": stored(study.reader), "reach_from": "snapshots"}  # fmt: skip
            return path.name, answers, [], known
    if source == "-":
        name, rows = citation_answers.STDIN, citation_answers.stream_answers(sys.stdin.buffer.read(), mapping)
    else:
        name, rows = path.name, citation_answers.file_answers(path, mapping)
    told = list(rows)
    bad = [row for row in told if isinstance(row, BadRecord)]
    return name, [row for row in told if not isinstance(row, BadRecord)], bad, {}


def urls(
    study: StudyFile,
    archive: Annotated[
        bool, Option("--archive", help="Ask the web archive about addresses that gave no page; uses the network.")
    ] = False,
    registry: Annotated[
        bool, Option("--registry", help="Ask the domain registries for countries (RDAP); uses the network.")
    ] = False,
    top: Annotated[int, Option(min=1, max=100, help="Hosts and domains to name per model.")] = 5,
    paywalled: Annotated[
        Path | None,
        Option(metavar="FILE.toml", help='A list of your own of paywalled domains: domains = ["nejm.org", ...].'),
    ] = None,
    drawn: Annotated[
        str, Option(metavar="NAME", help="Only the addresses of this draw (`medreview plan draw STUDY addresses N`).")
    ] = "",
    as_json: Json = False,
) -> None:
    """Count the cited addresses: valid, paywalled, lost, where.

    It counts hosts, paywalls, countries, top-level domains, and lost pages.

    With --archive, the addresses without a page are shown to the Wayback Machine; with --registry, the domain names
    to rdap.org and the registries. Answers stay in the study: the figures need no network afterwards, and nothing is
    asked twice. Where references were checked, it says what the cited identifiers turned out to be.

    Example: medreview sources addresses sepsis.medreview --archive --registry
    """
    from medreview.citations.hosts import paywalled_domains
    from medreview.review.draws import address_ids, draw_named
    from medreview.stats.reference_verdicts import any_checked
    from medreview.stats.url_analysis import url_figures

    listed = paywalled_domains(paywalled)
    if archive or registry:
        _ask(study, archive=archive, registry=registry)
    with open_study(study, read_only=True) as opened, progress() as bar:
        if any_checked(opened.reader):
            looked(opened, "urls", "totals")
        only = address_ids(opened.reader, draw_named(opened.reader, drawn)) if drawn else None
        report = url_figures(opened.reader, paywalled=listed, top=top, only=only, progress=bar)
    if as_json:
        result(report, "", as_json=True)
    else:
        from medreview.cli.reports.terminal import show
        from medreview.cli.reports.urls import url_parts

        show(url_parts(report, study, paywalled))
    sys.stdout.flush()


def _ask(path: Path, *, archive: bool, registry: bool) -> None:
    from medreview.sources.lookups import ask_archive, ask_registry

    wanted: list[tuple[bool, str, str, Callable[..., LookupSummary]]] = [
        (archive, "archive", "address", ask_archive),
        (registry, "registries", "domain", ask_registry),
    ]
    services, network = services_from_config(), network_from_config()
    with open_study(path) as opened:
        for chosen, name, unit, ask in wanted:
            if chosen:
                with progress() as bar:
                    done = ask(opened, services=services, network=network, progress=bar)
                say(_sentence(name, unit, done))


def _sentence(name: str, unit: str, done: "LookupSummary") -> str:
    plural = f"{unit}es" if unit.endswith("s") else f"{unit}s"
    failed = f", {done.failed:,} of them without an answer (asked again next time)" if done.failed else ""
    known = f"; {done.known:,} known from before" if done.known else ""
    left = f"; {done.left:,} left" if done.left else ""
    stopped = f". {done.stopped}" if done.stopped else ""
    asked = f"asked about {counted(done.asked, unit, plural)}" if done.asked else "nothing asked"
    return f"{name}: {asked}{failed}{known}{left}{stopped}"


_WIDTH: Final = 80
_BASIS: Final = {"marked": "you marked", "quote": "a judge quoted", "evidence": "was lit"}
_FATE: Final = {
    "stands": "still stands, word for word",
    "reworded": "reworded",
    "altered": "ALTERED: a number, unit, negation or direction",
    "gone": "GONE",
}
_OPEN: Final = {"same": "", "gone": "[-", "new": "{+"}
_CLOSE: Final = {"same": "", "gone": "-]", "new": "+}"}


def diff(
    study: StudyFile,
    source: Annotated[str, Argument(metavar="[SOURCE]", help="An address, a DOI or PMID, or a part of it.")] = "",
    first: Annotated[int | None, Option("--from", metavar="N", help="The earlier snapshot, by number.")] = None,
    second: Annotated[int | None, Option("--to", metavar="N", help="The later; default: the current.")] = None,
    whole: Annotated[bool, Option("--all", help="The two texts, line by line, as a unified diff.")] = False,
    as_json: Json = False,
) -> None:
    """Show what changed in a source since you labelled it.

    It compares two snapshots, and says what became of the passages that your labels rest on.

    Words that went stand in [-...-], words that came in {+...+}. A label on an earlier text is stale until you decide
    again (queue "stale").

    Example: medreview sources diff sepsis.medreview who.int
    """
    from medreview.review.snapshot_diff import full_diff, snapshot_diffs

    with open_study(study, read_only=True) as opened:
        found = list(snapshot_diffs(opened.reader, source, first, second))
        if whole and found and not as_json:
            for change in found:
                try:
                    for line in full_diff(opened.reader, change):
                        print(visible_line(line))
                except UserError as error:  # too long to be shown; the others are not
                    if len(found) == 1:
                        raise
                    say(str(error))
            return
    told = "No source has changed between its snapshots."
    lines = [line for change in found if change.labels for line in (*_head(change), *_labels(change), "")]
    if quiet := [change for change in found if not change.labels]:
        lines.append("Changed, and no label rests on the earlier text:")
        lines += (line for change in quiet for line in _head(change, "  "))
    while lines and not lines[-1]:
        lines.pop()
    result({"changes": [asdict(change) for change in found]}, *(lines or [told]), as_json=as_json)


def _head(change: "SnapshotDiff", indent: str = "") -> Iterator[str]:
    yield f"{indent}{change.url}"
    before, after = (f"{version.number} of {_day(version.fetched_at)}" for version in (change.before, change.after))
    yield (
        f"{indent}  snapshot {before} -> {after}: "
        f"{counted(change.lines_same, 'line')} the same, {change.lines_gone:,} gone, {change.lines_new:,} new"
    )


def _labels(change: "SnapshotDiff") -> Iterator[str]:
    for label in change.labels:
        said, day = in_words(label.label), _day(label.decided_at)
        yield from ("", f"  {label.response} S{label.ordinal}  {said}, by {label.reviewer} on {day}")
        yield from _folded(label.statement)
        for passage in label.passages:
            yield f"    {_BASIS[passage.basis]}; now {_FATE[passage.fate]}"
            marked = (f"{_OPEN[piece.kind]}{piece.text}{_CLOSE[piece.kind]}" for piece in passage.pieces)
            yield from _folded(" ".join(marked), "      ")
        if not label.passages:
            yield "    no passage was marked, quoted or lit"


def _folded(text: str, indent: str = "    ") -> list[str]:
    return wrap(" ".join(text.split()), _WIDTH, initial_indent=indent, subsequent_indent=indent)


def _day(stamp: str) -> str:
    return stamp[:10]
