"""Writes the table of docs/reference/producers.md: the systems whose files are read, and what such a file holds.

``python -m tests.tools.producers_page``
"""

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from medreview.exchange.producers import producers
from medreview.exchange.producers.given import Producer

PAGE: Final = Path(__file__).parents[2] / "docs" / "reference" / "producers.md"
MARK: Final = "<!-- by tests.tools.producers_page -->"


def producers_page() -> str:
    """The page: what is written by hand, and the table."""
    written = PAGE.read_text(encoding="utf-8").partition(f"\n{MARK}\n")[0].rstrip("\n")
    rows = sorted(map(_row, producers()), key=str.casefold)
    return "\n".join([written, "", MARK, "", "| producer | files | what they hold |", "| --- | --- | --- |", *rows, ""])


def _row(producer: Producer) -> str:
    return f"| {producer.name} | {producer.about} | {' '.join(_told(producer))} |"


def _told(producer: Producer) -> Iterator[str]:
    """What the docstring of its first form's reader says, without the name before the colon."""
    form = producer.forms[0]
    told = (inspect.getdoc(form.read or form.take) or "").replace("|", "\\|").replace("``", "`")
    assert told, f"{producer.name} has no docstring"
    first, *more = re.sub(r"\A[^:`\n]{1,80}:\s", "", told).split("\n\n")
    for paragraph in (first[:1].upper() + first[1:], *more):
        yield " ".join(paragraph.split())


if __name__ == "__main__":
    PAGE.write_text(producers_page(), encoding="utf-8")
