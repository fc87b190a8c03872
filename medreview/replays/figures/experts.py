"""What experts say beside the machines (SourceCheckup): pairs, whole responses, generated questions."""

from collections.abc import Hashable, Iterator, Mapping
from typing import Final

from medreview.replays.figures.panel import Fold, Panel, panel
from medreview.stats.formulas.estimate import Estimate
from medreview.stats.formulas.intervals import proportion
from medreview.study import Study

SUPPORTED: Final = "supported"
NOT: Final = "not supported"
_EVIDENCE: Final[Mapping[str, Hashable]] = {
    "supported": SUPPORTED, "partial": NOT, "contradicted": NOT, "not_addressed": NOT, "not_supported": NOT,
}  # fmt: skip
AGREEMENT: Final = "percent_agreement"


def _from(levels: Mapping[str, Hashable]) -> Fold:
    return levels.get


def pairs(study: Study) -> Panel:
    """Statement and source, on two labels: the paper's "not supported" includes what is supported in part."""
    fold = _from(_EVIDENCE)
    return panel(study.reader, "pair", {"evidence": fold, "support": fold}, (SUPPORTED, NOT))


def whole_responses(study: Study) -> Panel:
    """Are all statements of a response supported?"""
    fold = _from({"yes": "yes", "no": "no"})
    return panel(study.reader, "response", {"all_supported": fold}, ("yes", "no"))


def confirmed(found: Panel) -> Iterator[tuple[str, Estimate]]:
    """Of each machine's pairs that it found not supported, the share on which the people's majority says so too."""
    consensus = found.consensus()
    for machine, said in found.machines.items():
        both = [unit for unit, label in said.items() if label == NOT and unit in consensus]
        k = sum(consensus[unit] == NOT for unit in both)
        yield machine, proportion("confirmed", k, len(both), nothing="Nobody has labelled a pair that it found so.")


def share_of(found: Panel, said: Mapping[str, Hashable], label: Hashable, name: str) -> Estimate:
    """How often one rater gave a label, of the units that it labelled."""
    return proportion(
        name, sum(given == label for given in said.values()), len(said), nothing="Nothing was labelled yet."
    )


def questions(study: Study) -> Iterator[tuple[str, Estimate]]:
    """Of each person the share of generated questions found answerable from the text, and self-contained."""
    levels = {"answerable": "yes", "not_answerable": "no", "not_self_contained": "no"}
    found = panel(study.reader, "question", {"answerability": _from(levels)}, ("yes", "no"))
    for person, said in found.people.items():
        yield person, share_of(found, said, "yes", "answerable")
