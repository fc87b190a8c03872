"""The study file: one SQLite database that holds responses, sources, judgements and every human decision.

``study`` opens it, ``migrations`` says what is in it, ``events`` appends to the record of what people did,
and the modules named after the tables read and write those.
"""

from medreview.study.study import Study

__all__ = ["Study"]
