"""What one hands to a repository (``export --deposit``): the files of an export without names and without texts of
pages, described as a Data Package and an RO-Crate.

A reviewer's pseudonym is a hash of the name and the study's id. It is the same in all copies and all later deposits of
the study, and cannot be guessed from the deposit, which has a hash in place of that id. Who has the study, or an export
of it, can tell who is who.

Data Package: https://specs.frictionlessdata.io/data-package/, RO-Crate 1.1: https://w3id.org/ro/crate/1.1.
"""

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, Final

import medreview
from medreview.exchange.exports import annotations
from medreview.exchange.exports.label_lines import FILE as LABEL_LINES
from medreview.exchange.exports.label_rows import REVIEWERS
from medreview.exchange.exports.wide_labels import WIDE
from medreview.exchange.files.columns import Cell, Column, ExportFile, Type
from medreview.exchange.files.export_folder import WrittenFile, write_lines
from medreview.text import counted

README: Final = "README.md"
DATA_PACKAGE: Final = "datapackage.json"
CRATE: Final = "ro-crate-metadata.json"

RECORD: Final = ("events.csv", "event_values.csv")
"""The record of what was done: its hashes are of events with the names of those who did it, and would tell them."""
_PEOPLE: Final = frozenset({"reviewer_id", "reviewer", "adjudicator_id", "added_by"})
"""Columns with names of reviewers; one of them may also have the name of a file or a program, which stays."""
_EMPTIED: Final = frozenset(
    {("passages.csv", "text"), ("case_notes.csv", "author"), ("reviewers.csv", "words"), ("", "imported_from")}
)
"""Columns (of a file, or of any) that are empty in a deposit: texts of publishers, names, names of files."""

_TYPES: Final[Mapping[Type, str]] = {
    "text": "string", "integer": "integer", "number": "number", "boolean": "boolean", "time": "datetime",
}  # fmt: skip
_CONTEXT: Final = "https://w3id.org/ro/crate/1.1/context"
_SPECIFICATION: Final = "https://w3id.org/ro/crate/1.1"
_MEDIA: Final = {
    ".csv": "text/csv", ".jsonl": "application/jsonl", ".jsonld": "application/ld+json", ".md": "text/markdown",
    ".json": "application/json",
}  # fmt: skip


class Deposit:
    """The names that stand in a deposit of a study; ``study_id`` in place of the study's own."""

    def __init__(self, reader: sqlite3.Connection) -> None:
        secret = reader.execute("SELECT value FROM study WHERE key = 'study_id'").fetchone()[0]
        self.study_id = f"deposit_{_digits(secret)[:12]}"
        everybody = "SELECT reviewer FROM main.event UNION SELECT reviewer FROM main.batch_unit"
        names = [row[0] for row in reader.execute(everybody)]
        digits = {name: _digits(f"{secret} {name}") for name in names}
        length = next(n for n in range(6, 65) if len({of_one[:n] for of_one in digits.values()}) == len(names))
        self._aliases = {name: f"R{of_one[:length]}" for name, of_one in digits.items()}

    def alias(self, name: str) -> str:
        """The pseudonym of a reviewer; what is no reviewer's name stays."""
        return self._aliases.get(name, name)

    def masked(self, file: ExportFile, rows: Iterable[Sequence[Cell]]) -> Iterator[Sequence[Cell]]:
        """The rows of a file with pseudonyms. Those of one unit are sorted by these, as the list of reviewers is: the
        order of names would tell who is who."""
        names = [column.name for column in file.columns]
        people = [at for at, name in enumerate(names) if name in _PEOPLE]
        emptied = [at for at, name in enumerate(names) if _EMPTIED & {(file.file, name), ("", name)}]
        study = names.index("study_id") if "study_id" in names else None
        if not people and not emptied and study is None:
            yield from rows
            return

        def mask(row: Sequence[Cell]) -> list[Cell]:
            cells = list(row)
            for at in people:
                cells[at] = self.alias(str(cells[at])) if cells[at] else cells[at]
            for at in emptied:
                cells[at] = None
            if study is not None:
                cells[study] = self.study_id
            return cells

        sorted_by = next((at for at in people if names[at] in ("reviewer_id", "reviewer")), None)
        if sorted_by is None or ("unit_id" not in names and file is not REVIEWERS):
            yield from map(mask, rows)
            return
        unit = None if file is REVIEWERS else names.index("unit_id")
        for _, together in groupby(rows, key=lambda row: None if unit is None else row[unit]):
            yield from sorted(map(mask, together), key=lambda row: str(row[sorted_by]))

    def describe(
        self, folder: Path, manifest: Mapping[str, Any], files: Mapping[str, ExportFile], made: str
    ) -> dict[str, WrittenFile]:
        """Write the descriptions of what lies in the folder by its ``manifest``; ``made``: when, ISO 8601."""
        listed = {name: {**file, "bytes": (folder / name).stat().st_size} for name, file in manifest["files"].items()}
        about = {**manifest, "files": listed, "made": made}
        written = {README: write_lines(folder / README, _readme(about, files))}
        described = {name: dict(file) for name, file in listed.items()}
        described[README] = {"bytes": (folder / README).stat().st_size, "sha256": written[README].sha256}
        for name, content in (
            (DATA_PACKAGE, _data_package(about, files)),
            (CRATE, _crate({**about, "files": described}, files)),
        ):
            written[name] = write_lines(folder / name, [json.dumps(content, ensure_ascii=False, indent=1)])
        return written


def _digits(text: str) -> str:
    return hashlib.sha256(f"medreview deposit {text}".encode()).hexdigest()


