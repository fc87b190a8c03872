"""PubMed's XML (``PubmedArticleSet`` of E-utilities efetch), and the JSON of Europe PMC's search, as records.

Names of elements and fields: NLM, "MEDLINE/PubMed XML Element Descriptions and their Attributes"; Europe PMC,
"Articles RESTful API", response of the search method (``resultType=core``).
"""

import json
import re
from typing import Any, Final

from medreview.sources.reading.charset import decode
from medreview.sources.reading.untrusted_markup import XML_PARSER, as_html, text_of
from medreview.sources.records.service_record import (
    Identifier,
    RecordDraft,
    ServiceRecord,
    authors_line,
    build_record,
    empty_record,
    identifiers_line,
    journal_line,
    list_section,
    missing_record,
    ordered_notices,
    paragraph,
    service_error,
    types_line,
)


def read_pubmed(root: Any, requested: Identifier | None) -> ServiceRecord:
    """The requested record (the first when the request is unknown) of a set of records."""
    found = [
        (text_of(part, "PMID"), part) for part in root.iter("MedlineCitation", "BookDocument") if text_of(part, "PMID")
    ]
    wanted = requested[1] if requested and requested[0] == "pmid" else None
    record = next((part for pmid, part in found if wanted in (None, pmid)), None)
    if record is None:
        return missing_record("PubMed", requested, found[0][0] if found else "", XML_PARSER)
    draft = _book(record) if record.tag == "BookDocument" else _article(record)
    return build_record(draft, XML_PARSER)


def _article(record: Any) -> RecordDraft:
    article = record.find("Article")
    if article is None:
        article = record
    whole = record.getparent() if record.getparent() is not None else record
    types = [text_of(kind) for kind in article.iterfind("PublicationTypeList/PublicationType")]
    corrections = [
        (part.get("RefType") or "", _reference(part))
        for part in record.iterfind("CommentsCorrectionsList/CommentsCorrections")
    ]
    journal = article.find("Journal")
    issue = journal.find("JournalIssue") if journal is not None else None
    return RecordDraft(
        service="PubMed",
        notices=ordered_notices(corrections, types),
        lines=[
            journal_line(
                (text_of(journal, "ISOAbbreviation") or text_of(journal, "Title")) if journal is not None else "",
                _date(issue.find("PubDate")) if issue is not None else "",
                text_of(issue, "Volume") if issue is not None else "",
                text_of(issue, "Issue") if issue is not None else "",
                _pages(article),
            ),
            authors_line([_name(author) for author in article.iterfind("AuthorList/Author")]),
            _identifiers(record, whole),
            types_line(types),
            _registered(article),
        ],
        full_text_only=_full_text_only(record, whole),
        abstract=_abstracts(article, record),
        title=_title(article),
    )


def _book(record: Any) -> RecordDraft:
    book = record.find("Book")
    title = text_of(book, "BookTitle") if book is not None else ""
    publisher = text_of(book, "Publisher/PublisherName") if book is not None else ""
    chapter = record.find("ArticleTitle")
    authors = [_name(author) for author in record.iterfind("AuthorList/Author")]
    types = [text_of(kind) for kind in record.iterfind("PublicationType")]
    return RecordDraft(
        service="PubMed",
        lines=[
            " ".join(
                f"{part.rstrip('.')}."
                for part in (
                    f"In: {title}" if chapter is not None and title else "",
                    publisher,
                    _date(book.find("PubDate")) if book is not None else "",
                )
                if part
            ),
            authors_line(authors),
            _identifiers(record, record),
            types_line(types),
        ],
        abstract=_abstracts(record, record),
        full_text_only=list_section(
            "Sections", [text_of(part, "SectionTitle") for part in record.iterfind("Sections/Section")]
        ),
        title=_title(record) if chapter is not None else paragraph(title, "span"),
    )


def _title(article: Any) -> str:
    for name in ("ArticleTitle", "VernacularTitle"):
        node = article.find(name)
        if node is not None and text_of(node):
            return as_html(node, "span")
    return "(without a title)"


def _abstracts(article: Any, record: Any) -> str:
    """The abstract under a heading, its labelled sections under headings of their own, then a plain summary."""
    html = "".join(_abstract(abstract, "Abstract") for abstract in article.iterfind("Abstract"))
    for other in record.iterfind("OtherAbstract"):
        if (other.get("Type") or "").lower() == "plain-language-summary" and other.get("Language", "eng") == "eng":
            html += _abstract(other, "Plain language summary")
    return html


