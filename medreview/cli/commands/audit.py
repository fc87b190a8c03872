"""The command ``audit``: the random draw that figures of the whole study rest on."""

from dataclasses import asdict
from typing import Annotated, Literal

import typer

from medreview.cli.looking import looked
from medreview.cli.options import Json, Reviewer, StudyFile
from medreview.cli.output import counted, one_line, result, say
from medreview.errors import UserError


def audit(
    study: StudyFile,
    size: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Draw until there are N (of each stratum), or all.")
    ] = None,
    rate: Annotated[
        float | None, typer.Option(metavar="R", help="Draw every statement with this probability, above 0 up to 1.")
    ] = None,
    by: Annotated[
        Literal["all", "model", "origin", "flagged"], typer.Option(help="Strata, each with a rate of its own.")
    ] = "all",
    release: Annotated[
        bool, typer.Option("--release", help="Give what is reserved back to triage: its labels are assisted then.")
    ] = False,
    plan: Annotated[
        float | None, typer.Option(metavar="POINTS", help="Plan for so many points to either side; default: 5.")
    ] = None,
    assisted: Annotated[
        bool, typer.Option("--assisted", help="With the verdicts also where labels were given with these in sight.")
    ] = False,
    judge: Annotated[
        str | None, typer.Option(metavar="NAME", help="Whose verdicts help and come first; default: all together.")
    ] = None,
    weight: Annotated[
        float | None,
        typer.Option("--lambda", metavar="W", help="Weight of the verdicts; default: the best by the labels."),
    ] = None,
    reviewer: Reviewer = None,
    as_json: Json = False,
) -> None:
    """Show the random audit, draw more, or give back what it reserves.

    Without options: the rates, what became of the statements drawn, and what that says of the whole study: by the audit
    alone, with the help of the judges' verdicts, how many labels these are worth, and how many labels more it takes.
    Members of the audit are kept from every queue that shows the judges until the reviewer has decided them in the
    queue "audit". Nobody who is drawn drops out.

    Example: medreview audit sepsis.medreview --size 30 --by model
    """
    from medreview.config import load_config
    from medreview.review import audit as draws
    from medreview.stats.reports.audit_report import POINTS, audit_report, plan_before_labels
    from medreview.stats.reports.audit_verdicts import every_judge, led_by
    from medreview.stats.reports.reviewer_labels import reviewer_labels, reviewers
    from medreview.study import Study

    if size is not None and rate is not None:
        raise UserError("Give --size or --rate, not both.")
    if rate is not None and not 0 < rate <= 1:
        raise UserError("A rate is above 0 and up to 1, 0.1 for a tenth of the statements.")
    if plan is not None and not 0 < plan < 50:
        raise UserError("A plan is for more than 0 and less than 50 points to either side: --plan 5.")
    if by != "all" and size is None and rate is None:
        raise UserError("Say how much to draw of each stratum: --size N or --rate R.")
    wanted = size is not None or rate is not None
    who = reviewer or load_config().reviewer
    with Study.open(study, read_only=not (wanted or release)) as opened:
        if wanted:
            drawn = draws.draw(opened, who, size=size, rate=rate, by=by)
            more = f"{counted(drawn.new, 'statement')} more drawn" if drawn.event_id else "so much is drawn already"
            say(f"{more}: {drawn.members:,} in the audit")
        if release:
            say(f"{counted(draws.release(opened, who), 'statement')} given back to triage")
        reader = opened.reader
        names = [reviewer] if reviewer else reviewers(reader)
        points = POINTS if plan is None else plan / 100
        report = audit_report(
            reader,
            {name: reviewer_labels(reader, name) for name in names},
            led_by(every_judge(reader), judge),
            assisted=assisted,
            weight=weight,
            points=points,
        )
        first_plan = None if report.figures else plan_before_labels(reader, points)
        if report.figures:  # they say how often the judges are right
            looked(opened, "audit", "totals")
        reserved = len(draws.reserved(reader, who))
    if as_json:
        result(
            {"reviewer": who, "reserved": reserved, **asdict(report), "plan": first_plan and asdict(first_plan)},
            "",
            as_json=True,
        )
        return
    from medreview.cli.reports.audit import audit_parts
    from medreview.cli.reports.audit_estimates import next_step, plan_parts
    from medreview.cli.reports.terminal import printed

    # Of whoever only reads the figures of others, nothing is reserved that would be missed.
    told = reserved and (wanted or not names or who in names)
    kept = f"{counted(reserved, 'statement')} reserved: kept from {who}'s triage until decided in the queue “audit”"
    parts = [*audit_parts(report), *(["", one_line(kept)] if told else [])]
    if plan is not None and first_plan is not None:
        parts += ["", *plan_parts(first_plan)]
    for figures in report.figures[-1:]:
        parts += ["", *next_step(figures, study)]
    print(printed(parts), end="")
