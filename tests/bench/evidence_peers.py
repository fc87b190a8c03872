"""The triage of the rules beside what a user would write in ten minutes, on annotated cases; and what each costs.

    python -m tests.bench.evidence_peers CASES           # by set: AUROC and found at 20%, of the rules and of peers
    python -m tests.bench.evidence_peers CASES --cost    # processor time against rapidfuzz's token set

CASES is a folder as of ``evidence_training``. Peers compare a statement with each sentence of its page; the score is
that of the best: rapidfuzz's token set ratio; the cosine of TF-IDF vectors (frequencies of all sentences of the set);
BM25 (k1 1.5, b 0.75), as it is and as a share of what the statement itself could have.

Cost, in process, against the token set of the same pairs: ``first`` with all caches empty but the imports, ``cold``
with an index made for every pair, ``batch`` with one for eight statements (the page's own and the next ones of the
set), as a study has one for all statements of a response, ``kept`` with the index at hand. The least of three rounds.
"""

import argparse
import re
import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from math import log, sqrt
from pathlib import Path
from typing import Final

import numpy as np
from rapidfuzz import fuzz

from medreview.evidence.assess import assess
from medreview.evidence.passage_ranking import SourceIndex
from tests.bench.evidence_fit.cases import Case, load
from tests.bench.evidence_fit.figures import auroc, found_early, show

_WORD: Final = re.compile(r"\w+")
_SENTENCE: Final = re.compile(r"\S[^\n]*?(?:[.!?](?=\s|$)|(?=\n)|$)")
ROUNDS: Final = 3
BATCH: Final = 8


def sentences(text: str) -> list[str]:
    """The sentences of a text in lower case, as a few lines of code find them."""
    return [found[0].lower() for found in _SENTENCE.finditer(text)] or [text.lower()]


def token_set(case: Case) -> float:
    """The best token set ratio."""
    statement = case.statement.lower()
    return max(fuzz.token_set_ratio(statement, sentence) for sentence in sentences(case.text)) / 100


class Frequencies:
    """In how many sentences of a set each word stands; TF-IDF and BM25 by them."""

    def __init__(self, cases: Sequence[Case]) -> None:
        self._pages = {
            text: [Counter(_WORD.findall(one)) for one in sentences(text)] for text in {c.text for c in cases}
        }
        every = [page for pages in self._pages.values() for page in pages]
        self._number = len(every)
        self._in = Counter(word for page in every for word in page)
        self._average = sum(page.total() for page in every) / max(1, self._number)

    def tf_idf(self, case: Case) -> float:
        """The best cosine."""

        def vector(words: Counter[str]) -> dict[str, float]:
            raw = {w: n * (log((1 + self._number) / (1 + self._in[w])) + 1) for w, n in words.items()}
            length = sqrt(sum(value**2 for value in raw.values())) or 1.0
            return {word: value / length for word, value in raw.items()}

        asked = vector(Counter(_WORD.findall(case.statement.lower())))
        pages = map(vector, self._pages[case.text])
        return max(sum(value * page.get(word, 0.0) for word, value in asked.items()) for page in pages)

    def bm25(self, case: Case, *, share: bool = False) -> float:
        """The best score, or it as a share of the most that the statement's words can give."""
        asked = Counter(_WORD.findall(case.statement.lower()))
        idf = {w: log(1 + (self._number - self._in[w] + 0.5) / (self._in[w] + 0.5)) for w in asked}

        def score(page: Counter[str]) -> float:
            norm = 1.5 * (0.25 + 0.75 * page.total() / self._average)
            return sum(n * idf[w] * page[w] * 2.5 / (page[w] + norm) for w, n in asked.items() if w in page)

        most = 2.5 * sum(n * idf[w] for w, n in asked.items()) if share else 1.0
        return max(map(score, self._pages[case.text])) / (most or 1.0)


def compared(cases: Sequence[Case]) -> dict[str, dict[str, float]]:
    """By method its figures on one set."""
    index, words = cache(SourceIndex), Frequencies(cases)
    methods: dict[str, Callable[[Case], float]] = {
        "rules": lambda case: -assess(case.statement, index(case.text)).unsupported,
        "token set": token_set,
        "TF-IDF": words.tf_idf,
        "BM25": words.bm25,
        "BM25, share": lambda case: words.bm25(case, share=True),
    }
    wrong = np.array([case.label != "supported" for case in cases])
    found = {}
    for name, method in methods.items():
        scores = -np.array([method(case) for case in cases])
        found[name] = {"AUROC": auroc(scores, wrong), "rec@20%": found_early(scores, wrong)}
    return found


def cost(cases: Sequence[Case]) -> dict[str, float]:
    """Milliseconds a case of the token set, and how many times that the rules take."""
    kept = {case.text: SourceIndex(case.text) for case in cases}
    one = [[case] for case in cases]
    circle = [case.statement for case in (*cases, *cases[:BATCH])]
    many = [
        [case._replace(statement=statement) for statement in circle[at : at + BATCH]] for at, case in enumerate(cases)
    ]

    def took(work: Callable[[Sequence[Case]], object], batches: Sequence[Sequence[Case]]) -> float:
        began = time.process_time()
        for batch in batches:
            work(batch)
        return (time.process_time() - began) / sum(map(len, batches))

    def least(work: Callable[[Sequence[Case]], object], batches: Sequence[Sequence[Case]]) -> float:
        return min(took(work, batches) for _ in range(ROUNDS))

    def peer(batch: Sequence[Case]) -> object:
        return [token_set(case) for case in batch]

    def made(batch: Sequence[Case]) -> object:
        index = SourceIndex(batch[0].text)
        return [assess(case.statement, index) for case in batch]

    def at_hand(batch: Sequence[Case]) -> object:
        return [assess(case.statement, kept[case.text]) for case in batch]

    first, alone = took(made, one), least(peer, one)
    return {"letters": sum(len(case.text) for case in cases) / len(cases), "ms": 1000 * alone,
            "first": first / alone, "cold": least(made, one) / alone, "batch": least(made, many) / least(peer, many),
            "kept": least(at_hand, one) / alone}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", type=Path)
    parser.add_argument("--cost", action="store_true")
    options = parser.parse_args()
    cases = [case for case in load(options.cases) if "verdict" in case.tasks]
    sets = {name: [case for case in cases if case.name == name] for name in sorted({case.name for case in cases})}
    if options.cost:
        show("times the token set", {name: cost(found) for name, found in sets.items()})
        return
    by_set = {name: compared(found) for name, found in sets.items()}
    for method in next(iter(by_set.values())):
        show(method, {name: rows[method] for name, rows in by_set.items()})


if __name__ == "__main__":
    main()
