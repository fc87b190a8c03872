"""The URL analysis as text for a terminal or a file, 80 columns or wider."""

from collections.abc import Iterable, Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import Final

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from medreview.cli.output import counted, parts
from medreview.stats.figure import Figure, percent
from medreview.stats.url_figures import ArchiveFigures, Ranking, UrlReport, UrlStratum
from medreview.visible import visible

_GROUPS: Final = {"not_found": "not found", "other": "other", "all": "both"}
_PAYWALLS: Final = ("on the list, of all", "on the list, of valid", "seen, of valid", "either, of valid")
_EXAMPLES: Final = 5
"""Addresses shown of each kind; the JSON has the others."""


def render(report: UrlReport, study: Path, paywalled: Path | None = None) -> str:
    """The whole report, never wider than the terminal (80 when it is none). ``paywalled``: the user's own list."""
    terminal, written = Console(), StringIO()
    console = Console(
        file=written,
        force_terminal=terminal.is_terminal,
        width=terminal.width if terminal.is_terminal else 80,
        color_system="auto" if terminal.is_terminal else None,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )
    for part in _report(report, _out(str(study)), paywalled):
        console.print(part)
    lines = (line.rstrip() for line in written.getvalue().splitlines())
    return "\n".join(lines).rstrip("\n") + "\n"


def _report(report: UrlReport, study: str, paywalled: Path | None) -> Iterable[RenderableType]:
    if not report.strata or not report.strata[0].citations:
        yield _plain("No response of this study cites anything: there is no address to look at.")
        return
    whole = report.strata[0]
    models = [stratum for stratum in report.strata if stratum.hosts is not None]
    yield _plain(
        f"{counted(whole.citations, 'citation')} of {counted(whole.sources, 'source')} in {whole.citing:,} of "
        f"{counted(whole.responses, 'response')}"
    )
    resolved = f" {_are(whole.identifiers)} by an identifier (DOI, PMID, ...) and count with the host of its resolver."
    yield _plain(
        "A citation is a source that a response cites, counted once per response."
        f"{resolved if whole.identifiers else ''}"
    )
    if waiting := whole.states.get("not_fetched", 0):
        yield _plain(f"{counted(waiting, 'citation')} not fetched yet: medreview fetch {study}")
    yield from _validity(report.strata)
    yield from _paywalls(models, report.paywalled_domains, paywalled)
    yield from _countries(models, report, study)
    yield from _archive(models, study)
    yield from _examples(report)
    for stratum in models:
        yield from _rankings(stratum)
    for split, count in report.omitted.items():
        yield from ("", _plain(f"{counted(count, f'smaller {split}')} not shown."))
    again = report.resampling
    yield from (
        "",
        _plain(
            f"95% intervals: percentile bootstrap over responses, {again.replicates:,} replicates, seed {again.seed}; "
            "for shares of sources Wilson. n: citations; resp: responses that these are in; -: no interval, since all "
            "is in one response, or the share is the same however responses are drawn (--json says which)."
        ),
    )


def _validity(strata: Sequence[UrlStratum]) -> Iterable[RenderableType]:
    yield from ("", _title("URL validity: the address answered with status 200 and text"))
    table = _columns("", "valid", "95% interval", "n", "resp", "not fetched")
    for stratum in strata:
        figure = stratum.validity
        numbers = (f"{figure.n:,}", _responses(figure), f"{figure.dropped:,}")
        table.add_row(*_texts(_name(stratum), *_share(figure), *numbers))
    yield _inset(table)
    yield from _sentences({_name(strata[0]): strata[0].validity})
    yield from map(_plain, strata[0].validity.notes)
    yield from ("", _plain("What came back, in citations:"))
    for stratum in strata:
        yield _inset(_plain(f"{_name(stratum)}: {parts(stratum.states)}"))


