"""References are looked up: who is asked for what, servers that err, refuse, and answer about other works."""

import asyncio
from dataclasses import replace
from typing import get_args

import pytest

from medreview.references.library import Library
from medreview.references.model import (
    AUTHORITIES,
    IDENTIFIER_KINDS,
    Author,
    Identifier,
    Record,
    Reference,
    WorkKind,
    authority_name,
)
from medreview.references.services.client import MemoryAnswers, ServiceAnswer, StudyAnswers
from medreview.references.services.look_up import Search, asked_by_citation, asked_for, base_of, before_asking, look_up
from medreview.references.services.medline import EuropePmc, PubMed
from medreview.references.services.registers import ClinicalTrials, Crossref, DataCite, OpenAlex
from medreview.setting import SERVICES
from medreview.sources.fetching.network import Limits, Network, Services
from medreview.study import Study
from tests.support.bibliographic_formats import Work, crossref_item
from tests.support.bibliographic_servers import ALL, Bibliography, works_of
from tests.support.http_server import answer, answer_json, endless, hang, hang_up, in_turn

FEVER = Work(
    "Paracetamol in feverish invented children",
    doi="10.5555/fever.1",
    pmid="99900001",
    pmcid="PMC9990001",
    pages="101-109",
)
RASH = Work(
    "Zinc ointment against invented rashes of infancy",
    authors=(("Quill", "Oda"), ("Marsh", "Lee")),
    doi="10.5555/rash.2",
    pmid="99900002",
    volume="13",
    pages="7-12",
    year=2021,
)
DATA = Work("Invented thermometer readings of a ward", doi="10.5555/data.3", at=("datacite",), kind="dataset")
TRIAL = Work("Cold Compresses for Invented Headache", nct="NCT99900004", at=("clinical_trials",), year=2018)
BOOK = Work(
    "Handbook of Invented Paediatrics", doi="10.5555/book.5", isbn="9780000000057", at=("crossref",), kind="book"
)
WORKS = (FEVER, RASH, DATA, TRIAL, BOOK)


def cites(work, *kinds, **changed):
    """A reference to a work, with identifiers of these kinds."""
    found = tuple(Identifier(kind, getattr(work, kind)) for kind in kinds)
    told = Reference(
        text="",
        kind="article",
        authors=tuple(Author(family, given[:1]) for family, given in work.authors),
        title=work.title,
        container=work.abbreviation,
        year=work.year,
        volume=work.volume,
        pages=work.pages,
        identifiers=found,
    )
    told = replace(told, **changed)
    return told if told.text else replace(told, text=f"{told.authors[:1]} {told.title}. {told.container} {told.year}.")


@pytest.fixture
def servers():
    with Bibliography(WORKS) as local:
        yield local


@pytest.fixture
def ask(servers):
    """Look references up at the local servers; the checks in the order of the references, and the summary."""

    def run(*references, answers=None, services=None, limits=None, **more):
        found = {}
        network = Network(
            limits=limits or Limits(host_delay=0, retry_delay=0.01, ports=frozenset({80, 443})),
            delays={"127.0.0.1": 0.0},
            allow=servers.allow,
        )
        summary = look_up(
            references,
            services or servers.services,
            network,
            MemoryAnswers() if answers is None else answers,
            on_done=found.__setitem__,
            **more,
        )
        return [found.get(place) for place in range(len(references))], summary

    return run


def outcomes(check):
    return {(one.authority, one.by): one.outcome for one in check.asked}


@pytest.mark.parametrize(
    ("reference", "authority"),
    [
        (cites(FEVER, "doi"), "crossref"),
        (cites(FEVER, "pmid"), "pubmed"),
        (cites(FEVER, "pmcid"), "europe_pmc"),
        (cites(TRIAL, "nct", kind="trial", authors=(), container=""), "clinical_trials"),
        (cites(DATA, "doi", kind="dataset", volume="", pages=""), "datacite"),
        (cites(BOOK, "isbn", kind="book"), "crossref"),
        (cites(FEVER), "pubmed"),
        (cites(FEVER, volume="", pages=""), "europe_pmc"),
        (cites(DATA, kind="dataset", volume="", pages=""), "datacite"),
        (cites(TRIAL, kind="trial", authors=(), container="", volume="", pages=""), "clinical_trials"),
    ],
)
def test_each_is_found_at_the_authority_that_knows_such_works_best(ask, reference, authority):
    (check,), summary = ask(reference)
    assert (check.verdict, check.record.authority) == ("match", authority)
    assert outcomes(check)[authority, "identifier" if reference.identifiers else "citation"] == "found"
    assert (summary.checked, summary.left, summary.stopped) == (1, 0, {})


