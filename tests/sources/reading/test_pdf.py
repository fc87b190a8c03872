"""PDFs, their superscripts, and the lines of pages that are pictures."""

import io
import math

import pytest
from reportlab.lib.pagesizes import A4
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate, Table

from medreview.sources.reading.ocr import OcrText, PictureLine, doubtful_words, written
from medreview.sources.reading.pdf import read_pdf

STYLES = getSampleStyleSheet()
PROSE = (
    "Gentamicin is given once daily to adults with normal renal function; the dose is reckoned on the ideal body "
    "weight, and the level is taken between six and fourteen hours after the first dose. "
)


@pytest.fixture(scope="module")
def guideline():
    out = io.BytesIO()
    rows = [
        ["CrCl (mL/min)", "Dose", "Interval"],
        ["over 60", "5 mg/kg", "24 hours"],
        ["40 to 59", "5 mg/kg", "36 hours"],
        ["20 to 39", "3 mg/kg", "48 hours"],
    ]
    SimpleDocTemplate(out, pagesize=A4, title="Gentamicin guideline").build(
        [
            Paragraph("Gentamicin", STYLES["Heading1"]),
            Paragraph(PROSE * 2, STYLES["Normal"]),
            Table(rows),
            PageBreak(),
            Paragraph("Monitoring of levels on the second page.", STYLES["Normal"]),
        ]
    )
    return out.getvalue()


def test_text_rows_and_pages(guideline):
    pdf = read_pdf(guideline)
    assert (pdf.state, pdf.evidence, pdf.title) == (None, "", "Gentamicin guideline")
    lines = pdf.text.split("\n")
    assert "CrCl (mL/min) | Dose | Interval" in lines
    assert "20 to 39 | 3 mg/kg | 48 hours" in lines
    assert "\f" not in pdf.text
    assert "\r" not in pdf.text
    assert len(pdf.page_starts) == 2
    assert pdf.text[pdf.page_starts[1] :] == "Monitoring of levels on the second page."
    assert pdf.text[pdf.page_starts[1] - 2 : pdf.page_starts[1]] == "\n\n"
    prose = " ".join(line for line in lines if " | " not in line)
    assert "between six and fourteen hours after the first dose" in prose


def test_cells_of_several_lines_read_on_and_list_numbers_are_no_cells():
    out = io.BytesIO()
    cell = Paragraph("20 mg once daily (Europe); 30<br/>mg once daily (America)", STYLES["Normal"])
    top = [("VALIGN", (0, 0), (-1, -1), "TOP")]
    note = "Mild impairment: the dose stays as it is, and the patient is watched closely."
    SimpleDocTemplate(out).build(
        [
            Table([["Prophylaxis", "40 mg", cell]], colWidths=[100, 80, 200], style=top),
            Table([["1", note], ["2", "10"]], colWidths=[30, 400]),
        ]
    )
    text = read_pdf(out.getvalue()).text
    assert "Prophylaxis | 40 mg | 20 mg once daily (Europe); 30\nmg once daily (America)" in text
    assert f"1 {note}" in text
    assert "2 | 10" in text


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("below 0.5 × 10<super>9</super>/L on two counts", "below 0.5 × 10⁹/L on two counts"),
        ("a mass of 30 kg/m<super>2</super> or more", "a mass of 30 kg/m² or more"),
        ("the first bag holds 150 mg/kg<super>2</super> in water", "the first bag holds 150 mg/kg[2] in water"),
        ("in 25<super>12</super> of 100 adults.<super>3</super> Then", "in 25[12] of 100 adults.[3] Then"),
        ("lactate in mmol L<super>-1</super> and Ca<super>2+</super>", "lactate in mmol L⁻¹ and Ca²⁺"),
        ("CO<sub>2</sub> and H<sub>2</sub>O in 2024 and 10 of 109", "CO2 and H2O in 2024 and 10 of 109"),
    ],
)
def test_raised_figures_do_not_join_the_number_before(markup, text):
    out = io.BytesIO()
    SimpleDocTemplate(out).build([Paragraph(markup, STYLES["Normal"]), Paragraph(PROSE, STYLES["Normal"])])
    assert read_pdf(out.getvalue()).text.split("\n")[0] == text


