"""The formulas of medreview behind one function, for tables of reference cases kept elsewhere.

``compute`` takes the name of a statistic, its data and its parameters, as plain values, and gives plain values back:
``value``, and whatever else the statistic has; ``reason`` says why a value is ``None``. Labels come from the parameter
``labels``, else they are those of the data, sorted. A missing judgement is ``None``. What the formulas refuse (``k``
above ``n``, a label that is not in the protocol) is undefined, and their sentence is the reason.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from medreview.judges.majority import majority_vote
from medreview.stats.citation_kpis import CitationCounts, citation_figures
from medreview.stats.formulas.agreement import PAIR_NAMES, encode, many_raters, two_raters
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.formulas.classification import classification, diagnostic_accuracy, mcnemar
from medreview.stats.formulas.coefficients import kappa_standard_error
from medreview.stats.formulas.estimate import Estimate, landis_koch
from medreview.stats.formulas.human_baseline import non_inferiority
from medreview.stats.formulas.hypothesis_tests import (
    TestResult,
    adjusted,
    chi_squared,
    family_size,
    t_test,
    two_proportions,
)
from medreview.stats.formulas.intervals import clopper_pearson, proportion
from medreview.stats.formulas.ranks_and_ratings import (
    EXACT_UP_TO,
    RankCorrelation,
    icc,
    kendall_tau_b,
    kendall_w,
    mean_kendall_tau,
    mean_ranks,
    spearman,
)
from medreview.stats.formulas.spans import SpanItem, span_distances
from medreview.stats.formulas.support import ResponseSupport, support_metrics
from medreview.stats.units.qa_figures import flag_ratios

Plain = dict[str, Any]

_QUICK: Final = Resampling(replicates=1)
"""Where no interval is asked for."""


def compute(statistic: str, data: Mapping[str, Any], params: Mapping[str, Any]) -> Plain:
    """One statistic; raises ``KeyError`` for one that nobody knows."""
    formula = STATISTICS[statistic]
    try:
        return formula(data, params)
    except ValueError as error:
        return {"value": None, "reason": str(error)}


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
    statistic, clusters, weights = params["statistic"], data.get("cluster"), params.get("weights", "none")
    again = Resampling(params.get("level", 0.95), params.get("n_boot", 9_999), params.get("seed", 1), "percentile")
    if "ratings" in data or statistic not in PAIR_NAMES:
        ratings = data["ratings"] if "ratings" in data else list(zip(data["a"], data["b"], strict=True))
        labels = _labels(params, [vote for ballot in ratings for vote in ballot])
        many = many_raters(
            ratings, labels, clusters=clusters, statistics=[statistic], weights=weights, resampling=again
        )
        return _plain(many.figures[statistic])
    a, b = data["a"], data["b"]
    if clusters is None and statistic == "percent_agreement":
        clusters = range(len(a))  # an item of its own each: without clusters the interval would be Wilson's
    labels = _labels(params, [*a, *b])
    found = two_raters(
        a, b, labels, clusters=clusters, statistics=[statistic], weights=weights, resampling=again
    )  # fmt: skip
    return _plain(found.figures[statistic])


def _classification(data: Mapping[str, Any], params: Mapping[str, Any]) -> Plain:
    given = data["reference"], data["prediction"], _labels(params, [*data["reference"], *data["prediction"]])
    found, positive = classification(*given, resampling=_QUICK), params.get("positive", given[2][-1])
    two = diagnostic_accuracy(*given, positive, resampling=_QUICK)
    figures = {
        "accuracy": found.accuracy,
        "precision": found.precision[positive],
        "recall": found.recall[positive],
        "f1": found.f1[positive],
        "macro_precision": found.macro_precision,
        "macro_recall": found.macro_recall,
        "macro_f1": found.macro_f1,
        "sensitivity": two.sensitivity,
        "specificity": two.specificity,
        "ppv": two.ppv,
        "npv": two.npv,
        "balanced_accuracy": two.balanced_accuracy,
    }
    return _values(figures) | {"matrix": [list(row) for row in found.matrix], "dropped": found.dropped}


def _values(figures: Mapping[str, Estimate]) -> Plain:
    """The values by name, and the first reason why one is missing."""
    missing = [figure.reason for figure in figures.values() if figure.value is None]
    return {name: figure.value for name, figure in figures.items()} | {"reason": missing[0] if missing else None}


def _mcnemar(data: Mapping[str, Any], params: Mapping[str, Any]) -> Plain:
    pairs = [(x, y) for x, y in zip(data["a"], data["b"], strict=True) if None not in (x, y)]
    first = _labels(params, [label for pair in pairs for label in pair])[0]
    only_a, only_b = sum(x == first != y for x, y in pairs), sum(x != first == y for x, y in pairs)
    test = mcnemar(only_a, only_b, exact=params.get("exact", True), correction=params.get("correction", False))
    return {"statistic": test.statistic, "pvalue": test.pvalue, "b": test.b, "c": test.c, "reason": test.reason}


def _majority(data: Mapping[str, Any], params: Mapping[str, Any]) -> Plain:
    found = majority_vote(
        data["votes"], params.get("tie", "undecided"), positive=params.get("positive"), negative=params.get("negative")
    )  # fmt: skip
    reason = "A tie that the rule leaves open, or nobody voted." if None in found.labels else None
    return {"labels": list(found.labels), "n_ties": found.ties, "n_empty": found.empty, "reason": reason}


def _wilson(data: Mapping[str, Any], params: Mapping[str, Any]) -> Plain:
    return _plain(
        proportion("share", data["k"], data["n"], level=params.get("level", 0.95), nothing="There is no item.")
    )


def _clopper_pearson(data: Mapping[str, Any], params: Mapping[str, Any]) -> Plain:
    low, high = clopper_pearson(data["k"], data["n"], params.get("level", 0.95)) or (None, None)
    value, reason = (None, "There is no item.") if low is None else (data["k"] / data["n"], None)
    return {"value": value, "low": low, "high": high, "reason": reason}


def _spans(data: Mapping[str, Any], params: Mapping[str, Any]) -> Plain:
    items = [SpanItem(item["expert"], item["llm"]) for item in data["items"]]
    found = span_distances(items, params.get("missing", "exclude"), Resampling(replicates=1))
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
        [ResponseSupport(each["urls"], each["support"]) for each in data["responses"]], Resampling(replicates=1)
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


def _test(found: TestResult, **more: Any) -> Plain:
    return {"statistic": found.statistic, "pvalue": found.pvalue, "df": found.df, "reason": found.reason} | more


def _two_proportions(data: Mapping[str, Any], params: Mapping[str, Any]) -> Plain:
    return _test(two_proportions(data["k"], data["n"], params.get("pooled", True)))


def _t_test(data: Mapping[str, Any], params: Mapping[str, Any]) -> Plain:
    return _test(t_test(data["a"], data["b"], params.get("paired", False), params.get("equal_var", False)))


def _chi_squared(data: Mapping[str, Any], params: Mapping[str, Any]) -> Plain:
    found = chi_squared(data["table"], params.get("correction", False))
    return _test(found, min_expected=found.min_expected)


def _adjusted(data: Mapping[str, Any], params: Mapping[str, Any]) -> Plain:
    found = adjusted(data["pvalues"], params.get("method", "holm"))
    reason = "A test without a p-value does not count in the family." if None in found else None
    return {"adjusted": list(found), "n_tests": family_size(data["pvalues"]), "reason": reason}


def _rank(found: RankCorrelation) -> Plain:
    return _plain(found.figure, pvalue=found.test.pvalue, statistic=found.test.statistic, df=found.test.df)


def _spearman(data: Mapping[str, Any], params: Mapping[str, Any]) -> Plain:
    exact = params.get("pvalue", "exact") == "exact"
    return _rank(spearman(data["a"], data["b"], exact_up_to=EXACT_UP_TO if exact else 0))


def _kendall(data: Mapping[str, Any], params: Mapping[str, Any]) -> Plain:
    return _rank(kendall_tau_b(data["a"], data["b"]))


def _mean_kendall(data: Mapping[str, Any], params: Mapping[str, Any]) -> Plain:
    found = mean_kendall_tau(data["rankings"])
    return _plain(found, n_pairs=found.n)


def _kendall_w(data: Mapping[str, Any], params: Mapping[str, Any]) -> Plain:
    return _rank(kendall_w(data["rankings"], resampling=_QUICK))


def _mean_rank(data: Mapping[str, Any], params: Mapping[str, Any]) -> Plain:
    found = mean_ranks(data["ranks"], resampling=_QUICK)
    return {"mean": {name: figure.value for name, figure in found.items()}} | {"reason": _values(found)["reason"]}


def _icc(data: Mapping[str, Any], params: Mapping[str, Any]) -> Plain:
    return _plain(icc(data["ratings"], params.get("type", "ICC(2,1)"), level=params.get("level", 0.95)))


def _flags(data: Mapping[str, Any], params: Mapping[str, Any]) -> Plain:
    found = flag_ratios(data["n"], data["n_top_relevance"], data["n_flagged"], data.get("n_ideal"))
    return _values(
        {
            "plausibility": found.plausibility,
            "hallucination_rate": found.hallucination_rate,
            "answerability": found.answerability,
            "ideal_pair_yield": found.ideal_pair_yield,
        }
    )


def _panel(data: Mapping[str, Any], params: Mapping[str, Any]) -> dict[str, Any]:
    """What the figures of a panel take, the judge's labels among those of the protocol."""
    given = [vote for ballot in data["votes"] for vote in ballot] + list(data.get("judge", ()))
    ends = {name: params.get(name) for name in ("positive", "negative")}
    known = [label for label in ends.values() if label is not None]
    labels = _labels(params, [*given, *known])
    return {"labels": labels, "tie": params.get("tie", "undecided"), "clusters": data.get("cluster"), **ends}


