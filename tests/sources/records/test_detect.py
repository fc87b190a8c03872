"""Answers of PubMed, Europe PMC and PubMed Central: read whole, never for another record, never at their word."""

import json
import re
from pathlib import Path

import pytest

from medreview.citations.citation import Citation, fetch_url
from medreview.sources.fetching.network import Services, addresses
from medreview.sources.page import read_page, requested_identifier
from medreview.sources.reading.page_states import HOLDS_SOURCE
from medreview.sources.reading.text_structure import heading_path
from medreview.sources.records.service_record import notice_of_title, retraction_mark
from tests.support.fetched import fetched

ANSWERS = Path(__file__).parent / "answers"
ABSTRACT_ONLY = "with its abstract; the article itself was not read."


def answer(name):
    return (ANSWERS / name).read_bytes()


def at(kind, value, place=0):
    return addresses(kind, value, fetch_url(Citation(kind, value)), Services(ncbi_key="key"))[place]


def read(body, url="https://saved.example/record", *, state=None, detail="", content_type="text/xml"):
    status = 500 if state else 200
    return read_page(fetched(body, url, content_type, status=status, state=state, detail=detail))


def headings(page):
    return [(heading.level, page.text[heading.start : heading.end]) for heading in page.outline]


# PubMed


def test_a_record_of_pubmed():
    page = read(answer("pubmed_trial.xml"), at("pmid", "90000001"))
    assert page.state == "ok"
    assert page.evidence == f"The record in PubMed {ABSTRACT_ONLY}"
    title = "Once-daily planticillin for cellulitis at 10⁹/L neutrophils: a randomised trial (PLANT-1)."
    assert page.title == title
    assert page.text.split("\n")[:6] == [
        title,
        "Plant J Trials. 2021 Mar 05;12(3):201-209.",
        "Alder AB, Birch C Jr, Cedar D, et al.",
        "PMID 90000001, DOI 10.9999/plant.2021.0001, PMCID PMC9000001.",
        "Type: Journal Article; Randomized Controlled Trial.",
        "Registered: ClinicalTrials.gov NCT00000000.",
    ]
    assert headings(page) == [
        (1, title), (2, "Abstract"), (3, "BACKGROUND"), (3, "METHODS"), (3, "RESULTS"), (3, "CONCLUSIONS"),
        (2, "Plain language summary"),
    ]  # fmt: skip
    for fact in (
        "250 mg once daily or 250 mg twice daily for 7 days", "clearance <30 mL/min",
        "−1.5 points (95% CI −7.6 to 4.7",
        "0.5×10⁹/L in two adults", "One tablet a day",
    ):  # fmt: skip
        assert fact in page.text
    where = heading_path(page.outline, page.text.index("95% CI"))
    assert [page.text[one.start : one.end] for one in where] == [title, "Abstract", "RESULTS"]


def test_what_is_only_in_the_full_text_of_a_record():
    page = read(answer("pubmed_trial.xml"))
    for apart in ("Una vez al día", "Cellulitis / drug therapy", "- skin infection", "An earlier planted trial"):
        assert apart in page.full_text
        assert apart not in page.text
    assert page.full_text.startswith(page.text)


def test_a_book_of_pubmed():
    page = read(answer("pubmed_book.xml"), at("pmid", "90000010"))
    assert page.state == "ok"
    lines = page.text.split("\n")
    assert lines[:4] == ["Planticillin Toxicity", "In: PlantPearls. Planted Publishing. 2025 01.", "Fir G.",
                         "PMID 90000010."]  # fmt: skip
    assert "removes 60% of a dose in 4 hours" in page.text
    assert "- Continuing Education Activity" in page.full_text


def test_a_retraction_stands_before_everything_else():
    page = read(answer("pubmed_retracted.xml"), at("pmid", "90000020"))
    lines = page.text.split("\n")
    assert lines[0] == "This article was retracted: Plant J Trials. 2020 May;11(5):300. PMID 90000022."
    assert lines[1].startswith("An expression of concern about this article was published: Plant J Trials. 2019 Feb")
    assert (
        lines[2] == "A correction to this article was published: Plant J Trials. 2018 Jun;9(6):99. Table 2 was wrong."
    )
    assert page.text.count("was retracted") == 1
    assert page.evidence.startswith("This article was retracted: Plant J Trials. 2020 May")
    assert page.evidence.endswith(ABSTRACT_ONLY)
    assert "2018 Jan-Feb;9:1-9." in page.text


