"""A page of a PDF without text, read from its picture by OCR: lines, layout, lost blanks, doubtful words.

The lines are RapidOCR's, whose models are in its package, so that nothing is asked for. They become a text of columns,
table rows and paragraphs, as ``pdf`` writes those of a PDF. Numbers above all are marked where they may be wrong.
PDFium and the engine are native code that reads hostile input: call it in a child process with limits
(``medreview.sources.page_reader``).
"""

import math
import re
from collections.abc import Sequence
from functools import cache, cached_property
from itertools import islice
from statistics import median
from typing import Any, Final, NamedTuple

from medreview.sources.reading.page_states import count_words
from medreview.sources.reading.pdf import SCAN_WORDS, page_text
from medreview.sources.reading.text_structure import ENGINE

_GREEK: Final = "alpha|beta|gamma|delta|kappa|lambda|omega|sigma|theta"
_SMALL: Final = "and|are|at|by|for|from|in|is|of|or|over|per|than|the|to|vs|was|with"
_LOST: Final = re.compile(
    r"^\d{1,2}(?=[A-Z][a-z]{2})"  # the number of a list item: 1Call
    rf"|\b(?!(?:{_GREEK})\d)[a-z]{{4,}}(?=\d)|\b(?:{_SMALL})(?=\d)"  # take7.5, to15; not beta2
    rf"|\d[%)]?(?=(?:{_SMALL})\b)|\d%(?=[a-z]{{2}})"  # 30and, 82%per
    r"|[a-z]{2}[.,;:](?=\d)|[a-z)]{2}\.(?=[A-Z][a-z])"  # weeks.7, weeks.Reduce
)


def with_blanks(text: str, confidences: Sequence[float]) -> tuple[str, tuple[float, ...]]:
    """A line with the blanks that it has lost, which have the confidence 1; nothing else is changed."""
    parts: list[str] = []
    sure: list[float] = []
    at = 0
    for lost in _LOST.finditer(text):
        parts += (text[at : lost.end()], " ")
        sure += (*confidences[at : lost.end()], 1.0)
        at = lost.end()
    return "".join((*parts, text[at:])), (*sure, *confidences[at:])


_CELL_GAP: Final = 0.4
"""Heights of white between two cells of a row, at least; the engine's lines reach over their letters."""
_ITEM_GAP: Final = 2.0
"""Heights between the number or bullet of a list item and its text, at most."""
_PARAGRAPH_GAP: Final = 0.9
"""Heights of white between two lines from which on a new paragraph begins."""
_COLUMN_LINES: Final = 4
"""Lines of a column, at least."""
_COLUMN_LENGTH: Final = 18
"""Characters of the median line of a column; cells of a table are shorter."""
_COLUMN_FILLED: Final = 0.6
"""Share of its column's width that the median line fills; cells of a table fill less."""
_MOST_LINES: Final = 1_500
"""Lines of a page above which they are taken from top to bottom: a normal page has fewer."""


class PictureLine:
    """One line of a picture: its corners (x, y in pixels, from the upper left one clockwise), its text, and the
    confidence of each of its characters, 0..1."""

    def __init__(self, corners: tuple[tuple[float, float], ...], text: str, confidences: tuple[float, ...]) -> None:
        self.corners = corners
        self.text = text
        self.confidences = confidences

    @cached_property
    def width(self) -> float:
        """Length of the upper edge in pixels."""
        return math.dist(self.corners[0], self.corners[1])

    @cached_property
    def height(self) -> float:
        """Length of the left edge in pixels."""
        return math.dist(self.corners[0], self.corners[3])

    @property
    def slope(self) -> float:
        """Angle of the upper edge in radians; 0 lies level."""
        (x, y), (right, right_y) = self.corners[0], self.corners[1]
        return math.atan2(right_y - y, right - x)

    @property
    def confidence(self) -> float:
        """Mean of its characters."""
        return sum(self.confidences) / max(1, len(self.confidences))


class _PlacedLine(NamedTuple):
    """A line on the levelled page: its sides in pixels."""

    left: float
    top: float
    right: float
    bottom: float
    line: PictureLine

    @property
    def middle(self) -> float:
        return (self.top + self.bottom) / 2

    @property
    def height(self) -> float:
        return self.bottom - self.top


class OcrText(NamedTuple):
    """A text, and the confidence of each of its characters; what was put between the lines has 1."""

    text: str
    confidences: tuple[float, ...]


def written(lines: Sequence[PictureLine]) -> OcrText:
    """The text of a page in reading order: a line of the page is a line of the text, a blank line parts paragraphs,
    and cells of a row stand as ``a | b``."""
    placed = _levelled(lines)
    text: list[str] = []
    confidences: list[float] = []

    def put(characters: str, sure: Sequence[float] | None = None) -> None:
        text.append(characters)
        confidences.extend(sure if sure is not None else [1.0] * len(characters))

    for block in _columns(placed) if len(placed) <= _MOST_LINES else [placed]:
        if text:
            put("\n\n")
        rows = _rows(block)
        for number, row in enumerate(rows):
            if number:
                put(_between(rows[number - 1], row))
            for place, cell in enumerate(row):
                if place:
                    put(_between_cells(row, place))
                line, sure = cell.line.text, cell.line.confidences
                start, end = len(line) - len(line.lstrip()), len(line.rstrip())
                put(*with_blanks(line[start:end], sure[start:end]))
    return OcrText("".join(text), tuple(confidences))


