"""The command ``generate themes``."""

from medreview.cli.generate_options import Wanted, generator_command
from medreview.cli.generating import generate_with
from medreview.cli.options import StudyFile


@generator_command()
def themes(
    study: StudyFile,
    wanted: Wanted,
) -> None:
    """Find what the key facts that a system omits and contradicts have in common, from what the judges said of them.

    `medreview stats STUDY --unit key_fact` and the report have them then, with their facts, until something is voted
    otherwise.

    Example: medreview generate themes ward.medreview --model writer
    """
    from medreview.generators.themes import Themes

    generate_with(study, Themes, wanted)
