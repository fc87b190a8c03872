"""The verdict on a reference: what was found, by what; and what holds of every work."""

from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from medreview.references.comparing.check import check_reference, same_work
from medreview.references.comparing.fit import Fit
from medreview.references.comparing.names import NameComparison
from medreview.references.comparing.titles import TitleComparison
from medreview.references.model import Asked, Author, Identifier, Notice, Record, Reference
from medreview.references.printed.parse import parse_reference
from medreview.references.verdict import ACCUSING, VERDICTS
from tests.references.works import EMPA_REG, SPRINT, UKPDS, WORKS

TODAY = date(2026, 1, 1)
EMPA_DOI, EMPA_PMID = EMPA_REG.identifiers
FOUND = (Asked("crossref", "identifier", "found"), Asked("crossref", "citation", "found"))
NOTHING = (Asked("crossref", "identifier", "nothing"), Asked("crossref", "citation", "nothing"))


def checked(text, records=WORKS, asked=FOUND, **fields):
    """The check of a printed reference against records that are found by its identifiers and by its words."""
    reference = replace(parse_reference(text), **fields)
    led = {
        identifier: [record for record in records if identifier in record.identifiers]
        for identifier in reference.identifiers
    }
    return check_reference(reference, led, records, asked, today=TODAY)


HONEST = [
    "Zinman B, Wanner C, Lachin JM, et al. Empagliflozin, cardiovascular outcomes, and mortality in type 2 diabetes. "
    "N Engl J Med. 2015;373(22):2117-28. doi:10.1056/NEJMoa1504720",
    "Zinman, B., Wanner, C., & Lachin, J. M. (2016). Empagliflozin, cardiovascular outcomes, and mortality in type 2 "
    "diabetes. *New England Journal of Medicine*, *373*(22), 2117–2128. https://doi.org/10.1056/nejmoa1504720",
    "**Empagliflozin, Cardiovascular Outcomes, and Mortality in Type 2 Diabetes** – Zinman et al. (NEJM, 2015)",
    'Zinman et al. "Empaglifozin, cardiovascular outcomes, and mortality in type 2 diabetes", N Engl J Med, 2015.',
    "Zinman B. Empagliflozin, cardiovascular outcomes and mortality in type II diabetes. NEJM. 2014. PMID: 26378978",
    "1. Wright JT Jr, Williamson JD, Whelton PK, et al. A randomized trial of intensive versus standard blood-pressure "
    "control. N Engl J Med 2015;373:2103-16.",
    "SPRINT Research Group. A Randomised Trial of Intensive vs. Standard Blood Pressure Control. N Engl J Med. 2015.",
    "UK Prospective Diabetes Study (UKPDS) Group. Intensive blood-glucose control with sulfonylureas or insulin "
    "compared with conventional treatment and risk of complications in patients with type 2 diabetes (UKPDS 33). "
    "Lancet 1998;352:837-53.",
]


@pytest.mark.parametrize("text", HONEST)
def test_a_work_as_it_is_matches_and_slips_are_listed_apart(text):
    check = checked(text)

    assert check.verdict == "match"
    assert check.wrong == ()
    assert check.because == ""
    assert all(difference.why for difference in check.slips)


@pytest.mark.parametrize(
    ("authors", "container", "content", "is_it"),
    [
        ("same", "wrong", 2, False),
        ("same", "unknown", 2, True),
        ("wrong", "wrong", 5, True),
        ("wrong", "wrong", 4, False),
    ],
)
def test_a_work_that_an_identifier_leads_to_is_meant_if_more_speaks_for_it_or_its_title_is_long(
    authors, container, content, is_it
):
    title = TitleComparison("changed", "A trial.", content=content)
    compared = Fit(EMPA_REG, title, NameComparison(authors), NameComparison(container), None, False, 0)
    assert compared.is_the_identified() == is_it


WRONG = [
    ("Wanner C, Zinman B. {title}. N Engl J Med. 2015;373:2117-28.", ["authors"], "first author"),
    ("Marso S, Daniels G. {title}. N Engl J Med. 2015;373:2117-28.", ["authors"], "first author"),
    ("Zinman B, Wanner C. {title}. Lancet. 2015;373:2117-28.", ["container"], "journal"),
    ("Zinman B, Wanner C. {title}. N Engl J Med. 2009;373:2117-28.", ["year"], "year"),
    ("Zinman B, Wanner C. {title}. Lancet. 2009;373:2117-28.", ["container", "year"], "journal and year"),
    ("Zinman B. {title}. N Engl J Med. 2015. doi:10.1056/nejmoa0000001", ["identifier"], "identifier"),
]


