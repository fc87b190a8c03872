"""Untrusted markup: HTML and XML limited before they are parsed, XML without external entities or entity expansion.

Time and memory follow the number of tags, not that of characters: every element becomes an object in several passes.
The parser also compares each attribute of a tag with all its others (quadratic time): half a megabyte of attributes
would take it seconds, and fifteen megabytes an hour, which nothing could interrupt. Parts of XML are made HTML here.
"""

import codecs
import re
from html.entities import html5
from typing import Any, Final

from lxml import etree

_BOMS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_META: Final = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]{1,40})""", re.IGNORECASE)
_XML: Final = re.compile(rb"""^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{1,40})""", re.IGNORECASE)
_HEADER: Final = re.compile(r"""charset\s*=\s*["']?([\w.:-]{1,40})""", re.IGNORECASE)
_PROLOGUE: Final = 4096
_UTF_16: Final = frozenset(
    {"utf-16", "utf16", "utf-16le", "utf-16be", "unicode", "ucs-2", "iso-10646-ucs-2", "csunicode"}
)
# On the web these names mean windows-1252, their superset (WHATWG Encoding Standard).
_WINDOWS: Final = frozenset({"ascii", "us-ascii", "iso-8859-1", "iso8859-1", "latin1", "latin-1", "l1", "windows-1252"})
# The other encodings of the same standard, by Python's names. Python has more codecs, and some of them do not encode
# text. UTF-16 is not among them: a page that declares UTF-16 in ASCII letters is not UTF-16.
_WEB: Final = frozenset(
    {"utf-8", "koi8-r", "koi8-u", "cp866", "cp874", "mac-roman", "mac-cyrillic", "gbk", "gb2312", "gb18030", "big5"}
    | {"big5hkscs", "euc_jp", "iso2022_jp", "shift_jis", "cp932", "euc_kr", "cp949"}
    | {f"cp{number}" for number in range(1250, 1259)}
    | {f"iso8859-{number}" for number in range(2, 17)}
)
# By the same standard these names mean a superset, and many pages that declare them use its additional characters.
_SUPERSET: Final = {
    "shift_jis": "cp932", "euc_kr": "cp949", "gb2312": "gb18030", "gbk": "gb18030", "big5": "big5hkscs",
    "iso8859-9": "cp1254", "iso8859-11": "cp874",
}  # fmt: skip


def utf_16_by_header(body: bytes, content_type: str) -> str | None:
    """A body without a byte order mark as text, when its Content-Type header says UTF-16 and its bytes agree.

    Which byte of two is the higher one is told from the bytes, else from the name; ``utf-16`` alone means the lower one
    first (WHATWG Encoding Standard).
    """
    header = _HEADER.search(content_type)
    if header is None or header[1].lower().replace("_", "-") not in _UTF_16 or len(body) < 2:
        return None
    start = body[:_PROLOGUE]
    if b"\0" not in start and _is_utf_8(start):
        return None
    nulls = start[::2].count(0), start[1::2].count(0)
    big = nulls[0] > nulls[1] if max(nulls) > len(start) // 16 else header[1].lower().endswith("be")
    name = "utf-16-be" if big else "utf-16-le"
    try:
        opening = start[: len(start) // 2 * 2 - 2].decode(name)
    except UnicodeDecodeError:
        return None
    strange = sum(1 for character in opening if not (character.isprintable() or character.isspace()))
    return None if strange > len(opening) // 20 else body.decode(name, "replace")


def _is_utf_8(start: bytes) -> bool:
    """Whether bytes, which may end within a character, are UTF-8."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(start)
    except UnicodeDecodeError:
        return False
    return True


def decode(body: bytes, content_type: str = "") -> str:
    """A body as text, in the encoding of its byte order mark, else UTF-8 if it is valid UTF-8, else the encoding that
    the page declares, else that of the Content-Type header, else windows-1252.

    Valid UTF-8 comes before every declaration, because text in another encoding is hardly ever valid UTF-8 by chance,
    while declarations are often wrong. Never raises: what cannot be decoded becomes U+FFFD.
    """
    for mark, name in _BOMS:
        if body.startswith(mark):
            return body[len(mark) :].decode(name, "replace")
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        pass
    prologue = body[:_PROLOGUE]
    for found in (_META.search(prologue), _XML.search(prologue)):
        if found and (declared := _codec(found[1].decode("ascii", "replace"))):
            return _as_declared(body, declared)
    if (header := _HEADER.search(content_type)) and (declared := _codec(header[1])):
        return _as_declared(body, declared)
    return body.decode("windows-1252", "replace")


def _as_declared(body: bytes, name: str) -> str:
    """A body in its declared encoding; one that declares UTF-8 and mostly is not is decoded as windows-1252."""
    text = body.decode(name, "replace")
    if name == "utf-8":
        beyond_ascii = len(text) - len(text.encode("ascii", "ignore"))
        if 2 * text.count("\ufffd") > beyond_ascii:
            return body.decode("windows-1252", "replace")
    return text


def _codec(name: str) -> str | None:
    """Python's codec for a declared encoding, ``None`` for a name that is not an encoding of the web."""
    if name.lower() in _WINDOWS:
        return "windows-1252"
    try:
        known = codecs.lookup(name).name
    except (LookupError, ValueError):
        return None
    return _SUPERSET.get(known, known) if known in _WEB else None


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


def parse_xml(body: bytes, content_type: str = "") -> tuple[Any, str]:
    """The root element, ``None`` when there is none and for an entity expansion attack; and a sentence where the
    document was cut before it was parsed, else ``""``.

    Nothing outside of the document is loaded (no DTD, no external entity, no network) and entities that it declares are
    not expanded. Named character references that XML does not define (``&mu;``, ``&ge;``) are replaced as in HTML.
    Element names lose their namespaces. Characters that XML forbids become U+FFFD.
    """
    text, cut = limit_markup(_DECLARATION.sub("", decode(body, content_type), count=1), MOST_XML_TAGS)
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
            node.tag = node.tag.rpartition("}")[2]
    return root, cut


def _character(entity: re.Match[str]) -> str:
    if entity[1] in ("amp", "lt", "gt", "quot", "apos"):
        return entity[0]
    return html5.get(f"{entity[1]};", f"&amp;{entity[0][1:]}")


def text_of(node: Any, path: str = ".") -> str:
    """The text of the first element at a path on one line, without markup; ``""`` when there is none."""
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
