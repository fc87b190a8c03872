"""The command ``replay``: a paper's steps one after the other, and its figures beside this study's."""

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from medreview.cli.ask_models import leave_by
from medreview.cli.mapping import Map
from medreview.cli.network import PagesFrom
from medreview.cli.options import Json, Reviewer, study_path
from medreview.cli.output import progress, result
from medreview.cli.remarks import ReasonsOnly, RemarksOf
from medreview.cli.replaying import Wanted, about, dry, given_with, opened_for, print_figures, run_steps
from medreview.errors import UserError

if TYPE_CHECKING:
    from medreview.replays.replay import Replay

_PAPERS = "sourcecheckup, medhalu, cds, medfacteval, medagentbrief or cliniqlink"


def replay(
    paper: Annotated[str, typer.Argument(metavar="PAPER", help=f"{_PAPERS}; alone: what its replay does.")],
    study: Annotated[
        Path | None,
        typer.Argument(metavar="STUDY", help="The study file; made if it is not there.", callback=study_path),
    ] = None,
    files: Annotated[list[Path] | None, typer.Argument(metavar="FILE...", help="What the paper starts from.")] = None,
    sample: Annotated[
        bool, typer.Option("--sample", help="On the sample data, with recorded answers; no network.")
    ] = False,
    models: Annotated[
        list[str] | None, typer.Option("--model", metavar="NAME", help="A model that writes; may be repeated.")
    ] = None,
    judges: Annotated[
        list[str] | None, typer.Option("--judge", metavar="NAME", help="A model that judges; repeat it for a jury.")
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="At most so many units of each step for each model.")] = None,
    skip: Annotated[
        list[str] | None, typer.Option("--skip", metavar="STEP", help="Leave this step out; may be repeated.")
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Also where there was no answer of use before.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be asked and cost; ask nothing.")] = False,
    local_only: Annotated[bool, typer.Option("--local-only", help="Refuse models outside this machine.")] = False,
    remarks_of: RemarksOf = None,
    reasons_only: ReasonsOnly = None,
    pages: PagesFrom = None,
    mapping: Map = None,
    reviewer: Reviewer = None,
    as_json: Json = False,
) -> None:
    """Do what a paper did, step by step, on your own data or on the sample, and print its figures beside yours.

    Every step says whether it was done already, was done now, or waits for the reviewer, with the command to give. The
    same command goes on later; nothing is asked twice. What each step costs is said before it asks.

    Example: medreview replay medhalu trial.medreview --sample
    """
    chosen = _named(paper)
    if study is None:
        if sample or dry_run or models or judges:
            raise UserError(f"Name a study for it: medreview replay {paper} STUDY")
        _describe(chosen, as_json=as_json)
        return
    if sample and (files or models or judges or pages or mapping or limit or again):
        raise UserError("--sample brings its own files and models, and every answer once; give it no others.")
    wanted = Wanted(
        files=files or (),
        sample=sample,
        models=models or (),
        judges=judges or (),
        limit=limit,
        skip=skip or (),
        again=again,
        local_only=local_only,
        pages=pages,
        mapping=mapping or (),
        reviewer=reviewer,
        as_json=as_json,
        remarks_of=remarks_of or (),
        reasons_only=reasons_only,
    )
    with ExitStack() as stack:
        bar = stack.enter_context(progress())
        if dry_run:
            dry(study, chosen, wanted, bar)
            return
        opened = stack.enter_context(opened_for(study, chosen, sample=sample))
        given = stack.enter_context(given_with(opened, chosen, wanted, bar))
        done = run_steps(chosen, given, as_json=as_json)
        print_figures(chosen, given, done, as_json=as_json)
    failed = [one.outcome for one in done if one.outcome and one.outcome.failed]
    leave_by(sum(one.failed for one in failed), sum(tally.units for one in failed for tally in one.tallies))


def _named(paper: str) -> "Replay":
    from medreview.replays.registry import REPLAYS
    from medreview.setting import did_you_mean

    if paper not in REPLAYS:
        raise UserError(f"There is no replay {paper!r}{did_you_mean(paper, REPLAYS)}; there are {', '.join(REPLAYS)}.")
    return REPLAYS[paper]


def _describe(chosen: "Replay", *, as_json: bool) -> None:
    from medreview.cli.reports.replay import about_parts
    from medreview.cli.reports.terminal import printed

    if as_json:
        result(about(chosen), as_json=True)
    else:
        print(printed(about_parts(chosen)), end="")
