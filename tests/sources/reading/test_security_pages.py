"""The security table of what pages hold: a threat, what is measured, and the bound that it has to stay within.

Made like ``test_security_table``. Each row that measures memory or time reads the page in a process of its own; the
bounds are several times what was measured, but for those that the design states (memory of a page's fetch, the limits
of the child that reads PDFs).
"""

import io
import re
import zipfile
from collections.abc import Callable
from functools import partial

import pytest
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

from medreview.children.asking import ReadingLimits
from medreview.sources.page import read_page
from medreview.visible import visible
from tests.sources.bombs import one_page_pdf, pdf, pdf_bomb
from tests.sources.security_lab import DOSE, PROSE, Lab, Probe, Row, Table
from tests.support.fetched import read as read_body
from tests.support.hostile_server import page

read = partial(read_body, content_type="text/html")
TABLE = Table()
ACTS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\U000e0001-\U000e007f]")
"""What acts on a terminal or turns the direction of a text."""


# What would act on the screen

ESCAPES = [
    *("\x1b[31m", "\x1b]52;c;AAAA\x07", "\x1b]0;title\x07", "\x1b[6n", "\x1bP+q\x1b\\", "\x1b]52;c;never ends"),
    *("\x9b31m", "\x9d52;c;AAAA\x9c", "\x08\x08\x08", "\x7f", "\u202egnp.exe\u202c", "\u2066x\u2069", "\u200f"),
]


@TABLE.row("characters that reach the screen and act on it", 0)
def escapes(lab: Lab) -> float:
    """terminal escapes, C1 controls, OSC 52, and marks that turn the direction"""
    texts = [
        PROSE % "".join(f"<p>Take {mark} with water.</p>" for mark in ESCAPES).encode(),
        DOSE + "".join(f"Take {mark} with water.\n" for mark in ESCAPES).encode(),
        PROSE % b"<p>Take &#27;[31m and &#x9b;31m and &#x202e; with water.</p>",
    ]
    acting = 0
    for body in texts:
        lab.server.scripts["/x"] = page(body, "Content-Type: text/html; charset=utf-8")
        got = read_page(lab.ask("/x")[0])
        assert "\x1b[31m" in got.text, "the text is stored as it is"
        assert "with water." in got.text.rpartition("Take")[2], "nothing of the text is swallowed"
        shown = visible(got.text) + visible(got.full_text) + visible(got.title)
        assert len(visible(got.text)) == len(got.text)
        acting += len(ACTS.findall(shown))
    return acting


# What is not what it says

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40


def _pdf_of_prose(**arguments: object) -> bytes:
    out = io.BytesIO()
    canvas = Canvas(out, **arguments)
    for line in range(12):
        canvas.drawString(50, 750 - 20 * line, DOSE[:90].decode())
    canvas.save()
    return out.getvalue()


def _office(name: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr(name, b"<p>dose 5 mg</p>" * 1_000_000)
    return out.getvalue()


@TABLE.row("bodies taken for what they are not", 0)
def wrong_types(lab: Lab) -> float:
    """a wrong content type: PDF as HTML, HTML as PDF, PNG as HTML, and no or a hostile type"""
    cases = [
        *((_pdf_of_prose(), kind, "ok") for kind in ("text/html", "image/png", "")),
        *(
            (PROSE % b"", kind, "ok")
            for kind in ("application/pdf", "image/png", "", "text/html; charset=" + "x" * 5000)
        ),
        *((PROSE % b"", f"text/html; charset={name}", "ok") for name in ("utf-7", "hex", "\x00", "utf-16")),
        *((PNG, kind, "not_text") for kind in ("text/html", "application/pdf", "text/plain")),
        (b"\xff\xd8\xff" + PNG, "text/html", "not_text"),
        (DOSE * 6, "application/octet-stream", "ok"),
    ]
    return sum(read(body, content_type=kind).state != state for body, kind, state in cases)


@TABLE.row("characters of text made of them", 0)
def archives(lab: Lab) -> float:
    """zip and office documents, also of 16 MB packed into 16 kB"""
    starts = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"\x1f\x8b", b"7z\xbc\xaf")
    bodies = [_office("word/document.xml"), _office("xl/sharedStrings.xml"), b"{\\rtf1 dose}"]
    bodies += [start + PNG for start in starts]
    got = [read(body) for body in bodies]
    assert {one.state for one in got} == {"not_text"}
    return sum(len(one.text) for one in got)


