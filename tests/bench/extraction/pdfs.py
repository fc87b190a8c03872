"""Ten PDFs of different build, made by reportlab, the same bytes every time."""

import io
from collections.abc import Callable
from typing import Any

from reportlab import rl_config
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4, landscape
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    BaseDocTemplate,
    Flowable,
    Frame,
    PageBreak,
    PageTemplate,
    Paragraph,
    SimpleDocTemplate,
    Spacer,
    Table,
)

Side = dict[str, Any]
_STYLES = getSampleStyleSheet()
_GRID = [("GRID", (0, 0), (-1, -1), 0.5, colors.black)]
_WIDTH, _HEIGHT = A4


def all_pdfs() -> list[tuple[str, bytes, Side]]:
    """Name, bytes and side file of every PDF. Numbers of pages in the side files begin with 1."""
    made: list[tuple[str, bytes, Side]] = []
    before, rl_config.invariant = rl_config.invariant, 1  # no dates and no random ids
    try:
        for maker in _MAKERS:
            out = io.BytesIO()
            side = maker(out)
            made.append((maker.__name__, out.getvalue(), side))
    finally:
        rl_config.invariant = before
    return made


def _p(text: str, style: str = "BodyText") -> Flowable:
    return Paragraph(text, _STYLES[style])


def _filler(topic: str, count: int) -> list[Flowable]:
    return [
        _p(
            f"Point {number} on {topic}: the team writes down what was found, who was told and when the next look is "
            "due. Nothing in this paragraph is a fact that anybody would want to check."
        )
        for number in range(1, count + 1)
    ]


def one_column(out: io.BytesIO) -> Side:
    rows = [
        ["Creatinine clearance", "Dose", "Interval"],
        ["60 mL/min and over", "5 mg/kg", "24 hours"],
        ["40 to 59 mL/min", "5 mg/kg", "36 hours"],
        ["20 to 39 mL/min", "4 mg/kg", "48 hours"],
        ["below 20 mL/min", "3 mg/kg", "by level"],
    ]
    SimpleDocTemplate(out).build(
        [
            _p("Gentamicin once daily: invented chart", "Title"),
            _p("Doses are by ideal body weight, and the first dose is never more than 480 mg."),
            Table(rows, style=_GRID),
            _p("Take the first level 18 to 24 hours after the first dose. Give the next dose when it is below 1 mg/L."),
            _p("Do not use the chart in endocarditis, in burns of more than 20% or in pregnancy."),
        ]
    )
    facts = [
        "the first dose is never more than 480 mg",
        "18 to 24 hours after the first dose",
        "when it is below 1 mg/L",
        "burns of more than 20% or in pregnancy",
    ]
    return {"kind": "one column with a table", "facts": facts, "rows": rows, "pages": {facts[0]: 1}}


def two_columns(out: io.BytesIO) -> Side:
    document = BaseDocTemplate(out)
    frames = [Frame(50 + column * 260, 50, 240, _HEIGHT - 100, id=f"c{column}") for column in range(2)]
    document.addPageTemplates(PageTemplate(frames=frames))
    left = "Alteplase is given within 4.5 hours of the first sign of a stroke, at 0.9 mg/kg and at most 90 mg."
    right = "Blood pressure has to be below 185/110 mmHg before the bolus and below 180/105 mmHg for 24 hours after it."
    last = "Aspirin 300 mg daily is begun 24 hours after the bolus, once a scan has shown no bleeding."
    document.build(
        [
            *(_p("Thrombolysis", "Heading1"), _p(left), *_filler("the left column", 16)),
            *(_p(right), *_filler("the right column", 14)),
            *(_p("Aftercare", "Heading2"), _p(last), *_filler("aftercare", 6)),
        ]
    )
    facts = [left, right, last]
    return {"kind": "two columns", "facts": facts, "rows": [], "pages": {left: 1}}


