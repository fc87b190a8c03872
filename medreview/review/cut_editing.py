"""Where a statement is cut in two: the cut stands before a word, moved by words or clauses (``w b W B``)."""

import re
from dataclasses import dataclass, replace
from typing import Final

from medreview.errors import UserError
from medreview.lazy_pattern import lazy_pattern
from medreview.review.span_editing import word_spans

KEYS: Final = ("w", "b", "W", "B")
"""Word forward, word back, clause forward, clause back."""

_CLAUSE: Final = lazy_pattern(
    r"(?:[,;:.!?)\]]|\b(?:and|or|but|while|whereas|because|which|although|however))\W*$", re.IGNORECASE
)


@dataclass(frozen=True)
class CutEdit:
    """A cut that is being moved: ``places`` are the words it may stand before, ``at`` is one of them."""

    text: str
    places: tuple[int, ...]
    at: int

    @classmethod
    def of(cls, text: str) -> "CutEdit":
        """The cut to begin with: before the clause that begins nearest to the middle, else before the word there.

        Raises :class:`UserError` for a statement of one word.
        """
        places = tuple(word.start for word in word_spans(text))[1:]
        if not places:
            raise UserError("This statement is one word: there is nothing to cut.")
        cut = cls(text, places, places[0])
        return replace(cut, at=min(cut.clauses or places, key=lambda at: abs(at - len(text) / 2)))

    @property
    def clauses(self) -> tuple[int, ...]:
        """The places where a clause begins: behind a punctuation mark, or at a word that joins two."""
        found = []
        for number, at in enumerate(self.places):
            end = self.places[number + 1] if number + 1 < len(self.places) else len(self.text)
            joins = _CLAUSE.fullmatch(self.text[at:end]) is not None
            if joins or _CLAUSE.search(self.text[:at].rstrip()[-1:]) is not None:
                found.append(at)
        return tuple(found)

    @property
    def parts(self) -> tuple[str, str]:
        """What would stand on both sides."""
        return self.text[: self.at].rstrip(), self.text[self.at :]


def moved_cut(cut: CutEdit, key: str) -> CutEdit:
    """The cut after one of ``KEYS``; unchanged if there is no further place. Raises ``KeyError`` for other keys."""
    if key not in KEYS:
        raise KeyError(key)
    places = cut.clauses if key in "WB" else cut.places
    if key in "wW":
        return replace(cut, at=min((at for at in places if at > cut.at), default=cut.at))
    return replace(cut, at=max((at for at in places if at < cut.at), default=cut.at))
