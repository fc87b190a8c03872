"""Doing a replay from the command line: its study, its models, its steps as they end, its table."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from medreview.cli.ask_models import did, planned, say_what_is_waited_for
from medreview.cli.mapping import read_mapping
from medreview.cli.network import pages_from
from medreview.cli.output import one_line, result, say
from medreview.cli.trusting import with_settings
from medreview.errors import UserError
from medreview.visible import visible_line

if TYPE_CHECKING:
    from medreview.llm.settings import JudgeSettings
    from medreview.progress import Progress
    from medreview.replays.replay import Given, Plan, Replay, Step
    from medreview.replays.runner import Done
    from medreview.study import Study


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the options say."""

    files: Sequence[Path]
    sample: bool
    models: Sequence[str]
    judges: Sequence[str]
    limit: int | None
    skip: Sequence[str]
    again: bool
    local_only: bool
    pages: Path | None
    mapping: Sequence[str]
    reviewer: str | None
    as_json: bool
    remarks_of: Sequence[str]
    reasons_only: bool | None


@contextmanager
def opened_for(path: Path, chosen: "Replay", *, sample: bool) -> "Iterator[Study]":
    """The study, made if there is none. Recorded answers get into no study but those made for them."""
    from medreview.cli.importing import opened_or_made
    from medreview.replays.sample import title_of
    from medreview.study import Study

    if not sample:
        with opened_or_made(path) as study:
            yield study
        return
    title = title_of(chosen.name)
    with Study.open(path) if path.exists() else Study.create(path, title) as study:
        if study.meta("title") != title:
            raise UserError(
                f"{path} is no sample of this replay: --sample makes a study of its own; give it a new name."
            )
        yield study


@contextmanager
def given_with(study: "Study", chosen: "Replay", wanted: Wanted, bar: "Progress") -> "Iterator[Given]":
    """What the replay works on and with, from the options and the settings, or from the sample data."""
    from medreview.cli.remarks import choose_remarks
    from medreview.config import load_config
    from medreview.configured import judges_of, prompts_of
    from medreview.judges.tasks.hallucination import ASSISTED
    from medreview.replays.replay import Given
    from medreview.replays.sample import of_sample
    from medreview.replays.steps.asking import Ask

    if any(isinstance(step, Ask) and step.task == ASSISTED for step in chosen.steps):
        choose_remarks(study, wanted.remarks_of, wanted.reasons_only)
    elif wanted.remarks_of or wanted.reasons_only is not None:
        raise UserError("--remarks-of and --reasons-only are of the replay medhalu, which shows judges remarks.")
    config, local = load_config(), wanted.local_only
    given = Given(
        study,
        reviewer=wanted.reviewer or config.reviewer,
        limit=wanted.limit,
        skip=_steps_of(chosen, wanted.skip),
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
        files=wanted.files,
        mapping=read_mapping(wanted.mapping),
        writers=[_writer(name, local_only=local) for name in dict.fromkeys(wanted.models)],
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


def _writer(name: str, *, local_only: bool) -> "JudgeSettings":
    from medreview.configured import model_of

    return with_settings(lambda config: model_of(config, name, local_only=local_only))


def dry(path: Path, chosen: "Replay", wanted: Wanted, bar: "Progress") -> None:
    """What every step would ask. Of a study that is not there yet a temporary one is made, with the files in it."""
    from tempfile import TemporaryDirectory

    from medreview.replays.runner import dry_run

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


def run_steps(chosen: "Replay", given: "Given", *, as_json: bool) -> "list[Done]":
    """Do the steps, and print each as it ends."""
    from medreview.cli.generating import count_lines
    from medreview.cli.importing import imported_sentence, say_what_is_missing
    from medreview.cli.reports.replay import step_parts
    from medreview.cli.reports.terminal import printed
    from medreview.judges.own_work import verifies_its_own
    from medreview.llm.settings import where_texts_go
    from medreview.replays.runner import run

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
        print(printed(step_parts(one.number, len(chosen.steps), one.step, one.outcome)), end="")
        for imported in one.outcome.imported:
            print(f"    {visible_line(imported_sentence(imported))}")
            say_what_is_missing(imported, given.study.path, None, "import", given.study.path)
        for line in [line for tally in one.outcome.tallies for line in did(tally)]:
            print(f"    {visible_line(line)}")
        for line in [line for counts in one.outcome.counts for line in count_lines(counts)]:
            print(f"    {visible_line(line)}")
        sys.stdout.flush()
    return done


def print_figures(chosen: "Replay", given: "Given", done: "list[Done]", *, as_json: bool) -> None:
    """The table; that it was read is noted in the study, as with ``stats``."""
    from medreview.cli.looking import looked
    from medreview.cli.reports.replay import RECORDED, deviation_parts, figure_parts
    from medreview.cli.reports.terminal import printed
    from medreview.judges.own_work import own_work_done
    from medreview.replays.sample import is_recorded
    from medreview.replays.table import as_json as rows_as_json

    own_work = own_work_done(given.study.reader)
    looked(given.study, f"replay {chosen.name}", "totals")
    rows, recorded = list(chosen.table(given.study)), bool(given.labels) or is_recorded(given.study.reader)
    if as_json:
        steps = [{"step": one.step.name, **asdict(one.outcome)} for one in done if one.outcome]
        own = [asdict(one) for one in own_work]
        told = {**about(chosen), "study": str(given.study.path), "note": RECORDED if recorded else "",
                "steps": steps, "figures": rows_as_json(rows), "own_work": own}  # fmt: skip
        result(told, as_json=True)
        return
    print(printed(deviation_parts(chosen)), end="")
    print()
    print(printed([*figure_parts(rows, recorded=recorded), *(one_line(one.words) for one in own_work)]), end="")


def about(chosen: "Replay") -> dict[str, object]:
    return {
        "replay": chosen.name,
        "paper": chosen.paper,
        "takes": chosen.takes,
        "steps": [{"step": step.name, "about": step.about} for step in chosen.steps],
        "deviations": list(chosen.deviations),
        "not_replayed": list(chosen.not_replayed),
    }