def _leave_one_out(data: Mapping[str, Any], params: Mapping[str, Any]) -> Plain:
    found = non_inferiority(data["votes"], {}, resampling=_QUICK, **_panel(data, params)).baseline
    return _plain(found.mean, per_rater=[one.value for one in found.persons], n_ties=found.ties)


def _non_inferiority(data: Mapping[str, Any], params: Mapping[str, Any]) -> Plain:
    again = Resampling(replicates=params.get("n_boot", 9_999), seed=params.get("seed", 1), interval="percentile")
    choices = {name: params[name] for name in ("margin", "alpha") if name in params}
    found = non_inferiority(
        data["votes"], {"judge": data["judge"]}, resampling=again, **choices, **_panel(data, params)
    ).beside[0]  # fmt: skip
    return _plain(found.difference, pvalue=found.p, noninferior=found.non_inferior)


STATISTICS: Final[Mapping[str, Callable[[Mapping[str, Any], Mapping[str, Any]], Plain]]] = {
    "adjust_pvalues": _adjusted,
    "bootstrap_ci": _bootstrap,
    "brennan_prediger": _many("brennan_prediger"),
    "chi2": _chi_squared,
    "citation_kpis": _citations,
    "classification": _classification,
    "clopper_pearson_ci": _clopper_pearson,
    "cluster_bootstrap_ci": _bootstrap,
    "cohen_kappa": _pair("cohen_kappa"),
    "cohen_kappa_se": _kappa_se,
    "flag_ratios": _flags,
    "fleiss_kappa": _many("fleiss_kappa"),
    "gwet_ac": _many("gwet_ac"),
    "icc": _icc,
    "kendall_tau": _kendall,
    "kendall_w": _kendall_w,
    "krippendorff_alpha": _many("krippendorff_alpha"),
    "landis_koch_band": _band,
    "leave_one_out_kappa": _leave_one_out,
    "majority_vote": _majority,
    "mcnemar": _mcnemar,
    "mean_kendall_tau": _mean_kendall,
    "mean_pairwise_agreement": _many("mean_pairwise_agreement"),
    "mean_rank": _mean_rank,
    "noninferiority": _non_inferiority,
    "percent_agreement": _pair("percent_agreement"),
    "scott_pi": _pair("scott_pi"),
    "span_edit_distance": _spans,
    "spearman": _spearman,
    "support_metrics": _support,
    "ttest": _t_test,
    "two_proportion_ztest": _two_proportions,
    "wilson_ci": _wilson,
}