def unicode_text(out: io.BytesIO) -> Side:
    pdfmetrics.registerFont(TTFont("Vera", "Vera.ttf"))  # comes with reportlab
    canvas = Canvas(out, pagesize=A4)
    canvas.setFont("Vera", 11)
    lines = [
        "Eﬃcacy was the same: the ﬁltration rate fell by ≤ 5 mL/min in 92 % of patients.",
        "Levothyroxine is increased by 25 µg at a time; café-au-lait spots are no reason to stop.",
        "Temperature ≥ 38.5 °C, weight ± 0.5 kg, dose × 2: ring the ward of Prof. Müller-Ångström.",
        "Naïve patients start at ½ tablet – never at a whole one.",
    ]
    for number, line in enumerate(lines):
        canvas.drawString(50, 780 - 22 * number, line.replace("ﬃ", "f\ufb01"))
    text = canvas.beginText(50, 660)
    text.setFont("Vera", 11)
    text.textOut("Stop when neutrophils are below 0.5 × 10")
    text.setRise(5)
    text.setFont("Vera", 7)
    text.textOut("9")
    text.setRise(0)
    text.setFont("Vera", 11)
    text.textOut("/L on two counts.")
    canvas.drawText(text)
    canvas.save()
    facts: list[Any] = [
        "Efficacy was the same: the filtration rate fell by ≤ 5 mL/min in 92 % of patients.",
        ["increased by 25 µg at a time", "increased by 25 μg at a time"],
        "café-au-lait spots are no reason to stop",
        "Temperature ≥ 38.5 °C, weight ± 0.5 kg, dose × 2",
        "Müller-Ångström",
        "Naïve patients start at ½ tablet – never at a whole one.",
        [f"below 0.5 × 10{nine}/L on two counts" for nine in ("⁹", "^9", " 9", "[9]")],
    ]
    return {"kind": "Unicode, ligatures and a raised figure", "facts": facts, "rows": []}


def footnotes(out: io.BytesIO) -> Side:
    def foot(canvas: Canvas, document: SimpleDocTemplate) -> None:
        canvas.setFont("Times-Roman", 7)
        canvas.line(72, 68, 220, 68)
        notes = {
            1: ("1 In adults under 50 kg: 15 mg/kg.", "2 Ideal weight in obesity."),
            2: ("3 Not in Wilson’s disease.",),
        }
        for place, note in enumerate(notes.get(document.page, ())):
            canvas.drawString(72, 58 - 9 * place, note)

    SimpleDocTemplate(out, bottomMargin=90).build(
        [
            _p("Acetylcysteine in paracetamol overdose", "Heading1"),
            _p("The first bag holds 150 mg/kg<super>2</super> in 200 mL of glucose 5% and runs over 1 hour."),
            _p("The second bag holds 50 mg/kg in 500 mL and runs over 4 hours."),
            _p("The usual single dose<super>1</super> of paracetamol is 1 g."),
            PageBreak(),
            _p("The third bag holds 100 mg/kg in 1000 mL and runs over 16 hours.<super>3</super>"),
        ],
        onFirstPage=foot,
        onLaterPages=foot,
    )
    second, third = "50 mg/kg in 500 mL and runs over 4 hours", "100 mg/kg in 1000 mL and runs over 16 hours"
    facts: list[Any] = [
        [f"The first bag holds 150 mg/kg{two} in 200 mL of glucose 5%" for two in ("[2]", "²", "^2", " 2", "")],
        second,
        third,
        "In adults under 50 kg: 15 mg/kg.",
        "Not in Wilson’s disease.",
    ]
    pages = {second: 1, third: 2, "Not in Wilson’s disease.": 2}
    return {"kind": "footnotes at the foot of the page", "facts": facts, "rows": [], "pages": pages}


