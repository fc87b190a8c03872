"""Time of the evidence engine beside rapidfuzz and rank_bm25, on the same cases in one run.

    python tests/bench/evidence_speed.py CASES                  # cases as evidence_training.py reads them
    python tests/bench/evidence_speed.py CASES --responses 1000 # and pairs per second of the judge stage

Statements (evidence and verdict together) against: rapidfuzz ``token_set_ratio`` over sentences, rank_bm25 over
sentences. Quotations (lines with "quote" and "source_text"): rapidfuzz ``partial_ratio_alignment``. Pages: the check
for instructions to a model. Two more sizes are made of the sources of the cases: their first 300 characters, and
several of them in one source of 100,000.

Rounds are interleaved; milliseconds of processor time per case are medians over rounds. What the package remembers of
statements it has compared is forgotten before each round. A kept index keeps what it has read in its passages; tables
of words and of their stems stay, as they do in a long run.

The judge stage is timed on the answers of make_answers.py, beside token_set_ratio over the same pairs.
"""

import argparse
import gzip
import json
import re
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import cycle, islice
from pathlib import Path
from statistics import median

from rank_bm25 import BM25Okapi
from rapidfuzz import fuzz

from medreview.evidence.assess import assess
from medreview.evidence.grounding import QuoteIndex, ground
from medreview.evidence.passage_ranking import SourceIndex
from medreview.evidence.sentence_analysis import analyse
from medreview.judges.injection import instructions_in
from medreview.judges.offline_stage import judge_offline
from medreview.pipeline import PageProvider, bring_in, fetch
from medreview.statements.stage import parse_all
from medreview.study import Study

HERE = Path(__file__).parent
SAMPLE_PAGES = HERE.parents[1] / "sample_data" / "pages"
SENTENCE = re.compile(r"\S[^\n]*?(?:[.!?](?=\s|$)|(?=\n)|$)")
WORD = re.compile(r"\w+")

SHORT = 300
LONG = 100_000
"""In characters; sizes of sources made of others."""
CASES = 300
FEW_CASES = 10
PAGES = 40

Case = tuple[str, str]
"""A statement or quotation, and the source's text."""


