"""Records of six services in their true shapes, and in those that they should not have."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from medreview.references.model import Author, Identifier, Notice
from medreview.references.services.medline import EuropePmc, PubMed, europe_pmc_record, summary_record
from medreview.references.services.registers import (
    ClinicalTrials,
    Crossref,
    DataCite,
    OpenAlex,
    crossref_record,
    datacite_record,
    openalex_record,
    trial_record,
)
from medreview.references.services.service import doi_of, text_of, title_of, years_of
from medreview.sources.fetching.network import Fetched, Services
from medreview.sources.lookups import NoServiceAnswerError
from medreview.storable import unstorable
from tests.support.bibliographic_formats import (
    Work,
    crossref_item,
    datacite_attributes,
    esummary_item,
    europe_pmc_result,
    openalex_result,
    trial_protocol,
)

WORK = Work(
    "Paracetamol in invented fever", doi="10.5555/fever.1", pmid="99900001", pmcid="PMC9990001", nct="NCT99900001"
)
READERS: dict[str, Any] = {
    "crossref": (crossref_record, crossref_item),
    "europe_pmc": (europe_pmc_record, europe_pmc_result),
    "pubmed": (summary_record, lambda work: esummary_item(work, work.pmid)),
    "openalex": (openalex_record, openalex_result),
    "datacite": (datacite_record, datacite_attributes),
    "clinical_trials": (trial_record, trial_protocol),
}


def read(service, work=WORK, **more):
    """The record of a work as a service tells it, with ``more`` in place of what it says."""
    reader, told = READERS[service]
    return reader(told(replace(work, more={service: more})))


@pytest.mark.parametrize("service", ["crossref", "europe_pmc", "pubmed", "openalex"])
def test_an_article_reads_the_same_from_every_service(service):
    found = read(service)
    assert (found.authority, found.kind, found.title) == (service, "article", "Paracetamol in invented fever")
    assert [author.family for author in found.authors] == ["Hollis", "Penrose"]
    assert found.authors[0].given.startswith("M")
    assert "Journal of Invented Medicine" in found.containers
    assert found.years == (2019,)
    assert (found.volume, found.issue, found.pages, found.complete) == ("12", "3", "101-109", True)
    assert Identifier("doi", "10.5555/fever.1") in found.identifiers
    assert found.notices == ()
    assert unstorable(found.title) == ""


def test_a_data_set_and_a_trial():
    data = read("datacite", replace(WORK, kind="dataset"), publisher={"name": "Invented Archive"})
    assert (data.kind, data.containers, data.years) == ("dataset", ("Invented Archive",), (2019,))
    trial = read("clinical_trials")
    assert (trial.kind, trial.identifiers) == ("trial", (Identifier("nct", "NCT99900001"),))
    assert trial.authors == (Author("Invented University", body=True),)
    assert trial.other_titles[0].startswith("A Randomised")
    assert trial.years == (2019, 2021)
    assert not trial.complete


@pytest.mark.parametrize(
    ("told", "title"),
    [
        ("H<sub>2</sub>O and <i>E. coli</i>.", "H2O and E. coli"),
        ("Vitamin &lt;sup&gt;D&lt;/sup&gt; &amp;amp; bone", "Vitamin D & bone"),
        ("Doses <10 mg and p > 0.05 in a<b and c>d", "Doses <10 mg and p > 0.05 in a<b and c>d"),
        ('<mml:math xmlns:mml="x"><mml:msup><mml:mi>x</mml:mi></mml:msup><mml:annotation>z</mml:annotation>'
         "</mml:math> squared", "x squared"),
        ("<jats:p>One</jats:p><jats:p>two</jats:p>", "One two"),
        ("[Fieber bei Kindern].", "Fieber bei Kindern"),
        ("[18F]FDG and [11C]choline.", "[18F]FDG and [11C]choline"),
        ("Line\n break\u200b and \ud83d half", "Line break and \ufffd half"),
        (7, "7"), (None, ""), (True, ""), (["x"], ""),
    ],
)  # fmt: skip
def test_titles_come_without_markup(told, title):
    assert title_of(told) == title


@pytest.mark.parametrize(
    ("dates", "years"),
    [
        ([{"date-parts": [[2015, 11, 26]]}], (2015,)),
        ([{"date-parts": [[None]]}, {"date-parts": []}, {"date-parts": [[]]}, {}, None], ()),
        ([{"date-parts": [["2015", "4"]]}, {"date-parts": 7}], (2015,)),
        (["2015 Nov 26", "2019/07/01 00:00", 2015, 2016.0, "Winter 1998-1999", "12015", ""], (2015, 2019, 2016, 1998)),
    ],
)
def test_years_are_read_in_every_shape(dates, years):
    assert years_of(dates) == years


def test_dois_are_read_whatever_stands_before_them():
    assert {doi_of(f"{before}10.5555/ABC") for before in ("", "https://doi.org/", "http://dx.doi.org/", "doi: ")} == {
        "10.5555/abc"
    }
    assert [doi_of(value) for value in ("11.5555/x", "10.5555", "", None, 10.5555)] == [""] * 5


def test_a_record_without_authors_or_title_is_told_as_it_is():
    nice = read("pubmed", title="", booktitle="Invented guideline on fever", authors=[], doctype="book",
                source="", fulljournalname="", publishername="Invented Institute")  # fmt: skip
    assert (nice.title, nice.kind, nice.authors, nice.complete) == ("Invented guideline on fever", "book", (), False)
    assert nice.publisher == "Invented Institute"
    part = read("pubmed", title="Dosing.", booktitle="Invented guideline on fever", doctype="book")
    assert (part.title, part.kind, part.containers[0]) == ("Dosing", "chapter", "Invented guideline on fever")
    assert summary_record({"uid": "7", "error": "cannot get document summary"}) is None
    bare = read("crossref", title=[], author=[], issued={"date-parts": [[None]]}, **{"published-print": None})
    assert (bare.title, bare.authors, bare.years, bare.complete) == ("", (), (), False)


def test_authors_in_every_shape():
    people = [{"family": "Gray", "given": "A B"}, {"name": "The Invented Study Group"}, {"literal": "WHO"}, {}, 7, None]
    found = read("crossref", author=people)
    assert found.authors == (
        Author("Gray", "A B"), Author("The Invented Study Group", body=True), Author("WHO", body=True)
    )  # fmt: skip
    summary = [
        {"name": "van der Berg JA", "authtype": "Author"},
        {"name": "Gray A Jr", "authtype": "Author"},
        {"name": "Invented Group", "authtype": "CollectiveName"},
        {"name": "Madonna", "authtype": "Author"},
    ]
    assert read("pubmed", authors=summary).authors == (
        Author("van der Berg", "JA"), Author("Gray", "A"), Author("Invented Group", body=True), Author("Madonna")
    )  # fmt: skip
    cut = read("europe_pmc", authorList=None, authorString="Gray AB, Lee C, Invented Group.")
    assert cut.authors[:2] == (Author("Gray", "AB"), Author("Lee", "C"))
    assert not cut.complete
    named = [{"raw_author_name": "Invented Study Group"}, {"author": {"display_name": "Ana Maria de la Cruz"}}]
    assert read("openalex", authorships=named).authors == (
        Author("Invented Study Group", body=True), Author("Cruz", "Ana Maria de la")
    )  # fmt: skip
    assert not read("openalex", authorships=[{"author": {"display_name": f"A B{n}"}} for n in range(100)]).complete


NOTICES = [
    ("crossref", {"updated-by": [{"type": "retraction", "DOI": "10.5555/N", "label": "Retraction",
                                  "updated": {"date-parts": [[2021, 2, 1]]}}]},
     Notice("retracted", "10.5555/n", "Retraction, 2021")),
    ("crossref", {"updated-by": [{"type": "expression_of_concern", "DOI": "10.5555/c"}]},
     Notice("concern", "10.5555/c", "expression_of_concern")),
    ("crossref", {"updated-by": [{"type": "erratum", "DOI": "10.5555/e"}]},
     Notice("corrected", "10.5555/e", "erratum")),
    ("crossref", {"type": "posted-content",
                  "relation": {"is-preprint-of": [{"id-type": "doi", "id": "10.5555/Journal"}]}},
     Notice("published_as", "10.5555/journal")),
    ("crossref", {"relation": {"has-preprint": [{"id-type": "doi", "id": "10.5555/pre"}]}},
     Notice("preprint_of", "10.5555/pre")),
    ("crossref", {"title": ["RETRACTED: Paracetamol in invented fever"]},
     Notice("retracted", "", "RETRACTED")),
    ("pubmed", {"references": [{"refsource": "J Invent Med. 2021;14:1", "reftype": "Retraction in", "pmid": 99900009}],
                "pubtype": ["Journal Article", "Retracted Publication"]},
     Notice("retracted", "PMID 99900009", "J Invent Med. 2021;14:1")),
    ("pubmed", {"pubtype": ["Retracted Publication"]}, Notice("retracted", "", "Retracted Publication")),
    ("pubmed", {"pubtype": ["Preprint"],
                "references": [{"reftype": "Update in", "pmid": "99900010", "refsource": "J"}]},
     Notice("published_as", "PMID 99900010", "J")),
    ("pubmed", {"references": [{"reftype": "Expression of concern in", "refsource": "J"}]}, Notice("concern", "", "J")),
    ("europe_pmc", {"commentCorrectionList": {"commentCorrection": [
        {"id": "99900009", "source": "MED", "type": "Retraction in", "reference": "J 2021"}]}},
     Notice("retracted", "PMID 99900009", "J 2021")),
    ("europe_pmc", {"commentCorrectionList": {"commentCorrection": {"id": "PPR9", "type": "Preprint of"}}},
     Notice("preprint_of", "PPR9")),
    ("pubmed", {"references": [{"reftype": "Update of", "refsource": "medRxiv. 2018 Oct 1", "pmid": 99900011}]},
     Notice("preprint_of", "PMID 99900011", "medRxiv. 2018 Oct 1")),
    ("openalex", {"is_retracted": True}, Notice("retracted", "", "OpenAlex says so")),
    ("datacite", {"relatedIdentifiers": [{"relationType": "IsVersionOf", "relatedIdentifier": "10.5555/journal"}]},
     Notice("published_as", "10.5555/journal")),
]  # fmt: skip


@pytest.mark.parametrize(("service", "more", "notice"), NOTICES)
def test_notices_are_read(service, more, notice):
    assert read(service, **more).notices == (notice,)


def test_what_says_something_of_another_article_is_no_notice_of_this_one():
    assert read("pubmed", pubtype=["Retraction of Publication"]).notices == ()
    assert read("crossref", **{"update-to": [{"type": "retraction", "DOI": "10.5555/other"}]}).notices == ()
    assert read("pubmed", title="Retraction: Zinc in rashes.", references=[{"reftype": "Comment in"}]).notices == ()


def fetched(body, state=None, status=200):
    url = "http://127.0.0.1/x"
    return Fetched(url, url, (url,), status, "application/json", body, "2026-01-01T00:00:00Z", state, "It failed.")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(
        ["DOI", "id", "uid", "title", "authors", "author", "family", "name", "date-parts", "issued", "relation", "ids",
         "updated-by", "type", "identificationModule", "nctId", "authorList", "journalInfo", "references", "doi",
         "creators", "titles", "authorships", "biblio", "ISBN", "articleids", "idtype", "value", "statusModule"]
    ), inner, max_size=5),
    max_leaves=25,
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(JSON)
def test_whatever_a_service_answers_it_is_records_or_no_answer(told):
    for service, message in (
        (Crossref, lambda told: {"message": {"items": [told]}}),
        (DataCite, lambda told: {"data": [{"attributes": told}]}),
        (EuropePmc, lambda told: {"resultList": {"result": [told]}}),
        (OpenAlex, lambda told: {"results": [told]}),
        (ClinicalTrials, lambda told: {"studies": [{"protocolSection": told}]}),
        (PubMed, lambda told: {"result": {"uids": ["7"], "7": told}}),
    ):
        asked = service(Services())
        for answer in (told, message(told)):
            body = json.dumps(answer).encode()
            for kind in asked.at_once:
                try:
                    found = asked.read_identifiers(kind, ["7"], fetched(body))
                except NoServiceAnswerError:
                    continue
                for records in found.values():
                    for record in records:
                        assert not unstorable([record.title, [*map(list, record.authors)], list(record.years)])


def test_long_and_hostile_texts_are_bounded():
    assert len(text_of("x" * 1_000_000)) == 2000
    assert len(text_of("<i " * 100_000)) == 2000
    many = read("crossref", author=[{"family": "A"}] * 50_000)
    assert len(many.authors) == 1000
