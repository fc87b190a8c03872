"""The URL analysis of small studies against values worked out by hand."""

import json

import pytest

from medreview import pipeline
from medreview.citations.hosts import paywalled_domains
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.reports.study_support import MOST_STRATA
from medreview.stats.study_figures import study_figures
from medreview.stats.url_analysis import url_figures
from medreview.study import Study

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
    assert "none is on the list in 3 of 3 responses" in stratum.paywalls.figures[0].reason


def test_without_citations_all_is_undefined_with_reasons(make):
    stratum = figures(make(("m", "o", []))).strata[0]
    shown = [stratum.validity, stratum.country.figure, *stratum.paywalls.figures, *(g.figure for g in stratum.archive)]

    assert all(figure.value is None and figure.reason for figure in shown)
    assert (stratum.hosts.named, stratum.tlds.named) == ((), ())


def test_an_empty_study_has_no_strata(tmp_path):
    with Study.create(tmp_path / "a.medreview") as study:
        assert figures(study).strata == ()


def test_many_models_and_origins_are_bounded(make):
    study = make(*[(f"model {number}", f"origin {number}", ["https://nih.gov/b"]) for number in range(20)])
    report = figures(study)

    assert len(report.strata) == 1 + 2 * MOST_STRATA
    assert report.omitted == {"model": 20 - MOST_STRATA, "origin": 20 - MOST_STRATA}


def test_the_same_seed_gives_the_same_digits(make):
    study = make(*THREE)

    assert figures(study) == figures(study)
