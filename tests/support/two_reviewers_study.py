"""The sample study as two reviewers leave it: an audit by strata, labelled blind by both, then more by one of them;
items with flags, and rankings. Some of its answers share a question. The same study each time."""

import json
import random
from pathlib import Path
from typing import Final

from medreview.review.queue import open_queue
from medreview.review.session import ReviewSession
from medreview.study import Study
from tests.support.commands import ROOT, Program
from tests.support.settled_audit import settle_audit
from tests.support.unit_study import decide, do

ANNA: Final = "anna"
BEN: Final = "ben"
_UNITS: Final = "SELECT unit_id FROM unit WHERE kind = ? ORDER BY ordinal"
_LEVELS: Final = ("partial", "contradicted", "not_addressed")
_RANKS: Final = {ANNA: ("1>2>4>3", "2>1>3", "1=2>3"), BEN: ("4>1>3>2", "2>3>1", "2>1>3")}


def two_reviewers(folder: Path) -> Path:
    """Make it in a folder."""
    path, data = folder / "two.medreview", ROOT / "sample_data"
    answers = [json.loads(line) for line in (data / "responses.jsonl").read_text("utf-8").splitlines()]
    for place, answer in enumerate(answers[:8]):
        answer["question_id"] = f"q{place // 2}"
    (folder / "answers.jsonl").write_text("\n".join(map(json.dumps, answers)), encoding="utf-8")
    run = Program(folder)
    run("run", path, folder / "answers.jsonl", data / "judgements.jsonl", "--pages", data / "pages")
    for file in ("qa_items.jsonl", "rankings.jsonl"):
        run("import", path, data / file)
    settle_audit(path, "0")
    run("plan", "audit", path, "--size", 40, "--by", "flagged")
    with Study.open(path) as study:
        _label(study, ANNA, "audit", random.Random(5), wrong=0.2)
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
            level = luck.choice((*_LEVELS, "cannot_judge")) if level == "supported" else "supported"
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
