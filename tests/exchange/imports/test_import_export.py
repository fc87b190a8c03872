"""An export imported again: the same labels, the same hashes, and no changed file taken in."""

import csv
import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from medreview.errors import UserError
from medreview.exchange.exports.export import export
from medreview.exchange.imports.import_export import ExportedSummary, import_export
from medreview.study import Study
from medreview.study.check import check
from medreview.study.events import event_hash, insert_event
from medreview.study.ids import content_id
from medreview.study.rows import insert
from tests.exchange.example_study import TEXTS, ExampleStudy
from tests.support.study_builder import build

NewExample = Callable[[str], ExampleStudy]
MACHINE = ("judge_", "jury_", "source_", "extractor", "stale")


def busy(example: ExampleStudy) -> None:
    """A little of everything a reviewer can do."""
    example.do("shown")
    first = example.decide("supported")
    example.do("reveal")
    example.decide("partial", kind="revise", seen="after")
    example.do("note", payload={"text": 'Say "no", 💊\r\n=now;\t\0 \u2028'})
    example.do("reason", payload={"decision": first.event_id, "code": "number"})
    example.decide("context", 3, axis="hallucination", mode="open", seen="before")
    span = {"axis": "hallucination", "label": "context", "target": "response", "start": 0, "end": 8}
    mark = example.do("span_add", 3, {**span, "exact": "Warfarin", "sha256": "x"})
    example.do("span_del", 3, {"span": mark.event_id})
    example.do("retract", 3, undoes_event=example.do("flag", 3, {"flag": "feedback", "on": True}).event_id)
    example.do(
        "defer",
        2,
        {"until": 1.5, "tags": ["a b", {"deep": None}], "empty": {}, "x.y": "", "exposure_jury": "?"},
        who="zoe",
    )
    audit = {"statement_id": example.units[1], "number": 0.125, "stratum": "ember", "rate": 0.25}
    example.study.write(lambda connection: insert(connection, "audit_frame", [audit]))


def human(folder: Path, name: str = "labels.csv") -> list[dict[str, str]]:
    with (folder / name).open(encoding="utf-8", newline="") as file:
        return [{k: v for k, v in row.items() if not k.startswith(MACHINE)} for row in csv.DictReader(file)]


def same(one: Path, other: Path) -> list[str]:
    return [path.name for path in sorted(one.iterdir()) if path.read_bytes() == (other / path.name).read_bytes()]


def test_round_trip_into_a_new_study(example: ExampleStudy, new_example: NewExample, tmp_path: Path) -> None:
    busy(example)
    summary = export(example.study, tmp_path / "one")
    assert summary.files["event_values.csv"] == 4
    fresh = new_example("fresh")
    brought = import_export(fresh.study, tmp_path / "one")
    assert brought == ExportedSummary(read=12, added=12, known=0, foreign=0, responses=2, statements=5)
    assert check(fresh.study.reader) == check(example.study.reader)
    export(fresh.study, tmp_path / "two")
    assert human(tmp_path / "one") == human(tmp_path / "two")
    assert human(tmp_path / "one", "statements.csv") == human(tmp_path / "two", "statements.csv")
    assert {"events.csv", "event_values.csv", "responses.csv"} <= set(same(tmp_path / "one", tmp_path / "two"))
    fresh.units = example.units
    fresh.machine()
    export(fresh.study, tmp_path / "three")
    assert same(tmp_path / "one", tmp_path / "three") == sorted(path.name for path in (tmp_path / "one").iterdir())
    again = import_export(fresh.study, tmp_path / "one")
    assert again == ExportedSummary(read=12, added=0, known=12, foreign=0, responses=0, statements=0)
    export(fresh.study, tmp_path / "three")
    assert same(tmp_path / "one", tmp_path / "three") == sorted(path.name for path in (tmp_path / "one").iterdir())


