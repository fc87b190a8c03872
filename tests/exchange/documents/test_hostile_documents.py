"""Hostile documents: each is read, refused in one sentence, or read in part; never a traceback, and never for long."""

import random
import zipfile
from collections.abc import Callable
from contextlib import suppress
from io import BytesIO
from pathlib import Path

import pytest

from medreview.errors import UserError
from medreview.exchange.documents.reading import answer_document
from medreview.exchange.imports.document_files import container_of
from medreview.exchange.imports.file_rows import NamedRow
from medreview.exchange.imports.open_rows import open_rows
from tests.support.mutated_files import mutated
from tests.support.office_files import open_document, paragraph, rows, run, saved_page, word, workbook, zipped
from tests.support.read_answers import rows_in

Write = Callable[[str, str | bytes], Path]

DECLARED = (
    "<?xml version='1.0'?><!DOCTYPE w [{}]><w:document xmlns:w='urn:w'><w:body><w:p><w:r><w:t>{}</w:t></w:r></w:p>{}"
)
LAUGHS = "".join(f"<!ENTITY a{n} '{f'&a{n - 1};' * 10}'>" for n in range(1, 12))
MAIL = b"From: a\r\nContent-Type: multipart/related; boundary=b\r\n\r\n--b\r\n\r\nx\r\n--b--"
FIELD = b'{\\field{\\*\\fldinst HYPERLINK "https://a.example"}'
OPENED = '<w:r><w:fldChar w:fldCharType="begin"/></w:r>'
FAR = rows(("answer", "x"), ("Given.", "y")).replace('r="B2"', 'r="XFD9999999"')
TABLES = "<w:tbl><w:tr><w:tc>" * 60 + paragraph(run("Deep.")) + "</w:tc></w:tr></w:tbl>" * 60
LOCKED = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600


CELL = "<table:table-row><table:table-cell><text:p>{}</text:p></table:table-cell></table:table-row>"


def _document(xml: str | bytes) -> bytes:
    return zipped({"word/document.xml": xml})


def _sheet_of_empty_cells() -> bytes:
    cell = '<table:table-cell table:number-columns-repeated="99999999"><text:p>x</text:p></table:table-cell>'
    return open_document(
        "spreadsheet",
        "<table:table><table:table-row><table:table-cell><text:p>answer</text:p></table:table-cell></table:table-row>"
        + f'<table:table-row table:number-rows-repeated="9999999">{cell}</table:table-row>' * 50
        + "</table:table>",
    )


