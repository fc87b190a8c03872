"""Workbooks: the sheet and its header are found, values are as they are shown, links are kept."""

from collections.abc import Callable
from pathlib import Path

import pytest

from medreview.exchange.imports.answer_records import AnswerRecord, read_records
from medreview.exchange.imports.file_rows import NamedRow
from medreview.exchange.imports.open_rows import notes_on
from tests.support.office_files import open_document, rows, workbook
from tests.support.read_answers import rows_in

Write = Callable[[str, str | bytes], Path]


def test_the_sheet_with_the_answers_is_read_from_its_header_on(write: Write):
    sheets = {
        "About": rows(("These answers", ""), ("were", "collected")),
        "Answers": rows(
            ("Pilot study", ""),
            (),
            ("Question", "Model answer", "Answer"),
            ("A?", "x", "Give 5 mg."),
            (),
            ("B?", "y", "Stop it."),
        ),
        "Codes": rows(("code", "meaning"), ("1", "good")),
    }
    path = write("a.xlsx", workbook(sheets))

    found = rows_in(path)

    assert [(row.line, row.values["Question"], row.values["Answer"]) for row in found] == [
        (4, "A?", "Give 5 mg."),
        (6, "B?", "Stop it."),
    ]
    assert notes_on(path) == [
        "read as Excel workbook",
        "sheet 'Answers', columns named in row 3",
        "not read: sheet 'About', sheet 'Codes'; save one as a file of its own to import it",
    ]


def test_values_are_as_the_sheet_shows_them(write: Write):
    cell = '<c r="{}" s="{}"><v>{}</v></c>'.format
    sheet = (
        '<sheetData><row r="1">'
        + "".join(f'<c r="{letter}1" t="s"><v>{n}</v></c>' for n, letter in enumerate("ABCDEFG"))
        + '</row><row r="2"><c r="A2" t="s"><v>7</v></c>' + cell("B2", 0, "0.30000000000000004")
        + cell("C2", 1, "45352") + cell("D2", 2, "0.256") + cell("E2", 3, "45352.604166666664")
        + '<c r="F2" t="b"><v>1</v></c>' + cell("G2", 4, "7.5") + "</row></sheetData>"
    )  # fmt: skip
    shared = ("answer", "plain", "day", "share", "moment", "yes", "two", "It is given.")
    path = write("a.xlsx", workbook({"S": sheet}, shared, ("dd\\.mm\\.yyyy", "0.0%", "d/m/yy h:mm", "0.00")))

    [row] = rows_in(path)

    assert dict(row.values) == {
        "answer": "It is given.", "plain": "0.3", "day": "2024-03-01", "share": "25.6%", "moment": "2024-03-01 14:30",
        "yes": "TRUE", "two": "7.50",
    }  # fmt: skip


def test_links_of_cells_are_kept(write: Write):
    told = '<c r="B3" t="str"><f>HYPERLINK("https://esc.example/b","ESC")</f><v></v></c></row>'
    texts = rows(("answer", "citations"), ("Give it.", "NICE"), ("Stop it.", ""))
    sheet = texts.replace("</row></sheetData>", f"{told}</sheetData>")
    sheet += '<hyperlinks><hyperlink ref="B2" r:id="h1"/></hyperlinks>'

    records = list(read_records(write("a.xlsx", workbook({"S": sheet}, links={"h1": "https://nice.example/a"}))))

    assert [record.citations for record in records if isinstance(record, AnswerRecord)] == [
        ("[NICE](https://nice.example/a)",),
        ("[ESC](https://esc.example/b)",),
    ]


def test_columns_without_a_name_or_with_the_same_one_are_kept_apart(write: Write):
    [row] = rows_in(
        write("a.xlsx", workbook({"S": rows(("answer", "", "note", "Note "), ("Give it.", "x", "1", "2"))}))
    )

    assert dict(row.values) == {"answer": "Give it.", "B": "x", "note": "1", "Note (2)": "2"}


def test_an_open_document_spreadsheet_is_read_the_same_way(write: Write):
    cell = "<table:table-cell{}><text:p>{}</text:p></table:table-cell>".format
    body = (
        '<table:table table:name="Answers"><table:table-row table:number-rows-repeated="2">'
        '<table:table-cell table:number-columns-repeated="1024"/></table:table-row><table:table-row>'
        + cell("", "question") + cell("", "response") + "</table:table-row><table:table-row>"
        + cell("", "A?") + cell("", 'Give it <text:a xlink:href="https://esc.example/a">ESC</text:a>.')
        + '</table:table-row><table:table-row table:number-rows-repeated="1048000"><table:table-cell/>'
        "</table:table-row></table:table>"
    )  # fmt: skip
    path = write("a.ods", open_document("spreadsheet", body))

    [row] = rows_in(path)

    assert row == NamedRow(4, {"question": "A?", "response": "Give it [ESC](https://esc.example/a)."})


@pytest.mark.parametrize("name", ["answers.csv", "answers.txt", "answers"])
def test_tables_as_excel_saves_them_are_read(write: Write, name: str):
    table = "question;answer\r\nWas hilft?;Säurehemmer für 8 Wochen – „20 mg“\r\n"
    for encoding, note in (("cp1252", "read as Windows-1252"), ("utf-16", "read as UTF-16"), ("utf-8-sig", "")):
        path = write(name, table.encode(encoding))
        [row] = rows_in(path)
        assert row.values["answer"] == "Säurehemmer für 8 Wochen – „20 mg“"
        assert notes_on(path) == [note] * bool(note)
