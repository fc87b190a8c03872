"""A folder of saved pages, as ``--pages`` reads it."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def save_pages(folder: Path, pages: Mapping[str, str], **listed: Any) -> Path:
    """Each address with its HTML; ``listed``: what the list says of every page besides. An earlier page is replaced."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = []
    for number, (url, html) in enumerate(pages.items(), 1):
        (folder / f"{number}.html").write_text(html, "utf-8")
        lines.append(json.dumps({"url": url, "file": f"{number}.html", **listed}))
    (folder / "manifest.jsonl").write_text("\n".join(lines), "utf-8")
    return folder
