"""Figures on citations and addresses, and a response beside its reference, against values worked out by hand."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medreview import pipeline
from medreview.citations import extract
from medreview.citations.hosts import paywalled_domains
from medreview.stats.citation_kpis import (
    CitationCounts,
    ResponsePair,
    citation_figures,
    criteria,
    reference_similarities,
    similarity_figures,
)
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.reports.study_support import MOST_STRATA
from medreview.stats.study_figures import study_figures
from medreview.stats.url_analysis import url_figures
from medreview.study import Study

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
    assert "allowed in 0 of 40 responses (Clopper-Pearson 95%: 0.0% to 8.8%)" in none.reason
    of_several = citation_figures([CitationCounts(n_url=2)] * 40, FEW).pooled_allowed_urls
    assert "none is allowed in 40 of 40 responses (Clopper-Pearson 95%: 91.2% to 100.0%)" in of_several.reason


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


FAST = Resampling(replicates=199)
TEXT = "<main><p>" + "The usual dose of this drug is 5 mg once daily. " * 12 + "</p></main>"
CLOSED = '<script type="application/ld+json">{"isAccessibleForFree": false}</script>' + TEXT
LOST = "<title>Page not found</title><main><p>Sorry, this page could not be found.</p></main>"
PAGES = {
    "https://www.nih.gov/a": TEXT,
    "https://nih.gov/b": TEXT,
    "https://www.nejm.org/open": TEXT,
    "https://evidence.nejm.org/closed": CLOSED,
    "https://other.de/closed": CLOSED,
    "https://other.de/gone": 404,
    "https://other.de/lost": LOST,
    "https://slow.org/x": "timeout",
    "https://doi.org/10.1000/x": ("https://link.springer.com/article/1", TEXT),
    "http://intranet/x": 404,
}


@pytest.fixture
def make(tmp_path):
    """A study of responses (model, origin, cited addresses) whose pages are those above; others are not fetched."""
    opened = []

    def build(*responses):
        pages = tmp_path / "pages"
        pages.mkdir()
        lines = []
        for number, (url, what) in enumerate(PAGES.items()):
            final, body = what if isinstance(what, tuple) else (url, what)
            line = {"url": url, "final_url": final, "content_type": "text/html", "file": f"{number}.html"}
            (pages / f"{number}.html").write_text(body if isinstance(body, str) else "")
            if isinstance(body, int):
                line = {"url": url, "status": body}
            elif body == "timeout":
                line = {"url": url, "error": body}
            lines.append(line)
        (pages / "manifest.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        answers = tmp_path / "answers.jsonl"
        rows = [
            {
                "id": str(number),
                "response": f"The dose is {number} mg.",
                "model": model,
                "origin": origin,
                "citations": c,
            }
            for number, (model, origin, c) in enumerate(responses)
        ]
        answers.write_text("".join(json.dumps(row) + "\n" for row in rows))
        study = Study.create(tmp_path / "a.medreview")
        opened.append(study)
        pipeline.run(study, [answers], {}, pipeline.PageProvider(pages))
        return study

    yield build
    for study in opened:
        study.close()


def figures(study, **more):
    return url_figures(study.reader, paywalled=paywalled_domains(), resampling=FAST, **more)


def strata(report):
    return {(stratum.split, stratum.stratum): stratum for stratum in report.strata}


def know(study, kind, key, answer):
    row = (kind, key, "2026-01-01T00:00:00Z", json.dumps(answer))
    study.write(lambda connection: connection.execute("INSERT INTO lookup VALUES (?, ?, ?, ?)", row))


THREE = (
    ("atlas", "forum", ["https://www.nih.gov/a", "https://nih.gov/b", "https://other.de/gone", "https://nih.gov/b"]),
    ("atlas", "clinic", ["https://www.nih.gov/a", "https://other.de/lost", "https://new.org/unfetched"]),
    ("boreal", "forum", ["10.1000/x", "https://slow.org/x", "https://other.de/gone", "http://intranet/x"]),
    ("boreal", "clinic", []),
)


def test_validity_hosts_and_states_by_hand(make):
    found = strata(figures(make(*THREE)))
    whole, atlas, boreal = found["", ""], found["model", "atlas"], found["model", "boreal"]

    assert (whole.responses, whole.citing, whole.citations, whole.sources, whole.identifiers) == (4, 3, 10, 8, 1)
    assert whole.states == {"ok": 4, "http_error": 3, "soft_404": 1, "not_fetched": 1, "timeout": 1}
    # Status 200 and text: also the "not found" page that says 200.
    assert (whole.validity.value, whole.validity.n, whole.validity.dropped) == (5 / 9, 9, 1)
    assert (whole.validity.clusters, whole.validity.method) == (3, "jackknife over responses")
    assert (atlas.validity.value, boreal.validity.value) == (4 / 5, 1 / 4)
    assert found["origin", "clinic"].validity.value == 1.0
    assert found["origin", "clinic"].hosts is None

    top = [(host.name, host.citations, host.sources, host.share.value) for host in atlas.hosts.named]
    assert top == [("nih.gov", 3, 2, 3 / 6), ("other.de", 2, 2, 2 / 6), ("new.org", 1, 1, 1 / 6)]
    assert [(host.name, host.citations) for host in boreal.hosts.named] == [
        ("doi.org", 1), ("intranet", 1), ("other.de", 1), ("slow.org", 1),
    ]  # fmt: skip
    tlds = [(tld.name, tld.citations, tld.sources, tld.share.n) for tld in whole.tlds.named]
    assert tlds == [("de", 3, 2, 9), ("gov", 3, 2, 9), ("org", 3, 3, 9)]
    assert (whole.tlds.rest, whole.tlds.none) == (0, 1)


def test_validity_is_that_of_the_support_figures(make):
    study = make(*THREE)
    theirs = {(s.split, s.stratum): s for s in study_figures(study.reader, resampling=FAST).support.strata}
    ours = strata(figures(study))

    assert theirs.keys() == ours.keys()
    for key, stratum in theirs.items():
        mine, other = ours[key].validity, stratum.clustered[0]
        assert (mine.value, mine.n, mine.dropped, mine.clusters) == (
            other.value,
            other.n,
            other.dropped,
            other.clusters,
        )


def test_what_is_beyond_the_top_is_counted(make):
    hosts = figures(make(*THREE), top=1).strata[0].hosts

    assert ([host.name for host in hosts.named], hosts.distinct, hosts.rest) == (["nih.gov"], 6, 7)


def test_a_source_behind_a_paywall_by_list_and_by_page(make):
    cited = ["https://www.nejm.org/open", "https://evidence.nejm.org/closed", "https://other.de/closed", "10.1000/x"]
    study = make(("m", "o", [*cited, "https://nih.gov/b", "https://nejm.org/unfetched"]))
    found = figures(study).strata[0].paywalls

    # The DOI's own host is doi.org; it led to link.springer.com.
    assert (found.both, found.listed_only, found.seen_only, found.neither) == (1, 2, 1, 1)
    assert [(figure.value, figure.n) for figure in found.figures] == [(4 / 6, 6), (3 / 5, 5), (2 / 5, 5), (4 / 5, 5)]
    assert all(figure.low is None and "one response" in figure.reason for figure in found.figures)

    own = url_figures(study.reader, paywalled={"other.de"}, resampling=FAST).strata[0].paywalls
    assert (own.both, own.listed_only, own.seen_only, own.neither) == (1, 0, 1, 3)


def test_country_by_registry_else_by_rule(make):
    study = make(*THREE)
    before = figures(study)
    first = before.strata[0].country
    # gov 3, org 3, de 3; the intranet has no top-level domain.
    assert (first.figure.value, first.figure.n) == (6 / 9, 9)
    assert (first.by_registry, first.by_rule, first.undecided) == (0, 9, 1)
    assert before.registry == {"country": 0, "none": 0, "failed": 0, "not_asked": 5}

    know(study, "registry", "other.de", {"country": "United States"})
    know(study, "registry", "doi.org", {"country": "GB"})
    know(study, "registry", "nih.gov", {"country": ""})
    know(study, "registry", "slow.org", {"failed": "It did not answer."})
    after = figures(study)
    country = after.strata[0].country
    assert (country.figure.value, country.by_registry, country.by_rule, country.undecided) == (8 / 9, 4, 5, 1)
    assert after.registry == {"country": 2, "none": 1, "failed": 1, "not_asked": 1}
    assert strata(after)["model", "boreal"].country.figure.value == 2 / 3


def test_what_the_archive_says_of_lost_sources(make):
    study = make(*THREE)
    nothing = figures(study).strata[0].archive
    assert [group.sources for group in nothing] == [3, 1, 4]
    assert nothing[2].figure.value is None
    assert nothing[2].figure.reason == "The archive has not answered for any of them."
    assert nothing[2].outcomes["not_asked"] == 3

    held = {"first": "2004-03-01", "last": "2021-05-06", "copy": "http://web.archive.org/x", "status": ""}
    know(study, "archive", "https://other.de/gone", held)
    know(study, "archive", "https://other.de/lost", dict.fromkeys(held, ""))
    know(study, "archive", "https://slow.org/x", dict.fromkeys(held, "") | {"status": "404"})
    report = figures(study)
    lost, other, both = report.strata[0].archive
    assert lost.outcomes == {"once_there": 1, "no_page": 0, "never": 1, "failed": 0, "not_asked": 0, "private": 1}
    assert (lost.first, lost.last) == ("2004-03-01", "2021-05-06")
    assert (lost.figure.value, lost.figure.n, lost.figure.dropped, lost.figure.method) == (1 / 2, 2, 1, "Wilson")
    assert (other.outcomes["no_page"], other.figure.value, other.first) == (1, 0.0, "")
    assert (both.sources, both.figure.value) == (4, pytest.approx(1 / 3))
    # A source cited by two models counts with each.
    assert strata(report)["model", "boreal"].archive[0].outcomes["once_there"] == 1
    assert strata(report)["model", "atlas"].archive[0].outcomes["once_there"] == 1

    told = {source.url: source for source in report.lost}
    assert report.lost[0].url == "https://other.de/gone"
    assert (told["https://other.de/gone"].citations, told["https://other.de/gone"].copy) == (2, held["copy"])
    assert told["http://intranet/x"].outcome == "private"


def test_a_failed_question_is_no_answer(make):
    study = make(*THREE)
    know(study, "archive", "https://other.de/gone", {"failed": "It did not answer."})
    group = figures(study).strata[0].archive[0]

    assert (group.outcomes["failed"], group.figure.n) == (1, 0)


def test_an_answer_of_another_shape_in_the_file_does_no_harm(make):
    study = make(*THREE)
    for key, answer in (("https://other.de/gone", [1]), ("https://other.de/lost", {"first": 7, "copy": None})):
        know(study, "archive", key, answer)
    know(study, "registry", "nih.gov", {"country": 7})
    report = figures(study)

    assert report.strata[0].archive[0].outcomes["not_asked"] == 1
    assert report.strata[0].archive[0].outcomes["never"] == 1
    assert report.strata[0].country.by_registry == 0


def test_responses_are_resampled_whole(make):
    good, bad = ["https://nih.gov/b", "https://www.nih.gov/a"], ["https://other.de/gone", "http://intranet/x"]
    study = make(*[("m", "o", good if number % 2 else bad) for number in range(12)])
    figure = figures(study).strata[0].validity

    # Twelve responses, each all valid or all not: the interval is that of 12 items, not of 24.
    assert (figure.value, figure.n, figure.clusters) == (0.5, 24, 12)
    assert figure.high - figure.low > 0.45
    assert figure.notes == ()


def test_a_constant_share_is_bounded_otherwise(make):
    stratum = figures(make(*[("m", "o", ["https://nih.gov/b"])] * 3)).strata[0]

    assert (stratum.validity.value, stratum.validity.low) == (1.0, None)
    assert "all are valid in 3 of 3 responses (Clopper-Pearson" in stratum.validity.reason
    assert "on the list in 0 of 3 responses" in stratum.paywalls.figures[0].reason


def test_without_citations_all_is_undefined_with_reasons(make):
    stratum = figures(make(("m", "o", []))).strata[0]
    shown = [stratum.validity, stratum.country.figure, *stratum.paywalls.figures, *(g.figure for g in stratum.archive)]

    assert all(figure.value is None and figure.reason for figure in shown)
    assert (stratum.hosts.named, stratum.tlds.named) == ((), ())


def test_an_empty_study_has_no_strata(study):
    assert figures(study).strata == ()


def test_many_models_and_origins_are_bounded(make):
    study = make(*[(f"model {number}", f"origin {number}", ["https://nih.gov/b"]) for number in range(20)])
    report = figures(study)

    assert len(report.strata) == 1 + 2 * MOST_STRATA
    assert report.omitted == {"model": 20 - MOST_STRATA, "origin": 20 - MOST_STRATA}


def test_the_same_seed_gives_the_same_digits(make):
    study = make(*THREE)

    assert figures(study) == figures(study)


REFERENCE = "Give 30 mL/kg of crystalloid fluid within the first 3 hours of septic shock."


def one(response, reference=REFERENCE):
    return reference_similarities([ResponsePair(response, extract(response), reference)])[0]


def test_the_same_words_have_cosine_one_and_others_none():
    assert one(REFERENCE).cosine == pytest.approx(1.0)
    assert one("Aspirin protects arteries.").cosine == 0.0


def test_the_cosine_is_the_one_defined():
    # Terms of two documents: {dose, kidney} and {dose}; df is 2 and 1, N is 2.
    shared, alone = 1 + math.log(3 / 3), 1 + math.log(3 / 2)

    assert one("kidney dose", "dose").cosine == pytest.approx(shared / math.hypot(shared, alone))


def test_order_of_the_two_and_citations_do_not_matter():
    assert one("The dose of metformin", "metformin").cosine == pytest.approx(
        one("metformin", "The dose metformin").cosine
    )
    assert (
        one("Give metformin https://www.metformin.example/dose", "metformin").cosine
        == one("Give metformin", "metformin").cosine
    )


def test_no_words_have_no_cosine():
    assert one("...").cosine is None
    assert one("Give fluid.", "---").cosine is None


def test_a_clash_is_found_at_its_places():
    response = "First. Give 50 mL/kg of crystalloid fluid within the first 3 hours of septic shock."
    (clash,) = one(response).clashes

    assert clash.kind == "number"
    assert response[clash.start : clash.end] == "50 mL/kg"
    assert REFERENCE[clash.reference_start : clash.reference_end] == "30 mL/kg"
    assert clash.sentence == "30 mL/kg in the reference, 50 mL/kg in the response"


def test_the_opposite_in_the_same_words_scores_high_and_clashes():
    found = one("Metformin must not be stopped before surgery.", "Metformin must be stopped before surgery.")

    assert found.cosine > 0.9
    assert (found.statements, found.clashing) == (1, 1)


def test_figures_are_over_responses_and_say_who_has_no_reference():
    pairs = [
        ResponsePair(text, [], REFERENCE) for text in (REFERENCE, "Give fluid in septic shock.", "Aspirin.", "...")
    ]
    found = similarity_figures(reference_similarities(pairs), "abcd", 6, Resampling(replicates=199))

    assert (found.cosine.n, found.cosine.dropped) == (3, 7)
    assert found.cosine.low <= found.cosine.value <= found.cosine.high
    assert (found.with_clash.n, found.with_clash.dropped, found.with_clash.method) == (4, 6, "Wilson")
    assert similarity_figures([], [], 2).cosine.reason
