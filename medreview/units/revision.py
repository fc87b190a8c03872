"""A statement that its source does not support, revised or removed by a model: is it right now? (SourceCleanup)"""

import sqlite3
from collections.abc import Iterator, Mapping
from operator import itemgetter
from typing import Any, Final

from medreview.labels import REVISION
from medreview.units.documents import about, changes
from medreview.units.kind import CardPart, Document, Headline, Machines, UnitKind, UnitView
from medreview.units.statement_view import load_name
from medreview.units.stored import GROUPED_ROWS, content_column, content_table, load_unit, opinions_beside

_COLUMNS: Final = (
    content_column("action", "text", "revise or remove.",
                   lambda content: "revise" if content["revised"] else "remove"),
    content_column("original", "text", "The statement as it was."),
    content_column("revised", "text", "The statement as it was revised; empty when it was removed."),
    content_column("changes", "text", "What differs, word by word.", lambda content: _changed(content)),
    content_column("explanation", "text", "What its writer says was changed.", itemgetter("changed")),
    content_column("quote", "text", "The words of the source that are said to support the revised text."),
    content_column("passage_id", "text", "The passage that it is compared with; empty when that is a page.",
                   itemgetter("passage")),
    content_column("url", "text", "The page that it is compared with."),
    content_column("statement_id", "text", "The statement of this study that was revised, if it is one.",
                   itemgetter("statement")),
)  # fmt: skip


_OF_REVISIONS: Final = ("supported", "not_supported", "meaning_lost")
_OF_REMOVALS: Final = ("removal_right", "removal_wrong")


def misfit(revised: str, label: str) -> str:
    """Why a label cannot be given to a revision (``revised`` is its text) or to a removal (that is empty)."""
    if revised and label in _OF_REMOVALS:
        return "The statement was revised, not removed: press 1, 2 or 3."
    if not revised and label in _OF_REVISIONS:
        return "The statement was removed, so that there is no revised text: press 4 or 5."
    return ""


LONGEST: Final = 1.5
"""Times the length of the original: the most that a revised text may have."""


def is_the_original(revised: str, original: str) -> bool:
    """Whether a revised text is the original, but for white space, case and a full stop at its end."""
    one, other = (" ".join(text.casefold().split()).rstrip(". ") for text in (revised, original))
    return one == other


def is_too_long(revised: str, original: str) -> bool:
    """Whether a revised text is longer than it may be."""
    return len(revised) > LONGEST * len(original)


class Revision(UnitKind):
    """``revision:ID``. The reviser, its reason and quote, and a judge's opinion now are shown afterwards."""

    name = "revision"
    title = "revised statements"
    noun = "revision"
    about = "Is it right now, or right that it went?"
    headline = Headline("right now, or rightly gone", {"revision": ("supported", "removal_right")})
    axis = "revision"
    levels = REVISION
    rows = GROUPED_ROWS.format("revision")
    tables = (content_table("revision", "revisions.csv", _COLUMNS),)

    def load(self, reader: sqlite3.Connection, unit: str) -> UnitView:
        """Both wordings and what differs; the source."""
        stored = load_unit(reader, unit)
        content = stored.content
        text = _source(reader, content, content["revised"] or content["original"])
        named = load_name(reader, content["statement"]) if content["statement"] else ""
        return stored.view(
            f"V{stored.ordinal}",
            _parts(content, named),
            (text,) if text else (),
            group=named.partition(" ")[0] or (text.title if text else ""),
            response_id=content["response"],
            missing="" if text else "The source did not come with this revision, and is not a page of this study.",
        )

    def machines(self, reader: sqlite3.Connection, unit: str) -> Machines:
        """The re-judgement, and the quote and the explanation of who revised it."""
        stored = load_unit(reader, unit)
        content = stored.content
        text = _source(reader, content, "")
        said = "revised it" if content["revised"] else "removed it"
        return opinions_beside(reader, stored, self.axis, text, content["quote"], said, content["changed"])

    def fits(self, view: UnitView, label: str) -> str:
        """The first three labels are of a revised text, the others of a removal."""
        return misfit(next((part.text for part in view.parts if part.label == _REVISED), ""), label)


_REVISED: Final = "revised"


def _source(reader: sqlite3.Connection, content: Mapping[str, Any], words: str) -> Document | None:
    return about(reader, content["passage"], content["url"], words)


def _parts(content: Mapping[str, Any], named: str) -> Iterator[CardPart]:
    yield CardPart("original", content["original"], main=True)
    if content["revised"]:
        yield CardPart(_REVISED, content["revised"], main=True, tone="title")
        yield CardPart("differs", _changed(content) or "in white space only", main=True)
    else:
        yield CardPart("removed", "the whole statement", main=True, tone="badge")
    if named:
        yield CardPart("statement", named, tone="dim")


def _changed(content: Mapping[str, Any]) -> str:
    return " · ".join(map(str, changes(content["original"], content["revised"]))) if content["revised"] else ""
