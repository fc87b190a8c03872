"""Answers built to do harm: no file is read, no entity grows, time and memory stay bounded, nothing raises."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medreview.labels import PAGE_STATES
from medreview.sources.fetching.network import Fetched
from medreview.sources.page import read_page


def read(body):
    url = "https://saved.example/record"
    return read_page(Fetched(url, url, (url,), 200, "text/xml", body, "2026-01-01T00:00:00Z"))


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["result", "author", "journal", "pubType", "commentCorrection", "fullName", "type"]), inner,
        max_size=3,
    ),
    max_leaves=8,
)  # fmt: skip
FIELDS = ["title", "abstractText", "authorList", "journalInfo", "pubTypeList", "commentCorrectionList", "pmid", "doi",
          "keywordList", "pubYear", "authorString", "bookOrReportDetails", "source"]  # fmt: skip


@given(st.one_of(
    st.builds(lambda held: {"hitCount": 1, "resultList": held}, JSON),
    st.builds(lambda held: {"hitCount": 1, "resultList": {"result": held}}, JSON),
    st.builds(
        lambda held: {"hitCount": 1, "resultList": {"result": [held]}}, st.dictionaries(st.sampled_from(FIELDS), JSON)
    ),
    st.builds(lambda held: {"errCode": held, "errMsg": held}, JSON),
))  # fmt: skip
def test_json_of_any_shape_is_a_page(known):
    page = read(json.dumps(known).encode())
    assert page.state in PAGE_STATES
    assert page.evidence.endswith(".")


@pytest.mark.parametrize(
    "body",
    [
        b'{"version":"6.9","hitCount":1,"resultList":' + b"[" * 2_000_000,
        b'{"version":"6.9","hitCount":1,"resultList":' + b'{"result":' * 200_000,
        b'{"hitCount":' + b"9" * 100_000 + b"}",
        b'{"version":"6.9","hitCount":1,"resultList":{"result":[{"title":"cut',
        b'{"hitCount":1,"resultList":"no"}',
        b'{"hitCount":NaN,"resultList":{"result":[NaN,[],{}]}}',
    ],
)
def test_hostile_json_is_told_in_a_sentence(body):
    page = read(body)
    assert page.state in ("not_text", "thin")
    assert page.evidence.endswith(".")


def doctype(entities, inner="&x;"):
    return (
        f'<?xml version="1.0"?><!DOCTYPE PubmedArticleSet [{entities}]><PubmedArticleSet><PubmedArticle>'
        f"<MedlineCitation><PMID>5</PMID><Article><ArticleTitle>T {inner} end</ArticleTitle><Abstract><AbstractText>"
        f"A {inner} end.</AbstractText></Abstract></Article></MedlineCitation></PubmedArticle></PubmedArticleSet>"
    ).encode()


LAUGHS = '<!ENTITY x0 "haha">' + "".join(f'<!ENTITY x{n + 1} "{f"&x{n};" * 10}">' for n in range(9))


def test_external_entities_are_not_read(tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("SECRET")
    listed = f'<!ENTITY x SYSTEM "{secret.as_uri()}"><!ENTITY % p SYSTEM "{secret.as_uri()}"> %p;'
    for entities in (listed, f'<!ENTITY x SYSTEM "{secret}">', '<!ENTITY x SYSTEM "file:///etc/passwd">'):
        page = read(doctype(entities))
        assert "SECRET" not in page.text + page.full_text + page.evidence
        assert "root:" not in page.full_text


JATS = b'<article article-type="x">'
HOSTILE = {
    "entities in entities": doctype(LAUGHS, "&x9;"),
    "in an attribute": doctype(LAUGHS, '<i a="&x9;">x</i>'),
    "one long entity many times": doctype(f'<!ENTITY x "{"ha" * 50_000}">', "&x;" * 20_000),
    "parameter entities": doctype('<!ENTITY % a "haha"><!ENTITY % b "%a;%a;%a;">%b;'),
    "a loop": doctype('<!ENTITY x "&y;"><!ENTITY y "&x;">'),
    "deep": b"<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>5</PMID>" + b"<a>" * 300_000,
    "deep jats": JATS + b"<front><article-meta/></front><body>" + b"<sec><title>T</title><p>" * 100_000,
    "wide": JATS + b"<body><p>" + b"<xref ref-type='bibr'>1</xref>a" * 100_000 + b"</p></body></article>",
    "labels": JATS + b"<body>" + b"<fn><label>1</label><p>a</p></fn>" * 50_000 + b"</body></article>",
    "lists": JATS + b"<back>" + b"<ref-list><ref>a</ref></ref-list>" * 50_000 + b"</back></article>",
    "records": b"<PubmedArticleSet>"
    + b"<PubmedArticle><MedlineCitation><PMID>5</PMID></MedlineCitation></PubmedArticle>" * 80_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_xml_costs_little(forks, name):
    cost = forks.read("", HOSTILE[name], cpu_seconds=12)

    assert cost["state"] in PAGE_STATES
    assert cost["length"] <= 2_000_000
    assert cost["growth_mb"] < 45 * len(HOSTILE[name]) / 1e6 + 30


def test_wrong_encodings():
    text = (
        '<?xml version="1.0" encoding="{}"?><PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>5</PMID><Article>'
    )
    text += "<ArticleTitle>Müller’s dose: 5 µg</ArticleTitle></Article></MedlineCitation></PubmedArticle>"
    text += "</PubmedArticleSet>"
    for said, true in (("utf-8", "utf-8"), ("utf-8", "windows-1252"), ("iso-8859-1", "utf-8"), ("utf-16", "utf-8"),
                       ("utf-16", "utf-16"), ("windows-1252", "windows-1252"), ("x-no-such", "utf-8-sig")):  # fmt: skip
        assert read(text.format(said).encode(true)).title == "Müller’s dose: 5 µg", (said, true)


def test_forbidden_characters_leave_a_mark():
    page = read(doctype("", "a\x1b[31m\x00b\u202e"))
    assert page.title == "T a\ufffd[31m\ufffdb\u202e end"


PIECES = st.sampled_from(
    [b"<PubmedArticleSet>", b"<PubmedArticle>", b"<MedlineCitation>", b"<PMID>5</PMID>", b"<Article>",
     b"<Journal>", b"<ArticleTitle>", b"<Abstract>", b"<AbstractText Label='A'>", b"</AbstractText>",
     b"</Abstract>", b"<BookDocument>", b"<article article-type='x'>", b"<front>", b"<article-meta>",
     b"</article-meta>", b"</front>", b"<body>", b"</body>", b"<sec>", b"<title>", b"</title>", b"</sec>",
     b"<label>1</label>", b"<caption>", b"<xref ref-type='fn'>1</xref>", b"<list>", b"<list-item>",
     b"<table><tr><td rowspan='2'>", b"<sup>2</sup>", b"<ref-list><ref>", b"<fn-group>", b"<alternatives>",
     b"<mml:math>", b"<tex-math>$$", b"text", b"&x;", b"&lt;", b"\x00", b"\xff", b"<!-- -->", b"<?a?>",
     b"<![CDATA[a]]>", b"<pmc-articleset>", b"<sub-article>",
     b"<related-article related-article-type='retraction'/>"]
)  # fmt: skip


@given(st.sampled_from([b"<PubmedArticleSet>", b"<article article-type='x'>", b"<pmc-articleset>", b""]),
       st.lists(PIECES, max_size=25).map(b"".join))  # fmt: skip
def test_any_xml_makes_a_page(first, rest):
    page = read(first + rest)
    assert page.state in PAGE_STATES
    for heading in page.outline:
        assert page.text[heading.start : heading.end].strip()
