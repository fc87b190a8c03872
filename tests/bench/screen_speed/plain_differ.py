"""What the plainest sender of changed cells would write: for each run of them a position, styles where they change, the
text. Nothing is erased, scrolled, or written again to save a move."""

from itertools import groupby
from typing import Any, Final

from pyte.screens import Char

Picture = list[list[Any]]


def picture(screen: Any) -> Picture:
    """The cells of a pyte screen."""
    return [[screen.buffer[y][x] for x in range(screen.columns)] for y in range(screen.lines)]


_SWITCHES: Final = (("bold", 1, 22), ("italics", 3, 23), ("underscore", 4, 24), ("reverse", 7, 27),
                    ("strikethrough", 9, 29))  # fmt: skip


def _change(pen: Any, cell: Any) -> str:
    """The sequence for what of a cell's style differs from the pen's; ``""`` for none."""
    codes = [
        str(on if getattr(cell, name) else off)
        for name, on, off in _SWITCHES
        if getattr(cell, name) != getattr(pen, name)
    ]
    codes += _colour(cell.fg, 3) if cell.fg != pen.fg else []
    codes += _colour(cell.bg, 4) if cell.bg != pen.bg else []
    return f"\x1b[{';'.join(codes)}m" if codes else ""


def _colour(name: str, ground: int) -> list[str]:
    if name == "default":
        return [f"{ground}9"]
    try:
        red, green, blue = bytes.fromhex(name)
    except ValueError:  # one of the sixteen, by name
        return [f"{ground}1"]
    return [f"{ground}8;2;{red};{green};{blue}"]


def cost(before: Picture, after: Picture) -> int:
    """Bytes from one picture to the next."""
    size, pen = 0, Char(" ")
    for y, (old, new) in enumerate(zip(before, after, strict=True)):
        x = 0
        for changed, run in groupby(zip(old, new, strict=True), lambda pair: pair[0] != pair[1]):
            cells = [cell for _, cell in run]
            if changed:
                size += len(f"\x1b[{y + 1};{x + 1}H")
                for cell in cells:
                    size += len(_change(pen, cell)) + len(cell.data.encode())
                    pen = cell
            x += len(cells)
    return size
