"""How much better triage is ordered after so many of the reviewer's labels, on annotated cases.

    python -m tests.bench.learning_curve CASES                     # the curve: labels, sets, gain over the rules' order
    python -m tests.bench.learning_curve CASES --errs 0.1          # by a reviewer who errs in one label of ten
    python -m tests.bench.learning_curve CASES --pile              # a whole pile, read top first
    python -m tests.bench.learning_curve CASES --semantic          # where the packaged model of meaning is asked

CASES is a folder as of ``evidence_training``. A draw takes half of a set as the study, whose cases the reviewer labels
from the top of its order, which is learned again from 25 labels on and every ten; the other half is scored by what was
learned. No statement, page or question is in both halves. AUROC is the chance that of two cases the one that is not
supported stands first.

``--pile``: all of a set is the pile, in which one statement in ten is taken at random. How many of the unsupported ones
were met when a fifth and when half of it was read, by the rules' order and by the learned one.

The signs, the fit and the order are the program's own (``medreview.review.learned_order``).
"""

import argparse
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from medreview.evidence.assess import assess
from medreview.evidence.jsonl_filter import AssessedPair
from medreview.evidence.passage_ranking import SourceIndex
from medreview.evidence.sign_names import GROUPS
from medreview.review.learned_order import EVERY, FROM, KnownSigns, OrderVersion, log_odds_of_places
from medreview.semantic.minilm import MiniLM
from medreview.semantic.similarity import Similarity, blend, nearness_of
from tests.bench.evidence_fit.cases import Case, load
from tests.bench.evidence_fit.figures import auroc

LABELS = (0, 25, 50, 100, 200)
RANDOM = 0.1


class Comparable(NamedTuple):
    """A case as triage sees it: the log odds of its place in the rules' order and its signs; whether it is not
    supported; its group: cases of one group share a statement, a page or a question."""

    place: float
    signs: KnownSigns
    wrong: bool
    group: int


def prepared(cases: Sequence[Case], meaning: Similarity | None = None) -> list[Comparable]:
    """The cases of a set, in the rules' order, or in that with a model of meaning."""
    index, found = cache(SourceIndex), []
    groups = _groups(cases)
    nobody = [None] * len(GROUPS["entailment"])
    for case, group in zip(cases, groups, strict=True):
        source = index(case.text)
        made = assess(case.statement, source)
        near = nearness_of([AssessedPair(case.statement, source, made)], meaning)[0] if meaning else None
        doubt = blend(made, near) if near else made.unsupported
        signs = (*made.pair.values, near.near if near else None, *nobody)
        found.append((doubt, signs, case.label != "supported", group))
    found.sort(key=lambda one: -one[0])
    places = log_odds_of_places([one[0] for one in found])
    return [Comparable(place, *one[1:]) for place, one in zip(places, found, strict=True)]


def _groups(cases: Sequence[Case]) -> list[int]:
    of: dict[str, int] = {}
    groups: list[int] = list(range(len(cases)))
    for at, case in enumerate(cases):
        for known in (case.statement, case.text):
            first = of.setdefault(known, at)
            old, new = groups[at], groups[first]
            groups = [new if group == old else group for group in groups]
    return groups


class Reviewer:
    """Labels a study from the top; errs in a share of the labels."""

    def __init__(self, study: Sequence[Comparable], luck: np.random.Generator, errs: float, at_random: float) -> None:
        self._study = study
        self._known = [(one.place, one.signs) for one in study]
        self._wrong = [bool(one.wrong ^ (luck.random() < errs)) for one in study]
        self._luck, self._at_random = luck, at_random
        self.labels: dict[int, bool] = {}
        self.version: OrderVersion | None = None
        self._waiting = list(range(len(study)))

    def label(self, number: int, *, learns: bool = True) -> None:
        """Label until there are so many labels, or nothing waits."""
        while len(self.labels) < number and self._waiting:
            aside = self._at_random and self._luck.random() < self._at_random
            at = self._waiting.pop(int(self._luck.integers(len(self._waiting))) if aside else 0)
            self.labels[at] = self._wrong[at]
            count = len(self.labels)
            if learns and count >= FROM and (count - FROM) % EVERY == 0:
                version = self.version = OrderVersion.fitted(self._known, self.labels)
                self._waiting.sort(key=lambda at: (-version.doubt(*self._known[at]), at))


