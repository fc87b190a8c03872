"""PDFs whose pages are pictures, as a scanner makes them, drawn here."""

import io
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import pypdfium2
import pytest
from reportlab import rl_config
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from tests.tools.make_scanned_pdf import Bitmap

Draw = Callable[[Canvas], None]
Picture = npt.NDArray[np.uint8]


def column(lines: Sequence[str], *, left: float = 60, top: float = 780, size: float = 11, leading: float = 15) -> Draw:
    """Lines one below the other."""

    def draw(canvas: Canvas) -> None:
        canvas.setFont("Times-Roman", size)
        for number, line in enumerate(lines):
            canvas.drawString(left, top - leading * number, line)

    return draw


def picture(*parts: Draw, dpi: int = 150, tilt: float = 0.0, noise: float = 6.0) -> Picture:
    """What a scanner sees of a page with these parts, in grey: askew by so many degrees, with noise."""
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=A4, invariant=1)
    canvas.rotate(tilt)
    for draw in parts:
        draw(canvas)
    canvas.save()
    page = pypdfium2.PdfDocument(out.getvalue())[0]
    grey = page.render(scale=dpi / 72, grayscale=True).to_numpy()
    grey = grey.reshape(grey.shape[0], -1).astype(np.float32)
    grey += np.random.default_rng(3).normal(0, noise, grey.shape)
    return grey.clip(0, 255).astype(np.uint8)


def pdf_of(*pages: Draw | Picture | None) -> bytes:
    """A PDF with a page for each: one with text, a picture, or a blank one.

    What is drawn is compressed and not written in letters besides, which takes most of the time and no reader needs.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rl_config, "useA85", 0)
        return _pdf_of(*pages)


def _pdf_of(*pages: Draw | Picture | None) -> bytes:
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=A4, invariant=1)
    for page in pages:
        if isinstance(page, np.ndarray):
            canvas.drawImage(Bitmap(page), 0, 0, *A4)
        elif page is not None:
            page(canvas)
        canvas.showPage()
    canvas.save()
    return out.getvalue()
