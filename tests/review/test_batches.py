"""Batches: equal loads, a designed overlap, one order or each their own; the board."""

from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from medreview.errors import UserError
from medreview.exchange.exports.batch_part import batch_part
from medreview.exchange.exports.package import package
from medreview.review.batches import UnitBatches, assign, batches, share_named, shared_out
from medreview.review.conflicts import adjudicate, conflicts
from medreview.review.draws import draw, draws, frame_named
from medreview.review.overview import overview, queues_in_use
from medreview.review.plan_board import BatchProgress, DrawBoard, hidden_from, plan_board
from medreview.review.queue import open_queue
from medreview.study import Study
from medreview.study.backup import backup_to
from medreview.study.events import NewEvent, Recorder
from medreview.study.merge import merge
from medreview.study.study_acts import write_act
from tests.support.study_builder import StudyBuilder, build
from tests.support.unit_study import decide, do

TEAM = ("anna", "ben", "carl")


def fill(rows: StudyBuilder) -> None:
    for place, model in enumerate(("atlas", "boreal")):
        rows.page(f"u{place}", "A page.")
        rows.response(
            f"r{place}", cites=[f"u{place}"], statements=[f"{model} {n}." for n in range(30)], model=model,
            question=f"Question {place}?",
        )  # fmt: skip


@pytest.fixture
def study(empty_study: Study) -> Study:
    build(empty_study, fill)
    draw(empty_study, "kb", frame_named("pairs"), 40, name="p", by=["model"])
    return empty_study


def share(study: Study, **more: Any) -> UnitBatches:
    return assign(study, "kb", "p", more.pop("to", TEAM), **more)


def board(study: Study, *asking: str) -> DrawBoard:
    (found,) = plan_board(study.reader, Path("s.medreview"), asking)
    return found


def test_2501_items_go_to_twelve_annotators_once_and_45_percent_twice() -> None:
    units = [f"qa:{n}" for n in range(2501)]
    strata = {unit: (f"type {n % 7}",) for n, unit in enumerate(units)}
    copies = {unit: 1 + (n < 1125) for n, unit in enumerate(units)}
    names = [f"a{n}" for n in range(12)]
    given = shared_out(copies, strata, names, "s", {})
    assert sum(map(len, given.values())) == 2501 + 1125
    assert {len(own) for own in given.values()} == {302, 303}
    assert all(len(set(own)) == len(own) for own in given.values())
    assert Counter(unit for own in given.values() for unit in own) == copies
    shared = [len(set(given[one]) & set(given[other])) for one, other in combinations(names, 2)]
    assert max(shared) - min(shared) <= 6  # 1,125 over 66 pairs: 17 each
    for own in given.values():
        of_type = Counter(strata[unit] for unit in own)
        assert max(of_type.values()) - min(of_type.values()) <= 6  # 302 over 7 types: 43 each
    assert shared_out(copies, strata, names, "s", {}) == given
    assert shared_out(copies, strata, names, "t", {}) != given


def test_each_unit_goes_to_as_many_as_asked_in_one_order_or_each_their_own(study: Study) -> None:
    drawn = list(plan_units(study))
    same = share(study, to=TEAM, each=3, order="same")
    assert all(list(units) == drawn for units in same.batches.values())
    own = share(study, to=TEAM, each=3, order="own", again=True)
    assert all(sorted(units) == sorted(drawn) for units in own.batches.values())
    assert len(set(own.batches.values()) | {tuple(drawn)}) == 4
    for who in TEAM:
        queue = open_queue(study, "mine", who)
        assert (tuple(queue.units), queue.mode, queue.kind.name) == (own.batches[who], "blind", "mine_pairs")
    assert not open_queue(study, "mine", "dora").units


def plan_units(study: Study) -> list[str]:
    return [row[0] for row in study.reader.execute("SELECT unit FROM drawn_unit WHERE name = 'p' ORDER BY place")]


def test_a_batch_of_another_kind_opens_where_the_first_is_done_or_not_in_the_copy(study: Study, tmp_path: Path) -> None:
    share(study, to=["anna"])
    draw(study, "kb", frame_named("whole_responses"), None, name="w")
    made = assign(study, "kb", "w", ["anna"])
    package(study, tmp_path / "anna.medreview", "kb", made_for="anna", part=batch_part(study, "w", "anna"))
    with Study.open(tmp_path / "anna.medreview") as copy:
        assert list(open_queue(copy, "mine", "anna").units) == list(made.batches["anna"])
        assert [line.kind.unit for line in overview(copy, "anna").mine] == ["response"]
    assert open_queue(study, "mine", "anna").kind.unit == "pair"
    for unit in batches(study.reader)["p"].batches["anna"]:
        decide(study, "anna", unit, "evidence", "supported")
    assert open_queue(study, "mine", "anna").kind.unit == "response"


