"""What reports are made of, as it comes out where there is no terminal, and as a page."""

import pytest
from lxml import html as parser

from medreview.cli.reports.layout import (
    Bar,
    Bars,
    Check,
    Part,
    ReportTable,
    TableHeading,
    Title,
    cells,
    inset,
    reasons,
    table,
)
from medreview.cli.reports.page import check_page, write_page
from medreview.cli.reports.terminal import printed
from medreview.cli.reports.unit_agreement import matrix
from medreview.errors import UserError
from medreview.stats.formulas.estimate import Estimate


@pytest.fixture(autouse=True)
def a_pipe(monkeypatch):
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)


def test_strings_are_shown_as_they_stand_in_cells_and_outside():
    cells = table(("[bold]", ":smile:"), [("[red]x[/red]", "[1]")])

    assert printed(["[b]3[/b] :smile:", inset(cells)]) == (
        "[b]3[/b] :smile:\n  [bold]        :smile:\n  [red]x[/red]      [1]\n"
    )


def test_titles_are_plain_and_the_end_is_one_newline():
    assert printed([Title("A [part]"), TableHeading("of it"), "x  ", "", ""]) == "A [part]\nof it\nx\n"


def test_a_title_stands_apart_from_what_is_above_it():
    assert printed(["x", Title("A"), Check("met: all", met=True)]) == "x\n\nA\nmet: all\n"


def test_numbers_stand_right_and_words_left():
    rows = [("name", "1,000", "1 to 2", "3"), ("b", "2", "none", "all 3"), ("c",)]

    assert printed([table(("", "n", "95% interval", "of"), rows)]).splitlines() == [
        "          n  95% interval  of",
        "name  1,000  1 to 2        3",
        "b         2  none          all 3",
        "c",
    ]


@pytest.mark.parametrize("breaks", ["words", "anywhere"])
def test_a_word_wider_than_the_page_goes_on(breaks):
    shown = printed([table(("", "n"), [("x" * 160, "7")], first=breaks)]).splitlines()[1:]

    assert len(shown) == 3
    assert max(map(len, shown)) <= 80
    assert "".join(shown).count("x") == 160
    assert shown[0].endswith("7")


def test_a_header_can_be_left_out():
    assert printed([table(("", "n"), [("a", "1")], header=False)]) == "a  1\n"


def figure(value, low, high):
    return Estimate("f", value, low, high, "Wilson", 3, reason="One alone says nothing.", scale="share")


def test_a_figure_as_two_cells():
    assert cells(figure(0.5, 0.25, 0.75)) == ("50.0%", "25.0% to 75.0%")
    assert cells(figure(0.5, None, None)) == ("50.0%", "not given")
    assert cells(figure(None, None, None)) == ("undefined", "")


def test_a_row_takes_words_counts_and_figures():
    made = table(("", "value", "95% interval", "n", "left"), [("a", figure(0.5, 0.25, 0.75), 1234, None), ("b",)])

    assert made.rows == (("a", "50.0%", "25.0% to 75.0%", "1,234", ""), ("b", "", "", "", ""))


def test_the_table_of_two_raters_has_its_sums():
    sides, made = matrix("ann", "ben", ("yes", "no"), ((3, 1), (0, 2)))

    assert sides == "rows: ann; columns: ben"
    assert isinstance(made, ReportTable)
    assert made.rows == (("yes", "3", "1", "4"), ("no", "0", "2", "2"), ("all", "3", "3", "6"))


def test_a_reason_is_said_once_for_all_that_it_holds_for():
    missing, there = figure(None, None, None), Estimate("f", 0.5, 0.25, 0.75, "Wilson", 3, scale="share")

    assert reasons([("a", missing), ("b", there), ("c", missing), ("a", missing)]) == ["a; c: One alone says nothing."]


def test_a_page_holds_the_same_parts(tmp_path):
    bars = Bars((Bar("r", 1, 2, "1 of 3"),))
    cells = table(("", "n", "of"), [("<b>", "7", "all"), ("alone",)])
    parts: list[Part] = [
        "1 < 2",
        "",
        Title("A & B"),
        TableHeading("of <it>"),
        Check("missed: x", met=False),
        inset(bars, cells),
    ]
    path = write_page(tmp_path / "a.html", "figures", "Figures <1>", parts)
    page = parser.parse(str(path)).getroot()

    assert page.xpath("//title | //h1")[1].text == "Figures <1>"
    assert [(e.tag, e.text_content()) for e in page.xpath("//p | //h2 | //h3")] == [
        ("p", "1 < 2"), ("h2", "A & B"), ("h3", "of <it>"), ("p", "missed: x"),
    ]  # fmt: skip
    assert page.xpath("string(//p/span[@class='missed'])") == "missed"
    assert page.xpath("//tbody/tr/th[@colspan='3']/text()") == ["alone"]
    told = page.xpath("//table[not(ancestor::figure)]")[0]
    assert told.xpath("tbody/tr/th[@scope='row']/text()") == ["<b>"]
    assert told.xpath("tbody/tr/td/text()") == ["7", "all"]
    assert told.xpath(".//td[contains(@class, ' n')]/text()") == ["7"]
    assert page.xpath("//figure//tbody/tr/*/text()") == ["r", "1", "2"]
    assert "The numbers stand in the table" in page.xpath("string(//svg/desc)")
    assert told.xpath("string(caption)") == "of <it>"
    write_page(path, "figures", "again", [])
    with pytest.raises(UserError, match="choose another name"):
        check_page(path, "citations")


def test_where_output_is_ascii_our_own_signs_are_spelt_and_other_ones_are_question_marks():
    assert printed(["± 5 points of “all”, Ärzte"], ascii_only=True) == '+- 5 points of "all", ?rzte\n'


def test_a_column_without_any_content_is_left_out_where_it_may_be() -> None:
    rows = [("x", "1", ""), ("y", "2")]
    assert [column.name for column in table(("", "n", "cases"), rows).columns] == ["", "n", "cases"]
    without = table(("", "n", "cases"), rows, if_any=("cases", "n"))
    assert [column.name for column in without.columns] == ["", "n"]
    assert without.rows == (("x", "1"), ("y", "2"))
