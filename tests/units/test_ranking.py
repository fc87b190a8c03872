"""Rankings: from a file, shown without their models, entered by keys, told after the decision."""

from itertools import accumulate
from typing import Any

import pytest

from medreview.errors import UserError
from medreview.import_files import import_file
from medreview.labels import is_label, is_order
from medreview.progress import SILENT
from medreview.study import Study
from medreview.study.events import NewEvent, Recorder
from medreview.units.ranking import RankingEntry, RankingKind, drawn_order, rank_in, seed_of, shown_order
from medreview.visible import visible
from tests.support.bringing import bring

KIND = RankingKind()
MODELS = ("atlas-2", "boreal", "cirrus")
RECORD: dict[str, Any] = {
    "id": "k1", "question": "How is INR of 9 without bleeding managed?", "type": "short",
    "reference": "Stop warfarin and give oral vitamin K.",
    "outputs": [{"model": model, "text": f"Answer number {number}."} for number, model in enumerate(MODELS, 1)],
    "opinions": [{"judge": "juror", "order": ["cirrus", ["atlas-2", "boreal"]], "reason": "It names the dose."}],
    "labels": [{"annotator": "ann", "order": "1>2>3", "qualities": {"atlas-2": "Good", "2": "okay"}}],
}  # fmt: skip


def unit_of(study: Study) -> str:
    return str(study.reader.execute("SELECT unit_id FROM unit WHERE kind = 'ranking'").fetchone()[0])


def test_a_ranking_from_a_file_shows_no_model_and_one_order_for_everybody(study):
    done = bring(study, RECORD)
    assert (done.kind, done.added, done.bad, done.opinions, done.labels) == ("ranking", 1, [], 1, 3)
    assert bring(study, RECORD).added == 0
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
    bring(study, *records)
    units = [row[0] for row in study.reader.execute("SELECT unit_id FROM unit")]
    first = [KIND.load(study.reader, unit).numbers[0] for unit in units]
    assert {1, 2, 3} == set(first)
    assert min(first.count(number) for number in (1, 2, 3)) >= 4
    with Study.create(tmp_path / "other.medreview") as other:
        assert seed_of(other.reader, units[0]) != seed_of(study.reader, units[0])
    assert sorted(drawn_order("any", 9)) == list(range(1, 10))


def test_a_table_with_a_row_for_each_output_is_gathered_and_brings_the_ranks_of_people(study, tmp_path):
    path = tmp_path / "long.csv"
    rows = ["id,question,reference,model,output,annotator,rank,quality,hallucinated"]
    for who, ranks in (("ann", "132"), ("bob", "112")):
        for (number, model), rank in zip(enumerate(MODELS, 1), ranks, strict=True):
            rows.append(
                f"k1,Which?,The reference.,{model},Text {number},{who},{rank},Good,{'yes' if rank == '3' else 'no'}"
            )
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    done = import_file(study, path, {}, SILENT)
    assert (done.kind, done.added, done.bad, done.unused) == ("ranking", 1, [], [])
    view = KIND.load(study.reader, unit_of(study))
    assert len(view.documents) == 3
    orders = study.reader.execute("SELECT reviewer, label FROM decision_current WHERE axis = 'rank' ORDER BY 1")
    assert [tuple(row) for row in orders] == [("ann", "1>3>2"), ("bob", "1=2>3")]
    qualities = study.reader.execute("SELECT count(*) FROM decision_current WHERE axis LIKE 'quality/%'").fetchone()
    assert qualities[0] == 6
    flags = study.reader.execute("SELECT reviewer, axis FROM decision_current WHERE label = 'flagged'")
    assert [tuple(row) for row in flags] == [("ann", "hallucinated/2")]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["boreal"], {1: "not_flagged", 2: "flagged", 3: "not_flagged"}),
        ([], {1: "not_flagged", 2: "not_flagged", 3: "not_flagged"}),
        ({"2": "yes", "cirrus": False}, {2: "flagged", 3: "not_flagged"}),
    ],
)
def test_flags_of_outputs_come_in_a_file_and_go_out_with_each_output(study, given, expected):
    label = {"annotator": "ann", "order": "1>2>3", "qualities": {"1": "good"}, "hallucinated": given}
    opinion = {"judge": "juror", "order": "3>2>1", "hallucinated": ["cirrus"]}
    bring(study, {**RECORD, "labels": [label], "opinions": [opinion]})
    rows = study.reader.execute("SELECT axis, label FROM decision_current WHERE axis LIKE 'hallucinated/%'")
    assert {int(axis.partition("/")[2]): level for axis, level in rows} == expected
    said = [rating for rating in KIND.machine_ratings(study.reader) if rating.axis == "hallucinated/3"]
    assert [(one.rater, one.value) for one in said] == [("juror", "flagged")]
    (table,) = KIND.tables
    names = [column.name for column in table.columns]
    column = [dict(zip(names, row, strict=True))["hallucinated"] for row in table.read(study.reader)]
    words = {"flagged": "hallucinated", "not_flagged": "not flagged", None: None}
    assert column == [words[expected.get(number)] for number in (1, 2, 3)]


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
        ({"opinions": {"judge": "x"}}, "has an object as its opinions, not a list"),
        ({"labels": [{"reviewer": "ann", "hallucinated": {"1": "perhaps"}}]}, "'perhaps' where it should say whether"),
        ({"labels": [{"reviewer": "ann", "hallucinated": "all"}]}, "neither a list nor an object"),
    ],
)
def test_a_record_that_is_no_ranking_is_named_and_the_rest_is_kept(study, change, why):
    done = bring(study, {**RECORD, "unit": "ranking", **change}, {**RECORD, "unit": "ranking", "id": "k2"})
    assert [(bad.line, why in bad.reason) for bad in done.bad] == [(1, True)], done.bad
    assert done.added == 1


