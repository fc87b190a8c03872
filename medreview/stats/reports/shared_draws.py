"""Counts of several things in the same responses, resampled together: one draw of whole responses serves them all."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from medreview.stats.formulas.bootstrap import Floats, Ints, Resampling, contributions, draw


class Block(NamedTuple):
    """One thing that is counted: the response of each item, and which of ``width`` cells the item falls into."""

    responses: Sequence[str]
    cells: Ints
    width: int


class Drawn(NamedTuple):
    """A block after the draw: counts per response of the view (R x width) and per resample (replicates x width)."""

    units: Floats
    sums: Floats


def draw_together(blocks: Sequence[Block], resampling: Resampling) -> list[Drawn]:
    """Every block from the same resamples of the responses in which any of them has an item."""
    place: dict[str, int] = {}
    for block in blocks:
        for response_id in block.responses:
            place.setdefault(response_id, len(place))
    counted = [_per_response(block, place) for block in blocks]
    units = np.hstack(counted) if counted else np.zeros((0, 0))
    sums = draw(contributions(units), resampling) if len(units) else units
    ends = np.cumsum([block.width for block in blocks])
    return [Drawn(own, sums[:, end - block.width : end]) for block, own, end in zip(blocks, counted, ends, strict=True)]


def _per_response(block: Block, place: dict[str, int]) -> Floats:
    where = np.array([place[response_id] for response_id in block.responses], dtype=np.int64)
    flat = np.bincount(where * block.width + block.cells, minlength=len(place) * block.width)
    return flat.reshape(len(place), block.width).astype(np.float64)