def _abstract(abstract: Any, heading: str) -> str:
    """An abstract as HTML; a label without text is left out."""
    html = ""
    for part in abstract.iterfind("AbstractText"):
        if not text_of(part):
            continue
        if label := (part.get("Label") or "").strip().rstrip(":"):
            html += paragraph(label, "h3") if label.upper() != "UNLABELLED" else ""
        html += as_html(part, "p")
    return paragraph(heading, "h2") + html if html else ""


def _reference(correction: Any) -> str:
    source, pmid, note = (
        text_of(correction, "RefSource"),
        text_of(correction, "PMID"),
        text_of(correction, "Note"),
    )
    return " ".join(
        part for part in (f"{source.rstrip('.')}." if source else "", f"PMID {pmid}." if pmid else "", note) if part
    )


def _date(date: Any) -> str:
    if date is None:
        return ""
    parts = [text_of(date, name) for name in ("Year", "Month", "Season", "Day")]
    return " ".join(part for part in parts if part) or text_of(date, "MedlineDate")


def _pages(article: Any) -> str:
    first, last = text_of(article, "Pagination/StartPage"), text_of(article, "Pagination/EndPage")
    return text_of(article, "Pagination/MedlinePgn") or (f"{first}-{last}" if first and last else first)


def _name(author: Any) -> str:
    if collective := text_of(author, "CollectiveName"):
        return collective
    names = (
        text_of(author, "LastName"),
        text_of(author, "Initials") or text_of(author, "ForeName"),
        text_of(author, "Suffix"),
    )
    return " ".join(name for name in names if name)


def _identifiers(record: Any, whole: Any) -> str:
    known = {}
    for kind in ("doi", "pmc"):
        listed = [
            *whole.iterfind(f"PubmedData/ArticleIdList/ArticleId[@IdType='{kind}']"),
            *record.iterfind(f"ArticleIdList/ArticleId[@IdType='{kind}']"),
            *record.iterfind(f"Article/ELocationID[@EIdType='{kind}']"),
        ]
        known[kind] = next((text_of(node) for node in listed if text_of(node)), "")
    return identifiers_line(text_of(record, "PMID"), known["doi"], known["pmc"])


def _registered(article: Any) -> str:
    banks = []
    for bank in article.iterfind("DataBankList/DataBank"):
        numbers = ", ".join(map(text_of, bank.iterfind("AccessionNumberList/AccessionNumber")))
        banks.append(f"{text_of(bank, 'DataBankName')} {numbers}".strip())
    return f"Registered: {'; '.join(banks)}." if banks else ""


def _full_text_only(record: Any, whole: Any) -> str:
    html = ""
    for other in record.iterfind("OtherAbstract"):
        if (other.get("Type") or "").lower() != "plain-language-summary" or other.get("Language", "eng") != "eng":
            html += _abstract(other, f"Other abstract ({other.get('Language') or 'language not said'})")
    html += list_section("Keywords", [text_of(keyword) for keyword in record.iterfind("KeywordList/Keyword")])
    headings = []
    for heading in record.iterfind("MeshHeadingList/MeshHeading"):
        names = [text_of(part) for part in heading.iterfind("*") if part.tag in ("DescriptorName", "QualifierName")]
        headings.append(" / ".join(names))
    html += list_section("MeSH terms", headings)
    return html + list_section(
        "References", [text_of(part, "Citation") for part in whole.iterfind("PubmedData/ReferenceList//Reference")]
    )


EUROPE_PMC_PARSER: Final = "Europe PMC records 1"
"""Name and version of these rules, as stored with each snapshot."""

_HEADING: Final = re.compile(r"<(/?)h[1-6]\b[^<>]*>", re.IGNORECASE)
_ESCAPED_TWICE: Final = re.compile(r"&amp;(#?\w{2,8});")
_ESCAPED_TAG: Final = re.compile(r"&lt;(/?(?:i|b|u|em|strong|sup|sub|h[1-6]|p|br))\s{0,3}/?&gt;", re.IGNORECASE)
_SERVICE: Final = "Europe PMC"


