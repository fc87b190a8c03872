"""The parts of a document that is a zip, within limits: a small zip can stand for gigabytes."""

import io
import posixpath
import re
import zipfile
import zlib
from collections.abc import Iterator
from typing import Any, Final

from medreview.exchange.documents.result import RefusedError
from medreview.sources.reading.untrusted_markup import parse_xml

MOST_PARTS: Final = 50_000
LARGEST_PART: Final = 100_000_000
"""Bytes of one part."""
MOST_BYTES: Final = 300_000_000
"""Bytes of all parts that are read."""
MOST_RATIO: Final = 400
"""How many times larger a part may be than its compressed form; XML of real documents reaches 100."""
_LEAST_CHECKED: Final = 5_000_000
"""Bytes of a part below which its ratio does not matter."""
MOST_TAGS: Final = 1_500_000
"""Opening and closing tags of one part."""
_ADDRESS: Final = re.compile(r"https?://", re.IGNORECASE)


class Parts:
    """The parts of a zip by their names; raises :class:`RefusedError` for one that is damaged or too large."""

    def __init__(self, body: bytes) -> None:
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(body))
            self.names = frozenset(self._zip.namelist())
        except (zipfile.BadZipFile, ValueError, NotImplementedError, EOFError, OverflowError) as error:
            raise RefusedError("is a damaged zip file; save the document again") from error
        if len(self.names) > MOST_PARTS:
            raise RefusedError(f"has {len(self.names):,} parts, more than the {MOST_PARTS:,} that are read")
        self._read = 0
        self.cut: list[str] = []
        """Sentences on parts that were not read whole."""

    def data(self, name: str) -> bytes:
        """The bytes of a part; ``b""`` for a part that is missing."""
        if name not in self.names:
            return b""
        about = self._zip.getinfo(name)
        is_bomb = about.file_size > max(_LEAST_CHECKED, MOST_RATIO * about.compress_size)
        self._read += about.file_size
        if is_bomb or about.file_size > LARGEST_PART or self._read > MOST_BYTES:
            raise RefusedError(f"unpacks to more than is read ({about.file_size / 1e6:,.0f} MB in {name[:60]!r})")
        try:
            with self._zip.open(about) as part:
                return part.read(LARGEST_PART)
        except (
            zipfile.BadZipFile,
            zlib.error,
            EOFError,
            NotImplementedError,
            RuntimeError,
            ValueError,
            OSError,
        ) as error:
            why = "has a password" if about.flag_bits & 1 else f"is damaged (in {name[:60]!r})"
            raise RefusedError(f"{why}; save the document again") from error

    def xml(self, name: str) -> Any:
        """The root of a part that is XML, its element names without namespaces; ``None`` without one."""
        data = self.data(name)
        if not data.strip():
            return None
        root, cut = parse_xml(data, most_tags=MOST_TAGS)
        if root is None:
            raise RefusedError(f"holds no XML that is read in {name[:60]!r}; save the document again")
        if cut:
            self.cut.append(cut.replace("the page", "the document"))
        return root

    def addresses(self, part: str) -> dict[str, str]:
        """The web addresses that a part of an Office document links to, by the ids it uses for them."""
        return {name: target for name, target, _ in self._relations(part) if _ADDRESS.match(target)}

    def targets(self, part: str) -> dict[str, str]:
        """The parts that a part of an Office document refers to, by its ids for them."""
        folder = posixpath.dirname(part)
        return {
            name: target.lstrip("/") if target.startswith("/") else posixpath.normpath(f"{folder}/{target}")
            for name, target, is_external in self._relations(part)
            if not is_external
        }

    def _relations(self, part: str) -> Iterator[tuple[str, str, bool]]:
        folder, name = posixpath.split(part)
        root = self.xml(f"{folder}/_rels/{name}.rels")
        for one in root.iter("Relationship") if root is not None else ():
            yield one.get("Id") or "", (one.get("Target") or "").strip(), one.get("TargetMode") == "External"


def attribute(node: Any, name: str) -> str:
    """An attribute by its name without its namespace; ``""`` without it."""
    if node is None:
        return ""
    for key, value in node.attrib.items():
        if key == name or key.endswith(f"}}{name}"):
            return str(value)
    return ""
