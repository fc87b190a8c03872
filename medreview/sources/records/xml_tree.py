"""XML from outside, read without following anything that it names, and parts of it as HTML."""

import re
from html.entities import html5
from typing import Any, Final

from lxml import etree

from medreview.sources.reading.charset import decode

XML_READER: Final = "XML records 1"
"""Name and version of the rules that make a text of XML; it changes when that text changes."""

MATHML: Final = (
    *("math", "mrow", "mi", "mn", "mo", "ms", "mtext", "mspace", "mstyle", "mpadded", "merror", "mphantom", "mfenced"),
    *("msup", "msub", "msubsup", "mfrac", "msqrt", "mroot", "mover", "munder", "munderover", "mtable", "mtr", "mtd"),
    *("semantics", "annotation", "annotation-xml", "menclose", "maction"),
)
"""The elements of formulas, which keep their names."""

_DECLARATION: Final = re.compile(r"\s*<\?xml\b[^>]{0,300}\?>")
_FORBIDDEN: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_ENTITY: Final = re.compile(r"&([A-Za-z][A-Za-z0-9._-]{0,40});")
_INLINE: Final = {
    "italic": "i", "i": "i", "em": "i", "bold": "b", "b": "b", "strong": "b", "sup": "sup", "sub": "sub",
    "strike": "del", "break": "br", "br": "br",
    "DispFormula": "p", "disp-formula": "p", "p": "p", "xref": "a", "a": "a",
} | {name: name for name in MATHML}  # fmt: skip


def parse_xml(body: bytes, content_type: str = "") -> Any:
    """The root element, ``None`` when there is none or the document attacks its reader.

    Nothing outside of the document is loaded (no DTD, no external entity, no network) and no entity of its own is
    replaced. Names of characters that XML does not know (``&mu;``, ``&ge;``) become what HTML means by them.
    Element names lose their namespaces. Characters that XML forbids become U+FFFD.
    """
    text = _ENTITY.sub(_character, _DECLARATION.sub("", decode(body, content_type), count=1))
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
        return None
    if root is None or any(error.type_name == "ERR_ENTITY_LOOP" for error in parser.error_log):
        return None
    for node in root.iter("{*}*"):
        if "}" in node.tag:
            node.tag = node.tag.rpartition("}")[2]
    return root


def _character(entity: re.Match[str]) -> str:
    if entity[1] in ("amp", "lt", "gt", "quot", "apos"):
        return entity[0]
    return html5.get(f"{entity[1]};", f"&amp;{entity[0][1:]}")


def words(node: Any, path: str = ".") -> str:
    """The text of the first element at a path in one line, without markup; ``""`` when there is none."""
    found = node.find(path) if path != "." else node
    return "" if found is None else " ".join("".join(found.itertext()).split())


def as_html(node: Any, tag: str) -> str:
    """An element with its inline markup as an HTML element of a given name; other markup inside it is left out."""
    for part in node.iter("*"):
        if part is not node:
            part.tag = _INLINE.get(part.tag, "span")
            part.attrib.clear()
    node.tag = tag
    node.attrib.clear()
    return str(etree.tostring(node, method="html", encoding="unicode", with_tail=False))
