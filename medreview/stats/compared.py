"""Two opinions on the same statements, as a report shows them: agreement, table, marginals, what was left out."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from .agreement import PairAgreement, two_raters
from .bootstrap import Resampling
from .classification import McNemar, mcnemar
from .figure import Figure
from .said import BINARY, Label, Scale

FEW: Final = 30
"""Items below which no figure of agreement is to be leant on."""

_STATISTICS: Final = ("percent_agreement", "cohen_kappa", "gwet_ac")


@dataclass(frozen=True)
class Comparison:
    """``first`` (rows of ``table``) against ``second`` (columns), on the labels of a scale in the protocol's order.

    ``agreement`` are percent agreement, clustered by response and by Wilson, and the chance-corrected coefficients.
    ``dropped`` counts by reason; ``mcnemar`` stands where there are two labels.
    """

    first: str
    second: str
    scale: str
    labels: tuple[str, ...]
    n: int
    responses: int
    dropped: Mapping[str, int]
    table: tuple[tuple[int, ...], ...]
    first_counts: Mapping[str, int]
    second_counts: Mapping[str, int]
    agreement: tuple[Figure, ...]
    mcnemar: McNemar | None
    cautions: tuple[str, ...]


@dataclass(slots=True)
class Pairing:
    """Collects the labels that two give on one scale, statement by statement."""

    first: str
    second: str
    scale: Scale
    rows: list[str] = field(default_factory=list)
    columns: list[str] = field(default_factory=list)
    responses: list[str] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)

    def add(self, response_id: str, first: Label, second: Label) -> bool:
        """Take up one statement; False when one of the two has no label and it is dropped for that."""
        if first.label is None or second.label is None:
            self.dropped[first.missing or second.missing] += 1
            return False
        self.rows.append(first.label)
        self.columns.append(second.label)
        self.responses.append(response_id)
        return True

    def compare(self, resampling: Resampling, cautions: tuple[str, ...] = ()) -> Comparison:
        """All figures of the pairing; ``cautions`` come before those on small numbers."""
        labels = self.scale.labels
        pair = two_raters(
            self.rows, self.columns, labels, clusters=self.responses, statistics=_STATISTICS, resampling=resampling
        )
        return Comparison(
            first=self.first,
            second=self.second,
            scale=self.scale.name,
            labels=labels,
            n=len(self.rows),
            responses=len(set(self.responses)),
            dropped=dict(self.dropped.most_common()),
            table=pair.table,
            first_counts={str(label): count for label, count in pair.marginals[0].items()},
            second_counts={str(label): count for label, count in pair.marginals[1].items()},
            agreement=self._figures(pair),
            mcnemar=mcnemar(pair.table[0][1], pair.table[1][0]) if self.scale is BINARY and self.rows else None,
            cautions=(*cautions, *self._small(pair)),
        )

    def _figures(self, pair: PairAgreement) -> tuple[Figure, ...]:
        clustered, wilson = pair.figures["percent_agreement"], pair.unclustered["percent_agreement"]
        # One statement per response: there is nothing to cluster, and Wilson is the better interval.
        together = (wilson,) if len(set(self.responses)) == len(self.rows) else (clustered, wilson)
        chosen = (*together, pair.figures["cohen_kappa"], pair.figures["gwet_ac"])
        return tuple(_dropping(figure, self.dropped.total()) for figure in chosen)

    def _small(self, pair: PairAgreement) -> tuple[str, ...]:
        if not self.rows:
            return ()
        found = []
        if len(self.rows) < FEW:
            found.append(f"Only {len(self.rows)} statements: {FEW} or more are wanted before these figures are used.")
        notes = [note for figure in pair.figures.values() for note in figure.notes]
        responses = len(set(self.responses))
        if responses < FEW:
            found.append(f"Only {responses} responses: below {FEW} even the intervals over responses are too narrow.")
        found += [note for note in notes if note.startswith("Too few")]
        return tuple(dict.fromkeys(found))


def _dropping(figure: Figure, dropped: int) -> Figure:
    return replace(figure, dropped=dropped, notes=())
