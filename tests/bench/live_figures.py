"""What the figures that move cost: counted once, after each decision, shown; in processor time.

    python -m tests.bench.make_study big.medreview --responses 5600 --pairs 58000 --decided 20000
    python -m tests.bench.live_figures big.medreview --reviewer anna

Decides in a copy of the study, open, statement by statement: first those that are not decided yet.
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import TypeVar

from medreview.review.live_agreement import LiveFigures
from medreview.stats.reports.reviewer_labels import LEVELS
from medreview.study import Study
from medreview.study.backup import backup_to
from medreview.study.events import NewEvent, Recorder

T = TypeVar("T")
UNITS = "SELECT statement_id FROM statement_standing WHERE statement_id NOT IN (SELECT unit FROM standing) LIMIT ?"


def timed(act: Callable[[], T]) -> tuple[T, float]:
    """What came of it, and the milliseconds of processor time that it took."""
    start = time.process_time()
    found = act()
    return found, (time.process_time() - start) * 1000


def main() -> None:
    """Measure, and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("study", type=Path)
    parser.add_argument("--reviewer", default="anna")
    parser.add_argument("--decisions", type=int, default=200)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy.medreview"
        backup_to(options.study, copy)
        with Study.open(copy) as study:
            measure(study, options.reviewer, options.decisions)


def measure(study: Study, reviewer: str, decisions: int) -> None:
    """Count, decide, show; once beside the judges together, once beside each of them, too."""
    figures, built = timed(lambda: LiveFigures(study.reader, reviewer))
    print(f"counted once: {built:.0f} ms")
    units = [row[0] for row in study.reader.execute(UNITS, (2 * decisions,))]
    recorder = Recorder(reviewer)
    for judge in (None, figures.judges[-1]):
        _, first = timed(lambda judge=judge: figures.view(figures.groups[-1], LEVELS, judge))
        taken, shown = [], []
        for unit in [units.pop() for _ in range(min(decisions, len(units)))]:
            payload = {"axis": "evidence", "label": "partial", "exposure": {"judge_verdict": "before"}, "active_ms": 9}
            event = NewEvent("decide", unit, payload)
            study.write(lambda db, event=event: recorder.append(db, event, block="responses", mode="open"))
            taken.append(timed(figures.take_in)[1])
            shown.append(timed(lambda judge=judge: figures.view(figures.groups[-1], LEVELS, judge))[1])
        beside = judge.name if judge else "the judges together"
        print(
            f"beside {beside}: first {first:.0f} ms; after a decision {median(taken):.2f} ms (most {max(taken):.2f}), "
            f"to show it {median(shown):.2f} ms (most {max(shown):.2f})"
        )


if __name__ == "__main__":
    main()
