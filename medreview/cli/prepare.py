"""Commands that prepare a study: import, parse, judge, and all of them (with fetch) in one: run."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from medreview.cli.asking import ask_models
from medreview.cli.batch import batch_in, batch_out
from medreview.cli.fetch import pages_sentence
from medreview.cli.files import Json, StudyFile
from medreview.cli.jury import TieOption, keep_rule
from medreview.cli.mapping import Map, read_mapping
from medreview.cli.network import PagesFrom, Proxy, Robots, pages_from
from medreview.cli.output import bad_records, counted, progress, result, say
from medreview.errors import UserError

if TYPE_CHECKING:
    from medreview.pipeline import Imported
    from medreview.study import Study

Files = Annotated[list[Path], typer.Argument(metavar="FILE...", help="Answers, judgements, tables or exports.")]


def register(app: typer.Typer) -> None:
    """Add these commands to the application."""
    app.command("run")(run)
    app.command("import")(import_)
    app.command()(parse)
    app.command()(judge)


def run(
    study: StudyFile,
    files: Files,
    pages: PagesFrom = None,
    mapping: Map = None,
    proxy: Proxy = None,
    robots: Robots = None,
    as_json: Json = False,
) -> None:
    """Import answers, fetch what they cite, split them into statements and judge these: ready to review.

    Makes the study if there is none. Run it again after an interruption: it does what is missing.

    Example: medreview run sepsis.medreview answers.jsonl
    """
    from medreview import pipeline

    with _opened(study) as opened, progress() as bar:
        done = pipeline.run(opened, files, read_mapping(mapping), pages_from(pages, proxy, robots), bar, _synonyms())
        statements = opened.reader.execute("SELECT count(*) FROM statement").fetchone()[0]
    for imported in done.imported:
        say(_sentence(imported))
        bad_records(imported.bad, imported.file)
    if done.fetched.note:
        say(done.fetched.note)
    result(
        done,
        f"{study}: {counted(statements, 'statement')}, {done.judged.flagged} flagged; "
        f"{pages_sentence(done.fetched)}.\nReview them: medreview review {study}",
        as_json=as_json,
    )


def import_(study: StudyFile, files: Files, mapping: Map = None, as_json: Json = False) -> None:
    """Bring answers or judgements into a study: JSON, JSON lines, CSV, text, SourceCheckup tables, exports.

    Example: medreview import sepsis.medreview answers.csv --map answer_text=response
    """
    from medreview import pipeline

    with _opened(study) as opened, progress() as bar:
        done = [pipeline.bring_in(opened, path, read_mapping(mapping), bar) for path in files]
    for imported in done:
        bad_records(imported.bad, imported.file)
    result({"files": [asdict(imported) for imported in done]}, "\n".join(map(_sentence, done)), as_json=as_json)


def parse(study: StudyFile, as_json: Json = False) -> None:
    """Split the responses into statements, by rules.

    Example: medreview parse sepsis.medreview
    """
    from medreview import pipeline
    from medreview.study import Study

    with Study.open(study) as opened, progress() as bar:
        done = pipeline.parse(opened, bar)
    empty = f"; {counted(done.empty, 'response')} without any" if done.empty else ""
    result(
        done,
        f"{counted(done.statements, 'statement')} in {counted(done.responses, 'response')}, "
        f"{done.dropped} parts that are none{empty}",
        as_json=as_json,
    )


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
    ties: TieOption = None,
    processes: Annotated[int | None, typer.Option(min=0, help="Offline judge: default one per processor.")] = None,
    as_json: Json = False,
) -> None:
    """Judge statements against sources, without a model or with --judge by models, and roll all judgements up.

    Without --judge the offline judge compares words, numbers, units and negations. It is triage, not a verdict.
    With it, the models of the settings are asked (`medreview judges` lists them); nothing is asked or paid twice.

    Example: medreview judge sepsis.medreview --judge llama --judge gpt --dry-run
    """
    from medreview import pipeline
    from medreview.study import Study

    if ties is not None:
        keep_rule(study, ties)
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
    if task or limit or again or dry_run:
        raise UserError("--task, --limit, --again and --dry-run are for models: name one with --judge NAME.")
    with Study.open(study) as opened, progress() as bar:
        done = pipeline.judge(opened, bar, processes, _synonyms())
    result(done, f"{counted(done.pairs, 'pair')} judged offline; {done.flagged} statements flagged", as_json=as_json)


@contextmanager
def _opened(path: Path) -> Iterator["Study"]:
    """The study, made if there is none; one that was made for a file that could not be read is taken away again."""
    from medreview.study import Study

    fresh = not path.exists()
    with Study.create(path) if fresh else Study.open(path) as study:
        try:
            yield study
        except UserError:
            if fresh and not study.reader.execute("SELECT 1 FROM response LIMIT 1").fetchone():
                study.discard()
            raise


def _synonyms() -> Path | None:
    from medreview.config import load_config

    own = load_config().synonyms
    return Path(own) if own else None


_UNITS = {"responses": "response", "judgements": "judgement", "sourcecheckup": "response", "export": "event"}


def _sentence(done: "Imported") -> str:
    known = f", {done.known} there already" if done.known else ""
    left = f", {len(done.bad)} left out" if done.bad else ""
    return f"{done.file}: {counted(done.added, _UNITS[done.kind])} added{known}{left}"
