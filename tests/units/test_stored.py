"""Units that came as such: the same content is one unit, and nothing of it is lost."""

from pathlib import Path

from medreview.study import Study
from medreview.study.ids import ids_of, is_here, kind_of, unit_id
from medreview.units.kind import Gold
from medreview.units.stored import (
    NewOpinion,
    NewPassage,
    NewUnit,
    add_gold,
    add_opinions,
    add_passages,
    add_units,
    load_gold,
    load_passage,
    load_unit,
    stored_opinions,
)


def test_a_unit_passage_gold_label_and_opinions_come_back_as_they_were_stored_and_once(tmp_path: Path) -> None:
    passage = NewPassage("Warfarin is monitored by the INR.", "Anticoagulants", "https://text.example/1")
    item = NewUnit("qa", "How is warfarin monitored?", {"passage": passage.passage_id, "answers": ["INR"]}, "q1")
    gold = Gold("relevance", "5", why="textbook")
    with Study.create(tmp_path / "s.medreview") as study:
        for _ in range(2):
            study.write(lambda c: add_passages(c, [passage], "a.jsonl"))
            study.write(lambda c: add_units(c, [item], "a.jsonl"))
            study.write(lambda c: add_gold(c, [(item.unit, gold)], "kb"))
            opinions = [
                NewOpinion(item.unit, judge, "relevance", raw, raw) for judge, raw in zip("abc", "554", strict=True)
            ]
            study.write(lambda c, said=opinions: add_opinions(c, said, "a.jsonl"))
        stored = load_unit(study.reader, item.unit)
        assert (stored.text, stored.content, stored.record_id, stored.ordinal) == (item.text, item.content, "q1", 1)
        assert load_passage(study.reader, passage.passage_id) == passage
        assert load_gold(study.reader, item.unit, "relevance") == gold
        machines = stored_opinions(study.reader, item.unit, "relevance")
        assert (machines.level, len(machines.opinions)) == ("5", 3)


def test_the_id_of_a_unit_says_its_kind_and_what_it_is_made_of() -> None:
    pair = unit_id("pair", "s1", "u2")
    assert (kind_of(pair), ids_of(pair)) == ("pair", ("s1", "u2"))
    assert (unit_id("statement", "s1"), kind_of("s1"), ids_of("s1")) == ("s1", "statement", ("s1",))
    parts = {"statement": {"s1"}, "source": {"u2"}}
    assert is_here(pair, set(), parts)
    assert not is_here(unit_id("pair", "u2", "s1"), set(), parts)
    assert not is_here("pair:s1", set(), parts)
    assert is_here("qa:x1", {"qa:x1"}, parts)
