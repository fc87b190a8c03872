"""Hidden characters of a page stay in its text, where the screen shows them as marks."""

import pytest

from medreview.sources.reading.html import read_html

FILLER = "The dose is 500 mg daily for adults with normal kidneys. " * 8


@pytest.mark.parametrize("hidden", ["\x1b]52;c;SGk=\x07", "\x9b31m", "\u202eevil\u202c", "\x7f", "\u2066x\u2069"])
def test_controls_and_directions_stay_in_both_texts(hidden):
    page = f"<html><body><main><p>{FILLER}</p><p>Take {hidden} with water.</p></main></body></html>"
    text = read_html(page.encode(), "text/html; charset=utf-8")

    assert f"Take {hidden} with water." in text.main.text
    assert f"Take {hidden} with water." in text.full.text


def test_one_written_as_a_reference_stays_too():
    text = read_html(f"<main><p>{FILLER}</p><p>Take &#27;[31m it.</p></main>".encode())

    assert "Take \x1b[31m it." in text.full.text


def test_a_page_in_the_stand_ins_script_is_left_alone():
    text = read_html(f"<main><p>{FILLER}\U00013000 and \x1b</p></main>".encode())

    assert "\U00013000" in text.full.text