@pytest.mark.parametrize(("text", "fields", "named"), WRONG)
def test_a_work_described_wrongly_is_that_work_and_each_wrong_field_is_named(text, fields, named):
    check = checked(text.format(title=EMPA_REG.title))

    assert (check.verdict, check.record) == ("mismatch", EMPA_REG)
    assert [difference.field for difference in check.wrong] == fields
    assert all(difference.reference != difference.record for difference in check.wrong)
    assert check.because == f"This is the work, but with another {named} than the record has."


@pytest.mark.parametrize(
    ("printed", "record"),
    [("dapagliflozin", "empagliflozin"), ("renal", "cardiovascular"), ("1", "2"), ("morbidity", "mortality")],
)
def test_an_exchanged_word_of_the_title_is_named_with_both_readings(printed, record):
    title = EMPA_REG.title.lower().replace(record, printed)
    check = checked(f"Zinman B, Wanner C. {title}. N Engl J Med. 2015;373:2117-28.")

    assert (check.verdict, check.record) == ("mismatch", EMPA_REG)
    (difference,) = check.wrong
    assert difference.field == "title"
    assert difference.why == f"The reference has “{printed}” where the record has “{record}”."


def test_an_identifier_of_another_work_says_whose_it_is_and_what_may_be_meant():
    check = checked(f"Zinman B, et al. {EMPA_REG.title}. N Engl J Med. 2015. PMID: 9742976")

    assert (check.verdict, check.record) == ("other_work", UKPDS)
    assert check.candidates == (EMPA_REG,)
    assert check.because.startswith("PMID 9742976 is the identifier of “Intensive blood-glucose control")
    assert check.because.endswith(f"The work described may be “{EMPA_REG.title}” (2015).")


def test_another_works_identifier_beside_a_work_that_nobody_has_says_so():
    check = checked("Nobody A, Nemo B. Moonlight therapy of the gallbladder. Gut. 2011;1:1-9. PMID: 9742976")

    assert (check.verdict, check.record, check.candidates) == ("other_work", UKPDS, ())
    assert check.because.endswith("Nobody who was asked has the work described.")


def test_of_two_identifiers_that_lead_to_two_works_the_one_that_fits_counts():
    check = checked(f"Zinman B, et al. {EMPA_REG.title}. N Engl J Med. 2015. PMID: 9742976. doi:10.1056/nejmoa1504720")

    assert (check.verdict, check.record) == ("mismatch", EMPA_REG)
    (difference,) = check.wrong
    assert (difference.field, difference.reference, difference.why) == (
        "identifier",
        "PMID 9742976",
        "It is another work's.",
    )
    assert check.candidates == (UKPDS,)


def test_the_identifier_of_the_other_part_is_another_works():
    parts = [
        Record(
            "pubmed",
            str(number),
            title=f"Dental implants in irradiated bone. Part {number}: a review of animal studies",
            authors=(Author("Colella", "G"),),
            years=(2007,),
            pages=pages,
            identifiers=(Identifier("pmid", str(900 + number)),),
        )
        for number, pages in ((1, "616-622"), (2, "623-629"))
    ]
    check = checked(f"Colella G. {parts[1].title}. Gut. 2007;65:623-629. PMID: 901", parts)

    assert (check.verdict, check.record, check.candidates) == ("other_work", parts[0], (parts[1],))


def test_a_bare_identifier_is_the_work_that_it_leads_to():
    assert checked("doi:10.1056/nejmoa1504720").verdict == "match"


def test_an_untitled_reference_is_held_against_author_journal_and_year():
    assert checked("(Zinman et al., NEJM 2015)").record == EMPA_REG
    assert checked("(Marso et al., NEJM 2016)").verdict == "not_found"
    reference = Reference("", authors=(Author("Marso"),), container="Gut", year=2003, identifiers=(EMPA_DOI,))
    assert check_reference(reference, {EMPA_DOI: [EMPA_REG]}, (), FOUND).verdict == "other_work"


EDITIONS = [
    Record(
        "crossref",
        year,
        title="Standards of care in diabetes and its complications",
        authors=(Author("American Diabetes Association", body=True),),
        containers=("Diabetes Care",),
        years=(int(year),),
        pages=pages,
        identifiers=(Identifier("doi", f"10.5555/standards-{year}"),),
    )
    for year, pages in (("2015", "S1-S93"), ("2019", "S1-S193"))
]


