"""Values that no file should hold, in every field of every format that is imported: each costs its own record.

A file has whole records and odd ones in turn. The whole ones are in the study afterwards, an odd one is in it too or is
named once, by its line.
"""

import csv
import json
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

import pytest

from medreview import pipeline
from medreview.exchange.imports import json_rows
from medreview.exchange.imports.citation_answers import file_answers
from medreview.exchange.imports.file_rows import BadRecord
from medreview.sources.saved.pages_folder import PagesFolder
from medreview.study import Study
from medreview.study.check import check

ODD: Final = {
    "half a character": '"a\\ud800b"',
    "NUL": '"a\\u0000b"',
    "beyond 64 bits": str(2**70),
    "5,000 digits": "9" * 5000,
    "not a number": "NaN",
    "infinite": "-Infinity",
    "1e999": "1e999",
    "deep list": "[" * 10_000 + "]" * 10_000,
    "deep object": '{"a":' * 10_000 + "1" + "}" * 10_000,
    "rather deep": "[" * 150 + "]" * 150,
    "odd in a list": '["a\\ud800b", NaN, 1e999]',
    "odd in an object": '{"url": "https://a.example/\\ud800", "text": "a\\udfffb", "\\ud800": 1}',
    "odd in objects": '[{"url": "https://a.example/x", "text": "\\u0000", "source": "https://a.example/\\udc00"}]',
    "named twice": '{"url": "https://a.example/1", "url": "https://a.example/2"}',
    "true": "true",
    "nothing": "null",
    "an object": "{}",
    "long": '"' + "a" * 100_000 + '"',
}
"""As they are written in JSON."""
ALWAYS_BAD: Final = {"5,000 digits", "deep list", "deep object", "rather deep", "named twice"}
"""What costs the record in whatever column it stands: the record cannot be read, or not for sure."""
SEVERAL: Final = {f"odd in {what} in {field}" for what in ("a list", "objects") for field in ("response", "fact")}
"""Records of several answers or facts, each of which is odd for itself."""
CELLS: Final = (
    "9" * 5000, "[" * 5000, "{" * 5000 + "1", '["a\\ud800b"]', "[NaN, 1e999]", "{'a': " * 150, "a" * 300_000, "a\0b",
)  # fmt: skip
"""What the cell of a table may hold; a NUL last, since a file that begins with one is taken for no text at all."""

ANSWER: Final = {
    "id": "q", "question": "How much?", "response": "500 mg. https://a.example/1", "citations": ["https://a.example/1"],
    "model": "m", "origin": "o", "pages": [{"url": "https://a.example/1", "text": "Take 500 mg twice daily."}],
    "facts": ["It is 500 mg."], "not a field": 1,
}  # fmt: skip
JUDGEMENT: Final = {
    "judge": "j", "model": "m", "prompt": "p", "response": "a0", "statement": "Adults take 500 mg twice daily.",
    "source": "https://page.example/0", "label": "supported", "confidence": 0.5, "reason": "It says so.",
    "quote": "Adults take 500 mg", "not a field": 1,
}  # fmt: skip
FACT: Final = {"fact": "Adults take 500 mg.", "category": "management", "question": "How much?", "response": "a0"}
TABLE: Final = {
    "statement": "It is 500 mg.", "citation_url": "https://page.example/0", "decision": "found", "reason": "Yes.",
    "quote": "", "judge": "j", "judge_model": "m", "question": "How much?", "response": "It is 500 mg.", "model": "m",
    "origin": "o", "id": "t",
}  # fmt: skip
REPORTED: Final = {"id": "q", "response": "500 mg. https://a.example/1", "reference": "500 mg.", "latency_ms": 12}
PAGE: Final = {
    "url": "https://page.example/0", "file": "0.html", "status": 200, "content_type": "text/html", "etag": "e",
    "final_url": "https://page.example/0", "fetched_at": "2026-03-01", "last_modified": "then", "not a field": 1,
}  # fmt: skip

Bad = Counter[int]
Take = Callable[[Study, Path], Bad]


def imported(study: Study, path: Path) -> Bad:
    return Counter(record.line for record in pipeline.bring_in(study, path, {}).bad)


def facts(study: Study, path: Path) -> Bad:
    return Counter(record.line for record in pipeline.bring_facts(study, path, "kb").bad)


def reported(study: Study, path: Path) -> Bad:
    return Counter(record.line for record in file_answers(path) if isinstance(record, BadRecord))


FORMATS: Final[dict[str, tuple[Mapping[str, object], str, Take, str]]] = {
    "answers": (ANSWER, "id", imported, "SELECT record_id FROM response"),
    "judgements": (
        JUDGEMENT,
        "judge",
        imported,
        "SELECT DISTINCT judge FROM judge_run JOIN judgement USING (judge_run_id)",
    ),
    "facts": (FACT, "fact", facts, "SELECT text FROM key_fact"),
    "table": (TABLE, "id", imported, "SELECT record_id FROM response"),
    "reported": (REPORTED, "id", reported, ""),
}
"""An example of a record, the field that tells records apart, how a file is taken, and where whole ones are found."""


def written(record: Mapping[str, object], field: str = "", value: str = "") -> str:
    """A record as JSON, one field of it as written here."""
    members = {name: json.dumps(told) for name, told in record.items()} | ({field: value} if field else {})
    return "{" + ", ".join(f"{json.dumps(name)}: {told}" for name, told in members.items()) + "}"


