"""Lists of statements as units: what is shown, what tells of the parser, how faults are marked, files."""

import csv
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest

from medreview import pipeline
from medreview.errors import UserError
from medreview.exchange.exports.export import export
from medreview.exchange.imports.import_export import import_export
from medreview.import_files import Imported
from medreview.labels import AXES
from medreview.review.statement_editing import exclude_event
from medreview.statements.left_out import promotion
from medreview.study import Study
from medreview.study.check import check
from medreview.units.kind import RESPONSE
from medreview.units.registry import KINDS
from medreview.units.statement_list import LIST, list_checks, parser_words
from tests.support.edited_study import cut, edit
from tests.support.list_study import ANSWER, HEAD, JUDGE, RULES, TEXTS, at, lists
from tests.support.study_builder import build
from tests.support.workbench import blind_workbench, on_screen, press, screen_text, screens_of

KIND = KINDS["statement_list"]
LISTED = "\n\n".join(
    [*(f"S{number}  {text}" for number, text in enumerate(TEXTS, 1)), "LEFT OUT", f"heading: {HEAD}",
     "disclaimer: Ask your doctor."]
)  # fmt: skip


def test_the_list_stands_beside_the_answer_with_each_place_lit_and_what_was_left_out(study: Study) -> None:
    (unit,) = lists(study)
    view = KIND.load(study.reader, unit)
    assert view.documents[0].text == LISTED
    assert view.beside is not None
    lit = {mark.shade: [] for mark in view.beside.marks}
    for mark in view.beside.marks:
        lit[mark.shade].append(ANSWER[mark.start : mark.end])
    assert lit == {"statement": list(TEXTS), "left_out": [HEAD, "Ask your doctor."]}


def test_a_reworded_statement_lights_the_sentence_that_says_the_same_and_an_empty_list_says_so(study: Study) -> None:
    (unit,) = lists(study, lacking=3)
    assert KIND.load(study.reader, unit).documents[0].text.startswith("No statement was found in this answer.")
    build(study, lambda rows: rows.statement("r1", "The target pressure is 65 mm Hg."))
    beside = KIND.load(study.reader, unit).beside
    assert beside is not None
    assert [ANSWER[one.start : one.end] for one in beside.marks if one.shade == "statement"] == [TEXTS[1]]


def test_what_reviewers_make_of_the_statements_changes_nothing_in_the_parsers_list(study: Study) -> None:
    (unit,) = lists(study)
    before = KIND.load(study.reader, unit)
    cut(study, "r1.1", "comes")
    edit(study, exclude_event(study.reader, "r1.2"))
    left = study.reader.execute("SELECT left_out_id FROM left_out WHERE reason = 'disclaimer'").fetchone()[0]
    edit(study, promotion(study.reader, left))
    assert KIND.load(study.reader, unit) == before


async def test_before_the_decision_nothing_tells_which_parser_made_the_list(tmp_path: Path) -> None:
    seen = []
    for parser in (RULES, JUDGE):
        (tmp_path / parser[:2]).mkdir()
        with Study.create(tmp_path / parser[:2] / "a.medreview") as study:
            lists(study, [parser], lacking=1)
            if parser == JUDGE:  # the rules of today would make a statement of it, and say so elsewhere
                start = ANSWER.index(TEXTS[0])
                row = {"left_out_id": "l9", "response_id": "r1", "start": start, "end": start + len(TEXTS[0])}
                build(study, lambda rows, row=row: rows.add("left_out", **row, reason="other_parser"))
            seen.append(await screens_of(blind_workbench(study, "statement_lists")))
    assert seen[0] == seen[1]


async def test_once_the_block_is_shown_the_parser_is_named(study: Study) -> None:
    lists(study, [JUDGE])
    async with on_screen(blind_workbench(study, "statement_lists"), 160, 50) as (app, pilot):
        await press(pilot, "0")
        assert "claude" not in screen_text(app)
        await press(pilot, "r")
        await press(pilot, "escape")
        assert "the list is by claude statement_parsing/2" in screen_text(app)


