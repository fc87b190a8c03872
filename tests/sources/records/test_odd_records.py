"""Records that are not as they should be: odd ones are read as far as they go, hostile ones do no harm."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medreview.labels import PAGE_STATES
from tests.support.cost import LINEAR, growth
from tests.support.fetched import read

MATH = 'xmlns:mml="http://www.w3.org/1998/Math/MathML"'
FILLER = "Adults take the medicine by mouth every morning and are then seen again in the clinic of the ward. " * 3


def read_of(body, path="efetch.fcgi?db=pubmed&id=12"):
    return read(body, f"https://service.example/{path}")


def pubmed(article, after=""):
    return read_of(f"""<?xml version="1.0"?><PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>12</PMID><Article>
    <ArticleTitle>Planticillin.</ArticleTitle>{article}</Article>{after}</MedlineCitation></PubmedArticle>
    </PubmedArticleSet>""")


def jats(body, meta="", kind="research-article"):
    return read_of(
        f"""<article article-type="{kind}" {MATH}><front><article-meta><article-id pub-id-type="pmc">12</article-id>
    <title-group><article-title>Planticillin</article-title></title-group>{meta}</article-meta></front><body>
    <p>{FILLER}</p>{body}</body></article>""",
        "PMC12/fullTextXML",
    )


def europe_pmc(**fields):
    record = {"id": "12", "source": "MED", "pmid": "12", "title": "Planticillin."} | fields
    answer = {"hitCount": 1, "resultList": {"result": [record]}}
    return read_of(json.dumps(answer), "search?query=EXT_ID%3A12%20AND%20SRC%3AMED")


def test_labels_without_text_are_left_out():
    page = pubmed('<Abstract><AbstractText Label="AIM"/><AbstractText Label="DOSE">5 mg</AbstractText></Abstract>')
    assert page.text.endswith("\n\nAbstract\n\nDOSE\n5 mg")
    assert pubmed('<Abstract><AbstractText Label="AIM"/></Abstract>').state == "thin"


def test_a_second_abstract_is_read():
    text = pubmed("<Abstract><AbstractText>5 mg</AbstractText></Abstract>" * 2).text
    assert text.count("Abstract\n5 mg") == 2


def test_formulas_and_characters_by_name_in_an_abstract():
    formula = f"""<mml:math {MATH}><mml:mn>1</mml:mn><mml:mfrac><mml:mn>1</mml:mn><mml:mn>2</mml:mn></mml:mfrac>
    <mml:mspace/><mml:mroot><mml:mn>8</mml:mn><mml:mn>3</mml:mn></mml:mroot></mml:math>"""
    text = pubmed(f"<Abstract><AbstractText>{formula} and 5 &mu;g, &ge; 3, &odd;</AbstractText></Abstract>").text
    assert "1 1/2 ³√(8) and 5 μg, ≥ 3, &odd;" in text


def test_a_reference_list_of_an_unknown_name_is_no_error():
    assert jats("<p>5 mg</p></body><back><ref-list><ref>&x;</ref></ref-list></back><body>").state == "ok"


def test_references_that_go_on_do_not_become_a_dose():
    marks = [f'<xref ref-type="bibr">{number}</xref>' for number in (5, 6, 8)]
    assert "40[5],[6]–[8] mg" in jats(f"<p>40{marks[0]},{marks[1]}–{marks[2]} mg</p>").text


def test_struck_figures_are_told():
    assert "Dose [deleted: 5]10 mg" in jats("<p>Dose <strike>5</strike>10 mg</p>").text


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("retraction", "This is a notice that another article was retracted."),
        ("retracted-article", "This article was retracted, by its publication type."),
        ("preprint-withdrawal", "This preprint was withdrawn."),
    ],
)
def test_the_type_of_an_article(kind, said):
    assert jats("", kind=kind).evidence.startswith(said)


def test_a_preprint_says_so():
    assert "\nType: Preprint.\n" in jats("", kind="preprint").text
    assert "Type:" not in jats("").text


@pytest.mark.parametrize("kind", ["preprint-withdrawal", "Preprint-Removal"])
def test_withdrawn_preprints_of_europe_pmc(kind):
    page = europe_pmc(abstractText="5 mg", pubTypeList={"pubType": ["Preprint", kind]})
    assert page.evidence.startswith("This preprint was ")


@pytest.mark.parametrize(
    "title", ["Retraction: Planticillin", "Retraction notice to “Planticillin”", "Withdrawal notice: x"]
)
def test_a_notice_is_not_called_a_retracted_article(title):
    evidence = europe_pmc(title=title).evidence
    assert evidence.startswith("This is a notice that another article was retracted, by its title.")
    assert "This article was retracted" not in evidence


@pytest.mark.parametrize("title", ["Withdrawn drugs: a review", "Withdrawal: a trial", "Retraction of gums"])
def test_other_titles_are_no_notices(title):
    assert "notice" not in europe_pmc(title=title).evidence
    assert "article was" not in europe_pmc(title=title).evidence


def test_what_is_escaped_twice_is_read_once():
    page = europe_pmc(
        title="&lt;i&gt;In vivo&lt;/i&gt; &amp;amp; more", abstractText="n &amp;lt; 30, 10&lt;sup&gt;9&lt;/sup&gt;"
    )
    assert page.title == "In vivo & more"
    assert page.text.endswith("n < 30, 10⁹")


def test_many_parts_that_are_left_out_take_linear_time():
    def read_many(size):
        page = jats("<p>" + "<inline-graphic/>tail " * size + "</p>")
        assert page.full_text.count("tail") == size

    assert growth(read_many, 5_000) < LINEAR


def read_xml(body):
    return read(body, "https://saved.example/record", "text/xml")


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
    page = read_xml(json.dumps(known).encode())
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
    page = read_xml(body)
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
        page = read_xml(doctype(entities))
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
        assert read_xml(text.format(said).encode(true)).title == "Müller’s dose: 5 µg", (said, true)


def test_forbidden_characters_leave_a_mark():
    page = read_xml(doctype("", "a\x1b[31m\x00b\u202e"))
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
    page = read_xml(first + rest)
    assert page.state in PAGE_STATES
    for heading in page.outline:
        assert page.text[heading.start : heading.end].strip()