def test_many_identifiers_go_in_one_request_and_nothing_is_asked_twice(servers, ask):
    servers.works = works = works_of(60)
    references = [cites(work, "doi") for work in works] + [cites(work, "pmid") for work in works] * 2
    answers = MemoryAnswers()
    checks, summary = ask(*references, answers=answers)

    assert {check.verdict for check in checks} == {"match"}
    assert summary.requests == 3  # 60 DOIs in two, 60 PMIDs in one
    assert sorted(len(asked["filter"].split(",")) for asked in servers.asked("crossref")) == [10, 50]
    assert len(servers.asked("pubmed")) == 1

    again, second = ask(*references, answers=answers)
    assert [check.record for check in again] == [check.record for check in checks]
    assert second.requests == 0


def test_a_real_doi_beside_another_title_is_another_works_and_what_was_meant_is_found(ask):
    (check,), _ = ask(cites(RASH, identifiers=(Identifier("doi", FEVER.doi),)))
    assert check.verdict == "other_work"
    assert FEVER.title in check.record.title
    assert check.candidates[0].title == RASH.title


def test_a_work_that_nobody_has_is_not_found_and_everybody_was_asked(ask):
    invented = cites(
        FEVER, title="Moonlight therapy of the gallbladder", authors=(Author("Nobody", "X"),), pages="9", volume="99"
    )
    (check,), _ = ask(invented)
    assert check.verdict == "not_found"
    assert {authority for authority, _ in outcomes(check)} == {"pubmed", "europe_pmc", "crossref", "openalex"}


def test_only_words_of_the_reference_leave_the_machine_and_keys_are_not_kept(servers, ask, tmp_path):
    secret = ("Warfarin", "Mrs", "Smythe", "haemorrhage", "grandmother")
    services = replace(servers.services, ncbi_key="n-key", openalex_key="o-key", contact="Ward 7 <ward@clinic.example>")
    references = [
        cites(FEVER, "doi", "pmid"),
        cites(RASH, text="Mrs Smythe bled on Warfarin (Quill 2021), a haemorrhage.", start=5, end=9, volume="98"),
        cites(
            FEVER, text="grandmother", title="Moonlight therapy of the gallbladder", pages="", url="https://x.example"
        ),
    ]
    said = []
    with Study.create(tmp_path / "a.medreview") as study:
        ask(*references, services=services, answers=StudyAnswers(study), say=said.append)

    sent = " ".join(f"{one.path} {one.headers} {one.body!r}" for one in servers.received)
    assert servers.asked("openalex")
    assert not [word for word in secret if word.lower() in sent.lower()]
    assert all(one["email"] == "ward@clinic.example" and one["api_key"] == "n-key" for one in servers.asked("pubmed"))
    assert all(one["mailto"] == "ward@clinic.example" for one in servers.asked("crossref"))
    assert "n-key" not in str(servers.asked("crossref") + servers.asked("openalex") + servers.asked("europe_pmc"))
    stored = (tmp_path / "a.medreview").read_bytes()
    assert not [word for word in (b"n-key", b"o-key", b"ward@clinic") if word in stored]
    assert b"10.5555/fever.1" in stored
    assert len(said) == 1
    assert "3 references are looked up at 127.0.0.1." in said[0]
    assert "Ward 7 <ward@clinic.example> comes along" in said[0]


def test_a_reference_of_author_journal_and_year_is_found_whatever_the_journal_calls_itself(servers, ask):
    trial = replace(RASH, journal="The New England journal of medicine", abbreviation="N Engl J Med")
    short = Reference(
        text="(Quill et al., NEJM 2021)", standing="inline", kind="article", authors=(Author("Quill"),), et_al=True,
        container="NEJM", year=2021,
    )  # fmt: skip
    for place in ("europe_pmc", "pubmed"):
        servers.works = [replace(trial, at=(place,))]
        (check,), _ = ask(short)
        assert (check.verdict, check.record.title, check.record.authority) == ("match", RASH.title, place)


def test_an_answered_question_is_not_asked_again_after_an_interruption(servers, ask, tmp_path):
    def stop(place, check):
        raise KeyboardInterrupt

    network = Network(limits=Limits(host_delay=0), delays={"127.0.0.1": 0.0}, allow=servers.allow)
    references = [cites(FEVER, "doi"), cites(RASH, "doi")]
    with Study.create(tmp_path / "a.medreview") as study, pytest.raises(KeyboardInterrupt):
        look_up(references, servers.services, network, StudyAnswers(study), on_done=stop)
    sent = len(servers.received)
    with Study.open(tmp_path / "a.medreview") as study:
        checks, summary = ask(*references, answers=StudyAnswers(study))
    assert [check.verdict for check in checks] == ["match", "match"]
    assert (sent, summary.requests) == (1, 0)


