"""What only pairs have: SourceCheckup's tests of judges against the majority of the experts."""

from dataclasses import dataclass

from medreview.stats.reports.consensus import PaperTest, paper_tests
from medreview.stats.units.agreement import CONSENSUS, majority_of_reviewers
from medreview.stats.units.kind_labels import OF_MODE, RULES, KindLabels
from medreview.stats.units.scales import SUPPORTED


@dataclass(frozen=True)
class PairTests:
    """Tests against the majority of ``reviewers`` on ``items`` pairs with two labels or more, ties left out."""

    which: str
    reviewers: tuple[str, ...]
    items: int
    tests: tuple[PaperTest, ...]


@dataclass(frozen=True)
class PairFigures:
    """On supported or not, blind and assisted labels apart. What they are of stands among the figures of the scale: the
    mean pairwise agreement of the reviewers, and each judge beside their majority."""

    tests: tuple[PairTests, ...]


def tests_of_pairs(labels: KindLabels) -> PairFigures | None:
    """``None`` where no pair has the labels of two."""
    found = []
    for which in OF_MODE.values():
        names, items, _, majority = majority_of_reviewers(labels, SUPPORTED, which)
        units = sorted(majority)
        said = {
            name: [None if (word := words.get(unit)) is None else word == "supported" for unit in units]
            for name in labels.said
            if name != RULES and (words := labels.machine(name, SUPPORTED)).keys() & majority.keys()
        }
        if said:
            right = [majority[unit] == "supported" for unit in units]
            found.append(PairTests(which, names, items, tuple(paper_tests(right, said, CONSENSUS))))
    return PairFigures(tuple(found)) if found else None
