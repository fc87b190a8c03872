"""`medreview docs`: the documentation that came with this version, in a browser or in the terminal."""

import os
import re
import sys
from collections.abc import Mapping
from importlib.resources import as_file, files
from pathlib import Path
from typing import Annotated, Final

from typer import Argument, Option

from medreview.cli.output import say
from medreview.errors import UserError

SITE: Final = Path(__file__).parents[2] / "site"
"""The site, where this install has it (`python -m tests.tools.site` makes it)."""
_INDEX: Final = "index"
_WIDEST: Final = 100
"""Columns of a page at most: longer lines are hard to read."""
_NAMED: Final = 6
"""Pages that are named where none has the name of the topic."""
_PICTURE: Final = re.compile(r"^!\[[^\]]*\]\([^)]*\)\n?", re.MULTILINE)
_LINK_TO_A_PAGE: Final = re.compile(r"(?<!!)\[([^\]]+)\]\((?!https?:)[^)]*\)")
_MARK: Final = re.compile(r"^<!--.*?-->\n?", re.MULTILINE | re.DOTALL)


def docs(
    topic: Annotated[
        str, Argument(metavar="[TOPIC]", help="A page to show in the terminal, such as statistics or reviewing.")
    ] = "",
    path: Annotated[bool, Option("--path", help="Only print where the page, or the site, is.")] = False,
) -> None:
    """Open the documentation of this version.

    Without a topic it opens a browser. Over SSH, or without a browser, it
    prints the path and shows the index in the terminal.

    Example: medreview docs statistics
    """
    site = SITE / "index.html"
    if topic or not site.is_file():
        page = _page(topic)
        if path:
            print(page)
        else:
            _show(page)
    elif path:
        print(site)
    elif _has_browser() and _opened(site):
        say(f"opened in the browser: {site}", "`medreview docs TOPIC` shows one page in the terminal.")
    else:
        say(f"The site is {site}")
        _show(_page(""))


def _page(topic: str) -> Path:
    """The page of a topic: by its name, else by the beginning of it, else the index for no topic."""
    pages = _pages()
    wanted = topic.lower().removesuffix(".md").rpartition("/")[2].replace(" ", "-") or _INDEX
    if found := pages.get(wanted):
        return found
    begun = [name for name in pages if name.startswith(wanted)]
    if len(begun) == 1:
        return pages[begun[0]]
    counts = {name: page.read_text(encoding="utf-8").lower().count(topic.lower()) for name, page in pages.items()}
    most = sorted((name for name in counts if counts[name]), key=lambda name: -counts[name])[:_NAMED]
    there = f"It stands most often in: {', '.join(most)}." if most else f"Pages: {', '.join(sorted(pages))}."
    raise UserError(f"There is no page {topic!r}. {there}")


def _pages() -> Mapping[str, Path]:
    """The pages by what they are called."""
    with as_file(files("medreview.documentation")) as folder:
        found = {page.stem: page for page in sorted(folder.rglob("*.md"))}
    found[_INDEX] = found.pop("README")
    return found


def _has_browser() -> bool:
    """Whether a window could be opened where the person sits."""
    if os.environ.get("SSH_CONNECTION") or not sys.stdout.isatty():
        return False
    return sys.platform == "darwin" or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY")))


def _opened(site: Path) -> bool:
    import webbrowser

    try:
        return webbrowser.open(site.as_uri())
    except webbrowser.Error:
        return False


def _show(page: Path) -> None:
    """A page as text: Markdown as it is where the output is no terminal, else laid out, in a pager."""
    text = page.read_text(encoding="utf-8")
    if not sys.stdout.isatty():
        print(text, end="")
        return
    from rich.console import Console
    from rich.markdown import Markdown

    console = Console()
    os.environ.setdefault("LESS", "-FRX")  # colours; a page that fits is printed
    plain = _LINK_TO_A_PAGE.sub(r"\1", _MARK.sub("", _PICTURE.sub("", text)))
    with console.pager(styles=console.color_system is not None):
        console.print(Markdown(plain, hyperlinks=False), width=min(console.width, _WIDEST))
