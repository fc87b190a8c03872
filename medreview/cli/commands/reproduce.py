"""The command ``reproduce``: printed figures of papers, computed anew from their counts."""

from pathlib import Path
from typing import Annotated

import typer

from medreview.cli.options import Json
from medreview.cli.output import result, say


def reproduce(
    votes: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="MedFactEval's votes: a JSON file with the consensus and the judges'."),
    ] = None,
    csv: Annotated[Path | None, typer.Option(metavar="FILE", help="Also write FILE, a row for each figure.")] = None,
    as_json: Json = False,
) -> None:
    """Compute figures that papers print from the counts that they print, with this program's formulas.

    ClinIQLink, SourceCheckup, the notebook on clinical citations and MedFactEval: the printed figure, ours, whether
    they are equal, and the reason where they are not. It takes no study. MedFactEval's votes are not part of this
    program; --votes reads the file that its authors publish.

    Example: medreview reproduce --csv reproduced.csv
    """
    from medreview.replays.reproduced import reproduced
    from medreview.replays.reproduced_file import as_row, write_reproduced
    from medreview.replays.votes_file import read_votes

    found = list(reproduced(None if votes is None else read_votes(votes)))
    if csv is not None:
        write_reproduced(found, csv)
        say(f"written: {csv}")
    if as_json:
        result({"figures": [as_row(one) for one in found]}, as_json=True)
        return
    from medreview.cli.reports.reproduce import reproduce_parts
    from medreview.cli.reports.terminal import printed

    print(printed(reproduce_parts(found)), end="")