def _paywalls(models: Sequence[UrlStratum], size: int, own: Path | None) -> Iterable[RenderableType]:
    where = _out(str(own)) if own else "medreview's starting list; --paywalled FILE.toml for your own"
    yield from ("", _title("Behind a paywall"))
    yield _plain(
        f"On the list: the host of the address, or the one it led to, is one of {counted(size, 'domain')} with most "
        f"articles behind a paywall ({where}), or lies below one. Seen: the page that came back was a paywall."
    )
    table = _columns("model", "", "share", "95% interval", "n", "resp")
    for stratum in models:
        name = _model(stratum)
        for label, figure in zip(_PAYWALLS, stratum.paywalls.figures if stratum.paywalls else (), strict=False):
            table.add_row(*_texts(name, label, *_share(figure), f"{figure.n:,}", _responses(figure)))
            name = ""
    yield _inset(table)
    if models[0].paywalls:
        yield from _sentences(dict(zip(_PAYWALLS, models[0].paywalls.figures, strict=True)))
    yield from ("", _plain("Valid citations, told apart:"))
    counts = _columns("model", "both", "list only", "seen only", "neither", "all valid")
    for stratum in models:
        if (told := stratum.paywalls) is not None:
            numbers = (told.both, told.listed_only, told.seen_only, told.neither)
            counts.add_row(*_texts(_model(stratum), *(f"{number:,}" for number in (*numbers, sum(numbers)))))
    yield _inset(counts)


def _countries(models: Sequence[UrlStratum], report: UrlReport, study: str) -> Iterable[RenderableType]:
    yield from ("", _title("United States or not"))
    yield _plain(
        "By the country of the registrant where the registry says one; else by the top-level domain: "
        ".com .org .gov .edu .info .net are taken for the United States (SourceCheckup's rule), all others not. "
        "Undecided: an IP address, or a name that nobody can register."
    )
    table = _columns("model", "US", "95% interval", "n", "resp", "by registry", "by rule", "undecided")
    for stratum in models:
        if (country := stratum.country) is not None:
            decided = (country.by_registry, country.by_rule, country.undecided)
            numbers = (f"{country.figure.n:,}", _responses(country.figure), *(f"{number:,}" for number in decided))
            table.add_row(*_texts(_model(stratum), *_share(country.figure), *numbers))
    yield _inset(table)
    if models[0].country:
        yield from _sentences({_model(models[0]): models[0].country.figure})
    asked = report.registry
    hint = f" Ask for them: medreview urls {study} --registry" if asked["not_asked"] or asked["failed"] else ""
    yield _plain(
        f"Registries, by domain: {asked['country']:,} with a country, {asked['none']:,} without, "
        f"{asked['failed']:,} gave no answer, {asked['not_asked']:,} not asked.{hint}"
    )


def _archive(models: Sequence[UrlStratum], study: str) -> Iterable[RenderableType]:
    yield from ("", _title("Addresses without a page, and whether the web archive ever held one"))
    whole = models[0].archive
    if whole is None or not whole[-1].sources:
        yield _plain("Every address that was fetched gave a page: there is nothing to ask the archive.")
        return
    yield _plain(
        'Not found: status 404 or 410, a "not found" page, or the home page instead. Other: another error, or no '
        "answer in time. Numbers are sources, each counted once."
    )
    table = _columns("model", "", "all", "once there", "no page", "never", "no answer", "not asked")
    for stratum in models:
        name = _model(stratum)
        for group in _groups(stratum):
            told = group.outcomes
            numbers = (group.sources, told["once_there"], told["no_page"], told["never"], told["failed"])
            cells = (*numbers, told["not_asked"] + told["private"])
            table.add_row(*_texts(name, _GROUPS[group.group], *(f"{number:,}" for number in cells)))
            name = ""
    yield _inset(table)
    yield _plain(
        "Once there: a copy with status 200. No page: copies, but none with status 200. Never: the archive named no "
        "copy when it was asked; the address may be made up, or the archive never came by."
    )
    yield from ("", _plain("Once there, of the sources that the archive answered for:"))
    shares = _columns("model", "", "share", "95% interval", "n", "copies from")
    for stratum in models:
        name = _model(stratum)
        for group in _groups(stratum):
            if group.figure.n:
                shares.add_row(
                    *_texts(name, _GROUPS[group.group], *_share(group.figure), f"{group.figure.n:,}", _days(group))
                )
                name = ""
    if shares.rows:
        yield _inset(shares)
    else:
        yield _inset(_plain("undefined: the archive has not answered for any of them."))
    private, open_ = whole[-1].outcomes["private"], whole[-1].outcomes["not_asked"] + whole[-1].outcomes["failed"]
    if open_:
        yield _plain(f"{counted(open_, 'source')} to ask: medreview urls {study} --archive")
    if private:
        never = "no public host name, or a password in the address"
        yield _plain(f"{counted(private, 'source')} never asked about: {never}.")


