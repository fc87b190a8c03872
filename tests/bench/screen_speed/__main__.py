"""What a reviewer feels at the screen, beside a hello-world of Textual in the same run. The README has figures.

    python -m tests.bench.make_study big.medreview --responses 5600 --pairs 58000 --decided 20000
    python -m tests.bench.make_study small.medreview --responses 8 --pairs 60 --decided 10 --sources 12
    python -m tests.bench.screen_speed --big big.medreview --small small.medreview \\
        --tree before=../before --tree after=. --rounds 3

A tree is a checkout of the project, run by the Python that runs this. The trees take turns in each round, and the
medians of all rounds are printed. Each works on copies of the studies, brought up to date by the tree: the studies may
be no newer than the oldest tree, which is named first.
"""

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tests.bench.screen_speed.long_texts import make as make_long
from tests.bench.screen_speed.plain_differ import picture
from tests.bench.screen_speed.watched import Press, Watched, median

SIZES: Final = ((80, 24), (160, 50))
READY: Final = "1 supported"
WHO: Final = "anna"
HELLO: Final = Path(__file__).with_name("hello.py")
MAKE_STUDY: Final = Path(__file__).parents[1] / "make_study.py"
KEYS: Final = ("j", "k", " ", "\x1b[5~", "m", "M", "]", "[", "g", "G", "\t", "?", "i", "/dose\r", ".", "1", "u", "\x1b")
"""Of the random walk: every key that shows something else, a search, a decision and taking it back."""

_OWN: Final = re.compile(r"\(?saved #.*|/\S*\.medreview|\d\d:\d\d:\d\d")

WIDE: Final = 100
"""Columns from which on answer and page stand side by side."""
LENGTHS: Final = {"long": 500_000, "short": 5_000}
STAYS: Final = "stays"
NEXT: Final = 15
SENTENCES: Final = 8
"""Of a page of which all is in sight."""
FIGURES_S: Final = 3.0
LEAVING_S: Final = 20.0

HELD_S, DELAY_S, RATE = 2.0, 0.04, 256_000 / 8
Figures = dict[str, dict[str, list[float]]]


