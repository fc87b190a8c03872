"""Who is asked for what: every kind of work and identifier has its authorities, and each is known everywhere."""

from typing import get_args

import pytest

from medreview.references.model import (
    AUTHORITIES,
    IDENTIFIER_KINDS,
    Author,
    Identifier,
    Reference,
    WorkKind,
    authority_name,
)
from medreview.references.services.clinical_trials import ClinicalTrials
from medreview.references.services.crossref import Crossref
from medreview.references.services.datacite import DataCite
from medreview.references.services.europe_pmc import EuropePmc
from medreview.references.services.look_up import asked_by_citation, asked_for, base_of, before_asking
from medreview.references.services.openalex import OpenAlex
from medreview.references.services.pubmed import PubMed
from medreview.setting import SERVICES
from medreview.sources.fetching.network import Services
from tests.support.bibliographic_servers import ALL

ASKED = {service.name: service(Services()) for service in (
    PubMed, EuropePmc, Crossref, DataCite, ClinicalTrials, OpenAlex)}  # fmt: skip


def test_every_authority_has_a_name_an_address_that_can_be_set_and_a_server_in_tests():
    assert set(ASKED) == set(AUTHORITIES) - {"library"} == set(ALL)
    for name, service in ASKED.items():
        assert service.base == base_of(name, Services())
        assert any(getattr(Services(), setting) == service.base for setting in SERVICES)
    assert (authority_name("europe_pmc"), authority_name("my list.ris")) == ("Europe PMC", "my list.ris")


def test_every_kind_of_identifier_and_of_work_is_asked_of_somebody_who_knows_such():
    for kind in IDENTIFIER_KINDS:
        for name in asked_for(Identifier(kind, "10.5555/x")):
            assert kind in ASKED[name].at_once
    told = Reference("x", authors=(Author("Gray"),), title="Zinc in fever", container="J", year=2019, pages="1")
    for work in get_args(WorkKind):
        for step in asked_by_citation(work):
            way = "place" if step.way == "place" else "citation"
            assert getattr(ASKED[step.authority], way)(told)


def test_a_doi_of_a_repository_is_asked_of_datacite_first():
    assert asked_for(Identifier("doi", "10.48550/arxiv.2101.00001"))[0] == "datacite"
    assert asked_for(Identifier("doi", "10.5555/x"))[0] == "crossref"


@pytest.mark.parametrize("service", ASKED.values(), ids=ASKED)
def test_nothing_is_asked_about_a_reference_that_says_nothing(service):
    for told in (Reference(""), Reference("x", authors=(Author("Gray"),)), Reference("x", year=2019, volume="1")):
        assert service.citation(told) == ""


def test_words_of_a_reference_steer_no_query():
    odd = Reference(
        "x", authors=(Author('A" OR (1) [x]'),), title='zinc" OR *:* AND (fever)[Title] NOT rash', year=2019
    )
    assert ASKED["europe_pmc"].citation(odd) == (
        'TITLE:(zinc OR fever OR title OR rash) AND (AUTH:"A OR 1 x" OR PUB_YEAR:[2018 TO 2020])'
    )
    assert ASKED["pubmed"].citation(odd) == (
        "(zinc[Title] OR fever[Title] OR title[Title] OR rash[Title]) "
        "AND (A 1 x[Author] OR 2018:2020[Date - Publication])"
    )
    url = ASKED["datacite"].identifier_url("doi", ['10.5555/a") OR doi:(*'])
    assert url.count("doi%3A%28%22") == 1


def test_what_is_said_names_every_host_and_who_asks():
    said = before_asking(12, Services(contact="Ward 7, ward@clinic.example"))
    assert said.startswith("12 references are looked up at eutils.ncbi.nlm.nih.gov, www.ebi.ac.uk, api.crossref.org, ")
    assert "clinicaltrials.gov and api.openalex.org. Only the references' own words" in said
    assert "The contact Ward 7, ward@clinic.example comes along." in said
    assert "No contact is sent." in before_asking(1, Services())
