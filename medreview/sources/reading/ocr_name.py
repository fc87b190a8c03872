"""The name by which the engine of OCR stands with each page, apart from the engine: every study that opens asks it."""

from typing import Final

ENGINE: Final = "RapidOCR"
