"""Verdicts on citations: the notebook's five rows, and each place where the answer is another one on purpose."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medreview.citations.allow_list import AllowEntry, AllowList, load_allow_list, score, score_text
from medreview.stats.citation_kpis import CitationCounts, citation_figures
from medreview.stats.formulas.bootstrap import Resampling

ALLOW = load_allow_list()
FIVE = [
    "ACE inhibitors are best avoided in pregnancy, as they can harm the foetus.\n"
    "On them: https://www.ncbi.nlm.nih.gov/books/NBK431051/\n"
    "In general: https://www.who.int/health-topics/maternal-health#tab=tab_1\nDOI: 10.1056/NEJMoa055202\n",
    "Lower the dose of metformin below an eGFR of 45 and stop it below 30.\n"
    "Guideline: https://www.nice.org.uk/guidance/ng28\nSomebody's blog: http://randommedblog.io/metformin\n"
    "PMID: 21617112\n",
    "Aspirin on top of warfarin means more bleeding.\n",
    "Follow the local protocol:\nhttp://example.com/af-anticoagulation\nhttps://somehealthsite.net/afib-coumadin\n",
    "Give antibiotics and fluid early.\nCDC: https://www.cdc.gov/sepsis/\n"
    "NIH: https://www.ncbi.nlm.nih.gov/books/NBK598311/\nDOI: 10.1001/jama.2016.0287\nPubMed: PMID 28345952\n",
]
"""Our own sentences, with the citations of the notebook's five mock outputs."""


def one(text: str, allow: AllowList = ALLOW):
    (citation,) = score_text(text, allow).citations
    return citation


def values(text: str) -> list[tuple[str, str]]:
    return [(citation.kind, citation.value) for citation in score_text(text, ALLOW).sources]


def test_the_five_rows_of_the_notebook():
    scores = [score_text(text, ALLOW) for text in FIVE]

    assert [tuple(s.by_kind[kind] for kind in ("url", "doi", "pmid")) for s in scores] == [
        (2, 1, 0), (2, 0, 1), (0, 0, 0), (2, 0, 0), (2, 1, 1),
    ]  # fmt: skip
    assert [s.count("allowed", "by_format") for s in scores] == [3, 2, 0, 0, 4]
    assert [s.count("allowed", kind="url") for s in scores] == [2, 1, 0, 0, 2]
    counts = [
        CitationCounts(s.by_kind["url"], s.by_kind["doi"], s.by_kind["pmid"], s.count("allowed", kind="url"))
        for s in scores
    ]
    assert citation_figures(counts, Resampling(replicates=99)).summary == {
        "responses_total": 5,
        "responses_with_citation_pct": 80.0,
        "avg_citations_per_response": 2.4,
        "avg_pct_allowed_over_all": pytest.approx(66.66666666666667, abs=1e-9),
        "avg_pct_allowed_over_urls": 62.5,
        "pooled_pct_allowed_over_all": 75.0,
        "pooled_pct_allowed_over_urls": 62.5,
        "reason": None,
    }


def test_a_doi_comes_without_its_label():
    assert one("DOI: 10.1056/NEJMoa055202").value == "10.1056/nejmoa055202"


def test_the_host_is_compared_and_not_its_registered_domain():
    allow = AllowList("one", {"ncbi.nlm.nih.gov": (AllowEntry("ncbi.nlm.nih.gov"),)}, frozenset())
    taken = one("https://www.ncbi.nlm.nih.gov/books/NBK431051/", allow)

    assert (taken.verdict, taken.entry, taken.domain) == ("allowed", "ncbi.nlm.nih.gov", "www.ncbi.nlm.nih.gov")
    assert one("https://www.cancer.nih.gov/x", allow).verdict == "not_allowed"


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("https://doi.org/10.1000/x", "doi", "10.1000/x"),
        ("https://pubmed.ncbi.nlm.nih.gov/21617112/", "pmid", "21617112"),
        ("https://clinicaltrials.gov/study/NCT01234567", "nct", "NCT01234567"),
    ],
)
def test_a_resolver_address_is_its_identifier_and_counts_once(text, kind, value):
    assert values(text) == [(kind, value)]


