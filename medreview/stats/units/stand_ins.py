"""Whether a machine may stand in for a reviewer of units other than statements: the alternative annotator test."""

from collections.abc import Hashable

from medreview.stats.formulas.alternative_annotator import StandIn, alternative_annotator
from medreview.stats.units.kind_labels import FIRST_BLIND, RULES, KindLabels, UnitScale

_TWO = 2


def machine_stand_ins(labels: KindLabels, scale: UnitScale, epsilon: float, level: float) -> tuple[StandIn, ...]:
    """Every machine against the first blind labels of the reviewers, where two or more gave some.

    Of steps by the root of the mean squared distance, of other labels by the share that are the same. Rules that
    compare words are left out.
    """
    people = {name: said for name in labels.reviewers if (said := labels.of(name, FIRST_BLIND, scale))}
    if len(people) < _TWO:
        return ()
    places: dict[Hashable, float] | None
    places = {label: float(place) for place, label in enumerate(scale.labels)} if scale.ordered else None
    return tuple(
        alternative_annotator(
            machine, labels.machine(machine, scale), people, labels.clusters, places=places, epsilon=epsilon,
            unit=labels.cluster, level=level,
        )
        for machine in labels.said
        if machine != RULES and labels.machine(machine, scale)
    )  # fmt: skip
