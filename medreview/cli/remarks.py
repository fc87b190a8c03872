"""The options ``--remarks-of`` and ``--reasons-only``: whose words judges are shown as an expert's, and which."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from medreview.cli.output import say

if TYPE_CHECKING:
    from medreview.study import Study

RemarksOf = Annotated[
    list[str] | None,
    typer.Option(
        "--remarks-of",
        metavar="NAME",
        help="For hallucination_assisted: show the judge this reviewer's remarks; may be repeated. Default: as chosen "
        "before, else `experts`, all reviewers who are no laypeople.",
    ),
]
ReasonsOnly = Annotated[
    bool | None,
    typer.Option(
        "--reasons-only/--labels-too", help="Of these remarks show only reasons and notes, or labels and marks, too."
    ),
]


def choose_remarks(study: "Study", names: Sequence[str] | None, reasons_only: bool | None) -> None:
    """Keep the choice in the study, and say what it is now."""
    from medreview.judges.tasks.hallucination import remarks_of, set_remarks

    if names or reasons_only is not None:
        set_remarks(study, names or (), reasons_only)
    say(remarks_of(study.reader).words)