def mixed(example: Mapping[str, object], key: str) -> Iterator[tuple[str, str]]:
    """(what is odd, or the name of a whole one; the record as JSON), in turn, in a seeded order."""
    odd = [(what, field) for what in ODD for field in example]
    random.Random(11).shuffle(odd)
    for number, (what, field) in enumerate(odd):
        name = f"whole{number}"
        yield name, written({**example, key: name})
        yield f"{what} in {field}", written({**example, key: f"odd{number}"}, field, ODD[what])


@pytest.fixture
def study(tmp_path: Path, empty_study: Study) -> Study:
    """A response with a statement and a page, for judgements to be on and facts to belong to."""
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "0.html").write_text("<p>Adults take 500 mg twice daily.</p>" * 20)
    (tmp_path / "pages" / "manifest.jsonl").write_text(json.dumps({"url": "https://page.example/0", "file": "0.html"}))
    answer = {"id": "a0", "question": "How much?", "response": "Adults take 500 mg twice daily. https://page.example/0"}
    (tmp_path / "a.jsonl").write_text(json.dumps(answer))
    pipeline.run(empty_study, [tmp_path / "a.jsonl"], {}, pipeline.PageProvider(tmp_path / "pages"))
    return empty_study


@pytest.mark.parametrize("ending", ["jsonl", "json"])
@pytest.mark.parametrize("kind", FORMATS)
def test_an_odd_value_costs_its_record(kind: str, ending: str, study: Study, tmp_path: Path) -> None:
    example, key, take, query = FORMATS[kind]
    records = list(mixed(example, key))
    lines = [record for _, record in records]
    path = tmp_path / f"odd-\udce9.{ending}"  # a name that the system gave and UTF-8 has not
    path.write_text("\n".join(lines) if ending == "jsonl" else "[\n" + ",\n".join(lines) + "\n]")

    bad = take(study, path)

    shift = 1 if ending == "jsonl" else 2
    names = {number + shift: what for number, (what, _) in enumerate(records)}
    assert not [names[line] for line in bad if names[line].startswith("whole")]
    assert [names[line] for line in bad if bad[line] > 1 and names[line] not in SEVERAL] == []
    assert [what for what in names.values() if what.rpartition(" in ")[0] in ALWAYS_BAD] == [
        what for line, what in names.items() if line in bad and what.rpartition(" in ")[0] in ALWAYS_BAD
    ]
    if query:
        there = {row[0] for row in study.reader.execute(query)}
        assert {what for what in names.values() if what.startswith("whole")} <= there
    assert check(study.reader) == []


@pytest.mark.parametrize("kind", FORMATS)
def test_an_odd_cell_costs_its_row(kind: str, study: Study, tmp_path: Path) -> None:
    example, key, take, query = FORMATS[kind]
    plain = {name: json.dumps(value) if isinstance(value, list) else str(value) for name, value in example.items()}
    odd = [(cell, field) for cell in CELLS for field in plain]
    with (tmp_path / "odd.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, [*plain])
        writer.writeheader()
        for number, (cell, field) in enumerate(odd):
            writer.writerow({**plain, key: f"whole{number}"})
            writer.writerow({**plain, key: f"odd{number}", field: cell})

    bad = take(study, tmp_path / "odd.csv")

    assert set(bad.values()) <= {1}
    assert all(line % 2 for line in bad)
    if query:
        there = {row[0] for row in study.reader.execute(query)}
        assert {f"whole{number}" for number in range(len(odd))} <= there
    assert check(study.reader) == []


def test_an_odd_line_in_a_list_of_pages_costs_that_line(tmp_path: Path) -> None:
    (tmp_path / "0.html").write_text("<p>Page</p>")
    records = [(what, line.replace("whole", "https://a.example/")) for what, line in mixed(PAGE, "url")]
    lines = [
        written(json.loads(line) | {"final_url": None}) if not number % 2 else line
        for number, (_, line) in enumerate(records)
    ]
    (tmp_path / "manifest.jsonl").write_text("\n".join(lines))

    pages = PagesFolder(tmp_path)

    assert all(pages.get(f"https://a.example/{number // 2}") for number in range(0, len(records), 2))
    named = Counter(int(str(error).split()[1]) for error in pages.bad)
    assert set(named.values()) == {1}
    assert all(line % 2 == 0 for line in named)
    assert {number + 1 for number, (what, _) in enumerate(records) if what.startswith(("half", "deep"))} <= named.keys()
    assert "Line " in pages.note
    assert f"And {len(pages.bad) - 20} more." in pages.note


def test_a_line_that_is_too_long_costs_that_line(study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_rows, "_LONGEST_LINE", 1 << 16)
    whole = [written({**ANSWER, "id": f"whole{number}"}) for number in range(2)]
    with (tmp_path / "long.jsonl").open("w") as file:
        file.write(whole[0] + '\n{"id": "long", "response": "')
        file.write("a" * 200_000)
        file.write('"}\n' + whole[1])

    done = pipeline.bring_in(study, tmp_path / "long.jsonl", {})

    assert done.added == 2
    assert [(record.line, record.reason) for record in done.bad] == [(2, "is longer than 65,536 characters")]