def test_a_missing_statement_is_first_looked_for_where_no_statement_stands(study: Study) -> None:
    (unit,) = lists(study, lacking=1)
    session = at(study, unit)
    session.decide("missing")
    session.go(0)
    assert session.default_span(RESPONSE).exact == TEXTS[0]


def test_statements_are_marked_by_their_numbers_once(study: Study) -> None:
    (unit,) = lists(study)
    session = at(study, unit)
    session.decide("not_contained")
    session.go(0)
    session.mark_numbered("not_contained", "3, s1 3")
    assert [(mine.target, mine.exact) for mine in session.own.spans] == [(LIST, TEXTS[2]), (LIST, TEXTS[0])]
    wrong = {
        "3": "That is marked already.",
        " ": "Type at least one number.",
        "7": "No statement of the list has the number '7'; there are 1 to 3.",
        "no": "No statement of the list has the number 'no'; there are 1 to 3.",
    }
    for typed, told in wrong.items():
        with pytest.raises(UserError, match=f"^{told}$".replace("'", ".")):
            session.mark_numbered("not_contained", typed)
    session.mark_numbered("not_self_contained", "3")
    session.undo()
    assert len(session.own.spans) == 2


async def test_on_the_screen_a_digit_asks_for_numbers_and_h_for_a_further_fault(study: Study) -> None:
    lists(study, [RULES, RULES])
    async with on_screen(blind_workbench(study, "statement_lists"), 100, 30) as (app, pilot):
        await press(pilot, "2")
        assert "not in the answer, number:" in screen_text(app)
        await press(pilot, "1")
        await press(pilot, "enter")
        await press(pilot, "k")
        await press(pilot, "h")
        assert "statement list · R0" in screen_text(app)
        await press(pilot, "1")
        assert "list: MISSING" in screen_text(app)
        await press(pilot, "enter")
    (found,) = list_checks(study.reader)
    first = f"{found.response_id}.1"
    assert (found.label, found.not_contained, len(found.missing)) == ("not_contained", {first}, 1)


