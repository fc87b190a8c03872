"""What to ask for an identifier, and what of an address may be kept."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medreview.citations.citation import Citation, fetch_url
from medreview.citations.identifiers import resolve
from medreview.sources.fetching.network import Services, addresses, public_address

ASKED = Services(ncbi_key="k3y&=", contact="Ward 7, <review@clinic.example>")


def asked(kind, value, services=ASKED):
    return addresses(kind, value, fetch_url(Citation(kind, value)), services)


def test_a_pmid_is_asked_for_at_ncbi_then_europe_pmc_then_its_page():
    assert asked("pmid", "26551272") == (
        "https://eutils.ncbi.nlm.nih.gov/entrez/eutils/efetch.fcgi?db=pubmed&id=26551272&retmode=xml&tool=medreview"
        "&email=review%40clinic.example&api_key=k3y%26%3D",
        "https://www.ebi.ac.uk/europepmc/webservices/rest/search"
        "?query=EXT_ID%3A26551272%20AND%20SRC%3AMED&resultType=core&format=json",
        "https://pubmed.ncbi.nlm.nih.gov/26551272/",
    )


def test_a_pmcid_is_asked_for_as_open_text_first():
    assert asked("pmcid", "PMC4689591", Services()) == (
        "https://www.ebi.ac.uk/europepmc/webservices/rest/PMC4689591/fullTextXML",
        "https://eutils.ncbi.nlm.nih.gov/entrez/eutils/efetch.fcgi?db=pmc&id=4689591&retmode=xml&tool=medreview",
        "https://pmc.ncbi.nlm.nih.gov/articles/PMC4689591/",
    )


def test_a_doi_goes_to_the_resolver_then_to_europe_pmc():
    assert asked("doi", "10.1002/(sici)1097<1::aid>3.0.co;2-#") == (
        "https://doi.org/10.1002/(sici)1097%3C1::aid%3E3.0.co;2-%23",
        "https://www.ebi.ac.uk/europepmc/webservices/rest/search"
        "?query=DOI%3A%2210.1002%2F%28sici%291097%3C1%3A%3Aaid%3E3.0.co%3B2-%23%22&resultType=core&format=json",
    )
    mirrored = asked("doi", "10.1000/x", Services(doi="http://resolver.clinic.example/"))
    assert mirrored[0] == "http://resolver.clinic.example/10.1000/x"
    assert len(mirrored) == 2


@pytest.mark.parametrize("identifier", ["nct", "arxiv", "url"])
def test_the_rest_has_its_page_only(identifier):
    page = "https://site.example/x"
    assert addresses(identifier, "NCT01206062", page, ASKED) == (page,)


def test_an_address_without_a_scheme_is_asked_for_by_https_then_by_http():
    page = "https://www.site.example/x"
    assert addresses("url", "www.site.example/x#part", page, ASKED) == (page, "http://www.site.example/x")


def test_base_addresses_may_end_in_a_slash_and_an_odd_value_stays_inside_its_place():
    local = Services(eutils="http://127.0.0.1:9/e/", europe_pmc="http://127.0.0.1:9/r//")
    first, second, _ = addresses("pmid", "1&db=nuccore#", "https://x.example/", local)
    assert first.startswith("http://127.0.0.1:9/e/efetch.fcgi?db=pubmed&id=1%26db%3Dnuccore%23&retmode")
    assert second.startswith("http://127.0.0.1:9/r/search?query=EXT_ID%3A1%26db")
    assert "email" not in first
    assert "api_key" not in first


def test_the_key_is_in_no_representation():
    assert "k3y" not in f"{ASKED!r} {ASKED}"


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("https://e.example/f?db=pubmed&email=a%40b.example&api_key=k&id=1", "https://e.example/f?db=pubmed&id=1"),
        ("https://e.example/f?api_key=k", "https://e.example/f"),
        ("https://e.example/f?API%5Fkey=k&x=1#top", "https://e.example/f?x=1#top"),
        ("https://user:secret@e.example/f", "https://e.example/f"),
        ("https://e.example/p?q=a+b&&c=%41#email=1?api_key=2", "https://e.example/p?q=a+b&&c=%41#email=1?api_key=2"),
        ("https://e.example/@user/p?", "https://e.example/@user/p?"),
    ],
)
def test_what_of_an_address_is_kept(address, public):
    assert public_address(address) == public


def test_no_address_that_is_asked_gives_the_key_away():
    for kind, value in (("pmid", "1"), ("pmcid", "PMC1"), ("doi", "10.1000/x")):
        for address in asked(kind, value):
            kept = public_address(address)
            assert "k3y" not in kept
            assert "clinic.example" not in kept
            assert public_address(kept) == kept


def test_the_last_page_leads_back_to_the_identifier():
    for kind, value in (("pmid", "1"), ("pmcid", "PMC1")):
        assert resolve(asked(kind, value)[-1]) == (kind, value)


@given(st.text(max_size=80))
def test_any_text_has_a_public_form(text):
    assert public_address(public_address(text)) == public_address(text)


def test_services_are_asked_as_often_as_they_allow_and_more_often_where_they_know_who_asks():
    bare, known = Services().delays(), ASKED.delays()
    assert (bare["eutils.ncbi.nlm.nih.gov"], known["eutils.ncbi.nlm.nih.gov"]) == (0.34, 0.1)
    assert (bare["api.crossref.org"], known["api.crossref.org"]) == (1.0, 0.34)
    assert (bare["api.datacite.org"], known["api.datacite.org"]) == (0.6, 0.3)
    assert set(bare) == set(known)
    assert len(bare) == 6


def test_services_on_one_host_are_asked_as_seldom_as_the_slowest_of_them_wants():
    mirror = Services(crossref="https://mirror.example/crossref", europe_pmc="https://mirror.example/europe-pmc")
    assert mirror.delays()["mirror.example"] == 1.0
    assert "www.ebi.ac.uk" not in mirror.delays()
    assert "" not in Services(eutils="").delays()


def test_the_keys_and_the_mail_of_any_service_are_hidden_in_what_is_stored():
    asked = "https://api.example/works?query=a&mailto=review%40clinic.example&api_key=k3y&rows=5"
    assert public_address(asked) == "https://api.example/works?query=a&rows=5"
