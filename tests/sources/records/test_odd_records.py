"""Records as they come now and then: empty labels, formulas, struck figures, notices, preprints, double escapes."""

import json

import pytest

from medreview.sources.fetching.network import Fetched
from medreview.sources.page import read_page
from tests.support.cost import LINEAR, growth

MATH = 'xmlns:mml="http://www.w3.org/1998/Math/MathML"'
FILLER = "Adults take the medicine by mouth every morning and are then seen again in the clinic of the ward. " * 3


def read(body, path="efetch.fcgi?db=pubmed&id=12"):
    url = f"https://service.example/{path}"
    return read_page(Fetched(url, url, (url,), 200, "", body.encode(), "2026-01-01T00:00:00Z"))


def pubmed(article, after=""):
    return read(f"""<?xml version="1.0"?><PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>12</PMID><Article>
    <ArticleTitle>Planticillin.</ArticleTitle>{article}</Article>{after}</MedlineCitation></PubmedArticle>
    </PubmedArticleSet>""")


def jats(body, meta="", kind="research-article"):
    return read(
        f"""<article article-type="{kind}" {MATH}><front><article-meta><article-id pub-id-type="pmc">12</article-id>
    <title-group><article-title>Planticillin</article-title></title-group>{meta}</article-meta></front><body>
    <p>{FILLER}</p>{body}</body></article>""",
        "PMC12/fullTextXML",
    )


def europe_pmc(**fields):
    record = {"id": "12", "source": "MED", "pmid": "12", "title": "Planticillin."} | fields
    answer = {"hitCount": 1, "resultList": {"result": [record]}}
    return read(json.dumps(answer), "search?query=EXT_ID%3A12%20AND%20SRC%3AMED")


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
    def read(size):
        page = jats("<p>" + "<inline-graphic/>tail " * size + "</p>")
        assert page.full_text.count("tail") == size

    assert growth(read, 5_000) < LINEAR