def test_works_that_fit_equally_are_named_and_what_would_tell_them():
    check = checked(
        "Standards of care in diabetes and its complications.", EDITIONS, title=EDITIONS[0].title, container=""
    )

    assert (check.verdict, check.record) == ("ambiguous", None)
    assert {record.record_id for record in check.candidates} == {"2015", "2019"}
    assert check.because == "2 works fit equally well; authors and year and pages would tell."


@pytest.mark.parametrize(("fields", "edition"), [({"year": 2019}, "2019"), ({"pages": "S1-S93"}, "2015")])
def test_year_or_pages_tell_editions_apart(fields, edition):
    check = checked("", EDITIONS, title=EDITIONS[0].title, **fields)

    assert (check.verdict, check.record.record_id) == ("match", edition)


def test_a_preprint_and_its_article_are_no_two_works_and_two_services_have_one_work():
    preprint = EMPA_REG._replace(authority="openalex", kind="preprint", containers=("medRxiv",), identifiers=())
    again = EMPA_REG._replace(authority="pubmed", title=EMPA_REG.title.upper())
    text = f"Zinman B. {EMPA_REG.title}. 2015."

    assert checked(text, [preprint, EMPA_REG]).record == EMPA_REG
    assert checked(text, [again, EMPA_REG]).verdict == "match"
    assert same_work(again, EMPA_REG)
    assert not same_work(EMPA_REG, SPRINT)


def test_a_dead_identifier_beside_a_record_without_one_of_that_kind_is_said_and_accuses_nobody():
    bare = EMPA_REG._replace(identifiers=())
    check = checked(f"Zinman B. {EMPA_REG.title}. N Engl J Med. 2015. PMID: 99999999", [bare], NOTHING)

    assert check.verdict == "match"
    assert check.because == "The identifier leads to nothing, but the work described was found."


NOT_FOUND = [
    ("Nemo A. A work that nobody has ever seen or read. Gut. 2003;1:1-2.", {}, "Not found in Crossref."),
    (
        "Nemo A. A work that nobody has ever seen or read. Gut. 2025;1:1-2.",
        {},
        "Not found in Crossref. That proves little: works of 2025 may not be listed yet.",
    ),
    (
        "NICE. Diabetes in nobody: management. NICE guideline NG999. 2015.",
        {"kind": "guideline"},
        "Not found in Crossref. That proves little: of guidelines only some are listed.",
    ),
    (
        "Nemo A. The book of nobody. 3rd ed. New York: Nowhere; 1999.",
        {"kind": "book"},
        "Not found in Crossref. That proves little: of books only some are listed.",
    ),
    (
        "Nemo A. A work that nobody has read. Presented at: Annual Meeting of Nobody; 2003; Nowhere. Abstract P12.",
        {},
        "Not found in Crossref. That proves little: of conference abstracts only some are listed.",
    ),
]


@pytest.mark.parametrize(("text", "fields", "because"), NOT_FOUND)
def test_what_was_not_found_says_who_was_asked_and_what_that_proves(text, fields, because):
    check = checked(text, (), NOTHING, **fields)

    assert (check.verdict, check.because) == ("not_found", because)


def test_a_service_that_failed_proves_nothing():
    text = "Nemo A. A work that nobody has ever seen or read. Gut. 2003;1:1-2."
    failed = (Asked("pubmed", "citation", "failed", "HTTP 503"),)

    check = checked(text, (), failed)
    assert check.verdict == "not_checkable"
    assert check.because == "It could not be looked up: PubMed did not answer."
    check = checked(text, (), (*failed, Asked("crossref", "citation", "nothing")))
    assert check.verdict == "not_found"
    assert check.because == "Not found in Crossref. PubMed did not answer."
    check = checked(text, (), (*failed, Asked("crossref", "identifier", "nothing")))
    assert check.verdict == "not_checkable"


def test_a_work_that_was_found_is_found_whoever_failed():
    failed = (Asked("pubmed", "identifier", "failed"), Asked("crossref", "citation", "found"))

    assert checked(f"Zinman B. {EMPA_REG.title}. N Engl J Med. 2015. PMID: 26378978", asked=failed).verdict == "match"


@pytest.mark.parametrize("text", ["", "Data on file.", "Smith et al.", "Personal communication, 2019", "Ibid., p. 7"])
def test_where_there_is_nothing_to_look_up_nobody_is_accused(text):
    check = checked(text, (), ())

    assert check.verdict == "not_checkable"
    assert check.because.startswith("There is nothing to look up")


def test_a_notice_stands_beside_the_record_and_changes_no_verdict():
    retracted = EMPA_REG._replace(notices=(Notice("retracted", "10.5555/notice"),))
    check = checked(HONEST[0], [retracted])

    assert (check.verdict, check.record.notices[0].kind) == ("match", "retracted")


