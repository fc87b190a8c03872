"""Why a reviewer probably differs from the judges: what is known to differ on the page, in one table."""

from collections.abc import Collection, Iterable, Mapping
from itertools import chain
from typing import Final

from medreview.labels import Label

_BY_CLASH: Final[Mapping[str, str]] = {
    **dict.fromkeys(("number", "unit", "range", "comparison"), "number"),
    **dict.fromkeys(("negation", "significance"), "negation"),
    **dict.fromkeys(("direction", "opposite", "order"), "direction"),
    **dict.fromkeys(("quantifier", "severity"), "stronger"),
    "population": "population",
}
"""By the kind of a clash between statement and page, or of a difference between a judge's quote and the page."""
_BY_QUOTE: Final = {"absent": "quote", "altered": "quote"}
_BY_LABEL: Final = {"not_addressed": "topic", "partial": "stronger"}
"""By my own label, where nothing else is known."""


def likely_first(reasons: Iterable[Label], likely: str | None) -> list[Label]:
    """The reasons as they are offered."""
    return sorted(reasons, key=lambda reason: reason.level != likely)


def likely_reason(mine: str, clashes: Iterable[str], quotes: Collection[str]) -> str | None:
    """The level of the likeliest reason for a label of ``mine``, ``None`` where nothing points to one.

    ``clashes``: kinds of what differs between page and statement or quote. ``quotes``: how true the quotes of the
    judges are that say otherwise.
    """
    by_clash = (_BY_CLASH[kind] for kind in clashes if kind in _BY_CLASH)
    by_quote = (_BY_QUOTE[status] for status in quotes if status in _BY_QUOTE)
    return next(chain(by_clash, by_quote), None) or _BY_LABEL.get(mine)