def test_a_word_broken_at_the_line_end_keeps_its_hyphen():
    out = io.BytesIO()
    SimpleDocTemplate(out).build([Paragraph("The recommen-<br/>dation holds for all adults here.", STYLES["Normal"])])
    assert "recommen-\ndation" in read_pdf(out.getvalue()).text


def _with_bookmarks():
    """Two pages with a running head; a table of contents leads to the headings."""
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=A4)
    pages = [
        ["Gentamicin", "Contents", "1 Dose", "1.1 Adults", "2 Levels"],
        ["Gentamicin", "1 Dose", PROSE[:70], "1.1  Adults", PROSE[70:140], "Adults", PROSE[:50]],
        ["Gentamicin", "LEVELS", PROSE[:70], "Renal", PROSE[70:140], "Renal", PROSE[:60]],
    ]
    for number, lines in enumerate(pages):
        for key in range(8):
            canvas.bookmarkPage(f"{number} {key}")
        for place, line in enumerate(lines):
            canvas.drawString(50, 780 - 20 * place, line)
        canvas.showPage()
    entries = (
        ("Gentamicin", 0, 0), ("Dose", 1, 1), ("Adults", 1, 2), ("2. Levels", 2, 1), ("Renal", 2, 2), ("Renal", 2, 2),
        ("Nowhere in the text", 2, 2), ("Contents", 2, 1),
    )  # fmt: skip
    for key, (title, number, level) in enumerate(entries):
        canvas.addOutlineEntry(title, f"{number} {key}", level=level)
    canvas.save()
    return out.getvalue()


def test_bookmarks_that_are_lines_of_their_page_are_the_outline():
    pdf = read_pdf(_with_bookmarks())
    got = [(one.level, pdf.text[one.start : one.end]) for one in pdf.outline]
    # "Adults" is twice on its page, once as a bookmark: which line is meant cannot be told.
    assert got == [(1, "Gentamicin"), (2, "1 Dose"), (2, "LEVELS"), (3, "Renal"), (3, "Renal")]
    assert pdf.outline[1].start > pdf.page_starts[1]
    assert [one.start for one in pdf.outline] == sorted({one.start for one in pdf.outline})


def test_a_pdf_without_bookmarks_has_no_outline(guideline):
    assert read_pdf(guideline).outline == ()


def test_images_without_text_are_a_scan():
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=A4)
    for _ in range(2):
        canvas.rect(50, 50, 400, 700, fill=1)
        canvas.drawString(20, 20, "Scanned")
        canvas.showPage()
    canvas.save()
    pdf = read_pdf(out.getvalue())
    assert pdf.state == "pdf_scan"
    assert "2 words on 2 pages" in pdf.evidence


def _locked(user_password):
    out = io.BytesIO()
    lock = StandardEncryption(user_password, ownerPassword="owner", strength=128)
    canvas = Canvas(out, encrypt=lock)
    canvas.drawString(50, 700, PROSE[:80])
    canvas.save()
    return out.getvalue()


def test_a_password_is_asked_for():
    pdf = read_pdf(_locked("secret"))
    assert (pdf.state, pdf.text) == ("pdf_encrypted", "")


def test_a_lock_against_printing_only_can_be_read():
    assert "Gentamicin is given" in read_pdf(_locked("")).text


@pytest.mark.parametrize("cut", [9, 200, 1500])
def test_a_broken_pdf_is_not_text_or_what_is_left_of_it(guideline, cut):
    pdf = read_pdf(guideline[:cut])
    assert pdf.state in ("not_text", "pdf_scan") or "Gentamicin" in pdf.text
    assert read_pdf(b"%PDF-1.7\n" + b"garbage " * 50).state == "not_text"


