"""Addresses that are never asked, and the services that are."""

import asyncio
import ipaddress
import socket

import httpcore
import pytest
from hypothesis import given
from hypothesis import strategies as st

from medreview.citations.citation import Citation, fetch_url
from medreview.citations.identifiers import resolve
from medreview.sources.fetching.address_guard import AddressRefusedError, GuardedBackend, refusal
from medreview.sources.fetching.network import Services, addresses, public_address
from tests.support.http_server import answer

REFUSED = """
0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.1 100.100.100.200 127.0.0.1 127.255.255.254 168.63.129.16 169.254.169.254 172.16.0.1
172.31.255.255 192.0.0.8 192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1 198.51.100.7 203.0.113.7 224.0.0.1 239.1.1.1
240.0.0.1 255.255.255.255 :: ::1 ::127.0.0.1 ::8.8.8.8 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:169.254.169.254
64:ff9b::7f00:1 64:ff9b::a9fe:a9fe 64:ff9b:1::808:808 100::1 2001::1 2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:db8::1
2002:7f00:1:: 2002:808:808::1 3fff::1 5f00::1 fc00::1 fd00:ec2::254 fe80::1 fe80::1%eth0 fec0::1 ff02::1 ff0e::1
127.1 2130706433 0x7f.1 0177.0.0.1 localhost example.org
"""
PUBLIC = """
8.8.8.8 130.14.29.110 172.32.0.1 100.128.0.1 ::ffff:8.8.8.8 64:ff9b::808:808 2606:4700::1111 2a00:1450::1
"""


@pytest.mark.parametrize("address", REFUSED.split())
def test_address_that_is_not_public_is_refused(address):
    assert refusal(address)


@pytest.mark.parametrize("address", PUBLIC.split())
def test_public_address_passes(address):
    assert refusal(address) is None


@given(st.ip_addresses(v=4))
def test_mapped_and_nat64_forms_are_judged_like_the_address_inside(ip):
    for prefix in ("::ffff:0:0", "64:ff9b::"):
        wrapped = ipaddress.IPv6Address(int(ipaddress.IPv6Address(prefix)) | int(ip))
        assert (refusal(str(wrapped)) is None) == (refusal(str(ip)) is None)


@given(st.one_of(st.text(max_size=60), st.ip_addresses().map(str)))
def test_any_text_gets_an_answer(text):
    assert refusal(text) is None or isinstance(refusal(text), str)


ODD_HOSTS = """
127.0.0.1 127.1 2130706433 0x7f.1 0x7f000001 0177.0.0.1 0.0.0.0 0 localhost LOCALHOST localhost. [::1] [::]
[::ffff:127.0.0.1] [::ffff:7f00:1] [::127.0.0.1] [64:ff9b::7f00:1] [2002:7f00:1::] 100.64.0.1 169.254.169.254
[fe80::1] [fd00::1] user:pw@127.0.0.1 user@localhost ⑫⑦.⓪.⓪.①
"""


@pytest.mark.parametrize("host", ODD_HOSTS.split())
def test_no_notation_of_an_inner_address_reaches_a_listener(host, server, fetch):
    url = f"http://{host}:{server.port}/"
    got = fetch(url, allow=frozenset(), ports=frozenset({server.port}), retries=0)
    (one,) = got.values()
    assert (one.status, one.body) == (None, b"")
    # Which of the odd forms a system's resolver knows differs; those it does not know end there.
    assert one.state == "blocked" or "could not be resolved" in one.detail
    assert server.received == []


def test_the_same_listener_is_reached_when_it_is_allowed(server, fetch):
    fetch("/")
    assert server.paths() == ["/"]


def test_only_web_ports(server, fetch):
    url = f"http://127.0.0.1:{server.port}/"
    got = fetch(url, allow=frozenset({("127.0.0.1", 1)}))["/"]
    assert got.state == "blocked"
    assert server.received == []


def _resolver(monkeypatch, *answers):
    """Replace the system's resolver; gives the list of the names that were looked up."""
    asked = []
    left = list(answers)

    def getaddrinfo(host, port, *args, **kwargs):
        asked.append(host)
        addresses = left.pop(0) if len(left) > 1 else left[0]
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in addresses]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    return asked


def test_a_name_is_resolved_once_and_that_address_is_connected(server, fetch, monkeypatch):
    asked = _resolver(monkeypatch, ["127.0.0.1"], ["127.0.0.2"])
    url = f"http://rebind.example:{server.port}/"
    assert fetch(url)[url].status == 404
    assert asked == ["rebind.example"]
    assert server.received[0].headers["host"] == f"rebind.example:{server.port}"


def test_a_name_that_changes_to_an_inner_address_is_refused(server, fetch, monkeypatch):
    server.routes["/"] = answer(b"first", Connection="close")
    _resolver(monkeypatch, ["127.0.0.1"], ["169.254.169.254"])
    first, second = (f"http://rebind.example:{server.port}/{path}" for path in ("", "again"))
    got = fetch(first, second, per_host=1)
    assert got[first].body == b"first"
    assert got[second].state == "blocked"
    assert server.paths() == ["/"]


def test_one_inner_address_among_public_ones_refuses_the_name(server, fetch, monkeypatch):
    _resolver(monkeypatch, ["127.0.0.1", "10.0.0.1"])
    url = f"http://mixed.example:{server.port}/"
    assert fetch(url)[url].state == "blocked"
    assert server.received == []


def test_a_dead_address_is_followed_by_the_next(server, fetch, monkeypatch):
    _resolver(monkeypatch, ["127.0.0.9", "127.0.0.1"])
    url = f"http://two.example:{server.port}/"
    both = frozenset({("127.0.0.9", server.port), ("127.0.0.1", server.port)})
    assert fetch(url, allow=both)[url].status == 404


def test_the_environment_is_not_asked_for_a_proxy(server, fetch, monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert fetch("/")["/"].status == 404


def test_local_sockets_are_refused():
    with pytest.raises(AddressRefusedError):
        asyncio.run(GuardedBackend().connect_unix_socket("/tmp/x"))


def test_the_guard_is_a_network_backend_of_httpcore():
    assert issubclass(GuardedBackend, httpcore.AsyncNetworkBackend)


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
