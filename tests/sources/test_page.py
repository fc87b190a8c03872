"""A page from its bytes: read as it is, or as hostile as it comes."""

import io
import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reportlab.pdfgen.canvas import Canvas

from medreview.labels import PAGE_STATES
from medreview.sources.page import LONGEST, read_page
from tests.support.fetched import fetched

PROSE = "Give amoxicillin 500 mg three times daily for five days, and stop it when a rash with fever appears. " * 4


def a_pdf():
    out = io.BytesIO()
    canvas = Canvas(out)
    for line in range(10):
        canvas.drawString(50, 700 - 20 * line, PROSE[:90])
    canvas.save()
    return out.getvalue()


def test_html():
    body = f"<html><head><title>A</title></head><body><nav>Menu item</nav><main><p>{PROSE}</p></main></body></html>"
    page = read_page(fetched(body.encode(), content_type="application/pdf"))
    assert (page.state, page.title) == ("ok", "A")
    assert page.text == PROSE.strip()
    assert page.full_text == "Menu item\n" + PROSE.strip()
    assert page.extractor.startswith("trafilatura 2.")


@pytest.mark.parametrize("before", [b"", b"\n\n", b"\xef\xbb\xbf"])
def test_a_pdf_is_told_by_its_bytes_whatever_the_server_says(before):
    page = read_page(fetched(before + a_pdf(), content_type="text/html"))
    assert page.state == "ok"
    assert page.extractor.startswith("pypdfium2 5.")
    assert page.page_starts == (0,)
    assert page.text == page.full_text
    assert "amoxicillin 500 mg" in page.text


def test_html_under_the_name_of_a_pdf_is_html():
    page = read_page(fetched(b"<!-- x --><!DOCTYPE html><p>" + PROSE.encode(), content_type="application/pdf"))
    assert "amoxicillin" in page.text
    assert "<p>" not in page.text


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "windows-1252"])
def test_plain_text(encoding):
    text = "Dose\r\n\r\nCafé: 5 mg\rtwice < 3 times and p > 0.05\n" + PROSE
    page = read_page(fetched(text.encode(encoding), content_type="text/plain"))
    assert page.state == "ok"
    assert page.text.startswith("Dose\n\nCafé: 5 mg\ntwice < 3 times")
    assert "\r" not in page.text


def test_the_full_text_is_judged_where_the_main_text_is_thin(monkeypatch):
    import medreview.sources.reading.html as html

    monkeypatch.setattr(html, "main_lines", lambda root, walk: walk.lines[:1])
    page = read_page(fetched(f"<html><body><p>Only a caption.</p><div>{PROSE}</div></body></html>".encode()))
    assert page.text == page.full_text == "Only a caption.\n" + PROSE.strip()
    assert page.extractor == "walker 4 (full page: main text thin or not made)"


def test_a_page_too_large_for_trafilatura_still_has_its_text():
    body = f"<html><body>{f'<p>{PROSE}</p>' * 10_500}</body></html>".encode()
    page = read_page(fetched(body))
    assert page.extractor.startswith("walker")
    assert page.state == "ok"
    assert len(page.text) == LONGEST
    assert "2,000,000 characters" in page.evidence


@pytest.mark.parametrize(
    ("piece", "count"), [("<table><tr><td>5 mg<td>daily</table>", 13_000), ("<a href=x>5 mg</a> ", 51_000)]
)
def test_a_page_of_too_many_parts_for_trafilatura_still_has_its_text(piece, count):
    page = read_page(fetched(f"<html><body>{piece * count}</body></html>".encode()))
    assert page.extractor.startswith("walker")
    assert page.full_text.count("5 mg") == count


def test_deeply_nested_html_with_nothing_to_read():
    page = read_page(fetched(b"<html><body>" + b"<div>" * 5000 + b"dose"))
    assert page.state == "unreadable"
    assert "too deeply" in page.evidence


def test_a_state_of_the_fetch_stays():
    assert read_page(fetched(PROSE.encode(), state="http_error")).state == "http_error"
    assert read_page(fetched(b"", state="timeout")).state == "timeout"


HOSTILE = "\x1b]52;c;AAAA\x07 \x9b31m [red]mark[/red] \u202eright\u202c \x00 \u200b "


def test_hostile_characters_of_a_plain_text_are_kept_for_the_screen():
    page = read_page(fetched((HOSTILE + PROSE).encode()))
    assert page.text == HOSTILE + PROSE


def test_hostile_characters_of_html_are_kept_in_the_full_text():
    page = read_page(fetched(f"<html><body><p>{HOSTILE.replace(chr(0), '')}{PROSE}</p></body></html>".encode()))
    for mark in ("\x1b]52;c;AAAA\x07", "\x9b31m", "[red]mark[/red]", "\u202eright\u202c"):
        assert mark in page.full_text


PIECES = st.sampled_from(
    [b"<svg>", b"<html>", b"<body>", b"<p>", b"</p>",
     b"<table><tr><td rowspan=3>", b"<td colspan=2>", b"</table>", b"<li>",
     b"<sup>2</sup>", b"<sup>", b"<pre>", b"<br>", b"<h1>", b"<!--", b"-->", b"<script>", b"</script>", b"<![CDATA[",
     b"5 mg\r\n", b"\r", b"\x00", b"\x1b[1m", b"\xff\xfe", b"caf\xe9", b"<title>", b"&#0;&#xD;&#xD800;", b"%PDF",
     b"<ul>", b"<caption>", b"<figure><figcaption>", b"<?xml encoding='utf-7'?>", b"<meta charset=utf-16>"]
)  # fmt: skip


