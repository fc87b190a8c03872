"""Time of a library beside rapidfuzz, on the same references in one run.

    python -m tests.bench.reference_speed LIBRARY.jsonl [--references 300] [--rounds 3]

LIBRARY.jsonl holds a work in CSL-JSON a line. References are made of its works, honest and with a typing error in the
title. Rounds are interleaved; milliseconds per reference are medians over rounds, reading and indexing included. The
baseline is what is written in ten minutes: identifiers from a table, else ``token_set_ratio`` against all titles.
"""

import argparse
import json
import random
import re
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Final

from rapidfuzz import fuzz, process

from medreview.references.formats.csl import record_of
from medreview.references.library import Library
from medreview.references.printed.parse import parse_reference
from tests.bench.reference_cases import Maker, Work

_CUTOFF: Final = 85


def by_rapidfuzz(works: list[Work], references: Sequence[str]) -> int:
    """How many references are taken for a work."""
    known = {work[name].lower() for work in works for name in ("DOI", "PMID") if work.get(name)}
    titles = [work["title"].lower() for work in works]
    found = 0
    for text in references:
        identifier = re.search(r"10\.\d{4,9}/\S+|(?<=PMID: )\d+", text)
        if identifier and identifier.group().rstrip(".").lower() in known:
            found += 1
            continue
        found += process.extractOne(text.lower(), titles, scorer=fuzz.token_set_ratio, score_cutoff=_CUTOFF) is not None
    return found


def by_library(works: list[Work], references: Sequence[str]) -> int:
    """How many references are taken for a work, be it described wrongly."""
    library = Library(record_of(work, "library", number) for number, work in enumerate(works, 1))
    return sum(library.check(parse_reference(text)).record is not None for text in references)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", type=Path)
    parser.add_argument("--references", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with options.library.open(encoding="utf-8") as lines:
        works = [json.loads(line) for line in lines]
    maker = Maker([work for work in works if work.get("author") and len(work["title"].split()) > 3], seed=1)
    picked = random.Random(1).choices(maker.works, k=options.references)
    references = [maker.printed(work, **(maker.typo(work) or {} if at % 2 else {})) for at, work in enumerate(picked)]
    systems: dict[str, Callable[[list[Work], Sequence[str]], int]] = {"rapidfuzz": by_rapidfuzz, "library": by_library}
    times: dict[str, list[float]] = {name: [] for name in systems}
    for _ in range(options.rounds):
        for name, system in systems.items():
            start = time.perf_counter()
            found = system(works, references)
            times[name].append(time.perf_counter() - start)
            print(f"{name:10s} {found} of {len(references)} found")
    per = {name: 1000 * median(each) / len(references) for name, each in times.items()}
    for name, each in per.items():
        print(f"{name:10s} {each:7.2f} ms per reference against {len(works)} works")
    print(f"rapidfuzz takes {per['rapidfuzz'] / per['library']:.0f} times as long")


if __name__ == "__main__":
    main()
