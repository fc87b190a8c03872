"""The command ``fetch``: get the cited pages, and hand them on."""

from pathlib import Path
from typing import Annotated

import typer

from medreview.cli.network import Ocr, PagesFrom, Proxy, Robots, pages_from, pages_sentence, scans_lines
from medreview.cli.options import Json, StudyFile
from medreview.cli.output import counted, progress, result, say
from medreview.errors import UserError
from medreview.next_step import command


def fetch(
    study: StudyFile,
    pages: PagesFrom = None,
    again: Annotated[bool, typer.Option("--again", help="Try the pages once more that could not be had.")] = False,
    refresh: Annotated[
        bool, typer.Option("--refresh", help="Ask for every page anew; what changed becomes a new snapshot.")
    ] = False,
    save_pages: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Then write all pages into a folder that --pages can read.")
    ] = None,
    proxy: Proxy = None,
    robots: Robots = None,
    ocr: Ocr = None,
    as_json: Json = False,
) -> None:
    """Get the cited pages that the study does not have yet: from the network, a folder or a WARC file.

    A PMID or PMCID is asked for at PubMed and Europe PMC, a DOI at its resolver. Every page is kept as it came; one
    that has changed becomes a new snapshot, and labels on the old one are shown as stale (`medreview diff`).

    With --ocr, or `ocr = "scans"` in the settings, pages of PDFs that have no text are read from their pictures, also
    those that came earlier. `pip install 'medreview[ocr]'` brings what that takes; nothing is sent anywhere.

    Example: medreview fetch sepsis.medreview --again --save-pages pages-for-anna
    """
    from medreview import pipeline
    from medreview.sources.saved.page_writer import SavedPages
    from medreview.study import Study

    if again and refresh:
        raise UserError("--again and --refresh exclude each other: --refresh asks for every page, these too.")
    with Study.open(study) as opened, progress() as bar:
        if save_pages:
            SavedPages(save_pages).close()  # a folder that cannot be written is told before anything is fetched
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
        lines.append(f"What changed around your labels: {command('diff', study)}")
    result(done, *lines, as_json=as_json)
