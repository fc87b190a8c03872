"""Raised and lowered figures of a PDF: no number becomes another one."""

import io

import pytest
from reportlab.lib.pagesizes import A4
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from medreview.sources.reading.pdf import read_pdf

FONT = "Helvetica"
UP, DOWN = (7, 4), (7, -2)
PROSE = "The medicine is taken by mouth in the morning with a glass of water and some food."


def line(*parts):
    """The text of a PDF line of parts: a string as it stands, or a string with its size and rise."""
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=A4)
    canvas.setFont(FONT, 11)
    canvas.drawString(60, 780, PROSE)
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
    assert line(*parts) == text


def test_a_soft_hyphen_at_the_end_of_a_line_is_a_hyphen():
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=A4)
    for place, text in enumerate((PROSE, "Give 10\u00ad", "20 mg daily")):
        canvas.drawString(60, 780 - 14 * place, text)
    canvas.save()
    assert read_pdf(out.getvalue()).text.endswith("Give 10-\n20 mg daily")
