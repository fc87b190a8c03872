"""The pages are in plain English: none has a phrase of the dialect that they once had."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.test_pages import PAGES, ROOT
from tests.support.plain_words import dialect

_NO_PROSE = re.compile(
    r"^```.*?^```$|<!-- (?P<made>[\w ]+) -->\n.*?<!-- /(?P=made) -->|<!-- by tests\.tools\..*", re.M | re.S
)
"""Code, and what is made of the program's own texts."""
_BREAK = re.compile(r"\n\s*\n|\n(?=#|\s*[-*] |\s*\d+\. )| \| |^\||\|$", re.MULTILINE)
MADE = {"api.md", "commands.md", "glossary.md", "keys-and-labels.md", "CHANGELOG.md"}
"""Made of texts of the program, or a record of the past."""


def paragraphs(text: str) -> Iterator[str]:
    """Paragraphs, items, headings and cells; no code."""
    yield from _BREAK.split(re.sub(r"`[^`\n]*`", "code", _NO_PROSE.sub("", text)))


@pytest.mark.parametrize(
    "path",
    [path for path in PAGES if path.name not in MADE],
    ids=lambda path: path.relative_to(ROOT).as_posix(),
)
def test_a_page_is_in_plain_english(path: Path) -> None:
    found = [phrase for part in paragraphs(path.read_text(encoding="utf-8")) for phrase in dialect(part)]
    assert found == []


@pytest.mark.parametrize(
    ("sentence", "plain"),
    [
        ("Invalid answers are asked for anew.", "Invalid answers are asked for again."),
        ("A line that is none is counted.", "A line that is not JSON is counted."),
        ("An abstention is no vote.", "There is no vote."),
        ("What was replaced is retired.", "What was replaced?"),
        ("Who has met it knows what the other said.", "Anybody who has met it knows what the other said."),
        ("A study is told by its content.", "Runs are told apart by their prompt."),
    ],
)
def test_a_phrase_is_found_and_its_plain_words_are_not(sentence: str, plain: str) -> None:
    assert dialect(sentence)
    assert dialect(plain) == []