class Bench:
    """Where the copies are, and what was measured: rows of figures by name of what was run."""

    def __init__(self, folder: Path, trees: dict[str, Path], studies: dict[str, Path]) -> None:
        self.folder, self.trees, self.studies = folder, trees, studies
        self.found: Figures = defaultdict(lambda: defaultdict(list))

    def open(
        self, tree: str, study: str, size: tuple[int, int], plain: bool = False, slow: bool = False,
        queue: str = "flagged",
    ) -> Watched:  # fmt: skip
        """A review of the queue of triage, or another, on a copy that every walk of a tree shares."""
        home = self.folder / f"{tree}{'-plain' if plain else ''}"
        copy = home / f"{study}.medreview"
        if not copy.exists():
            (home / "medreview").mkdir(parents=True, exist_ok=True)
            shutil.copyfile(self.studies[study], copy)
            if plain:
                (home / "medreview" / "config.toml").write_text('output = "plain"\n')
        environ = {"PYTHONPATH": str(self.trees[tree]), "HOME": str(home), "COLORTERM": "truecolor"}
        environ |= {f"XDG_{kind}_HOME": str(home) for kind in ("CONFIG", "STATE", "CACHE", "DATA")}
        command = [sys.executable, "-m", "medreview", "review", str(copy), "--reviewer", WHO, "--queue", queue]
        delay_s, rate = (DELAY_S, RATE) if slow else (0.0, float("inf"))
        return Watched(command, size[0], size[1], home, delay_s=delay_s, rate=rate, **environ)

    def hello(self, size: tuple[int, int]) -> None:
        """The baseline."""
        name = f"hello {size[0]}x{size[1]}"
        with Watched([sys.executable, str(HELLO)], *size, self.folder, COLORTERM="truecolor") as app:
            self.found[name]["ready ms"].append(app.ready("READY"))
            app.settle()
            self.keep(name, "next", [app.press("j") for _ in range(20)])
            self.found[name]["memory MB"].append(app.peak_mb())

    def walk(self, tree: str, study: str, size: tuple[int, int]) -> None:
        """Start, statements, pages, other screens, idle."""
        name = f"{tree} {study} {size[0]}x{size[1]}"
        with self.open(tree, study, size) as app:
            self.found[name]["painted ms"].append(app.ready(READY, live=False))
            self.found[name]["ready ms"].append(app.ready(READY))
            app.settle(1.0)
            self.keep(name, "next", [app.press("j") for _ in range(NEXT)][1:])
            app.press("g")
            self.keep(name, "page", [app.press(" ") for _ in range(4)])
            for label, key in (("help", "?"), ("figures", "i")):
                self.keep(name, label, [app.press(key)])
                app.press("\x1b")
            sent, cpu = app.idle(3.0)
            self.found[name]["idle B"].append(sent)
            self.found[name]["idle cpu ms"].append(cpu)
            self.found[name]["memory MB"].append(app.peak_mb())
            for _ in range(NEXT):
                app.press("k", compared=False)
            leave(app)

    def long(self, tree: str, study: str, size: tuple[int, int]) -> None:
        """Statements, pages, ends and a search in a text of any length, and in the answer beside it."""
        name = f"{tree} {study} {size[0]}x{size[1]}"
        with self.open(tree, study, size, queue="responses") as app:
            self.found[name]["ready ms"].append(app.ready(READY))
            app.settle(1.0)
            self.keep(name, "next", [app.press("j") for _ in range(NEXT)][1:])
            for text, key in (("page", ""), ("answer", "v" if size[0] < WIDE else "\t")):
                if key:
                    app.press(key)
                self.keep(name, f"{text}: down", [app.press(" ") for _ in range(4)])
                self.keep(name, f"{text}: end", [app.press("G")])
                self.keep(name, f"{text}: top", [app.press("g")])
                app.press("/")
                self.keep(name, f"{text}: search", [app.press(letter) for letter in "zqx"])
                app.press("\x1b")
            self.found[name]["memory MB"].append(app.peak_mb())

    def stays(self, tree: str, size: tuple[int, int]) -> None:
        """The next statement of the same answer, on a page of which all is in sight."""
        name = f"{tree} {STAYS} {size[0]}x{size[1]}"
        with self.open(tree, STAYS, size, queue="responses") as app:
            self.found[name]["ready ms"].append(app.ready(READY))
            app.settle(1.0)
            self.keep(name, "next", [app.press("j") for _ in range(NEXT)][1:])

    def held(self, tree: str, study: str, size: tuple[int, int]) -> None:
        """A key held over a slow link."""
        with self.open(tree, study, size, slow=True) as app:
            app.ready(READY)
            app.settle(1.0)
            lag, sent = app.hold("j", HELD_S)
            leave(app)
        name = f"{tree} {study} {size[0]}x{size[1]}"
        self.found[name]["held: lag s"].append(lag)
        self.found[name]["held: kB"].append(sent / 1e3)

    def same_pictures(self, tree: str, size: tuple[int, int], steps: int, seed: int = 1) -> tuple[int, int, int]:
        """Random keys in two at once, one with ``output = "plain"``: differing pictures, bytes, a plain sender's."""
        luck, differing, sent, plain = random.Random(seed), 0, 0, 0
        with self.open(tree, "small", size) as one, self.open(tree, "small", size, plain=True) as other:
            for app in (one, other):
                app.ready(READY)
                app.settle(1.0)
            for step in range(steps):
                key = luck.choice(KEYS)
                if key == "\x1b" and READY in one.shown:  # would leave
                    key = "j"
                press = one.press(key)
                other.press(key, compared=False)
                if _comparable(one) != _comparable(other):
                    one.settle()
                    other.settle()
                    if _comparable(one) != _comparable(other):
                        differing += 1
                        print(f"step {step}, {key!r}:\n{_differences(one.shown, other.shown)}", file=sys.stderr)
                sent, plain = sent + press.sent, plain + press.plain
        return differing, sent, plain

    def keep(self, name: str, label: str, presses: Sequence[Press]) -> None:
        """The figures of some presses of one key; those that showed nothing are left out."""
        row = self.found[name]
        for press in presses:
            if press.sent:
                row[f"{label} ms"].append(press.last)
                row[f"{label} cpu ms"].append(press.cpu)
                row[f"{label} B"].append(press.sent)
                if press.plain:
                    row[f"{label} B/plain"].append(press.sent / press.plain)

    def table(self) -> str:
        """Medians as a table of Markdown, a column for each that was run."""
        names = list(self.found)
        labels = list(dict.fromkeys(label for name in names for label in self.found[name]))
        lines = ["| | " + " | ".join(names) + " |", "| --- |" + " ---: |" * len(names)]
        for label in labels:
            cells = (self.found[name].get(label) for name in names)
            lines.append(f"| {label} | " + " | ".join(f"{median(it):.4g}" if it else "" for it in cells) + " |")
        return "\n".join(lines)


