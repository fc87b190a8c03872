"""Headings of a text: in the right place or not there at all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medreview.sources.page import LONGEST
from medreview.sources.reading.text_structure import Heading, heading_path
from tests.support.cost import LINEAR, growth
from tests.support.fetched import read as read_body

FACT = "Adults take 5 mg by mouth every morning for two weeks and are then seen again in the clinic. "
PROSE = f"<p>{FACT * 3}</p>"


def read(markup, *, head=""):
    return read_body(f"<html><head><title>X</title>{head}</head><body>{markup}</body></html>")


def outline(page):
    return [(heading.level, page.text[heading.start : heading.end]) for heading in page.outline]


def assert_sound(page):
    at = 0
    for heading in page.outline:
        assert at <= heading.start < heading.end <= len(page.text)
        words = page.text[heading.start : heading.end]
        assert words == words.strip()
        assert "\n" not in words
        line = page.text.rfind("\n", 0, heading.start) + 1
        assert page.text[line : heading.start].strip() in ("", "-")
        assert 1 <= heading.level <= 6
        at = heading.end


def test_headings_of_the_main_text_and_none_of_the_menus():
    page = read(
        f"""<nav><h2>Menu</h2><ul><li><a href="/a">Dose</a></li></ul></nav><main><h1>Planticillin</h1>{PROSE}
        <div class="toc"><p>Dose</p><p>Cautions</p></div><h2>Dose</h2>{PROSE}<h3>Adults</h3>{PROSE}<h3>Children</h3>
        {PROSE}<h2>Cautions</h2>{PROSE}<h3>Adults</h3>{PROSE}</main><footer><h2>About us</h2><p>Clinic</p></footer>"""
    )
    assert outline(page) == [
        (1, "Planticillin"), (2, "Dose"), (3, "Adults"), (3, "Children"), (2, "Cautions"), (3, "Adults"),
    ]  # fmt: skip
    assert_sound(page)
    last = [page.text[one.start : one.end] for one in heading_path(page.outline, len(page.text))]
    assert last == ["Planticillin", "Cautions", "Adults"]
    # The line of the table of contents says the same and is no heading, nor in the main text.
    assert page.full_text.index("Dose") < page.full_text.index("Planticillin")
    assert page.text.count("Dose\n") == 1


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<h2>Use in <i>renal</i> <b>impair</b>ment</h2>", (2, "Use in renal impairment")),
        ("<h2>4.2 Posology</h2>", (2, "4.2 Posology")),
        ("<h2>Dose<br>and use</h2>", (2, "Dose and use")),
        ("<h2><a href='#d' id='d'>Dose</a></h2>", (2, "Dose")),
        ("<h2>\n  Dose\n  now\n</h2>", (2, "Dose now")),
        ("<h3><button aria-expanded='false'>Side effects</button></h3>", (3, "Side effects")),
        ("<div role='heading' aria-level='4'>Dose</div>", (4, "Dose")),
        ("<span role='heading'>Dose</span>", (2, "Dose")),
        ("<h2 role='heading' aria-level='9'>Dose</h2>", (6, "Dose")),
        ("<h2>Dose m<sup>2</sup></h2>", (2, "Dose m²")),
        ("<h2>Dose\x1b[31m \u202enow\u202c</h2>", (2, "Dose\x1b[31m \u202enow\u202c")),
    ],
)
def test_a_heading_reads_as_it_stands_in_the_text(markup, expected):
    page = read(f"<main><h1>Planticillin</h1>{PROSE}{markup}{PROSE * 3}</main>")
    assert outline(page) == [(1, "Planticillin"), expected]
    assert expected[1] in page.text.split("\n")
    assert_sound(page)


@pytest.mark.parametrize(
    "markup",
    [
        "<dl><dt>Dose</dt><dd>5 mg</dd></dl>",
        "<details><summary>Dose</summary><p>5 mg</p></details>",
        "<table><caption>Dose</caption><tr><th>Age</th><th>Dose</th></tr><tr><td>9</td><td>5 mg</td></tr></table>",
        "<h2 role='presentation'>Dose</h2>",
        "<h2></h2><h3> <img src='x.png'></h3>",
        f"<h2>{FACT * 5}</h2>",
        "<table><tr><td>A</td><td><h4>Dose</h4></td></tr><tr><td>9</td><td>5 mg</td></tr></table>",
        "<p><b>Dose</b></p>",
    ],
)
def test_what_is_no_heading(markup):
    page = read(f"<main><h1>Planticillin</h1>{PROSE}{markup}{PROSE * 3}</main>")
    assert outline(page) == [(1, "Planticillin")]
    assert_sound(page)


def test_the_marks_leave_no_trace_and_a_page_that_uses_them_is_left_as_it_is():
    page = read(f"<main><h1>Planticillin</h1>{PROSE}<h2>Dose</h2>{PROSE}</main>")
    assert not any(0x13000 <= ord(character) <= 0x1342F for character in page.text + page.full_text + page.title)
    words = "\U00013300\U00013300\U00013301\U00013300 no choice of another line"
    hostile = read(f"<nav><p>{FACT}</p></nav><main><h1>Planticillin</h1>{PROSE}<p>{words}</p>{PROSE}</main>")
    assert outline(hostile) == [(1, "Planticillin")]
    assert words in hostile.text
    assert_sound(hostile)


def test_the_full_text_has_its_outline_where_it_is_the_text():
    page = read(f"<h1>Planticillin</h1><h2>Dose</h2><p>5 mg</p>{'<p><a href=x>link</a></p>' * 52_000}")
    assert page.extractor.startswith("walker")
    assert outline(page) == [(1, "Planticillin"), (2, "Dose")]


def test_a_cut_text_has_no_headings_beyond_its_end():
    page = read(f"<h1>A</h1>{f'<p>{FACT * 4}</p>' * 11_000}<h2>Beyond</h2>")
    assert len(page.text) == LONGEST
    assert outline(page) == [(1, "A")]


@pytest.mark.parametrize(
    "piece",
    ["<h2>Dose</h2>", "<h2>Dose</h2><p>5 mg</p>", "<b role=heading>Dose</b>", "<h1><h2>", "<h2>Dose<br>",
     "<p role=heading>x"],
)  # fmt: skip
def test_many_headings_take_linear_time(piece):
    assert growth(lambda size: assert_sound(read(piece * size)), 1_500) < LINEAR


MARKUP = st.sampled_from(
    ["<h1>", "</h1>", "<h2>Dose", "</h2>", "<h3>", "<b role=heading>", "</b>", "<li>", "<ul>", "</ul>", "<br>", "<p>",
     "<table><tr><td>", "</table>", "<pre>", "</pre>", "a b", "\n", "<button>", "<sup>2</sup>", FACT,
     "<div role=heading>", "</div>", "\x1b", "\u202e", "&#13;", "\U00013203", "<details><summary>"]
)  # fmt: skip


@given(st.lists(MARKUP, max_size=30).map("".join))
def test_any_markup_has_a_sound_outline(markup):
    assert_sound(read(markup))


def test_the_path_of_headings():
    headings = tuple(Heading(10 * place, 10 * place + 5, level) for place, level in enumerate([1, 2, 4, 3, 2, 1, 3]))
    levels = {place: [one.level for one in heading_path(headings, place)] for place in (0, 9, 10, 25, 35, 49, 55, 999)}
    assert levels == {0: [1], 9: [1], 10: [1, 2], 25: [1, 2, 4], 35: [1, 2, 3], 49: [1, 2], 55: [1], 999: [1, 3]}
    assert heading_path(headings[1:], 5) == ()
    assert heading_path((), 5) == ()
