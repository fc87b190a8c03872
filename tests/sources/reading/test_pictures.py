"""From lines of a picture to a text, and to the words of it that are in doubt; without an engine."""

import math

import pytest

from medreview.sources.reading.ocr import PictureLine, Written, doubtful_words, written

PROSE = "The level is measured before the second dose"


def line(text, left, top, right, *, height=20, tilt=0.0, sure=1.0):
    """A line of a page that lies askew by so many degrees."""
    cosine, sine = math.cos(math.radians(tilt)), math.sin(math.radians(tilt))
    corners = ((left, top), (right, top), (right, top + height), (left, top + height))
    turned = tuple((x * cosine - y * sine, x * sine + y * cosine) for x, y in corners)
    return PictureLine(turned, text, (sure,) * len(text))


def text_of(*lines):
    return written(lines).text


@pytest.mark.parametrize("tilt", [0.0, 2.0, -3.0])
def test_cells_of_a_row_stand_side_by_side_however_the_page_lies(tilt):
    rows = [("Age", "Dose", "Volume"), ("Child 6 to 12 years", "300 micrograms", "0.3 mL"), ("Adult", "500", "0.5 mL")]
    lines = [
        line(cell, 100 + 500 * place, 100 + 40 * number, 100 + 500 * place + 12 * len(cell), tilt=tilt)
        for number, row in enumerate(rows)
        for place, cell in enumerate(row)
    ]
    assert text_of(*lines[::-1]).replace("\n\n", "\n") == "\n".join(" | ".join(row) for row in rows)


def test_two_columns_are_read_one_after_the_other_with_what_stands_over_both_before_and_after():
    lines = [line("A heading over both of the columns of the page", 100, 50, 1100)]
    for number in range(5):
        lines.append(line(f"left {number} {PROSE}", 100, 120 + 25 * number, 580))
        lines.append(line(f"right {number} {PROSE}", 640, 123 + 25 * number, 1100))
    lines.append(line("A note that stands under both of the columns", 100, 300, 1100))
    found = [text.split()[0] + text.split()[1] for text in text_of(*lines).replace("\n\n", "\n").split("\n")]
    assert found == ["Aheading", *(f"left{n}" for n in range(5)), *(f"right{n}" for n in range(5)), "Anote"]


def test_paragraphs_are_parted_and_a_hyphen_at_the_end_of_a_line_stays_as_it_is_printed():
    lines = [line("The anti-", 100, 100, 300), line("coagulant is stopped.", 100, 124, 400)]
    assert text_of(*lines, line("Start again.", 100, 190, 300)) == "The anti-\ncoagulant is stopped.\n\nStart again."


def test_the_number_of_a_list_item_is_no_cell_and_is_not_glued_to_its_word():
    assert text_of(line("1.", 100, 100, 120), line("Call for help.", 150, 100, 400)) == "1. Call for help."
    assert text_of(line("2Lie flat.", 100, 100, 300)) == "2 Lie flat."


@pytest.mark.parametrize(
    ("read", "meant"),
    [
        ("raised to15 mg", "raised to 15 mg"), ("take7.5 mL", "take 7.5 mL"), ("82.05%per year", "82.05% per year"),
        ("06:30and 17:00", "06:30 and 17:00"), ("12 weeks.7,894 adults", "12 weeks. 7,894 adults"),
        ("of 24 hours.Reduce it", "of 24 hours. Reduce it"), ("5mg or 2B", "5mg or 2B"),
        ("beta2-agonist", "beta2-agonist"), ("HbA1c of m2", "HbA1c of m2"),
        ("pCO2, IL6 and 4th", "pCO2, IL6 and 4th"), ("0.5 mL", "0.5 mL"),
    ],
)  # fmt: skip
def test_a_blank_that_was_lost_beside_a_number_is_put_back_and_no_other(read, meant):
    assert text_of(line(read, 100, 100, 500)) == meant


def test_every_character_keeps_its_confidence():
    read = written([line("Age", 100, 100, 150, sure=0.7), line("Dose", 600, 100, 680, sure=0.4)])
    assert read == Written("Age | Dose", (0.7,) * 3 + (1.0,) * 3 + (0.4,) * 4)


def doubtful(text, sure):
    read = Written(text, tuple(sure) if isinstance(sure, list) else (sure,) * len(text))
    return [text[start:end] for start, end, _ in doubtful_words(read)]


def test_a_number_is_in_doubt_by_its_least_sure_character_and_a_word_is_not():
    text = "Give 0.5 mg"
    assert doubtful(text, [1.0] * 7 + [0.6] + [1.0] * 3) == ["0.5"]
    assert doubtful(text, [0.6] + [1.0] * 10) == []


def test_in_a_line_of_low_confidence_every_number_and_look_alike_is_in_doubt_and_in_the_next_line_none():
    assert doubtful("Give 5 mg of modern IO1 now", 0.7) == ["5", "modern", "IO1"]
    text = "Dose 5 mg\nDose 5 mg"
    assert [start for start, _, _ in doubtful_words(Written(text, (0.7,) * 9 + (1.0,) * 10))] == [5]


@pytest.mark.parametrize("number", ["05", "015"])
def test_a_number_that_may_have_lost_its_point_is_in_doubt_whatever_its_confidence(number):
    assert doubtful(f"Give {number} mg", 1.0) == [number]


def test_thousands_are_in_doubt_where_a_line_is_not_read_without_a_flaw():
    assert doubtful("All 3.919 adults took 25 mg", 0.98) == ["3.919"]
    assert doubtful("All 3,919 adults took 25 mg", 0.99) == []


def test_a_power_that_may_have_lost_its_height_is_in_doubt():
    assert doubtful("4.5 × 109 cells, 250 x 106/mL or 109/L in 109 patients", 1.0) == ["109", "106/mL", "109/L"]


@pytest.mark.parametrize("text", ["0.5 mL", "10 of 240", "at 10:05.", "1,000 and 2.5", "2005"])
def test_numbers_as_people_write_them_are_not(text):
    assert doubtful(text, 1.0) == []