def _groups(stratum: UrlStratum) -> Iterable[ArchiveFigures]:
    """The groups that hold sources; both together only where they differ from each."""
    found = [group for group in stratum.archive or () if group.sources]
    return found[:1] if len(found) == 2 else found


def _days(group: ArchiveFigures) -> str:
    return f"{group.first[:7]} to {group.last[:7]}" if group.last else ""


def _examples(report: UrlReport) -> Iterable[RenderableType]:
    for outcome, title in (("once_there", "Once there"), ("never", "Never in the archive")):
        found = [source for source in report.lost if source.outcome == outcome]
        if not found:
            continue
        shown = found[:_EXAMPLES]
        more = f", {len(shown)} of {len(found):,}; all with --json" if len(found) > len(shown) else ""
        yield from ("", _plain(f"{title}{more}:"))
        for source in shown:
            days = f" (copies from {source.first} to {source.last})" if source.last else ""
            yield _inset(_plain(f"{_out(source.url)}{days}"))


def _rankings(stratum: UrlStratum) -> Iterable[RenderableType]:
    yield from ("", _title(f"Hosts and top-level domains: {_name(stratum)}"))
    if stratum.hosts and stratum.tlds:
        yield _inset(_ranking(stratum.hosts, "host"))
        yield ""
        yield _inset(_ranking(stratum.tlds, "top-level domain"))


def _ranking(ranking: Ranking, what: str) -> Table:
    table = _columns(what, "citations", "sources", "share", "95% interval")
    dot = "." if what != "host" else ""
    for one in ranking.named:
        table.add_row(*_texts(f"{dot}{_out(one.name)}", f"{one.citations:,}", f"{one.sources:,}", *_share(one.share)))
    others = ranking.distinct - len(ranking.named)
    if others:
        table.add_row(*_texts(f"({counted(others, 'other')})", f"{ranking.rest:,}", "", "", ""))
    if ranking.none:
        table.add_row(*_texts("(none: IP address, private name)", f"{ranking.none:,}", "", "", ""))
    return table


def _share(figure: Figure) -> tuple[str, str]:
    if figure.value is None:
        return "undefined", ""
    if figure.low is None or figure.high is None:
        return percent(figure.value), "-"
    return percent(figure.value), f"{percent(figure.low)} to {percent(figure.high)}"


def _responses(figure: Figure) -> str:
    return "" if figure.clusters is None else f"{figure.clusters:,}"


def _sentences(figures: Mapping[str, Figure]) -> Iterable[Text]:
    """Why a value or an interval is missing, by the name that the table has for it."""
    for name, figure in figures.items():
        if figure.reason:
            yield _plain(f"{name}: {figure.reason}")


def _name(stratum: UrlStratum) -> str:
    return f"{stratum.split} {_out(stratum.stratum) or '(not given)'}" if stratum.split else "all responses"


def _model(stratum: UrlStratum) -> str:
    """As :func:`_name`, in a table of models."""
    return (_out(stratum.stratum) or "(not given)") if stratum.split else "all"


def _are(number: int) -> str:
    return f"{number:,} {'is' if number == 1 else 'are'}"


def _columns(*names: str) -> Table:
    """A table; texts (names, labels) fold where they are too long, numbers stay whole."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="", show_edge=False)
    for place, name in enumerate(names):
        text = place == 0 or not name
        interval = name.endswith("interval") or name == "copies from"
        longest = max(map(len, name.split()), default=0)
        side = "left" if text or interval else "right"
        table.add_column(Text(name), justify=side, no_wrap=interval, overflow="fold", min_width=longest)  # type: ignore[arg-type]
    return table


def _texts(*cells: str) -> list[Text]:
    return [Text(cell) for cell in cells]


def _inset(part: RenderableType) -> Padding:
    return Padding(part, (0, 0, 0, 2))


def _title(text: str) -> Text:
    return Text(text, style="bold underline")


def _plain(text: str) -> Text:
    return Text(text)


def _out(text: str) -> str:
    """A text from outside on one line of this report."""
    return visible(" ".join(text.split()))
