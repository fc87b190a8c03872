"""Read the sample study's scanned page by the real engine, and keep what it said beside the pages.

Run from the root of the repository:  python -m tests.tools.record_scans
"""

from pathlib import Path

from medreview.sources.reading.ocr import ocr_engine, read_picture
from medreview.sources.scan_stage import Pictures, RecordedScan, scans_json
from medreview.text import sha256
from tests.tools.make_scanned_pdf import TARGET as POSTER

TARGET = Path(__file__).parents[2] / "sample_data" / "scans.json"


def recorded() -> str:
    """The file's text."""
    body = POSTER.read_bytes()
    page = read_picture(body, 0)
    assert page is not None
    return scans_json([RecordedScan(sha256(body), ocr_engine(), Pictures({0: page}, {}))])


if __name__ == "__main__":
    TARGET.write_text(recorded(), encoding="utf-8")