def test_without_asking_only_the_library_and_known_answers_count(servers, ask):
    answers = MemoryAnswers()
    ask(cites(FEVER, "doi"), answers=answers)
    servers.received.clear()

    checks, summary = ask(
        cites(FEVER, "doi"), cites(RASH, "doi"), Reference(text="see above"), answers=answers, ask=False
    )
    assert [check and check.verdict for check in checks] == ["match", None, "not_checkable"]
    assert (summary.checked, summary.left) == (2, 1)

    own = Record("library", "1", "article", RASH.title, authors=(Author("Quill", "Oda"), Author("Marsh", "Lee")),
                 containers=(RASH.journal,), years=(2021,), volume="13", pages="7-12")  # fmt: skip
    library = Library([own], "mine")
    checks, summary = ask(cites(RASH, "doi"), cites(FEVER), library=library, ask=False)
    assert [check.verdict for check in checks] == ["match", "not_found"]
    assert checks[0].record == own
    assert set(outcomes(checks[1])) == {("mine", "citation")}
    assert not servers.received

    said = []
    (found, asked), _ = ask(cites(RASH), cites(FEVER), library=library, say=said.append)
    assert found.record == own
    assert asked.record.authority == "pubmed"
    assert said[0].startswith("1 reference is looked up")


BROKEN = {
    "html": answer(b"<!doctype html><title>Down for maintenance</title>", Content_Type="text/html"),
    "shape": answer_json({"error": "no", "message": [], "resultList": 7, "results": {}, "data": "x", "studies": None}),
    "array": answer_json([1, 2]),
    "empty": answer(b""),
    "error": answer(b"oops", status=500),
    "busy": answer(b"slow down", status=429, Retry_After="3600"),
    "nowhere": answer(b"no such page", status=404),
    "silent": hang_up,
    "huge": endless(b'{"message": "'),
    "deep": answer(b"[" * 100_000),
}


@pytest.mark.parametrize("broken", BROKEN)
def test_a_service_that_gives_no_answer_proves_nothing_and_is_named(servers, ask, broken):
    servers.instead = dict.fromkeys(ALL, BROKEN[broken])
    limits = Limits(host_delay=0, retry_delay=0.01, deadline=5, max_bytes=200_000)
    answers = MemoryAnswers()
    checks, _ = ask(cites(FEVER, "doi"), cites(RASH), answers=answers, limits=limits)

    assert {check.verdict for check in checks} == {"not_checkable"}
    for check in checks:
        assert {one.outcome for one in check.asked} <= {"failed", "nothing"}
        failed = [one for one in check.asked if one.outcome == "failed"]
        assert failed
        assert all(one.words.endswith(".") for one in failed)

    servers.instead = {}
    again, second = ask(cites(FEVER, "doi"), cites(RASH), answers=answers)
    assert {check.verdict for check in again} == {"match"}
    assert second.requests > 0


def test_a_bare_doi_is_not_called_unknown_while_its_register_is_down(servers, ask):
    servers.works = []
    bare = Reference(text="doi:10.5555/fever.1", identifiers=(Identifier("doi", "10.5555/fever.1"),))
    (check,), _ = ask(bare)
    assert check.verdict == "not_found"
    servers.instead["crossref"] = answer(b"oops", status=500)
    (check,), _ = ask(bare)
    assert check.verdict == "not_checkable"
    assert check.because == "It could not be looked up: Crossref did not answer."


def test_one_that_is_down_is_asked_no_more_after_ten_failures_while_the_others_go_on(servers, ask):
    servers.works = works_of(40, doi="")
    servers.instead["europe_pmc"] = answer(b"oops", status=500)
    checks, summary = ask(*(cites(work, container="", volume="", pages="") for work in servers.works))
    assert {check.verdict for check in checks} == {"match"}
    assert {check.record.authority for check in checks} == {"pubmed"}
    assert 10 <= len(servers.asked("europe_pmc")) < 25
    assert summary.stopped["europe_pmc"] == (
        "Europe PMC failed 10 times in a row and was asked no more: The server answered with status 500."
    )
    assert all(outcomes(check)["europe_pmc", "citation"] == "failed" for check in checks)


def test_too_many_requests_are_waited_for(servers, ask):
    speak = servers.route("/crossref/works?" + "filter=doi:10.5555/fever.1&rows=20&select=DOI,title,author,issued,type")
    servers.instead["crossref"] = in_turn(answer(b"", status=429, Retry_After="0"), speak)
    (check,), _ = ask(cites(FEVER, "doi"))
    assert (check.verdict, check.record.authority) == ("match", "crossref")
    assert len(servers.asked("crossref")) == 2