def test_a_publication_type_or_a_title_is_enough_for_a_retraction():
    body = answer("pubmed_retracted.xml")
    by_type = read(re.sub(rb"<CommentsCorrectionsList>.*</CommentsCorrectionsList>", b"", body))
    assert by_type.text.startswith("This article was retracted, by its publication type.\n")
    plain = re.sub(rb"<CommentsCorrectionsList>.*</CommentsCorrectionsList>", b"", body)
    plain = re.sub(rb"<PublicationType UI=.D016441.>.*?</PublicationType>", b"", plain)
    assert "retracted" not in read(plain).text
    by_title = read(plain.replace(b"<ArticleTitle>", b"<ArticleTitle>RETRACTED: "))
    assert by_title.text.startswith("This article was retracted, by its title.\n")
    assert by_title.evidence.startswith("This article was retracted")


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("RetractionOf", "This is a notice that another article was retracted: "),
        ("RetractedandRepublishedIn", "This article was retracted and republished: "),
        ("CorrectedandRepublishedIn", "This article was corrected and republished: "),
        ("UpdateIn", "A newer version of this article was published: "),
        ("ExpressionOfConcernFor", "This is an expression of concern about another article: "),
        ("CommentIn", "Planticillin halves"),
        ("SummaryForPatientsIn", "Planticillin halves"),
    ],
)
def test_what_became_of_an_article(kind, said):
    body = re.sub(rb"<PublicationType UI=.D016441.>.*?</PublicationType>", b"", answer("pubmed_retracted.xml"))
    body = body.replace(b'"RetractionIn"', f'"{kind}"'.encode()).replace(b'"ErratumIn"', b'"CommentOn"')
    assert read(body.replace(b'"ExpressionOfConcernIn"', b'"CommentOn"')).text.startswith(said)


def test_a_record_without_an_abstract_is_thin():
    body = re.sub(rb"<Abstract>.*</Abstract>", b"", answer("pubmed_trial.xml"))
    page = read(re.sub(rb"<OtherAbstract .*</OtherAbstract>", b"", body), at("pmid", "90000001"))
    assert (page.state, page.evidence) == (
        "thin", "The record in PubMed has no abstract; the article itself was not read.",
    )  # fmt: skip
    assert "Once-daily planticillin" in page.text


EMPTY = b"""<?xml version="1.0" ?>
<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle, 1st January 2025//EN" "https://dtd.nlm.nih.gov/x.dtd">
<PubmedArticleSet></PubmedArticleSet>"""


def test_a_made_up_pmid():
    page = read(EMPTY, at("pmid", "99999999"))
    assert (page.state, page.evidence) == ("soft_404", "PubMed has no record 99999999.")
    assert page.text == ""
    assert page.state not in HOLDS_SOURCE


def test_the_record_of_another_article_is_not_taken():
    page = read(answer("pubmed_trial.xml"), at("pmid", "90000002"))
    assert page.state == "soft_404"
    assert page.evidence == "PubMed answered with record 90000001, not with 90000002, which was asked for."
    assert page.text == page.full_text == page.title == ""


def test_of_several_records_the_one_asked_for_is_read():
    first, second = answer("pubmed_retracted.xml"), answer("pubmed_trial.xml")
    inner = second[second.index(b"<PubmedArticle>") : second.index(b"</PubmedArticleSet>")]
    both = first.replace(b"</PubmedArticleSet>", inner + b"</PubmedArticleSet>")
    assert read(both, at("pmid", "90000001")).title.startswith("Once-daily")
    assert read(both, at("pmid", "90000020")).title.startswith("Planticillin halves")


def test_errors_of_the_services():
    xml = b'<?xml version="1.0" ?><eFetchResult><ERROR>Empty id list - nothing todo</ERROR></eFetchResult>'
    page = read(xml, at("pmid", "1"))
    assert (page.state, page.evidence) == ("http_error", "NCBI answered with an error: Empty id list - nothing todo.")
    limit = b'{"error":"API rate limit exceeded","api-key":"192.0.2.1","count":"4","limit":"3"}'
    page = read(limit, at("pmid", "1"))
    assert (page.state, page.evidence) == ("http_error", "The service answered with an error: API rate limit exceeded.")
    europe = b'{"version":"6.9","errCode":404,"errMsg":"No results found for the given request"}'
    page = read(europe, at("pmid", "1", 1))
    assert page.state == "http_error"
    assert page.evidence == "Europe PMC answered with an error: No results found for the given request."
    kept = read(europe, at("pmid", "1", 1), state="http_error", detail="The server answered with status 404.")
    assert (kept.state, kept.evidence) == ("http_error", "The server answered with status 404.")


# JATS


