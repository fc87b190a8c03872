"""What has to be read with a figure of agreement: sentences on few labels, rare ones, few responses, offline rules."""

from collections.abc import Iterator, Sequence

from medreview.stats.formulas.thresholds import FEW_CLUSTERS, FEW_ITEMS, RARE
from medreview.stats.reports.label_scales import OFFLINE_IS_TRIAGE, Scale
from medreview.stats.reports.reviewer_labels import NOT_DRAWN
from medreview.words import counted, in_words


def cautions_on(
    table: Sequence[Sequence[int]],
    scale: Scale,
    n: int,
    clusters: int,
    offline: int,
    *,
    alone: bool,
    drawn: bool | None,
) -> tuple[str, ...]:
    """The sentences on a table of ``n`` labels in so many responses, the gravest first; none on an empty one.

    ``offline``: on how many of them only the offline judge spoke; ``alone``: they stand beside it, not beside all.
    ``drawn``: whether chance chose the statements; ``None`` where nothing is drawn.
    """
    return tuple(_cautions(table, scale, n, clusters, offline, alone, drawn)) if n else ()


def _cautions(
    table: Sequence[Sequence[int]], scale: Scale, n: int, clusters: int, offline: int, alone: bool, drawn: bool | None
) -> Iterator[str]:
    if offline and alone:
        yield f"The offline judge goes by words: {OFFLINE_IS_TRIAGE}."
    elif offline:
        of = "every statement" if offline == n else f"{offline:,} of {counted(n, 'statement')}"
        yield f"On {of} only the offline judge spoke: {OFFLINE_IS_TRIAGE}."
    if n < FEW_ITEMS:
        yield f"Too few labels to lean on: {n}, and {FEW_ITEMS} or more are wanted."
    else:
        used = [sum(row) + sum(other[place] for other in table) - row[place] for place, row in enumerate(table)]
        rare = [
            f"{count} {in_words(label)}" for label, count in zip(scale.labels, used, strict=True) if 0 < count < RARE
        ]
        if rare:
            yield f"Too few of one label for kappa: {', '.join(rare)}."
        if 1 < clusters < FEW_CLUSTERS:
            yield f"Only {clusters} responses: the intervals over responses can be too narrow."
    if drawn is False:
        yield NOT_DRAWN