def test_an_overlap_is_the_same_share_of_each_stratum(study: Study) -> None:
    made = share(study, overlap=share_named("45%"))
    counts = Counter(unit for units in made.batches.values() for unit in units)
    twice = [unit for unit, times in counts.items() if times == 2]
    assert (len(counts), len(twice)) == (40, 18)
    assert Counter(unit.split(":")[1].split(".")[0] for unit in twice) == {"r0": 9, "r1": 9}
    assert sorted(map(len, made.batches.values())) == [19, 19, 20]
    assert share(study, overlap=0.45) == made
    more = share(study, overlap=0.44, again=True).batches.values()  # of 17.6 units
    assert sum(map(len, more)) == 58
    assert study.reader.execute("SELECT count(*) FROM event WHERE kind = 'assign'").fetchone()[0] == 2


def test_who_shared_most_before_share_no_more_once_it_is_shared_out_again() -> None:
    units = [f"u{place}" for place in range(24)]
    kept = {"a": units[:6], "b": units[:6], "c": units[6:12], "d": units[12:18]}
    for seed in "stuv":
        given = shared_out(dict.fromkeys(units, 2), dict.fromkeys(units, ()), "abcd", seed, kept)
        shared = {one + other: len(set(given[one]) & set(given[other])) for one, other in combinations("abcd", 2)}
        assert shared == {"ab": 6, "ac": 3, "ad": 3, "bc": 3, "bd": 3, "cd": 6}


@pytest.mark.parametrize(
    ("to", "more", "why"),
    [
        (["anna", "anna"], {}, "each once"),
        ([""], {}, "a name of 1 to 100"),
        (["a" * 101], {}, "a name of 1 to 100"),
        (TEAM, {"each": 4}, "cannot go to 4 of 3 reviewers"),
        (TEAM, {"each": 3, "overlap": 0.5}, "cannot go to 4 of 3"),
        (TEAM, {"by": ["colour"]}, "cannot be by 'colour'"),
    ],
)
def test_what_cannot_be_shared_out_is_refused(study: Study, to: Any, more: Any, why: str) -> None:
    with pytest.raises(UserError, match=why):
        share(study, to=to, **more)
    assert not batches(study.reader)


@pytest.mark.parametrize("words", ["45", "100%", "-3%", "half", "1.5"])
def test_an_overlap_is_a_share(words: str) -> None:
    with pytest.raises(UserError, match="a share such as 45%"):
        share_named(words)


def test_questions_and_addresses_are_nobodys_to_review(study: Study) -> None:
    draw(study, "kb", frame_named("asked"), 1, name="q")
    with pytest.raises(UserError, match="nobody reviews one by one"):
        assign(study, "kb", "q", TEAM)
    with pytest.raises(UserError, match="no draw 'x'; there are p, q"):
        assign(study, "kb", "x", TEAM)


def test_shared_out_once_more_everybody_keeps_what_they_decided(study: Study) -> None:
    before = share(study, to=TEAM, seed="s9")
    done = before.batches["anna"][:5]
    for unit in done:
        decide(study, "anna", unit, "evidence", "supported")
    decide(study, "carl", before.batches["carl"][0], "evidence", "supported", pass_no=2)
    with pytest.raises(UserError, match="shared out already"):
        share(study, to=["ben", "dora"])
    after = share(study, to=["ben", "dora"], again=True)
    assert after.batches["anna"] == done
    assert (after.seed, after.batches.keys()) == ("s9", {"ben", "dora", "anna"})
    assert sorted(unit for units in after.batches.values() for unit in units) == sorted(plan_units(study))
    assert {len(after.batches[who]) for who in ("ben", "dora")} == {17, 18}
    assert [line.waiting for line in overview(study, "carl").mine] == []


def test_a_batch_comes_first_on_the_first_screen_of_whoever_has_one(study: Study) -> None:
    made = share(study)
    unit, size = made.batches["anna"][0], len(made.batches["anna"])
    decide(study, "anna", unit, "evidence", "supported")
    seen = overview(study, "anna")
    assert [(line.kind.title, line.size, line.open) for line in seen.mine] == [("my batch: pairs", size, size - 1)]
    assert seen.worth_doing == seen.mine[0]
    assert f"{size - 1} in “my batch: pairs”" in seen.card[-2]
    assert queues_in_use(study.reader, "anna")[0].name == "mine_pairs"
    assert overview(study, "dora").mine == ()


