"""Countries of domains: local servers speak RDAP as a registry and as a registrar, and lie."""

import json

import pytest

from medreview import pipeline
from medreview.sources.fetching.network import Limits, Network, Services
from medreview.sources.lookups import ask_registry, countries, domains, is_us
from medreview.study import Study
from tests.support.http_server import LocalServer, answer


class Rdap(LocalServer):
    """Answers ``/domain/NAME`` from ``records``: a record, or (status, headers, body)."""

    def __init__(self):
        super().__init__()
        self.records = {}

    def route(self, path):
        told = self.records.get(path.rpartition("/")[2], (404, {}, b"{}"))
        status, headers, body = told if isinstance(told, tuple) else (200, {}, json.dumps(told).encode())
        return answer(body, status=status, **headers)


@pytest.fixture
def servers():
    with Rdap() as registry, Rdap() as registrar:
        yield registry, registrar


@pytest.fixture
def ask(servers, tmp_path):
    """Ask the first server for the country of each domain, which a study cites; returns summary and answers."""
    registry, registrar = servers
    allow = registry.allow | registrar.allow
    network = Network(limits=Limits(host_delay=0, retry_delay=0.01), allow=allow)
    opened = []

    def run(*names, allow=allow):
        if not opened:
            answers = tmp_path / "a.jsonl"
            cited = [f"https://{name}/x" for name in names]
            answers.write_text(json.dumps({"response": "The dose is 5 mg.", "citations": cited}) + "\n")
            opened.append(Study.create(tmp_path / "a.medreview"))
            pipeline.bring_in(opened[0], answers, {})
        told = ask_registry(
            opened[0], services=Services(rdap=registry.base + "/"), network=Network(network.limits, allow=allow)
        )
        return told, countries(opened[0].reader)

    yield run
    for study in opened:
        study.close()


def record(*properties, roles=("registrant",), links=()):
    """A domain as RFC 9083 writes it, with the properties of one entity's jCard."""
    entity = {"objectClassName": "entity", "roles": list(roles), "vcardArray": ["vcard", [*properties]]}
    return {"objectClassName": "domain", "ldhName": "X", "entities": [entity], "links": list(links)}


def adr(country, **parameters):
    return ["adr", parameters, "text", ["", "", "1 Street", "Town", "", "123", country]]


def test_each_registrable_domain_is_asked_once_the_most_cited_first(servers, ask):
    registry, _ = servers
    registry.records = {"nih.gov": record(adr("", cc="US")), "nice.org.uk": record(adr("GB"))}
    cited = ["bnf.nice.org.uk", "pubmed.ncbi.nlm.nih.gov", "www.nih.gov", "10.0.0.1", "leaflets.example"]
    summary, found = ask(*cited)

    assert set(registry.paths()[:2]) == {"/domain/nih.gov", "/domain/nice.org.uk"}  # both at once
    assert found == {"nih.gov": "US", "nice.org.uk": "GB"}
    assert (summary.asked, summary.failed) == (2, 0)

    again, _ = ask()
    assert (again.asked, again.known, len(registry.paths())) == (0, 2, 2)


def test_the_domain_with_most_sources_comes_first(tmp_path, study):
    cited = [f"https://{host}/x" for host in ("bnf.nice.org.uk", "pubmed.ncbi.nlm.nih.gov", "www.nih.gov", "10.0.0.1")]
    (tmp_path / "a.jsonl").write_text(json.dumps({"response": "The dose is 5 mg.", "citations": cited}) + "\n")
    pipeline.bring_in(study, tmp_path / "a.jsonl", {})
    assert domains(study.reader) == ["nih.gov", "nice.org.uk"]


@pytest.mark.parametrize(
    ("properties", "country"),
    [
        ([adr("", cc="us")], "US"),
        ([adr("", cc="NA")], "NA"),
        ([adr("Chile", cc="not a code")], "Chile"),
        ([adr("", CC="DE")], "DE"),
        ([adr("Germany", cc="FR")], "FR"),
        ([adr("United  States\n")], "United States"),
        ([["fn", {}, "text", "X"], adr("AU")], "AU"),
        ([adr("REDACTED FOR PRIVACY", cc="CA")], "CA"),
        ([adr("REDACTED FOR PRIVACY")], ""),
        ([adr("Data Protected")], ""),
        ([adr("Not Disclosed"), adr("IS")], "IS"),
        ([adr("N/A")], ""),
        ([adr("--")], ""),
        ([adr("")], ""),
        ([adr("NA")], ""),
        ([adr(["US"])], ""),
        ([adr(7, cc=9)], ""),
        ([["adr", {}, "text", "1 Street, Town, US"]], ""),
        ([["adr", [], "text", ["US"]]], ""),
        ([["adr"]], ""),
        (["adr"], ""),
        ([adr("x" * 5000)], "x" * 60),
    ],
)
def test_the_country_of_the_registrant(servers, ask, properties, country):
    servers[0].records["guide.org"] = record(*properties)

    assert ask("guide.org")[1] == {"guide.org": country}