def _levelled(lines: Sequence[PictureLine]) -> list[_PlacedLine]:
    """The lines where they would stand if the page lay straight."""
    long = [line.slope for line in lines if line.width > 3 * line.height]
    angle = -median(long) if long else 0.0
    cosine, sine = math.cos(angle), math.sin(angle)
    placed = []
    for line in lines:
        across = [x * cosine - y * sine for x, y in line.corners]
        down = [x * sine + y * cosine for x, y in line.corners]
        placed.append(_PlacedLine(min(across), min(down), max(across), max(down), line))
    return placed


def _columns(lines: list[_PlacedLine]) -> list[list[_PlacedLine]]:
    """Blocks in reading order; within one, lines are read from top to bottom and from left to right.

    Where a white strip parts two columns of prose, lines over both part the page into what is above and below them.
    """
    gutter = _gutter(lines)
    if gutter is None:
        return [lines] if lines else []
    over = sorted((line for line in lines if line.left < gutter < line.right), key=lambda line: line.top)
    blocks: list[list[_PlacedLine]] = []
    rest = [line for line in lines if not line.left < gutter < line.right]
    for number in range(len(over) + 1):
        upper = over[number].middle if number < len(over) else math.inf
        part = [line for line in rest if line.middle < upper]
        rest = [line for line in rest if line.middle >= upper]
        for side in ([one for one in part if one.right <= gutter], [one for one in part if one.left >= gutter]):
            blocks += _columns(side)
        if number < len(over):
            if blocks and not part and number and blocks[-1][-1] is over[number - 1]:
                blocks[-1].append(over[number])
            else:
                blocks.append([over[number]])
    return blocks


def _gutter(lines: list[_PlacedLine]) -> float | None:
    """Where a white strip stands between columns of prose: that which most lines stand beside and fewest lie over."""
    if len(lines) < 2 * _COLUMN_LINES:
        return None
    best, place = 0, None
    for right in sorted({line.right for line in lines}):
        after = [line.left for line in lines if line.left >= right]
        if not after:
            break
        gutter = (right + min(after)) / 2
        left_side = [line for line in lines if line.right <= gutter]
        right_side = [line for line in lines if line.left >= gutter]
        over = len(lines) - len(left_side) - len(right_side)
        gain = min(len(left_side), len(right_side)) - over
        if gain > best and _is_prose(left_side) and _is_prose(right_side):
            best, place = gain, gutter
    return place


def _is_prose(lines: list[_PlacedLine]) -> bool:
    """Whether lines fill a column, as those of a table do not."""
    if len(lines) < _COLUMN_LINES or median(len(line.line.text) for line in lines) < _COLUMN_LENGTH:
        return False
    width = max(line.right for line in lines) - min(line.left for line in lines)
    return median(line.right - line.left for line in lines) >= _COLUMN_FILLED * width


def _rows(lines: list[_PlacedLine]) -> list[list[_PlacedLine]]:
    """Lines that stand side by side, from left to right."""
    rows: list[list[_PlacedLine]] = []
    for line in sorted(lines, key=lambda line: line.middle):
        row = rows[-1] if rows else []
        beside = row and line.middle - row[0].middle < 0.5 * min(line.height, row[0].height)
        if beside and all(line.left >= one.right or line.right <= one.left for one in _without_overlap(row, line)):
            row.append(line)
        else:
            rows.append([line])
    return [sorted(row, key=lambda line: line.left) for row in rows]


def _without_overlap(row: list[_PlacedLine], line: _PlacedLine) -> list[_PlacedLine]:
    """The lines of a row that reach more than half a height into another one's width."""
    reach = 0.5 * line.height
    return [one for one in row if min(one.right, line.right) - max(one.left, line.left) > reach]


def _between(above: list[_PlacedLine], below: list[_PlacedLine]) -> str:
    white = min(one.top for one in below) - max(one.bottom for one in above)
    height = median(one.height for one in (*above, *below))
    return "\n\n" if white > _PARAGRAPH_GAP * height else "\n"


def _between_cells(row: list[_PlacedLine], place: int) -> str:
    before, cell = row[place - 1], row[place]
    gap = (cell.left - before.right) / max(1.0, min(before.height, cell.height))
    is_item = place == 1 and len(before.line.text.strip(".)( ")) <= 2 and gap < _ITEM_GAP
    return " " if gap < _CELL_GAP or is_item else " | "


