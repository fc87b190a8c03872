"""Figures on citations: values of the notebook, undefined ones with a reason, intervals that repeat."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medreview.stats.citation_kpis import CitationCounts, citation_figures, criteria
from medreview.stats.formulas.bootstrap import Resampling

FIVE = [
    CitationCounts(n_url=2, n_doi=1, n_pmid=0, n_allowed_urls=2),
    CitationCounts(n_url=2, n_doi=0, n_pmid=1, n_allowed_urls=1),
    CitationCounts(n_url=0, n_doi=0, n_pmid=0, n_allowed_urls=0),
    CitationCounts(n_url=2, n_doi=0, n_pmid=0, n_allowed_urls=0),
    CitationCounts(n_url=2, n_doi=1, n_pmid=1, n_allowed_urls=2),
]
FEW = Resampling(replicates=499, seed=3)

counts = st.tuples(st.integers(0, 4), st.integers(0, 3), st.integers(0, 3), st.integers(0, 4)).map(
    lambda found: CitationCounts(found[0], found[1], found[2], min(found[0], found[3]))
)


def test_the_notebooks_summary():
    assert citation_figures(FIVE, FEW).summary == pytest.approx(
        {
            "responses_total": 5,
            "responses_with_citation_pct": 80.0,
            "avg_citations_per_response": 2.4,
            "avg_pct_allowed_over_all": 66.66666666666667,
            "avg_pct_allowed_over_urls": 62.5,
            "pooled_pct_allowed_over_all": 75.0,
            "pooled_pct_allowed_over_urls": 62.5,
            "reason": None,
        },
        abs=1e-9,
    )


def test_no_citation_anywhere():
    found = citation_figures([CitationCounts(), CitationCounts()], FEW).summary

    assert [found.pop(name) for name in ("responses_total", "responses_with_citation_pct")] == [2, 0.0]
    assert (found.pop("avg_citations_per_response"), found.pop("reason")) == (0.0, "No response has a citation.")
    assert set(found.values()) == {None}
    assert citation_figures([CitationCounts(n_doi=1)], FEW).summary["reason"] == "No response cites a URL."


def test_no_responses():
    found = citation_figures([], FEW).summary

    assert found.pop("reason") == "There is no response."
    assert found.pop("responses_total") == 0
    assert set(found.values()) == {None}


def test_figures_have_the_same_values_and_say_what_they_rest_on():
    found = citation_figures(FIVE, FEW)
    told = {
        name: (round(figure.value, 4), figure.n, figure.clusters, figure.dropped, figure.method)
        for name, figure in (
            ("with", found.with_citation),
            ("mean", found.mean_citations),
            ("mean_all", found.mean_allowed),
            ("pool_all", found.pooled_allowed),
            ("mean_url", found.mean_allowed_urls),
            ("pool_url", found.pooled_allowed_urls),
        )
    }
    few = "jackknife over responses"

    assert told == {
        "with": (0.8, 5, None, 0, "Wilson"),
        "mean": (2.4, 5, 5, 0, few),
        "mean_all": (0.6667, 4, 4, 1, few),
        "pool_all": (0.75, 12, 4, 0, few),
        "mean_url": (0.625, 4, 4, 1, few),
        "pool_url": (0.625, 8, 4, 0, few),
    }
    assert {kind: round(figure.value * 12) for kind, figure in found.kinds.items() if figure.value} == {
        "url": 8, "doi": 2, "pmid": 2,
    }  # fmt: skip
    assert found.pooled_allowed.low <= 0.75 <= found.pooled_allowed.high
    assert found == citation_figures(list(reversed(FIVE)), FEW)


def test_what_is_missing_has_a_reason():
    nothing, uncited = citation_figures([], FEW), citation_figures([CitationCounts()] * 3, FEW)

    assert nothing.with_citation.reason == nothing.mean_citations.reason == "There is no response."
    assert uncited.mean_allowed.reason == "No response has a citation."
    assert uncited.pooled_allowed_urls.reason == "No response cites a URL."
    assert uncited.reached.reason == "No source was asked for."
    assert uncited.mean_allowed.dropped == 3


def test_certainty_is_not_claimed():
    all_ = citation_figures([CitationCounts(n_url=1, n_allowed_urls=1)] * 40, FEW).pooled_allowed_urls
    none = citation_figures([CitationCounts(n_url=1)] * 40, FEW).pooled_allowed_urls

    assert (all_.value, all_.low) == (1.0, None)
    assert "all are allowed in 40 of 40 responses (Clopper-Pearson 95%: 91.2% to 100.0%)" in all_.reason
    assert (none.value, none.low) == (0.0, None)
    assert "none is allowed in 40 of 40 responses" in none.reason


def test_what_was_asked_for_is_counted_apart():
    found = citation_figures(
        [
            CitationCounts(n_url=2, n_asked=2, n_reached=1),
            CitationCounts(n_doi=2, n_asked=1, n_reached=1, n_checked=2, n_existing=1),
        ],
        FEW,
    )

    assert (found.reached.value, found.reached.n) == (pytest.approx(2 / 3), 3)
    assert (found.existing.value, found.existing.n) == (0.5, 2)


@given(st.lists(counts, max_size=12))
def test_the_summary_agrees_with_its_definition(responses):
    figures = citation_figures(responses, Resampling(replicates=99))
    found = figures.summary
    urls = [one for one in responses if one.n_url]
    cited = [one for one in responses if one.n_total]

    def pct(over, under):
        return pytest.approx(100 * sum(over) / sum(under)) if sum(under) else None

    assert found["responses_with_citation_pct"] == pct([1] * len(cited), [1] * len(responses))
    assert found["pooled_pct_allowed_over_all"] == pct([r.n_allowed for r in cited], [r.n_total for r in cited])
    assert found["pooled_pct_allowed_over_urls"] == pct([r.n_allowed_urls for r in urls], [r.n_url for r in urls])
    assert found["avg_pct_allowed_over_all"] == pct([r.n_allowed / r.n_total for r in cited], [1] * len(cited))
    assert found["avg_pct_allowed_over_urls"] == pct([r.n_allowed_urls / r.n_url for r in urls], [1] * len(urls))
    assert (found["reason"] is None) == bool(urls)
    assert all(
        getattr(figures, name).value is not None or getattr(figures, name).reason
        for name in ("with_citation", "mean_citations", "mean_allowed")
    )


def test_criteria_are_compared_exactly():
    cited = [CitationCounts(n_url=1, n_allowed_urls=1)]
    met, urls = criteria(cited * 19 + [CitationCounts()])

    assert (met.k, met.n, met.met, met.why) == (19, 20, True, "")
    assert (urls.k, urls.n, urls.met) == (19, 19, True)
    missed, _ = criteria(cited * 18 + [CitationCounts()] * 2)
    assert missed.met is False
    assert missed.sentence == "missed: responses with a citation, 90.0% (18 of 20), wanted at least 95%."
    assert met.sentence == "met: responses with a citation, 95.0% (19 of 20), wanted at least 95%."
    assert criteria(cited * 7 + [CitationCounts()] * 3, 70.0)[0].met is True
    assert criteria(cited * 999 + [CitationCounts()], 99.9)[0].met is True
    assert criteria(cited * 999 + [CitationCounts()], 99.91)[0].met is False


def test_a_criterion_without_a_denominator_is_undefined():
    with_citation, urls = criteria([CitationCounts(n_doi=1)])

    assert (with_citation.met, urls.met, urls.why) == (True, None, "No response cites a URL.")
    assert urls.sentence == "undefined: URLs on the allow-list, wanted at least 90%. No response cites a URL."
    assert criteria([])[0].met is None


def test_identifiers_that_are_not_allowed_are_left_out_of_the_allowed():
    assert CitationCounts(n_url=1, n_doi=2, n_arxiv=1, n_allowed_urls=1, n_other_not_allowed=1).n_allowed == 3