def test_what_is_invalid_comes_back_as_such(example: ExampleStudy, new_example: NewExample, tmp_path: Path) -> None:
    build(example.study, lambda rows: rows.response("broken", "It beg", invalid="incomplete", parser=None))
    build(example.study, lambda rows: rows.response("nothing", "", invalid="empty", parser=None))
    export(example.study, tmp_path / "out")
    fresh = new_example("fresh").study
    import_export(fresh, tmp_path / "out")
    known = fresh.reader.execute("SELECT response_id, invalid FROM response WHERE invalid <> '' ORDER BY ordinal")
    assert [tuple(row) for row in known] == [("broken", "incomplete"), ("nothing", "empty")]


def test_an_export_without_the_columns_on_votes_comes_in(
    example: ExampleStudy, new_example: NewExample, tmp_path: Path
) -> None:
    """So it was written before judgements.csv said which judgements are votes."""
    busy(example)
    export(example.study, tmp_path / "out")
    file = tmp_path / "out" / "judgements.csv"
    with file.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.reader(lines))
    kept = rows[0].index("error") + 1
    rows = [row[:kept] for row in rows]
    with file.open("w", encoding="utf-8", newline="") as lines:
        csv.writer(lines).writerows(rows)
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    manifest["files"]["judgements.csv"]["sha256"] = hashlib.sha256(file.read_bytes()).hexdigest()
    (tmp_path / "out" / "manifest.json").write_text(json.dumps(manifest))

    assert import_export(new_example("fresh").study, tmp_path / "out").added == 12


@settings(max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture])  # two studies each: many notes
@given(notes=st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1, max_size=80))
def test_any_note_survives(tmp_path_factory: pytest.TempPathFactory, notes: list[str]) -> None:
    place = tmp_path_factory.mktemp("notes")
    with Study.create(place / "a.medreview") as one, Study.create(place / "b.medreview") as two:
        example = ExampleStudy(one)
        example.fill()
        for number, note in enumerate(notes):
            example.do("note", number % 5, {"text": note})
        export(one, place / "one")
        import_export(two, place / "one")
        stored = [
            json.loads(row[0])["text"] for row in two.reader.execute("SELECT payload FROM event ORDER BY event_id")
        ]
        assert stored == notes
        assert check(two.reader) == []
        export(two, place / "two")
        assert same(place / "one", place / "two") == sorted(path.name for path in (place / "one").iterdir())
        last = dict(zip([number % 5 for number in range(len(notes))], notes, strict=True))
        assert [row["note"] for row in human(place / "two")] == [last[unit] for unit in sorted(last)]


def test_an_export_joins_a_study_of_the_same_material(
    example: ExampleStudy, new_example: NewExample, tmp_path: Path
) -> None:
    busy(example)
    export(example.study, tmp_path / "out")
    colleague = new_example("colleague")
    colleague.fill()
    colleague.do("note", payload={"text": "mine"}, who="bo")
    name = colleague.study.meta("study_id")
    with pytest.raises(UserError, match=f"an export of another study .*, {example.study.meta('study_id')}.* --as-copy"):
        import_export(colleague.study, tmp_path / "out")
    brought = import_export(colleague.study, tmp_path / "out", as_copy=True)
    assert (brought.responses, brought.statements, brought.added) == (0, 0, 12)
    assert colleague.study.meta("study_id") == name
    assert check(colleague.study.reader) == check(example.study.reader)


def test_statements_split_otherwise_are_kept_and_their_events_refused(
    example: ExampleStudy, new_example: NewExample, tmp_path: Path
) -> None:
    busy(example)
    export(example.study, tmp_path / "out")
    other = new_example("other")
    other.fill()
    other.study.write(
        lambda connection: connection.execute("DELETE FROM statement WHERE statement_id = ?", (example.units[0],))
    )
    with pytest.raises(UserError, match="Import it into a new study"):
        import_export(other.study, tmp_path / "out", as_copy=True)
    assert other.study.reader.execute("SELECT count(*) FROM event").fetchone()[0] == 0


@pytest.mark.parametrize("name", ["events.csv", "responses.csv", "labels.csv", "codebook.csv"])
def test_a_changed_file_is_refused(example: ExampleStudy, new_example: NewExample, tmp_path: Path, name: str) -> None:
    busy(example)
    export(example.study, tmp_path / "out")
    path = tmp_path / "out" / name
    path.write_bytes(path.read_bytes().replace(b"supported", b"Supported").replace(b"Stop", b"Go on"))
    fresh = new_example("fresh").study
    with pytest.raises(UserError, match=f"{name} is missing or was changed"):
        import_export(fresh, tmp_path / "out")
    path.unlink()
    with pytest.raises(UserError, match=f"{name} is missing or was changed"):
        import_export(fresh, tmp_path / "out")
    assert fresh.reader.execute("SELECT count(*) FROM response").fetchone()[0] == 0


