"""A report as one HTML file: nothing loaded, to be read, printed and kept; the frame of all of them.

The only script is ours, named by its hash in the policy of the page: it sorts tables and unfolds what is folded before
the page is printed; without it the page says the same. Cited addresses are text, no links: nobody should come to an
address that a model made up by a slip of the hand.
"""

import base64
import hashlib
from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path
from typing import Final

from medreview.atomic_output import atomic_output, check_own, write_new
from medreview.cli.reports.layout import Part
from medreview.cli.reports.page_drawing import PageDrawer
from medreview.cli.reports.page_script import SCRIPT
from medreview.cli.reports.page_style import STYLE
from medreview.errors import UserError

_ENDINGS: Final = ("", ".html", ".htm")
_HASH: Final = base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
_POLICY: Final = (
    f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{_HASH}'; base-uri 'none'; form-action 'none'"
)


def write_page(path: Path, command: str, title: str, parts: Iterable[Part]) -> Path:
    """Write the report of a command. Raises :class:`UserError` for a file in the place that is no earlier one of it."""
    return write_html(path, command, title, PageDrawer().parts(parts))


def write_html(
    path: Path, command: str, title: str, body: Iterable[str], style: str = "", contents: Iterable[tuple[str, str]] = ()
) -> Path:
    """The same of a body that is HTML already, its texts escaped; ``style`` is added to that of all pages.

    ``contents``: anchors and titles of its sections, for a table of contents.
    """
    with atomic_output(path, _sign(command).encode()) as partial:
        write_new(partial, "".join(_page(command, title, body, style, contents)))
    return path


def check_page(path: Path, command: str) -> None:
    """Raise :class:`UserError` where :func:`write_page` would, and for a name that is no page's: before the work."""
    if path.suffix.lower() not in _ENDINGS:
        raise UserError(
            f"{path} would hold a page of HTML; name it {path.with_suffix('.html')}. A browser prints it as a PDF, and "
            "word processors open it."
        )
    check_own(path, _sign(command).encode())


def _sign(command: str) -> str:
    return f"<!DOCTYPE html>\n<!-- medreview {command} -->\n"


def _page(
    command: str, title: str, body: Iterable[str], style: str, contents: Iterable[tuple[str, str]]
) -> Iterator[str]:
    yield f'{_sign(command)}<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    yield f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    yield '<meta name="color-scheme" content="light dark">\n<meta name="referrer" content="no-referrer">\n'
    yield f"<title>{escape(title)}</title>\n<style>{STYLE}{style}</style>\n</head>\n<body>\n"
    yield '<a class="skip" href="#content">Skip to the report</a>\n'
    yield f"<header>\n<h1>{escape(title)}</h1>\n</header>\n"
    links = [f'<li><a href="#{escape(to)}">{escape(name)}</a></li>\n' for to, name in contents]
    if links:
        yield f'<nav aria-label="Contents">\n<ul>\n{"".join(links)}</ul>\n</nav>\n'
    yield '<main id="content" tabindex="-1">\n'
    yield from body
    yield f"</main>\n<script>{SCRIPT}</script>\n</body>\n</html>\n"
