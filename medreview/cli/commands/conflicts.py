"""The command ``conflicts``: where reviewers differ, and what settled it."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from medreview.cli.looking import looked
from medreview.cli.options import Json, StudyFile
from medreview.cli.output import counted, result


def conflicts(
    study: StudyFile,
    kind: Annotated[str, typer.Option(metavar="KIND", help="Only of this kind of unit: statement, pair, qa, ...")] = "",
    waiting: Annotated[bool, typer.Option("--open", help="Only those that nothing settles yet.")] = False,
    csv: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write FILE: one row for each label of each conflict.")
    ] = None,
    as_json: Json = False,
) -> None:
    """List the units on which reviewers' labels differ, after `merge`, and count them by kind, axis and reviewers.

    They are settled in the queue "conflicts" of the workbench. Who reads the list has seen the others' labels: own
    labels given afterwards are stored as not independent of them.

    Example: medreview conflicts sepsis.medreview --open --csv conflicts.csv
    """
    from medreview.errors import UserError
    from medreview.labels import label_words
    from medreview.review import conflicts as found_in
    from medreview.study import Study
    from medreview.study.unit_ids import STATEMENT
    from medreview.units.registry import KINDS, unit_name

    if kind not in ("", STATEMENT, *KINDS):
        raise UserError(f"There is no kind of unit {kind!r}; there are {', '.join((STATEMENT, *KINDS))}.")
    with Study.open(study, read_only=True) as opened:
        looked(opened, "conflicts", "labels")
        reader = opened.reader
        found = list(found_in.conflicts(reader, kind, settled=not waiting))
        names = {one.unit: unit_name(reader, one.unit) or one.unit for one in found}
        if csv is not None:
            from medreview.exchange.exports.conflict_rows import write_conflicts

            write_conflicts(reader, found, csv)
    counts = found_in.count_conflicts(found)
    lines = [
        f"{counted(one.conflicts, 'conflict')}, {one.open} open: {one.kind}, {one.axis}, {' and '.join(one.reviewers)}"
        for one in counts
    ]
    for one in found:
        said = ", ".join(f"{given.reviewer} {label_words(one.axis, given.label)}" for given in one.labels)
        word = f" -> {label_words(one.axis, one.settled.label)} by {one.settled.reviewer}" if one.settled else ""
        again = ", open again" if one.settled and one.open else ""
        lines.append(f"  {names[one.unit]} {one.axis}: {said}{word}{again}")
    told = {
        "counts": [asdict(one) for one in counts],
        "conflicts": [{**asdict(one), "name": names[one.unit], "open": one.open} for one in found],
    }
    result(told, *(lines or ["No two reviewers differ."]), as_json=as_json)