def test_the_export_has_each_output_with_its_model_rank_and_quality_by_reviewer(study):
    bring(study, {**RECORD, "labels": []})
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


def test_hostile_output_stays_text(study):
    bring(study, {**RECORD, "outputs": [{"model": "m", "text": "\x1b[2J[red]x"}, {"model": "n", "text": "b"}]
                            , "opinions": [], "labels": []})  # fmt: skip
    texts = {document.text for document in KIND.load(study.reader, unit_of(study)).documents}
    assert texts == {"\x1b[2J[red]x", "b"}
    assert "\x1b" not in visible(next(iter(texts)))


def test_a_file_without_outputs_cannot_be_used(study):
    with pytest.raises(UserError, match="outputs"):
        bring(study, {"unit": "ranking", "question": "Q?"})


NUMBERS = (3, 1, 4, 2)
"""The outputs' stored numbers as they are shown."""


def keyed(*keys: str, numbers: tuple[int, ...] = NUMBERS) -> RankingEntry:
    return [*accumulate(keys, RankingEntry.press, initial=RankingEntry(numbers))][-1]


def test_four_digits_rank_four_outputs_by_their_stored_numbers_then_four_letters_rate_them() -> None:
    placed = keyed("2", "1", "4", "3")
    assert (placed.order, placed.phase, placed.rating) == ("1>3>2>4", "quality", 1)
    assert [placed.rank(place) for place in (1, 2, 3, 4)] == [2, 1, 4, 3]
    done = keyed("2", "1", "4", "3", "g", "1", "3", "o")
    assert (done.phase, done.rating) == ("done", None)
    assert done.labels == (
        ("rank", "1>3>2>4"),
        ("quality/3", "good"), ("quality/1", "good"), ("quality/4", "bad"), ("quality/2", "okay"),
        *((f"hallucinated/{number}", "not_flagged") for number in NUMBERS),
    )  # fmt: skip
    assert all(is_label(axis, label) for axis, label in done.labels)


def test_f_flags_the_output_that_is_rated_and_who_rates_one_without_it_says_that_it_needs_none() -> None:
    # The outputs on the screen as 1 and 3, stored as 3 and 4, are flagged; that on 2 is flagged and taken back.
    keys = ("2", "1", "4", "3", "f", "g", "f", "f", "1", "f", "b", "o")
    flags = {axis: label for axis, label in keyed(*keys).labels if axis.startswith("hallucinated")}
    assert flags == {"hallucinated/3": "flagged", "hallucinated/1": "not_flagged", "hallucinated/4": "flagged",
                     "hallucinated/2": "not_flagged"}  # fmt: skip
    assert all(is_label(axis, label) for axis, label in flags.items())
    assert not is_label("hallucinated", "flagged")
    assert keyed("1", "f") == keyed("1")  # nothing is rated yet
    # Backspace takes back the flag, then what stood before it.
    assert keyed("2", "1", "4", "3", "g", "f", "backspace") == keyed("2", "1", "4", "3", "g")
    assert keyed("2", "1", "4", "3", "f", "g", "backspace") == keyed("2", "1", "4", "3", "f")


def test_a_tie_shares_the_rank_and_the_next_output_skips_it() -> None:
    tied = keyed("1", "=", "4", "2", "3")
    assert tied.order == "3=2>1>4"
    assert [tied.rank(place) for place in (1, 4, 2, 3)] == [1, 1, 3, 4]
    assert keyed("1", "=", "=", "4").tiers == ((1,), (4,))  # taken back by itself


@pytest.mark.parametrize(
    "keys", [("1",), ("1", "="), ("1", "=", "2"), ("2", "1", "4", "3"), ("2", "1", "4", "3", "g"), ("1", "2", "=", "3")]
)
def test_backspace_takes_back_exactly_the_last_thing_given(keys: tuple[str, ...]) -> None:
    before = [*accumulate(keys[:-1], RankingEntry.press, initial=RankingEntry(NUMBERS))][-1]
    taken_back = keyed(*keys, "backspace")
    # A tie that was taken up by an output is not asked for again.
    assert (taken_back.tiers, taken_back.qualities) == (before.tiers, before.qualities)


@pytest.mark.parametrize("key", ["0", "5", "2", "g", "=", "x", "enter", "²", "", "backspace"])
def test_a_key_that_means_nothing_changes_nothing(key: str) -> None:
    start = keyed("2") if key == "2" else RankingEntry(NUMBERS)
    assert start.press(key) == start
    assert start.labels == ()
    done = keyed("2", "1", "4", "3", "g", "g", "g", "g")
    assert done.press("1") == done


def test_a_stored_order_is_told_in_places_on_the_screen() -> None:
    assert shown_order("2>1=3", (3, 1, 2)) == "3>2=1"
    assert shown_order("2>7", (1, 2)) == "2>{7}"
    for keys in ("2143", "1234", "4321"):
        entry = keyed(*keys)
        assert entry.order is not None
        assert shown_order(entry.order, NUMBERS) == ">".join(keys)
