"""Look at four hundred screens by a program: what is cut, collides, has a colour of another meaning, or is stale.

    python -m tests.bench.screens
    python -m tests.bench.screens --sizes 80x24 160x50 --themes dark --rows 20

Units of two queues of the sample study, and of a small study with units of every kind, in seven sizes and three themes.
Each screen is walked to by keys, and opened afresh at the same place: both must be the same cells.
"""

import argparse
import asyncio
import tempfile
from collections import Counter
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Final
from unittest.mock import patch

from textual.pilot import Pilot

from medreview.demo import make_demo
from medreview.progress import SILENT
from medreview.review.audit import begin
from medreview.screens.picture import size_of
from medreview.study import Study
from tests.support.screen_walk import LOOKS, SIDES, SIZES, Size, Walk
from tests.support.settled import pause
from tests.support.unit_study import fill

OF_DEMO: Final = (("flagged", 5, tuple(SIDES)), ("audit", 2, ()))
OF_UNITS: Final = tuple((name, 1, ()) for name in ("rankings", "references", "facts", "suggestions", "revisions"))
"""Queues, how many units of each, and which sides of the last."""


async def look_at(demo: Walk, others: Walk, sizes: list[Size], themes: list[str]) -> None:
    """All screens of both studies."""
    for size, theme in product(sizes, themes):
        await demo.home(size, theme)
        for walk, queues in ((demo, OF_DEMO), (others, OF_UNITS)):
            for name, units, sides in queues:
                await walk.look(name, units, size, theme, sides)


def told(walks: Sequence[Walk], rows: int) -> list[str]:
    """A table of kinds and sizes, then the commonest rows of each kind and where they were seen first."""
    found = [one for walk in walks for one in walk.found]
    kinds = sorted({fault.kind for *_, fault in found})
    sizes = sorted({size for size, *_ in found})
    lines = [f"{'':12}" + "".join(f"{f'{columns}x{height}':>9}" for columns, height in sizes)]
    for kind in kinds:
        counts = Counter(size for size, _, _, fault in found if fault.kind == kind)
        lines.append(f"{kind:12}" + "".join(f"{counts[size]:>9}" for size in sizes))
    for kind in kinds:
        of_kind = [one for one in found if one[3].kind == kind]
        lines.append("")
        for (part, row), count in Counter((fault.part, fault.row) for *_, fault in of_kind).most_common(rows):
            size, theme, place, _ = next(one for one in of_kind if (one[3].part, one[3].row) == (part, row))
            lines.append(f"{kind} x{count}  {part}, {size[0]}x{size[1]} {theme}, {place}: {row[:110]}")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", nargs="+", type=size_of, default=SIZES)
    parser.add_argument("--themes", nargs="+", choices=LOOKS, default=list(LOOKS))
    parser.add_argument("--rows", type=int, default=12, help="rows shown of each kind of fault")
    options = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as name,
        patch.object(Pilot, "pause", pause),
        make_demo(Path(name) / "demo.medreview", SILENT) as demo,
        Study.create(Path(name) / "units.medreview") as units,
    ):
        begin(demo, "kb")
        fill(units)
        walks = Walk(demo), Walk(units)
        asyncio.run(look_at(*walks, list(options.sizes), options.themes))
    print(f"{sum(walk.screens for walk in walks)} screens", *told(walks, options.rows), sep="\n")
    raise SystemExit(1 if any(walk.found for walk in walks) else 0)


if __name__ == "__main__":
    main()