def read_europe_pmc(body: bytes, requested: Identifier | None) -> ServiceRecord:
    """The requested record (the first when the request is unknown) of a search response."""
    try:
        answer = json.loads(decode(body))
    except (ValueError, RecursionError):
        return empty_record(
            "not_text", "The JSON is broken, or built to do harm, and cannot be read.", EUROPE_PMC_PARSER
        )
    if not isinstance(answer, dict):
        return empty_record("not_text", "The JSON holds no records.", EUROPE_PMC_PARSER)
    if "resultList" not in answer and ("errCode" in answer or "error" in answer):
        who = _SERVICE if "errCode" in answer else "The service"
        return service_error(who, _text(answer.get("errMsg")) or _text(answer.get("error")), EUROPE_PMC_PARSER)
    results = [result for result in _items(answer, "resultList", "result") if isinstance(result, dict)]
    if not results and answer.get("hitCount") not in (0, "0") and not _is_empty(answer):
        return empty_record("not_text", "The JSON is not as Europe PMC documents it.", EUROPE_PMC_PARSER)
    matching = [result for result in results if _matches(result, requested)]
    if not matching:
        other = next((found for result in results if (found := _identifier(result, requested))), "")
        return missing_record(_SERVICE, requested, other, EUROPE_PMC_PARSER)
    # One article may be listed as a PubMed record and as a preprint or a patent: prefer PubMed, then an abstract.
    best = max(matching, key=lambda result: (result.get("source") == "MED", bool(_text(result.get("abstractText")))))
    return build_record(_draft(best), EUROPE_PMC_PARSER)


def _is_empty(answer: dict[str, Any]) -> bool:
    listed = answer.get("resultList")
    return isinstance(listed, dict) and listed.get("result") == []


def _identifier(result: dict[str, Any], requested: Identifier | None) -> str:
    match requested and requested[0]:
        case "doi":
            return _text(result.get("doi")).lower()
        case "pmcid":
            return _text(result.get("pmcid")).upper()
    return _text(result.get("pmid")) or _text(result.get("id"))


def _matches(result: dict[str, Any], requested: Identifier | None) -> bool:
    return requested is None or _identifier(result, requested) == requested[1]


def _draft(result: dict[str, Any]) -> RecordDraft:
    journal = _object(result, "journalInfo")
    name = _object(journal, "journal")
    types = _texts(result, "pubTypeList", "pubType")
    corrections = [
        (_text(part.get("type")), _core_reference(part))
        for part in _items(result, "commentCorrectionList", "commentCorrection")
        if isinstance(part, dict)
    ]
    names = [
        _text(author.get("fullName")) or _text(author.get("collectiveName"))
        for author in _items(result, "authorList", "author")
        if isinstance(author, dict)
    ]
    abstract = _HEADING.sub(r"<\1h3>", _markup(result.get("abstractText")))
    return RecordDraft(
        service=_SERVICE,
        title=_HEADING.sub("", _markup(result.get("title"))) or "(without a title)",
        notices=ordered_notices(corrections, types),
        lines=[
            journal_line(
                _text(name.get("medlineAbbreviation"))
                or _text(name.get("isoabbreviation"))
                or _text(name.get("title"))
                or _text(_object(result, "bookOrReportDetails").get("publisher")),
                _text(journal.get("dateOfPublication")) or _text(result.get("pubYear")),
                _text(journal.get("volume")),
                _text(journal.get("issue")),
                _text(result.get("pageInfo")),
            ),
            authors_line(names) or _text(result.get("authorString")),
            identifiers_line(*(_text(result.get(key)) for key in ("pmid", "doi", "pmcid"))),
            types_line(types),
        ],
        abstract=f"<h2>Abstract</h2><div>{abstract}</div>" if abstract.strip() else "",
        full_text_only=list_section("Keywords", _texts(result, "keywordList", "keyword")),
    )


def _core_reference(correction: dict[str, Any]) -> str:
    reference, identifier = _text(correction.get("reference")), _text(correction.get("id"))
    sentence = f"{reference.rstrip('. ')}." if reference else ""
    return f"{sentence} PMID {identifier}".strip() if identifier and correction.get("source") == "MED" else sentence


def _text(value: object) -> str:
    """A JSON string or number as text; ``""`` for any other value."""
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""


def _markup(value: object) -> str:
    """A JSON string as HTML. Some records are escaped twice: "&amp;lt; 30", "&lt;sup&gt;"."""
    return _ESCAPED_TAG.sub(r"<\1>", _ESCAPED_TWICE.sub(r"&\1;", _text(value)))


def _object(holder: dict[str, Any], name: str) -> dict[str, Any]:
    value = holder.get(name)
    return value if isinstance(value, dict) else {}


def _items(holder: dict[str, Any], outer: str, inner: str) -> list[Any]:
    value = _object(holder, outer).get(inner)
    return value if isinstance(value, list) else []


def _texts(holder: dict[str, Any], outer: str, inner: str) -> list[str]:
    return [text for item in _items(holder, outer, inner) if (text := _text(item))]