def leave(app: Watched, stay_s: float = 0.0) -> None:
    """End the workbench in order, so that the next one finds the screen as it was left; before, wait on the first
    screen for figures of the audit, as long as that: that they were seen is noted once, after which nothing is kept."""
    app.press("q", compared=False)
    if stay_s:
        app.settle(stay_s)
    app.press("q", compared=False)
    end = time.monotonic() + LEAVING_S
    while app.process.poll() is None and time.monotonic() < end:
        app.step(0.05)  # it waits for what it writes to be read


def _comparable(app: Watched) -> list[object]:
    """The cells; of rows with a receipt or the study's path, which are not the same in both, the text without these."""
    rows = zip(app.screen.display, picture(app.screen), strict=True)
    return [_OWN.sub("", text).rstrip() if _OWN.search(text) else cells for text, cells in rows]


def _differences(one: str, other: str) -> str:
    pairs = zip(one.split("\n"), other.split("\n"), strict=True)
    return "\n".join(f"{number:3} {a!r}\n    {b!r}" for number, (a, b) in enumerate(pairs) if a != b)


def make_stays(path: Path, tree: Path) -> None:
    """The study of ``--stays``, in the file version of a tree: one that is no newer than the others'.

    Of its two sources one could not be had, so that every statement is shown beside the page of the other.
    """
    options = {"responses": 12, "pairs": 480, "decided": 0, "sources": 2, "page-sentences": SENTENCES, "reviewer": WHO}
    words = [sys.executable, str(MAKE_STUDY), str(path), *(f"--{name}={value}" for name, value in options.items())]
    subprocess.run(words, env=os.environ | {"PYTHONPATH": str(tree)}, stdout=subprocess.DEVNULL, check=True)


def main() -> None:
    """Read the arguments, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", type=Path, required=True)
    parser.add_argument("--big", type=Path)
    parser.add_argument("--tree", action="append", default=[], metavar="NAME=FOLDER")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--held", action="store_true", help="also a key held over 80 ms and 256 kbit/s")
    parser.add_argument(
        "--random", type=int, default=0, metavar="KEYS", help="compare with whole rows, in the last tree"
    )
    parser.add_argument("--long", action="store_true", help="answers and pages of 500,000 characters, and of 5,000")
    parser.add_argument("--stays", action="store_true", help="also statements whose page is in sight already")
    given = parser.parse_args()
    trees = dict(it.split("=", 1) for it in given.tree) or {"now": "."}
    studies = {"small": given.small} | ({"big": given.big} if given.big else {})
    with tempfile.TemporaryDirectory() as folder:
        made = {name: Path(folder) / f"{name}.medreview" for name in LENGTHS if given.long}
        for name, path in made.items():
            make_long(path, LENGTHS[name])
        if given.stays:
            made[STAYS] = Path(folder) / f"{STAYS}.medreview"
            make_stays(made[STAYS], Path(next(iter(trees.values()))).resolve())
        resolved = {name: Path(it).resolve() for name, it in trees.items()}
        bench = Bench(Path(folder), resolved, studies | made)
        for size in SIZES:  # a picture is kept of the size that was left last
            for stay_s in (FIGURES_S, 0.0):  # the first opening does once what is missing, the second keeps what it has
                for tree in trees:
                    for study in studies:
                        with bench.open(tree, study, size) as app:
                            app.ready(READY)
                            app.settle(1.0)
                            leave(app, stay_s)
            for _ in range(given.rounds):
                bench.hello(size)
                for tree in trees:
                    for study in LENGTHS if given.long else ():
                        bench.long(tree, study, size)
                    if given.stays:
                        bench.stays(tree, size)
                    for study in studies:
                        bench.walk(tree, study, size)
                        if given.held and study == list(studies)[-1]:
                            bench.held(tree, study, size)
        print(bench.table())
        for size in SIZES if given.random else ():
            differing, sent, plain = bench.same_pictures(list(trees)[-1], size, given.random)
            print(
                f"\n{given.random} random keys at {size[0]}x{size[1]}: {differing} pictures differ; {sent} bytes, "
                f"{sent / plain:.2f} of a plain sender's"
            )


if __name__ == "__main__":
    main()
