"""The URL analysis as text for a terminal or a file, 80 columns or wider."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from medreview.cli.output import counted, counted_each, given, one_line, stratum_name
from medreview.cli.reports.estimates import clusters_heading, over_units, provenance_lines
from medreview.cli.reports.layout import NO_INTERVAL, Cell, NextStep, Part, ReportTable, Title, inset, reasons, table
from medreview.cli.reports.references import identified_parts
from medreview.next_step import command
from medreview.sources.ocr_pages import BY_OCR
from medreview.stats.formulas.estimate import Estimate
from medreview.stats.url_analysis import ArchiveFigures, HostRanking, UrlReport, UrlStratum

_GROUPS: Final = {"not_found": "not found", "other": "other", "all": "both"}
_PAYWALLS: Final = ("on the list, of all", "on the list, of valid", "seen, of valid", "either, of valid")
_EXAMPLES: Final = 5
"""Addresses shown of each kind; the JSON has the others."""


def url_parts(report: UrlReport, study: Path, paywalled: Path | None = None) -> Iterator[Part]:
    """The whole report. ``paywalled``: the user's own list."""
    if not report.strata or not report.strata[0].citations:
        yield "No response of this study cites anything: there is no address to look at."
        return
    whole = report.strata[0]
    models = [stratum for stratum in report.strata if stratum.hosts is not None]
    yield (
        f"{counted(whole.citations, 'citation')} of {counted(whole.sources, 'source')} in {whole.citing:,} of "
        f"{counted(whole.responses, 'response')}"
    )
    are = f" {whole.identifiers:,} {'is' if whole.identifiers == 1 else 'are'}"
    resolved = f"{are} by an identifier (DOI, PMID, ...) and count with the host of its resolver."
    yield (
        "A citation is a source that a response cites, counted once per response."
        f"{resolved if whole.identifiers else ''}"
    )
    if waiting := whole.states.get("not_fetched", 0):
        yield from (f"{counted(waiting, 'citation')} not fetched yet:", NextStep(command("fetch", study)))
    yield from _validity(report.strata)
    yield from identified_parts(report.references, by_model=True)
    yield from _paywalls(models, report.paywalled_domains, paywalled)
    yield from _countries(models, report, study)
    yield from _archive(models, study)
    yield from _examples(report)
    for stratum in models:
        yield from _rankings(stratum)
    for split, count in report.omitted.items():
        yield from ("", f"{counted(count, f'smaller {split}')} not shown.")
    cluster, heading = report.resampling.cluster, clusters_heading([whole.validity])
    yield ""
    yield (
        f"95% intervals: {over_units(report.resampling)}; for shares of sources Wilson. "
        f"n: citations; {heading}: {cluster}s that these are in; {NO_INTERVAL}: all "
        f"is in one {cluster}, or the share is the same however {cluster}s are drawn (--json says which)."
    )
    yield from provenance_lines(report.provenance)


def _validity(strata: Sequence[UrlStratum]) -> Iterator[Part]:
    whole = strata[0].validity
    yield Title("URL validity: the address answered with status 200 and text")
    rows = ((_name(of), *_figure(of.validity), of.validity.dropped) for of in strata)
    yield inset(_table(("", "valid", "95% interval", "n", clusters_heading([whole]), "not fetched"), rows))
    yield from reasons([(_name(strata[0]), whole)])
    yield from whole.notes
    yield from ("", "Answers of the servers, in citations:")
    for stratum in strata:
        by_ocr = f"; {stratum.by_ocr:,} of them {BY_OCR}" if stratum.by_ocr else ""
        yield inset(f"{_name(stratum)}: {counted_each(stratum.states)}{by_ocr}")


def _paywalls(models: Sequence[UrlStratum], size: int, own: Path | None) -> Iterator[Part]:
    where = one_line(str(own)) if own else "medreview's starting list; --paywalled FILE.toml for your own"
    found = [stratum.paywalls for stratum in models if stratum.paywalls]
    yield Title("Behind a paywall")
    yield (
        f"On the list: the host of the address, or the one it led to, is one of {counted(size, 'domain')} with most "
        f"articles behind a paywall ({where}), or lies below one. Seen: the page that came back was a paywall."
    )
    named = [list(zip(_PAYWALLS, paywalls.figures, strict=True)) for paywalls in found]
    shares = ([(label, *_figure(figure)) for label, figure in figures] for figures in named)
    yield _of_models(models, ("", "share", "95% interval", "n", clusters_heading(found[0].figures)), shares)
    yield from reasons(named[0])
    yield from ("", "Valid citations, by how a paywall was found:")
    told = ((paywalls.both, paywalls.listed_only, paywalls.seen_only, paywalls.neither) for paywalls in found)
    counts = ([(*four, sum(four))] for four in told)
    yield _of_models(models, ("both", "list only", "seen only", "neither", "all valid"), counts)