def test_caps_on_pages_and_characters_are_told(guideline):
    pages = read_pdf(guideline, most_pages=1)
    assert len(pages.page_starts) == 1
    assert pages.evidence == "Only the first 1 of 2 pages were read."
    assert len(read_pdf(guideline, most_characters=100).text) == 100


FONT = "Helvetica"
UP, DOWN = (7, 4), (7, -2)
BY_MOUTH = "The medicine is taken by mouth in the morning with a glass of water and some food."


def line_of_pdf(*parts):
    """The text of a PDF line of parts: a string as it stands, or a string with its size and rise."""
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=A4)
    canvas.setFont(FONT, 11)
    canvas.drawString(60, 780, BY_MOUTH)
    x = 60.0
    for part in parts:
        text, (size, rise) = part if isinstance(part, tuple) else (part, (11, 0))
        canvas.setFont(FONT, size)
        canvas.drawString(x, 700 + rise, text)
        x += stringWidth(text, FONT, size)
    canvas.save()
    return read_pdf(out.getvalue()).text.split("\n")[-1]


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        (("count 0.5 x 10", ("9", UP), "/L"), "count 0.5 x 10⁹/L"),
        (("10", ("2.5", UP), " copies"), "10^(2.5) copies"),
        (("10", ("\u20133", UP), " mol"), "10⁻³ mol"),
        (("75 mg/m", ("2", UP), " iv"), "75 mg/m² iv"),
        (("give 5 mg", ("1,2", UP), " daily"), "give 5 mg[1,2] daily"),
        (("give 5 mg", ("a", UP), " daily"), "give 5 mg[a] daily"),
        (("log", ("10", DOWN), "5 and CO", ("2", DOWN), " 40"), "log₁₀5 and CO2 40"),
        (("take 2", ("1", UP), ("/", (9, 0)), ("2", DOWN), " tablets"), "take 2 1/2 tablets"),
        (("Ca", ("2+", UP), " and 25", ("3", UP), " mg"), "Ca²⁺ and 25[3] mg"),
    ],
)
def test_raised_and_lowered_figures_do_not_join_the_line(parts, text):
    assert line_of_pdf(*parts) == text


def test_a_soft_hyphen_at_the_end_of_a_line_is_a_hyphen():
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=A4)
    for place, text in enumerate((BY_MOUTH, "Give 10\u00ad", "20 mg daily")):
        canvas.drawString(60, 780 - 14 * place, text)
    canvas.save()
    assert read_pdf(out.getvalue()).text.endswith("Give 10-\n20 mg daily")


MEASURED = "The level is measured before the second dose"


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
        lines.append(line(f"left {number} {MEASURED}", 100, 120 + 25 * number, 580))
        lines.append(line(f"right {number} {MEASURED}", 640, 123 + 25 * number, 1100))
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
    assert read == OcrText("Age | Dose", (0.7,) * 3 + (1.0,) * 3 + (0.4,) * 4)


def doubtful(text, sure):
    read = OcrText(text, tuple(sure) if isinstance(sure, list) else (sure,) * len(text))
    return [text[start:end] for start, end, _ in doubtful_words(read)]


def test_a_number_is_in_doubt_by_its_least_sure_character_and_a_word_is_not():
    text = "Give 0.5 mg"
    assert doubtful(text, [1.0] * 7 + [0.6] + [1.0] * 3) == ["0.5"]
    assert doubtful(text, [0.6] + [1.0] * 10) == []


def test_in_a_line_of_low_confidence_every_number_and_look_alike_is_in_doubt_and_in_the_next_line_none():
    assert doubtful("Give 5 mg of modern IO1 now", 0.7) == ["5", "modern", "IO1"]
    text = "Dose 5 mg\nDose 5 mg"
    assert [start for start, _, _ in doubtful_words(OcrText(text, (0.7,) * 9 + (1.0,) * 10))] == [5]


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
