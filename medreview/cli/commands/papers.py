"""The commands ``papers ...``: a paper's steps and its figures beside those of a study."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

from typer import Argument, Option

from medreview.cli.ask_models import count_lines, did, leave_by, planned, say_what_is_waited_for
from medreview.cli.completion import judges, models, offer, studies
from medreview.cli.importing import imported_sentence, opened_or_made, say_what_is_missing
from medreview.cli.network import PagesFrom, model_named, pages_from, with_settings
from medreview.cli.options import (
    DryRun,
    Json,
    LeaveOut,
    LocalOnly,
    Map,
    OneReviewer,
    Passed,
    ReasonsOnly,
    RemarksOf,
    Reviewer,
    StudyFile,
    choose_remarks,
    open_study,
    read_mapping,
    study_path,
    takes,
)
from medreview.cli.output import one_line, progress, result, say
from medreview.cli.verdict_access import looked, tell_all_gold, without_reviewers
from medreview.errors import UserError
from medreview.visible import visible_line

if TYPE_CHECKING:
    from medreview.progress import Progress
    from medreview.replays.replay import Done, Plan, Replay, ReplayInputs, Step
    from medreview.study import Study


@dataclass(frozen=True, slots=True)
class ReplayOptions:
    """The files and the options of ``replay``."""

    files: Annotated[list[Path] | None, Argument(metavar="FILE...", help="What the paper starts from.")] = None
    sample: Annotated[bool, Option("--sample", help="On the sample data, with recorded answers; no network.")] = False
    models: Annotated[
        list[str] | None,
        Option("--model", metavar="NAME", autocompletion=models, help="A model that writes; may be repeated."),
    ] = None
    judges: Annotated[
        list[str] | None,
        Option("--judge", metavar="NAME", autocompletion=judges, help="A model that judges; repeat it for a jury."),
    ] = None
    limit: Annotated[int | None, Option(min=1, help="At most so many units of each step for each model.")] = None
    skip: Annotated[
        list[str] | None, Option("--skip", metavar="STEP", help="Leave this step out; may be repeated.")
    ] = None
    gold: Annotated[
        bool,
        Option(
            "--gold",
            help="With medhalu: score models against all right labels, also of answers that nobody has decided. For "
            "the study's owner: it is recorded that you have seen these figures.",
        ),
    ] = False
    leave_out: LeaveOut = None
    passed: Passed = ""
    again: Annotated[bool, Option("--again", help="Also where there was no answer of use before.")] = False
    dry_run: DryRun = False
    local_only: LocalOnly = False
    remarks_of: RemarksOf = None
    reasons_only: ReasonsOnly = None
    pages: PagesFrom = None
    mapping: Map = None
    reviewer: Reviewer = None
    as_json: Json = False


@contextmanager
def opened_for(path: Path, chosen: "Replay", *, sample: bool) -> "Iterator[Study]":
    """The study, made if it is missing. Recorded answers only enter studies made for them."""
    from medreview.replays.registry import title_of
    from medreview.study import Study

    if not sample:
        with opened_or_made(path) as study:
            yield study
        return
    title = title_of(chosen.name)
    with Study.open(path) if path.exists() else Study.create(path, title) as study:
        if study.meta("title") != title:
            raise UserError(
                f"{path} is not a sample of this replay: --sample makes its own study; give that a new name."
            )
        yield study


@contextmanager
def given_with(study: "Study", chosen: "Replay", wanted: ReplayOptions, bar: "Progress") -> "Iterator[ReplayInputs]":
    """The replay's material and models, from the options and the settings, or from the sample data."""
    from medreview.config import load_config
    from medreview.configured import judges_of, prompts_of
    from medreview.judges.tasks.hallucination import ASSISTED
    from medreview.replays.registry import of_sample
    from medreview.replays.replay import ReplayInputs

    if any(step.task == ASSISTED for step in chosen.steps):
        choose_remarks(study, wanted.remarks_of, wanted.reasons_only)
    elif wanted.remarks_of or wanted.reasons_only is not None:
        raise UserError("--remarks-of and --reasons-only are of the replay medhalu, which shows judges remarks.")
    config, local = load_config(), wanted.local_only
    given = ReplayInputs(
        study,
        reviewer=wanted.reviewer or config.reviewer,
        limit=wanted.limit,
        skip=_steps_of(chosen, wanted.skip or ()),
        again=wanted.again,
        synonyms=config.synonyms_file,
        progress=bar,
        on_wait=say_what_is_waited_for,
    )
    if wanted.sample:
        with of_sample(given, chosen.name) as sample:
            yield sample
        return
    judges = wanted.judges
    yield replace(
        given,
        files=wanted.files or (),
        mapping=read_mapping(wanted.mapping),
        writers=[model_named(name, local_only=local) for name in dict.fromkeys(wanted.models or ())],
        judges=with_settings(lambda config: judges_of(config, judges, local_only=local)).settings if judges else (),
        prompts=with_settings(prompts_of),
        pages=pages_from(wanted.pages),
    )


