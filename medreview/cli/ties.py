"""The option ``--ties``: what an even vote of a jury gives."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from medreview.cli.output import progress

if TYPE_CHECKING:
    from medreview.labels import TieRule

TieName = Literal["undecided", "supported", "not-supported"]
Ties = Annotated[
    TieName | None, typer.Option("--ties", help="What a tied jury gives; default: as set before, else undecided.")
]


def rule_named(ties: TieName) -> "TieRule":
    """The rule of a study, by what the option calls it."""
    return "not_supported" if ties == "not-supported" else ties


def keep_rule(study: Path, ties: TieName) -> None:
    """Set the tie rule of a study."""
    from medreview import pipeline
    from medreview.study import Study

    with Study.open(study) as opened, progress() as bar:
        pipeline.set_tie_rule(opened, rule_named(ties), bar)
