"""JATS, the XML of full articles (Europe PMC fullTextXML, E-utilities efetch of PMC), as a record.

Element names: ANSI/NISO Z39.96, Journal Archiving and Interchange tag set. The elements of the article's tree are
renamed to the equivalent HTML elements, and the text is extracted by the rules for pages.
"""

import re
from typing import Any, Final

from lxml import etree

from medreview.sources.reading.untrusted_markup import MATHML, XML_PARSER, as_html, text_of
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
    ordered_notices,
    paragraph,
    types_line,
)

_HTML: Final = {
    "italic": "i", "bold": "b", "sup": "sup", "sub": "sub", "sc": "span", "monospace": "span", "break": "br",
    "strike": "del", "list-item": "li",
    "def-list": "dl", "def-item": "div", "term": "dt", "def": "dd", "disp-quote": "blockquote",
    "preformat": "pre", "code": "pre", "table": "table", "thead": "thead", "tbody": "tbody", "tfoot": "tfoot",
    "tr": "tr", "td": "td", "th": "th", "row": "tr", "entry": "td",
} | {name: name for name in MATHML}  # fmt: skip
_BLOCKS: Final = frozenset(
    {"abstract", "ack", "app", "app-group", "back", "body", "boxed-text", "caption", "disp-formula"}
    | {"disp-formula-group", "fig", "fig-group", "floats-group", "fn", "fn-group", "glossary", "label", "notes", "p"}
    | {"sec", "speech", "statement", "supplementary-material", "table-wrap", "table-wrap-foot", "table-wrap-group"}
    | {"title", "trans-abstract", "verse-group", "verse-line", "attrib", "media", "question", "answer"}
)
_SECTIONS: Final = frozenset(
    {"abstract", "trans-abstract", "sec", "boxed-text", "ack", "app", "fn-group", "glossary", "notes", "floats-group"}
)
_DEFAULT_TITLES: Final = {"ack": "Acknowledgements", "fn-group": "Footnotes", "glossary": "Glossary", "app": "Appendix",
                 "floats-group": "Figures and tables", "abstract": "Abstract"}  # fmt: skip
_DROPPED: Final = frozenset(
    {"graphic", "inline-graphic", "object-id", "sec-meta", "permissions", "col", "colgroup", "processing-meta", "media"}
)
_SPAN_ATTRIBUTES: Final = ("colspan", "rowspan")
_REFERENCE_MARK: Final = re.compile(r"[\d*\u2020\u2021a-z]{1,3}([,\u2013-][\d]{1,3})*")
_SEPARATOR: Final = re.compile(r"\s*[,;\u2013-]\s*")
_FORMULA: Final = re.compile(r"\$\$?(.+?)\$\$?", re.DOTALL)
_HEADING: Final = re.compile(r"h[1-6]")
_REFERENCE_TYPES: Final = frozenset({"bibr", "fn", "table-fn"})
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_TYPES: Final = {"retraction": "retractionnotice", "correction": "publishederratum",
                 "expression-of-concern": "expressionofconcern", "retracted-article": "retractedpublication",
                 "preprint-withdrawal": "preprintwithdrawal", "preprint-removal": "preprintremoval"}  # fmt: skip
_RELATED: Final = {
    "retraction-forward": "retractionin", "retraction": "retractionin", "partial-retraction": "partialretractionin",
    "retracted-article": "retractionof", "correction-forward": "erratumin", "corrected-article": "erratumfor",
    "concern-forward": "expressionofconcernin", "expression-of-concern": "expressionofconcernin",
    "object-of-concern": "expressionofconcernfor", "republished-article": "correctedandrepublishedin",
}  # fmt: skip


def read_jats(root: Any, requested: Identifier | None) -> ServiceRecord:
    """The requested article (the first when the request is unknown)."""
    articles = [root] if root.tag == "article" else root.findall("article")
    found = [(_identifier(article, "pmcid"), article) for article in articles]
    wanted = requested[1] if requested and requested[0] == "pmcid" else None
    # An article that does not state its PMCID is accepted: its URL did.
    article = next((one for value, one in found if wanted is None or value in (wanted, "")), None)
    if article is None:
        return missing_record("PubMed Central", requested, found[0][0] if found else "", XML_PARSER)
    return build_record(_draft(article), XML_PARSER)


