"""What printed reports are laid out with, as it comes out where there is no terminal."""

import pytest

from medreview.cli.reports.console import printed
from medreview.cli.reports.tables import cells, columns, heading, inset, title
from medreview.stats.formulas.estimate import Estimate, percent


@pytest.fixture(autouse=True)
def a_pipe(monkeypatch):
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)


def test_strings_are_shown_as_they_stand_in_cells_and_outside():
    table = columns("[bold]", ":smile:")
    table.add_row("[red]x[/red]", "[1]")

    assert printed(["[b]3[/b] :smile:", inset(table)]) == (
        "[b]3[/b] :smile:\n  [bold]        :smile:\n  [red]x[/red]      [1]\n"
    )


def test_titles_are_plain_and_the_end_is_one_newline():
    assert printed([title("A [part]"), heading("of it"), "x  ", "", ""]) == "A [part]\nof it\nx\n"


def test_numbers_stand_right_and_words_left():
    table = columns("", "n", "95% interval", "of")
    table.add_row("name", "1,000", "1 to 2", "3")
    table.add_row("b", "2", "none", "all 3")

    assert printed([table]).splitlines() == [
        "          n  95% interval  of",
        "name  1,000  1 to 2        3",
        "b         2  none          all 3",
    ]


@pytest.mark.parametrize(("breaks", "lines"), [("words", 1), ("anywhere", 3)])
def test_a_word_wider_than_the_page_is_cut_or_goes_on(breaks, lines):
    table = columns("", "n", first=breaks)
    table.add_row("x" * 160, "7")
    shown = printed([table]).splitlines()[1:]

    assert len(shown) == lines
    assert max(map(len, shown)) <= 80
    assert ("…" in shown[0]) == (breaks == "words")
    assert shown[0].endswith("7")


def test_a_header_can_be_left_out():
    table = columns("", "n", header=False)
    table.add_row("a", "1")

    assert printed([table]) == "a  1\n"


def test_a_figure_as_two_cells():
    def figure(value, low, high):
        return Estimate("f", value, low, high, "Wilson", 3, reason="One alone says nothing.")

    assert cells(figure(0.5, 0.25, 0.75), percent, "none") == ("50.0%", "25.0% to 75.0%")
    assert cells(figure(0.5, None, None), percent, "none") == ("50.0%", "none")
    assert cells(figure(None, None, None), percent, "none") == ("undefined", "")