def _steps_of(chosen: "Replay", names: Sequence[str]) -> frozenset[str]:
    from medreview.setting import did_you_mean

    known = [step.name for step in chosen.steps]
    for name in names:
        if name not in known:
            raise UserError(f"There is no step {name!r}{did_you_mean(name, known)}; there are {', '.join(known)}.")
    return frozenset(names)


def dry(path: Path, chosen: "Replay", wanted: ReplayOptions, bar: "Progress") -> None:
    """What every step would ask. Of a study that is not there yet a temporary one is made, with the files in it."""
    from tempfile import TemporaryDirectory

    from medreview.replays.replay import dry_run

    fresh = not path.exists()
    with (
        TemporaryDirectory() if fresh else nullcontext(path.parent) as folder,
        opened_for(Path(folder) / path.name, chosen, sample=wanted.sample) as study,
        given_with(study, chosen, wanted, bar) as given,
    ):
        every = list(dry_run(chosen, given, fresh=fresh))
    lines = [f"{one.number}/{len(every)} {one.step.name}: {_would_ask(one.plan)}" for one in every]
    lines.append("What a step asks about that an earlier one has yet to make is not counted.")
    if wanted.files and not fresh:
        lines.append("Of the files only what is in the study already is counted.")
    told = [{"step": one.step.name, "plan": asdict(one.plan)} for one in every]
    result({"replay": chosen.name, "steps": told}, *lines, as_json=wanted.as_json)


def _would_ask(plan: "Plan") -> str:
    later = f"; about {plan.later:,} more calls follow on these" if plan.later else ""
    return "; ".join(map(planned, plan.plans)) + later if plan.plans else "asks nothing now"


def run_steps(chosen: "Replay", given: "ReplayInputs", *, as_json: bool) -> "list[Done]":
    """Do the steps, and print each as it ends."""
    from medreview.cli.reports.replay import step_parts
    from medreview.cli.reports.terminal import show
    from medreview.judges.judge_caveats import verifies_its_own
    from medreview.llm.settings import where_texts_go
    from medreview.replays.replay import run

    if given.writers or given.judges:
        say(*where_texts_go([*given.writers, *given.judges]))
    for writer in given.writers:
        say(*(own.words for judge in given.judges if (own := verifies_its_own(writer, judge))))

    def on_plan(step: "Step", plan: "Plan") -> None:
        say(f"{step.name} would ask {_would_ask(plan)}")

    done = []
    for one in run(chosen, given, on_plan):
        done.append(one)
        if as_json or one.outcome is None:
            continue
        show(step_parts(one.number, len(chosen.steps), one.step, one.outcome))
        for imported in one.outcome.imported:
            print(f"    {visible_line(imported_sentence(imported))}")
            say_what_is_missing(imported, given.study.path, None, "import", given.study.path)
        lines = [line for tally in one.outcome.tallies for line in did(tally)]
        for line in (*lines, *(line for counts in one.outcome.counts for line in count_lines(counts))):
            print(f"    {visible_line(line)}")
        sys.stdout.flush()
    return done


