"""Untrusted markup: HTML and XML limited before they are parsed, XML without external entities or entity expansion.

Time and memory follow the number of tags, not that of characters: every element becomes an object in several passes.
The parser also compares each attribute of a tag with all its others (quadratic time): half a megabyte of attributes
would take it seconds, and fifteen megabytes an hour, which nothing could interrupt. Parts of XML are made HTML here.
"""

import re
from contextlib import suppress
from html.entities import html5
from typing import Any, Final

from lxml import etree

from medreview.sources.reading.charset import decode

MOST_TAGS: Final = 250_000
"""Opening and closing tags of one page that are read. A guideline of 2 MB has some 100,000 of them."""
MOST_ATTRIBUTES: Final = 200
LEAST_LENGTH: Final = 50_000
"""Characters; a shorter page parses fast, whatever it holds."""

_TAG: Final = re.compile(r"<(?:(!--)|(script|style)\b|/?[a-z])", re.IGNORECASE)
_NAME: Final = re.compile(r"[^\s/>]*+")
_ATTRIBUTE: Final = re.compile(
    r"[\s/]*+(?:[^\s/>=][^\s/>=]*+(?:\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s>]*+))?+|=)",
)
_END_OF_CODE: Final = re.compile(r"</(?:script|style)", re.IGNORECASE)


def limit_markup(markup: str, most_tags: int = MOST_TAGS) -> tuple[str, str]:
    """The markup up to its tag number ``most_tags``, with at most :data:`MOST_ATTRIBUTES` attributes in each tag;
    and a sentence that says so where it was cut, else ``""``. Takes linear time."""
    if len(markup) < LEAST_LENGTH:
        return markup, ""
    pieces: list[str] = []
    kept = at = tags = 0
    while tag := _TAG.search(markup, at):
        if tag[1]:
            at = markup.find("-->", tag.end())
            if at < 0:
                break
            continue
        tags += 1
        if tags > most_tags:
            share = 100 * tag.start() // len(markup)
            pieces.append(markup[kept : tag.start()])
            return "".join(pieces), f"Only the first {most_tags:,} tags of the page ({share}% of it) were read."
        name = _NAME.match(markup, tag.start() + 1)
        at = name.end() if name else tag.end()
        if markup.startswith(">", at):
            at += 1
        else:
            at, cut = _past_attributes(markup, at)
            if cut:
                pieces.append(markup[kept:cut])
                kept = at
        if tag[2]:
            end = _END_OF_CODE.search(markup, at)
            if end is None:
                break
            at = end.end()
    pieces.append(markup[kept:])
    return "".join(pieces), ""


def _past_attributes(markup: str, at: int) -> tuple[int, int]:
    """Where the attributes of a tag end, and where they are cut (0: not at all)."""
    count = cut = 0
    while attribute := _ATTRIBUTE.match(markup, at):
        at = attribute.end()
        count += 1
        if count == MOST_ATTRIBUTES:
            cut = at
    return at, cut if count > MOST_ATTRIBUTES else 0


XML_PARSER: Final = "XML records 1"
"""Name and version of the rules for XML records, as stored with each snapshot; it changes when their text does."""

MOST_XML_TAGS: Final = 200_000
"""Opening and closing tags of one document that are read; fewer than of a page, for its HTML has some more of them."""

MATHML: Final = (
    *("math", "mrow", "mi", "mn", "mo", "ms", "mtext", "mspace", "mstyle", "mpadded", "merror", "mphantom", "mfenced"),
    *("msup", "msub", "msubsup", "mfrac", "msqrt", "mroot", "mover", "munder", "munderover", "mtable", "mtr", "mtd"),
    *("semantics", "annotation", "annotation-xml", "menclose", "maction"),
)
"""The elements of MathML, which are not renamed."""

_DECLARATION: Final = re.compile(r"\s*<\?xml\b[^>]{0,300}\?>")
_FORBIDDEN: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_ENTITY: Final = re.compile(r"&([A-Za-z][A-Za-z0-9._-]{0,40});")
_INLINE: Final = {
    "italic": "i", "i": "i", "em": "i", "bold": "b", "b": "b", "strong": "b", "sup": "sup", "sub": "sub",
    "strike": "del", "break": "br", "br": "br",
    "DispFormula": "p", "disp-formula": "p", "p": "p", "xref": "a", "a": "a",
} | {name: name for name in MATHML}  # fmt: skip


def parse_xml(body: bytes, content_type: str = "", most_tags: int = MOST_XML_TAGS) -> tuple[Any, str]:
    """The root element, ``None`` without one and for an entity expansion attack; and a sentence where the document
    was cut before it was parsed, else ``""``.

    Nothing outside of the document is loaded (no DTD, no external entity, no network) and entities that it declares are
    not expanded. Named character references that XML does not define (``&mu;``, ``&ge;``) are replaced as in HTML.
    Element names lose their namespaces. Characters that XML forbids become U+FFFD.
    """
    text, cut = limit_markup(_DECLARATION.sub("", decode(body, content_type), count=1), most_tags)
    text = _ENTITY.sub(_character, text)
    parser = etree.XMLParser(
        encoding="utf-8",
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        attribute_defaults=False,
        huge_tree=False,
        recover=True,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = etree.fromstring(_FORBIDDEN.sub("\ufffd", text).encode("utf-8"), parser=parser)
    except (etree.XMLSyntaxError, ValueError, AssertionError):
        root = None
    if any(error.type_name == "ERR_NO_MEMORY" for error in parser.error_log):
        raise MemoryError
    if root is None or any(error.type_name == "ERR_ENTITY_LOOP" for error in parser.error_log):
        return None, cut
    for node in root.iter("{*}*"):
        if "}" in node.tag:
            with suppress(ValueError):  # the parser accepts names of damaged documents that lxml refuses to set
                node.tag = node.tag.rpartition("}")[2]
    return root, cut


def _character(entity: re.Match[str]) -> str:
    if entity[1] in ("amp", "lt", "gt", "quot", "apos"):
        return entity[0]
    return html5.get(f"{entity[1]};", f"&amp;{entity[0][1:]}")


def text_of(node: Any, path: str = ".") -> str:
    """The text of the first element at a path on one line, without markup; ``""`` without one."""
    found = node.find(path) if path != "." else node
    return "" if found is None else " ".join("".join(found.itertext()).split())


def as_html(node: Any, tag: str) -> str:
    """An element as an HTML element of a given name, in place; inline markup is translated, other elements become
    ``span``."""
    for part in node.iter("*"):
        if part is not node:
            part.tag = _INLINE.get(part.tag, "span")
            part.attrib.clear()
    node.tag = tag
    node.attrib.clear()
    return str(etree.tostring(node, method="html", encoding="unicode", with_tail=False))