def running_heads(out: io.BytesIO) -> Side:
    pages = [
        ("Target INR is 2.5 for atrial fibrillation (range 2.0 to 3.0).", "A second dose of vitamin K is given"),
        (
            "after 12 to 24 hours if the INR is still above 5.0.",
            "For bleeding: prothrombin complex, 25 to 50 units/kg.",
        ),
        ("Restart warfarin when the INR is below 5.0.", "Review every patient within 7 days."),
    ]
    canvas = Canvas(out, pagesize=A4)
    for number, (first, last) in enumerate(pages, 1):
        canvas.setFont("Helvetica-Oblique", 8)
        canvas.drawString(50, 815, "Invented Trust: anticoagulation policy, version 7")
        canvas.drawRightString(545, 815, "UNCONTROLLED WHEN PRINTED")
        canvas.drawCentredString(_WIDTH / 2, 25, f"Page {number} of 3")
        canvas.setFont("Helvetica", 11)
        canvas.drawString(50, 780, first)
        for line in range(20):
            canvas.drawString(50, 755 - 30 * line, f"Line {line + 1} of this page says that records are kept in order.")
        canvas.drawString(50, 60, last)
        canvas.showPage()
    canvas.save()
    facts = [pages[0][0], pages[1][1], pages[2][0], pages[2][1], f"{pages[0][1]} {pages[1][0]}"]
    where = {pages[0][0]: 1, pages[1][1]: 2, pages[2][1]: 3}
    kind = "repeated heads and feet, and a sentence that runs over the end of a page"
    return {"kind": kind, "facts": facts, "rows": [], "pages": where}


def rotated(out: io.BytesIO) -> Side:
    rows = [
        ["Phase", "Adrenaline", "Amiodarone"],
        ["After shock 3", "1 mg", "300 mg"],
        ["After shock 5", "1 mg", "150 mg"],
        ["Asystole", "1 mg", "none"],
    ]
    canvas = Canvas(out, pagesize=A4)
    canvas.setFont("Helvetica", 11)
    canvas.drawString(50, 780, "Cardiac arrest: compress at 100 to 120 a minute, 5 to 6 cm deep.")
    canvas.showPage()
    canvas.setPageRotation(90)
    canvas.setFont("Helvetica", 11)
    canvas.translate(_WIDTH, 0)
    canvas.rotate(90)
    canvas.drawString(50, 540, "Give adrenaline every 3 to 5 minutes once it has been started.")
    for line, cells in enumerate(rows):
        for column, cell in enumerate(cells):
            canvas.drawString(50 + 180 * column, 500 - 24 * line, cell)
    canvas.showPage()
    canvas.setPageSize(landscape(A4))
    canvas.setFont("Helvetica", 11)
    canvas.drawString(50, 540, "Check the reversible causes: hypoxia, hypovolaemia, hypothermia and hyperkalaemia.")
    canvas.save()
    facts = [
        "compress at 100 to 120 a minute, 5 to 6 cm deep",
        "Give adrenaline every 3 to 5 minutes once it has been started.",
        "hypoxia, hypovolaemia, hypothermia and hyperkalaemia",
    ]
    pages = {fact: number for number, fact in enumerate(facts, 1)}
    return {"kind": "a turned page and a wide one", "facts": facts, "rows": rows, "pages": pages}


def long_table(out: io.BytesIO) -> Side:
    head = ["Weight (kg)", "Dose (mg)", "Volume (mL)", "Drops a minute"]
    body = [[str(kg), f"{kg * 2.5:g}", f"{kg * 0.25:g}", str(kg + 7)] for kg in range(3, 121)]
    SimpleDocTemplate(out).build(
        [
            _p("Infusion of the invented drug tervastan by weight", "Heading1"),
            Table([head, *body], repeatRows=1, style=_GRID),
            _p("Patients over 120 kg are given 300 mg."),
        ]
    )
    rows = [head, *(body[kg - 3] for kg in (3, 4, 33, 57, 60, 88, 119, 120))]
    facts = ["Infusion of the invented drug tervastan by weight", "Patients over 120 kg are given 300 mg."]
    return {"kind": "a table over several pages", "facts": facts, "rows": rows, "pages": {facts[0]: 1}}