def test_punctuation_behind_a_url_is_not_part_of_it():
    assert values("(see https://www.who.int/x). And <https://nih.gov/y>, then.") == [
        ("url", "https://www.who.int/x"),
        ("url", "https://nih.gov/y"),
    ]


def test_the_tail_of_an_address_without_a_path_is_kept():
    assert values("https://www.cdc.gov?x=1") == [("url", "https://www.cdc.gov?x=1")]


@pytest.mark.parametrize("text", ["MRN 20240115", "On 20240115 the", "pages 1234567 to 1234570", "tel. 12345678"])
def test_a_number_without_its_label_is_no_pmid(text):
    assert values(text) == []


@pytest.mark.parametrize("number", ["12345", "123456", "1234567", "12345678"])
def test_a_labelled_pmid_of_any_length_is_one(number):
    assert values(f"PMID: {number}") == [("pmid", number)]


def test_more_kinds_are_seen():
    text = "PMC1234567, NCT01234567 and arXiv:2101.00001"

    assert [kind for kind, _ in values(text)] == ["pmcid", "nct", "arxiv"]


def test_an_address_with_a_user_name_is_never_allowed():
    taken = one("https://me@nih.gov/x")

    assert (taken.verdict, taken.why, taken.entry) == ("not_allowed", "carries a user name", "")
    assert one("https://nih.gov@evil.example/").domain == "evil.example"


def test_other_schemes_are_no_citation():
    assert values("gopher://nih.gov/x") == []


def test_an_invented_doi_is_taken_by_format_and_told_apart():
    taken = one("doi:10.9999/never-was-there")

    assert (taken.verdict, taken.entry, taken.why) == ("by_format", "", "")


def test_a_source_named_twice_counts_once_and_both_places_are_kept():
    text = "https://nih.gov/x, again https://NIH.gov/x#part, doi:10.1000/X and https://doi.org/10.1000/x"
    scored = score_text(text, ALLOW)

    assert (scored.mentions, len(scored.sources)) == (4, 2)
    assert [citation.repeat for citation in scored.citations] == [False, True, False, True]
    assert [text[citation.start : citation.end] for citation in scored.citations] == [
        "https://nih.gov/x", "https://NIH.gov/x#part", "10.1000/X", "https://doi.org/10.1000/x",
    ]  # fmt: skip
    assert scored.count("allowed") == 1


def test_a_kind_that_is_not_taken_by_format_is_taken_at_its_address():
    entries = {"nih.gov": (AllowEntry("nih.gov"),), "arxiv.org": (AllowEntry("arxiv.org"),)}
    none = AllowList("none by format", entries, frozenset())
    text = "PMID: 123456, doi:10.1000/x, arXiv:2101.00001"

    assert [(c.verdict, c.entry, c.why) for c in score_text(text, none).citations] == [
        ("allowed", "nih.gov", ""),
        ("not_allowed", "", "kind not taken"),
        ("allowed", "arxiv.org", ""),
    ]
    assert one("arXiv:2101.00001").verdict == "not_allowed"


def test_a_list_beside_the_text_adds_what_the_text_does_not_name():
    scored = score_text("See https://nih.gov/x.", ALLOW, ["https://nih.gov/x", "PMID: 123456", "a book"])

    assert [(c.kind, c.start, c.repeat) for c in scored.citations] == [("url", 4, False), ("pmid", None, False)]
    assert scored.unusable == ("a book",)


def test_no_citation_is_nothing():
    scored = score([], ALLOW)

    assert (scored.mentions, scored.sources, set(scored.by_kind.values())) == (0, (), {0})


@given(st.lists(st.sampled_from(["https://nih.gov/a", "https://x.example/b", "doi:10.1000/c", "PMID: 123456"])))
def test_counts_add_up(parts):
    scored = score_text(" , ".join(parts), ALLOW)

    assert sum(scored.by_kind.values()) == len(scored.sources) == len(set(parts))
    assert scored.count("allowed", "by_format", "not_allowed") == len(scored.sources)
    assert scored.mentions == len(parts)
