"""What a reader of documents gives back, and how it refuses one."""

from typing import NamedTuple

from medreview.exchange.imports.file_rows import BadRecord, NamedRow


class Read(NamedTuple):
    """What was read: ``text`` in Markdown with what is cited beside it, or ``rows``; ``kind`` is what the document is,
    ``notes`` are sentences on how it was read and what was not."""

    kind: str
    text: str | None = None
    rows: tuple[NamedRow | BadRecord, ...] = ()
    citations: tuple[dict[str, str], ...] = ()
    notes: tuple[str, ...] = ()


class RefusedError(Exception):
    """A document that is not read; the text is half a sentence that goes on after its name."""
