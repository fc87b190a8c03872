"""The command ``generate override-themes``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from medreview.cli.current_verdicts import current_verdicts
from medreview.cli.generate_options import Wanted, generator_command
from medreview.cli.generating import generate_with
from medreview.cli.options import StudyFile

if TYPE_CHECKING:
    from medreview.llm.settings import JudgeSettings
    from medreview.study import Study


@generator_command()
def override_themes(
    study: StudyFile,
    wanted: Wanted,
    reviewer: Annotated[
        str | None, typer.Option(metavar="NAME", help="The labels of one reviewer; default: of each by itself.")
    ] = None,
) -> None:
    """Find what the statements have in common that a reviewer labels otherwise than the judges.

    The model is given the statements, the judges' verdict and reasons, and the reviewer's label, reason and note; not
    what is held back from you or from the reviewer for a blind review. `medreview report` has the themes then, in place
    of those by reason code, and says when labels have changed since.

    Example: medreview generate override-themes sepsis.medreview --model writer
    """
    from medreview.cli.looking import reading
    from medreview.generators.override_themes import OverrideThemes

    def make(opened: "Study", model: "JudgeSettings", prompts: Path | None) -> OverrideThemes:
        return OverrideThemes(opened, model, prompts, to=reading(opened), reviewer=reviewer)

    generate_with(study, make, wanted, before=current_verdicts)
