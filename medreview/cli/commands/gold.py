"""The command ``gold``: units whose right label is known, and checks of attention."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from medreview.cli.mapping import Map, read_mapping
from medreview.cli.options import Json, Reviewer, StudyFile
from medreview.cli.output import bad_records, counted, progress, result, say
from medreview.errors import UserError


def gold(
    study: StudyFile,
    file: Annotated[
        Path | None, typer.Option("--import", metavar="FILE", help="Columns unit (or response, statement), label, why.")
    ] = None,
    add: Annotated[
        tuple[str, str] | None,
        typer.Option(metavar="UNIT LABEL", help="Add one: R07 S3, the id of a unit or of its record, and the label."),
    ] = None,
    remove: Annotated[str | None, typer.Option(metavar="UNIT", help="Make it an ordinary unit again.")] = None,
    axis: Annotated[
        str | None, typer.Option(help="With --add: the axis of the label; default: that of its kind.")
    ] = None,
    why: Annotated[str, typer.Option(help="With --add: what is said of it when the block is done.")] = "",
    attention: Annotated[
        bool, typer.Option("--attention", help="With --add: a check of attention, which needs no judgement.")
    ] = False,
    mapping: Map = None,
    reviewer: Reviewer = None,
    as_json: Json = False,
) -> None:
    """List units whose right label is known (gold), or add and remove some.

    Reviewers see nothing of it until the block is done. The list tells it: it is for whoever runs the study.

    Example: medreview gold sepsis.medreview --add "R07 S3" contradicted --why "The source says 30 mL/kg." --attention
    """
    from medreview.config import load_config
    from medreview.review.gold import remove_gold, set_gold
    from medreview.review.gold_file import import_gold
    from medreview.study import Study
    from medreview.units.gold_results import gold_items
    from medreview.units.registry import asks_of
    from medreview.units.unit_lookup import find_unit
    from medreview.units.view import Gold

    if sum(one is not None for one in (file, add, remove)) > 1:
        raise UserError("Give one of --import, --add and --remove.")
    if add is None and (axis or why or attention):
        raise UserError("--axis, --why and --attention go with --add UNIT LABEL; a file has columns for them.")
    who = reviewer or load_config().reviewer
    with Study.open(study, read_only=not (file or add or remove)) as opened:
        if file:
            with progress() as bar:
                done = import_gold(opened, file, who, read_mapping(mapping), bar)
            bad_records(done.bad, file)
            known = f", {done.known} known already" if done.known else ""
            left = f", {len(done.bad)} left out" if done.bad else ""
            result(done, f"{counted(done.added, 'gold item')} added{known}{left}", as_json=as_json)
            return
        try:
            named = add[0] if add else remove or ""
            unit = find_unit(opened.reader, named) if named else ""
        except LookupError as error:
            raise UserError(f"Of the gold item: {error.args[0]}.") from None
        if add:
            set_gold(opened, unit, Gold(axis or asks_of(unit).axis, add[1], (), why, attention), who)
            say(f"{unit} is a gold item: {add[1]}")
        elif remove and not remove_gold(opened, unit):
            raise UserError(f"{unit} is no gold item.")
        found = gold_items(opened.reader)
    lines = [
        f"{one.unit}  {one.gold.axis}: {one.gold.label}{'  attention' if one.gold.attention else ''}  {one.gold.why}"
        for one in found
    ]
    result([asdict(one) for one in found], *(lines or ["There are no gold items."]), as_json=as_json)
