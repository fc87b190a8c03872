"""The study file: one SQLite database with responses, sources, judgements and every human decision.

``study`` opens it, with ``connection`` and the writer ``lock``; ``migrations`` holds the schema; ``events`` is the
append-only event log; ``rows`` inserts in bulk, ``ids`` makes identifiers; ``backup`` copies, ``check`` verifies and
``merge`` combines studies.
"""

from medreview.study.study import Study

__all__ = ["Study"]
