"""A folder of saved pages without a list: which file is the page of which cited source, by what, and which is none."""

import io
import json
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from medreview import pipeline
from medreview.errors import UserError
from medreview.references.matched_folder import MatchedFolder, SourceWorks
from medreview.sources.reading.own_names import own_names
from medreview.study import Study
from medreview.study.check import check
from tests.support.commands import in_process
from tests.support.study_builder import rows_of

TEXT = "Metformin is stopped when the eGFR falls below 30 and its dose is reviewed below 45. " * 12
TITLE = "Stopping metformin before contrast media in chronic kidney disease"
DOI = "10.1000/renal.2019.7"
RESPONSE = f"""Metformin is stopped below an eGFR of 30 [1]. Its dose is reviewed below 45 [2].

More: https://kidney.example/metformin, https://www.leaflet.example/a/?id=3 and PMID 123456.

References
1. Smith J, Jones A. {TITLE}. Renal Notes. 2019;3:1-9. https://doi.org/{DOI}
2. Doe K. Dosing of biguanides by renal function: a survey. Dose Notes. 2021;4:10-12. doi:10.1000/dose.2021.4
"""


def html(head: str = "", before: str = "") -> bytes:
    return f"<!DOCTYPE html>{before}<html><head>{head}</head><body><p>{TEXT}</p></body></html>".encode()


def mhtml(address: str) -> bytes:
    page = html("<title>A leaflet</title>").decode().replace("=", "=3D")
    return (
        f"From: <Saved by Blink>\r\nSnapshot-Content-Location: {address}\r\nMIME-Version: 1.0\r\n"
        'Content-Type: multipart/related;\r\n\ttype="text/html";\r\n\tboundary="--b--"\r\n\r\n'
        "----b--\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n"
        f"{page}\r\n----b--\r\nContent-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n\r\niVBORw0=\r\n"
        "----b----\r\n"
    ).encode()


def pdf(*lines: str, title: str = "", subject: str = "") -> bytes:
    made = io.BytesIO()
    canvas = Canvas(made)
    canvas.setTitle(title or "untitled")
    canvas.setSubject(subject)
    for number, line in enumerate((*lines, *[TEXT[:80]] * 20)):
        canvas.drawString(60, 780 - 20 * number, line)
    canvas.save()
    return made.getvalue()


@pytest.fixture
def study(study: Study, tmp_path: Path) -> Study:
    answers = tmp_path / "answers.jsonl"
    answers.write_text(
        json.dumps({"question": "When is metformin stopped?", "response": RESPONSE, "model": "m"}) + "\n"
    )
    pipeline.bring_in(study, answers, {})
    pipeline.find_references(study)
    return study


def folder(tmp_path: Path, **files: bytes) -> Path:
    place = tmp_path / "saved"
    place.mkdir(exist_ok=True)
    for name, body in files.items():
        place.joinpath(name.replace("__", ".")).write_bytes(body)
    return place


KIDNEY = "https://kidney.example/metformin"
LEAFLET = "https://www.leaflet.example/a/?id=3"
PUBMED = "https://pubmed.ncbi.nlm.nih.gov/123456/"
OF_DOI = f"https://doi.org/{DOI}"
SAVED = "the address that it was saved from"
SINGLE_FILE = f"<!--\n Page saved with SingleFile \n url: {KIDNEY} \n saved date: Mon Jan 01 2024\n-->"


def canonical(address: str) -> str:
    return f'<link rel="canonical" href="{address}">'


