"""The examples of files of units come in as what their section says, and every kind stands in the table of the page."""

import re
from pathlib import Path

import pytest

from medreview.import_files import import_file
from medreview.progress import SILENT
from medreview.study import Study
from medreview.units.formats import FORMATS
from medreview.units.registry import KINDS
from tests.docs.test_pages import page

EXAMPLES = {
    name: block
    for block in re.findall(r"^```json\n(.*?)^```$", page("units.md"), re.M | re.S)
    for name in re.findall(r'"unit": "(\w+)"', block)[:1]
}
"""By format, of those whose records say it."""
OF_FORMAT = {form.name: KINDS[kind] for kind, form in FORMATS.items() if kind in KINDS}
"""The kind whose units come in a format; that of suggested facts is ``case``."""


def test_there_are_examples() -> None:
    assert {"qa", "question", "revision", "case", "ranking"} <= set(EXAMPLES) <= set(OF_FORMAT)


@pytest.mark.parametrize("kind", EXAMPLES)
def test_an_example_comes_in_whole(kind: str, tmp_path: Path) -> None:
    file = tmp_path / "units.jsonl"
    file.write_text(EXAMPLES[kind])
    with Study.create(tmp_path / "s.medreview") as study:
        done = import_file(study, file, {}, SILENT)
    assert done.kind == kind
    assert (done.added, done.bad, done.odd, done.unused) == (len(EXAMPLES[kind].splitlines()), [], [], [])


def test_every_kind_with_an_example_stands_in_the_table() -> None:
    rows = re.findall(r"^\| [^|]+ \| `(\w+)` \|", page("units.md"), re.M)
    assert {kind.queue_name for kind in map(OF_FORMAT.__getitem__, EXAMPLES)} <= set(rows)