def print_figures(chosen: "Replay", given: "ReplayInputs", done: "list[Done]", wanted: ReplayOptions) -> None:
    """The table; that it was read is noted in the study, as with ``stats``."""
    from medreview.cli.reports.replay import RECORDED, deviation_parts, figure_parts
    from medreview.cli.reports.terminal import show
    from medreview.judges.judge_caveats import own_work_done
    from medreview.replays.registry import is_recorded
    from medreview.replays.replay import as_json as rows_as_json
    from medreview.units.left_out_reviewers import reviewers_left_out

    as_json, own_work = wanted.as_json, own_work_done(given.study.reader)
    looked(given.study, f"replay {chosen.name}", "totals")
    made = chosen.table
    if wanted.gold and chosen.of_all_gold is not None:
        tell_all_gold(given.study, chosen.gold_of, f"replay {chosen.name} --gold")
        made = chosen.of_all_gold
    with without_reviewers(given.study, wanted.leave_out, wanted.passed):
        rows, left = list(made(given.study)), reviewers_left_out(given.study.reader)
    recorded = bool(given.labels) or is_recorded(given.study.reader)
    if as_json:
        steps = [{"step": one.step.name, **asdict(one.outcome)} for one in done if one.outcome]
        own = [asdict(one) for one in own_work]
        told = {**about(chosen), "study": str(given.study.path), "note": RECORDED if recorded else "",
                "steps": steps, "figures": rows_as_json(rows), "own_work": own,
                "left_out": [asdict(one) for one in left]}  # fmt: skip
        result(told, as_json=True)
        return
    show(deviation_parts(chosen))
    print()
    words = (one_line(line) for line in (*(one.words for one in own_work), *(one.sentence for one in left)))
    show([*figure_parts(rows, recorded=recorded), *words])


def about(chosen: "Replay") -> dict[str, object]:
    return {
        "replay": chosen.name,
        "paper": chosen.paper,
        "takes": chosen.takes,
        "steps": [{"step": step.name, "about": step.about} for step in chosen.steps],
        "deviations": list(chosen.deviations),
        "not_replayed": list(chosen.not_replayed),
    }


PAPERS: Final = ("sourcecheckup", "medhalu", "cds", "medfacteval", "medagentbrief", "cliniqlink")
"""Those that can be replayed: to name them loads none."""


@takes(ReplayOptions)
def replay(
    paper: Annotated[
        str,
        Argument(
            metavar="PAPER",
            autocompletion=offer(lambda ctx, incomplete: PAPERS),
            help=f"{', '.join(PAPERS)}; alone: what its replay does.",
        ),
    ],
    study: Annotated[
        Path | None,
        Argument(
            metavar="STUDY",
            help="The study file; made if it is not there.",
            callback=study_path,
            autocompletion=studies,
        ),
    ] = None,
    *,
    wanted: ReplayOptions,
) -> None:
    """Do what a paper did, and print its figures beside yours.

    It goes step by step, on your own data or on the sample.
    Every step says whether it was done already, was done now, or waits for the reviewer, with the command to give. The
    same command goes on later; nothing is asked twice. What each step costs is said before it asks.

    Example: medreview papers replay medhalu trial.medreview --sample
    """
    from medreview.replays.registry import REPLAYS
    from medreview.setting import did_you_mean

    if paper not in REPLAYS:
        raise UserError(f"There is no replay {paper!r}{did_you_mean(paper, REPLAYS)}; there are {', '.join(REPLAYS)}.")
    chosen, as_json = REPLAYS[paper], wanted.as_json
    if wanted.gold and chosen.of_all_gold is None:
        raise UserError("--gold is of the replay medhalu, whose models are scored against right labels.")
    if study is None:
        if wanted.sample or wanted.dry_run or wanted.models or wanted.judges:
            raise UserError(f"Name a study for it: medreview papers replay {paper} STUDY")
        if as_json:
            result(about(chosen), as_json=True)
        else:
            from medreview.cli.reports.replay import about_parts
            from medreview.cli.reports.terminal import show

            show(about_parts(chosen))
        return
    others = (wanted.files, wanted.models, wanted.judges, wanted.pages, wanted.mapping, wanted.limit, wanted.again)
    if wanted.sample and any(others):
        raise UserError("--sample brings its own files and models, and every answer once; give it no others.")
    with progress() as bar:
        if wanted.dry_run:
            dry(study, chosen, wanted, bar)
            return
        with (
            opened_for(study, chosen, sample=wanted.sample) as opened,
            given_with(opened, chosen, wanted, bar) as given,
        ):
            done = run_steps(chosen, given, as_json=as_json)
            print_figures(chosen, given, done, wanted)
    failed = [one.outcome for one in done if one.outcome and one.outcome.failed]
    leave_by(sum(one.failed for one in failed), sum(tally.units for one in failed for tally in one.tallies))


