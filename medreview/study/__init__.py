"""The study file: one SQLite database with responses, sources, judgements and every human decision.

``study`` opens it, with ``connection`` and the writer ``lock``; ``migrations`` holds the schema; ``events`` is the
append-only event log; ``rows`` inserts in bulk, ``ids`` makes identifiers; ``backup`` copies, ``check`` verifies and
``merge`` combines studies.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from medreview.study.study import Study

__all__ = ["Study"]


def __getattr__(name: str) -> Any:
    """``Study``, loaded when it is first asked for: what only looks for a kept screen loads no SQLite."""
    if name != "Study":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from medreview.study.study import Study

    return Study