def _draft(article: Any) -> RecordDraft:
    meta = article.find("front/article-meta")
    meta = etree.Element("article-meta") if meta is None else meta
    draft = RecordDraft(service="PubMed Central", notices=_notices(article, meta), lines=_lines(article, meta))
    title = meta.find("title-group/article-title")
    subtitle = text_of(meta, "title-group/subtitle")
    draft.title = as_html(title, "span") if title is not None and text_of(title) else "(without a title)"
    draft.title += paragraph(f": {subtitle}", "span") if subtitle else ""
    draft.full_text_only = list_section("Keywords", [text_of(word) for word in meta.iterfind("kwd-group/kwd")])
    draft.full_text_only += list_section("References", _references(article))
    for ref_list in list(article.iter("ref-list")):
        _remove(ref_list)
    abstracts, translations = meta.findall("abstract"), meta.findall("trans-abstract")
    main = [part for name in ("body", "back", "floats-group") for part in article.findall(name)]
    attached = [*article.findall("sub-article"), *article.findall("response")]
    has_body = any(text_of(part) for part in article.findall("body"))
    draft.abstract = "".join(map(_as_html, abstracts))
    draft.body = "".join(map(_as_html, main)) if has_body else ""
    for part in translations:
        draft.full_text_only += paragraph("Abstract in another language", "h2") + _as_html(part)
    for part in attached:
        name = text_of(part, "front-stub/title-group/article-title") or "Attached article"
        draft.full_text_only += paragraph(name, "h2") + "".join(map(_as_html, part.findall("body")))
    return draft


def _identifier(article: Any, kind: str) -> str:
    names = ("pmc", "pmcid") if kind == "pmcid" else (kind,)
    for node in article.iterfind("front/article-meta/article-id"):
        if node.get("pub-id-type") in names and (value := text_of(node)):
            return f"PMC{value.upper().removeprefix('PMC')}" if kind == "pmcid" else value
    return ""


def _notices(article: Any, meta: Any) -> list[str]:
    corrections = []
    for related in meta.iterfind("related-article"):
        link = related.get("{http://www.w3.org/1999/xlink}href") or ""
        kind = _RELATED.get(related.get("related-article-type") or "", "")
        corrections.append((kind, text_of(related) or link))
    return ordered_notices(corrections, [_TYPES.get(article.get("article-type") or "", "")])


def _lines(article: Any, meta: Any) -> list[str]:
    journal = next(
        (
            text
            for path in (
                "journal-id[@journal-id-type='nlm-ta']",
                "journal-id[@journal-id-type='iso-abbrev']",
                "journal-title-group/journal-title",
                "journal-title",
            )
            if (text := text_of(article, f"front/journal-meta/{path}"))
        ),
        "",
    )
    first, last = text_of(meta, "fpage"), text_of(meta, "lpage")
    pages = (f"{first}-{last}" if last and last != first else first) or text_of(meta, "elocation-id")
    authors = [_name(contrib) for contrib in meta.iterfind("contrib-group/contrib[@contrib-type='author']")]
    return [
        journal_line(journal, _date(meta), text_of(meta, "volume"), text_of(meta, "issue"), pages),
        authors_line(authors),
        identifiers_line(*(_identifier(article, kind) for kind in ("pmid", "doi", "pmcid"))),
        types_line(["Preprint"] if (article.get("article-type") or "").startswith("preprint") else []),
    ]


def _date(meta: Any) -> str:
    """The first publication date that is not the date of a deposit (in PMC, by NIHMS)."""
    for date in meta.iterfind("pub-date"):
        if (year := text_of(date, "year")) and not (date.get("pub-type") or "").startswith(("pmc", "nihms")):
            month = text_of(date, "month")
            if month.isascii() and month.isdecimal() and 1 <= int(month[:4]) <= 12:
                month = _MONTHS[int(month) - 1]
            return " ".join(part for part in (year, month, text_of(date, "day").lstrip("0")) if part)
    return ""


def _name(contrib: Any) -> str:
    given = text_of(contrib, "name/given-names")
    initials = "".join(part[0] for part in re.split(r"[\s.-]+", given) if part)
    name = " ".join(
        part for part in (text_of(contrib, "name/surname"), initials, text_of(contrib, "name/suffix")) if part
    )
    return name or text_of(contrib, "collab") or text_of(contrib, "string-name")


