"""Make the documentation as a site that works from its folder, without a server or a network.

    python -m tests.tools.site [FOLDER]

Into ``medreview/site`` unless another folder is named: from there it goes into the wheel, where `medreview docs` opens
it. A link that leads nowhere ends it with an error. The navigation is that of ``docs/README.md``.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from os.path import relpath
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
SITE: Final = ROOT / "medreview" / "site"
LOOKS: Final = Path(__file__).with_name("site_looks")
"""What is ours of the looks: a style sheet, and a script for the search of pages that come from files."""
OUTSIDE: Final = (*(page.name for page in ROOT.glob("*.md")), "LICENSE", "sample_data/README.md")
"""What the pages lead to outside of ``docs``."""
CONFIG: Final = """[project]
site_name = "medreview"
docs_dir = "pages"
site_dir = "site"
use_directory_urls = false
nav = {nav}
extra_css = ["looks/extra.css"]

[project.theme]
font = false
features = ["content.code.copy", "navigation.footer", "navigation.indexes", "navigation.top", "search.highlight"]

[[project.theme.palette]]
media = "(prefers-color-scheme: light)"
scheme = "default"

[[project.theme.palette]]
media = "(prefers-color-scheme: dark)"
scheme = "slate"

[project.plugins.offline]

[project.plugins.search]

[project.markdown_extensions.tables]

[project.markdown_extensions.toc]
permalink = true
toc_depth = 3
slugify = {{object = "pymdownx.slugs.slugify", kwds = {{case = "lower"}}}}

[project.markdown_extensions.pymdownx.highlight]
pygments_lang_class = true

[project.markdown_extensions.pymdownx.superfences]
"""
_COLOUR: Final = re.compile(r"\x1b\[[0-9;]*m")
_ROW: Final = re.compile(r"^\| \[([^\]]+)\]\(([^)#]+\.md)\)", re.MULTILINE)
_FROM_A_HOST: Final = re.compile(r'<script src="https://unpkg\.com/iframe-worker/shim"[^>]*></script>')
_LOADED: Final = re.compile(r'<(?:script|link|img)[^>]* (?:src|href)="(https?://[^"]+)"')


def navigation() -> Iterator[tuple[str, Mapping[str, str]]]:
    """The parts of the index, each with its pages: title -> file from the root of the project."""
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    for part in index.split("\n## ")[1:]:
        yield (
            re.split(r"[:\n]", part, maxsplit=1)[0],
            {title: relpath(f"docs/{it}") for title, it in _ROW.findall(part)},
        )


def make(folder: Path) -> None:
    """Make the site in this folder, in the place of an earlier one."""
    with tempfile.TemporaryDirectory() as temporary:
        place = Path(temporary)
        pages = place / "pages"
        shutil.copytree(ROOT / "docs", pages / "docs", ignore=shutil.ignore_patterns("*.py", "__pycache__"))
        shutil.copytree(LOOKS, pages / "looks")
        for name in OUTSIDE:
            (pages / name).parent.mkdir(exist_ok=True)
            shutil.copy(ROOT / name, pages / name)
        (place / "zensical.toml").write_text(CONFIG.format(nav=_toml()), encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-m", "zensical", "build", "--strict", "--clean"],
            cwd=place, capture_output=True, text=True, env={"NO_COLOR": "1", "PATH": "/usr/bin:/bin"},
        )  # fmt: skip
        if done.returncode:
            raise SystemExit(_COLOUR.sub("", done.stderr).partition("Traceback")[0])
        _without_hosts(place / "site")
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(place / "site", folder)


def _toml() -> str:
    """The navigation as an array of TOML, which takes the strings of JSON."""
    parts = [f"{{{json.dumps(part)} = [{_entries(pages)}]}}" for part, pages in navigation()]
    return f"[{_entries({'medreview': 'README.md'})}, {', '.join(parts)}]"


def _entries(pages: Mapping[str, str]) -> str:
    return ", ".join(f"{{{json.dumps(title)} = {json.dumps(page)}}}" for title, page in pages.items())


def _without_hosts(site: Path) -> None:
    """Let the pages load nothing from other hosts; what stands twice goes."""
    for page in site.rglob("*.html"):
        script = relpath(site / "looks" / "worker_from_file.js", page.parent)
        text = _FROM_A_HOST.sub(f'<script src="{script}"></script>', page.read_text(encoding="utf-8"))
        if loaded := _LOADED.findall(text):
            raise SystemExit(f"{page.relative_to(site)} loads {loaded[0]} from another host")
        page.write_text(text, encoding="utf-8")
    (site / "search.json").unlink()  # served pages would load it; from files it is search.js


if __name__ == "__main__":
    make(Path(sys.argv[1]) if sys.argv[1:] else SITE)