@pytest.mark.parametrize(
    ("name", "body", "source", "by"),
    [
        ("a__html", html(canonical(f"{KIDNEY}/")), KIDNEY, "its canonical link"),
        ("a__html", html(canonical(PUBMED)), PUBMED, "its canonical link"),
        ("a__htm", html(f'<meta property="og:url" content="{KIDNEY}#top">'), KIDNEY, "its og:url"),
        ("a__html", html(before=f"\n<!-- saved from url=(0036){KIDNEY} -->\n"), KIDNEY, SAVED),
        ("a__html", html(before=SINGLE_FILE), KIDNEY, SAVED),
        ("a__mhtml", mhtml(LEAFLET), LEAFLET, SAVED),
        ("a__txt", f"URL: {KIDNEY}\n\n{TEXT}".encode(), KIDNEY, "the address in its first lines"),
    ],
)
def test_a_file_is_matched_by_its_address(study: Study, tmp_path, name, body, source, by) -> None:
    found = MatchedFolder(folder(tmp_path, **{name: body}), SourceWorks.of(study.reader))
    (match,) = found.matches
    assert (match.source, match.by) == (source, by)
    assert (found.get(source).status, found.get(source).state) == (200, None)


@pytest.mark.parametrize(
    ("name", "body", "source", "by"),
    [
        (
            "a__html",
            html(f'<meta name="citation_doi" content="doi:{DOI.upper()}">'),
            OF_DOI,
            f"the DOI in its tags, {DOI}",
        ),
        ("a__html", html('<meta name="citation_pmid" content="123456">'), PUBMED, "the PMID in its tags, 123456"),
        ("a__pdf", pdf(subject=f"Renal Notes 2019, doi:{DOI}"), OF_DOI, f"the DOI in its metadata, {DOI}"),
        ("a__pdf", pdf("Renal Notes", OF_DOI), OF_DOI, f"the DOI on its first page, {DOI}"),
        ("a__pdf", pdf("Renal Notes 2019", title=TITLE), OF_DOI, "its title"),
        ("a__pdf", pdf("Renal Notes 2019", TITLE, "J. Smith"), OF_DOI, "its title at the beginning of the text"),
        ("a__html", html(f"<title>{TITLE} | Renal Notes</title>"), OF_DOI, "its title"),
    ],
)
def test_or_by_its_identifier_or_title_and_then_nobody_has_asked_the_address(
    study: Study, tmp_path, name, body, source, by
) -> None:
    found = MatchedFolder(folder(tmp_path, **{name: body}), SourceWorks.of(study.reader))
    (match,) = found.matches
    assert (match.source, match.by) == (source, by)
    assert (found.get(source).status, found.get(source).state) == (None, "given_by_reviewer")


@pytest.mark.parametrize(
    "body",
    [
        html("<title>Something else</title>"),
        html('<link rel="canonical" href="/metformin"><meta property="og:url" content="javascript:alert(1)">'),
        html(f"<title>{TITLE} in children</title>"),
        html("<title>Stopping metformin</title>"),
        pdf("A review", "It discusses 10.1000/renal.2019.7 and 10.1000/dose.2021.4."),
        b"",
        b"%PDF-1.7 broken",
        b"\xff\xfe\x00<html>",
    ],
)
def test_what_says_nothing_or_too_much_is_matched_to_nothing(study: Study, tmp_path, body) -> None:
    (match,) = MatchedFolder(folder(tmp_path, a__html=body), SourceWorks.of(study.reader)).matches
    assert (match.source, match.why) == ("", "nothing in it names a cited source")