def _references(article: Any) -> list[str]:
    """The reference list, one reference a line; the elements of an ``element-citation`` are separated by spaces."""
    lines = []
    for reference in article.iterfind(".//ref-list//ref"):
        parts = []
        for part in reference:
            texts = part.itertext() if part.tag != "element-citation" else (f" {text}" for text in part.itertext())
            parts.append(" ".join("".join(texts).split()))
        lines.append(" ".join(part for part in parts if part))
    return lines


def _as_html(part: Any) -> str:
    """A part of an article as HTML; its tree is renamed in place."""
    _drop_elements_without_text(part)
    for node in list(part.iter(*_DEFAULT_TITLES)):
        parent = node.getparent()
        if node.find("title") is None and (node.tag != "fn-group" or (parent is not None and parent.tag == "back")):
            title = etree.Element("title")
            title.text = (node.get("abstract-type") or _DEFAULT_TITLES[node.tag]).replace("-", " ").capitalize()
            node.insert(1 if node.find("label") is not None else 0, title)
    for label in list(part.iter("label")):
        _merge_label(label)
    for reference in list(part.iter("xref")):
        _to_superscript(reference)
    _set_heading_levels(part)
    for node in part.iter("*"):
        kept = {name: node.get(name) for name in _SPAN_ATTRIBUTES if node.get(name) and node.tag in ("td", "th")}
        if node.tag == "list":
            node.tag = "ol" if node.get("list-type") in ("order", "roman-lower", "alpha-lower") else "ul"
        elif not _HEADING.fullmatch(node.tag):
            if node.tag == "sup" and node.get("class") == "reference":
                kept["class"] = "reference"
            node.tag = _HTML.get(node.tag, "div" if node.tag in _BLOCKS else "span")
        node.attrib.clear()
        node.attrib.update(kept)
    part.tag = "div"
    return str(etree.tostring(part, method="html", encoding="unicode", with_tail=False))


def _drop_elements_without_text(part: Any) -> None:
    for node in list(part.iter(*_DROPPED)):
        _remove(node)
    for formula in list(part.iter("tex-math")):
        parent = formula.getparent()
        if parent is not None and parent.find("math") is not None:
            _remove(formula)
        elif found := _FORMULA.search(formula.text or ""):
            formula.text = found[1]


def _merge_label(label: Any) -> None:
    """Write a label ("Table 2", "a") before the text that it belongs to, so that both are on one line."""
    holder, text, target = label.getparent(), text_of(label), label.getnext()
    while target is not None and target.tag == "caption":
        target = target[0] if len(target) else None
    if target is None or target.tag not in ("title", "p") or not text:
        return
    stop = "." if text[-1].isalnum() and holder.tag not in ("sec", "fn", "list-item", "app") else ""
    target.text = f"{text}{stop} {target.text or ''}"
    _remove(label)


def _to_superscript(reference: Any) -> None:
    """Make a reference mark a superscript where it would merge with a number: "25" and "12" are not "2512"."""
    parent, previous = reference.getparent(), reference.getprevious()
    if reference.get("ref-type") not in _REFERENCE_TYPES or parent is None:
        return
    if parent.tag == "sup":
        parent.set("class", "reference")
        return
    if len(reference) == 1 and reference[0].tag == "sup" and not (reference.text or "").strip():
        reference[0].set("class", "reference")
        return
    before = (parent.text if previous is None else previous.tail) or ("x" if previous is not None else "")
    goes_on = previous is not None and previous.get("class") == "reference" and _SEPARATOR.fullmatch(before)
    if _REFERENCE_MARK.fullmatch(text_of(reference)) and (goes_on or re.search(r"[^\s\[({,\u2013-]\Z", before)):
        reference.tag = "sup"
        reference.set("class", "reference")


def _set_heading_levels(part: Any) -> None:
    depth = 0
    for event, node in etree.iterwalk(part, events=("start", "end")):
        if node.tag in _SECTIONS:
            depth += 1 if event == "start" else -1
        elif node.tag == "title" and event == "end":
            holder = node.getparent()
            if holder is not None and holder.tag == "caption" and holder.getparent() is not None:
                holder = holder.getparent() if holder.getparent().tag == "boxed-text" else holder
            node.tag = f"h{min(1 + depth, 6)}" if holder is not None and holder.tag in _SECTIONS else "p"


def _remove(node: Any) -> None:
    """Empty an element; the text after it stays. Detaching it would append that text to an ever longer one each time,
    which takes quadratic time."""
    tail = node.tail
    node.clear()
    node.tag, node.tail = "removed", tail