def test_files_have_every_check_and_bring_it_back(study: Study, tmp_path: Path) -> None:
    one, other = lists(study, [RULES, JUDGE], lacking=1)
    session = at(study, one)
    session.decide("missing")
    session.go(list(session.queue.units).index(one))
    session.add_span(RESPONSE, session.default_span(RESPONSE), label="missing", reason="Which drug comes first.")
    session.mark_numbered("not_self_contained", "2")
    session.go(list(session.queue.units).index(other))
    session.decide("not_contained")
    export(study, tmp_path / "out")
    with (tmp_path / "out" / "statement_list_checks.csv").open(newline="", encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    told = ("parser", "mode", "label", "statements", "not_self_contained", "missing", "misses", "unplaced")
    assert [tuple(row[name] for name in told) for row in rows] == [
        (RULES, "blind", "missing", "2", "r1.2", "1", "1", "0"),
        ("claude statement_parsing/2", "blind", "not_contained", "2", "", "0", "0", "1"),
    ]
    zoe = at(study, one, "zoe")
    zoe.decide("none")
    export(study, tmp_path / "blind", blind_for="zoe")
    with (tmp_path / "blind" / "statement_list_checks.csv").open(newline="", encoding="utf-8-sig") as file:
        assert {row["unit_id"] for row in csv.DictReader(file)} == {one}, "it names parsers"
    zoe.undo()
    zoe.leave()
    with Study.create(tmp_path / "again.medreview") as again:
        import_export(again, tmp_path / "out")
        assert list(list_checks(again.reader)) == list(list_checks(study.reader))
        assert check(again.reader) == []


@pytest.mark.parametrize(("blind", "marked"), [(True, {"r1.1"}), (False, {"r1.1", "r1.2"})])
def test_of_a_blind_label_only_marks_count_that_were_made_before_the_parser_was_shown(
    study: Study, blind: bool, marked: set[str]
) -> None:
    (unit,) = lists(study)
    session = at(study, unit, blind=blind)
    session.decide("not_contained")
    session.mark_numbered("not_contained", "1")
    if blind:
        session.show_judges()
    session.mark_numbered("not_contained", "2")
    (found,) = list_checks(study.reader)
    assert (found.mode, found.not_contained) == ("blind" if blind else "assisted", marked)


def test_a_label_that_was_put_right_has_no_faults_left(study: Study) -> None:
    (unit,) = lists(study)
    session = at(study, unit, blind=False)
    session.decide("not_contained")
    session.go(0)
    session.mark_numbered("not_contained", "1")
    session.decide("none")
    (found,) = list_checks(study.reader)
    assert (found.mode, found.not_contained, found.unplaced) == ("assisted", frozenset(), False)


def test_the_axis_is_that_of_the_kind_and_a_parser_is_named_without_its_run() -> None:
    assert KIND.levels == AXES["statement_list"]
    assert [parser_words(one) for one in (RULES, JUDGE, "given")] == [RULES, "claude statement_parsing/2", "given"]


CHECKED: Final[Mapping[str, object]] = {
    "reviewer": "ann",
    "response": "r1",
    "not_contained": "",
    "not_self_contained": "",
    "missing": "",
}


def test_checks_of_a_parser_from_a_file_are_labels_with_their_places(study: Study, tmp_path: Path) -> None:
    lists(study, [RULES, JUDGE], lacking=1)
    records: list[Mapping[str, object]] = [
        CHECKED,
        {**CHECKED, "reviewer": "bob", "not_contained": "S2", "not_self_contained": "1, 2", "missing": [TEXTS[0]]},
        {**CHECKED, "response": "r2", "not_self_contained": "r2.1", "missing": 1, "exposure": "blind", "note": "One."},
        {**CHECKED, "response": "r2", "reviewer": "bob", "missing": "no"},
    ]
    done = brought(study, tmp_path, *records)
    assert (done.kind, done.labels, done.bad, done.unused) == ("statement_list", 4, [], [])
    found = {(one.reviewer, one.response_id): one for one in list_checks(study.reader)}
    told = {key: (one.mode, one.label, set(one.not_contained), set(one.not_self_contained), one.missing, one.misses)
            for key, one in found.items()}  # fmt: skip
    assert told == {
        ("ann", "r1"): ("assisted", "none", set(), set(), (), False),
        ("bob", "r1"): ("assisted", "missing", {"r1.2"}, {"r1.1", "r1.2"}, (TEXTS[0],), True),
        ("ann", "r2"): ("blind", "missing", set(), {"r2.1"}, (), True),
        ("bob", "r2"): ("assisted", "none", set(), set(), (), False),
    }
    assert brought(study, tmp_path, *records).labels == 0
    assert check(study.reader) == []
    for odd, why in (
        ({"not_contained": "7"}, "names a statement of another list: no statement of the list has the number '7'"),
        ({"not_contained": "r2.1"}, "names a statement of another list"),
        ({"missing": "Give 30 mL/kg."}, "a missing statement that is not in the answer's words: 'Give 30 mL/kg.'"),
        ({"response": "r9"}, "names the response 'r9', which is not there"),
        ({"reviewer": ""}, "has no reviewer"),
        ({"exposure": "half"}, "has 'half' as its exposure"),
    ):
        (bad,) = brought(study, tmp_path, {**CHECKED, "reviewer": "cyd", **odd}).bad
        assert why in bad.reason


def brought(study: Study, folder: Path, *records: Mapping[str, object]) -> Imported:
    (folder / "checks.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")
    return pipeline.bring_in(study, folder / "checks.jsonl", {})
