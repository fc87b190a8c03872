"""The command ``assisted``: what judges found before and after an expert's remarks."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from medreview.cli.looking import looked
from medreview.cli.options import Json, StudyFile
from medreview.cli.output import result, say


def assisted(
    study: StudyFile,
    reviewer: Annotated[str | None, typer.Option(metavar="NAME", help="One reviewer; default: all of them.")] = None,
    csv: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write FILE, a row for each judge and response.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Compare what judges found in answers by themselves with what they found after an expert's remarks.

    For each judge: from which type to which its word went, how often it agrees with the reviewer and with gold before
    and after, and how many answers turned from wrong to right and from right to wrong. Gold is silent until its answer
    is decided. Nothing of this enters the figures of `stats`.

    Example: medreview assisted medhalu.medreview --csv before-after.csv
    """
    from medreview.cli.reports.assisted import assisted_parts
    from medreview.cli.reports.terminal import printed
    from medreview.exchange.exports.assisted_rows import write_assisted
    from medreview.stats.reports.assisted_runs import assisted_report
    from medreview.study import Study

    with Study.open(study, read_only=True) as opened:
        looked(opened, "assisted", "verdicts")
        report = assisted_report(opened.reader, reviewer)
    if csv is not None:
        write_assisted(report, csv)
        say(f"written: {csv}")
    if as_json:
        result(asdict(report), as_json=True)
    else:
        print(printed(assisted_parts(report)), end="")
