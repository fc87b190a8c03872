"""Word documents as Markdown: what stands in the text is there, in its place, with its links."""

from collections.abc import Callable
from pathlib import Path

from medreview.exchange.imports.answer_records import AnswerRecord, import_responses, read_records
from medreview.exchange.imports.open_rows import notes_on
from medreview.study import Study
from tests.support.office_files import field, footnotes, hyperlink, paragraph, run, word
from tests.support.read_answers import rows_in

Write = Callable[[str, str | bytes], Path]


def text_of(path: Path) -> str:
    [row] = rows_in(path)
    return row.values["response"]


def test_headings_lists_tables_and_links_are_markdown_in_their_places(write: Write):
    body = (
        paragraph(run("Is metformin safe at an eGFR of 25?"), "berschrift1")
        + paragraph(run("No. It is ") + run("contraindicated", "<w:b/>") + run(" below 30 mL/min/1.73 m") +
                    run("2", '<w:vertAlign w:val="superscript"/>') + run(" ") + hyperlink("FDA 2016", "r1") + run("."))
        + paragraph(run("Dose"), "Mine")
        + paragraph(run("Halve it below 45."), "Aufzhlung")
        + paragraph(run("Check every 3 months."), numbered=(1, 1))
        + paragraph(run("Stop it."), numbered=(2, 0))
        + paragraph(run("Measure lactate."), numbered=(2, 0))
        + paragraph(run("In blood."), numbered=(2, 1))
        + paragraph(run("Begin anew."), numbered=(3, 0))
        + "<w:tbl><w:tr><w:tc>" + paragraph(run("eGFR")) + "</w:tc><w:tc>" + paragraph(run("Dose")) + "</w:tc></w:tr>"
        "<w:tr><w:tc>" + paragraph(run("30-45")) + "</w:tc><w:tc>" + paragraph(run("1 g | day"))
        + "</w:tc></w:tr></w:tbl>"
        + paragraph(run("References"), "berschrift2")
        + paragraph(run("Smith J. ") + field(' HYPERLINK "https://doi.org/10.5555/abc" ', run("https://doi.org/10.5555/abc")),
                    numbered=(4, 0))
    )  # fmt: skip
    path = write("answer.bin", word(body, {"r1": "https://www.fda.gov/a b (c)"}))

    [row] = rows_in(path)

    assert row.values["question"] == "Is metformin safe at an eGFR of 25?"
    assert row.values["response"] == (
        "No. It is contraindicated below 30 mL/min/1.73 m² [FDA 2016](https://www.fda.gov/a%20b%20(c)).\n\n"
        "## Dose\n\n"
        "- Halve it below 45.\n  - Check every 3 months.\n"
        "1. Stop it.\n2. Measure lactate.\n  a) In blood.\n1. Begin anew.\n\n"
        "| eGFR | Dose |\n| --- | --- |\n| 30-45 | 1 g \\| day |\n\n"
        "## References\n\n[1] Smith J. https://doi.org/10.5555/abc"
    )


def test_notes_are_marked_in_the_text_and_listed_after_it(write: Write):
    note = '<w:r><w:{0}Reference w:id="{1}"/></w:r>'.format
    body = paragraph(run("Aspirin is given.") + note("footnote", 1) + run(" It is stopped.") + note("endnote", 1))
    parts = {
        "word/footnotes.xml": footnotes([run("ESC 2018, ") + hyperlink("here", "f1")]),
        "word/endnotes.xml": footnotes([run("NICE NG185.")], "endnote"),
        "word/_rels/footnotes.xml.rels": '<Relationships><Relationship Id="f1" TargetMode="External" '
        'Target="https://doi.org/10.5555/esc"/></Relationships>',
    }

    text = text_of(write("a.docx", word(body, more=parts)))

    assert text == (
        "Aspirin is given.[^1] It is stopped.[^2]\n\n"
        "[^1]: ESC 2018, [here](https://doi.org/10.5555/esc)\n[^2]: NICE NG185."
    )


def test_notes_do_not_take_the_numbers_of_the_text(write: Write):
    body = paragraph(run("Aspirin is given [1].") + '<w:r><w:footnoteReference w:id="1"/></w:r>')

    text = text_of(write("a.docx", word(body, more={"word/footnotes.xml": footnotes([run("A note.")])})))

    assert text == "Aspirin is given [1].[^2]\n\n[^2]: A note."


