"""The sample study as two reviewers leave it: an audit by strata, labelled blind by both, then more by one of them;
items with flags, and rankings. The same study each time."""

import random
import shutil
from pathlib import Path
from typing import Final

from medreview.review.queue import open_queue
from medreview.review.session import ReviewSession
from medreview.study import Study
from tests.support.commands import ROOT, Program
from tests.support.unit_study import decide, do

ANNA: Final = "anna"
BEN: Final = "ben"
_UNITS: Final = "SELECT unit_id FROM unit WHERE kind = ? ORDER BY ordinal"
_LEVELS: Final = ("partial", "contradicted", "not_addressed")
_RANKS: Final = {ANNA: ("1>2>4>3", "2>1>3", "1=2>3"), BEN: ("4>1>3>2", "2>3>1", "2>1>3")}


def two_reviewers(demo_file: Path, folder: Path) -> Path:
    """Make it in a folder."""
    path = Path(shutil.copy(demo_file, folder / "two.medreview"))
    run = Program(folder)
    for file in ("qa_items.jsonl", "rankings.jsonl"):
        run("import", path, ROOT / "sample_data" / file)
    run("audit", path, "--size", 40, "--by", "flagged")
    with Study.open(path) as study:
        _label(study, ANNA, "audit", random.Random(1), wrong=0.25)
        _label(study, BEN, "audit", random.Random(2), wrong=0.3)
        _label(study, ANNA, "responses", random.Random(3), wrong=0.1, most=12)
        _items(study)
        _rankings(study)
    return path


def _label(study: Study, who: str, queue: str, luck: random.Random, *, wrong: float, most: int | None = None) -> None:
    """What is not labelled yet: mostly as the judges say, else by chance; once in a while nobody could tell."""
    said = dict(study.reader.execute("SELECT statement_id, verdict FROM verdict").fetchall())
    done = {row[0] for row in study.reader.execute("SELECT unit FROM decision_current WHERE reviewer = ?", (who,))}
    session = ReviewSession(study, who, open_queue(study, queue, who))
    places = [place for place, unit in enumerate(session.queue.units) if unit not in done]
    for place in places[:most]:
        session.go(place)
        level = said[session.unit] or luck.choice(_LEVELS)
        if luck.random() < wrong:
            level = luck.choice(("supported", *_LEVELS, "cannot_judge"))
        session.decide(level)


def _items(study: Study) -> None:
    for place, (unit,) in enumerate(study.reader.execute(_UNITS, ("qa",)).fetchall()):
        for who in (ANNA, BEN):
            decide(study, who, unit, "relevance", str(5 - (place * (2 if who == ANNA else 3)) % 4))
        for who, flagged in ((ANNA, place % 3 == 0), (BEN, place % 4 == 0)):
            if flagged:
                do(study, who, "flag", unit, {"flag": "dispute", "on": True})


def _rankings(study: Study) -> None:
    for place, (unit,) in enumerate(study.reader.execute(_UNITS, ("ranking",)).fetchall()):
        for who, orders in _RANKS.items():
            decide(study, who, unit, "rank", orders[place])
