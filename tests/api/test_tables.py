"""Labels, judgements and pairs: rows with types, and DataFrames."""

import csv
import pickle
import typing
from datetime import UTC, datetime

import pytest

import medreview
from medreview.exchange.exports.label_rows import LABELS
from medreview.exchange.exports.pair_rows import PAIRS
from medreview.exchange.exports.study_rows import JUDGEMENTS
from medreview.exchange.files.columns import Column

ROWS = {
    medreview.LabelRow: LABELS.columns,
    medreview.JudgementRow: JUDGEMENTS.columns,
    medreview.PairRow: (*PAIRS.columns, Column("passage", "text", "The passage to read first.")),
}
TYPES = {"text": str, "integer": int, "number": float, "boolean": bool, "time": datetime}


@pytest.fixture
def labelled(demo):
    """The sample study with decisions of two reviewers."""
    for statement in demo.statements(filter="id=A02-sepsis-fluid"):
        demo.decide(statement, "supported", reviewer="anna")
    demo.decide(next(demo.statements()), "cannot_judge", reviewer="ben")
    return demo


def tables(study):
    return {"labels.csv": study.labels(), "judgements.csv": study.judgements(), "pairs": study.pairs()}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.__name__)
def test_a_row_has_the_columns_with_their_types(row):
    told = typing.get_type_hints(row)

    assert list(told) == [column.name for column in ROWS[row]]
    for column in ROWS[row]:
        assert TYPES[column.type] in {told[column.name], *typing.get_args(told[column.name])}, column.name


def test_cells_are_of_the_types_that_their_rows_promise(labelled):
    for table in tables(labelled).values():
        hints = typing.get_type_hints(type(table[0]))
        for row in table:
            for name, value in row._asdict().items():
                kinds = typing.get_args(hints[name]) or (hints[name],)
                assert type(value) in kinds, (name, value)


def test_labels_and_judgements_are_the_exported_ones(labelled, tmp_path):
    labelled.export(tmp_path / "out")
    for name, table in tables(labelled).items():
        if name == "pairs":
            continue
        with (tmp_path / "out" / name).open(newline="", encoding="utf-8") as file:
            written = list(csv.reader(file))
        assert written[0] == [column.name for column in table.columns]
        for cells, row in zip(written[1:], table, strict=True):
            for cell, value, column in zip(cells, row, table.columns, strict=True):
                assert as_value(cell, column.type) == value, column.name
    assert len(labelled.labels()) == 8


def as_value(cell, kind):
    if cell == "":
        return None
    if kind == "boolean":
        return {"0": False, "1": True}[cell]
    return datetime.fromisoformat(cell) if kind == "time" else TYPES[kind](cell)


def test_a_pair_is_a_statement_beside_each_source_of_its_response(sample):
    statements = list(sample.statements())
    by_place = [sorted(s.sources, key=lambda source: source.place) for s in statements]
    expected = [
        (s.statement_id, source.source_id, source.place)
        for s, of_statement in zip(statements, by_place, strict=True)
        for source in of_statement
    ]

    pairs = sample.pairs()

    assert [(pair.unit_id, pair.source_id, pair.source_place) for pair in pairs] == expected
    texts = {s.source_id: sample.source_text(s) for statement in statements for s in statement.sources}
    for pair in pairs:
        if pair.passage is not None:
            assert texts[pair.source_id][pair.passage_start : pair.passage_end] == pair.passage


def test_a_pair_is_supported_as_most_of_its_judges_say(sample):
    pairs = {(pair.unit_id, pair.source_id): pair.supported for pair in sample.pairs()}
    words = {}
    for row in sample.judgements():
        if row.kind == "recorded":
            words.setdefault((row.statement_id, row.source_id), []).append(row.verdict == "supported")

    assert {len(told) for told in words.values()} == {2}
    for pair, told in words.items():
        assert pairs[pair] is (told[0] if told[0] == told[1] else None)


def test_a_table_is_a_sequence(sample):
    pairs = sample.pairs()

    assert len(pairs) == len(list(pairs)) == 280
    assert pairs[-1] == list(pairs)[279]
    assert pairs[:2] == (pairs[0], pairs[1])
    assert repr(pairs).startswith("<Table of 280 rows: unit_id, response_id, ")


def test_a_table_can_be_pickled(sample):
    judgements = sample.judgements()

    again = pickle.loads(pickle.dumps(judgements))

    assert (list(again), again.columns) == (list(judgements), judgements.columns)


def test_a_frame_has_the_types_of_the_columns_and_the_levels_of_the_protocol(labelled):
    frame = labelled.labels().to_frame()

    assert list(frame.columns) == [column.name for column in LABELS.columns]
    assert list(frame.verdict_final.cat.categories) == [
        "supported", "partial", "contradicted", "not_addressed", "cannot_judge",
    ]  # fmt: skip
    assert frame.verdict_final.value_counts()["contradicted"] == 0
    assert str(frame.pass_no.dtype) == "Int64"
    assert str(frame.stale.dtype) == "boolean"
    assert frame.active_ms.isna().all()
    assert (frame.decided_utc.dt.tz, frame.decided_utc[0]) == (UTC, labelled.labels()[0].decided_utc)
    assert frame.reviewer_id.to_list() == [row.reviewer_id for row in labelled.labels()]


def test_an_empty_table_makes_an_empty_frame(sample):
    import pandas  # here, so that not every worker loads it to collect the tests

    frame = sample.labels().to_frame()

    assert (len(frame), len(frame.columns)) == (0, len(LABELS.columns))
    assert isinstance(frame, pandas.DataFrame)


def test_without_pandas_a_frame_says_what_to_install(sample, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)

    with pytest.raises(medreview.UserError, match=r"install medreview\[pandas\]"):
        sample.pairs().to_frame()
