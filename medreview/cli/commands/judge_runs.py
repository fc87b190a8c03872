"""The command ``judges runs``: the runs of judges in a study, and two of them compared on the same pairs."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Literal

from typer import Argument, Option

from medreview.cli.completion import reviewers
from medreview.cli.options import Json, StudyFile, open_study
from medreview.cli.output import result
from medreview.cli.verdict_access import current_verdicts, looked, reading
from medreview.errors import UserError

if TYPE_CHECKING:
    from medreview.stats.reports.judged_labels import PeoplesLabels
    from medreview.study import Study


def judge_runs(
    study: StudyFile,
    runs: Annotated[
        list[str] | None, Argument(metavar="[RUN RUN]", help="Two runs to compare, by number or id.")
    ] = None,
    half: Annotated[
        Literal["tuning", "test", "all"],
        Option(
            help="Labels of which questions: those to choose a prompt on, the others, or all. The study counts looks "
            "at the test half."
        ),
    ] = "tuning",
    reviewer: Annotated[
        str | None, Option(metavar="NAME", autocompletion=reviewers, help="Only this reviewer's labels.")
    ] = None,
    changed: Annotated[bool, Option("--changed", help="Also list the pairs whose word changed.")] = False,
    as_json: Json = False,
) -> None:
    """List the runs of judges, or compare two of them.

    Two are compared on the same pairs: prompts, models, with and without examples. It tells which verdicts changed, how
    far each agrees with the labels and how calibrated its confidence is, both with a paired difference, and cost and
    time. An abstention is no verdict; worked examples of a run are not among its statements.

    Example: medreview judges runs sepsis.medreview 2 5 --changed
    """
    from medreview.cli.reports.run_comparison import comparison_parts, run_rows
    from medreview.cli.reports.terminal import show
    from medreview.judges.rollup import tie_rule
    from medreview.review.looks import note_test_look
    from medreview.stats.clusters import study_clusters
    from medreview.stats.reports.run_comparison import changed_pairs, compare_runs, run_named, stored_runs
    from medreview.study.audit_frame import listable

    if runs and len(runs) != 2:
        raise UserError("Name two runs to compare, or none to list them.")
    with open_study(study, read_only=True) as opened:
        known = stored_runs(opened.reader)
        if not runs:
            told = {"runs": [asdict(run) for run in known]}
            if as_json or not known:
                result(told, "No judge but the rules has judged anything in this study.", as_json=as_json)
            else:
                show(run_rows(known))
            return
        first, second = (run_named(known, wanted) for wanted in runs)
        current_verdicts(opened)
        looked(opened, "judge-runs", "verdicts" if changed else "totals")
        of = _labels(opened, reviewer)
        tie = tie_rule(opened.reader)
        found = compare_runs(opened.reader, first, second, of, study_clusters(opened.reader), tie, part=half)
        if half != "tuning":
            for who in reading(opened)[-1:]:
                note_test_look(opened, who)
        listed = None
        if changed:
            only = listable(opened.reader, *reading(opened))
            listed = changed_pairs(opened.reader, first, second, only)
    if as_json:
        more = {} if listed is None else {"changed_pairs": [asdict(one) for one in listed]}
        result({**asdict(found), **more}, as_json=True)
    else:
        show(comparison_parts(found, listed))


def _labels(study: "Study", reviewer: str | None) -> "PeoplesLabels":
    from medreview.stats.reports.judged_labels import peoples_labels
    from medreview.stats.reports.reviewer_labels import reviewer_labels, reviewers

    known = reviewers(study.reader)
    if reviewer is not None and reviewer not in known:
        raise UserError(f"{reviewer} has reviewed nothing here; {', '.join(known) or 'nobody'} did.")
    chosen = known if reviewer is None else [reviewer]
    return peoples_labels({name: reviewer_labels(study.reader, name) for name in chosen})
