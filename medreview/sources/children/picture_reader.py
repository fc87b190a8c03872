"""Reading pages of a PDF from their pictures in a child process, one after the other."""

from importlib.util import find_spec
from typing import Final

from medreview.children.asking import ReadingLimits, ask
from medreview.errors import UserError
from medreview.event_loop import run_to_end
from medreview.sources.children.messages import picture_job, picture_of
from medreview.sources.reading.pdf_picture import PicturePage

PICTURE_LIMITS: Final = ReadingLimits(
    memory=2_500_000_000, cpu_seconds=90, wall_seconds=300.0, largest_idle=1_200_000_000
)
"""Limits for one page: the engine holds 0.5 GB, and takes up to 2 GB of addresses and 4 to 10 seconds of processor
time over a page."""
NEEDED: Final = ("rapidocr", "onnxruntime")
"""What ``medreview[ocr]`` installs."""


def require_ocr() -> None:
    """Raise :class:`~medreview.errors.UserError` when ``medreview[ocr]`` is not installed."""
    if not all(map(find_spec, NEEDED)):
        raise UserError(
            "Scanned pages are read by medreview[ocr], which is not installed: pip install 'medreview[ocr]'."
        )


def picture_in_child(body: bytes, number: int, limits: ReadingLimits = PICTURE_LIMITS) -> PicturePage | None:
    """A page of a PDF by OCR, by its index; ``None`` where there is nothing to read: it has text, or is blank.

    Raises :class:`~medreview.children.asking.NotReadError` when it cannot be read within the limits.
    """
    return run_to_end(ask("pictures", picture_job(number), body, limits, picture_of))
