"""Make the sample study's scanned page: a one-page PDF that is a picture of a poster and holds no text.

Run from the root of the repository:  python tests/tools/make_scanned_pdf.py
"""

import io
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pypdfium2
from reportlab.lib.pagesizes import A4
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

TARGET = Path(__file__).parents[2] / "sample_data" / "pages" / "adrenaline-poster-scan.pdf"
DPI = 110
DOSES = (
    ("Adult, and child over 12 years", "500 micrograms", "0.5 mL"),
    ("Child 6 to 12 years", "300 micrograms", "0.3 mL"),
    ("Child 6 months to 6 years", "150 micrograms", "0.15 mL"),
    ("Child under 6 months", "100 to 150 micrograms", "0.1 to 0.15 mL"),
)
STEPS = (
    "Call for help. Remove the trigger.",
    "Lie flat, legs raised. Sit up only if breathing is hard.",
    "Adrenaline into the muscle: outer side of the thigh, middle third.",
    "Oxygen at high flow. Monitor.",
    "No better after 5 minutes? Repeat the same dose.",
    "Two doses without success: call critical care.",
)


class Bitmap(ImageReader):  # type: ignore[misc]
    """A grey picture (height x width, 0 black to 255 white) in the shape that reportlab embeds."""

    mode = "L"

    def __init__(self, grey: npt.NDArray[np.uint8]) -> None:
        self.grey = grey
        self.fileName = "scan"
        self._ident = self._dataA = None

    def getSize(self) -> tuple[int, int]:
        """Width and height in pixels."""
        return self.grey.shape[1], self.grey.shape[0]

    def getRGBData(self) -> bytes:
        """One byte for each pixel, row by row, as ``mode`` says."""
        return self.grey.tobytes()

    def getTransparent(self) -> None:
        """No colour is transparent."""


def poster() -> bytes:
    """The poster as it was before it was scanned: a PDF with text, slightly askew."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=A4, invariant=1)
    canvas.translate(8, -6)
    canvas.rotate(0.6)
    canvas.setFont("Helvetica-Bold", 30)
    canvas.drawString(55, 770, "ANAPHYLAXIS")
    canvas.setFont("Helvetica", 14)
    canvas.drawString(55, 745, "Adrenaline into the muscle, 1 mg/mL (1 in 1000)")
    canvas.setLineWidth(2)
    canvas.line(55, 732, 540, 732)
    for row, (age, dose, volume) in enumerate((("Age", "Dose", "Volume"), *DOSES)):
        canvas.setFont("Helvetica-Bold" if row == 0 else "Helvetica", 14)
        y = 700 - 34 * row
        canvas.drawString(62, y, age)
        canvas.drawString(280, y, dose)
        canvas.drawString(438, y, volume)
        canvas.rect(55, y - 11, 485, 34)
    for number, step in enumerate(STEPS, start=1):
        canvas.setFont("Helvetica-Bold", 16)
        canvas.drawString(62, 525 - 42 * number, str(number))
        canvas.setFont("Helvetica", 14)
        canvas.drawString(90, 525 - 42 * number, step)
    canvas.setFont("Helvetica-Bold", 16)
    canvas.drawString(62, 215, "MICROGRAMS, NOT MILLIGRAMS. Half an ampoule for an adult.")
    canvas.setFont("Helvetica", 9)
    canvas.drawString(62, 60, "Resuscitation Guild (fictional). Poster 7a, May 2025. Display in every treatment room.")
    canvas.save()
    return buffer.getvalue()


def scan(pdf: bytes) -> npt.NDArray[np.uint8]:
    """The first page as a scanner sees it: black and white, with the shadow of the lid and specks of dust."""
    page = pypdfium2.PdfDocument(pdf)[0]
    grey = page.render(scale=DPI / 72, grayscale=True).to_numpy()
    grey = grey.reshape(grey.shape[0], -1)
    black_white = np.where(grey < 150, 0, 255).astype(np.uint8)
    dust = np.random.default_rng(7).integers(0, black_white.size, 260)
    black_white.reshape(-1)[dust] = 0
    black_white[:, :5] = 60
    return black_white


def main() -> None:
    """Write the scanned page."""
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    canvas = Canvas(str(TARGET), pagesize=A4, pageCompression=1, invariant=1)
    canvas.setTitle("Scan_20250519_0001")
    canvas.drawImage(Bitmap(scan(poster())), 0, 0, *A4)
    canvas.save()


if __name__ == "__main__":
    main()
