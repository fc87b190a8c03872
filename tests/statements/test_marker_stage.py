"""What every statement cites itself, stored with the study, and told by the one place that says so."""

import json
import sqlite3
from pathlib import Path

import pytest

from medreview import pipeline
from medreview.citations.stage import extract_all
from medreview.exchange.imports.field_mapping import AS_NAMED
from medreview.statements.own_citations import MARKED_BY, every_statement, of_response, own_citations
from medreview.statements.stage import mark_all, mark_response, parse_all
from medreview.study import Study
from medreview.study.ids import content_id
from tests.support.cost import LINEAR, seconds
from tests.support.study_builder import StudyBuilder, build, rows_of

A, B, C = (content_id("u", f"url:https://{name}.org/") for name in "abc")
BESIDE = ["[1] https://a.org", "[2] https://b.org", "[3] https://a.org", "[4] A book."]
ANSWER = (
    "Metformin lowers vitamin B12 [3]. Check it every year. [2][1]\n\n"
    "Signs of a lack are [2]:\n\n- numb feet [9]\n- pallor\n\nLiver is rich in vitamin B12 (see https://c.org)."
)


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return Study.create(tmp_path / "s.medreview")


def add(study: Study, text: str, listed: list[str]) -> None:
    """A response as the import leaves it: its citations are there, its statements are not."""
    beside = json.dumps(listed)
    build(study, lambda rows: rows.response("r1", text, cited=0, parser=None, listed=beside))
    extract_all(study)


def marked(study: Study) -> list[tuple[str, tuple[str, ...], tuple[int, ...]]]:
    texts = {row["statement_id"]: row["text"] for row in rows_of(study, "SELECT statement_id, text FROM statement")}
    return [(texts[name], own.sources, own.numbers) for name, own in of_response(study.reader, "r1")]


def test_each_statement_has_its_own_markers_and_those_of_an_introduction_are_nobodys(study: Study) -> None:
    add(study, ANSWER, BESIDE)
    assert mark_all(study) == 0  # without statements there is nothing to mark
    parse_all(study)
    study.write(lambda connection: connection.execute("UPDATE response SET cited = 0"))
    assert mark_all(study) == 0  # nor without its citations
    study.write(lambda connection: connection.execute("UPDATE response SET cited = 1"))
    assert mark_all(study) == 1
    assert [of for of in marked(study) if not of[0].startswith("Signs")] == [
        ("Metformin lowers vitamin B12", (A,), (3,)),
        ("Check it every year.", (B, A), (2, 1)),
        ("numb feet", (), (9,)),
        ("pallor", (), ()),
        ("Liver is rich in vitamin B12", (C,), ()),
    ]
    places = rows_of(study, 'SELECT "start", "end", text FROM marker')
    assert all(ANSWER[row["start"] : row["end"]] == row["text"] for row in places)
    assert mark_all(study) == 0


def test_the_number_of_a_source_is_the_one_that_the_statement_uses(study: Study) -> None:
    add(study, ANSWER, BESIDE)
    pipeline.parse(study)
    first, second, third, *_ = [own for _, own in every_statement(study.reader)]
    assert (first.number_of(A), first.numbers_of(A)) == (3, (3, 1))
    assert (second.number_of(A), second.number_of(B), second.number_of(C)) == (1, 2, None)
    assert [own.cites(A) for own in (first, second, third)] == [True, True, False]


def test_where_no_statement_cites_anything_nobody_can_say_what_one_cites(study: Study) -> None:
    add(study, "Metformin lowers vitamin B12 [7].", ["https://a.org"])
    pipeline.parse(study)
    [(statement, own)] = every_statement(study.reader)
    assert own == own_citations(study.reader, statement)
    assert (own.cites(A), own.number_of(A), own.numbers) == (None, 1, (7,))
    with pytest.raises(LookupError, match="no statement s0"):
        own_citations(study.reader, "s0")


def test_lists_in_the_text_give_numbers_and_are_no_markers_themselves(study: Study) -> None:
    add(study, "Rest helps [2].\n\nReferences\n1. Smith J. A trial. 2019. https://a.org\n2. https://b.org", [])
    pipeline.parse(study)
    assert marked(study) == [("Rest helps", (B,), (2,))]


def test_a_table_of_sources_gives_numbers_and_is_no_statement(study: Study) -> None:
    rows = (
        "| # | Title | At |\n|---|---|---|\n| 1 | A trial | https://a.org |\n| [2] | Review | [it](https://b.org) |\n"
    )
    add(study, f"Rest helps [2]. Tea with honey helps as well [1].\n\n## Sources\n\n{rows}", [])
    pipeline.parse(study)
    assert marked(study) == [("Rest helps", (B,), (2,)), ("Tea with honey helps as well", (A,), (1,))]


def test_a_table_below_sources_that_cites_nothing_is_read(study: Study) -> None:
    add(
        study,
        "Rest helps [1].\n\n## Sources\n\n| Drug | Dose |\n|---|---|\n| Ibuprofen | 400 mg |\n",
        ["https://a.org"],
    )
    pipeline.parse(study)
    assert [text for text, *_ in marked(study)] == ["Rest helps", "Ibuprofen | 400 mg"]


