"""Makes the sample study's PDF with a dose table: ``python tests/tools/make_sample_pdfs.py``.

Needs reportlab (a development dependency). The output is the same, byte for byte, on every run.
"""

from collections.abc import Sequence
from pathlib import Path

from reportlab.lib import colors
from reportlab.lib.pagesizes import A4, landscape
from reportlab.lib.styles import ParagraphStyle, getSampleStyleSheet
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Flowable, Paragraph, SimpleDocTemplate, Spacer, Table, TableStyle

PAGES = Path(__file__).resolve().parents[2] / "sample_data" / "pages"
STYLES = getSampleStyleSheet()
TITLE, BODY = STYLES["Title"], STYLES["BodyText"]
HEADING = ParagraphStyle("heading", parent=STYLES["Heading2"], keepWithNext=1)
CELL = ParagraphStyle("cell", parent=BODY, fontSize=8.5, leading=10.5)
HEAD = ParagraphStyle("head", parent=CELL, fontName="Helvetica-Bold")
SMALL = ParagraphStyle("small", parent=BODY, fontSize=7.5, leading=9.5)

DOSES = (
    ("Indication", "CrCl 30 mL/min or more", "CrCl 15 to 29 mL/min"),
    (
        "Treatment, deep vein thrombosis, pulmonary embolism",
        "1 mg/kg every 12 hours (low risk: 1.5 mg/kg daily)",
        "1 mg/kg once daily",
    ),
    ("Prophylaxis, medical patients", "40 mg once daily", "20 mg daily (European label), 30 mg daily (American label)"),
    (
        "Prophylaxis, surgery with moderate risk",
        "20 mg once daily, first dose 2 hours before surgery",
        "20 mg once daily",
    ),
    (
        "Prophylaxis, surgery with high risk",
        "40 mg once daily, first dose 12 hours before surgery",
        "20 mg daily (European label), 30 mg daily (American label)",
    ),
    ("Unstable angina, infarction without ST elevation", "1 mg/kg every 12 hours, with aspirin", "1 mg/kg once daily"),
    (
        "Infarction with ST elevation, under 75 years",
        "30 mg by vein and 1 mg/kg, then 1 mg/kg every 12 hours",
        "30 mg by vein and 1 mg/kg, then 1 mg/kg once daily",
    ),
    (
        "Infarction with ST elevation, 75 years and older",
        "0.75 mg/kg every 12 hours, nothing by vein",
        "1 mg/kg once daily, nothing by vein",
    ),
)

SYRINGES = (
    ("Actual weight", "1 mg/kg once daily", "Syringe and volume (100 mg/mL)"),
    ("50 kg", "50 mg", "60 mg syringe, give 0.5 mL"),
    ("60 kg", "60 mg", "60 mg syringe, give 0.6 mL"),
    ("70 kg", "70 mg", "80 mg syringe, give 0.7 mL"),
    ("80 kg", "80 mg", "80 mg syringe, give 0.8 mL"),
    ("90 kg", "90 mg", "100 mg syringe, give 0.9 mL"),
    ("100 kg", "100 mg", "100 mg syringe, give 1 mL"),
)

BEFORE_TABLE = (
    "For prescribers and ward pharmacists. Adults only. This table does not replace the product information or the "
    "advice of the thrombosis team on extension 4417.",
    "Enoxaparin is cleared mainly by the kidney. When creatinine clearance (CrCl) falls below 30 mL/min it builds up "
    "from one dose to the next, and bleeding becomes more frequent. Estimate CrCl by the formula of Cockcroft and "
    "Gault with the actual body weight before the first dose, and again whenever creatinine changes. Do not use the "
    "eGFR printed by the laboratory.",
)

NOTES = (
    "Mild or moderate impairment (CrCl 30 to 80 mL/min): the dose stays as it is. Watch closely for bleeding.",
    "CrCl below 15 mL/min, and dialysis: enoxaparin is not recommended. Use unfractionated heparin, which does not "
    "depend on the kidney and can be reversed fully.",
    "Acute kidney injury: creatinine lags behind. Treat a rising value as if CrCl were below 30 mL/min, and review "
    "every day.",
    "Infarction with ST elevation: each of the first two doses under the skin is 100 mg at most (75 mg from "
    "the age of 75).",
    "Weight over 120 kg or under 45 kg: ask the thrombosis team before the second dose.",
)

