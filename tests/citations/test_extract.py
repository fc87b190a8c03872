"""Citations and markers in answers, and the answers' own numbers for their sources."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medreview.citations import Citation, canonical_key, extract, fetch_url
from medreview.citations.markers import find_markers, markers_of
from medreview.citations.source_lists import OwnNumbers, own_numbers
from medreview.statements.blocks import blocks
from medreview.statements.marks import CitationIndex
from medreview.statements.stage import lists_of_sources
from medreview.text import Span


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
    ("sftp://x.org/10.1000/x javascript:open('https://e.org') file:///PMC1234567 mailto:a@b.org git+https://x.org", []),
    ("(ftp://ftp.ncbi.nlm.nih.gov/pub/README.txt). FTP://X.org/a,ftp://x.org/10.1000/x git+ftp://x.org/b ftp://", [
    "ftp://ftp.ncbi.nlm.nih.gov/pub/README.txt", "FTP://X.org/a", "ftp://x.org/10.1000/x"]),
    ("www.cdc.gov and cdc.gov/flu", ["www.cdc.gov"]),
    ("Source:www.a.org/b. WWW.Nhs.UK/x (www.c.co.uk/d_(e)), **www.d.org**", ["www.a.org/b", "WWW.Nhs.UK/x",
    "www.c.co.uk/d_(e)", "www.d.org"]),
    ("[www.a.org/x](https://www.a.org/x) https://b.org/www.c.org https://d.org/?u=www.e.org", ["https://www.a.org/x",
    "https://b.org/www.c.org", "https://d.org/?u=www.e.org"]),
    ("https://a.org/x,www.b.org/y", ["https://a.org/x", "www.b.org/y"]),
    ("www. www.x www.example www.5.3 me@www.a.org git+ftp://www.a.org awww.b.org www.a..b", []),
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
        "5", "https://a.org/x", "10.1000/q", "NCT01234567", "5", "https://a.org/x",
    ]  # fmt: skip


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
        "https://", "http://a.org", "/x", "(", ")", "[", "]", "{", "](", "<", ">", " ", "\n", "PMID", ": ", "123",
        ", ", "10.1000/", "doi:", "abc", ".", ";", "&amp;", "&lt;", "PMC1234567", "NCT01234567", "arXiv:",
        "2101.00001", "\\_", "and ", "é", "\ud800", "ftp://", "www.", "www.who.int", "|", "?", ";pmid:",
        "javascript:", "https://doi.org/", "https://pubmed.ncbi.nlm.nih.gov/", "_", "**", "\u0130", "𝟙𝟚𝟛", "\0",
    ]
)  # fmt: skip


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
        assert fetch_url(citation).lower().startswith(("http://", "https://", "ftp://"))
        again = extract(fetch_url(Citation("doi", citation.value))) if citation.kind == "doi" else [citation]
        assert [c.kind for c in again] == [citation.kind]


def test_a_list_of_pmids_may_be_numbered_and_a_date_is_none() -> None:
    numbered = "PMIDs:\n1. 12345678\n2) 23456789\n\n3 trials"
    assert found(numbered) == [("pmid", "12345678", "12345678"), ("pmid", "23456789", "23456789")]
    assert found("PMID 15/01/2024, PMID: 15.01.24") == []


OWN = OwnNumbers(
    {number: (f"url:https://{number}.org/",) for number in range(1, 8)},
    {("smith", "2019"): ("pmid:1",), ("jones", "2020"): ("pmid:2",)},
)


def numbers(text: str, own: OwnNumbers = OWN) -> list[int | None]:
    found = find_markers(text, own, extract(text))
    assert all(text[marker.start : marker.end].strip() for marker in found)
    return [reference.number for marker in found for reference in marker.references]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Take it [3].", [3]),
        ("Take it [3][4].", [3, 4]),
        ("Take it [3] [4].", [3, 4]),
        ("Take it [1, 3-5; 7].", [1, 3, 4, 5, 7]),
        ("Take it [2–4].", [2, 3, 4]),
        ("Take it[^2].", [2]),
        ("Take it [^2^].", [2]),
        ("Take it.【2†source】", [2]),
        ("Take it.【2†L3-L9】", [2]),
        ("Take it<sup>1,2</sup>.", [1, 2]),
        ("Take it.¹", [1]),
        ("Take it.¹,²", [1, 2]),
        ("Take it.¹²", [1, 2]),  # the list ends at 7
        ("Take it.²⁻⁴", [2, 3, 4]),
        ("Take it (3).", [3]),
        ("Headache (1) and nausea (2, 3) occur.", [1, 2, 3]),
        ("Take it [9].", [9]),  # no such entry: still a marker
        ("Take it [1-200].", [1, 200]),  # no list is read that far
        ("Take it [1](https://1.org).", [1]),
        ("Take it [[1]](https://1.org).", [1]),
        ("Take it [1 and 3].", [1, 3]),
        ("Take it [2, p. 12] or [3: Table 4].", [2, 3]),
        ("Take it [web:3][post:12].", [None, None]),
        ("HbA1c falls with vitamin B12² and SpO2³.", [2, 3]),
        ("Take it [ref. 2] (Source 3).", [2, 3]),
        ("Take it (Smith 2019).", [None]),
        ("Take it (see Smith et al., 2019; Jones & Doe, 2020).", [None, None]),
        ("Smith et al. (2019) found it.", [None]),
        ("Take it (https://a.org/x) or https://doi.org/10.1000/x.", [None, None]),
        ("Take it ([CDC](https://a.org/x)).", [None]),
    ],
)
def test_markers_are_read_in_every_usual_form(text: str, expected: list[int | None]) -> None:
    assert numbers(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "The index is 24 kg/m².", "Below 30 mL/min/1.73m² or 1.2 L min⁻¹ m⁻² and 5 x10³.",
        "Platelets of 10<sup>9</sup>/L in 2 m<sup>2</sup>.", "Risk fell (RR 2 [1, 3]) in adults.",
        "Platelets of 10⁹ per litre.", "Ca²⁺ falls.", "The fit was good (R² 0.4).", "In 2019 (since May 2020).",
        "Smith [2019] said so.", "Take one (1) tablet.", "Pain was grade (3).", "(1) Rest, (2) drink.",
        "1) Rest.\n2) Drink.", "Do as follows: (1) rest and (2) drink.", "Take 5 (2) tablets.",
        "Pain fell (95% CI [1, 5]).", "The median was 2 [1-3] days.", "Give [1H]-water and [2]A.", "Take it (9).",
        "Take it (Doe 2019).", "Take 500 mg (2 tablets).",
    ],
)  # fmt: skip
def test_amounts_powers_intervals_and_labels_are_no_markers(text: str) -> None:
    assert numbers(text) == []


def test_round_brackets_and_superscripts_count_only_where_the_list_has_the_number() -> None:
    assert numbers("Rest (3) helps.¹", OwnNumbers()) == []
    assert numbers("Rest [3] helps.", OwnNumbers()) == [3]


def test_round_brackets_are_no_markers_where_square_ones_are() -> None:
    assert numbers("Rest (3) helps [1].") == [1]


def own(text: str, statement: str, following: str = "") -> list[str]:
    """The markers of the one statement; the text after it up to ``following`` is not part of it."""
    listing = ["https://1.org", "https://2.org", "https://3.org"]
    start = text.index(statement)
    limit = text.index(following) if following else len(text)
    found = find_markers(text, own_numbers(text, listing), extract(text))
    return [text[m.start : m.end] for m in markers_of(text, found, Span(start, start + len(statement)), limit)]


@pytest.mark.parametrize(
    ("text", "statement", "following", "expected"),
    [
        ("Rest [1]. Drink [2].", "Rest", "Drink", ["[1]"]),
        ("Rest daily. [1] Drink [2].", "Rest daily.", "Drink", ["[1]"]),
        ("Rest daily. [1] Drink [2].", "Drink", "", ["[2]"]),
        ("Rest daily.[1][2] Drink.", "Rest daily.", "Drink", ["[1]", "[2]"]),
        ("Rest [1] daily [2].", "Rest [1] daily", "", ["[1]", "[2]"]),
        ("Causes are [1]:\n- Stress [2]\n- Cold", "Stress", "Cold", ["[2]"]),
        ("Causes are [1]:\n- Stress [2]\n- Cold", "Cold", "", []),
        ("Rest daily.\n[1]\n\nDrink.", "Rest daily.", "Drink", ["[1]"]),
        ("Rest daily.\n\n[1]\n\nDrink.", "Rest daily.", "Drink", []),
        ("Rest daily.\n[1] Drink.", "Rest daily.", "Drink", []),
        ("Rest daily.\n[1] Drink.", "Drink.", "", ["[1]"]),
        ("- **Stress**[1] [2], a cause.\n- Cold.", "Stress**[1] [2], a cause.", "Cold", ["[1]", "[2]"]),
        ("Rest daily. Source: https://1.org/x", "Rest daily.", "", ["https://1.org/x"]),
        ("Rest daily (NHS guide: https://1.org/x). Drink.", "Rest daily", "Drink", ["https://1.org/x"]),
        ("Rest daily ([CDC](https://1.org/x)). Drink.", "Rest daily", "Drink", ["[CDC](https://1.org/x"]),
        ("Rest daily. Ask me if you wish [2]. Drink.", "Rest daily.", "Drink", []),
        (f"Rest daily.{' ' * 400}[2]", "Rest daily.", "", []),
    ],
)
def test_a_marker_is_a_statements_own_inside_it_or_right_after_it(
    text: str, statement: str, following: str, expected: list[str]
) -> None:
    assert own(text, statement, following) == expected


def test_the_few_words_of_a_link_are_part_of_its_marker_and_a_linked_sentence_is_not() -> None:
    few, many = "[CDC](https://1.org/x)", "[Rest for three days or as long as it hurts](https://1.org/x)"
    assert own(few, few) == ["[CDC](https://1.org/x"]
    assert own(many, many) == ["https://1.org/x"]


@given(st.text(alphabet="[]()¹²3 4,-–.†【】\n^https:/aSmith2019", max_size=80))
def test_markers_are_disjoint_ranges_of_any_text(text: str) -> None:
    found = find_markers(text, OWN, extract(text))
    assert all(0 <= marker.start < marker.end <= len(text) and marker.references for marker in found)
    assert all(one.end <= after.start for one, after in pairwise(found))


A, B, C = (f"url:https://{name}.org/" for name in "abc")
IN_TEXT = [
    "Sources\n[1] https://a.org\n[2] https://b.org",
    "**References**\n\n1. https://a.org\n\n2. Book. https://b.org",
    "Bibliography:\n(1) https://a.org\n(2) https://b.org",
    "[^1]: https://a.org\n[^2]: https://b.org",
    '[1]: https://a.org "A title"\n[2]: https://b.org',
    "Sources: [1] https://a.org [2] https://b.org",
    "References\n¹ https://a.org\n² https://b.org",
    "## Sources\n- https://a.org\n- https://b.org",
    '[^1^]: https://a.org "A title"\n[^2^]: https://b.org "Another"',
    "---\n¹ https://a.org\n² https://b.org",
    "Rest helps most. References: [1] Smith J. A trial. https://a.org [2] https://b.org",
    "Rest helps most [2].References:[1] https://a.org [2] https://b.org",
    "References:\n1. Smith J. A trial.\n   https://a.org\n2. [The second](https://b.org)",
]


def numbers_of(text: str, *listed: str) -> OwnNumbers:
    places = blocks(text, CitationIndex(text, extract(text)))
    return own_numbers(text, listed, lists_of_sources(text, places))


@pytest.mark.parametrize(
    "listed",
    [
        ["https://a.org", "https://b.org"],
        ["[1] https://a.org", "[2] https://b.org"],
        ["2. Book. https://b.org", "1. https://a.org"],
        ["(2) https://b.org", "(1) https://a.org"],
    ],
)
def test_a_list_beside_the_text_has_its_numbers_or_its_places(listed: list[str]) -> None:
    assert numbers_of("Rest.", *listed).numbers == {1: (A,), 2: (B,)}


@pytest.mark.parametrize("listing", IN_TEXT)
def test_a_list_in_the_text_is_read_in_every_usual_form(listing: str) -> None:
    assert numbers_of(f"Metformin lowers vitamin B12 [1].\n\n{listing}").numbers == {1: (A,), 2: (B,)}


def test_numbers_that_are_links_need_no_list() -> None:
    assert numbers_of("Rest [1](https://a.org), drink [[2]](https://b.org/(x)).").numbers == {1: (A,), 2: (f"{B}(x)",)}


def test_two_numbers_may_be_one_source_one_may_be_several_and_one_none() -> None:
    own = numbers_of(
        "Rest.", "[1] https://a.org", "[2] https://a.org", "[3] doi:10.1000/x, PMID 123", "[4] A book, 2nd ed."
    )
    assert own.numbers == {1: (A,), 2: (A,), 3: ("doi:10.1000/x", "pmid:123"), 4: ()}


def test_the_numbers_of_the_text_come_before_those_of_the_list_beside_it() -> None:
    text = "Rest.\n\nSources\n[1] https://a.org"
    assert numbers_of(text, "https://b.org", "https://a.org").numbers == {1: (A,)}
    assert numbers_of(text, "[1] https://b.org", "[2] https://b.org").numbers == {1: (A,), 2: (B,)}
    assert numbers_of(f"See [1](https://c.org). {text}").numbers == {1: (A,)}


def test_an_entry_without_an_address_takes_it_from_the_list_beside_the_text() -> None:
    text = "Rest [1].\n\nReferences:\n1. Smith J. A trial. 2019\n2. Doe K. Another. 2020"
    assert numbers_of(text, "https://a.org", "https://b.org").numbers == {1: (A,), 2: (B,)}
    assert numbers_of(text, "https://a.org").numbers == {1: (), 2: ()}  # which of the two it is, nobody knows


def test_entries_are_also_found_by_author_and_year() -> None:
    text = (
        "Rest.\n\nReferences\n"
        "- Smith, J., & Jones, K. (2019a). A trial. https://a.org\n"
        "- van der Berg K, et al. Another. Lancet. 2018;392:1. https://b.org\n"
        "- World Health Organization. A guideline. 2021. https://c.org\n"
    )
    own = numbers_of(text)
    assert own.of_name("Smith", "2019a") == own.of_name("SMITH", "2019a") == (A,)
    assert own.of_name("Berg", "2018") == own.of_name("Berg", "2018b") == (B,)
    assert own.of_name("WHO", "2021") == own.of_name("World Health Organization", "2021") == (C,)
    assert own.of_name("Smith", "2018") == own.of_name("Smith", "2019") == ()