def _description(about: Mapping[str, Any]) -> str:
    files = about["files"]
    return (
        f"Labels that {counted(files['reviewers.csv']['rows'], 'reviewer')} gave to statements and other units of "
        f"{counted(files['responses.csv']['rows'], 'response')} of language models, with what judge models said of "
        f"them. Made with medreview {about['app_version']}."
    )


def _about(name: str, files: Mapping[str, ExportFile]) -> str:
    told = {
        annotations.FILE: annotations.ABOUT,
        LABEL_LINES: "A line for each labelled unit, with all that belongs to it.",
        README: "What the files are.",
        DATA_PACKAGE: "The columns of the CSV files as a Data Package.",
    }
    return files[name].about if name in files else told[name]


def _data_package(about: Mapping[str, Any], files: Mapping[str, ExportFile]) -> dict[str, Any]:
    return {
        "profile": "data-package",
        "name": about["study_id"].replace("_", "-"),
        "id": about["study_id"],
        "title": about["title"] or "A study made with medreview",
        "description": _description(about),
        "created": about["made"],
        "resources": [_resource(file, about["files"][name]) for name, file in files.items()],
    }


def _resource(file: ExportFile, written: Mapping[str, Any]) -> dict[str, Any]:
    schema: dict[str, Any] = {"fields": list(map(_field, file.columns)), "missingValues": [""]}
    if file.key:
        schema["primaryKey"] = list(file.key)
    return {
        "name": file.table, "path": file.file, "profile": "tabular-data-resource", "format": "csv",
        "mediatype": "text/csv", "encoding": "utf-8",
        "dialect": {"delimiter": ",", "quoteChar": '"', "doubleQuote": True},
        "description": file.about, "bytes": written["bytes"], "hash": f"sha256:{written['sha256']}", "schema": schema,
    }  # fmt: skip


def _field(column: Column) -> dict[str, Any]:
    field: dict[str, Any] = {"name": column.name, "type": _TYPES[column.type], "description": column.meaning}
    if column.unit:
        field["unit"] = column.unit
    if column.type == "boolean":
        field |= {"trueValues": ["1"], "falseValues": ["0"]}
    if column.type == "time":
        field["format"] = "any"
    if column.levels:
        field["constraints"] = {"enum": list(column.levels)}
    return field


def _crate(about: Mapping[str, Any], files: Mapping[str, ExportFile]) -> dict[str, Any]:
    parts = [
        {
            "@id": name,
            "@type": "File",
            "name": name,
            "description": _about(name, files),
            "encodingFormat": _MEDIA[Path(name).suffix],
            "contentSize": str(file["bytes"]),
            "sha256": file["sha256"],
        }
        for name, file in about["files"].items()
    ]
    data_package = {
        "@id": DATA_PACKAGE, "@type": "File", "name": DATA_PACKAGE, "description": _about(DATA_PACKAGE, files),
        "encodingFormat": _MEDIA[".json"],
    }  # fmt: skip
    program = {
        "@id": "#medreview", "@type": "SoftwareApplication", "name": "medreview", "version": medreview.__version__,
    }  # fmt: skip
    licence = {
        "@id": "#licence", "@type": "CreativeWork", "name": "Licence",
        "description": "The licence that the repository states for this deposit; without one, all rights are reserved.",
    }  # fmt: skip
    root = {
        "@id": "./", "@type": "Dataset", "identifier": about["study_id"],
        "name": about["title"] or "A study made with medreview", "description": _description(about),
        "datePublished": about["made"][:10], "license": {"@id": licence["@id"]},
        "hasPart": [{"@id": part["@id"]} for part in (*parts, data_package)],
    }  # fmt: skip
    made = {
        "@id": "#export", "@type": "CreateAction", "name": "medreview export --deposit",
        "instrument": {"@id": program["@id"]}, "result": {"@id": "./"}, "endTime": about["made"],
    }  # fmt: skip
    descriptor = {
        "@id": CRATE, "@type": "CreativeWork", "conformsTo": {"@id": _SPECIFICATION}, "about": {"@id": "./"},
    }  # fmt: skip
    return {"@context": _CONTEXT, "@graph": [descriptor, root, licence, program, made, *parts, data_package]}


def _readme(about: Mapping[str, Any], files: Mapping[str, ExportFile]) -> Iterator[str]:
    yield f"# {' '.join((about['title'] or 'A study made with medreview').split())}"
    yield ""
    yield _description(about)
    yield ""
    yield "| file | rows | what it holds |"
    yield "| --- | ---: | --- |"
    for name, file in about["files"].items():
        yield f"| `{name}` | {file['rows']:,} | {_about(name, files)} |"
    yield f"""
## How to read it

- `codebook.csv` and `{DATA_PACKAGE}` describe every column: type, unit, levels, meaning.
- CSV by RFC 4180, UTF-8. An empty cell is a missing value; `none` is a level. Truth values are 0 and 1, times ISO 8601.
- Ranges are 0-based, half-open, and count Unicode code points.
- Labels in mode `blind` were given before anything of the judges' opinion had been seen, labels in mode `assisted`
  after. They answer different questions: never pool them.
- `{WIDE}` has reviewers as columns of numbers; `value_labels.csv` says what these stand for.

## What is not in it

- Reviewers' names. `R` with six digits is a pseudonym, the same in all files and in later deposits of this study.
- Texts of the cited pages: they belong to their publishers. `citations.csv` has each page's address, the time at which
  it was fetched and the SHA-256 of its text; quotes that judges gave, and words that reviewers marked, are there.
- The record of every act of the reviewers with its hashes, and the names of the files that were imported.

`{CRATE}` describes the same files as an RO-Crate (1.1)."""