def test_the_pages_become_snapshots_and_the_summary_names_every_file(study: Study, tmp_path: Path) -> None:
    place = folder(
        tmp_path,
        a__html=html(canonical(KIDNEY)),
        b__pdf=pdf(title="By a DOI", subject=f"doi:{DOI}"),
        c__html=html(canonical(KIDNEY)),
        d__html=html("<title>Nothing of this study</title>"),
        e__pdf=b"%PDF-1.4 broken",
        f__png=b"\x89PNG",
    )
    (place / "page_files").mkdir()
    (place / "page_files" / "frame.html").write_bytes(html(canonical(LEAFLET)))
    (place / "more").mkdir()
    (place / "more" / "g.mht").write_bytes(mhtml(LEAFLET))

    done = pipeline.fetch(study, pipeline.PageProvider(place))
    assert done.states == {"ok": 2, "given_by_reviewer": 1}
    assert done.missing == 2
    assert done.note.split("\n") == [
        "3 saved files matched:",
        "  a.html: page of https://kidney.example/metformin, by its canonical link",
        f"  b.pdf: page of https://doi.org/{DOI}, by the DOI in its metadata, {DOI}",
        "  more/g.mht: page of https://www.leaflet.example/a/?id=3, by the address that it was saved from",
        "3 saved files not used:",
        "  c.html: a.html is the page of https://kidney.example/metformin, too; not used",
        "  d.html: nothing in it names a cited source; not used",
        "  e.pdf: nothing in it names a cited source; not used",
        "1 other file in the folder not looked into.",
    ]
    query = """SELECT u.url, p.page_state, n.valid, n.readable, instr(p.text, 'eGFR falls below 30') > 0 AS said,
                      p.state_evidence
               FROM source AS u JOIN snapshot_current AS p USING (source_id)
               JOIN snapshot_content AS n USING (snapshot_id)"""
    stored = {row.pop("url"): tuple(row.values()) for row in rows_of(study, query)}
    assert stored[KIDNEY] == ("ok", 1, 1, 1, "")
    assert stored[LEAFLET] == ("ok", 1, 1, 1, "")
    said = f"The page is the saved file b.pdf, by the DOI in its metadata, {DOI}; the address was not asked."
    assert stored[OF_DOI][:3] == ("given_by_reviewer", None, 1)
    assert stored[OF_DOI][4].startswith(said)
    assert check(study.reader) == []
    assert pipeline.fetch(study, pipeline.PageProvider(place)).states == {}


def test_a_file_that_leads_out_of_the_folder_or_is_too_large_is_not_read(study: Study, tmp_path: Path) -> None:
    outside = tmp_path / "secret.html"
    outside.write_bytes(html(canonical(KIDNEY)))
    place = folder(tmp_path, a__txt=b"x" * 15_000_001)
    (place / "link.html").symlink_to(outside)

    found = MatchedFolder(place, SourceWorks.of(study.reader))
    assert [match.words for match in found.matches] == ["a.txt: it is larger than 15 MB; not used"]
    assert found.note.endswith("1 other file in the folder not looked into.")


def test_a_folder_with_nothing_to_match_says_what_it_lacks(study: Study, tmp_path: Path) -> None:
    with pytest.raises(
        UserError, match=r"has no manifest\.jsonl, .* and no saved page that could be matched without one"
    ):
        pipeline.fetch(study, pipeline.PageProvider(folder(tmp_path, a__png=b"x")))
    with pytest.raises(UserError, match="There is no folder"):
        pipeline.fetch(study, pipeline.PageProvider(tmp_path / "none"))


def test_whatever_is_cut_or_damaged_names_nothing_wrong() -> None:
    for whole in (
        mhtml("https://a.example/x"),
        html('<meta name="citation_doi" content="10.1000/x.1">'),
        pdf(title=TITLE),
    ):
        for end in range(0, len(whole), max(1, len(whole) // 60)):
            for damaged in (whole[:end], whole[:end] + b"\x00\xff<" + whole[end + 3 :]):
                names = own_names(damaged).names
                assert all(name.value.startswith(("https://a.example/x", "10.1000/x")) for name in names)


def test_on_the_command_line(study: Study, tmp_path: Path) -> None:
    place = folder(tmp_path, a__html=html(canonical(KIDNEY)))
    answers = tmp_path / "answers.jsonl"
    done = in_process(["run", "n.medreview", str(answers), "--pages", str(place)], tmp_path, {})
    assert "a.html: page of https://kidney.example/metformin, by its canonical link" in done.stderr
    assert "1 page fetched: 1 ok; 4 not among the saved pages" in done.stdout