@TABLE.row("pages taken for a source", 0)
def nothing_there(lab: Lab) -> float:
    """a body of no bytes, of NUL bytes, of white space; and NUL bytes within a page"""
    got = [
        read(body)
        for body in (b"", b"\x00" * 10_000, b" \n\t" * 1000, b"\xff" * 1000, b"<html></html>", b"\xef\xbb\xbf")
    ]
    within = read(PROSE % b"<p>Take \x00 with \x00\x00 water.</p>")
    assert within.state == "ok"
    assert not ACTS.search(visible(within.text))
    return sum(one.state == "ok" for one in got)


# What costs memory and time

LAUGHS = b"".join(b'<!ENTITY l%d "%s">' % (number, b"&l%d;" % (number - 1) * 10) for number in range(1, 10))
XHTML = (
    b'<?xml version="1.0"?><!DOCTYPE html [%s]><html xmlns="http://www.w3.org/1999/xhtml"><body><p>%s</p></body></html>'
)


@TABLE.row("connections to the address named, and files read", 0)
def external_entities(lab: Lab) -> float:
    """XML: entities of files and of addresses, a foreign DTD, XInclude and a style sheet"""
    secret = lab.folder / "secret.txt"
    secret.write_text("VERY SECRET")
    url = f"{lab.inner.base}/x"
    declared = [
        f'<!ENTITY x SYSTEM "{where}">' for where in (secret.as_uri(), str(secret), url)
    ] + [f'<!ENTITY % x SYSTEM "{url}"> %x;']  # fmt: skip
    bodies = [XHTML % (one.encode(), b"dose &x; " + DOSE) for one in declared]
    bodies.append(f'<?xml version="1.0"?><!DOCTYPE html SYSTEM "{url}"><html><body><p>'.encode() + DOSE)
    bodies.append(f'<?xml-stylesheet href="{url}"?><html><body><p>'.encode() + DOSE)
    include = f'<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="{secret.as_uri()}" parse="text"/>'
    bodies.append(PROSE % include.encode())
    got = [read(body, content_type="application/xhtml+xml") for body in bodies]
    assert all("amoxicillin" in one.full_text for one in got)
    return lab.inner.connections + sum("SECRET" in one.full_text for one in got)


PAGES: dict[str, tuple[Callable[[], bytes], float]] = {
    "a billion laughs": (lambda: XHTML % (b'<!ENTITY l0 "ha">' + LAUGHS, b"&l9; " + DOSE), 100),
    "3,000 nested div": (lambda: PROSE % (b"<div>" * 3_000 + DOSE), 100),
    "100,000 nested div": (lambda: PROSE % (b"<div>" * 100_000 + DOSE), 100),
    "100,000 nested blockquote": (lambda: PROSE % (b"<blockquote>" * 100_000 + DOSE), 100),
    "100,000 tables in tables": (lambda: PROSE % (b"<table><tr><td>x" * 100_000), 100),
    "100,000 lists in lists": (lambda: PROSE % (b"<ul><li>x" * 100_000), 100),
    "100,000 unclosed b, i and font": (lambda: PROSE % (b"<p><b><i><font>5 mg " * 100_000), 100),
    "100,000 nested svg groups": (lambda: PROSE % (b"<svg>" + b"<g>" * 100_000), 100),
    "15 MB of div": (lambda: b"<div>" * 3_000_000, 150),
    "15 MB of one line": (lambda: b"<p>" + b"dose 5 mg " * 1_500_000, 250),
    "15 MB of comments": (lambda: b"<html>" + b"<!-- x -->" * 1_500_000, 150),
    "15 MB of entities": (lambda: b"<html><p>" + b"&amp;&#x41;&none;" * 880_000, 250),
    "a table of 200,000 rows": (lambda: b"<html><table>" + b"<tr><td>5 mg" * 200_000, 400),
    "cells that span 65,534 rows": (lambda: b"<html><table>" + b"<tr><td rowspan=65534 colspan=999>x" * 50_000, 400),
    "400,000 attributes": (lambda: b"<p " + b" ".join(b"a%d=1" % number for number in range(400_000)), 250),
    "100,000 raised figures": (lambda: b"<p>" + b"10<sup>9</sup>" * 100_000, 250),
}