MONITORING = (
    "Anti-Xa levels are not needed as a routine. Ask for one when CrCl is below 30 mL/min and treatment lasts more "
    "than three days, at extremes of weight, in pregnancy, and when bleeding or thrombosis happens on treatment.",
    "Take the sample 4 hours after an injection, and not before the third dose. Write the times of dose and sample on "
    "the request. Usual peaks: 0.6 to 1.0 IU/mL with a dose every 12 hours, 1.0 to 2.0 IU/mL with one dose a day.",
    "Platelets: count before the first dose and, in patients at risk, every 2 to 3 days from day 4 to day 14. A fall "
    "by half suggests heparin-induced thrombocytopenia. Potassium: measure after 7 days, earlier with diabetes, "
    "kidney disease or drugs that raise it.",
)

BLEEDING = (
    "Stop enoxaparin, press, replace volume, call for help. Protamine neutralises the anti-Xa effect only in part, at "
    "most about 60%.",
    "Within 8 hours of the dose: 1 mg of protamine for each 1 mg of enoxaparin, slowly into a vein. Between 8 and 12 "
    "hours: 0.5 mg for each 1 mg. After 12 hours protamine may not be needed; with poor kidneys the effect lasts "
    "longer.",
)

NEURAXIAL = (
    "Spinal or epidural puncture, and removal of a catheter: wait at least 12 hours after a dose for prophylaxis and "
    "at least 24 hours after a dose for treatment. When CrCl is below 30 mL/min, double these times.",
)


def _table(rows: Sequence[Sequence[str]], widths: Sequence[float]) -> Table:
    cells = [[Paragraph(text, HEAD if number == 0 else CELL) for text in row] for number, row in enumerate(rows)]
    table = Table(cells, colWidths=[width * mm for width in widths], repeatRows=1)
    grid = [
        ("GRID", (0, 0), (-1, -1), 0.4, colors.grey),
        ("BACKGROUND", (0, 0), (-1, 0), colors.whitesmoke),
        ("VALIGN", (0, 0), (-1, -1), "TOP"),
    ]
    table.setStyle(TableStyle(grid))
    return table


def _section(title: str, paragraphs: Sequence[str]) -> list[Flowable]:
    return [Paragraph(title, HEADING), *(Paragraph(text, BODY) for text in paragraphs)]


def _footer(canvas: Canvas, document: SimpleDocTemplate) -> None:
    canvas.saveState()
    canvas.setFont("Helvetica", 7)
    canvas.drawString(20 * mm, 12 * mm, "Northfell Hospital Pharmacy. Guideline PH-118, version 6, reviewed May 2026")
    canvas.drawRightString(277 * mm, 12 * mm, f"Page {document.page}")
    canvas.restoreState()


def enoxaparin_doses(path: Path) -> None:
    """Writes a hospital's guideline on enoxaparin in renal impairment: text and two tables on two pages."""
    story: list[Flowable] = [
        Paragraph("Enoxaparin: doses in renal impairment", TITLE),
        *(Paragraph(text, BODY) for text in BEFORE_TABLE),
        Paragraph("Table 1. Dose by indication and creatinine clearance", HEADING),
        _table(DOSES, (82, 87, 88)),
        Paragraph("Notes to table 1", HEADING),
        *(Paragraph(f"{number}. {text}", BODY) for number, text in enumerate(NOTES, 1)),
        Paragraph("Table 2. Treatment dose with CrCl 15 to 29 mL/min", HEADING),
        _table(SYRINGES, (60, 80, 117)),
        *_section("Monitoring", MONITORING),
        *_section("Bleeding", BLEEDING),
        *_section("Anaesthesia", NEURAXIAL),
        Spacer(1, 6 * mm),
        Paragraph(
            "Written for the sample study of medreview. Northfell Hospital is invented. Sources: product information "
            "of enoxaparin, European and American, as in force in 2025.",
            SMALL,
        ),
    ]
    document = SimpleDocTemplate(
        str(path), pagesize=landscape(A4), leftMargin=20 * mm, rightMargin=20 * mm, invariant=1,
        title="Enoxaparin: doses in renal impairment", author="Northfell Hospital Pharmacy",
    )  # fmt: skip
    document.build(story, onFirstPage=_footer, onLaterPages=_footer)


if __name__ == "__main__":
    enoxaparin_doses(PAGES / "enoxaparin-doses.pdf")
