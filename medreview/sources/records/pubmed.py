"""PubMed's XML (``PubmedArticleSet`` of E-utilities efetch) as a record.

Element names: NLM, "MEDLINE/PubMed XML Element Descriptions and their Attributes".
"""

from typing import Any

from medreview.sources.records.notices import ordered_notices
from medreview.sources.records.service_record import (
    Draft,
    Identifier,
    ServiceRecord,
    authors_line,
    finished,
    identifiers_line,
    journal_line,
    list_section,
    missing,
    paragraph,
    types_line,
)
from medreview.sources.records.xml_tree import XML_READER, as_html, words


def read_pubmed(root: Any, asked: Identifier | None) -> ServiceRecord:
    """The record that was asked for (the first when nothing is known about that) of a set of records."""
    found = [
        (words(part, "PMID"), part) for part in root.iter("MedlineCitation", "BookDocument") if words(part, "PMID")
    ]
    wanted = asked[1] if asked and asked[0] == "pmid" else None
    record = next((part for pmid, part in found if wanted in (None, pmid)), None)
    if record is None:
        return missing("PubMed", asked, found[0][0] if found else "", XML_READER)
    draft = _book(record) if record.tag == "BookDocument" else _article(record)
    return finished(draft, XML_READER)


def _article(record: Any) -> Draft:
    article = record.find("Article")
    if article is None:
        article = record
    whole = record.getparent() if record.getparent() is not None else record
    types = [words(kind) for kind in article.iterfind("PublicationTypeList/PublicationType")]
    corrections = [
        (part.get("RefType") or "", _reference(part))
        for part in record.iterfind("CommentsCorrectionsList/CommentsCorrections")
    ]
    journal = article.find("Journal")
    issue = journal.find("JournalIssue") if journal is not None else None
    return Draft(
        service="PubMed",
        notices=ordered_notices(corrections, types),
        lines=[
            journal_line(
                (words(journal, "ISOAbbreviation") or words(journal, "Title")) if journal is not None else "",
                _date(issue.find("PubDate")) if issue is not None else "",
                words(issue, "Volume") if issue is not None else "",
                words(issue, "Issue") if issue is not None else "",
                _pages(article),
            ),
            authors_line([_name(author) for author in article.iterfind("AuthorList/Author")]),
            _identifiers(record, whole),
            types_line(types),
            _registered(article),
        ],
        apart=_apart(record, whole),
        abstract=_abstracts(article, record),
        title=_title(article),
    )


def _book(record: Any) -> Draft:
    book = record.find("Book")
    title = words(book, "BookTitle") if book is not None else ""
    publisher = words(book, "Publisher/PublisherName") if book is not None else ""
    chapter = record.find("ArticleTitle")
    authors = [_name(author) for author in record.iterfind("AuthorList/Author")]
    types = [words(kind) for kind in record.iterfind("PublicationType")]
    return Draft(
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
        apart=list_section("Sections", [words(part, "SectionTitle") for part in record.iterfind("Sections/Section")]),
        title=_title(record) if chapter is not None else paragraph(title, "span"),
    )


def _title(article: Any) -> str:
    for name in ("ArticleTitle", "VernacularTitle"):
        node = article.find(name)
        if node is not None and words(node):
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
        if not words(part):
            continue
        if label := (part.get("Label") or "").strip().rstrip(":"):
            html += paragraph(label, "h3") if label.upper() != "UNLABELLED" else ""
        html += as_html(part, "p")
    return paragraph(heading, "h2") + html if html else ""


def _reference(correction: Any) -> str:
    source, pmid, note = words(correction, "RefSource"), words(correction, "PMID"), words(correction, "Note")
    return " ".join(
        part for part in (f"{source.rstrip('.')}." if source else "", f"PMID {pmid}." if pmid else "", note) if part
    )


def _date(date: Any) -> str:
    if date is None:
        return ""
    parts = [words(date, name) for name in ("Year", "Month", "Season", "Day")]
    return " ".join(part for part in parts if part) or words(date, "MedlineDate")


def _pages(article: Any) -> str:
    first, last = words(article, "Pagination/StartPage"), words(article, "Pagination/EndPage")
    return words(article, "Pagination/MedlinePgn") or (f"{first}-{last}" if first and last else first)


def _name(author: Any) -> str:
    if collective := words(author, "CollectiveName"):
        return collective
    names = (words(author, "LastName"), words(author, "Initials") or words(author, "ForeName"), words(author, "Suffix"))
    return " ".join(name for name in names if name)


def _identifiers(record: Any, whole: Any) -> str:
    known = {}
    for kind in ("doi", "pmc"):
        listed = [
            *whole.iterfind(f"PubmedData/ArticleIdList/ArticleId[@IdType='{kind}']"),
            *record.iterfind(f"ArticleIdList/ArticleId[@IdType='{kind}']"),
            *record.iterfind(f"Article/ELocationID[@EIdType='{kind}']"),
        ]
        known[kind] = next((words(node) for node in listed if words(node)), "")
    return identifiers_line(words(record, "PMID"), known["doi"], known["pmc"])


def _registered(article: Any) -> str:
    banks = [
        f"{words(bank, 'DataBankName')} {', '.join(map(words, bank.iterfind('AccessionNumberList/AccessionNumber')))}"
        for bank in article.iterfind("DataBankList/DataBank")
    ]
    return f"Registered: {'; '.join(bank.strip() for bank in banks)}." if banks else ""


def _apart(record: Any, whole: Any) -> str:
    html = ""
    for other in record.iterfind("OtherAbstract"):
        if (other.get("Type") or "").lower() != "plain-language-summary" or other.get("Language", "eng") != "eng":
            html += _abstract(other, f"Other abstract ({other.get('Language') or 'language not said'})")
    html += list_section("Keywords", [words(keyword) for keyword in record.iterfind("KeywordList/Keyword")])
    headings = []
    for heading in record.iterfind("MeshHeadingList/MeshHeading"):
        names = [words(part) for part in heading.iterfind("*") if part.tag in ("DescriptorName", "QualifierName")]
        headings.append(" / ".join(names))
    html += list_section("MeSH terms", headings)
    return html + list_section(
        "References", [words(part, "Citation") for part in whole.iterfind("PubmedData/ReferenceList//Reference")]
    )
