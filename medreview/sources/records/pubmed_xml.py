"""PubMed's XML (``PubmedArticleSet`` of E-utilities efetch) as a record.

Element names: NLM, "MEDLINE/PubMed XML Element Descriptions and their Attributes".
"""

from typing import Any

from medreview.sources.reading.untrusted_markup import XML_PARSER, as_html, text_of
from medreview.sources.records.notices import ordered_notices
from medreview.sources.records.service_record import (
    Identifier,
    RecordDraft,
    ServiceRecord,
    authors_line,
    build_record,
    identifiers_line,
    journal_line,
    list_section,
    missing_record,
    paragraph,
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