@pytest.mark.parametrize(
    "told",
    [
        record(adr("", cc="US"), roles=("technical", "registrar")),
        record(adr("", cc="US"), roles=()),
        {"objectClassName": "domain"},
        {"objectClassName": "domain", "entities": {"roles": ["registrant"]}},
        {"objectClassName": "domain", "entities": [None, 7, {"roles": "registrant"}, {"roles": ["registrant"]}]},
        {"objectClassName": "domain", "entities": [{"roles": ["registrant"], "vcardArray": ["vcard", "adr"]}]},
        {"objectClassName": "domain", "entities": [{"roles": ["registrant"], "vcardArray": {"adr": "US"}}]},
        {"objectClassName": "domain", "entities": [], "links": [{"rel": "related", "href": 7}, "x"]},
        (404, {}, b"<html>no such domain</html>"),
        (400, {}, b"{}"),
    ],
)
def test_a_record_without_a_country_is_an_answer(servers, ask, told):
    servers[0].records["guide.org"] = told
    summary, found = ask("guide.org")

    assert (summary.failed, found) == (0, {"guide.org": ""})


@pytest.mark.parametrize(
    "lie",
    [
        (200, {}, b"<html></html>"),
        (200, {}, b"{}"),
        (200, {}, b'{"objectClassName": "entity"}'),
        (200, {}, b"[]"),
        (200, {}, b"[" * 50_000),
        (200, {}, b'{"objectClassName": "domain", "x": "' + b"y" * 1_000_000 + b'"}'),
        (500, {}, b"{}"),
        (302, {"Location": "http://169.254.169.254/latest"}, b""),
        (302, {"Location": "file:///etc/passwd"}, b""),
        (302, {"Location": "/domain/guide.org"}, b""),
    ],
    ids=lambda lie: f"{lie[0]} {lie[1].get('Location', '')}{lie[2][:30]!r}",
)
def test_what_is_no_record_is_a_failure_and_asked_again(servers, ask, lie):
    servers[0].records["guide.org"] = lie
    summary, found = ask("guide.org")
    assert (summary.failed, found) == (1, {"guide.org": None})

    servers[0].records["guide.org"] = record(adr("", cc="US"))
    summary, found = ask()
    assert (summary.asked, summary.failed, found) == (1, 0, {"guide.org": "US"})


def related(server, name="guide.com", **changes):
    link = {"rel": "related", "href": f"{server.base}/rdap/domain/{name}", "type": "application/rdap+json"}
    return link | changes


def test_the_registrar_is_asked_where_the_registry_knows_no_registrant(servers, ask):
    registry, registrar = servers
    registry.records["guide.com"] = (302, {"Location": f"{registry.base}/com/v1/domain/GUIDE.COM"}, b"")
    links = [{"rel": "self", "href": "https://x.org/"}, related(registrar, type="text/html"), related(registrar)]
    registry.records["GUIDE.COM"] = record(roles=("registrar",), links=links)
    registrar.records["guide.com"] = record(adr("", cc="US"), links=[related(registrar, "elsewhere.com")])

    assert ask("guide.com")[1] == {"guide.com": "US"}
    assert registry.paths() == ["/domain/guide.com", "/com/v1/domain/GUIDE.COM"]
    assert registrar.paths() == ["/rdap/domain/guide.com"]


def test_the_registrar_is_the_last_to_be_asked(servers, ask):
    registry, registrar = servers
    registry.records["guide.com"] = record(links=[related(registrar)])
    registrar.records["guide.com"] = record(links=[related(registry, "other.com")])

    assert ask("guide.com")[1] == {"guide.com": ""}
    assert (len(registry.paths()), len(registrar.paths())) == (1, 1)


def test_a_link_into_a_private_network_is_not_followed(servers, ask):
    registry, registrar = servers
    registry.records["guide.com"] = record(links=[related(registrar)])
    summary, found = ask("guide.com", allow=registry.allow)

    assert (summary.failed, found, registrar.paths()) == (1, {"guide.com": None}, [])


def test_a_registrar_that_fails_is_asked_again_with_the_registry(servers, ask):
    registry, registrar = servers
    registry.records["guide.com"] = record(links=[related(registrar)])
    registrar.records["guide.com"] = (500, {}, b"")
    assert ask("guide.com")[1] == {"guide.com": None}

    registrar.records["guide.com"] = record(adr("", cc="IE"))
    assert ask()[1] == {"guide.com": "IE"}


def test_a_name_in_another_script_is_asked_in_ascii(servers, ask):
    ask("www.bücher.de")

    assert servers[0].paths() == ["/domain/xn--bcher-kva.de"]


@pytest.mark.parametrize(
    ("country", "us"),
    [("US", True), ("us", True), ("USA", True), ("United States of America", True), ("GB", False), ("UM", False)],
)
def test_what_is_the_united_states(country, us):
    assert is_us(country) == us


def test_a_study_without_sources_has_no_domains(study):
    assert domains(study.reader) == []
