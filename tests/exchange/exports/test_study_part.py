"""Shards: every row is in one of them, each is a whole study, and merged they are the study that was split."""

from itertools import combinations
from pathlib import Path

import pytest

from medreview.errors import UserError
from medreview.exchange.exports.package import package
from medreview.exchange.exports.study_part import StudyPart, shards
from medreview.references.model import Reference
from medreview.study import Study
from medreview.study.check import check_study
from medreview.study.package import package_of
from tests.exchange.example_study import ExampleStudy
from tests.support.reference_study import add_reference, fill_references
from tests.support.study_builder import StudyBuilder, build, rows_of
from tests.support.unit_study import RESPONSE_ID, decide_all, fill

_OF_A_PART = ("response", "statement", "judgement", "evidence", "citation", "event", "gold", "unit", "opinion",
              "reference", "reference_check", "audit_frame", "key_fact_vote", "reference_source", "own_number",
              "marker", "source", "snapshot")  # fmt: skip
_OF_SEVERAL = ("event", "source", "snapshot", "reference_source")
"""Tables of which a row may be in more than one shard: acts on the study, and what several responses cite."""


@pytest.fixture
def study(empty_study: Study) -> Study:
    """One with units of every kind, references, and decisions of two people on all of it."""
    example = ExampleStudy(empty_study)
    example.fill()
    example.machine()
    fill(empty_study)

    def named_alone(to: StudyBuilder) -> None:
        """A page that no response cites: a reference names it."""
        to.page("named", "A page.")
        add_reference(to, "f9", RESPONSE_ID, Reference("A page."), sources=("named",))

    build(empty_study, named_alone)
    decide_all(empty_study, "ada", 0)
    decide_all(empty_study, "bo", 1)
    return empty_study


def copied(study: Study, part: StudyPart, to: Path) -> Path:
    package(study, to, "ada", without=(), part=part)
    return to


def test_each_row_is_in_one_shard_and_every_shard_is_whole(study: Study, tmp_path: Path) -> None:
    found: list[dict[str, set[tuple[object, ...]]]] = []
    for number, part in enumerate(shards(study.reader, 2)):
        with Study.open(copied(study, part, tmp_path / f"{number}.medreview"), read_only=True) as copy:
            assert check_study(copy).faults == []
            assert copy.meta("study_id") == study.meta("study_id")
            made = package_of(copy.reader)
            assert made is not None
            assert made.words.startswith(f"A copy of shard {number + 1} of 2 made by ada on ")
            units = {row["unit"] for row in rows_of(copy, "SELECT unit FROM event")} - {study.meta("study_id")}
            assert all(part.holds("unit", unit) for unit in units)
            assert made.events == len(rows_of(study, "SELECT 1 FROM event")) - len(rows_of(copy, "SELECT 1 FROM event"))
            assert rows_of(copy, "SELECT * FROM llm_call") == []
            found.append({
                table: {tuple(row.values()) for row in rows_of(copy, f"SELECT * FROM {table}")} for table in _OF_A_PART
            })  # fmt: skip
    for table in _OF_A_PART:
        whole = {tuple(row.values()) for row in rows_of(study, f"SELECT * FROM {table}")}
        assert set.union(*(one[table] for one in found)) == whole, table
        if table not in _OF_SEVERAL:
            assert not any(one[table] & other[table] for one, other in combinations(found, 2)), table
    assert all(one["response"] and one["event"] for one in found)


def test_responses_to_one_question_stay_together_and_references_go_with_theirs(tmp_path: Path) -> None:
    with Study.create(tmp_path / "s.medreview") as study:
        fill_references(study)
        build(study, lambda to: [to.response(f"x{n}", question="One question?") for n in range(4)])
        together = [{one for one in part.held["response_id"] if one[0] == "x"} for part in shards(study.reader, 2)]
        assert sorted(map(len, together)) == [0, 4]
        with pytest.raises(UserError, match=r"split into \d shards at the most: responses to one question stay"):
            next(shards(study.reader, 50))