def reproduce(
    votes: Annotated[
        Path | None, Option(metavar="FILE", help="MedFactEval's votes: a JSON file with the consensus and the judges'.")
    ] = None,
    csv: Annotated[Path | None, Option(metavar="FILE", help="Also write FILE, a row for each figure.")] = None,
    as_json: Json = False,
) -> None:
    """Compute the figures of papers again, from their counts.

    It takes the counts that they print, and this program's formulas.
    ClinIQLink, SourceCheckup, the notebook on clinical citations and MedFactEval: the printed figure, ours, whether
    they are equal, and the reason where they are not. It takes no study. MedFactEval's votes are not part of this
    program; --votes reads the file that its authors publish.

    Example: medreview papers reproduce --csv reproduced.csv
    """
    from medreview.exchange.files.columns import cells
    from medreview.exchange.files.csv_file import write_report
    from medreview.replays.reproduced import COLUMNS, as_row, read_votes, reproduced

    found = list(reproduced(None if votes is None else read_votes(votes)))
    if csv is not None:
        write_report(csv, COLUMNS, (cells(COLUMNS, one) for one in found))
        say(f"written: {csv}")
    if as_json:
        result({"figures": [as_row(one) for one in found]}, as_json=True)
        return
    from medreview.cli.reports.replay import reproduce_parts
    from medreview.cli.reports.terminal import show

    show(reproduce_parts(found))


def assisted(
    study: StudyFile,
    reviewer: OneReviewer = None,
    csv: Annotated[
        Path | None, Option(metavar="FILE", help="Also write FILE, a row for each judge and response.")
    ] = None,
    gold: Annotated[
        bool,
        Option(
            "--gold",
            help="Against all right labels, also of answers that nobody has decided. For the study's owner: it is "
            "recorded that you have seen these figures.",
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Compare judges before and after an expert's remarks.

    It compares what they found in answers by themselves with what they found then.
    For each judge: from which type to which its word went, how often it agrees with the reviewer and with gold before
    and after, and how many answers turned from wrong to right and from right to wrong. Gold is silent until its answer
    is decided. Nothing of this enters the figures of `stats`.

    Example: medreview papers assisted medhalu.medreview --csv before-after.csv
    """
    from medreview.cli.reports.agreement_tables import assisted_parts
    from medreview.cli.reports.terminal import show
    from medreview.exchange.exports.figure_csv import ASSISTED, assisted_rows
    from medreview.exchange.files.csv_file import write_report
    from medreview.stats.units.hallucination_detection import assisted_report

    with open_study(study, read_only=True) as opened:
        looked(opened, "assisted", "verdicts")
        if gold:
            tell_all_gold(opened, "answer", "assisted --gold")
        report = assisted_report(opened.reader, reviewer, all_gold=gold)
    if csv is not None:
        write_report(csv, ASSISTED, assisted_rows(report))
        say(f"written: {csv}")
    if as_json:
        result(asdict(report), as_json=True)
    else:
        show(assisted_parts(report))
