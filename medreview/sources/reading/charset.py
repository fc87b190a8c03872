"""Bytes as text: the encoding of a body by byte order mark, declaration or header, and the page in an MHTML file."""

import codecs
import re
from typing import Final, NamedTuple

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

    The bytes show which of two is the higher one, else the name; ``utf-16`` alone means the lower one first (WHATWG
    Encoding Standard).
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


_HEAD: Final = re.compile(
    rb"(?:[\w-]+:[^\n]*\n(?:[ \t]+[^\n]*\n)*){0,30}?Content-Type:\s*multipart/related", re.IGNORECASE
)
_ADDRESSES: Final = ("Snapshot-Content-Location", "Content-Location")
_PAGES: Final = ("text/html", "application/xhtml+xml")


class SavedByBrowser(NamedTuple):
    """The page in such a file: its body, the content type of that, and the addresses that the file names for it."""

    body: bytes
    content_type: str
    addresses: tuple[str, ...]


def page_in(body: bytes) -> SavedByBrowser | None:
    """The page in a file of this kind, ``None`` for any other; a file without a page in it has an empty body."""
    if not _HEAD.match(body.lstrip(b"\xef\xbb\xbf\r\n \t")[:8192]):
        return None
    from email import message_from_bytes, policy

    message = message_from_bytes(body.lstrip(b"\xef\xbb\xbf\r\n \t"), policy=policy.compat32)
    parts = [part for part in message.walk() if part.get_content_type() in _PAGES]
    addresses = [str(message[name]) for name in _ADDRESSES if message[name]]
    if not parts:
        return SavedByBrowser(b"", "", tuple(addresses))
    page = parts[0]  # the root is the first part, RFC 2557 section 9.1
    addresses += [str(page["Content-Location"])] if page["Content-Location"] else []
    content = page.get_payload(decode=True)
    told = tuple(dict.fromkeys(" ".join(address.split()) for address in addresses))
    return SavedByBrowser(content if isinstance(content, bytes) else b"", str(page["Content-Type"] or ""), told)