def test_an_article_in_jats():
    page = read(answer("jats_article.xml"), at("pmcid", "PMC9000100"))
    assert (page.state, page.evidence) == ("ok", "")
    assert page.text.split("\n")[:4] == [
        "Dosing of planticillin by renal function: a cohort",
        "Plant Med. 2022 Sep 5;7(2):e100.",
        "Juniper KL, Larch M.",
        "PMID 90000100, DOI 10.9999/pm.100, PMCID PMC9000100.",
    ]
    assert headings(page) == [
        (1, "Dosing of planticillin by renal function: a cohort"), (2, "Abstract"), (3, "Background"), (3, "Results"),
        (2, "1 Introduction"), (2, "2 Methods"), (3, "2.1 Patients"), (3, "Formula"), (2, "Results"),
        (2, "Discussion"), (3, "Key points"), (2, "Acknowledgements"), (2, "Footnotes"), (2, "Data availability"),
        (2, "Figures and tables"),
    ]  # fmt: skip


JATS_LINES = [
    "| Clearance (mL/min) | Dose | Dose |", "| Clearance (mL/min) | Adults | Over 75 |",
    "| ≥60 | 500 mg[a] | 250 mg |", "| 15–59 | 250 mg | 125 mg |", "Table 1. Daily dose by clearance",
    "All by mouth.", "a Not with warfarin.", "- adults of 18 years and over;", "Figure 1. Levels over 24 hours.",
    "Figure 2. Flow of patients.", "Clearance was reckoned as (140−age)/72×10³.",
    "Planticillin is cleared by the kidney in 25[12] of 100 adults.[1,2] Others disagree [2].",
]  # fmt: skip


@pytest.mark.parametrize("line", JATS_LINES)
def test_lines_of_an_article(line):
    assert line in read(answer("jats_article.xml")).text.split("\n")


def test_the_reference_list_is_only_in_the_full_text():
    page = read(answer("jats_article.xml"))
    for line in ("- 1 Maple N. Clearance. Plant J. 2001;1:1.", "- 2 Oak P Levels 2002", "I doubt the dose.",
                 "Les taux ont doublé.", "- renal impairment"):  # fmt: skip
        assert line in page.full_text.split("\n")
        assert line not in page.text
    for noise in ("PERMISSIONS-TEXT", "documentclass", "t1.jpg"):
        assert noise not in page.full_text


def pmc_set(inner):
    return (
        b'<?xml version="1.0"  ?><!DOCTYPE pmc-articleset PUBLIC "-//NLM//DTD ARTICLE SET 2.0//EN" '
        b'"https://dtd.nlm.nih.gov/ncbi/pmc/articleset/nlm-articleset-2.0.dtd"><pmc-articleset>'
        + inner
        + b"</pmc-articleset>"
    )


def jats_inner():
    body = answer("jats_article.xml")
    return body[body.index(b"<article ") :]


def test_a_set_of_pmc_is_read_for_the_article_asked_for():
    whole = pmc_set(jats_inner())
    assert read(whole, at("pmcid", "PMC9000100", 1)).title.startswith("Dosing of planticillin")
    other = read(whole, at("pmcid", "PMC9000101", 1))
    assert other.state == "soft_404"
    assert "PMC9000100, not with PMC9000101" in other.evidence
    none = read(pmc_set(b'<Reply Id="9000101" error="The following PMCID is not available: 9000101"/>'),
                at("pmcid", "PMC9000101", 1))  # fmt: skip
    assert (none.state, none.evidence) == ("soft_404", "PubMed Central has no record PMC9000101.")


def test_an_article_whose_publisher_withholds_the_text():
    article = re.sub(
        rb"<body>.*</body>(?=\s*<back>)", b"<!--The publisher does not allow it.-->", jats_inner(), flags=re.S
    )
    page = read(pmc_set(article), at("pmcid", "PMC9000100", 1))
    assert page.state == "ok"
    assert page.evidence == f"The record in PubMed Central {ABSTRACT_ONLY}"
    assert "Levels doubled below 30 mL/min." in page.text


def test_a_retraction_in_jats():
    related = (
        b'<related-article related-article-type="retraction-forward" ext-link-type="doi" '
        b'xlink:href="10.9999/pm.200"/><permissions>'
    )
    page = read(answer("jats_article.xml").replace(b"<permissions>", related))
    assert page.text.startswith("This article was retracted: 10.9999/pm.200.\n")
    assert (page.state, page.evidence) == ("ok", "This article was retracted: 10.9999/pm.200.")
    notice = read(answer("jats_article.xml").replace(b'"research-article"', b'"retraction"'))
    assert notice.text.startswith("This is a notice that another article was retracted.\n")


def test_an_article_element_of_html_is_html():
    page = read(b"<article class='post'><h1>Dose</h1><p>" + b"Adults take 5 mg. " * 40 + b"</p></article>")
    assert page.extractor.startswith("trafilatura")