def test_the_nearest_works_stand_beside_what_was_not_found():
    check = checked("Zinman B. Empagliflozin and mortality in heart failure with preserved ejection. Gut. 2011;1:1-2.")

    assert check.verdict == "not_found"
    assert check.record is None
    assert UKPDS not in check.candidates


HOSTILE = [
    Record("x", "empty"),
    Record("x", "nameless", authors=(Author("", ""), Author("…"))),
    Record("x", "dots", title="…", containers=("", "—"), pages="-", volume="?"),
    Record("x", "huge", title="word " * 200_000, authors=(Author("A" * 100_000),) * 50, containers=("J " * 100_000,)),
    Record("x", "years", title=EMPA_REG.title, years=(0, -5, 999_999)),
    Record("x", "ids", identifiers=(Identifier("doi", ""), Identifier("isbn", "x"), Identifier("pmid", ""))),
]


@pytest.mark.parametrize("record", HOSTILE, ids=lambda record: record.record_id)
@pytest.mark.parametrize("text", [*HONEST[:3], "", "(Zinman et al., NEJM 2015)"])
def test_a_record_without_sense_raises_nothing(record, text):
    reference = parse_reference(text)
    led = {identifier: [record] for identifier in reference.identifiers}

    assert check_reference(reference, led, [record], FOUND).verdict in VERDICTS
    assert check_reference(reference, {}, [record, EMPA_REG], FOUND).verdict


def test_a_journals_name_within_a_doi_is_not_the_journal_that_is_printed():
    record = EMPA_REG._replace(containers=("Chest",), identifiers=(Identifier("doi", "10.1016/j.chest.2016.02.646"),))
    check = checked(f"Zinman B. {EMPA_REG.title}. Vaccine. 2015. doi:10.1016/j.chest.2016.02.646", [record])

    assert [difference.field for difference in check.wrong] == ["container"]


def test_what_the_rules_cut_wrongly_is_read_again_with_the_record_in_hand():
    record = EMPA_REG._replace(title=f"{EMPA_REG.title}: a trial", containers=("Comput. Human. Behav.",))
    text = f"- Zinman (2015). {EMPA_REG.title}. Comput. Human. Behav. 55: 946-954"
    cut = {"title": f"{EMPA_REG.title}. Comput. Human", "container": "Behav"}

    assert checked(text, [record], **cut).verdict == "match"
    assert checked(text, [record], title="", container="", places={}).record == record


def test_a_site_that_stands_first_is_no_title_and_a_note_on_the_language_is_no_journal():
    record = Record(
        "library",
        "page",
        "web_page",
        "Grapefruit und Arzneimittel: eine heikle Mischung",
        containers=("Lindenhof-Apotheken",),
    )
    text = (
        f"Lindenhof-Apotheken. {record.title}. https://www.lindenhof-apotheken.example/ratgeber/grapefruit (in German)"
    )

    assert not checked(text, [record]).wrong


EMPA_TITLE = "Empagliflozin, cardiovascular outcomes, and mortality in type 2 diabetes"


@pytest.mark.parametrize(
    "printed", [f"Comment on: {EMPA_TITLE}", f"Erratum to: {EMPA_TITLE}", f"{EMPA_TITLE}: authors' reply"]
)
def test_what_is_written_about_a_work_is_not_that_work(printed):
    check = checked(f"Zinman B, Wanner C, Lachin JM. {printed}. N Engl J Med. 2015;373:2117-28.")

    assert [difference.field for difference in check.wrong] == ["title"]
    assert "The reference adds" in check.wrong[0].why


def test_a_title_cut_at_a_comma_with_dots_is_that_title():
    check = checked("Zinman B, Wanner C (2015) 'Empagliflozin, cardiovascular outcomes, and mortality,...', NEJM.")

    assert (check.verdict, [slip.why for slip in check.slips if slip.field == "title"]) == ("match", ["cut"])


def test_another_part_than_the_record_is_another_work():
    record = SPRINT._replace(title=f"{SPRINT.title}. Part II", identifiers=())
    printed = f"Wright JT Jr, Williamson JD. {SPRINT.title}. Part I. N Engl J Med 2015;373:3103-16."

    assert checked(printed.replace("Part I.", "Part II."), [record]).verdict == "match"
    assert checked(printed, [record]).verdict == "not_found"


def test_data_on_file_are_no_work_that_could_be_found():
    assert checked("Data on file, Invented Pharma Inc., New York.", []).verdict == "not_checkable"


