"""The URL analysis as text for a terminal or a file, 80 columns or wider."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from rich.console import RenderableType
from rich.table import Table

from medreview.cli.output import counted, given, one_line, parts, stratum_name
from medreview.cli.reports.console import printed
from medreview.cli.reports.tables import cells, columns, inset, title
from medreview.stats.citations.url_figures import ArchiveFigures, Ranking, UrlReport, UrlStratum
from medreview.stats.formulas.estimate import Estimate, percent

_GROUPS: Final = {"not_found": "not found", "other": "other", "all": "both"}
_PAYWALLS: Final = ("on the list, of all", "on the list, of valid", "seen, of valid", "either, of valid")
_EXAMPLES: Final = 5
"""Addresses shown of each kind; the JSON has the others."""


def render(report: UrlReport, study: Path, paywalled: Path | None = None) -> str:
    """The whole report, never wider than the terminal (80 when it is none). ``paywalled``: the user's own list."""
    return printed(_report(report, one_line(str(study)), paywalled))


def _report(report: UrlReport, study: str, paywalled: Path | None) -> Iterable[RenderableType]:
    if not report.strata or not report.strata[0].citations:
        yield "No response of this study cites anything: there is no address to look at."
        return
    whole = report.strata[0]
    models = [stratum for stratum in report.strata if stratum.hosts is not None]
    yield (
        f"{counted(whole.citations, 'citation')} of {counted(whole.sources, 'source')} in {whole.citing:,} of "
        f"{counted(whole.responses, 'response')}"
    )
    resolved = f" {_are(whole.identifiers)} by an identifier (DOI, PMID, ...) and count with the host of its resolver."
    yield (
        "A citation is a source that a response cites, counted once per response."
        f"{resolved if whole.identifiers else ''}"
    )
    if waiting := whole.states.get("not_fetched", 0):
        yield f"{counted(waiting, 'citation')} not fetched yet: medreview fetch {study}"
    yield from _validity(report.strata)
    yield from _paywalls(models, report.paywalled_domains, paywalled)
    yield from _countries(models, report, study)
    yield from _archive(models, study)
    yield from _examples(report)
    for stratum in models:
        yield from _rankings(stratum)
    for split, count in report.omitted.items():
        yield from ("", f"{counted(count, f'smaller {split}')} not shown.")
    again = report.resampling
    yield ""
    yield (
        f"95% intervals: percentile bootstrap over responses, {again.replicates:,} replicates, seed {again.seed}; "
        "for shares of sources Wilson. n: citations; resp: responses that these are in; -: no interval, since all "
        "is in one response, or the share is the same however responses are drawn (--json says which)."
    )


def _validity(strata: Sequence[UrlStratum]) -> Iterable[RenderableType]:
    yield from ("", title("URL validity: the address answered with status 200 and text"))
    table = _columns("", "valid", "95% interval", "n", "resp", "not fetched")
    for stratum in strata:
        figure = stratum.validity
        numbers = (f"{figure.n:,}", _responses(figure), f"{figure.dropped:,}")
        table.add_row(_name(stratum), *_share(figure), *numbers)
    yield inset(table)
    yield from _sentences({_name(strata[0]): strata[0].validity})
    yield from strata[0].validity.notes
    yield from ("", "What came back, in citations:")
    for stratum in strata:
        yield inset(f"{_name(stratum)}: {parts(stratum.states)}")


def _paywalls(models: Sequence[UrlStratum], size: int, own: Path | None) -> Iterable[RenderableType]:
    where = one_line(str(own)) if own else "medreview's starting list; --paywalled FILE.toml for your own"
    yield from ("", title("Behind a paywall"))
    yield (
        f"On the list: the host of the address, or the one it led to, is one of {counted(size, 'domain')} with most "
        f"articles behind a paywall ({where}), or lies below one. Seen: the page that came back was a paywall."
    )
    table = _columns("model", "", "share", "95% interval", "n", "resp")
    for stratum in models:
        name = _model(stratum)
        for label, figure in zip(_PAYWALLS, stratum.paywalls.figures if stratum.paywalls else (), strict=False):
            table.add_row(name, label, *_share(figure), f"{figure.n:,}", _responses(figure))
            name = ""
    yield inset(table)
    if models[0].paywalls:
        yield from _sentences(dict(zip(_PAYWALLS, models[0].paywalls.figures, strict=True)))
    yield from ("", "Valid citations, told apart:")
    counts = _columns("model", "both", "list only", "seen only", "neither", "all valid")
    for stratum in models:
        if (told := stratum.paywalls) is not None:
            numbers = (told.both, told.listed_only, told.seen_only, told.neither)
            counts.add_row(_model(stratum), *(f"{number:,}" for number in (*numbers, sum(numbers))))
    yield inset(counts)


