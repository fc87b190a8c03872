"""Texts and places in them: 0-based, half-open ranges of Unicode code points."""

import hashlib
from typing import NamedTuple


class Span(NamedTuple):
    """A half-open range of code points in one stored text."""

    start: int
    end: int

    def __bool__(self) -> bool:
        """False for an empty range."""
        return self.end > self.start

    def overlap(self, other: "Span") -> int:
        """Number of code points that both ranges cover."""
        return max(0, min(self.end, other.end) - max(self.start, other.start))


def normalise_newlines(text: str) -> str:
    """CRLF and lone CR become LF. Done once, before a text is hashed and stored; nothing is normalised later."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def sha256(text: str | bytes) -> str:
    """Hex digest of a text's UTF-8 bytes (lone surrogates kept, so that any text has a hash)."""
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    return hashlib.sha256(data).hexdigest()


def utf16(text: str | None, position: int | None) -> int | None:
    """A place counted in UTF-16 code units, as JavaScript and Excel do; ``None`` without a text or a place."""
    return None if text is None or position is None else len(text[:position].encode("utf-16-le", "surrogatepass")) // 2


def check_span(text: str, span: Span, exact: str) -> None:
    """Raise ``ValueError`` unless ``text[span.start:span.end] == exact``."""
    if not 0 <= span.start <= span.end <= len(text) or text[span.start : span.end] != exact:
        raise ValueError(f"the range {span.start}-{span.end} does not hold the text {exact[:40]!r}")
