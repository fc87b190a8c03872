"""The settings as commands use them: trust asked for on the spot, pages, the network, its services and authorities.

Also the options on getting pages, and the result of a fetch in sentences.
"""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

from typer import Option

from medreview.cli.output import bad_records, confirmed, counted, counted_each, say
from medreview.references.model import bare_urls_words, unanswered_words
from medreview.references.verdict import VERDICTS
from medreview.text import in_words

if TYPE_CHECKING:
    from medreview.config import Config
    from medreview.llm.settings import JudgeSettings
    from medreview.pipeline import Authorities, CheckSummary, PageProvider
    from medreview.sources.fetching.network import Network, Services
    from medreview.sources.stage import FetchSummary


T = TypeVar("T")


def with_settings(use: Callable[["Config"], T]) -> T:
    """What ``use`` makes of the settings.

    Where it needs settings of an untrusted file, a terminal shows the file and asks for trust; in a pipe that is
    refused (``medreview.configured.Untrusted``).
    """
    from medreview.config import load_config
    from medreview.configured import Untrusted

    refused: set[Path] = set()
    while True:
        try:
            return use(load_config())
        except Untrusted as error:
            if error.file in refused or not ask_for_trust(error.file):
                raise
            refused.add(error.file)  # trusted now: asked again only if it changed meanwhile, which is no yes


def ask_for_trust(file: Path) -> bool:
    """Show what a file says on where texts and keys go, and ask whether to use it: yes or no; no without a terminal."""
    from medreview.configured import read_guarded
    from medreview.settings_files import trust

    if not (sys.stdin and sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    lines, content = read_guarded(file)
    say(f"The settings {file} say where texts and keys go:", *lines)
    trusted = confirmed("Use them, as they are now?")
    if trusted:
        trust(file, content)
    return trusted


PagesFrom = Annotated[
    Path | None, Option("--pages", metavar="DIR|WARC", help="Take saved pages (a folder or a WARC file); no network.")
]
Proxy = Annotated[str | None, Option(metavar="URL", help="Fetch through this proxy, http://[user:password@]host:port.")]
Libraries = Annotated[
    list[Path] | None,
    Option(
        "--library", metavar="FILE", help="Hold references against these works (CSL-JSON, RIS, BibTeX, nbib); repeat."
    ),
]
Robots = Annotated[bool | None, Option("--respect-robots", help="Ask each site's robots.txt first, and keep to it.")]
Ocr = Annotated[
    bool | None, Option("--ocr/--no-ocr", help="Read pages of PDFs without text from their pictures (medreview[ocr]).")
]


def pages_from(
    saved: Path | None, proxy: str | None = None, respect_robots: bool | None = None, *, ocr: bool | None = None
) -> "PageProvider":
    """Where a command takes pages from."""
    from medreview.configured import pages_of

    return with_settings(lambda config: pages_of(config, saved, proxy, respect_robots, ocr=ocr))


def network_from_config(proxy: str | None = None, respect_robots: bool | None = None) -> "Network":
    """The network as the settings and a command's options want it."""
    from medreview.configured import network_of

    return with_settings(lambda config: network_of(config, proxy, respect_robots))


def model_named(name: str, *, local_only: bool) -> "JudgeSettings":
    """A model of the settings that writes, or whose vectors are asked for."""
    from medreview.configured import model_of

    return with_settings(lambda config: model_of(config, name, local_only=local_only))


def services_from_config() -> "Services":
    """The services to ask, as the settings name them."""
    from medreview.configured import services_of

    return with_settings(services_of)


def authorities_from_config(
    libraries: Sequence[Path] = (), *, ask: bool | None = None, proxy: str | None = None
) -> "Authorities | None":
    """Authorities to check references against, by a command's options and the settings; ``None`` for none.

    Unusable records of a library are reported.
    """
    from medreview.configured import authorities_of

    found = with_settings(lambda config: authorities_of(config, libraries, ask=ask, proxy=proxy, say=say))
    if found is not None and found.library is not None:
        for path, bad in found.library.bad:
            bad_records(bad, path)
    return found


def references_sentence(done: "CheckSummary") -> str:
    """What the references of a study turned out to be, in a sentence."""
    told = {in_words(verdict): done.verdicts[verdict] for verdict in VERDICTS if done.verdicts.get(verdict)}
    left = f"; {done.left} not checked, since nobody could be asked" if done.left else ""
    left += f"; {unanswered_words(done.unanswered)}" if done.unanswered else ""
    bare = f"; {bare_urls_words(done.bare_urls)}" if done.bare_urls else ""
    return counted(done.current, "reference") + (f": {counted_each(told)}" if told else "") + left + bare


def pages_sentence(done: "FetchSummary") -> str:
    """A fetch's result, in a sentence."""
    count = sum(done.states.values())
    sentence = f"{counted(count, 'page')} fetched" + (f": {counted_each(done.states)}" if done.states else "")
    again = {"unchanged": done.unchanged, "changed": done.changed}
    if any(again.values()):
        sentence += f"; of those known before, {counted_each(again)}"
    if done.kept:
        sentence += f"; {counted(done.kept, 'page')} could not be had now, what was read before stays"
    if done.no_network:
        sentence += f"; {done.no_network:,} not fetched: this machine had no network; the next `fetch` asks again"
    sentence += f"; {done.missing} not among the saved pages" if done.missing else ""
    sentence += f"; {counted(done.by_ocr, 'scanned page')} read by OCR" if done.by_ocr else ""
    return sentence + (f"; {counted(done.not_by_ocr, 'scanned page')} could not be read" if done.not_by_ocr else "")


def scans_lines(done: "FetchSummary") -> list[str]:
    """What could read PDFs without text, in a line; nothing without such PDFs."""
    from medreview.sources.ocr_pages import OCR_OFFER

    return [f"{counted(done.scans, 'PDF')} without text, only pictures of pages; {OCR_OFFER}"] if done.scans else []
