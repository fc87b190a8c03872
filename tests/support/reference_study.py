"""A study whose response cites four works: a match that was retracted, a mismatch, another work, one not found."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from medreview.judges.verdicts import refresh
from medreview.references.model import (
    Asked,
    Author,
    FieldDifference,
    Identifier,
    Notice,
    Record,
    Reference,
    ReferenceCheck,
    to_json,
)  # fmt: skip
from medreview.references.study_references import CheckedBy, store_check, store_references
from medreview.references.verdict import Verdict
from medreview.study import Study
from medreview.text import sha256
from tests.support.study_builder import NOW, StudyBuilder, build

LATER: Final = "2026-10-10T08:00:00+00:00"
PAGES: Final = {
    "u1": "Norepinephrine is the first-choice vasopressor in septic shock. Aim for a mean pressure of 65 mm Hg.",
    "u2": "Vasopressin may be added to norepinephrine when the target is not reached.",
    "u3": "Statins and the eye: a cohort of drivers.",
    "u4": "This address was never a page on sepsis.",
}
STATEMENTS: Final = (
    "Norepinephrine comes first in septic shock [1].",
    "Vasopressin may be added [2].",
    "Early fluids lower mortality [3].",
    "Steroids shorten shock [4].",
)
PRINTED: Final = (
    "Moss A, Lind B. Vasopressors in septic shock. J Test Med. 2031;4:1-9. doi:10.5555/one",
    "Moss A. Vasopressin as a second agent in shock. J Test Med. 2035;8:20-29. doi:10.5555/two",
    "Kern C, et al. Early fluids and mortality in sepsis. Test Crit Care. 2034;7:11-18. doi:10.5555/three",
    "Nobody N. Steroids and the length of shock. Imag J. 2033;1:1-2. doi:10.5555/none",
)
RESPONSE: Final = "\n".join((*STATEMENTS, "", "References", *(f"[{n}] {text}" for n, text in enumerate(PRINTED, 1))))

_READ: Final = tuple(
    Reference(text, standing="list", number=number, kind="article", authors=(Author(*name),), title=title,
              container=journal, year=year, volume=volume, pages=pages, identifiers=(Identifier("doi", doi),))
    for number, text, name, title, journal, year, volume, pages, doi in (
        (1, PRINTED[0], ("Moss", "A"), "Vasopressors in septic shock", "J Test Med", 2031, "4", "1-9", "10.5555/one"),
        (2, PRINTED[1], ("Moss", "A"), "Vasopressin as a second agent in shock", "J Test Med", 2035, "8", "20-29",
         "10.5555/two"),
        (3, PRINTED[2], ("Kern", "C"), "Early fluids and mortality in sepsis", "Test Crit Care", 2034, "7", "11-18",
         "10.5555/three"),
        (4, PRINTED[3], ("Nobody", "N"), "Steroids and the length of shock", "Imag J", 2033, "1", "1-2",
         "10.5555/none"),
    )
)  # fmt: skip
FIRST: Final = Record(
    "crossref", "10.5555/one", "article", "Vasopressors in septic shock", (),
    (Author("Moss", "A"), Author("Lind", "B")), True, ("Journal of Test Medicine", "J Test Med"), (2031,),
    "4", "", "1-9", "", "", (Identifier("doi", "10.5555/one"),),
)  # fmt: skip
SECOND: Final = FIRST._replace(
    record_id="10.5555/two", title="Vasopressin as a second agent in shock", authors=(Author("Moss", "A"),),
    years=(2033,), volume="8", pages="20-29", identifiers=(Identifier("doi", "10.5555/two"),),
)  # fmt: skip
STATINS: Final = Record(
    "crossref", "10.5555/three", "article", "Statins and the eye: a cohort of drivers", (), (Author("Vale", "D"),),
    True, ("Test Ophthalmology",), (2011,), identifiers=(Identifier("doi", "10.5555/three"),),
)  # fmt: skip
FLUIDS: Final = Record(
    "pubmed", "99000003", "article", "Early fluids and mortality in sepsis", (), (Author("Kern", "C"),), True,
    ("Test Critical Care", "Test Crit Care"), (2034,), "7", "", "11-18", "", "", (Identifier("pmid", "99000003"),),
)  # fmt: skip
_FOUND: Final = Asked("crossref", "identifier", "found")
CHECKS: Final = (
    ReferenceCheck("match", FIRST._replace(notices=(Notice("retracted", "10.5555/notice", "2034"),)), asked=(_FOUND,),
                   because="Title, authors and year are those of the record."),
    ReferenceCheck("mismatch", SECOND, (FieldDifference("year", "2035", "2033", False, "the year is off by two"),),
                   asked=(_FOUND,), because="The work exists, and its year is another."),
    ReferenceCheck("other_work", STATINS, (
        FieldDifference("title", "Early fluids and mortality in sepsis", STATINS.title, False, "another title"),
        FieldDifference("authors", "Kern C", "Vale D", False, "another first author"),
    ), (FLUIDS,), "The DOI belongs to another work.", (_FOUND, Asked("pubmed", "citation", "found"))),
    ReferenceCheck("not_found", because="Crossref and PubMed have no such work.",
                   asked=(Asked("crossref", "identifier", "nothing"), Asked("pubmed", "citation", "nothing"))),
)  # fmt: skip


def fill_references(study: Study) -> None:
    """Response ``r1`` with statements ``r1.1`` to ``r1.4``, each of which cites the work of its number (``f1`` ...)."""

    def fill(rows: StudyBuilder) -> None:
        for source, text in PAGES.items():
            rows.page(source, text, f"https://doi.example/{source}", snapshot_id=f"p{source}")
        rows.response("r1", RESPONSE, question="How is septic shock treated?", references_by="test 1")
        for number, (statement, source) in enumerate(zip(STATEMENTS, PAGES, strict=True), 1):
            rows.statement("r1", statement, f"r1.{number}")
            rows.citation("r1", source)
            rows.own_number("r1", number, source)
            rows.marker(f"r1.{number}", source, number)
            rows.judgement("one", f"r1.{number}", f"p{source}", "supported", PAGES[source][:20])
        for number, (read, check) in enumerate(zip(_READ, CHECKS, strict=True), 1):
            start = RESPONSE.index(read.text)
            placed = replace(read, start=start, end=start + len(read.text))
            add_reference(rows, f"f{number}", "r1", placed, check, sources=(f"u{number}",))

    build(study, fill)
    refresh(study)


def check_given_references(study: Study, count: int) -> None:
    """References given beside the first response, which name no work, checked as the program does it."""

    def fill(rows: StudyBuilder) -> None:
        response_id = rows.connection.execute("SELECT response_id FROM response ORDER BY ordinal").fetchone()[0]
        found = [Reference(f"Warfarin, part {number}.", standing="given", kind="web_page") for number in range(count)]
        store_references(rows.connection, response_id, found, "rules 1")
        check = ReferenceCheck("not_checkable", because="It names no work.")
        for (reference_id,) in rows.connection.execute("SELECT reference_id FROM reference").fetchall():
            store_check(rows.connection, reference_id, check, CheckedBy("rules 1", "", online=False))

    build(study, fill)


def add_reference(
    rows: StudyBuilder,
    reference_id: str,
    response_id: str,
    reference: Reference,
    check: ReferenceCheck | None = None,
    sources: Sequence[str] = (),
) -> None:
    """A reference of a response with its check."""
    ordinal = 1 + rows.connection.execute("SELECT count(*) FROM reference").fetchone()[0]
    placed = reference.end > 0
    rows.add(
        "reference", reference_id=reference_id, response_id=response_id, ordinal=ordinal, number=reference.number,
        start_cp=reference.start if placed else None, end_cp=reference.end if placed else None, text=reference.text,
        standing=reference.standing, parser="test 1", found_at=NOW, reading=json.dumps(to_json(reference)),
        bare_url=int(reference.bare_url), text_sha256=sha256(reference.text),
    )  # fmt: skip
    for source_id in sources:
        rows.add("reference_source", reference_id=reference_id, source_id=source_id)
    if check is not None:
        add_check(rows, reference_id, check)


def add_check(rows: StudyBuilder, reference_id: str, check: ReferenceCheck, at: str = NOW) -> None:
    """A newer check of a reference takes the place of an older one."""
    rows.add(
        "reference_check", check_id=f"{reference_id} at {at}", reference_id=reference_id, verdict=check.verdict,
        rules="test 1", library="", online=1, checked_at=at, result=json.dumps(to_json(check)),
    )  # fmt: skip


def judged_otherwise(study: Study, verdict: Verdict = "not_found") -> None:
    """The same records were found, and the rules made something else of them."""
    every = [
        *(check.record for check in CHECKS if check.record),
        *(one for check in CHECKS for one in check.candidates),
    ]

    def fill(rows: StudyBuilder) -> None:
        for number, check in enumerate(CHECKS, 1):
            had = [one for one in every if one == check.record or one in check.candidates]
            other = ReferenceCheck(verdict, None, (), tuple(reversed(had)), "Said otherwise.", ())
            add_check(rows, f"f{number}", other, LATER)

    build(study, fill)
    refresh(study)