def form(out: io.BytesIO) -> Side:
    fields = [
        ("Medicine", "Vancomycin"), ("Route", "intravenous"), ("Loading dose", "25 mg/kg, at most 2 g"),
        ("Rate", "10 mg/min or slower"), ("Target trough", "15 to 20 mg/L"), ("First level", "before the fourth dose"),
    ]  # fmt: skip
    canvas = Canvas(out, pagesize=A4)
    canvas.setFont("Helvetica-Bold", 14)
    canvas.drawString(60, 790, "PRESCRIPTION LABEL (INVENTED WARD)")
    for number, (label, value) in enumerate(fields):
        top = 740 - 40 * number
        canvas.rect(55, top - 10, 480, 32)
        canvas.setFont("Helvetica", 8)
        canvas.drawString(60, top, label)
        canvas.setFont("Courier", 12)
        canvas.drawString(220, top, value)
    canvas.setFont("Helvetica-Bold", 10)
    canvas.drawString(60, 470, "DO NOT GIVE AS A BOLUS.")
    canvas.saveState()
    canvas.translate(40, 400)
    canvas.rotate(90)
    canvas.setFont("Helvetica", 7)
    canvas.drawString(0, 0, "Batch 0017 Exp 05/2028")
    canvas.restoreState()
    canvas.save()
    facts = [value for _, value in fields[2:]] + ["DO NOT GIVE AS A BOLUS.", "Batch 0017 Exp 05/2028"]
    return {
        "kind": "label like a form, with a line up the side",
        "facts": facts,
        "rows": [list(pair) for pair in fields],
    }


def long_document(out: io.BytesIO) -> Side:
    story: list[Flowable] = []
    for chapter in range(1, 41):
        story += [_p(f"Chapter {chapter}", "Heading1"), *_filler(f"chapter {chapter}", 8)]
        story.append(_p(f"In chapter {chapter} the invented dose is {chapter * 12.5:g} mg every {chapter + 4} hours."))
        story += [Spacer(1, 12), *_filler(f"the end of chapter {chapter}", 6), PageBreak()]
    SimpleDocTemplate(out).build(story)
    pages = {
        f"In chapter {chapter} the invented dose is {chapter * 12.5:g} mg every {chapter + 4} hours.": chapter
        for chapter in (1, 2, 13, 26, 39, 40)
    }
    return {"kind": "forty pages", "facts": list(pages), "rows": [], "pages": pages}


def bookmarks(out: io.BytesIO) -> Side:
    canvas = Canvas(out, pagesize=A4)
    canvas.setTitle("Status epilepticus in children")
    parts = [
        ("Minute 5", "Give midazolam 0.3 mg/kg into the cheek, or lorazepam 0.1 mg/kg by vein."),
        ("Minute 15", "Give lorazepam 0.1 mg/kg a second time; no more than two doses of a benzodiazepine in all."),
        ("Minute 25", "Give levetiracetam 40 mg/kg in 5 minutes, at most 3 g, or phenytoin 20 mg/kg in 20 minutes."),
    ]
    for number, (title, text) in enumerate(parts):
        canvas.bookmarkPage(f"part{number}")
        canvas.addOutlineEntry(title, f"part{number}", level=0)
        canvas.bookmarkHorizontal(f"sub{number}", 0, 700)
        canvas.addOutlineEntry(f"{title}: doses", f"sub{number}", level=1)
        canvas.setFont("Helvetica-Bold", 14)
        canvas.drawString(50, 780, title)
        canvas.setFont("Helvetica", 10)
        canvas.drawString(50, 740, text)
        canvas.drawString(50, 700, "See the other steps:")
        canvas.linkRect("", "part0", (50, 690, 200, 712))
        canvas.showPage()
    canvas.showOutline()
    canvas.save()
    facts = [text for _, text in parts]
    pages = {fact: number for number, fact in enumerate(facts, 1)}
    return {"kind": "bookmarks and inner links", "facts": facts, "rows": [], "pages": pages}


_MAKERS: tuple[Callable[[io.BytesIO], Side], ...] = (
    one_column, two_columns, unicode_text, footnotes, running_heads,
    rotated, long_table, form, long_document, bookmarks,
)  # fmt: skip
