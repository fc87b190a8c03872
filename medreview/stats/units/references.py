"""What only references have: how often the rules accuse one that a reviewer finds to be as described."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from medreview.references.verdict import ACCUSING
from medreview.stats.formulas.bootstrap import DEFAULT, Resampling
from medreview.stats.formulas.estimate import Estimate
from medreview.stats.formulas.intervals import proportion
from medreview.stats.formulas.response_sample import ResponseSample
from medreview.stats.units.kind_labels import OF_MODE, KindLabels, Which
from medreview.stats.units.scales import REFERENCE
from medreview.words import in_words

_HONEST: Final = "match"
_NONE_ACCUSED: Final = "No reference that was labelled so is accused."
_NONE_HONEST: Final = "No reference is called a match here."


@dataclass(frozen=True)
class Accusations:
    """What a ``machine`` accuses (``mismatch``, ``other_work``, ``not_found``) beside the labels of a ``reviewer``.

    ``false``: of the references that it accuses and the reviewer labelled, those that the reviewer calls a match.
    ``by_verdict``: the same of each accusing verdict. ``honest``: of the references that the reviewer calls a match,
    those that it accuses; where triage chose what was labelled, that is too many. "Cannot judge" is left out, and
    counted.
    """

    reviewer: str
    which: Which
    machine: str
    false: Estimate
    by_verdict: tuple[Estimate, ...]
    honest: Estimate


@dataclass(frozen=True)
class ReferenceUnitFigures:
    """False accusations by each reviewer's labels, blind and assisted ones apart."""

    accusations: tuple[Accusations, ...]


def reference_unit_figures(labels: KindLabels, resampling: Resampling = DEFAULT) -> ReferenceUnitFigures:
    """Of every reviewer who labelled a reference, and every machine with a verdict on one of these."""
    return ReferenceUnitFigures(tuple(_every(labels, resampling)))


def _every(labels: KindLabels, resampling: Resampling) -> Iterator[Accusations]:
    for reviewer in labels.reviewers:
        for mode, which in OF_MODE.items():
            mine = labels.of(reviewer, which, REFERENCE)
            given = [one.item for one in labels.given if (one.reviewer, one.mode) == (reviewer, mode)]
            for machine in labels.said:
                said = labels.machine(machine, REFERENCE)
                if said.keys() & mine.keys():
                    yield _accusations(reviewer, which, machine, given, mine, said, labels, resampling)


def _accusations(
    reviewer: str,
    which: Which,
    machine: str,
    given: Sequence[str],
    mine: Mapping[str, str],
    said: Mapping[str, str],
    labels: KindLabels,
    resampling: Resampling,
) -> Accusations:
    columns = ("honest", "honest accused", *(f"{each}{of}" for each in ("accused", *ACCUSING) for of in ("", " false")))
    rows: dict[str, dict[str, int]] = {}
    for item in sorted(mine.keys() & said.keys()):
        row = rows.setdefault(labels.clusters[item], dict.fromkeys(columns, 0))
        honest, accused = mine[item] == _HONEST, said[item] in ACCUSING
        row["honest"] += honest
        row["honest accused"] += honest and accused
        for name in ("accused", said[item]) if accused else ():
            row[name] += 1
            row[f"{name} false"] += honest
    sample = ResponseSample(columns, [list(row.values()) for row in rows.values()], resampling, labels.cluster)

    def share(name: str, over: str, under: str, left: int, nothing: str, whole: str) -> Estimate:
        """Over responses; by Wilson where each has one of them."""
        if all(row[under] <= 1 for row in rows.values()):
            level = resampling.level
            return proportion(name, sample.total(over), sample.total(under), level=level, dropped=left, nothing=nothing)
        return sample.share(name, over, under, undefined=nothing, whole=whole, dropped=left)

    def false(name: str, column: str, verdicts: Sequence[str]) -> Estimate:
        left = sum(item not in mine and said.get(item) in verdicts for item in given)
        return share(name, f"{column} false", column, left, _NONE_ACCUSED, "accused falsely")

    return Accusations(
        reviewer=reviewer,
        which=which,
        machine=machine,
        false=false("false accusations, share of accused", "accused", ACCUSING),
        by_verdict=tuple(
            false(f"false accusations, share of {in_words(verdict)}", verdict, (verdict,)) for verdict in ACCUSING
        ),
        honest=share(
            "accused, share of what is called a match", "honest accused", "honest",
            sum(label == _HONEST and item not in said for item, label in mine.items()), _NONE_HONEST, "accused",
        ),
    )  # fmt: skip