def test_lines_of_sources_below_what_they_are_about_are_markers(study: Study) -> None:
    text = "Rest helps with most colds.\nSource: https://a.org\n\nTea with honey helps too.\nSource: https://b.org"
    add(study, text, [])
    pipeline.parse(study)
    assert [sources for _, sources, _ in marked(study)] == [(A,), (B,)]


def test_one_line_of_sources_at_the_end_is_the_list_of_the_whole_response(study: Study) -> None:
    add(study, "Rest helps with most colds. Tea with honey helps too.\nSources: https://a.org", [])
    pipeline.parse(study)
    assert [sources for _, sources, _ in marked(study)] == [(), ()]


def test_one_line_of_sources_with_more_to_follow_is_about_what_it_is_below(study: Study) -> None:
    add(study, "Rest helps with most colds.\nSource: https://a.org\n\nTea with honey helps too.", [])
    pipeline.parse(study)
    assert [sources for _, sources, _ in marked(study)] == [(A,), ()]


def test_statements_made_elsewhere_are_found_in_the_response_or_carry_their_markers(study: Study) -> None:
    add(study, "So **metformin** lowers\nvitamin B12 [2] , as we know [1].", ["https://a.org", "https://b.org"])

    def statements(rows: StudyBuilder) -> None:
        for text in ("Vitamin B12 is lowered [1].", "Metformin lowers vitamin B12, as we know.", "Nobody knows."):
            rows.statement("r1", text)

    build(study, statements)
    study.write(lambda connection: connection.execute("UPDATE response SET parser = 'given'"))
    mark_all(study)
    assert [sources for _, sources, _ in marked(study)] == [(A,), (B, A), ()]
    places = rows_of(study, "SELECT start FROM marker ORDER BY statement_id, ordinal")
    assert [row["start"] is None for row in places] == [True, False, False]


def test_statements_that_share_a_sentence_share_the_markers_at_its_end(study: Study) -> None:
    text = "Cure is seen in 28.4% of men and in 1.2% of women [1]. It was 5% [2] at first and 9% [1] later."
    add(study, text, ["https://a.org", "https://b.org"])

    def parts(*words: str) -> tuple[str, str]:
        places = [[text.index(word), text.index(word) + len(word)] for word in words]
        return " ".join(words), json.dumps(places)

    wanted = [
        parts("Cure is seen", "in 28.4% of men"),
        parts("Cure is seen", "in 1.2% of women"),
        parts("It was", "5%"),
        parts("It was", "9%"),
    ]
    build(study, lambda rows: [rows.statement("r1", joined, parts=places) for joined, places in wanted])
    study.write(lambda connection: connection.execute("UPDATE response SET parser = 'rules'"))
    mark_all(study)
    assert [numbers for _, _, numbers in marked(study)] == [(1,), (1,), (2,), (1,)]


def test_a_response_is_marked_again_after_it_got_another_statement_or_a_longer_list(study: Study) -> None:
    add(study, "Rest helps [1]. Ask your doctor [2].", ["https://a.org"])
    pipeline.parse(study)
    build(study, lambda rows: rows.statement("r1", "Ask your doctor", "s-new"))
    study.write(lambda connection: mark_response(connection, "r1"))
    assert own_citations(study.reader, "s-new").numbers == (2,)
    longer = json.dumps(["https://a.org", "https://b.org"])
    study.write(lambda connection: connection.execute("UPDATE response SET listed = ?, cited = 0", (longer,)))
    extract_all(study)
    assert mark_all(study) == 1
    assert own_citations(study.reader, "s-new").sources == (B,)


def test_a_study_of_an_earlier_version_is_marked_at_the_next_roll_up(study: Study) -> None:
    add(study, ANSWER, BESIDE)
    pipeline.parse(study)

    def before(connection: sqlite3.Connection) -> None:
        for change in ("DELETE FROM marker", "DELETE FROM own_number", "UPDATE response SET marked = NULL"):
            connection.execute(change)
        connection.execute("UPDATE study SET value = 'earlier' WHERE key = 'verdicts_made_from'")

    study.write(before)
    pipeline.roll_up(study)
    assert marked(study)[0] == ("Metformin lowers vitamin B12", (A,), (3,))
    assert rows_of(study, "SELECT marked FROM response") == [{"marked": MARKED_BY}]


def test_a_table_of_pairs_has_its_sources_in_their_order_as_numbers(study: Study, tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text(
        "question,statement,source,decision\n"
        "How?,Rest helps [2].,https://a.org,Found\nHow?,Rest helps [2].,https://b.org,Not Found\n"
    )
    pipeline.bring_in(study, table, AS_NAMED)
    [(_, own)] = every_statement(study.reader)
    assert (own.sources, own.number_of(A), own.number_of(B)) == ((B,), 1, 2)


def test_a_list_of_four_times_as_many_statements_takes_four_times_as_long_at_most(tmp_path: Path) -> None:
    def work(lines: int) -> float:
        with Study.create(tmp_path / f"{lines}-{len(list(tmp_path.iterdir()))}.medreview") as study:
            add(study, "Take it as follows:\n\n" + "".join(f"- take {n} mg [1]\n" for n in range(lines)), BESIDE)
            parse_all(study)
            return study.write(lambda connection: seconds(lambda: mark_response(connection, "r1")))

    assert any(work(1_600) / work(400) <= LINEAR for _ in range(2))
