"""Records brought into a study as a user brings them: from a file of JSON lines."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from medreview.import_files import Imported, import_file
from medreview.progress import SILENT
from medreview.study import Study


def write_lines(path: Path, records: Iterable[Any]) -> Path:
    """A file of JSON lines, one a record."""
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def bring(study: Study, *records: Any, mapping: Mapping[str, str] | None = None) -> Imported:
    """Import records, from a file beside the study."""
    return import_file(study, write_lines(study.path.with_name("records.jsonl"), records), dict(mapping or {}), SILENT)
