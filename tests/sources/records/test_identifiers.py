"""Identifiers end to end: PMIDs, PMCIDs and DOIs of a study, asked for at local services that speak their formats."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from medreview import pipeline
from medreview.sources.fetching.network import Limits, Network, Services, addresses
from medreview.study import Study
from tests.support.http_server import answer

RECORDS = Path(__file__).parent / "answers"
LANDING = (
    b"<html><head><title>Planticillin</title></head><body><main><h1>Planticillin</h1>"
    + b"<p>Planticillin, an invented antibiotic, is given once daily to adults with cellulitis for a week.</p>" * 6
    + b"</main></body></html>"
)
NO_RECORD = b'<?xml version="1.0" ?><PubmedArticleSet></PubmedArticleSet>'
NO_HIT = json.dumps({"version": "6.9", "hitCount": 0, "resultList": {"result": []}}).encode()
HUMAN = b"<html><head><title>Just a moment...</title></head><body>Verify you are human to continue.</body></html>"


class Site:
    """The local services, and a study that cites through them."""

    def __init__(self, server, answer, folder):
        self.server, self.answer, self.folder = server, answer, folder
        base = server.base
        self.services = Services(
            eutils=f"{base}/eutils",
            europe_pmc=f"{base}/europe",
            doi=f"{base}/doi",
            ncbi_key="s3cret",
            contact="a@b.org",
        )
        self.network = Network(limits=Limits(host_delay=0, retry_delay=0.01), allow=server.allow)

    def says(self, kind, value, place, body, status=200, **headers):
        url = addresses(kind, value, "http://landing.invalid/", self.services)[place]
        self.server.routes[url.removeprefix(self.server.base)] = self.answer(body, status=status, **headers)

    def study(self, cited, scope="missing"):
        answers = self.folder / "a.jsonl"
        answers.write_text(json.dumps({"response": f"It is given once daily. {cited}"}))
        path = self.folder / "a.medreview"
        with Study.open(path) if path.exists() else Study.create(path) as study:
            pipeline.bring_in(study, answers, {})
            # The landing pages of PubMed and PMC are elsewhere: here nobody listens at them.
            study.write(lambda db: db.execute("UPDATE source SET url = 'http://127.0.0.1:9/' WHERE kind <> 'doi'"))
            delays = {"127.0.0.1": 0.0}
            network = replace(self.network, delays=delays)
            pipeline.fetch(study, pipeline.PageProvider(network=network, services=self.services), scope=scope)
            return dict(study.reader.execute("SELECT * FROM snapshot_current").fetchone())


@pytest.fixture
def site(server, tmp_path):
    return Site(server, answer, tmp_path)


def record(name):
    return (RECORDS / name).read_bytes()


def test_a_pmid_is_its_record_in_pubmed(site):
    site.says("pmid", "90000001", 0, record("pubmed_trial.xml"), Content_Type="text/xml")

    page = site.study("PMID: 90000001")

    assert page["page_state"] == "ok"
    assert "250\u00a0mg once daily" in page["text"] or "250 mg once daily" in page["text"]
    assert page["state_evidence"].startswith("The record in PubMed with its abstract")
    assert json.loads(page["outline"])
    assert "email=a%40b.org" in site.server.paths()[0]  # as NCBI asks
    for text in (page["final_url"], page["chain"]):
        assert "s3cret" not in text
        assert "b.org" not in text


def test_a_pmid_that_pubmed_does_not_have_is_said_to_be_no_record(site):
    site.says("pmid", "99999999", 0, NO_RECORD)

    page = site.study("PMID: 99999999")

    assert page["page_state"] == "soft_404"
    assert "PubMed has no record 99999999" in page["state_evidence"]
    assert len(site.server.paths()) == 1  # the registry itself has spoken: nobody else is asked


def test_another_record_than_the_one_asked_for_is_not_taken(site):
    site.says("pmid", "90000009", 0, record("pubmed_trial.xml"))
    assert site.study("PMID: 90000009")["page_state"] == "soft_404"


def test_europe_pmc_where_pubmed_is_down(site):
    site.says("pmid", "90000200", 0, b"down", status=500)
    site.says("pmid", "90000200", 1, record("europe_pmc.json"), Content_Type="application/json")

    page = site.study("PMID: 90000200")

    assert (page["page_state"], len(site.server.paths())) == ("ok", 2)
    assert "31 of 1,004 births (3.1%)" in page["text"]


def test_a_pmcid_is_the_whole_article(site):
    site.says("pmcid", "PMC9000100", 0, record("jats_article.xml"))

    page = site.study("PMCID: PMC9000100")

    assert page["page_state"] == "ok"
    assert "itself was not read" not in page["state_evidence"]
    assert page["text"].count("\n| ") >= 2  # its tables, row by row


def test_a_doi_leads_to_its_page(site):
    site.says("doi", "10.9999/plant.1", 0, b"", status=302, Location=f"{site.server.base}/article")
    site.server.routes["/article"] = site.answer(LANDING)

    page = site.study("doi:10.9999/plant.1")

    assert page["page_state"] == "ok"
    assert page["final_url"] == f"{site.server.base}/article"
    assert len(site.server.paths()) == 2


def test_a_doi_behind_a_wall_gives_the_abstract_and_says_so(site):
    site.says("doi", "10.9999/pm.200", 0, HUMAN, status=403)
    site.says("doi", "10.9999/pm.200", 1, record("europe_pmc.json"))

    page = site.study("doi:10.9999/pm.200")

    assert page["page_state"] == "ok"
    assert "the article itself was not read" in page["state_evidence"]
    assert "itself was not read (bot check)" in page["state_evidence"]


def test_a_doi_that_does_not_exist_is_the_resolvers_404(site):
    site.says("doi", "10.9999/made.up", 0, b"DOI not found", status=404)
    site.says("doi", "10.9999/made.up", 1, NO_HIT)

    page = site.study("doi:10.9999/made.up")

    assert (page["page_state"], page["status"]) == ("http_error", 404)


def test_a_record_handed_on_is_the_same_record(site, tmp_path):
    site.says("pmid", "90000001", 0, record("pubmed_trial.xml"))
    page = site.study("PMID: 90000001")
    with Study.open(tmp_path / "a.medreview") as study:
        pipeline.save_pages(study, tmp_path / "pages")
    (tmp_path / "a.medreview").rename(tmp_path / "first.medreview")
    answers = tmp_path / "a.jsonl"
    with Study.create(tmp_path / "b.medreview") as other:
        pipeline.bring_in(other, answers, {})
        other.write(lambda db: db.execute("UPDATE source SET url = 'http://127.0.0.1:9/'"))
        pipeline.fetch(other, pipeline.PageProvider(tmp_path / "pages"))
        again = dict(other.reader.execute("SELECT * FROM snapshot_current").fetchone())
    names = ("snapshot_id", "text", "page_state", "state_evidence", "outline", "final_url", "title")
    assert {name: again[name] for name in names} == {name: page[name] for name in names}