SURE: Final = 0.95
"""Confidence of the least sure character of a word with a number, below which it is in doubt."""
SURE_LINE: Final = 0.96
"""Mean confidence of a line below which all its numbers are in doubt, and all that could be another word."""
FLAWLESS_LINE: Final = 0.985
"""Mean confidence of a line below which a number of thousands is in doubt: 3,919 is read as 3.919 there.

All three from tests.bench.ocr_pages: five of six wrong numbers are marked, nearly all of them on pages that are hardly
legible, and one right number of a hundred on pages that are scanned well."""

_WORD: Final = re.compile(r"\S+")
_DIGIT: Final = re.compile(r"\d")
_LOST_POINT: Final = re.compile(r"(?<![\d.,:/])0\d+(?![\d:/])|\d[.,][A-Za-z]")
"""A number as no one writes it, such as 05: it may have lost its decimal point, or a digit after it."""
_LOST_POWER: Final = re.compile(r"(?:[×x*] ?10\d{1,2}(?!\d)|\b10\d{1,2}/[A-Za-zµμ])")
"""A power whose exponent may have come down to the line: 109/L, x 106."""
_THOUSANDS: Final = re.compile(r"(?<!\d)\d{1,3}[.,]\d{3}(?!\d)")
_LOOK_ALIKE: Final = re.compile(r"(?=.*\d)(?=.*[A-Za-z])|[OQIlSZB|]\d|\d[OQIlSZB|]|\b[OIlSZB]{2,}\b|rn|vv|cl")
"""Digits among letters, and letters that stand for others or for digits: 0 and O, 1 and l and I, 5 and S, rn and m."""


def doubtful_words(read: OcrText) -> list[tuple[int, int, float]]:
    """Start, end (code points) and confidence of every doubtful word; the confidence is that of its least sure
    character."""
    found = []
    at = 0
    for line in read.text.split("\n"):
        sure = read.confidences[at : at + len(line)]
        mean = sum(sure) / len(sure) if sure else 1.0
        for word in _WORD.finditer(line):
            least = min(sure[word.start() : word.end()])
            text = word.group()
            if _DIGIT.search(text):
                is_doubtful = (
                    mean < SURE_LINE
                    or least < SURE
                    or _LOST_POINT.search(text) is not None
                    or _LOST_POWER.search(line, max(0, word.start() - 2), word.end()) is not None
                    or (mean < FLAWLESS_LINE and _THOUSANDS.search(text) is not None)
                )
            else:
                is_doubtful = mean < SURE_LINE and _LOOK_ALIKE.search(text) is not None
            if is_doubtful:
                found.append((at + word.start(), at + word.end(), round(least, 3)))
        at += len(line) + 1
    return found


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


LONGEST_SIDE: Final = 2_000
"""Pixels of a page's longer side: what the engine takes. More cost memory and gain nothing on pages up to A3."""
MOST_PIXELS: Final = 3_000_000
"""Pixels of a picture, which bound the memory and time of reading it."""
_MOST_DPI: Final = 300
_LEAST_SIDE: Final = 16
_BLANK: Final = 24
"""Difference of the darkest and the lightest value below which a picture is blank."""


class PicturePage(NamedTuple):
    """What was read of one page: its text, the mean confidence of its characters (0..1), start, end and confidence of
    its doubtful words, and the number of its lines that could not be read."""

    text: str
    confidence: float
    doubtful: list[tuple[int, int, float]]
    unread: int


def read_picture(body: bytes, number: int) -> PicturePage | None:
    """A page of a PDF by OCR, by its index; ``None`` where there is nothing to read: it has text, or is blank."""
    import pypdfium2

    page = pypdfium2.PdfDocument(body)[number]
    words = count_words(page_text(page))
    if words >= SCAN_WORDS or (words and not _has_picture(page)):
        return None
    picture = _picture(page)
    if picture is None:
        return None
    found = lines_in(picture)
    read = written(found.lines)
    counted = [sure for line in found.lines for sure in line.confidences]
    confidence = sum(counted) / len(counted) if counted else 0.0
    return PicturePage(read.text, round(confidence, 4), doubtful_words(read), found.unread)


def _has_picture(page: Any) -> bool:
    import pypdfium2.raw as raw

    return any(islice(page.get_objects(filter=(raw.FPDF_PAGEOBJ_IMAGE,), max_depth=4), 1))


def _picture(page: Any) -> Any:
    """The page as it looks (height x width x 3, BGR), of bounded size; ``None`` when nothing is on it."""
    import numpy as np

    width, height = page.get_size()
    if not (0 < width < float("inf") and 0 < height < float("inf")):
        return None
    scale = min(_MOST_DPI / 72, LONGEST_SIDE / max(width, height), (MOST_PIXELS / (width * height)) ** 0.5)
    if min(width, height) * scale < _LEAST_SIDE:
        return None
    picture = np.ascontiguousarray(page.render(scale=scale, rev_byteorder=False).to_numpy()[:, :, :3])
    return None if int(picture.max()) - int(picture.min()) < _BLANK else picture
