"""Structured lists, the key that says "same source", and the address to fetch."""

import pytest

from medreview.citations import Citation, canonical_key, domain, extract, fetch_url, from_list


def test_a_list_gives_citations_without_offsets_and_names_what_it_cannot_use() -> None:
    listed = from_list(
        [
            "https://x.org/a.",
            "nothing",
            "Smith 2020. doi:10.1000/X, https://doi.org/10.1000/x",
            "12345678",
            "PMID 5",
            "",
        ]
    )
    assert listed.citations == [Citation("url", "https://x.org/a"), Citation("doi", "10.1000/x"), Citation("pmid", "5")]
    assert [tuple(bad) for bad in listed.unusable] == [(1, "nothing"), (3, "12345678"), (5, "")]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("HTTPS://WWW.Who.int:443/A?b=C#d", "https://www.who.int/A?b=C"),
        ("http://x.org:80", "http://x.org/"),
        ("https://x.org/?a=1&amp;b=2", "https://x.org/?a=1&b=2"),
        ("https://x.org/foo\\_bar", "https://x.org/foo_bar"),
        ("https://x.org./%7euser/%c3%a9", "https://x.org/~user/%C3%A9"),
        ("https://doi.org/10.1000/X", "doi:10.1000/x"),
        ("https://pubmed.ncbi.nlm.nih.gov/123/", "PMID: 123"),
        ("arXiv:math.GT/0309136", "https://arxiv.org/abs/math/0309136"),
        ("arXiv:2101.00001v1", "https://arxiv.org/pdf/2101.00001v3.pdf"),
        ("www.who.int", "https://www.who.int/"),
        ("www.ncbi.nlm.nih.gov/pubmed/123", "PMID: 123"),
        ("https://x.org/?a=b\\|c", "https://x.org/?a=b%7Cc"),
        ("https://münchen.example/x", "https://xn--mnchen-3ya.example/x"),
        ("https://x.org/a?utm_source=chatgpt.com", "https://x.org/a"),
        ("https://x.org/a?b=1&utm_source=chatgpt.com&utm_medium=x&c=2#d", "https://x.org/a?b=1&c=2"),
        ("https://x.org/a?gclid=1&fbclid=2&msclkid=3", "https://x.org/a?UTM_Campaign=x"),
    ],
)
def test_the_same_source(first: str, second: str) -> None:
    assert canonical_key(extract(first)[0]) == canonical_key(extract(second)[0])


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("http://x.org/", "https://x.org/"),
        ("https://x.org/a", "https://x.org/A"),
        ("https://x.org:8080/", "https://x.org/"),
        ("https://x.org/?a=1", "https://x.org/?a=2"),
        ("https://x.org/a%2Fb", "https://x.org/a/b"),
        ("PMID: 1234567", "PMC1234567"),
        ("https://x.org/a?source=chatgpt.com", "https://x.org/a"),
        ("https://x.org/a?id=utm_source", "https://x.org/a"),
    ],
)
def test_another_source(first: str, second: str) -> None:
    assert canonical_key(extract(first)[0]) != canonical_key(extract(second)[0])


@pytest.mark.parametrize(
    ("citation", "key", "address"),
    [
        (Citation("url", "https://Host/path#x"), "url:https://host/path", "https://Host/path"),
        (Citation("url", "https://a.org/?x=1&amp;y=2"), "url:https://a.org/?x=1&y=2", "https://a.org/?x=1&y=2"),
        (Citation("doi", "10.1000/x<1>2;3#"), "doi:10.1000/x<1>2;3#", "https://doi.org/10.1000/x%3C1%3E2;3%23"),
        (Citation("pmid", "123"), "pmid:123", "https://pubmed.ncbi.nlm.nih.gov/123/"),
        (Citation("pmcid", "PMC9"), "pmcid:PMC9", "https://pmc.ncbi.nlm.nih.gov/articles/PMC9/"),
        (Citation("nct", "NCT01234567"), "nct:NCT01234567", "https://clinicaltrials.gov/study/NCT01234567"),
        (Citation("arxiv", "2101.00001v2"), "arxiv:2101.00001", "https://arxiv.org/abs/2101.00001v2"),
        (Citation("url", "www.who.int/x#y"), "url:https://www.who.int/x", "https://www.who.int/x"),
        (Citation("url", "https://x.org/?a=b|c"), "url:https://x.org/?a=b%7Cc", "https://x.org/?a=b|c"),
    ],
)
def test_key_and_address(citation: Citation, key: str, address: str) -> None:
    assert (canonical_key(citation), fetch_url(citation)) == (key, address)


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://WWW.NIH.gov:443/x", "www.nih.gov"),
        ("http://nih.gov@evil.org/", "evil.org"),
        ("https://x.org?q=/@nih.gov", "x.org"),
        ("https://x.org.", "x.org"),
        ("http://[::1]:80/", "[::1]"),
        ("ftp://x.org/", ""),
        ("nothing", ""),
    ],
)
def test_domain(url: str, host: str) -> None:
    assert domain(url) == host
