"""The command ``share``: how much is annotated by a second reviewer, too."""

from dataclasses import asdict
from typing import Annotated

import typer

from medreview.cli.options import Json, Reviewer, StudyFile
from medreview.cli.output import counted, result


def share(
    study: StudyFile,
    kind: Annotated[
        str | None, typer.Option(metavar="KIND", help="Of which kind of unit: statement, pair, qa, ranking, ...")
    ] = None,
    rate: Annotated[
        float | None, typer.Option(metavar="R", help="How much: 0.45 is 45 of a hundred. It can only be raised.")
    ] = None,
    seed: Annotated[int | None, typer.Option(metavar="N", help="Draws it; default 0. The first one stays.")] = None,
    reviewer: Reviewer = None,
    as_json: Json = False,
) -> None:
    """Show or set the share of units that a second reviewer annotates as well, without seeing the first one's labels.

    What another reviewer has decided of it waits in the queue "share", blind: others' labels, notes and spans are
    hidden. Who is drawn stays drawn when the share is raised, and is the same in every copy of the study.

    Example: medreview share sepsis.medreview --kind qa --rate 0.45
    """
    from medreview.config import load_config
    from medreview.errors import UserError
    from medreview.review import second_annotation as second
    from medreview.study import Study

    who = reviewer or load_config().reviewer
    if rate is None and seed is not None:
        raise UserError("A seed comes with a share: --rate 0.45 --seed 7.")
    if rate is not None and kind is None:
        raise UserError("Say of which kind of unit: --kind statement --rate 0.45.")
    with Study.open(study, read_only=rate is None) as opened:
        if rate is not None and kind is not None:
            second.set_share(opened, who, kind, rate, seed)
        study_id, every = opened.meta("study_id"), second.shares(opened.reader)
        found = [
            second.share_progress(opened.reader, study_id, one, who)
            for one in every.values()
            if kind in (None, one.kind)
        ]
    lines = [
        f"{one.kind}: {one.rate:.0%} (seed {one.seed}), {one.drawn} of {counted(one.units, 'unit')} drawn; "
        f"{one.waiting} wait for {who}, {one.twice} decided by {who} and another"
        for one in found
    ]
    none = "Nothing is annotated a second time; `--kind statement --rate 0.45` draws 45 of a hundred statements."
    result({"reviewer": who, "shares": [asdict(one) for one in found]}, *(lines or [none]), as_json=as_json)