def curve(cases: Sequence[Comparable], draws: int, errs: float) -> dict[int, float]:
    """By number of labels the mean AUROC on the half that was not labelled."""
    found: dict[int, list[float]] = {number: [] for number in LABELS}
    for draw in range(draws):
        luck = np.random.default_rng(draw)
        order = luck.permutation(sorted({one.group for one in cases}))
        sizes = np.cumsum([sum(one.group == group for one in cases) for group in order])
        taken = set(order[: 1 + int(np.searchsorted(sizes, len(cases) / 2))].tolist())
        study = [one for one in cases if one.group in taken]
        other = [one for one in cases if one.group not in taken]
        reviewer, wrong = Reviewer(study, luck, errs, 0.0), np.array([one.wrong for one in other])
        for number in LABELS:
            if number > len(study):
                continue
            reviewer.label(number)
            version = reviewer.version
            scores = [version.doubt(one.place, one.signs) if version else one.place for one in other]
            found[number].append(auroc(np.array(scores), wrong))
    return {number: float(np.nanmean(values)) for number, values in found.items() if values}


def pile(cases: Sequence[Comparable], draws: int, errs: float, *, learns: bool) -> tuple[float, float]:
    """Shares of the unsupported that were met when a fifth and a half were read."""
    found = []
    for draw in range(draws):
        reviewer = Reviewer(cases, np.random.default_rng(draw), errs, RANDOM)
        met = []
        for share in (0.2, 0.5):
            reviewer.label(round(share * len(cases)), learns=learns)
            met.append(sum(cases[at].wrong for at in reviewer.labels) / sum(one.wrong for one in cases))
        found.append(met)
    fifth, half = np.mean(found, axis=0)
    return float(fifth), float(half)


def show(rows: Mapping[str, Mapping[int, float]]) -> None:
    """The curves with the gain over the order of the rules."""
    print(f"{'labels':14}" + "".join(f"{number:>16}" for number in LABELS))
    for name, row in rows.items():
        told = (f"{row[n]:.3f} ({row[n] - row[0]:+.3f})" if n in row else "" for n in LABELS)
        print(f"{name:14}" + "".join(f"{one:>16}" for one in told))
    for n in LABELS:
        gains = [row[n] - row[0] for row in rows.values() if n in row]
        print(f"mean gain after {n:3}: {np.mean(gains):+.3f}, lowest {min(gains):+.3f}, of {len(gains)} sets")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", type=Path)
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--errs", type=float, default=0.0)
    parser.add_argument("--pile", action="store_true")
    parser.add_argument("--semantic", action="store_true")
    options = parser.parse_args()
    cases = [case for case in load(options.cases) if "verdict" in case.tasks]
    meaning = Similarity(MiniLM()) if options.semantic else None
    names = sorted({one.name for one in cases})
    sets = {name: prepared([one for one in cases if one.name == name], meaning) for name in names}
    if not options.pile:
        show({name: curve(found, options.draws, options.errs) for name, found in sets.items()})
        return
    print(f"{'met after':14}{'a fifth: rules':>16}{'learned':>10}{'half: rules':>14}{'learned':>10}")
    for name, found in sets.items():
        rules, learned = (pile(found, options.draws, options.errs, learns=learns) for learns in (False, True))
        print(f"{name:14}{rules[0]:16.3f}{learned[0]:10.3f}{rules[1]:14.3f}{learned[1]:10.3f}")


if __name__ == "__main__":
    main()
