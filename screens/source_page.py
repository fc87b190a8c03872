"""The page that a source pane shows, with what is the same in it for every statement."""

from dataclasses import dataclass, field
from typing import Final

from medreview.review.deciding import Deciding
from medreview.review.document_outline import DocumentOutline
from medreview.review.highlight_index import HighlightIndex, Mark
from medreview.screens.source_rows import CLOSED
from medreview.sources.read_by_ocr import words_in_doubt
from medreview.visible import hidden_count

_KEPT: Final = 4


@dataclass(frozen=True, slots=True)
class SourcePage:
    """A text with its ``places``, the number of ``hidden`` characters in it, and the index of its headings, of what
    does not stand open in it, and of words that OCR may have read wrong: there may be thousands."""

    text: str = ""
    places: DocumentOutline = field(default_factory=DocumentOutline)
    hidden: int = 0
    standing: HighlightIndex = field(default_factory=HighlightIndex)


class SourcePages:
    """Reads pages; those of the last snapshots are kept, which never change, and which neighbours often share."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, bool], SourcePage] = {}

    def page(self, session: Deciding, *, whole: bool) -> SourcePage:
        """What is in the main pane, or the ``whole`` page."""
        key = (session.snapshot or "", whole)
        page = self._kept.pop(key, None) or _read(session, whole)
        if session.snapshot:
            self._kept[key] = page
            if len(self._kept) > _KEPT:
                del self._kept[next(iter(self._kept))]
        return page


def _read(session: Deciding, whole: bool) -> SourcePage:
    text = session.source_text(whole=whole)
    places = DocumentOutline() if whole else session.source_places()
    standing = [
        *(Mark(heading.start, heading.end, "heading") for heading in places.outline),
        *(Mark(*part) for part in places.set_apart if part.kind in CLOSED),
        *(Mark(word.start, word.end, "doubtful") for word in words_in_doubt(places.by_ocr)),
    ]
    return SourcePage(text, places, hidden_count(text), HighlightIndex(standing))
