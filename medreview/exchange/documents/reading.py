"""What a child does with a document: tells its kind, reads it, and answers with a text or with rows."""

import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, Final

from medreview.exchange.documents.result import Read, RefusedError
from medreview.exchange.documents.zip_parts import Parts
from medreview.exchange.imports.file_rows import BadRecord, NamedRow

_TOGETHER: Final = 200
"""Rows in one part of an answer."""
LONGEST: Final = 50_000_000
"""Characters of one text."""
_WEB: Final = re.compile(r"https?://", re.IGNORECASE)
_LONGEST_QUESTION: Final = 600
_LINES_OF_A_QUESTION: Final = 4
_WRAPPED: Final = 40
"""Characters of a line from which on a question may go on from it; a shorter one is a title or a name."""


def answer_document(wanted: dict[str, Any], body: bytes) -> Iterator[dict[str, Any]]:
    """What a child answers: the kind, the text and what is cited, then rows; or why it is not read."""
    try:
        read = _READERS[wanted["container"]](body)
        if read.text is not None and not read.text.strip():
            raise RefusedError("holds no text that can be read")
        if read.text is None and not read.rows:
            raise RefusedError("holds no answer that can be read")
        if len(read.text or "") > LONGEST:
            raise RefusedError(f"holds more than {LONGEST:,} characters")
    except RefusedError as error:
        yield {"refused": str(error)}
        return
    text = None if read.text is None else with_question(_clean(read.text))
    yield {
        "kind": read.kind,
        "text": text,
        "citations": list(read.citations),
        "notes": [f"read as {read.kind}", *read.notes],
    }
    rows = iter(read.rows)
    while part := list(islice(rows, _TOGETHER)):
        good = [[row.line, _clean_row(row)] for row in part if isinstance(row, NamedRow)]
        yield {"rows": good, "bad": [[row.line, row.reason] for row in part if isinstance(row, BadRecord)]}


def with_question(text: str) -> str:
    """The text with its first heading, of whatever level, or its first paragraph if that asks something, as its
    question."""
    text = text.strip("\n")
    first, _, rest = text.partition("\n")
    if first.startswith("##") and rest.strip():
        return f"# {first.strip('# ')}\n{rest}"
    if first.startswith(("#", "|", "-", "=")) or first.strip("* ").casefold().startswith("question"):
        return text
    lines = text.split("\n", _LINES_OF_A_QUESTION)
    for number, line in enumerate(lines[:_LINES_OF_A_QUESTION], 1):
        if not line.strip():
            break
        if line.rstrip("*_ \t").endswith("?"):
            start = number - 1
            while start and (len(lines[start - 1]) >= _WRAPPED or lines[start][:1].islower()):
                start -= 1
            asked = " ".join(" ".join(lines[start:number]).strip("*_ \t").split())
            below = "\n".join([*lines[:start], *lines[number:]])
            return f"Question: {asked}\n{below}" if below.strip() and len(asked) <= _LONGEST_QUESTION else text
    return text


_DROPPED: Final = {0: None, 0xAD: None, 0xFEFF: None, 0x200B: None}


def _clean(text: str) -> str:
    """A text without what cannot be stored, and without the marks of a soft hyphen or a joiner."""
    return text.translate(_DROPPED).encode("utf-8", "replace").decode("utf-8")


def _clean_row(row: NamedRow) -> dict[str, Any]:
    return {name: _clean(value) if isinstance(value, str) else value for name, value in row.values.items()}


def _read_zip(body: bytes) -> Read:
    parts = Parts(body)
    if "word/document.xml" in parts.names:
        from medreview.exchange.documents.word import read_word

        word = read_word(parts)
        return word._replace(notes=(*word.notes, *dict.fromkeys(parts.cut)))
    if "xl/workbook.xml" in parts.names:
        from medreview.exchange.documents.sheets import read_workbook, rows_of

        rows, notes = rows_of(read_workbook(parts))
        return Read("Excel workbook", rows=rows, notes=(*notes, *dict.fromkeys(parts.cut)))
    kind = parts.data("mimetype")[:100].decode("ascii", "replace")
    if kind.startswith("application/vnd.oasis.opendocument.spreadsheet"):
        from medreview.exchange.documents.open_document import read_open_sheet
        from medreview.exchange.documents.sheets import rows_of

        rows, notes = rows_of(read_open_sheet(parts))
        return Read("OpenDocument spreadsheet", rows=rows, notes=(*notes, *dict.fromkeys(parts.cut)))
    if kind.startswith("application/vnd.oasis.opendocument.text"):
        from medreview.exchange.documents.open_document import read_open_text

        return Read("OpenDocument text", read_open_text(parts), notes=tuple(dict.fromkeys(parts.cut)))
    raise RefusedError("is a zip file, and no Word, Excel or OpenDocument file; unpack it and import what is in it")


def _read_pdf(body: bytes) -> Read:
    from medreview.exchange.documents.pdf import read_pdf_answer

    return read_pdf_answer(body)


def _read_page(body: bytes) -> Read:
    from medreview.exchange.documents.web_page import read_page

    return read_page(body)


def _read_saved(body: bytes) -> Read:
    from medreview.exchange.documents.web_page import read_page
    from medreview.sources.reading.charset import page_in

    try:
        saved = page_in(body)
    except (ValueError, LookupError, AttributeError, TypeError) as error:  # of the parser of mail, for a damaged file
        raise RefusedError("is a damaged archive of a web page; save the page again") from error
    if saved is None or not saved.body.strip():
        raise RefusedError("is an archive of a web page without a page in it; save the page again")
    return read_page(saved.body, saved.content_type, next(filter(_WEB.match, saved.addresses), ""))


def _read_rtf(body: bytes) -> Read:
    from medreview.exchange.documents.rich_text import read_rich_text

    return Read("RTF document", read_rich_text(body))


_READERS: Final[dict[str, Callable[[bytes], Read]]] = {
    "zip": _read_zip, "pdf": _read_pdf, "html": _read_page, "mhtml": _read_saved, "rtf": _read_rtf,
}  # fmt: skip
