"""Citations in text: kind, value and exact place, over a wide table of cases, and properties on any text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medreview.citations import Citation, canonical_key, extract, fetch_url


def found(text: str) -> list[tuple[str, str, str]]:
    """Kind, value, and what stands at the span."""
    return [(c.kind, c.value, text[c.start : c.end]) for c in extract(text)]


# text, and the URLs that are to be found in it, as written
URLS = [
    ("See https://www.who.int/x.", ["https://www.who.int/x"]),
    ("(https://www.who.int/x).", ["https://www.who.int/x"]),
    ("(see https://a.org/b), then", ["https://a.org/b"]),
    ("https://en.wikipedia.org/wiki/Aspirin_(drug).", ["https://en.wikipedia.org/wiki/Aspirin_(drug)"]),
    ("(https://en.wikipedia.org/wiki/Aspirin_(drug))", ["https://en.wikipedia.org/wiki/Aspirin_(drug)"]),
    ("[x](https://a.org/b_(c))", ["https://a.org/b_(c)"]),
    ("[x](https://a.org/b 'title') y", ["https://a.org/b"]),
    ("[https://a.org](https://a.org/)", ["https://a.org/"]),
    ("<https://a.org/b>, <a href=\"https://q.org\">here</a>", ["https://a.org/b", "https://q.org"]),
    ("\"https://a.org\" 'https://b.org/' “https://c.org/” ‘https://d.org’ «https://e.org»",
     ["https://a.org", "https://b.org/", "https://c.org/", "https://d.org", "https://e.org"]),
    ("['https://a.org','https://b.org']", ["https://a.org", "https://b.org"]),
    ("https://c.org/d;https://e.org.", ["https://c.org/d", "https://e.org"]),
    ("https://a.org/q?a=1&amp;b=2", ["https://a.org/q?a=1&amp;b=2"]),
    ("&lt;https://a.org/x&gt; &quot;https://b.org&quot;", ["https://a.org/x", "https://b.org"]),
    ("**https://x.org/y** _https://x.org/z_ `https://x.org/w`", ["https://x.org/y", "https://x.org/z",
    "https://x.org/w"]),
    ("| https://x.org/a|b | {https://x.org/c}", ["https://x.org/a", "https://x.org/c"]),
    ("https://x.org/a... https://x.org/b… https://x.org/c!? https://x.org/d¹",
     ["https://x.org/a", "https://x.org/b", "https://x.org/c", "https://x.org/d"]),
    ("https://x.org/f\u200b https://x.org/g。次", ["https://x.org/f", "https://x.org/g"]),
    ("https://x.org/foo\\_bar\\n", ["https://x.org/foo\\_bar"]),
    ("https://x.org/a(accessed 2020)", ["https://x.org/a"]),
    ("HTTPS://WWW.X.ORG/Path.", ["HTTPS://WWW.X.ORG/Path"]),
    ("http://[::1]:80/x http://127.0.0.1:5000/y. http://localhost:8000",
     ["http://[::1]:80/x", "http://127.0.0.1:5000/y", "http://localhost:8000"]),
    ("https://www.cdc.gov?x=1 https://www.cdc.gov#frag", ["https://www.cdc.gov?x=1", "https://www.cdc.gov#frag"]),
    ("https://web.archive.org/web/2020/https://www.who.int/x",
    ["https://web.archive.org/web/2020/https://www.who.int/x"]),
    ("https://x.org/?u=https://y.org/z", ["https://x.org/?u=https://y.org/z"]),
    ("Source:https://z.org/a e.g.https://y.org", ["https://z.org/a", "https://y.org"]),
    ("https://www.nejm.org/doi/full/10.1056/NEJMoa055202", ["https://www.nejm.org/doi/full/10.1056/NEJMoa055202"]),
    ("https://doi.org/ and https://pubmed.ncbi.nlm.nih.gov/?term=aspirin",
     ["https://doi.org/", "https://pubmed.ncbi.nlm.nih.gov/?term=aspirin"]),
    ("https://nih.gov@evil.org/12345678", ["https://nih.gov@evil.org/12345678"]),
    ("https://pubmed.ncbi.nlm.nih.gov.evil.org/12345678/", ["https://pubmed.ncbi.nlm.nih.gov.evil.org/12345678/"]),
    ("http:// https://... http://www. https://)", []),
    ("ftp://x.org/10.1000/x javascript:open('https://e.org') file:///PMC1234567 mailto:a@b.org git+https://x.org", []),
    ("www.cdc.gov and cdc.gov/flu", ["www.cdc.gov"]),
    ("Source:www.a.org/b. WWW.Nhs.UK/x (www.c.co.uk/d_(e)), **www.d.org**", ["www.a.org/b", "WWW.Nhs.UK/x",
    "www.c.co.uk/d_(e)", "www.d.org"]),
    ("[www.a.org/x](https://www.a.org/x) https://b.org/www.c.org https://d.org/?u=www.e.org", ["https://www.a.org/x",
    "https://b.org/www.c.org", "https://d.org/?u=www.e.org"]),
    ("https://a.org/x,www.b.org/y", ["https://a.org/x", "www.b.org/y"]),
    ("www. www.x www.example www.5.3 me@www.a.org ftp://www.a.org awww.b.org www.a..b", []),
    ("See https://a.org/s?q=a|b&c=d|e, www.b.org/?x=1|2.", ["https://a.org/s?q=a|b&c=d|e", "www.b.org/?x=1|2"]),
    ("https://a.org/x|y https://b.org/?q=1| https://c.org/?q=1|https://d.org/?q=2",
    ["https://a.org/x", "https://b.org/?q=1", "https://c.org/?q=1", "https://d.org/?q=2"]),
    ("|a|https://x.org/?q=1|b|", ["https://x.org/?q=1"]),
    ("a|b\n--|--\nx|https://x.org/?q=1|2", ["https://x.org/?q=1"]),
    ("| https://x.org/?q=1\\|2 | b |", ["https://x.org/?q=1\\|2"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "urls"), URLS)
def test_urls(text: str, urls: list[str]) -> None:
    assert found(text) == [("url", url, url) for url in urls]


SICI = "10.1002/(SICI)1097-4636(199823)43:2<93::AID-JBM1>3.0.CO;2-"

# text, and the DOIs as they stand there
DOIS = [
    ("DOI: 10.1000/X", ["10.1000/X"]),
    ("doi:10.1056/NEJMoa055202.", ["10.1056/NEJMoa055202"]),
    ("(doi 10.1016/S0140-6736(05)67889-1)", ["10.1016/S0140-6736(05)67889-1"]),
    (f"{SICI}#. Then", [f"{SICI}#"]),
    (f"({SICI}I)", [f"{SICI}I"]),
    ("10.1175/1520-0442(1998)011<2315:ACO>2.0.CO;2.", ["10.1175/1520-0442(1998)011<2315:ACO>2.0.CO;2"]),
    ("<b>10.1000/abc</b> 10.1000/def<br>", ["10.1000/abc", "10.1000/def"]),
    ("10.1000/x(open access)", ["10.1000/x"]),
    ("10.1000/a,10.1000/b; 10.1000/c;", ["10.1000/a", "10.1000/b", "10.1000/c"]),
    ("DOI10.1000/z", ["10.1000/z"]),
    ("doi.org/10.1000/x", ["10.1000/x"]),
    ("onlinelibrary.wiley.com/doi/10.1002/abc/full", ["10.1002/abc"]),
    ("“10.1000/q”, '10.1000/r' *10.1000/s* [10.1000/t]",
     ["10.1000/q", "10.1000/r", "10.1000/s", "10.1000/t"]),
    ("10.1001/jama.2016.0287PMID: x", ["10.1001/jama.2016.0287"]),
    ("10.1000/a;PMID:1 10.1000/b;pmid: 2 10.1000/c;PMID12345678 10.1000/d,PMCID=PMC3 10.1000/e;PMC1234567",
    ["10.1000/a", "10.1000/b", "10.1000/c", "10.1000/d", "10.1000/e"]),
    ("version 110.1000/x 1.10.1000/x, 10.5/ml, 10.1000/ and 10.1000/--", []),
]  # fmt: skip


@pytest.mark.parametrize(("text", "dois"), DOIS)
def test_dois(text: str, dois: list[str]) -> None:
    assert [item for item in found(text) if item[0] == "doi"] == [("doi", doi.lower(), doi) for doi in dois]


@pytest.mark.parametrize("label", [";PMID:12345678", ";pmid: 12345678", ",PMID12345678", "; PMID 12345678"])
@pytest.mark.parametrize("doi", ["10.1000/x.1", "https://doi.org/10.1000/x.1", "www.doi.org/10.1000/x.1"])
def test_a_pmid_glued_to_a_doi_is_a_citation_of_its_own(doi: str, label: str) -> None:
    assert [item[:2] for item in found(f"Lancet 2020. {doi}{label}.")] == [("doi", "10.1000/x.1"), ("pmid", "12345678")]


def test_doi_escapes_are_undone_in_the_value() -> None:
    assert found("10.1007/978-3\\_5") == [("doi", "10.1007/978-3_5", "10.1007/978-3\\_5")]
    text = "10.1175/1520(1998)011&lt;2315:ACO&gt;2.0.CO;2"
    assert found(text) == [("doi", "10.1175/1520(1998)011<2315:aco>2.0.co;2", text)]


# text, and the PMIDs in it
PMIDS = [
    ("PMID: 123", ["123"]),
    ("PMID 123 and PMID:12345678", ["123", "12345678"]),
    ("PMIDs: 1, 2 and 3", ["1", "2", "3"]),
    ("PMIDs 12345678, 23456789, and 34567890 show it", ["12345678", "23456789", "34567890"]),
    ("PMIDs:\n- 12345678\n- 23456789\n", ["12345678", "23456789"]),
    ("PMIDs: 12345678 23456789", ["12345678", "23456789"]),
    ("PMID: 12345678; 23456789", ["12345678", "23456789"]),
    ("PMID: 1, PMID: 2, PMID: 3", ["1", "2", "3"]),
    ("PubMed ID 77, PubMed ID: 78, PubMed IDs 79 & 80", ["77", "78", "79", "80"]),
    ("PubMed PMID: 28345952. [PubMed: 12345678]", ["28345952", "12345678"]),
    ("PubMed: PMID 28345952", ["28345952"]),
    (
        "**PMID:** 123 `PMID`: 5 PMID=77 pmid:88 PMID (99) PMID #1234 PMID no. 44",
        ["123", "5", "77", "88", "99", "1234", "44"],
    ),
    ('{"pmid": "123"} [PMID123]', ["123", "123"]),
    ("PMID: 26903338, 2016", ["26903338"]),
    ("PMID 12345678, 5 mg daily", ["12345678"]),
    ("PMID: 12345678 and 3 others", ["12345678"]),
    ("PMIDs: 12345678, 23456789 and 12 trials", ["12345678", "23456789"]),
    ("PMID: 123\n2. Next item", ["123"]),
    ("| PMID 12345678 | 20240115 |", ["12345678"]),
    ("pubmed.ncbi.nlm.nih.gov/12345678/", ["12345678"]),
    ("PMID: 123456789", []),
    ("MRN 12345678, record number 1234567, 20240115, 12345678", []),
    ("A PubMed search found 12345678; searched PubMed 2020; PubMed: 15 studies", []),
    ("PMID: PMC", []),
    ("PMID 12.5 and PMID: 0", []),
]


@pytest.mark.parametrize(("text", "pmids"), PMIDS)
def test_pmids(text: str, pmids: list[str]) -> None:
    assert found(text) == [("pmid", pmid, pmid) for pmid in pmids]


@pytest.mark.parametrize(
    ("text", "kind", "values"),
    [
        ("PMC1234567, (PMC12345678).", "pmcid", ["PMC1234567", "PMC12345678"]),
        ("NCT01234567; (NCT12345678)", "nct", ["NCT01234567", "NCT12345678"]),
        ("NCT0123456 NCT012345678 PMC123456789 XPMC1234567 PMC12", "nct", []),
        ("arXiv:2101.00001v2, arXiv 2101.00002 and 2101.00003.", "arxiv", ["2101.00001v2", "2101.00002"]),
        ("arXiv:math/0211159, arXiv preprint arXiv:hep-th/9901001v1", "arxiv", ["math/0211159", "hep-th/9901001v1"]),
        ("arXiv: math.GT/0309136 arXiv:2113.00001", "arxiv", ["math.GT/0309136"]),
    ],
)
def test_other_identifiers(text: str, kind: str, values: list[str]) -> None:
    assert found(text) == [(kind, value, value) for value in values]


def test_identifiers_written_another_way() -> None:
    assert found("nct01234567 pmc1234567") == [
        ("nct", "NCT01234567", "nct01234567"),
        ("pmcid", "PMC1234567", "pmc1234567"),
    ]
    assert found("PMCID: 7654321") == [("pmcid", "PMC7654321", "7654321")]
    assert found("PMID:12345678PMCID:PMC1234567") == [
        ("pmid", "12345678", "12345678"),
        ("pmcid", "PMC1234567", "PMC1234567"),
    ]
    assert found("10.48550/arXiv.2101.00001") == [("doi", "10.48550/arxiv.2101.00001", "10.48550/arXiv.2101.00001")]


RESOLVED = [
    ("https://doi.org/10.1000/X", "doi", "10.1000/x"),
    ("http://dx.doi.org/10.1000%2FXyZ?utm=1", "doi", "10.1000/xyz"),
    ("https://doi.org/10.1016/S0140-6736(05)67889-1", "doi", "10.1016/s0140-6736(05)67889-1"),
    (f"https://doi.org/{SICI}I", "doi", f"{SICI}i".lower()),
    ("https://www.doi.org/doi:10.1000/x", "doi", "10.1000/x"),
    ("https://pubmed.ncbi.nlm.nih.gov/12345678/", "pmid", "12345678"),
    ("https://pubmed.ncbi.nlm.nih.gov/123?from=x", "pmid", "123"),
    ("https://www.ncbi.nlm.nih.gov/pubmed/123", "pmid", "123"),
    ("http://www.ncbi.nlm.nih.gov/m/pubmed/123/", "pmid", "123"),
    ("https://www.ncbi.nlm.nih.gov/pubmed/?term=12345678", "pmid", "12345678"),
    ("https://europepmc.org/article/MED/1234", "pmid", "1234"),
    ("https://www.ncbi.nlm.nih.gov/pmc/articles/PMC123456/#a", "pmcid", "PMC123456"),
    ("https://pmc.ncbi.nlm.nih.gov/articles/PMC7654321/", "pmcid", "PMC7654321"),
    ("https://europepmc.org/articles/PMC7654321", "pmcid", "PMC7654321"),
    ("https://clinicaltrials.gov/study/NCT01234567", "nct", "NCT01234567"),
    ("https://clinicaltrials.gov/ct2/show/nct01234567?x=1", "nct", "NCT01234567"),
    ("https://www.clinicaltrials.gov/ct2/show/study/NCT01234567", "nct", "NCT01234567"),
    ("https://arxiv.org/abs/2101.00001v2", "arxiv", "2101.00001v2"),
    ("https://arxiv.org/pdf/2101.00001.pdf", "arxiv", "2101.00001"),
    ("http://arxiv.org/abs/math/0211159", "arxiv", "math/0211159"),
]


@pytest.mark.parametrize(("url", "kind", "value"), RESOLVED)
@pytest.mark.parametrize("frame", ["{}", "See ({}).", "[text]({})", "<{}>", '"{}",'])
def test_a_resolver_url_is_the_identifier_once(url: str, kind: str, value: str, frame: str) -> None:
    assert found(frame.format(url)) == [(kind, value, url)]


@pytest.mark.parametrize(
    "text",
    [
        "[PMID: 123](https://pubmed.ncbi.nlm.nih.gov/123/)",
        "PMID: [123](https://pubmed.ncbi.nlm.nih.gov/123/)",
        '<a href="https://pubmed.ncbi.nlm.nih.gov/123/">PMID: 123</a>',
    ],
)
def test_a_link_with_its_own_text_is_one_citation(text: str) -> None:
    assert found(text) == [("pmid", "123", "https://pubmed.ncbi.nlm.nih.gov/123/")]


def test_two_places_are_two_citations_in_text_order() -> None:
    text = "PMID: 5 then https://a.org/x, doi:10.1000/q, NCT01234567 and PMID 5; https://a.org/x"
    assert [c.value for c in extract(text)] == [
        "5",
        "https://a.org/x",
        "10.1000/q",
        "NCT01234567",
        "5",
        "https://a.org/x",
    ]


RESPONSES = [
    ("ACE inhibitors harm the fetus.\nSee: https://www.ncbi.nlm.nih.gov/books/NBK431051/\n"
     "WHO: https://www.who.int/health-topics/maternal-health#tab=tab_1\nDOI: 10.1056/NEJMoa055202\n", (2, 1, 0)),
    ("Reduce metformin for eGFR <45.\nNICE: https://www.nice.org.uk/guidance/ng28\n"
     "A blog: http://randommedblog.example/metformin\nPMID: 21617112\n", (2, 0, 1)),
    ("Aspirin with warfarin increases bleeding.\n", (0, 0, 0)),
    ("Refer to protocols:\nhttp://example.com/af\nhttps://health.example.net/afib\n", (2, 0, 0)),
    ("Give antibiotics.\nCDC: https://www.cdc.gov/sepsis/\nNIH: https://www.ncbi.nlm.nih.gov/books/NBK598311/\n"
     "DOI: 10.1001/jama.2016.0287\nPubMed: PMID 28345952\n", (2, 1, 1)),
]  # fmt: skip


@pytest.mark.parametrize(("text", "counts"), RESPONSES)
def test_counts_by_kind_of_whole_responses(text: str, counts: tuple[int, int, int]) -> None:
    kinds = [c.kind for c in extract(text)]
    assert (kinds.count("url"), kinds.count("doi"), kinds.count("pmid")) == counts
    assert len(kinds) == sum(counts)


FRAGMENTS = st.sampled_from(
    [
        "https://",
        "http://a.org",
        "/x",
        "(",
        ")",
        "[",
        "]",
        "{",
        "](",
        "<",
        ">",
        " ",
        "\n",
        "PMID",
        ": ",
        "123",
        ", ",
        "10.1000/",
        "doi:",
        "abc",
        ".",
        ";",
        "&amp;",
        "&lt;",
        "PMC1234567",
        "NCT01234567",
        "arXiv:",
        "2101.00001",
        "\\_",
        "and ",
        "é",
        "\ud800",
        "ftp://",
        "www.",
        "www.who.int",
        "|",
        "?",
        ";pmid:",
        "javascript:",
        "https://doi.org/",
        "https://pubmed.ncbi.nlm.nih.gov/",
        "_",
        "**",
        "\u0130",
        "𝟙𝟚𝟛",
        "\0",
    ]
)


@given(st.one_of(st.text(max_size=80), st.lists(FRAGMENTS, max_size=30).map("".join)))
def test_spans_are_ordered_disjoint_and_hold_the_identifier(text: str) -> None:
    last = 0
    for citation in extract(text):
        assert citation.start is not None
        assert citation.end is not None
        assert last <= citation.start < citation.end <= len(text)
        last = citation.end
        exact = text[citation.start : citation.end]
        assert exact == exact.strip()
        if citation.kind == "url":
            assert exact == citation.value
        assert canonical_key(citation)
        assert fetch_url(citation).lower().startswith(("http://", "https://"))
        again = extract(fetch_url(Citation("doi", citation.value))) if citation.kind == "doi" else [citation]
        assert [c.kind for c in again] == [citation.kind]


def test_a_list_of_pmids_may_be_numbered_and_a_date_is_none() -> None:
    numbered = "PMIDs:\n1. 12345678\n2) 23456789\n\n3 trials"
    assert found(numbered) == [("pmid", "12345678", "12345678"), ("pmid", "23456789", "23456789")]
    assert found("PMID 15/01/2024, PMID: 15.01.24") == []
