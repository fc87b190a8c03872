"""The command ``report``: key facts in the texts of systems, their scores, what they omit, what they cost."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from medreview.cli.looking import looked
from medreview.cli.options import Json, StudyFile
from medreview.cli.output import result, say
from medreview.cli.ties import Ties, rule_named


def report(
    study: StudyFile,
    facts: Annotated[
        Path | None,
        typer.Option("--facts", metavar="FILE.html", help="Also write it, with all votes, as one page."),
    ] = None,
    tradeoff: Annotated[
        Path | None,
        typer.Option("--tradeoff", metavar="FILE.csv", help="Also write cost and time of each system, with plots."),
    ] = None,
    briefs: Annotated[
        Path | None,
        typer.Option("--briefs", metavar="FILE.html", help="Write the briefs, their notes beside them, as a page."),
    ] = None,
    ties: Ties = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the resampling.")] = 1,
    full: Annotated[bool, typer.Option("--full", help="Every fact with its votes.")] = False,
    as_json: Json = False,
) -> None:
    """Say which key facts the texts of each system say, omit and contradict, by the majority of judges and of people.

    Cases are resampled. Ties are counted, and the tie rule decides what they give. Themes come from what the judges say
    of omitted and contradicted facts. With --tradeoff, what each system costs and how long it takes for a case stands
    against what it says: FILE.csv, and beside it NAME.cost.svg and NAME.latency.svg.

    Example: medreview report ward.medreview --facts ward.html
    """
    from medreview.cli.reports.brief_page import check_brief_page, write_brief_page
    from medreview.cli.reports.fact_page import check_fact_page, write_fact_page
    from medreview.cli.reports.facts import payload, render
    from medreview.cli.reports.tradeoff import check_trade_off, left_out, write_trade_off
    from medreview.generators.brief.stored import stored_briefs
    from medreview.stats.facts.fact_report import fact_report
    from medreview.stats.formulas.bootstrap import Resampling
    from medreview.study import Study

    if facts is not None:
        check_fact_page(facts)
    if tradeoff is not None:
        check_trade_off(tradeoff)
    if briefs is not None:
        check_brief_page(briefs)
    with Study.open(study, read_only=True) as opened:
        looked(opened, "report", "verdicts")
        found = fact_report(
            opened.reader, tie=None if ties is None else rule_named(ties), resampling=Resampling(seed=seed)
        )
        written = [] if briefs is None else list(stored_briefs(opened.reader))
    if briefs is not None:
        say(f"written: {write_brief_page(written, study.name, briefs)}")
    if facts is not None:
        say(f"written: {write_fact_page(found, study.name, facts)}")
    if tradeoff is not None:
        say(f"written: {', '.join(map(str, write_trade_off(found.trade_offs, tradeoff)))}")
        say(*left_out(found.trade_offs))
    if as_json:
        result(payload(found), as_json=True)
    else:
        print(render(found, study, full=full), end="")
    sys.stdout.flush()
