"""The command ``demo``: the sample study, made and opened."""

from pathlib import Path
from typing import Annotated

import typer

from medreview.cli.opening import open_review
from medreview.cli.options import Json, Reviewer
from medreview.cli.output import counted, progress, result, say
from medreview.next_step import command


def demo(
    study: Annotated[Path, typer.Option(help="Where the sample study is made or found.")] = Path("demo.medreview"),
    no_open: Annotated[bool, typer.Option("--no-open", help="Make the study, do not open the workbench.")] = False,
    reviewer: Reviewer = None,
    as_json: Json = False,
) -> None:
    """Make the sample study and review it: sixteen answers, saved pages, no network, nothing to set up.

    Example: medreview demo
    """
    from medreview.demo import make_demo
    from medreview.judges import verdicts
    from medreview.study import Study
    from medreview.study.counts import count_statements

    if study.exists():
        opened = Study.open(study)
        say(f"The sample study is at {study} already; your decisions in it are kept.")
    else:
        with progress() as bar:
            opened = make_demo(study, bar)
    with opened:
        statements, flagged = count_statements(opened.reader), verdicts.flagged(opened.reader)
        if no_open:
            sentence = f"{study}: {counted(statements, 'statement')}, {flagged} flagged."
            told = {"study": str(study), "statements": statements, "flagged": flagged}
            result(told, sentence, f"Review them: {command('review', study)}", as_json=as_json)
        else:
            open_review(opened, reviewer, None, "", False, first="flagged")