@pytest.mark.parametrize(
    ("body", "words"),
    [
        pytest.param(lambda: _document(b"<a>" + b" " * 400_000_000), "unpacks to more than is read", id="bomb"),
        pytest.param(lambda: zipped({f"word/{n}.xml": b"" for n in range(60_000)}), "has 60,000 parts", id="parts"),
        pytest.param(lambda: workbook({f"S{n}": "" for n in range(10_000)}), "has 10,000 sheets", id="sheets"),
        pytest.param(lambda: open_document("spreadsheet", "<table:table/>" * 300), "has 300 sheets", id="open-sheets"),
        pytest.param(lambda: workbook({"S": rows(("1", "2"), ("3", "4"))}), "no sheet with a row", id="numbers"),
        pytest.param(lambda: word(paragraph(run("Given.")))[:400], "is a damaged zip file", id="cut"),
        pytest.param(lambda: zipped({"a.txt": b"x"}), "is a zip file", id="zip"),
        pytest.param(lambda: zipped({"ppt/1.xml": b"x", "[Content_Types].xml": b"x"}), "no Word, Excel", id="slides"),
        pytest.param(lambda: LOCKED, "with a password", id="locked"),
        pytest.param(lambda: b"{\\rtf1 " + b"{" * 100_000, "nested too deeply", id="braces"),
        pytest.param(lambda: b"%PDF-1.7\n" + b"x" * 100, "damaged PDF", id="pdf"),
        pytest.param(lambda: word(""), "holds no text that can be read", id="empty"),
        pytest.param(lambda: MAIL, "without a page", id="mail"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused_in_one_sentence(write: Write, body: Callable[[], bytes], words: str):
    path = write("a.docx", body())

    with pytest.raises(UserError, match=words) as refused:
        open_rows(path)

    assert str(path) in str(refused.value)
    assert "\n" not in str(refused.value)


def test_entities_are_not_expanded_and_files_that_they_name_not_read(write: Write, tmp_path: Path):
    secret = tmp_path / "secret.txt"
    secret.write_text("the secret")
    declared = f"<!ENTITY a0 'ha'>{LAUGHS}<!ENTITY s SYSTEM 'file://{secret}'>"
    xml = DECLARED.format(declared, "Given &s; daily &a11;.", "</w:body></w:document>")

    [row] = rows_in(write("a.docx", _document(xml)))

    assert row.values["response"].startswith("Given")
    assert "the secret" not in row.values["response"]
    assert len(row.values["response"]) < 100


def test_macros_and_embedded_files_are_no_part_of_the_text(write: Write):
    more: dict[str, str | bytes] = {
        "word/vbaProject.bin": b"\xd0\xcf" * 100,
        "word/embeddings/a.bin": b"x",
        "word/settings.xml": "<a",
    }

    [row] = rows_in(write("a.docm", word(paragraph(run("Aspirin is given.")), more=more)))

    assert row.values["response"] == "Aspirin is given."


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(_sheet_of_empty_cells, id="repeated"),
        pytest.param(lambda: word("<w:sdt>" * 200 + paragraph(run("Deep.")) + "</w:sdt>" * 200), id="nested"),
        pytest.param(lambda: word("<w:sdt>" * 50_000 + paragraph(run("Deep."))), id="nested-far"),
        pytest.param(lambda: word(TABLES), id="tables"),
        pytest.param(lambda: word(paragraph(run("Given.") + OPENED * 5_000)), id="fields"),
        pytest.param(lambda: b"<!DOCTYPE html><html><body>" + b"<div>" * 60_000 + b"Deep is given daily.", id="divs"),
        pytest.param(lambda: b"<!DOCTYPE html><ol>" + b"<li><a href='https://a.example'>x" * 20_000, id="links"),
        pytest.param(lambda: saved_page("<html><body><p>Aspirin is given.", "https://" + "a" * 50_000), id="address"),
        pytest.param(lambda: b"{\\rtf1 " + FIELD * 900 + b"Given.", id="fields-in-fields"),
        pytest.param(lambda: workbook({"S": FAR}), id="far-cell"),
    ],
)  # fmt: skip
def test_what_is_odd_is_read_as_far_as_it_goes_or_refused(write: Write, body: Callable[[], bytes]):
    found: list[object] = []
    with suppress(UserError):
        found += open_rows(write("a.bin", body()))[0]

    assert all(isinstance(row, NamedRow) for row in found)


def samples() -> dict[str, bytes]:
    from tests.exchange.documents.test_pdf_and_rtf import RICH, printed
    from tests.exchange.documents.test_saved_pages import CONVERSATION

    link = '<w:hyperlink r:id="r1"><w:r><w:t>ESC</w:t></w:r></w:hyperlink>'
    asked = paragraph(run("Given?"), "berschrift1")
    cells = CELL.format("answer") + CELL.format("Aspirin.")
    return {
        "word": word(asked + paragraph(run("Aspirin. ") + link, numbered=(2, 0)), {"r1": "https://a.example"}),
        "excel": workbook({"S": rows(("question", "answer"), ("Given?", "Aspirin."))}, ("a",), ("0.0%",)),
        "open": open_document("spreadsheet", f"<table:table>{cells}</table:table>"),
        "rtf": RICH,
        "html": CONVERSATION.encode(),
        "mhtml": saved_page(CONVERSATION, "https://a.example/1"),
        "pdf": printed([["Is it given?", "Aspirin is given."]], [(0, 1, "Aspirin", "https://a.example")]),
    }  # fmt: skip


@pytest.mark.parametrize("kind", ["word", "excel", "open", "rtf", "html", "mhtml", "pdf"])
def test_mutated_documents_are_read_or_refused(kind: str):
    body = samples()[kind]
    container = container_of(body[:8192])

    outcomes = set()
    for seed in range(40):
        # In this process, so that an exception is one: the child would only tell its name.
        parts = list(answer_document({"container": container}, mutated(body, random.Random(seed))))
        outcomes.add("refused" in parts[0])

    assert outcomes == {True, False}


def test_a_part_that_is_longer_than_it_says_is_refused(write: Write):
    body = bytearray(_document("<a>" + "x" * 1_000 + "</a>"))
    with zipfile.ZipFile(BytesIO(bytes(body))) as file:
        assert file.namelist() == ["word/document.xml"]
    directory = bytes(body).index(b"PK\x01\x02")
    body[directory + 24 : directory + 28] = (10).to_bytes(4, "little")

    with pytest.raises(UserError, match=r"is damaged|holds no"):
        open_rows(write("a.docx", bytes(body)))
