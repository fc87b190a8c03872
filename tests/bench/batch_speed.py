"""What the commands that work through a whole study take, in processor time and memory, of one tree beside others.

    python tests/bench/make_study.py big.medreview --responses 5600 --pairs 58000 --decided 20000
    python tests/bench/batch_speed.py big.medreview BEFORE . --rounds 3

Each tree is a folder with the package in it, run by this Python; the first is what the others are held against. In each
round every tree has its turn with a copy of the study, so that a machine that others use is as slow for all: only the
ratios say much. A copy has the tree's file version before its time begins. ``verdicts`` is the last step of ``run``,
which rolls all judgements up anew. Last it is told whether each tree wrote what the first one did, times and places
aside.
"""

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import NamedTuple

ROLL_UP = """
import sys
from pathlib import Path
from medreview.judges.verdicts import refresh
from medreview.study import Study
with Study.open(Path(sys.argv[1])) as study:
    refresh(study)
"""
UP_TO_DATE = """
import sys
from pathlib import Path
from medreview.study import Study
with Study.open(Path(sys.argv[1])):
    pass
"""
MEDREVIEW = ("-m", "medreview")
COMMANDS = {
    "stats": (*MEDREVIEW, "stats", "STUDY"),
    "stats --json": (*MEDREVIEW, "stats", "STUDY", "--json"),
    "report": (*MEDREVIEW, "report", "STUDY", "OUT/report.html", "--markdown", "OUT/report.md"),
    "export": (*MEDREVIEW, "export", "STUDY", "OUT/export"),
    "verdicts": ("-c", ROLL_UP, "STUDY"),
}
TIMES = re.compile(rb"20\d\d-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?Z?)?( UTC)?")


class Run(NamedTuple):
    """Seconds of processor time, megabytes at the most, and the hash of what was written."""

    seconds: float
    megabytes: float
    written: str


def run(tree: Path, command: tuple[str, ...], study: Path, place: Path) -> Run:
    """Run a command of a tree on a copy of the study; raises ``SystemExit`` where it fails."""
    place.mkdir()
    copy = place / "study.medreview"
    shutil.copyfile(study, copy)  # what this process held would be told as the memory of its children
    words = [word.replace("STUDY", str(copy)).replace("OUT", str(place)) for word in command]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run([sys.executable, "-c", UP_TO_DATE, str(copy)], cwd=tree, env=environment, check=True)
    printed = place / "printed"
    with printed.open("wb") as out:
        child = subprocess.Popen([sys.executable, *words], cwd=tree, stdout=out, env=environment)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"{' '.join(words[:3])} failed in {tree}")
    written = hashlib.sha256()
    for path in sorted(place.rglob("*")):
        if path.is_file() and not path.name.startswith("study.medreview"):
            digest_lines(path, place, written)
    kept = 1024 if sys.platform == "linux" else 1024 * 1024
    return Run(used.ru_utime + used.ru_stime, used.ru_maxrss / kept, written.hexdigest())


def digest_lines(path: Path, place: Path, written: "hashlib._Hash") -> None:
    """Take up what is written in a file, without its times and its place."""
    with path.open("rb") as file:
        for line in file:
            written.update(TIMES.sub(b"TIME", line.replace(bytes(place), b"PLACE")))


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("study", type=Path)
    parser.add_argument("trees", type=Path, nargs="+")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", choices=list(COMMANDS), action="append")
    options = parser.parse_args()
    trees = [tree.resolve() for tree in options.trees]
    print("| | " + " | ".join(f"{tree.name} s | ratio | MB | same" for tree in trees) + " |")
    print("| --- " + "| ---: " * 4 * len(trees) + "|")
    for name in options.only or COMMANDS:
        found: dict[Path, list[Run]] = {tree: [] for tree in trees}
        for _ in range(options.rounds):
            for tree in trees:
                with tempfile.TemporaryDirectory() as folder:
                    found[tree].append(run(tree, COMMANDS[name], options.study, Path(folder) / "of"))
        first = median(one.seconds for one in found[trees[0]])
        cells = []
        for runs in found.values():
            seconds = median(one.seconds for one in runs)
            same = runs[0].written == found[trees[0]][0].written
            megabytes = max(one.megabytes for one in runs)
            cells += [f"{seconds:.2f}", f"{seconds / first:.2f}", f"{megabytes:.0f}", "yes" if same else "no"]
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
