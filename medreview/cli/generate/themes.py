"""The command ``generate themes``."""

from medreview.cli.generating import (
    Again,
    BatchInFiles,
    BatchOutFile,
    BatchSubmit,
    DryRun,
    Limit,
    LocalOnly,
    Model,
    NoWait,
    Wanted,
    generate_with,
)
from medreview.cli.options import Json, StudyFile


def themes(
    study: StudyFile,
    model: Model = "",
    limit: Limit = None,
    again: Again = False,
    dry_run: DryRun = False,
    local_only: LocalOnly = False,
    batch_out: BatchOutFile = None,
    batch_in: BatchInFiles = None,
    batch_submit: BatchSubmit = False,
    no_wait: NoWait = False,
    as_json: Json = False,
) -> None:
    """Find what the key facts that a system omits and contradicts have in common, from what the judges said of them.

    `medreview report` has them then, with their facts, until something is voted otherwise.

    Example: medreview generate themes ward.medreview --model writer
    """
    from medreview.generators.themes import Themes

    wanted = Wanted(
        model, "", limit, again, dry_run, local_only, batch_out, batch_in or (), as_json, batch_submit, no_wait
    )
    generate_with(study, Themes, wanted)
