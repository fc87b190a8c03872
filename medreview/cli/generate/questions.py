"""The command ``generate questions``."""

from medreview.cli.generating import (
    Again,
    BatchInFiles,
    BatchOutFile,
    DryRun,
    Limit,
    LocalOnly,
    Model,
    Wanted,
    generate_with,
)
from medreview.cli.options import Json, StudyFile


def questions(
    study: StudyFile,
    model: Model = "",
    limit: Limit = None,
    again: Again = False,
    dry_run: DryRun = False,
    local_only: LocalOnly = False,
    batch_out: BatchOutFile = None,
    batch_in: BatchInFiles = None,
    as_json: Json = False,
) -> None:
    """Make a question of each text of the study, with its answer and the words that hold it; a reviewer checks it.

    Example: medreview generate questions sepsis.medreview --model writer --dry-run
    """
    from medreview.generators.questions import Questions

    wanted = Wanted(model, "", limit, again, dry_run, local_only, batch_out, batch_in or (), as_json)
    generate_with(study, Questions, wanted)
