"""The command ``urls``: what the cited addresses are, where they lead, and what became of the lost ones."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from medreview.cli.options import Json, StudyFile
from medreview.cli.output import counted, progress, result, say

if TYPE_CHECKING:
    from medreview.sources.lookups.lookup_stage import LookupSummary


def urls(
    study: StudyFile,
    archive: Annotated[
        bool, typer.Option("--archive", help="Ask the web archive about addresses that gave no page; uses the network.")
    ] = False,
    registry: Annotated[
        bool, typer.Option("--registry", help="Ask the domain registries for countries (RDAP); uses the network.")
    ] = False,
    top: Annotated[int, typer.Option(min=1, max=100, help="Hosts and domains to name per model.")] = 5,
    paywalled: Annotated[
        Path | None,
        typer.Option(metavar="FILE.toml", help='A list of your own of paywalled domains: domains = ["nejm.org", ...].'),
    ] = None,
    as_json: Json = False,
) -> None:
    """Which addresses are cited: valid or not, hosts, paywalls, country, top-level domains, and lost pages.

    With --archive, the addresses without a page are shown to the Wayback Machine; with --registry, the domain names
    to rdap.org and the registries. Answers stay in the study: the figures need no network afterwards, and nothing is
    asked twice. Where references were checked, it says what the cited identifiers turned out to be.

    Example: medreview urls sepsis.medreview --archive --registry
    """
    from medreview.citations.hosts import paywalled_domains
    from medreview.cli.looking import looked
    from medreview.stats.citations.url_figures import url_figures
    from medreview.stats.references.found_references import any_checked
    from medreview.study import Study

    listed = paywalled_domains(paywalled)
    if archive or registry:
        _ask(study, archive=archive, registry=registry)
    with Study.open(study, read_only=True) as opened, progress() as bar:
        if any_checked(opened.reader):
            looked(opened, "urls", "totals")
        report = url_figures(opened.reader, paywalled=listed, top=top, progress=bar)
    if as_json:
        result(report, "", as_json=True)
    else:
        from medreview.cli.reports.urls import render

        print(render(report, study, paywalled), end="")
    sys.stdout.flush()


def _ask(path: Path, *, archive: bool, registry: bool) -> None:
    from medreview.cli.network import network_from_config, services_from_config
    from medreview.sources.lookups.rdap import ask_registry
    from medreview.sources.lookups.wayback import ask_archive
    from medreview.study import Study

    wanted: list[tuple[bool, str, str, Callable[..., LookupSummary]]] = [
        (archive, "archive", "address", ask_archive),
        (registry, "registries", "domain", ask_registry),
    ]
    services, network = services_from_config(), network_from_config()
    with Study.open(path) as opened:
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
