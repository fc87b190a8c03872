"""The formulas of medreview behind one function, for tables of reference cases kept elsewhere.

``compute`` takes the name of a statistic, its data and its parameters, as plain values, and gives plain values back:
``value``, and whatever else the statistic has; ``reason`` says why a value is ``None``. Labels come from the parameter
``labels``, else they are those of the data, sorted. A missing judgement is ``None``. Statistics that medreview does not
have are named in ``NOT_BUILT``.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from medreview.judges.majority import majority_vote
from medreview.stats.citations.kpis import CitationCounts, citation_figures
from medreview.stats.formulas.agreement import encode, many_raters, two_raters
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.formulas.classification import classification, mcnemar
from medreview.stats.formulas.coefficients import kappa_standard_error
from medreview.stats.formulas.estimate import Estimate, landis_koch
from medreview.stats.formulas.intervals import clopper_pearson, proportion
from medreview.stats.formulas.spans import SpanItem, span_distances
from medreview.stats.formulas.support import ResponseSupport, support_metrics

Plain = dict[str, Any]

NOT_BUILT: Final = (
    "adjust_pvalues",
    "chi2",
    "flag_ratios",
    "icc",
    "kendall_tau",
    "leave_one_out_kappa",
    "mean_kendall_tau",
    "mean_rank",
    "noninferiority",
    "spearman",
    "ttest",
    "two_proportion_ztest",
)
"""Statistics that reference tables ask for and that medreview does not have yet."""

_QUICK: Final = Resampling(replicates=1)
"""Where no interval is asked for."""


def compute(statistic: str, data: Mapping[str, Any], params: Mapping[str, Any]) -> Plain:
    """One statistic. Raises ``NotImplementedError`` for one that is not built, ``KeyError`` for one nobody knows."""
    if statistic in NOT_BUILT:
        raise NotImplementedError(f"not built: {statistic}")
    return STATISTICS[statistic](data, params)


def _labels(params: Mapping[str, Any], values: Sequence[Hashable]) -> list[Hashable]:
    """The protocol's labels; a protocol has two or more, so that one more stands in where the data show fewer."""
    given = params.get("labels")
    labels: list[Hashable] = list(given) if given else sorted({v for v in values if v is not None}, key=_order)
    return labels + [f"unused {n}" for n in range(len(labels), 2)]


def _order(value: Hashable) -> tuple[bool, Any]:
    return isinstance(value, str), value


def _plain(figure: Estimate, **more: Any) -> Plain:
    shown = {name: getattr(figure, name) for name in ("value", "low", "high", "n", "dropped", "undefined_share")}
    return shown | {"reason": figure.reason} | more


def _pair(statistic: str, **choices: Any) -> Callable[[Mapping[str, Any], Mapping[str, Any]], Plain]:
    def figure(data: Mapping[str, Any], params: Mapping[str, Any]) -> Plain:
        a, b = data["a"], data["b"]
        weights = params.get("weights", "none")
        found = two_raters(
            a, b, _labels(params, [*a, *b]), statistics=[statistic], weights=weights, resampling=_QUICK, **choices
        )
        return _plain(found.figures[statistic])

    return figure


def _many(statistic: str) -> Callable[[Mapping[str, Any], Mapping[str, Any]], Plain]:
    def figure(data: Mapping[str, Any], params: Mapping[str, Any]) -> Plain:
        ratings = data["ratings"] if "ratings" in data else list(zip(data["a"], data["b"], strict=True))
        labels = _labels(params, [vote for ballot in ratings for vote in ballot])
        metric = params.get("level", "nominal")
        found = many_raters(
            ratings,
            labels,
            statistics=[statistic],
            weights=params.get("weights", "none"),
            metric=metric,
            values=[label if isinstance(label, int | float) else 0.0 for label in labels],
            resampling=_QUICK,
        )
        return _plain(found.figures[statistic], n_pairable_units=found.pairable)

    return figure


def _kappa_se(data: Mapping[str, Any], params: Mapping[str, Any]) -> Plain:
    pairs = [(a, b) for a, b in zip(data["a"], data["b"], strict=True) if None not in (a, b)]
    labels = _labels(params, [label for pair in pairs for label in pair])
    table = np.zeros((len(labels), len(labels)))
    np.add.at(table, (encode([a for a, _ in pairs], labels), encode([b for _, b in pairs], labels)), 1)
    value = kappa_standard_error(table, params.get("weights", "none"))
    return {"value": value, "reason": None if value is not None else "Kappa is undefined."}


def _bootstrap(data: Mapping[str, Any], params: Mapping[str, Any]) -> Plain:
    a, b, statistic = data["a"], data["b"], params["statistic"]
    clusters = data.get("cluster")
    if clusters is None and statistic == "percent_agreement":
        clusters = range(len(a))  # an item of its own each: without clusters the interval would be Wilson's
    again = Resampling(params.get("level", 0.95), params["n_boot"], params["seed"])
    found = two_raters(
        a, b, _labels(params, [*a, *b]), clusters=clusters, statistics=[statistic], resampling=again
    )  # fmt: skip
    return _plain(found.figures[statistic])