def _countries(models: Sequence[UrlStratum], report: UrlReport, study: str) -> Iterable[RenderableType]:
    yield from ("", title("United States or not"))
    yield (
        "By the country of the registrant where the registry says one; else by the top-level domain: "
        ".com .org .gov .edu .info .net are taken for the United States (SourceCheckup's rule), all others not. "
        "Undecided: an IP address, or a name that nobody can register."
    )
    table = _columns("model", "US", "95% interval", "n", "resp", "by registry", "by rule", "undecided")
    for stratum in models:
        if (country := stratum.country) is not None:
            decided = (country.by_registry, country.by_rule, country.undecided)
            numbers = (f"{country.figure.n:,}", _responses(country.figure), *(f"{number:,}" for number in decided))
            table.add_row(_model(stratum), *_share(country.figure), *numbers)
    yield inset(table)
    if models[0].country:
        yield from _sentences({_model(models[0]): models[0].country.figure})
    asked = report.registry
    hint = f" Ask for them: medreview urls {study} --registry" if asked["not_asked"] or asked["failed"] else ""
    yield (
        f"Registries, by domain: {asked['country']:,} with a country, {asked['none']:,} without, "
        f"{asked['failed']:,} gave no answer, {asked['not_asked']:,} not asked.{hint}"
    )


def _archive(models: Sequence[UrlStratum], study: str) -> Iterable[RenderableType]:
    yield from ("", title("Addresses without a page, and whether the web archive ever held one"))
    whole = models[0].archive
    if whole is None or not whole[-1].sources:
        yield "Every address that was fetched gave a page: there is nothing to ask the archive."
        return
    yield (
        'Not found: status 404 or 410, a "not found" page, or the home page instead. Other: another error, or no '
        "answer in time. Numbers are sources, each counted once."
    )
    table = _columns("model", "", "all", "once there", "no page", "never", "no answer", "not asked")
    for stratum in models:
        name = _model(stratum)
        for group in _groups(stratum):
            told = group.outcomes
            came = (told["once_there"], told["no_page"], told["never"], told["failed"])
            numbers = (group.sources, *came, told["not_asked"] + told["private"])
            table.add_row(name, _GROUPS[group.group], *(f"{number:,}" for number in numbers))
            name = ""
    yield inset(table)
    yield (
        "Once there: a copy with status 200. No page: copies, but none with status 200. Never: the archive named no "
        "copy when it was asked; the address may be made up, or the archive never came by."
    )
    yield from ("", "Once there, of the sources that the archive answered for:")
    shares = _columns("model", "", "share", "95% interval", "n", "copies from")
    for stratum in models:
        name = _model(stratum)
        for group in _groups(stratum):
            if group.figure.n:
                shares.add_row(name, _GROUPS[group.group], *_share(group.figure), f"{group.figure.n:,}", _days(group))
                name = ""
    if shares.rows:
        yield inset(shares)
    else:
        yield inset("undefined: the archive has not answered for any of them.")
    private, open_ = whole[-1].outcomes["private"], whole[-1].outcomes["not_asked"] + whole[-1].outcomes["failed"]
    if open_:
        yield f"{counted(open_, 'source')} to ask: medreview urls {study} --archive"
    if private:
        never = "no public host name, or a password in the address"
        yield f"{counted(private, 'source')} never asked about: {never}."


def _groups(stratum: UrlStratum) -> Iterable[ArchiveFigures]:
    """The groups that hold sources; both together only where they differ from each."""
    found = [group for group in stratum.archive or () if group.sources]
    return found[:1] if len(found) == 2 else found


def _days(group: ArchiveFigures) -> str:
    return f"{group.first[:7]} to {group.last[:7]}" if group.last else ""


def _examples(report: UrlReport) -> Iterable[RenderableType]:
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


def _rankings(stratum: UrlStratum) -> Iterable[RenderableType]:
    yield from ("", title(f"Hosts and top-level domains: {_name(stratum)}"))
    if stratum.hosts and stratum.tlds:
        yield inset(_ranking(stratum.hosts, "host"))
        yield ""
        yield inset(_ranking(stratum.tlds, "top-level domain"))


def _ranking(ranking: Ranking, what: str) -> Table:
    table = _columns(what, "citations", "sources", "share", "95% interval")
    dot = "." if what != "host" else ""
    for one in ranking.named:
        table.add_row(f"{dot}{one_line(one.name)}", f"{one.citations:,}", f"{one.sources:,}", *_share(one.share))
    others = ranking.distinct - len(ranking.named)
    if others:
        table.add_row(f"({counted(others, 'other')})", f"{ranking.rest:,}", "", "", "")
    if ranking.none:
        table.add_row("(none: IP address, private name)", f"{ranking.none:,}", "", "", "")
    return table


def _responses(figure: Estimate) -> str:
    return "" if figure.clusters is None else f"{figure.clusters:,}"


def _sentences(figures: Mapping[str, Estimate]) -> Iterable[str]:
    """Why a value or an interval is missing, by the name that the table has for it."""
    for name, figure in figures.items():
        if figure.reason:
            yield f"{name}: {figure.reason}"


def _model(stratum: UrlStratum) -> str:
    """As :func:`_name`, in a table of models."""
    return given(stratum.stratum) if stratum.split else "all"


def _are(number: int) -> str:
    return f"{number:,} {'is' if number == 1 else 'are'}"


def _columns(*names: str) -> Table:
    return columns(*names, first="anywhere", others="anywhere")


def _share(figure: Estimate) -> tuple[str, str]:
    return cells(figure, percent, "-")


def _name(stratum: UrlStratum) -> str:
    return stratum_name(stratum.split, stratum.stratum)
