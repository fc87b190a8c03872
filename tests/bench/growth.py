"""Does the work on hostile input grow with its size, or with the square of it, and where is it cut?

    python tests/bench/growth.py

For each step and shape of text: the processor seconds for 225,000 and for 900,000 code points and their ratio (about 4
is linear, 16 quadratic, 1 bounded). Then `medreview run` over one answer of 250,000 and of 1,000,000 code points of
each shape, with the same page for a source. Exit code 1 when a ratio is above 8 and the longer took more than a second.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from medreview.evidence.assess import assess
from medreview.evidence.grounding import QuoteIndex, ground
from medreview.evidence.passage_ranking import SourceIndex
from medreview.evidence.source_highlights import matches
from medreview.judges.offline_stage import judge
from medreview.text import Span
from tests.support.commands import MEDREVIEW

SIZES = (225_000, 900_000)
ANSWERS = (250_000, 1_000_000)
LINEAR, NOTHING = 8.0, 1.0
SHAPES: dict[str, str] = {
    "sentences": "Metformin is taken with a meal, and lithium is measured after 5 days. ",
    "no full stop": "metformin is taken with a meal and lithium is measured after 5 days ",
    "one word": "a",
    "one number": "1",
    "numbers": "1 ",
    "amounts": "5 mg ",
    "negations": "not a ",
    "list": "- take 5 mg [1]\n",
    "table": "| a | b |\n",
    "markers": "[1]",
    "one address": "https://a.example/1 ",
    "line ends": "\n",
    "ellipses": "a ... ",
    "brackets": "(",
}


def pair(text: str) -> None:
    """What is done with a statement and a page, both the same hostile text but for a word."""
    index = SourceIndex(f"Beginning. {text}")
    found = assess(text, index)
    judge(text, index, found)
    for hit in found.spans:
        matches(text, index.text, Span(hit.start, hit.end), index.words)


def quotation(text: str) -> None:
    """What is done with a quote of half the page: nearly the same, so that the quick ways do not find it."""
    ground(f"{text[: len(text) // 2]} ending", QuoteIndex(f"Beginning. {text}"))


def short_quotation(text: str) -> None:
    """The same with a quote that is short enough to be aligned."""
    ground(f"{text[:15_000]} ending", QuoteIndex(f"Beginning. {text}"))


STEPS: dict[str, Callable[[str], Any]] = {"pair": pair, "quote": quotation, "short": short_quotation}


def seconds(work: Callable[[str], Any], piece: str, size: int) -> float:
    """Processor time."""
    text = (piece * (size // len(piece) + 1))[:size]
    began = time.process_time()
    work(text)
    return time.process_time() - began


def run(folder: Path, name: str, piece: str, size: int) -> tuple[float, str]:
    """Processor time of a whole run over one answer, its children included, and what it said at the end."""
    text = (piece * (size // len(piece) + 1))[:size]
    (folder / "pages").mkdir(exist_ok=True)
    (folder / "pages" / "p.txt").write_text("Metformin is taken by mouth. " * 200, encoding="utf-8")
    (folder / "pages" / "manifest.jsonl").write_text(json.dumps({"url": "https://page.example/1", "file": "p.txt"}))
    answer = {"question": "q?", "response": f"{text}\n\nSources:\n[1] https://page.example/1\n"}
    (folder / "a.jsonl").write_text(json.dumps(answer), encoding="utf-8")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    study = f"{name.replace(' ', '-')}-{size}.medreview"
    done = subprocess.run(
        [*MEDREVIEW, "run", study, "a.jsonl", "--pages", "pages"], cwd=folder, capture_output=True, text=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    said = done.stdout.splitlines()[:1] if done.returncode == 0 else [f"exit {done.returncode}: {done.stderr[-80:]!r}"]
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, "".join(said)


def main() -> None:
    worse = []
    for step, work in STEPS.items():
        for name, piece in SHAPES.items():
            short, long = (seconds(work, piece, size) for size in SIZES)
            ratio = long / max(short, 1e-3)
            worse += [f"{step} {name}"] * (ratio > LINEAR and long > NOTHING)
            print(f"{step:8}{name:14}{short:9.3f}{long:9.3f}{ratio:7.1f}", flush=True)
    if "--steps" in sys.argv:
        return
    with tempfile.TemporaryDirectory() as place:
        for name, piece in SHAPES.items():
            (short, _), (long, said) = (run(Path(place), name, piece, size) for size in ANSWERS)
            worse += [f"run {name}"] * (long / short > LINEAR)
            print(f"{'run':8}{name:14}{short:9.2f}{long:9.2f}{long / short:7.1f}  {said}", flush=True)
    if worse:
        print(f"not linear: {', '.join(worse)}")
        sys.exit(1)


if __name__ == "__main__":
    main()
