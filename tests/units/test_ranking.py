"""Rankings: from a file, shown without their models in one order of the study, told after the decision."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from medreview.errors import UserError
from medreview.import_files import import_file
from medreview.labels import is_order
from medreview.progress import SILENT
from medreview.study import Study
from medreview.study.events import NewEvent, Recorder
from medreview.units.ranking import Ranking, drawn_order, rank_in, seed_of
from medreview.visible import visible

KIND = Ranking()
MODELS = ("atlas-2", "boreal", "cirrus")
RECORD: dict[str, Any] = {
    "id": "k1", "question": "How is INR of 9 without bleeding managed?", "type": "short",
    "reference": "Stop warfarin and give oral vitamin K.",
    "outputs": [{"model": model, "text": f"Answer number {number}."} for number, model in enumerate(MODELS, 1)],
    "opinions": [{"judge": "juror", "order": ["cirrus", ["atlas-2", "boreal"]], "reason": "It names the dose."}],
    "labels": [{"annotator": "ann", "order": "1>2>3", "qualities": {"atlas-2": "Good", "2": "okay"}}],
}  # fmt: skip


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Study]:
    with Study.create(tmp_path / "s.medreview") as made:
        yield made


def bring(study: Study, folder: Path, *records: dict[str, Any]) -> Any:
    path = folder / "rankings.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return import_file(study, path, {}, SILENT)


def unit_of(study: Study) -> str:
    return str(study.reader.execute("SELECT unit_id FROM unit WHERE kind = 'ranking'").fetchone()[0])


def test_a_ranking_from_a_file_shows_no_model_and_one_order_for_everybody(study, tmp_path):
    done = bring(study, tmp_path, RECORD)
    assert (done.kind, done.added, done.bad, done.opinions, done.labels) == ("ranking", 1, [], 1, 3)
    assert bring(study, tmp_path, RECORD).added == 0
    unit = unit_of(study)
    view = KIND.load(study.reader, unit)
    assert view == KIND.load(study.reader, unit)
    assert not any(model in repr(view) for model in (*MODELS, "juror", "ann"))
    texts = {number: output["text"] for number, output in enumerate(RECORD["outputs"], 1)}
    assert [document.text for document in view.documents] == [texts[number] for number in view.numbers]
    assert [document.title for document in view.documents] == ["output 1", "output 2", "output 3"]
    assert view.beside.text == RECORD["reference"]
    assert view.model == ""
    machines = KIND.machines(study.reader, unit)
    place = {number: place for place, number in enumerate(view.numbers, 1)}
    assert machines.words == "outputs: " + " · ".join(f"{place[n]} {MODELS[n - 1]}" for n in view.numbers)
    judged = machines.opinions[0]
    assert (judged.judge, judged.label, judged.reason) == ("juror", "3>1=2", "It names the dose.")
    assert judged.said == f"{place[3]}>" + f"{place[1]}={place[2]}"
    assert [(rating.rater, rating.value) for rating in KIND.machine_ratings(study.reader)] == [("juror", "3>1=2")]


def test_orders_are_drawn_for_each_ranking_and_study(study, tmp_path):
    records = [{**RECORD, "id": str(n), "question": f"Question {n}?", "opinions": [], "labels": []} for n in range(40)]
    bring(study, tmp_path, *records)
    units = [row[0] for row in study.reader.execute("SELECT unit_id FROM unit")]
    first = [KIND.load(study.reader, unit).numbers[0] for unit in units]
    assert {1, 2, 3} == set(first)
    assert min(first.count(number) for number in (1, 2, 3)) >= 4
    with Study.create(tmp_path / "other.medreview") as other:
        assert seed_of(other.reader, units[0]) != seed_of(study.reader, units[0])
    assert sorted(drawn_order("any", 9)) == list(range(1, 10))


def test_a_table_with_a_row_for_each_output_is_gathered_and_brings_the_ranks_of_people(study, tmp_path):
    path = tmp_path / "long.csv"
    rows = ["id,question,reference,model,output,annotator,rank,quality"]
    for who, ranks in (("ann", "132"), ("bob", "112")):
        for (number, model), rank in zip(enumerate(MODELS, 1), ranks, strict=True):
            rows.append(f"k1,Which?,The reference.,{model},Text {number},{who},{rank},Good")
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    done = import_file(study, path, {}, SILENT)
    assert (done.kind, done.added, done.bad, done.unused) == ("ranking", 1, [], [])
    view = KIND.load(study.reader, unit_of(study))
    assert len(view.documents) == 3
    orders = study.reader.execute("SELECT reviewer, label FROM decision_current WHERE axis = 'rank' ORDER BY 1")
    assert [tuple(row) for row in orders] == [("ann", "1>3>2"), ("bob", "1=2>3")]
    qualities = study.reader.execute("SELECT count(*) FROM decision_current WHERE axis LIKE 'quality/%'").fetchone()
    assert qualities[0] == 6


def test_a_table_of_outputs_alone_is_a_ranking_when_that_is_said(study, tmp_path):
    path = tmp_path / "long.csv"
    path.write_text("id,question,model,output\n1,Q?,a,one\n1,Q?,b,two\n", encoding="utf-8")
    assert import_file(study, path, {"unit:": "ranking"}, SILENT).kind == "ranking"
    with Study.create(tmp_path / "t.medreview") as other:
        assert import_file(other, path, {}, SILENT).kind == "responses"


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"outputs": RECORD["outputs"][:1]}, "has 1 outputs; from 2 to 9"),
        ({"outputs": RECORD["outputs"] * 4}, "has 12 outputs"),
        ({"outputs": [{"model": "a", "text": " "}] * 2}, "has no text in output 1"),
        ({"outputs": "all"}, "has no list of outputs"),
        ({"question": " "}, "has no question"),
        ({"labels": [{"order": "1>2>3"}]}, "without the name"),
        ({"labels": [{"reviewer": "ann", "order": "1>2"}]}, "does not name each of its 3 outputs once"),
        ({"labels": [{"reviewer": "ann", "order": ["atlas-2", "zeta", "boreal"]}]}, "'zeta', which is none"),
        ({"labels": [{"reviewer": "ann", "qualities": {"1": "superb"}}]}, "there are good, okay, bad"),
        ({"opinions": {"judge": "x"}}, "has opinions that are no list"),
    ],
)
def test_a_record_that_is_no_ranking_is_named_and_the_rest_is_kept(study, tmp_path, change, why):
    done = bring(study, tmp_path, {**RECORD, "unit": "ranking", **change}, {**RECORD, "unit": "ranking", "id": "k2"})
    assert [(bad.line, why in bad.reason) for bad in done.bad] == [(1, True)], done.bad
    assert done.added == 1


def test_the_export_has_each_output_with_its_model_rank_and_quality_by_reviewer(study, tmp_path):
    bring(study, tmp_path, {**RECORD, "labels": []})
    unit, recorder = unit_of(study), Recorder("bob")
    numbers = KIND.load(study.reader, unit).numbers
    order = f"{numbers[1]}={numbers[0]}>{numbers[2]}"
    assert is_order(order)
    for axis, label in (("rank", order), (f"quality/{numbers[2]}", "bad")):
        payload = {"axis": axis, "label": label, "shown": list(numbers), "seed": seed_of(study.reader, unit)}
        study.write(
            lambda connection, payload=payload: recorder.append(
                connection, NewEvent("decide", unit, payload), block="ranking", mode="blind"
            )
        )
    (table,) = KIND.tables
    names = [column.name for column in table.columns]
    rows = [dict(zip(names, row, strict=True)) for row in table.read(study.reader)]
    assert [row["model"] for row in rows] == list(MODELS)
    assert {row["shown_at"]: row["rank"] for row in rows} == {1: 1.5, 2: 1.5, 3: 3}
    assert {row["shown_at"]: row["quality"] for row in rows} == {1: None, 2: None, 3: "Bad"}
    assert rank_in("2>1=3", 4) is None


def test_a_ranking_that_is_not_there_is_a_key_error(study):
    with pytest.raises(KeyError):
        KIND.load(study.reader, "ranking:x0")


def test_hostile_output_stays_text(study, tmp_path):
    bring(study, tmp_path, {**RECORD, "outputs": [{"model": "m", "text": "\x1b[2J[red]x"}, {"model": "n", "text": "b"}]
                            , "opinions": [], "labels": []})  # fmt: skip
    texts = {document.text for document in KIND.load(study.reader, unit_of(study)).documents}
    assert texts == {"\x1b[2J[red]x", "b"}
    assert "\x1b" not in visible(next(iter(texts)))


def test_a_file_without_outputs_cannot_be_used(study, tmp_path):
    with pytest.raises(UserError, match="outputs"):
        bring(study, tmp_path, {"unit": "ranking", "question": "Q?"})