def test_what_is_deleted_hidden_or_no_text_is_left_out(write: Write):
    body = (
        paragraph(run("Contents 1"), "TOC1")
        + paragraph(
            run("Given ")
            + f"<w:del>{run('never ')}</w:del><w:ins>{run('daily')}</w:ins>"
            + run(" secret", "<w:vanish/>")
        )
        + '<w:p><mc:AlternateContent xmlns:mc="urn:mc"><mc:Choice><w:r><w:drawing><w:txbxContent>'
        + paragraph(run("In a box."))
        + "</w:txbxContent></w:drawing></w:r></mc:Choice><mc:Fallback><w:txbxContent>"
        + paragraph(run("In a box."))
        + "</w:txbxContent></mc:Fallback></mc:AlternateContent></w:p>"
        + paragraph(field(" PAGEREF _x ", run("7")) + field(r' HYPERLINK \l "local" ', run(" see below")))
    )

    assert text_of(write("a.docx", word(body))) == "Given daily\n\nIn a box.\n\n7 see below"


def test_a_line_that_asks_is_the_question(write: Write):
    named = paragraph(run("Report for the board"), "Titel") + paragraph(run("Question: What is given?"))
    asking = paragraph(run("What is given?"))
    for before in (named, asking):
        [row] = rows_in(write("a.docx", word(before + paragraph(run("Aspirin is given.")))))
        assert row.values == {"question": "What is given?", "response": "Aspirin is given."}


def test_a_table_of_answers_is_one_record_a_row(write: Write):
    row = "<w:tr><w:tc>{}</w:tc><w:tc>{}</w:tc></w:tr>".format
    table = row(paragraph(run("Question")), paragraph(run("Answer")))
    for question, answer in (("What is given?", "Aspirin is given."), ("What is stopped?", "Metformin is stopped.")):
        table += row(paragraph(run(question)), paragraph(run(answer + " ") + hyperlink("ESC", "r1")))
    path = write("a.docx", word(paragraph(run("Pilot")) + f"<w:tbl>{table}</w:tbl>", {"r1": "https://esc.example/a"}))

    assert [dict(one.values) for one in rows_in(path)] == [
        {"Question": "What is given?", "Answer": "Aspirin is given. [ESC](https://esc.example/a)"},
        {"Question": "What is stopped?", "Answer": "Metformin is stopped. [ESC](https://esc.example/a)"},
    ]
    assert notes_on(path) == ["read as Word document", "table 1, columns named in row 1"]


def test_its_links_are_what_it_cites(write: Write, study: Study):
    path = write(
        "a.docx", word(paragraph(run("Aspirin is given ") + hyperlink("ESC", "r1")), {"r1": "https://esc.example/a"})
    )

    [record] = read_records(path)
    assert isinstance(record, AnswerRecord)
    assert notes_on(path) == ["read as Word document"]
    assert import_responses(study, path).added == 1
    assert import_responses(study, path).known == 1


def test_an_open_document_text_is_read_the_same_way(write: Write):
    from tests.support.office_files import open_document

    body = (
        '<text:h text:outline-level="2">What is given?</text:h>'
        '<text:p>Aspirin<text:s text:c="2"/>75 mg, <text:a xlink:href="https://esc.example/a">ESC</text:a>.'
        "<text:note><text:note-body><text:p>See NICE.</text:p></text:note-body></text:note></text:p>"
        '<text:list text:style-name="L"><text:list-item><text:p>Daily.</text:p><text:list><text:list-item>'
        "<text:p>At night.</text:p></text:list-item></text:list></text:list-item><text:list-item>"
        "<text:p>For life.</text:p></text:list-item></text:list>"
        "<text:tracked-changes><text:p>gone</text:p></text:tracked-changes>"
    )
    styles = '<text:list-style style:name="L"><text:list-level-style-number text:level="1"/></text:list-style>'

    [row] = rows_in(write("a.odt", open_document("text", body, styles)))

    assert row.values["question"] == "What is given?"
    assert row.values["response"] == (
        "Aspirin  75 mg, [ESC](https://esc.example/a).[^1]\n\n1. Daily.\n  - At night.\n2. For life.\n\n[^1]: See NICE."
    )
