"""The command ``judge``: offline by rules, or by models, live or in batches."""

from pathlib import Path
from typing import Annotated

import typer

from medreview.cli.ask_models import ask_models
from medreview.cli.batch import batch_in, batch_out, batch_submit
from medreview.cli.meaning import Semantic, leave_by_summary, meaning_from_config, ordered, plan_and_say
from medreview.cli.options import Json, StudyFile
from medreview.cli.output import counted, progress, result
from medreview.cli.remarks import ReasonsOnly, RemarksOf, choose_remarks
from medreview.cli.ties import Ties, keep_rule
from medreview.errors import UserError


def judge(
    study: StudyFile,
    names: Annotated[
        list[str] | None,
        typer.Option("--judge", metavar="NAME", help="Ask this model of the settings; repeat it for a jury."),
    ] = None,
    task: Annotated[str, typer.Option(metavar="TASK", help="What to ask; `medreview prompts` lists the tasks.")] = "",
    limit: Annotated[int | None, typer.Option(min=1, help="Ask each model at most so many units now.")] = None,
    again: Annotated[bool, typer.Option("--again", help="Also where it gave no answer of use before.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be asked and cost; ask nothing.")] = False,
    local_only: Annotated[bool, typer.Option("--local-only", help="Refuse models outside this machine.")] = False,
    out: Annotated[
        Path | None,
        typer.Option("--batch-out", metavar="FILE", help="Write the questions to FILE, to run elsewhere."),
    ] = None,
    shard_mb: Annotated[int | None, typer.Option(min=1, help="Size of one such file; default: 100 MB.")] = None,
    back: Annotated[
        list[Path] | None, typer.Option("--batch-in", metavar="FILE", help="Take results back; may be repeated.")
    ] = None,
    submit: Annotated[
        bool,
        typer.Option("--batch-submit", help="Run it as a batch at the model's server, or go on with one there."),
    ] = False,
    no_wait: Annotated[
        bool, typer.Option("--no-wait", help="With --batch-submit: do not wait; the same command collects it.")
    ] = False,
    remarks_of: RemarksOf = None,
    reasons_only: ReasonsOnly = None,
    ties: Ties = None,
    processes: Annotated[int | None, typer.Option(min=0, help="Offline judge: default one per processor.")] = None,
    semantic: Semantic = None,
    as_json: Json = False,
) -> None:
    """Judge statements against sources, without a model or with --judge by models, and roll all judgements up.

    Without --judge the offline judge compares words, numbers, units and negations. It is triage, not a verdict.
    With --semantic a model of meaning has a part in its order, not in its labels; --no-semantic takes it out again.
    With it, the models of the settings are asked (`medreview judges` lists them); nothing is asked or paid twice.
    Ctrl-C waits for what is in flight, a second one does not. Exit code 1 when every question failed, 3 when some did.

    Example: medreview judge sepsis.medreview --judge llama --judge gpt --dry-run
    """
    from medreview import pipeline
    from medreview.config import load_config
    from medreview.judges.tasks.hallucination import ASSISTED
    from medreview.study import Study

    if (remarks_of or reasons_only is not None) and task != ASSISTED:
        raise UserError(f"--remarks-of and --reasons-only go with --task {ASSISTED}.")
    if task == ASSISTED and names:
        with Study.open(study, read_only=not remarks_of and reasons_only is None) as opened:
            choose_remarks(opened, remarks_of, reasons_only)
    if ties is not None:
        keep_rule(study, ties)
    if sum(way not in (None, False, []) for way in (out, back, submit)) > 1:
        raise UserError("Give one of --batch-out, --batch-in and --batch-submit.")
    if no_wait and not submit:
        raise UserError("--no-wait goes with --batch-submit.")
    if submit and not dry_run:
        batch_submit(
            study, names or (), shard_mb=shard_mb, task=task, limit=limit, again=again, local_only=local_only,
            wait=not no_wait, as_json=as_json,
        )  # fmt: skip
        return
    if out is not None:
        batch_out(
            study, names or (), out, shard_mb=shard_mb, task=task, limit=limit, again=again, local_only=local_only,
            as_json=as_json,
        )  # fmt: skip
        return
    if back:
        batch_in(study, names or (), back, task=task, as_json=as_json)
        return
    if names:
        ask_models(
            study, names, task=task, limit=limit, again=again, dry_run=dry_run, local_only=local_only, as_json=as_json
        )
        return
    meaning = meaning_from_config(semantic, local_only=local_only)
    if task or limit or again or (dry_run and meaning is None):
        raise UserError("--task, --limit, --again and --dry-run are for models: name one with --judge NAME.")
    synonyms = load_config().synonyms_file
    if meaning and dry_run:
        with Study.open(study) as opened:
            plan_and_say(opened, meaning, synonyms, as_json=as_json)
        return
    with Study.open(study) as opened, progress() as bar:
        done = pipeline.judge(opened, bar, processes, synonyms, meaning)
        undone = pipeline.order_by_rules(opened, bar) if semantic is False else 0
    alone = f"; {counted(undone, 'pair')} ordered by the rules alone again" if undone else ""
    result(
        done,
        f"{counted(done.pairs, 'pair')} judged offline{ordered(done.meaning)}{alone}; "
        f"{counted(done.flagged, 'statement')} flagged",
        as_json=as_json,
    )
    leave_by_summary(done.meaning)