def _classification(data: Mapping[str, Any], params: Mapping[str, Any]) -> Plain:
    found = classification(data["reference"], data["prediction"], params["labels"], resampling=_QUICK)
    positive = params["positive"]
    figures = {
        "accuracy": found.accuracy,
        "precision": found.precision[positive],
        "recall": found.recall[positive],
        "f1": found.f1[positive],
        "macro_precision": found.macro_precision,
        "macro_recall": found.macro_recall,
        "macro_f1": found.macro_f1,
    }
    return _values(figures) | {"matrix": [list(row) for row in found.matrix], "dropped": found.dropped}


def _values(figures: Mapping[str, Estimate]) -> Plain:
    """The values by name, and the first reason why one is missing."""
    missing = [figure.reason for figure in figures.values() if figure.value is None]
    return {name: figure.value for name, figure in figures.items()} | {"reason": missing[0] if missing else None}


def _mcnemar(data: Mapping[str, Any], params: Mapping[str, Any]) -> Plain:
    a, b = data["a"], data["b"]
    first = _labels(params, [*a, *b])[0]
    only_a = sum(x == first != y for x, y in zip(a, b, strict=True))
    only_b = sum(x != first == y for x, y in zip(a, b, strict=True))
    test = mcnemar(only_a, only_b, exact=params.get("exact", True), correction=params.get("correction", False))
    return {"statistic": test.statistic, "pvalue": test.pvalue, "b": test.b, "c": test.c, "reason": test.reason}


def _majority(data: Mapping[str, Any], params: Mapping[str, Any]) -> Plain:
    found = majority_vote(
        data["votes"], params["tie"], positive=params.get("positive"), negative=params.get("negative")
    )  # fmt: skip
    reason = "A tie that the rule leaves open, or nobody voted." if None in found.labels else None
    return {"labels": list(found.labels), "n_ties": found.ties, "n_empty": found.empty, "reason": reason}


def _wilson(data: Mapping[str, Any], params: Mapping[str, Any]) -> Plain:
    return _plain(proportion("share", data["k"], data["n"], level=params["level"], nothing="There is no item."))


def _clopper_pearson(data: Mapping[str, Any], params: Mapping[str, Any]) -> Plain:
    low, high = clopper_pearson(data["k"], data["n"], params["level"]) or (None, None)
    value, reason = (None, "There is no item.") if low is None else (data["k"] / data["n"], None)
    return {"value": value, "low": low, "high": high, "reason": reason}


def _spans(data: Mapping[str, Any], params: Mapping[str, Any]) -> Plain:
    items = [SpanItem(item["expert"], item["llm"]) for item in data["items"]]
    found = span_distances(items, params["missing"], replicates=1)
    return {
        "distances": list(found.distances),
        "mean": found.mean.value,
        "median": found.median.value,
        "n_expert_spans": len(found.distances),
        "n_without_candidate": found.without_candidate,
        "reason": found.mean.reason,
    }


def _support(data: Mapping[str, Any], params: Mapping[str, Any]) -> Plain:
    found = support_metrics(
        [ResponseSupport(each["urls"], each["support"]) for each in data["responses"]], replicates=1
    )
    counts = {
        "n_urls": found.urls,
        "n_statements": found.statements,
        "n_responses": found.responses,
        "n_responses_without_statements": found.without_statements,
    }
    return _values(found.figures) | counts


def _citations(data: Mapping[str, Any], params: Mapping[str, Any]) -> Plain:
    return citation_figures([CitationCounts(**counts) for counts in data["responses"]], _QUICK).summary


def _band(data: Mapping[str, Any], params: Mapping[str, Any]) -> Plain:
    label = landis_koch(data["value"])
    return {"label": label, "reason": None if label else "There is no value."}


STATISTICS: Final[Mapping[str, Callable[[Mapping[str, Any], Mapping[str, Any]], Plain]]] = {
    "bootstrap_ci": _bootstrap,
    "brennan_prediger": _many("brennan_prediger"),
    "citation_kpis": _citations,
    "classification": _classification,
    "clopper_pearson_ci": _clopper_pearson,
    "cluster_bootstrap_ci": _bootstrap,
    "cohen_kappa": _pair("cohen_kappa"),
    "cohen_kappa_se": _kappa_se,
    "fleiss_kappa": _many("fleiss_kappa"),
    "gwet_ac": _many("gwet_ac"),
    "krippendorff_alpha": _many("krippendorff_alpha"),
    "landis_koch_band": _band,
    "majority_vote": _majority,
    "mcnemar": _mcnemar,
    "mean_pairwise_agreement": _many("mean_pairwise_agreement"),
    "percent_agreement": _pair("percent_agreement"),
    "scott_pi": _pair("scott_pi"),
    "span_edit_distance": _spans,
    "support_metrics": _support,
    "wilson_ci": _wilson,
}
