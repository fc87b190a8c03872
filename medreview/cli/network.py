"""Getting pages: the options, the network and its services as the settings want them, and what a fetch brought."""

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final
from urllib.parse import urlsplit

import typer

from medreview.cli.output import counted, counted_each
from medreview.errors import UserError

if TYPE_CHECKING:
    from medreview.pipeline import PageProvider
    from medreview.sources.fetching.network import Network
    from medreview.sources.fetching.services import Services
    from medreview.sources.stage import FetchSummary

_NCBI: Final = "https://eutils.ncbi.nlm.nih.gov/"

PagesFrom = Annotated[
    Path | None,
    typer.Option("--pages", metavar="DIR|WARC", help="Take saved pages (a folder or a WARC file); no network."),
]
Proxy = Annotated[
    str | None,
    typer.Option(metavar="URL", help="Fetch through this proxy, http://[user:password@]host:port."),
]
Robots = Annotated[
    bool | None, typer.Option("--respect-robots", help="Ask each site's robots.txt first, and keep to it.")
]


def pages_from(saved: Path | None, proxy: str | None = None, respect_robots: bool | None = None) -> "PageProvider":
    """Where a command takes pages from."""
    from medreview.pipeline import PageProvider

    return PageProvider(saved, network_from_config(proxy, respect_robots), services_from_config())


def network_from_config(proxy: str | None = None, respect_robots: bool | None = None) -> "Network":
    """The network as the settings and a command's options want it: who asks, how, and how far apart."""
    import medreview
    from medreview.config import load_config
    from medreview.sources.fetching.network import Network

    config = load_config()
    agent = f"medreview/{medreview.__version__}" + (f" ({config.contact})" if config.contact else "")
    return Network(
        user_agent=agent,
        proxy=config.proxy if proxy is None else proxy,
        respect_robots=config.respect_robots if respect_robots is None else respect_robots,
        delays=services_from_config().delays(),
    )


def services_from_config() -> "Services":
    """The services to ask, as the settings name them, and the contact of the settings.

    The key for E-utilities is that of the environment variable ``NCBI_API_KEY``; it goes to NCBI and nowhere else.
    """
    from medreview.config import load_config
    from medreview.sources.fetching.services import Services

    config = load_config()
    for name, address in config.services.items():
        if not _has_host(address):
            raise UserError(f"The service {name!r} of the settings must be a web address, such as https://example.org.")
    services = Services(contact=config.contact)
    services = replace(services, **config.services)
    if services.eutils.startswith(_NCBI):
        services = replace(services, ncbi_key=os.environ.get("NCBI_API_KEY", ""))
    return services


def pages_sentence(done: "FetchSummary") -> str:
    """What a fetch brought, in a sentence."""
    count = sum(done.states.values())
    sentence = f"{counted(count, 'page')} fetched" + (f": {counted_each(done.states)}" if done.states else "")
    again = {"unchanged": done.unchanged, "changed": done.changed}
    if any(again.values()):
        sentence += f"; of those known before, {counted_each(again)}"
    if done.kept:
        sentence += f"; {counted(done.kept, 'page')} could not be had now, what was read before stays"
    return sentence + (f"; {done.missing} not among the saved pages" if done.missing else "")


def _has_host(address: str) -> bool:
    try:
        host, port = urlsplit(address).hostname, urlsplit(address).port
    except ValueError:
        return False
    return bool(host) and port != 0 and not any(sign.isspace() or ord(sign) < 32 for sign in address)