def test_a_number_that_a_service_refuses_costs_only_itself(servers, ask):
    works = [replace(TRIAL, nct=f"NCT9991{number:04}") for number in range(7)]
    servers.works = works
    asked = [cites(work, "nct", kind="trial", authors=(), container="") for work in works]
    odd = cites(TRIAL, kind="trial", authors=(), title="", container="", identifiers=(Identifier("nct", "NCT12"),))
    *checks, last = ask(*asked, odd)[0]
    assert {check.verdict for check in checks} == {"match"}
    assert last.verdict == "not_checkable"
    assert outcomes(last) == {("clinical_trials", "identifier"): "failed"}


def test_a_doi_with_a_comma_is_asked_for_alone(servers, ask):
    comma = replace(FEVER, doi="10.5555/a,b", at=("crossref",))
    servers.works = [comma, replace(RASH, at=("crossref",))]
    checks, _ = ask(
        cites(comma, "doi"), cites(RASH, "doi"), cites(FEVER, identifiers=(Identifier("doi", "10.5555/x,y"),))
    )
    assert [check.verdict for check in checks] == ["match", "match", "mismatch"]
    assert [outcomes(check)["crossref", "identifier"] for check in checks] == ["found", "found", "nothing"]


def test_an_answer_about_another_work_than_asked_is_ignored(servers, ask):
    other = {"status": "ok", "message": {"items": [crossref_item(RASH), {"title": ["No DOI"]}, 7]}}
    servers.instead["crossref"] = answer_json(other)
    (check,), _ = ask(cites(FEVER, "doi"))
    assert outcomes(check)["crossref", "identifier"] == "nothing"
    assert check.record.authority == "europe_pmc"


def test_a_slow_service_is_given_up_in_time(servers, ask):
    servers.instead["crossref"] = hang
    (check,), _ = ask(cites(FEVER, "doi"), limits=Limits(host_delay=0, deadline=0.3, retries=0))
    assert check.record.authority == "europe_pmc"
    assert outcomes(check)["crossref", "identifier"] == "failed"


class OneAuthority:
    """An authority that answers by the kind of an identifier, and nothing else."""

    name = "europe_pmc"

    def __init__(self, **answers):
        self._answers = answers

    async def identifier(self, identifier):
        return self._answers[identifier.kind]

    def query(self, way, reference):
        return ""


@pytest.mark.parametrize(
    ("doi", "pmid", "outcome"),
    [("found", "failed", "found"), ("failed", "found", "found"), ("nothing", "failed", "failed"),
     ("failed", "nothing", "failed"), ("nothing", "found", "found"), ("nothing", "nothing", "nothing")],
)  # fmt: skip
async def test_of_several_answers_of_one_authority_found_counts_before_a_failure_and_that_before_nothing(
    doi, pmid, outcome
):
    answers = {
        "found": ServiceAnswer((Record("europe_pmc", "1", title="Another work"),)), "nothing": ServiceAnswer(()),
        "failed": ServiceAnswer((), "it is down"),
    }  # fmt: skip
    authority = OneAuthority(doi=answers[doi], pmid=answers[pmid])
    check = await Search(cites(FEVER, "doi", "pmid"), {"europe_pmc": authority}, None).run()
    assert outcomes(check) == {("europe_pmc", "identifier"): outcome}


async def test_it_works_in_a_running_event_loop_as_in_a_notebook(ask):
    await asyncio.sleep(0)
    (check,), _ = ask(cites(FEVER, "doi"))
    assert check.verdict == "match"


def test_half_characters_and_query_signs_in_a_reference_do_no_harm(ask):
    odd = cites(
        FEVER, title='Paracetamol "in" feverish) OR (invented \ud800 children|x\r\n', authors=(Author('Hol"lis', "M"),)
    )
    checks, summary = ask(odd, cites(RASH, identifiers=(Identifier("doi", '10.5555/"\ud800)\\'),)))
    assert all(check.asked for check in checks)
    assert not summary.stopped


def test_half_characters_in_an_answer_can_be_stored(servers, ask, tmp_path):
    item = b'{"DOI": "10.5555/fever.1", "title": ["Pa\\ud800in"], "author": [{"family": "\\udfff"}]}'
    told = b'{"message": {"items": [' + item + b"]}}"
    servers.instead["crossref"] = answer(told)
    with Study.create(tmp_path / "a.medreview") as study:
        (check,), _ = ask(cites(FEVER, "doi"), answers=StudyAnswers(study))
        (known,) = StudyAnswers(study).known("crossref", "doi:10.5555/fever.1")
    assert known.title == "Pa\ufffdin"
    assert check.record.authority == "europe_pmc"


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