def _page(name: str) -> Probe:
    def probe(lab: Lab) -> float:
        return float(lab.forks.read("text/html", PAGES[name][0]())["growth_mb"])

    return probe


for _name, (_, _bound) in PAGES.items():
    TABLE.row("MB of growth in memory", _bound, f"a page of {_name}")(_page(_name))


# PDFs

LIMITS = ReadingLimits()
FORM = b"<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X0 6 0 R>>>>/Length 21>>stream\n%s\nendstream"
CIRCLE = b"%PDF-1.4\nxref\n0 1\n0000000000 65535 f \ntrailer<</Size 1/Prev 9>>\nstartxref\n9\n%%EOF"
LOOPS = {
    "a tree of pages that holds itself": pdf(
        b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[2 0 R 2 0 R]/Count 2000000>>"
    ),
    "a form that draws itself": one_page_pdf(b"/X0 Do /X0 Do", b"", FORM % b"/X0 Do /X0 Do /X0 Do "),
    "a content that is said to be in a file": one_page_pdf(b"x", b"/Filter[/FlateDecode/ASCIIHexDecode]/F 4 0 R"),
    "a page that is its own parent": pdf(
        b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R]/Count 1/Parent 3 0 R>>",
        b"<</Type/Page/Parent 3 0 R>>",
    ),
    "cross references in a circle": CIRCLE,
    "100,000 arrays in arrays": pdf(b"<</Type/Catalog/Pages 2 0 R/X " + b"[" * 100_000 + b">>"),
    "a count of two billion pages": pdf(b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[]/Count 2147483647>>"),
}  # fmt: skip


@TABLE.row("MB of growth in memory of the process that asked", 40)
def pdf_that_explodes(lab: Lab) -> float:
    """a PDF of 400 kB with 400 MB of content"""
    bomb = pdf_bomb(400)
    assert len(bomb) < 2_000_000
    got = lab.forks.read("application/pdf", bomb, in_child=True)
    assert (got["state"], got["text"]) == ("unreadable", ""), got
    assert "more than" in got["evidence"]
    assert got["child_mb"] * 1e6 <= LIMITS.memory, got
    assert got["child_seconds"] <= LIMITS.cpu_seconds + 2, got
    print(f"its reader: {got['child_mb']:.0f} MB, {got['child_seconds']:.1f} s")
    return float(got["growth_mb"])


def _loop(name: str) -> Probe:
    def probe(lab: Lab) -> float:
        got = lab.forks.read("application/pdf", LOOPS[name], in_child=True)
        assert got["state"] in ("not_text", "pdf_scan", "unreadable"), got
        assert got["growth_mb"] < 40
        return float(got["child_seconds"])

    return probe


for _name in LOOPS:
    TABLE.row("seconds", LIMITS.cpu_seconds, f"a PDF with {_name}")(_loop(_name))


@TABLE.row("PDFs without words that were taken for a source", 0)
def broken_pdfs(lab: Lab) -> float:
    """encrypted PDFs, and PDFs that end early"""
    whole = _pdf_of_prose()
    locked = _pdf_of_prose(encrypt=StandardEncryption("secret", ownerPassword="owner", strength=128))
    assert read(whole).state == "ok"
    assert (read(locked).state, read(locked).text) == ("pdf_encrypted", "")
    got = [read(body) for body in (whole[:9], whole[: len(whole) // 2], whole[:-60], b"%PDF-1.7\n" + PNG)]
    return sum(one.state == "ok" and "amoxicillin" not in one.text for one in got)


def test_the_pdf_bomb_is_a_pdf() -> None:
    assert len(read(pdf_bomb(1)).text) > 100_000


@TABLE.row("seconds", 20, "comments before the first tag, which a pattern would try in every combination")
def comments(lab: Lab) -> float:
    got = lab.forks.read("text/html", b"<!---->" * 500 + b"<x-app>" + DOSE * 6)
    assert got["state"] == "ok"
    return float(got["seconds"])


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.threat)
def test_row(row: Row, lab: Lab) -> None:
    row.check(lab)