@given(st.one_of(st.binary(max_size=200), st.lists(PIECES, max_size=25).map(b"".join)))
def test_any_bytes_make_a_page(body):
    page = read_page(fetched(body))
    assert page.state in PAGE_STATES
    for text in (page.text, page.full_text):
        assert "\r" not in text
        text.encode("utf-8")


def test_the_room_is_light_to_import():
    code = (
        "import sys, medreview.sources.page, medreview.sources.saved.pages_folder\n"
        "import medreview.sources.reading.page_states\n"
        "heavy = 'httpx', 'trafilatura', 'lxml', 'pypdfium2', 'textual', 'rich'\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


RECORDS = [path.read_bytes() for path in sorted((Path(__file__).parent / "records" / "answers").iterdir())]
TAGS = (
    *("p", "div", "span", "b", "a", "sup", "sub", "table", "tr", "td", "th", "tbody", "caption", "ul", "li", "dl"),
    *("dt", "dd", "h1", "h3", "details", "summary", "pre", "math", "mrow", "mn", "mo", "msup", "msubsup", "mfrac"),
    *(
        "mroot", "mtable", "mtd", "mfenced", "semantics", "annotation", "form", "img", "del", "q", "ruby", "rt",
        "template",
    ),
    *("script", "style", "noscript", "title", "section", "main", "br", "blockquote", "center", "select", "x-card"),
)  # fmt: skip
SAID = (
    *("", " role=row", " role=table", " role=heading", " hidden", " style='display:block'", " class=reference"),
    *(" aria-hidden=true", " rowspan=2", " rowspan=0", " colspan=3", " href='#fn1'", " alt='≥'", " role=tabpanel"),
)
TEXTS = (
    *("5", "10", "-9", " ", "mg", "≥30", "<", "&lt;", "&nbsp;", "\u00ad", "\u200b", "\r\n", "\r", "\x0b", "\x0c"),
    *("\x1b", "\u202e", "\u2028", "\ufdd0", "½", "1,2", "*", ",", "&#13;", "&#x85;", "&bogus;", "|", "\uffff"),
)
ADDRESSES = (
    "https://a.example/x",
    "https://a.example/efetch.fcgi?db=pubmed&id=1",
    "https://a.example/PMC1/fullTextXML",
    "https://[a.example",
)

texts = st.lists(st.sampled_from(TEXTS), max_size=4).map("".join)
trees = st.recursive(
    texts,
    lambda inner: st.builds(
        lambda tag, said, parts, ends: f"<{tag}{said}>{''.join(parts)}{f'</{tag}>' if ends else ''}",
        st.sampled_from(TAGS), st.sampled_from(SAID), st.lists(inner, max_size=4), st.booleans(),
    ),
    max_leaves=40,
)  # fmt: skip


def read_and_check(body, url=ADDRESSES[0]):
    page = read_page(fetched(body, url))
    for text in (page.text, page.full_text, page.title):
        assert "\r" not in text
        assert not any("\U00013000" <= character <= "\U00013300" for character in text)
        text.encode()
    last = -1
    for heading in page.outline:
        words = page.text[heading.start : heading.end]
        assert last < heading.start < heading.end <= len(page.text)
        assert words.strip() == words
        assert "\n" not in words
        last = heading.start
    assert page.state
    return page


@given(trees, st.sampled_from(ADDRESSES))
def test_any_tree_of_tags_makes_a_page(tree, url):
    read_and_check(f"<html><body>{tree}</body></html>".encode(), url)


@pytest.mark.parametrize("seed", range(40))
def test_records_with_pieces_lost_or_moved_make_a_page(seed):
    chance = random.Random(seed)
    body = bytearray(chance.choice(RECORDS))
    for _ in range(chance.randint(1, 8)):
        at = chance.randrange(len(body))
        match chance.randrange(4):
            case 0:
                del body[at : at + chance.randint(1, 200)]
            case 1:
                body[at] = chance.randrange(256)
            case 2:
                body[at:at] = body[chance.randrange(len(body)) :][: chance.randint(1, 400)]
            case _:
                body[at:at] = chance.choice([b"</", b"]]>", b"<![CDATA[", b"&x;", b'"', b"{", b"null", b"\x00"])
    read_and_check(bytes(body), chance.choice(ADDRESSES))


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"<html><head><title>Welcome</title></head><body><p>" + b"We are here for you. " * 60, "a page in place"),
        (b"Supplied id parameter is empty.\n", "Supplied id parameter is empty"),
        (b'<?xml version="1.0"?><error><message>Backend failed</message></error>', "Backend failed"),
        (b'{"status": 429, "error": "Too Many Requests"}', "Too Many Requests"),
    ],
)
def test_what_a_service_answers_in_place_of_a_record_is_an_error(body, said):
    page = read_and_check(body, ADDRESSES[1])
    assert page.state == "http_error"
    assert said in page.evidence
    assert read_and_check(body).state != "http_error"
