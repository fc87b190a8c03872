"""Files of producers, imported into a real study and parsed, and what an import left in it, as tests ask for it."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from medreview import pipeline
from medreview.citations.citation import document_name
from medreview.import_files import Imported
from medreview.study import Study


@dataclass(frozen=True, slots=True)
class Answer:
    """A response: ``cited`` are its sources, ``own`` the sources of each statement by its text, ``turns`` (role, text),
    ``quotes`` what the producer shows as proof."""

    id: str
    text: str
    question: str
    model: str
    created: str
    finish: str
    producer: str
    cited: list[str]
    own: dict[str, set[str]]
    turns: list[tuple[str, str]]
    quotes: list[str]
    extra: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Brought:
    """A study after the import of a file, and what the import said."""

    study: Study
    told: Imported

    @property
    def answers(self) -> list[Answer]:
        """The responses in the order of the file."""
        return [self._answer(row) for row in self._rows("SELECT * FROM response ORDER BY ordinal")]

    @property
    def answer(self) -> Answer:
        """The only response."""
        (answer,) = self.answers
        return answer

    @property
    def pages(self) -> dict[str, tuple[str, str]]:
        """State and text of each source that has a text."""
        rows = self._rows("SELECT source.*, page_state, text FROM source JOIN snapshot_current USING (source_id)")
        return {_name(row): (row["page_state"], row["text"]) for row in rows}

    def _answer(self, row: Any) -> Answer:
        name = row["response_id"]
        cited = self._rows(
            "SELECT DISTINCT source.* FROM citation JOIN source USING (source_id) WHERE response_id = ?"
            " ORDER BY citation.ordinal",
            name,
        )
        own: dict[str, set[str]] = {}
        for one in self._rows("SELECT statement_id, text FROM statement WHERE response_id = ? ORDER BY ordinal", name):
            marked = self._rows(
                "SELECT source.* FROM marker JOIN source USING (source_id) WHERE statement_id = ?", one["statement_id"]
            )
            own[one["text"]] = {_name(source) for source in marked}
        return Answer(
            row["record_id"],
            row["text"],
            row["question"],
            row["model"],
            row["created_at"],
            row["finish"],
            row["producer"],
            [_name(source) for source in cited],
            own,
            [
                tuple(turn)
                for turn in self._rows("SELECT role, text FROM turn WHERE response_id = ? ORDER BY ordinal", name)
            ],
            [quote for *_, quote in json.loads(row["ranges"]) if quote],
            json.loads(row["extra"]),
        )

    def _rows(self, sql: str, *values: Any) -> list[Any]:
        return self.study.reader.execute(sql, values).fetchall()


def _name(source: Any) -> str:
    """A source as a person names it: its address, or the name of its document."""
    return document_name(source["value"]) if source["kind"] == "document" else source["url"]


Bring = Callable[..., Brought]


@pytest.fixture
def bring(tmp_path: Path) -> Iterator[Bring]:
    """Imports a file and splits its answers: ``bring(value)`` of JSON, ``bring(text, "stream.txt")`` of anything."""
    made: list[Study] = []

    def bring(content: Any, name: str = "answers.json") -> Brought:
        path = tmp_path / name
        path.write_text(content if isinstance(content, str) else json.dumps(content, ensure_ascii=False), "utf-8")
        made.append(Study.create(tmp_path / f"{len(made)}.medreview"))
        told = pipeline.bring_in(made[-1], path, {})
        pipeline.parse(made[-1])
        return Brought(made[-1], told)

    yield bring
    for study in made:
        study.close()


def lines(*records: Any) -> str:
    """JSON lines."""
    return "".join(f"{json.dumps(record, ensure_ascii=False)}\n" for record in records)
