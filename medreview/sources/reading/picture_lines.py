"""The lines of text in a picture of a page, by RapidOCR; its models are in its package, so that nothing is asked for.

Native code reads what may be hostile here: call it in a child process with limits (``sources.children``).
"""

from functools import cache
from typing import Any, Final, NamedTuple

from medreview.sources.reading.ocr_name import ENGINE
from medreview.sources.reading.picture_layout import PictureLine

THREADS: Final = 1
"""Threads of one page: with two the engine holds twice the memory, and takes a third more processor time."""
_MODELS: Final = {"Det": "PP-OCRv6_det_small.onnx", "Rec": "PP-OCRv6_rec_small.onnx"}
_TALL: Final = 1.5
"""Heights to a width from which on a line stands upright."""
_SURE: Final = 0.85
"""Mean confidence of a page from which on nobody asks whether it lies upside down."""
_UNREADABLE: Final = 0.5
"""Mean confidence of a line below which what was read is noise, not text."""


def ocr_engine() -> str:
    """Name and version of the engine, and of the rules for lines, order and doubt, as stored with each page."""
    from importlib.metadata import version  # slow to load, and asked where a page is read

    return f"{ENGINE} {version('rapidocr')}, PP-OCRv6, scans 1"


class PictureText(NamedTuple):
    """What was found in a picture: its lines, and how many more there were that could not be read."""

    lines: list[PictureLine]
    unread: int


def lines_in(picture: Any) -> PictureText:
    """The lines of a picture (height x width x 3, BGR, 8 bits), whichever way up the page lies.

    A page is turned where most of its lines stand upright, and turned round where hardly anything on it can be read and
    more can be read then.
    """
    import numpy as np

    lines = _read(picture)
    if sum(line.height > _TALL * line.width for line in lines) * 2 > len(lines):
        picture = np.ascontiguousarray(np.rot90(picture))
        lines = _read(picture)
    if lines and _sureness(lines) < _SURE:
        lines = max(lines, _read(np.ascontiguousarray(np.rot90(picture, 2))), key=_sureness)
    readable = [line for line in lines if line.confidence >= _UNREADABLE]
    return PictureText(readable, len(lines) - len(readable))


def _sureness(lines: list[PictureLine]) -> float:
    """Mean confidence by characters."""
    count = sum(len(line.text) for line in lines)
    return sum(line.confidence * len(line.text) for line in lines) / count if count else 0.0


def _read(picture: Any) -> list[PictureLine]:
    engine = _engine()
    bounded, record = engine.preprocess_img(picture)
    found, _, read, _ = engine.run_ocr_steps(bounded, record)
    if found.boxes is None or read.txts is None:
        return []
    lines = []
    for box, text, score, word in zip(found.boxes, read.txts, read.scores, read.word_results, strict=True):
        given = list(word.confs)
        confidences = given if len(given) == len(text) else [score] * len(text)
        if text.strip():
            corners = tuple((float(x), float(y)) for x, y in box)
            lines.append(PictureLine(corners, text, tuple(map(float, confidences))))
    return lines


@cache
def _engine() -> Any:
    """The engine with both models loaded, which takes a second.

    Its classifier of direction is left out: on long lines it is wrong too often, and turns what was right.
    """
    from importlib.resources import files

    import cv2
    import rapidocr

    cv2.setNumThreads(1)
    models = files(rapidocr) / "models"
    engine = rapidocr.RapidOCR(
        params={
            "Global.log_level": "critical",
            "Global.use_cls": False,
            "EngineConfig.onnxruntime.intra_op_num_threads": THREADS,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
            **{f"{part}.model_path": str(models / name) for part, name in _MODELS.items()},
        }
    )
    engine.return_word_box = True  # which also gives the confidence of each character
    return engine
