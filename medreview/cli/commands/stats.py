"""The command ``stats``: every figure of a study, as tables or as JSON."""

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from medreview.cli.current_verdicts import current_verdicts
from medreview.cli.looking import looked, reading
from medreview.cli.options import Json, StudyFile
from medreview.cli.output import counted, progress, result
from medreview.errors import UserError

_LEAST_REPLICATES = 99


def stats(
    study: StudyFile,
    reviewer: Annotated[str | None, typer.Option(metavar="NAME", help="One reviewer; default: all of them.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of the resampling; default: 1.")] = None,
    replicates: Annotated[
        int | None, typer.Option(min=_LEAST_REPLICATES, help="How many resamples; default: 9,999.")
    ] = None,
    full: Annotated[
        bool, typer.Option("--full", help="Every figure, table and reason, instead of one screen.")
    ] = False,
    by: Annotated[
        Literal["model", "origin", "domain", "judge", "page", "quote", "queue"] | None,
        typer.Option(help="The study divided: support and agreement in each part, and what sets it apart."),
    ] = None,
    where: Annotated[
        str,
        typer.Option(
            metavar="FILTER",
            help="Figures of a part of the study, in the words of the filters of queues: `model=atlas-2 page=ok`.",
        ),
    ] = "",
    margin: Annotated[
        float | None,
        typer.Option(
            min=0, max=1, help="How much worse than one reviewer a judge may agree with all, in kappa; default: 0.1."
        ),
    ] = None,
    unit: Annotated[
        str | None,
        typer.Option(
            metavar="KIND",
            help="Figures of one other kind of unit: pair, response, reference, answer, qa, question, revision, "
            "suggestion, key_fact, ranking.",
        ),
    ] = None,
    gold: Annotated[
        bool,
        typer.Option(
            "--gold",
            help="Score models against all right labels, also of what nobody has decided. For the study's owner: "
            "it is recorded that you have seen these figures.",
        ),
    ] = False,
    csv: Annotated[
        str,
        typer.Option(
            metavar="FILE",
            help="Write every figure of --full as a row of a CSV file; - writes it to standard output.",
        ),
    ] = "",
    conduct: Annotated[
        bool,
        typer.Option(
            "--conduct",
            help="With --full: how everybody works (pace, drift, signs of haste), not only you or the one named.",
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """How often you and the judges agree, and how well the responses are supported by what they cite.

    One screen has a line for each judge and each share of support; --full has everything. Labels given blind, before
    the judges were seen, stand apart from assisted ones, and the random audit apart from what was chosen: pooled, they
    would answer no question. Intervals are over whole responses.

    Example: medreview stats sepsis.medreview --reviewer anna
    """
    from medreview.exchange.exports.figure_csv import check_figures, figures_text, write_figures
    from medreview.review.looks import shown_by, told_by_sums
    from medreview.review.selecting import select_statements
    from medreview.stats.figure_document import figure_document
    from medreview.stats.formulas.bootstrap import REPLICATES, SEED, Resampling
    from medreview.stats.formulas.human_baseline import MARGIN
    from medreview.stats.study_figures import study_figures
    from medreview.study import Study

    resampling = Resampling(
        replicates=REPLICATES if replicates is None else replicates, seed=SEED if seed is None else seed
    )
    if csv not in ("", "-"):
        check_figures(Path(csv))
    if unit is not None or gold:
        if by or where or conduct:
            raise UserError("--by, --where and --conduct are of statements; leave them out beside --unit and --gold.")
        from medreview.cli.unit_stats import print_unit_stats

        print_unit_stats(study, unit, reviewer, resampling, full=full, gold=gold, csv=csv, as_json=as_json)
        sys.stdout.flush()
        return
    with Study.open(study, read_only=True) as opened, progress() as bar:
        current_verdicts(opened)
        only = select_statements(opened.reader, where, reviewer)
        looked(opened, "stats", shown_by(only))
        whole = full or as_json or bool(csv)
        own = () if not whole else None if conduct else (reviewer,) if reviewer else reading(opened)
        figures = study_figures(
            opened.reader, reviewer, full=whole, resampling=resampling, progress=bar, only=only, by=by, conduct=own,
            margin=MARGIN if margin is None else margin,
        )  # fmt: skip
        if any(told_by_sums(figures.given, one) for one in reading(opened)):
            looked(opened, "stats", "labels")
    if csv == "-":
        print(figures_text(figures, figures.provenance), end="")
    elif csv:
        rows = write_figures(figures, figures.provenance, Path(csv))
        result({"file": csv, "rows": rows}, f"{counted(rows, 'row')} written to {csv}", as_json=as_json)
    elif as_json:
        result(figure_document(figures), as_json=True)
    elif full or figures.by is not None:
        from medreview.cli.reports.stats import render, render_divided

        print(render(figures, study) if full else render_divided(figures), end="")
    else:
        from medreview.cli.reports.stats_screen import render_screen

        print(render_screen(figures, study), end="")
    sys.stdout.flush()