def load(folder: Path) -> tuple[dict[str, list[Case]], dict[str, list[Case]]]:
    """Statements and quotations, by file."""
    statements: dict[str, list[Case]] = {}
    quotes: dict[str, list[Case]] = {}
    for path in sorted(folder.glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for row in map(json.loads, lines):
                kind, field = (quotes, "quote") if "quote" in row else (statements, "statement")
                kind.setdefault(path.name.removesuffix(".jsonl.gz"), []).append((row[field], row["source_text"]))
    return statements, quotes


def sentences(text: str) -> list[str]:
    """The sentences that the two others rank."""
    return [match[0].lower() for match in SENTENCE.finditer(text)] or [text.lower()]


def of_sizes(statements: Mapping[str, Sequence[Case]]) -> dict[str, list[Case]]:
    """Cases with sources of other sizes, made of theirs."""
    cases = [case for some in statements.values() for case in some]
    sources = list(dict.fromkeys(source for _, source in cases))
    long = "\n\n".join(islice(cycle(sources), max(1, LONG * len(sources) // sum(map(len, sources)))))[:LONG]
    return {
        "short": [(statement, source[:SHORT]) for statement, source in cases[:: len(cases) // CASES + 1]],
        "long": [(statement, long) for statement, _ in cases[:: len(cases) // FEW_CASES + 1]],
    }


def token_set(case: Case) -> None:
    statement = case[0].lower()
    for sentence in sentences(case[1]):
        fuzz.token_set_ratio(statement, sentence)


def bm25(case: Case) -> None:
    ranker = BM25Okapi([WORD.findall(sentence) or [""] for sentence in sentences(case[1])])
    ranker.get_scores(WORD.findall(case[0].lower()))


def alignment(case: Case) -> None:
    fuzz.partial_ratio_alignment(*case)


def timed(cases: Sequence[Case], work: Callable[[Case], object]) -> float:
    """Milliseconds per case."""
    analyse.cache_clear()
    began = time.process_time()
    for case in cases:
        work(case)
    return 1000 * (time.process_time() - began) / len(cases)


def compare(title: str, sets: dict[str, list[Case]], ways: dict[str, Callable[[Case], object]], rounds: int) -> None:
    """A table: milliseconds per case of every way, and times the first way's."""
    took: dict[tuple[str, str], list[float]] = defaultdict(list)
    for _ in range(rounds):
        for name, cases in sets.items():
            for way, work in ways.items():
                took[name, way].append(timed(cases, work))
    print(f"\n{title}: ms per case (times the first)\n{'':14}" + "".join(f"{way:>26}" for way in ways))
    first = next(iter(ways))
    ratios: dict[str, list[float]] = defaultdict(list)
    for name, cases in sets.items():
        print(f"{name:8}{len(cases):6}", end="")
        for way in ways:
            ms = median(took[name, way])
            ratio = median(a / b for a, b in zip(took[name, way], took[name, first], strict=True))
            ratios[way].append(ratio)
            print(f"{ms:17.3f} ({ratio:5.1f}x)", end="")
        print()
    print(f"{'mean ratio':14}" + "".join(f"{sum(found) / len(found):24.1f}x " for found in ratios.values()))


def judge_stage(responses: int, folder: Path) -> None:
    """Pairs per second of the offline judge, and of token_set_ratio in one process over the same pairs."""
    answers = folder / "answers.jsonl"
    with answers.open("wb") as out:
        command = [sys.executable, str(HERE / "make_answers.py"), "--responses", str(responses)]
        subprocess.run(command, stdout=out, check=True)
    with Study.create(folder / "speed.medreview") as study:
        bring_in(study, answers, {})
        fetch(study, PageProvider(SAMPLE_PAGES))
        parse_all(study)
        began = time.perf_counter()
        pairs = judge_offline(study).pairs
        took = time.perf_counter() - began
        query = """SELECT statement.text, snapshot.text FROM judgement JOIN statement USING (statement_id)
                   JOIN snapshot USING (snapshot_id)"""
        rows = study.reader.execute(query).fetchall()
    began = time.perf_counter()
    for row in rows:
        token_set((row[0], row[1]))
    fuzzy = time.perf_counter() - began
    print(f"\njudge stage: {pairs:,} pairs in {took:.1f} s, {pairs / took:,.0f} pairs a second, saved in the study")
    print(f"token set over the same pairs: {fuzzy:.1f} s; judge stage {took / fuzzy:.1f}x")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--responses", type=int, default=0)
    options = parser.parse_args()
    statements, quotes = load(options.cases)
    if not statements:
        parser.error(f"there are no statements in {options.cases}: a file NAME.jsonl.gz has a line for each")
    statements |= of_sizes(statements)
    sources = {text: SourceIndex(text) for cases in statements.values() for _, text in cases}
    ways: dict[str, Callable[[Case], object]] = {
        "token set": token_set,
        "rank_bm25": bm25,
        "index": lambda case: SourceIndex(case[1]),
        "assess, new index": lambda case: assess(case[0], SourceIndex(case[1])),
        "assess, kept index": lambda case: assess(case[0], sources[case[1]]),
    }
    compare("statements", statements, ways, options.rounds)
    if quotes:
        texts = {text: QuoteIndex(text) for cases in quotes.values() for _, text in cases}
        ways = {
            "alignment": alignment,
            "ground, new index": lambda case: ground(*case),
            "ground, kept index": lambda case: ground(case[0], texts[case[1]]),
        }
        compare("quotations", quotes, ways, options.rounds)
    pages = {name: cases[:: len(cases) // PAGES + 1] for name, cases in statements.items()}
    compare("pages", pages, {"token set": token_set, "instructions": lambda case: instructions_in(case[1])}, 1)
    if options.responses:
        with tempfile.TemporaryDirectory() as folder:
            judge_stage(options.responses, Path(folder))


if __name__ == "__main__":
    main()