def test_a_changed_event_is_refused_even_with_a_mended_manifest(
    example: ExampleStudy, new_example: NewExample, tmp_path: Path
) -> None:
    busy(example)
    export(example.study, tmp_path / "out")
    events, fresh = tmp_path / "out" / "events.csv", new_example("fresh").study
    whole = events.read_bytes()

    def put(data: bytes) -> None:
        events.write_bytes(data)
        manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
        manifest["files"]["events.csv"]["sha256"] = hashlib.sha256(data).hexdigest()
        (tmp_path / "out" / "manifest.json").write_text(json.dumps(manifest))

    for data, words in (
        (whole.replace(b'"partial"', b'"supported"'), "was changed, or the one before it is missing"),
        (whole.replace(b'"note"', b'"shown"'), "was changed, or the one before it is missing"),
        (b"".join(whole.splitlines(keepends=True)[:1]), "its newest event is not"),
        (b"\n".join(whole.split(b"\n")[:-2]) + b"\n", "its newest event is not"),
        (whole.replace(b"text:s", b"text:i"), r"events.csv, row \d+, column payload: names and values do not fit"),
        (whole.replace(b'"previous_hash"', b'"before"'), "column previous_hash: there is no such column"),
    ):
        put(data)
        with pytest.raises(UserError, match=words):
            import_export(fresh, tmp_path / "out")
    assert fresh.reader.execute("SELECT count(*) FROM event").fetchone()[0] == 0
    put(whole)
    assert import_export(fresh, tmp_path / "out").added == 12


def test_a_draw_of_ones_own_is_kept(example: ExampleStudy, new_example: NewExample, tmp_path: Path) -> None:
    busy(example)
    export(example.study, tmp_path / "out")
    other = new_example("other")
    other.fill()
    other.study.write(lambda c: c.execute("DELETE FROM statement WHERE response_id <> ?", (content_id("r", TEXTS[1]),)))
    other.study.write(lambda c: c.execute("UPDATE response SET parser = NULL WHERE ordinal = 1"))
    own = {"statement_id": example.units[3], "number": 0.75, "stratum": "", "rate": 0.5, "flagged": None}
    other.study.write(lambda connection: insert(connection, "audit_frame", [own]))
    assert import_export(other.study, tmp_path / "out", as_copy=True).statements == 3
    assert [dict(row) for row in other.study.reader.execute("SELECT * FROM audit_frame")] == [own]


def test_two_events_under_one_id_are_refused(example: ExampleStudy, new_example: NewExample, tmp_path: Path) -> None:
    busy(example)
    export(example.study, tmp_path / "out")
    other = new_example("other")
    other.fill()
    first = dict(example.study.reader.execute("SELECT * FROM event ORDER BY event_id").fetchone())
    changed = {**first, "reviewer": "eve"}
    other.study.write(lambda connection: insert_event(connection, {**changed, "hash": event_hash(changed)}))
    with pytest.raises(UserError, match="is another one in this study"):
        import_export(other.study, tmp_path / "out", as_copy=True)
    assert other.study.reader.execute("SELECT count(*) FROM event").fetchone()[0] == 1


def test_other_folders_are_refused(example: ExampleStudy, new_example: NewExample, tmp_path: Path) -> None:
    fresh = new_example("fresh").study
    with pytest.raises(UserError, match=r"has no manifest\.json"):
        import_export(fresh, tmp_path)
    export(example.study, tmp_path / "excel", "excel")
    with pytest.raises(UserError, match="dialect for Excel"):
        import_export(fresh, tmp_path / "excel")
    (tmp_path / "manifest.json").write_text("[]")
    with pytest.raises(UserError, match="is not an export of medreview"):
        import_export(fresh, tmp_path)
