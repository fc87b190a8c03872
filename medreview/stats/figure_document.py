"""What ``stats --json`` prints: the figures with the name of their schema, which ``docs/stats.schema.json`` has."""

from dataclasses import asdict
from typing import Any, Final

from medreview.stats.study_figures import StudyFigures

SCHEMA: Final = "medreview.stats/1"
"""Another number where a field is renamed or taken away, or means something else; what comes in addition needs none."""


def figure_document(figures: StudyFigures) -> dict[str, Any]:
    """The figures as plain values: ``schema`` first, then the fields of :class:`StudyFigures`.

    Without a number that JSON has not: what is undefined is ``None``, with a reason beside it.
    """
    return {"schema": SCHEMA, **asdict(figures)}
