"""Whatever a body holds: a page comes of it, with clean texts and an outline that fits them."""

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medreview.sources.fetching.network import Fetched
from medreview.sources.page import read_page

RECORDS = [path.read_bytes() for path in sorted((Path(__file__).parent / "records" / "answers").iterdir())]
TAGS = (
    *("p", "div", "span", "b", "a", "sup", "sub", "table", "tr", "td", "th", "tbody", "caption", "ul", "li", "dl"),
    *("dt", "dd", "h1", "h3", "details", "summary", "pre", "math", "mrow", "mn", "mo", "msup", "msubsup", "mfrac"),
    *(
        "mroot",
        "mtable",
        "mtd",
        "mfenced",
        "semantics",
        "annotation",
        "form",
        "img",
        "del",
        "q",
        "ruby",
        "rt",
        "template",
    ),
    *("script", "style", "noscript", "title", "section", "main", "br", "blockquote", "center", "select", "x-card"),
)
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
    page = read_page(Fetched(url, url, (url,), 200, "", body, "2026-01-01T00:00:00Z"))
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