def test_the_board_counts_and_hides_agreement_from_whoever_has_units_left(study: Study) -> None:
    made = share(study, to=TEAM, each=3)
    units = made.batches["anna"]
    for place, unit in enumerate(units):
        decide(study, "anna", unit, "evidence", "supported")
        decide(study, "ben", unit, "evidence", "partial" if place < 4 else "supported")
    for unit in units[:10]:
        decide(study, "carl", unit, "evidence", "supported")
    do(study, "carl", "defer", units[10])
    decide(study, "carl", units[20], "evidence", "partial", pass_no=2)  # counts nowhere here
    seen = board(study, "kb")
    assert [(one.reviewer, one.decided, one.deferred, one.open, one.shared) for one in seen.reviewers] == [
        ("anna", 40, 0, 0, 40), ("ben", 40, 0, 0, 40), ("carl", 10, 1, 29, 40),
    ]  # fmt: skip
    agreement = seen.agreement
    assert agreement is not None
    assert (agreement.units, agreement.same, agreement.pairs, agreement.same_pairs) == (40, 36, 60, 52)
    assert agreement.conflicts == 4
    assert "Still at work: carl" in seen.next[0]
    assert "--queue conflicts_pairs --filter drawn=p" in seen.next[1]
    for who, why in (("carl", "until all of the batch is decided"), ("anna", "while a blind block is open")):
        hidden = board(study, "kb", who)
        assert hidden.agreement is None
        assert f"hidden from {who} {why}" in hidden.withheld
        assert not any("conflict" in line or "stats" in line for line in hidden.next)
        assert [one.decided for one in hidden.reviewers] == [40, 40, 10]
    for one in list(conflicts(study.reader)):
        adjudicate(study, "kb", one, "supported")
    settled = board(study, "kb").agreement
    decide(study, "ben", units[0], "evidence", "contradicted")
    opened = board(study, "kb").agreement
    assert settled is not None
    assert opened is not None
    assert (settled.conflicts, opened.conflicts) == (0, 1)


@pytest.mark.parametrize(("deferred", "left", "hidden"), [(0, 0, False), (1, 0, True), (0, 1, True)])
def test_agreement_is_hidden_from_whoever_has_units_left_also_such_as_were_put_off(
    study: Study, deferred: int, left: int, hidden: bool
) -> None:
    progress = [BatchProgress("carl", 9, 9, 9 - deferred - left, deferred, left, "")]
    drawn = draws(study.reader)["p"]
    assert bool(hidden_from(study.reader, drawn, progress, "carl")) == hidden
    assert not hidden_from(study.reader, drawn, progress, "dora")


def test_of_two_words_on_a_draw_the_newest_counts_also_when_copies_are_joined(study: Study, tmp_path: Path) -> None:
    copy = tmp_path / "copy.medreview"
    backup_to(study.path, copy)
    with Study.open(copy) as theirs:
        share(theirs, to=["ben", "dora"])
        draw(theirs, "kb", frame_named("statements"), 10, name="s")
    merge(study, copy)
    assert batches(study.reader)["p"].to == ("ben", "dora")
    assert len(open_queue(study, "mine", "dora").units) == 20
    assert open_queue(study, "responses", "kb", filter="drawn=s").units


GOOD_DRAW = {
    "name": "n", "kind": "pair", "seed": "s", "by": [], "allot": "share", "size": 1, "where": "", "frame": 1,
    "frame_sha256": "", "strata": [], "units": ["u"],
}  # fmt: skip
GOOD_BATCHES = {
    "draw": "p", "to": ["a"], "each": 1, "overlap": 0.5, "order": "own", "by": [], "seed": "s", "batches": {"a": ["u"]},
}  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("draw", {"units": "u"}), ("draw", {"units": ["u", "u"]}), ("draw", {"units": [1]}), ("draw", {"frame": 0}),
        ("draw", {"size": "many"}), ("draw", {"allot": "all"}), ("draw", {"strata": [{"name": "x"}]}),
        ("draw", {"seed": 3}), ("draw", {"more": 1}), ("assign", {"batches": ["u"]}),
        ("assign", {"batches": {"a": [["u"]]}}), ("assign", {"to": ["b"]}), ("assign", {"each": "1"}),
        ("assign", {"overlap": 2.0}), ("assign", {"order": "x"}), ("assign", {"draw": None}), ("assign", {"more": 1}),
    ],
)  # fmt: skip
def test_a_draw_or_batch_of_another_file_that_is_not_as_this_program_writes_it_is_refused(
    study: Study, tmp_path: Path, kind: str, change: dict[str, Any]
) -> None:
    copy = tmp_path / "copy.medreview"
    backup_to(study.path, copy)
    good = GOOD_DRAW if kind == "draw" else GOOD_BATCHES
    with Study.open(copy) as theirs:
        write_act(theirs, "eve", kind, good | change)
    with pytest.raises(UserError, match="cannot be relied on"):
        merge(study, copy)
    with Study.open(tmp_path / "copy.medreview") as theirs:
        event = NewEvent(kind, theirs.meta("study_id"), good)
        theirs.write(lambda connection: Recorder("eve").append(connection, event, block=kind, mode="blind"))
