"""Files are brought into the study, whatever they hold."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from medreview import pipeline
from medreview.exchange.imports.open_rows import open_rows
from medreview.exchange.imports.rows import Row
from medreview.import_files import Imported, speaks_of_statements
from medreview.replays.replay import Given, Outcome, Step
from medreview.words import counted

TEXTS: Final = frozenset({".txt", ".text", ".md", ".html", ".htm", ".pdf"})
"""Endings of files that are a text to ask about; all others hold records, which may be texts as well."""
_NO_TEXTS: Final = frozenset({"question", "query", "response", "answer", "unit", "case"})
"""Columns of records that are more than a text."""


def texts_in(files: Sequence[Path]) -> list[Path]:
    """The files that are a text to ask about, or hold nothing but such texts; a folder is none."""
    return [path for path in files if not path.is_dir() and (path.suffix.lower() in TEXTS or _holds_texts(path))]


def _holds_texts(path: Path) -> bool:
    rows, _ = open_rows(path)
    first = next((row for row in rows if isinstance(row, Row)), None)
    columns = {name.casefold() for name in first.values} if first else set()
    return "text" in columns and not columns & _NO_TEXTS


@dataclass(frozen=True, slots=True)
class Bring(Step):
    """``late``: those files that speak of statements, as judgements and people's labels on pairs do, and no others.

    ``texts``: files of texts are brought in as well, as ``import`` takes them; else a step of their own reads them.
    """

    name: str
    about: str
    late: bool = False
    texts: bool = False

    @property
    def reads_files(self) -> bool:
        """Of what speaks of statements, these must be there first."""
        return not self.late

    def run(self, given: Given) -> Outcome:
        """Bring in what is new in them."""
        files = list(self._files(given))
        if not files:
            return Outcome("left" if not self.late and not given.files else "done", "no file to bring in")
        done = [pipeline.bring_in(given.study, path, given.mapping, given.progress) for path in files]
        new = sum(_new(one) for one in done)
        words = "something new in them" if new else "nothing new"
        return Outcome("did" if new else "done", f"{counted(len(files), 'file')}: {words}", imported=tuple(done))

    def _files(self, given: Given) -> Iterator[Path]:
        apart = () if self.texts else texts_in(given.files)
        for path in given.files:
            if path not in apart and speaks_of_statements(path, given.mapping) == self.late:
                yield path


def _new(one: Imported) -> int:
    return one.added + one.given + one.facts + one.cases + one.gold + one.opinions + one.labels
