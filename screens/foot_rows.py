"""The last three rows: keys or a step, and under them the receipt or what there is to say."""

from collections.abc import Sequence

from medreview.review.layout.cells import fit, width
from medreview.review.layout.wrap import WrapTable
from medreview.screens.layout import FOOT_ROWS
from medreview.screens.widgets.painted import Row
from medreview.visible import visible


def foot_rows(above: Sequence[Row], receipt: str, said: str, bad: bool, columns: int, held: str = "") -> list[Row]:
    """``above`` fills from the top; what is ``said`` takes as many rows as it needs from the bottom, at most three.

    ``bad``: it is drawn as a warning, or the receipt is where nothing is said. ``held`` stands beside the receipt: what
    to say of a key that is held down.
    """
    rows: list[Row] = [*above[:FOOT_ROWS], *([] for _ in range(FOOT_ROWS - len(above)))]
    if not said:
        if len(above) < FOOT_ROWS:
            room = columns - (width(held) + 4 if held else 0)
            shown = fit(receipt, min(width(receipt), max(1, room)))
            rows[-1] = [(f" {shown}", "bad" if bad else "good"), *([("", "fill"), (f"{held} ", "key")] if held else [])]
        return rows
    shown = visible(" ".join(said.split()))
    lines = [shown[start:end].rstrip() for start, end in WrapTable(shown, max(1, columns - 2)).rows][:FOOT_ROWS]
    told: list[Row] = [[(f" {line}", "bad" if bad else "key")] for line in lines]
    return [*rows[: FOOT_ROWS - len(told)], *told]