def _countries(models: Sequence[UrlStratum], report: UrlReport, study: Path) -> Iterator[Part]:
    yield Title("United States or not")
    yield (
        "By the country of the registrant where the registry says one; else by the top-level domain: "
        ".com .org .gov .edu .info .net are taken for the United States (SourceCheckup's rule), all others not. "
        "Undecided: an IP address, or a name that nobody can register."
    )
    found = [stratum.country for stratum in models if stratum.country]
    rows = ([(*_figure(of.figure), of.by_registry, of.by_rule, of.undecided)] for of in found)
    yield _of_models(
        models,
        ("US", "95% interval", "n", clusters_heading([found[0].figure]), "by registry", "by rule", "undecided"),
        rows,
    )
    yield from reasons([(_model(models[0]), found[0].figure)])
    asked = report.registry
    yield (
        f"Registries, by domain: {asked['country']:,} with a country, {asked['none']:,} without, "
        f"{asked['failed']:,} gave no answer, {asked['not_asked']:,} not asked."
    )
    if asked["not_asked"] or asked["failed"]:
        yield from ("Ask for them:", NextStep(command("sources", "addresses", study, "--registry")))


def _archive(models: Sequence[UrlStratum], study: Path) -> Iterator[Part]:
    yield Title("Addresses without a page, and whether the web archive ever held one")
    whole = models[0].archive
    if whole is None or not whole[-1].sources:
        yield "Every address that was fetched gave a page: there is nothing to ask the archive."
        return
    yield (
        'Not found: status 404 or 410, a "not found" page, or the home page instead. Other: another error, or no '
        "answer in time. Numbers are sources, each counted once."
    )
    outcomes = ([(_GROUPS[group.group], *_outcomes(group)) for group in _groups(stratum)] for stratum in models)
    yield _of_models(models, ("", "all", "once there", "no page", "never", "no answer", "not asked"), outcomes)
    yield (
        "Once there: a copy with status 200. No page: copies, but none with status 200. Never: the archive named no "
        "copy when it was asked; the address may be made up, or the archive never came by."
    )
    yield from ("", "Once there, of the sources that the archive answered for:")
    shares = [[_held(group) for group in _groups(stratum) if group.figure.n] for stratum in models]
    if any(shares):
        yield _of_models(models, ("", "share", "95% interval", "n", "copies from"), shares)
    else:
        yield inset("undefined: the archive has not answered for any of them.")
    private, open_ = whole[-1].outcomes["private"], whole[-1].outcomes["not_asked"] + whole[-1].outcomes["failed"]
    if open_:
        asks = command("sources", "addresses", study, "--archive")
        yield from (f"{counted(open_, 'source')} to ask:", NextStep(asks))
    if private:
        never = "no public host name, or a password in the address"
        yield f"{counted(private, 'source')} never asked about: {never}."


def _groups(stratum: UrlStratum) -> Sequence[ArchiveFigures]:
    """The groups that hold sources; both together only where they differ from each."""
    found = [group for group in stratum.archive or () if group.sources]
    return found[:1] if len(found) == 2 else found


def _outcomes(group: ArchiveFigures) -> tuple[Cell, ...]:
    told = group.outcomes
    came = (told["once_there"], told["no_page"], told["never"], told["failed"])
    return group.sources, *came, told["not_asked"] + told["private"]


def _held(group: ArchiveFigures) -> tuple[Cell, ...]:
    days = f"{group.first[:7]} to {group.last[:7]}" if group.last else ""
    return _GROUPS[group.group], group.figure, group.figure.n, days


def _examples(report: UrlReport) -> Iterator[Part]:
    for outcome, words in (("once_there", "Once there"), ("never", "Never in the archive")):
        found = [source for source in report.lost if source.outcome == outcome]
        if not found:
            continue
        shown = found[:_EXAMPLES]
        more = f", {len(shown)} of {len(found):,}; all with --json" if len(found) > len(shown) else ""
        yield from ("", f"{words}{more}:")
        for source in shown:
            days = f" (copies from {source.first} to {source.last})" if source.last else ""
            yield inset(f"{one_line(source.url)}{days}")


def _rankings(stratum: UrlStratum) -> Iterator[Part]:
    yield Title(f"Hosts and top-level domains: {_name(stratum)}")
    if stratum.hosts and stratum.tlds:
        yield inset(_ranking(stratum.hosts, "host"), "", _ranking(stratum.tlds, "top-level domain", "."))


def _ranking(ranking: HostRanking, what: str, before: str = "") -> ReportTable:
    rows: list[tuple[Cell, ...]] = [
        (before + one_line(one.name), one.citations, one.sources, one.share) for one in ranking.named
    ]
    if others := ranking.distinct - len(ranking.named):
        rows.append((f"({counted(others, 'other')})", ranking.rest))
    if ranking.none:
        rows.append(("(none: IP address, private name)", ranking.none))
    return _table((what, "citations", "sources", "share", "95% interval"), rows)


def _of_models(models: Sequence[UrlStratum], names: Sequence[str], rows: Iterable[Sequence[tuple[Cell, ...]]]) -> Part:
    """A table with the rows of each model, its name in front of the first of them."""
    named = (
        (_model(stratum) if place == 0 else "", *row)
        for stratum, of_model in zip(models, rows, strict=True)
        for place, row in enumerate(of_model)
    )
    return inset(_table(("model", *names), named))


def _table(names: Sequence[str], rows: Iterable[tuple[Cell, ...]]) -> ReportTable:
    return table(names, rows, first="anywhere", others="anywhere")


def _figure(figure: Estimate) -> tuple[Cell, ...]:
    """Share, interval, citations, and the responses that these are in."""
    return figure, figure.n, figure.clusters


def _name(stratum: UrlStratum) -> str:
    return stratum_name(stratum.split, stratum.stratum)


def _model(stratum: UrlStratum) -> str:
    """As :func:`_name`, in a table of models."""
    return given(stratum.stratum) if stratum.split else "all"
