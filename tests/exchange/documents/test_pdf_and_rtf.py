"""PDFs with their links, and RTF: what is printed is the text, what a printer adds is not."""

import io
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from medreview.errors import UserError
from medreview.exchange.imports.open_rows import open_rows
from tests.support.read_answers import rows_in

Write = Callable[[str, str | bytes], Path]


def printed(pages: Sequence[Sequence[str]], links: Sequence[tuple[int, int, str, str]] = ()) -> bytes:
    """A PDF of these lines; a link has its page, its line, the words in it and the address."""
    from reportlab.pdfgen.canvas import Canvas

    out = io.BytesIO()
    canvas = Canvas(out, invariant=True)
    for number, page in enumerate(pages):
        for at, line in enumerate(page):
            canvas.drawString(60, 780 - 16 * at, line)
        for of, at, words, address in links:
            if of == number:
                left = 60 + canvas.stringWidth(page[at][: page[at].index(words)])
                box = (left, 776 - 16 * at, left + canvas.stringWidth(words), 790 - 16 * at)
                canvas.linkURL(address, box)
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def test_links_stand_in_their_places_and_printers_lines_are_left_out(write: Write):
    first = [
        "11/29/2026, 3:45 PM Answer engine",
        "Is colchicine given in pericarditis?",
        "It halves recurrence, as the CORP trial showed in 240 patients over eighteen",
        "months. Another CORP trial followed, and the medi-",
        "cine is well tolerated. A third of those who take it for longer than three",
        "https://engine.example/ask/1 1/2",
    ]
    second = [
        "11/29/2026, 3:45 PM Answer engine",
        "months have diarrhoea [2].",
        "References",
        "1. Imazio M. N Engl J Med 2013. DOI",
        "2. ESC guideline 2015. DOI",
        "https://engine.example/ask/1 2/2",
    ]
    links = [
        (0, 3, "CORP trial", "https://doi.org/10.5555/corp2"),
        (1, 1, "[2]", "https://doi.org/10.5555/esc"),
        (1, 3, "DOI", "https://doi.org/10.5555/icap"),
        (1, 4, "DOI", "https://doi.org/10.5555/esc"),
    ]

    [row] = rows_in(write("a.txt", printed([first, second], links)))

    assert row.values["question"] == "Is colchicine given in pericarditis?"
    assert row.values["response"] == (
        "It halves recurrence, as the CORP trial showed in 240 patients over eighteen\n"
        "months. Another [CORP trial](https://doi.org/10.5555/corp2) followed, and the medicine is well tolerated. "
        "A third of those who take it for longer than three\n"
        "months have diarrhoea [[2]](https://doi.org/10.5555/esc).\n\n## References\n\n"
        "1. Imazio M. N Engl J Med 2013. [DOI](https://doi.org/10.5555/icap)\n"
        "2. ESC guideline 2015. [DOI](https://doi.org/10.5555/esc)"
    )


def test_addresses_that_a_line_end_parts_are_whole(write: Write):
    lines = [
        "Aspirin is given for secondary prevention after a heart attack in all adults [1, 2].",
        "References",
        "1. Roe A. Aspirin in adults of any age. J Test 2019. https://doi.org/10.5555/test-2019-",
        "004567",
        "2. Poe B. Aspirin and bleeding in trials. J Test 2021. https://journal.example/content/",
        "article/77.html",
        "3. Moe C. Short. https://c.example/x",
        "2020 edition, printed in Rome.",
    ]

    [row] = rows_in(write("a.pdf", printed([lines])))

    assert [line for line in row.values["response"].split("\n") if line[:1].isdecimal()] == [
        "1. Roe A. Aspirin in adults of any age. J Test 2019. https://doi.org/10.5555/test-2019-004567",
        "2. Poe B. Aspirin and bleeding in trials. J Test 2021. https://journal.example/content/article/77.html",
        "3. Moe C. Short. https://c.example/x",
        "2020 edition, printed in Rome.",
    ]


def test_a_link_whose_words_are_not_in_the_text_is_cited_beside_it(write: Write):
    from reportlab.pdfgen.canvas import Canvas

    out = io.BytesIO()
    canvas = Canvas(out)
    canvas.drawString(60, 780, "Aspirin is given for secondary prevention after a heart attack.")
    canvas.rect(60, 700, 40, 20)
    canvas.linkURL("https://esc.example/picture", (60, 700, 100, 720))
    canvas.linkURL("javascript:alert(1)", (60, 600, 100, 620))
    canvas.save()

    [row] = rows_in(write("a.pdf", out.getvalue()))

    assert row.values["citations"] == [{"url": "https://esc.example/picture"}]


def test_a_pdf_without_a_text_says_what_to_do(write: Write):
    from reportlab.pdfgen.canvas import Canvas

    out = io.BytesIO()
    canvas = Canvas(out)
    canvas.rect(60, 700, 40, 20)
    canvas.save()
    with pytest.raises(UserError, match="holds pictures of pages and no text"):
        open_rows(write("a.pdf", out.getvalue()))


RICH = rb"""{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fnil\fcharset0 Calibri;}{\f1\fnil\fcharset238 Arial CE;}}
{\*\generator Riched20;}{\info{\title no text}}{\header never}
\pard\b Question: Is warfarin safe in pregnancy?\b0\par
\pard No. It is contraindicated \u8212?\u-10179?\u-8693? caf\'e9 {\f1\'b9},
 {\field{\*\fldinst{HYPERLINK "https://nice.example/ng158"}}{\fldrslt{\ul NICE}}}.\par
\pard{\pntext\f0\'B7\tab}{\*\pn\pnlvlblt{\pntxtb\'B7}}Switch to heparin.\par
\pard{\listtext\f0 2.\tab}Check anti-Xa.{\v hidden}{\footnote \pard See ESC 2018.}\par
\pard 10{\super 9}/L\par
\trowd\cellx1\cellx2\pard\intbl Drug\cell Dose\cell\row\trowd\pard\intbl Heparin\cell 1 mg\par twice\cell\row
\pard{\pict 0102}The end.\par
}"""


def test_rtf_is_markdown_with_its_links_lists_tables_and_notes(write: Write):
    [row] = rows_in(write("a.doc", RICH))

    assert row.values == {
        "question": "Is warfarin safe in pregnancy?",
        "response": "No. It is contraindicated —😋 café ą, [NICE](https://nice.example/ng158).\n\n"
        "- Switch to heparin.\n2. Check anti-Xa.[^1]\n\n10⁹/L\n\n"
        "| Drug | Dose |\n| --- | --- |\n| Heparin | 1 mg twice |\n\nThe end.\n\n[^1]: See ESC 2018.",
    }
