"""Draw docs/pictures from the sample study: the pictures of the pages, and ten decisions as they are made.

    python -m tests.tools.pictures
    python -m tests.tools.pictures --only blind --to /tmp

Each is an SVG file of text that loads nothing. The recording is one as well, and moves by style rules alone.
"""

import argparse
import asyncio
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from medreview.config import Config
from medreview.demo import make_demo
from medreview.progress import SILENT
from medreview.review.audit import begin
from medreview.review.queue import open_queue
from medreview.screens.picture import Screenshot, Theme, copied, keys_of, screenshots, svg

FOLDER: Final = Path(__file__).parents[2] / "docs" / "pictures"
WHO: Final = "kb"
SECONDS: Final = 2.2
"""For each screen of the recording."""


class Picture(NamedTuple):
    """One of them: of which queue (the first screen without one), after which keys.

    ``decisions``: how many the keys make, which is looked at: keys go their own way where the study is another one.
    ``moves``: the screens after each key, not the last alone.
    """

    queue: str
    size: tuple[int, int]
    keys: str = ""
    theme: Theme = "dark"
    decisions: int = 0
    moves: bool = False


_LABELS: Final = "111111112111113111141121"
"""A reviewer's verdicts on the first answers, for the figures."""
PICTURES: Final = {
    "review": Picture("flagged", (140, 40), "j j j j j"),
    "narrow": Picture("flagged", (80, 24), theme="light"),
    "blind": Picture("audit", (100, 30)),
    "figures": Picture("responses", (100, 26), f"{' '.join(f'{label} Enter' for label in _LABELS)} i",
                       decisions=len(_LABELS)),
    "ten-decisions": Picture("flagged", (100, 30), "4 4 4 c a a 3 3 q 3 q a a", decisions=10, moves=True),
}  # fmt: skip
"""By the name of the file."""


def draw(picture: Picture, demo: Path, folder: Path) -> str:
    """The picture of a copy of the sample study, which is made in a folder to be deleted."""
    with copied(demo, folder) as study:
        config = replace(Config(), reviewer=WHO)
        begin(study, WHO)
        queue = open_queue(study, picture.queue, WHO) if picture.queue else None

        async def shown() -> list[Screenshot]:
            keys = keys_of(picture.keys)
            each = screenshots(study, config, queue, size=picture.size, theme=picture.theme, keys=keys)
            return [shot async for shot in each]

        shots = asyncio.run(shown())
        decided = "SELECT count(DISTINCT unit) FROM event_live WHERE kind = 'decide' AND reviewer = ?"
        (made,) = study.reader.execute(decided, (WHO,)).fetchone()
    if made != picture.decisions:
        raise SystemExit(f"The keys {picture.keys!r} make {made} decisions, not {picture.decisions}.")
    return svg(shots if picture.moves else shots[-1:], SECONDS)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=PICTURES, help="one of them")
    parser.add_argument("--to", type=Path, default=FOLDER, help="the folder; default: docs/pictures")
    options = parser.parse_args()
    options.to.mkdir(exist_ok=True)
    with TemporaryDirectory() as name:
        demo = Path(name) / "demo.medreview"
        make_demo(demo, SILENT).close()
        for number, (title, picture) in enumerate(PICTURES.items()):
            if options.only in (None, title):
                folder = Path(name) / str(number)
                folder.mkdir()
                made = draw(picture, demo, folder)
                (options.to / f"{title}.svg").write_text(made, encoding="utf-8")
                print(f"{title}.svg: {len(made) / 1000:.0f} kB")


if __name__ == "__main__":
    main()