ASKED = (Asked("library", "citation", "found"),)
STYLES = (
    "{names}. {title}. {journal}. {year};{volume}({issue}):{pages}.",
    "[3] {names}. {title}. {journal} {year};{volume}:{short}. doi:{doi}",
    "4. {names}. {title}. *{full}*. {year};{volume}({issue}):{pages}. PMID: {pmid}",
    "{first} et al. {title}. {journal}. {year};{volume}:{pages}.",
    "{apa} ({year}). {title}. *{full}*, *{volume}*({issue}), {pages}. https://doi.org/{doi}",
    "- **{title}** – {first} et al. ({journal}, {year})",
    '{first} et al. "{title}", {journal}, {year}.',
    "{first} et al. ({year}). {title}. {full} {volume}: {pages}.",
    "{names}. {upper}. {journal}. {year};{volume}({issue}):{pages}.",
)


def printed(work: Record, style: str) -> str:
    names = ", ".join(f"{author.family} {author.given[:1]}".strip() for author in work.authors)
    apa = ", ".join(
        author.family if author.body else f"{author.family}, {author.given[:1]}." for author in work.authors
    )
    return style.format(
        names=names,
        apa=apa,
        first=work.authors[0].family,
        title=work.title,
        upper=work.title.upper(),
        journal=work.containers[-1],
        full=work.containers[0],
        year=work.years[0],
        volume=work.volume,
        issue=work.issue,
        pages=work.pages,
        short=f"{work.pages.split('-')[0]}-{work.pages[-2:]}",
        doi=work.identifiers[0].value.upper(),
        pmid=work.identifiers[1].value,
    )


@given(st.sampled_from(WORKS), st.sampled_from(STYLES))
@settings(max_examples=60, deadline=None)
def test_a_work_printed_in_any_style_is_never_accused(work, style):
    reference = parse_reference(printed(work, style))
    led = {identifier: [work] for identifier in reference.identifiers}

    check = check_reference(reference, led, WORKS, ASKED)

    assert check.verdict == "match", check.wrong
    assert check.record == work


def swapped(title: str, at: int) -> str:
    words = title.split()
    word = words[at % len(words)]
    if len(word) < 6 or not word.isalpha() or word[2] == word[3]:
        return title
    words[at % len(words)] = word[:2] + word[3] + word[2] + word[4:]
    return " ".join(words)


SLIPS = {
    "initials": lambda one, _: replace(one, authors=tuple(Author(a.family, a.given[:1], a.body) for a in one.authors)),
    "no given names": lambda one, _: replace(one, authors=tuple(Author(a.family, "", a.body) for a in one.authors)),
    "et al": lambda one, _: replace(one, authors=one.authors[:1], et_al=True),
    "accents": lambda one, _: replace(one, title=one.title.replace("e", "é", 1)),
    "upper case": lambda one, _: replace(one, title=one.title.upper()),
    "typing error": lambda one, at: replace(one, title=swapped(one.title, at)),
    "no hyphens": lambda one, _: replace(one, title=one.title.replace("-", " ")),
    "markup": lambda one, _: replace(one, title=f"<i>{one.title}</i>"),
    "year": lambda one, at: replace(one, year=one.year + (1 if at % 2 else -1)),
    "no volume": lambda one, _: replace(one, volume="", issue=""),
    "no pages": lambda one, _: replace(one, pages=""),
    "wrong volume": lambda one, _: replace(one, volume="16"),
    "no journal": lambda one, _: replace(one, container=""),
}


@given(st.sampled_from(WORKS), st.lists(st.sampled_from(sorted(SLIPS)), max_size=5, unique=True), st.integers(0, 30))
@settings(max_examples=100, deadline=None)
def test_slips_never_make_an_accusation(work, slips, at):
    reference = Reference(
        "",
        authors=work.authors,
        title=work.title,
        container=work.containers[-1],
        year=work.years[0],
        volume=work.volume,
        issue=work.issue,
        pages=work.pages,
    )
    for slip in slips:
        reference = SLIPS[slip](reference, at)

    check = check_reference(reference, {}, WORKS, ASKED)

    assert check.verdict not in ACCUSING, (slips, check.wrong)
    assert check.record == work


@given(st.text(max_size=200), st.sampled_from(WORKS))
@settings(max_examples=100, deadline=None)
def test_any_text_gets_a_verdict_and_the_same_one_again(text, work):
    reference = parse_reference(text)
    led = {identifier: [work] for identifier in reference.identifiers}

    check = check_reference(reference, led, [work], ASKED)

    assert check == check_reference(reference, led, [work], ASKED)
    assert (check.record is None) == (check.verdict in ("not_found", "ambiguous", "not_checkable"))