# Europe PMC


def test_a_record_of_europe_pmc():
    page = read(answer("europe_pmc.json"), at("pmid", "90000200", 1), content_type="application/json")
    assert page.state == "ok"
    assert page.evidence == (
        "A correction to this article was published: Plant Obstet. 2021 Feb;4(2):20. PMID 90000201. "
        f"The record in Europe PMC {ABSTRACT_ONLY}"
    )
    assert page.text.split("\n")[:6] == [
        "A correction to this article was published: Plant Obstet. 2021 Feb;4(2):20. PMID 90000201.",
        "",
        "Planticillin in pregnancy: a registry of 10³ births.",
        "Plant Obstet. 2020 Jan;3(1):11-19.",
        "Pine Q, Rowan R, Sorrel S, et al.",
        "PMID 90000200, DOI 10.9999/PM.200, PMCID PMC9000200.",
    ]
    assert headings(page)[1:] == [(2, "Abstract"), (3, "Objective"), (3, "Results"), (3, "Conclusion")]
    assert "31 of 1,004 births (3.1%) with and 2.9% without; p=0.8. The dose was <1 g." in page.text
    assert "<" not in page.text.replace("<1 g", "")


def test_a_doi_in_europe_pmc_is_compared_without_case():
    assert read(answer("europe_pmc.json"), at("doi", "10.9999/pm.200", 1)).state == "ok"
    other = read(answer("europe_pmc.json"), at("doi", "10.9999/pm.201", 1))
    assert other.evidence == (
        "Europe PMC answered with record 10.9999/pm.200, not with 10.9999/pm.201, which was asked for."
    )


def test_no_hits_in_europe_pmc():
    body = b'{"version":"6.9","hitCount":0,"request":{"queryString":"EXT_ID:1"},"resultList":{"result":[]}}'
    page = read(body, at("pmid", "99999999", 1))
    assert (page.state, page.evidence) == ("soft_404", "Europe PMC has no record 99999999.")


def test_retracted_in_europe_pmc():
    known = json.loads(answer("europe_pmc.json"))
    record = known["resultList"]["result"][0]
    record["pubTypeList"]["pubType"].append("Retracted Publication")
    assert read(json.dumps(known).encode()).text.startswith("This article was retracted, by its publication type.\n")
    record["commentCorrectionList"]["commentCorrection"].append({"reference": "P. 2022", "type": "Retraction in"})
    assert read(json.dumps(known).encode()).text.startswith("This article was retracted: P. 2022.\n")


def test_other_json_stays_a_plain_text():
    page = read(b'{"drug": "planticillin", "dose": "5 mg"}', content_type="application/json")
    assert page.extractor == "plain text"


@pytest.mark.parametrize(
    ("url", "asked"),
    [
        ("https://e.example/efetch.fcgi?db=pubmed&id=0123", ("pmid", "123")),
        ("https://e.example/efetch.fcgi?db=pmc&id=123", ("pmcid", "PMC123")),
        ("https://e.example/r/PMC123/fullTextXML", ("pmcid", "PMC123")),
        ("https://e.example/search?query=EXT_ID%3A123%20AND%20SRC%3AMED", ("pmid", "123")),
        ("https://e.example/search?query=aspirin", None),
        ("https://e.example/efetch.fcgi?db=nuccore&id=1", None),
        ("https://[broken/efetch.fcgi?db=pubmed", None),
        ("https://e.example/", None),
    ],
)
def test_what_an_address_asks_for(url, asked):
    assert requested_identifier(url) == asked


MARKED = [
    ("RETRACTED: Statins in mice", "retracted"),
    ("Retracted article: Statins in mice", "retracted"),
    ("[Retracted] Statins in mice", "retracted"),
    ("[RETRACTED]: Statins in mice", "retracted"),
    ("“RETRACTED”: Statins in mice", "retracted"),
    ("WITHDRAWN – Statins in mice", "withdrawn"),
    ("Retracted - Statins in mice", "retracted"),
]


@pytest.mark.parametrize(("title", "kind"), MARKED)
def test_a_mark_is_told_from_the_title_behind_it_and_makes_a_sentence(title, kind):
    mark = retraction_mark(title)

    assert (mark.kind, mark.title) == (kind, "Statins in mice")
    assert notice_of_title(title) == f"This article was {kind}, by its title."


@pytest.mark.parametrize("title", ["Retracted lungs in rats", "Retracted-lid surgery", "Withdrawn from warfarin"])
def test_a_title_that_speaks_of_what_is_retracted_has_no_mark(title):
    assert retraction_mark(title) is None
    assert notice_of_title(title) == ""
