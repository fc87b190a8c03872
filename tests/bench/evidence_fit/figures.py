"""How good ranking, highlights and triage are on one set of cases."""

import re
from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from medreview.evidence.assess import assess
from medreview.evidence.passage_ranking import SourceIndex, Weights
from tests.bench.evidence_fit.cases import Case, is_gold
from tests.bench.evidence_fit.trial_weights import Floats, using


def figures(cases: Sequence[Case], chosen: Weights) -> dict[str, float]:
    """The figures of one set under these weights."""
    with using(chosen):
        index = cache(SourceIndex)
        made = [assess(case.statement, index(case.text)) for case in cases]
    ranked = [(c, m) for c, m in zip(cases, made, strict=True) if "evidence" in c.tasks and c.gold_sets]
    judged = [(c, m) for c, m in zip(cases, made, strict=True) if "verdict" in c.tasks]
    hits = [[is_gold((hit.start, hit.end), case) for hit in found.spans] for case, found in ranked]
    scores = np.array([found.unsupported for _, found in judged])
    wrong = np.array([case.label != "supported" for case, _ in judged])
    told = np.array([case.label in ("supported", "contradicted") for case, _ in judged])
    against = np.array([case.label == "contradicted" for case, _ in judged])
    return {
        "hit@1": mean([any(hit[:1]) for hit in hits]),
        "hit@3": mean([any(hit[:3]) for hit in hits]),
        "token F1": mean([token_f1(case, found.highlights) for case, found in ranked]),
        "AUROC": auroc(scores, wrong),
        "contra": auroc(scores[told], against[told]),
        "rec@20%": found_early(scores, wrong),
    }


def mean(values: Sequence[float]) -> float:
    """The mean; ``nan`` of none: a set may have labels and no sentences."""
    return float(np.mean(values)) if values else float("nan")


def token_f1(case: Case, lit: Sequence[tuple[int, int]]) -> float:
    """F1 of the words that are lit against the nearest set of sentences that is enough evidence."""

    def words(spans: Sequence[tuple[int, int]]) -> set[int]:
        return {match.start() for start, end in spans for match in re.compile(r"\w+").finditer(case.text, start, end)}

    mine, best = words(lit), 0.0
    for numbers in case.gold_sets:
        theirs = words([case.sentences[number] for number in numbers])
        best = max(best, 2 * len(mine & theirs) / max(1, len(mine) + len(theirs)))
    return best


def auroc(scores: Floats, positive: NDArray[np.bool_]) -> float:
    """Chance that a positive case scores higher than another; ties count half; ``nan`` without both kinds."""
    if positive.all() or not positive.any():
        return float("nan")
    less = scores[positive][:, None] - scores[~positive][None, :]
    return float(np.mean((less > 0) + 0.5 * (less == 0)))


def found_early(scores: Floats, positive: NDArray[np.bool_], read: float = 0.2, share: float = 0.3) -> float:
    """Share of the unsupported met when this part of a pile is read, highest score first.

    The pile is weighed so that ``share`` of it is unsupported; among ties an even part is read.
    """
    weight = np.where(positive, share / positive.sum(), (1 - share) / (~positive).sum())
    seen = found = 0.0
    for score in sorted(set(scores.tolist()), reverse=True):
        here = scores == score
        part = min(1.0, max(0.0, read - seen) / weight[here].sum())
        seen += weight[here].sum()
        found += part * weight[here & positive].sum()
    return float(found / share)


def show(title: str, rows: Mapping[str, Mapping[str, float]]) -> None:
    """A table, with the mean of the sets."""
    names = list(next(iter(rows.values())))
    print(f"\n{title:26}" + "".join(f"{name:>10}" for name in names))
    mean = {name: float(np.nanmean([row[name] for row in rows.values()])) for name in names}
    for label, row in [*rows.items(), ("mean", mean)]:
        print(f"{label:26}" + "".join(f"{row[name]:10.3f}" for name in names))
