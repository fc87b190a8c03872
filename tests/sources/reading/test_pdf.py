"""PDF to text in a child process."""

import io

import pytest
from reportlab.lib.pagesizes import A4
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate, Table

from medreview.sources.reading.pdf import PdfLimits, read_pdf

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
    pages = read_pdf(guideline, PdfLimits(pages=1))
    assert len(pages.page_starts) == 1
    assert pages.evidence == "Only the first 1 of 2 pages were read."
    assert len(read_pdf(guideline, PdfLimits(characters=100)).text) == 100
