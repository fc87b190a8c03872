"""What a replay is, how its steps run one after the other, and the table of figures at its end.

A replay is a list of steps, how these depart from the paper, and the table: a figure as the paper prints it, the
study's own, and why they differ. What a step would cost is said before it asks.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

from medreview.generators.counts import GenerationCounts
from medreview.import_files import Imported
from medreview.judges.llm_stage import QuestionPlan, Tally
from medreview.llm.settings import JudgeSettings
from medreview.pipeline import PageProvider
from medreview.progress import SILENT, Progress
from medreview.stats.formulas.estimate import LEVEL, Estimate, Scale, number, percent
from medreview.study import Study


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table.

    ``what``: the figure, in words that say what it is of. ``of``: whose it is in the study (a model, a judge), ``""``
    for all. ``paper``: as the paper prints it, with whose it is. ``ours``: the study's; ``None`` where it cannot be
    computed yet, and ``missing`` says what for. ``scale``: that of the paper where ours is another, or is not there.
    ``why``: why the two differ, beyond other data.
    """

    what: str
    paper: str
    ours: Estimate | None = None
    of: str = ""
    scale: Scale | None = None
    missing: str = ""
    why: str = ""

    def __post_init__(self) -> None:
        if self.ours is None and not self.missing:
            raise ValueError(f"{self.what}: a figure that is not there needs a sentence")

    @property
    def written_on(self) -> Scale:
        """The scale on which value and interval are shown."""
        return self.scale or (self.ours.scale if self.ours else "share")

    @property
    def shown(self) -> str:
        """Value, interval, or why it is missing."""
        if self.ours is None:
            return self.missing
        if self.ours.value is None:
            return f"undefined: {self.ours.reason}"
        value = number(self.ours.value, self.written_on)
        if self.ours.low is None or self.ours.high is None:
            return f"{value}, no interval"
        level = "" if self.ours.level == LEVEL else f"{percent(self.ours.level, 0)}: "
        low, high = (number(end, self.written_on) for end in (self.ours.low, self.ours.high))
        return f"{value} ({level}{low} to {high})"

    @property
    def counted(self) -> str:
        """How many items it rests on, and in how many clusters these are."""
        if self.ours is None or self.ours.value is None:
            return ""
        in_clusters = f" in {self.ours.clusters:,}" if self.ours.clusters is not None else ""
        return f"{self.ours.n:,}{in_clusters}"


def as_json(rows: Iterable[Row]) -> list[dict[str, object]]:
    """The rows for a script: every row has every key. Shares are fractions."""
    return [
        {
            "figure": row.what,
            "of": row.of,
            "paper": row.paper,
            "scale": "share" if row.written_on == "share" else "number",
            **{name: getattr(row.ours, name, None) for name in _OF_ESTIMATE},
            "left_out": row.ours.dropped if row.ours else None,
            "missing": row.missing or (row.ours.reason or "" if row.ours else ""),
            "why_they_differ": row.why,
        }
        for row in rows
    ]


_OF_ESTIMATE: Final = ("value", "low", "high", "level", "method", "n", "clusters", "seed")


def mean_of(name: str, value: float, of: int, scale: Scale) -> Estimate:
    """A mean over all there are, and no sample of more."""
    reason = "It is of all there are, and no sample."
    return Estimate(name, value, None, None, "mean", of, reason=reason, scale=scale)


State = Literal["done", "did", "waits", "left", "failed"]
"""Of a step: nothing was left to do; something was done now; it waits for the reviewer, or for an earlier step; it is
left, since what it needs was not given; some of it failed, and the same command tries again."""


@dataclass(frozen=True, slots=True)
class StepOutcome:
    """What became of a step: a sentence, and the ``command`` that goes on with it where that is another one.

    ``asked`` counts requests to models now, ``cost`` is theirs (``None``: not known), ``failed`` the units without an
    answer of use; ``tallies`` has them model by model, ``counts`` what each made. ``imported``: what files added.
    ``lines``: what else there is to say.
    """

    state: State
    words: str
    command: str = ""
    asked: int = 0
    failed: int = 0
    cost: float | None = None
    tallies: tuple[Tally, ...] = ()
    counts: tuple[GenerationCounts, ...] = ()
    imported: tuple[Imported, ...] = ()
    lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """What a step would ask: of each model with something to ask its units, calls, tokens and cost.

    ``later``: about how many calls would follow on these, where one question depends on the answer to another.
    """

    plans: tuple[QuestionPlan, ...] = ()
    later: int = 0


@dataclass(frozen=True, slots=True)
class ReplayInputs:
    """What a replay works on, and with.

    ``writers`` are the models of ``--model``, in their order, ``judges`` those of ``--judge``. ``reviewer``: in whose
    name a share for a second annotator is recorded. ``limit``: at most so many units or items of each step for each
    model now. ``skip``: names of steps that are left out. ``labels``: of the sample data, whose models are the recorded
    ones, the file with the labels of its annotators, and the word of the paper.
    """

    study: Study
    files: Sequence[Path] = ()
    mapping: Mapping[str, str] = field(default_factory=dict)
    writers: Sequence[JudgeSettings] = ()
    judges: Sequence[JudgeSettings] = ()
    prompts: Path | None = None
    pages: PageProvider = field(default_factory=PageProvider)
    reviewer: str = ""
    limit: int | None = None
    skip: Collection[str] = ()
    again: bool = False
    labels: tuple[Path, str] | None = None
    synonyms: Path | None = None
    processes: int | None = None
    progress: Progress = SILENT
    on_wait: Callable[[int], None] = lambda _: None


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a replay. It does what is not done yet, so that it can be stopped and given again.

    ``name`` is one or two words, ``about`` a sentence on what it does. ``run`` does what is not done yet. ``plan``:
    what it would ask now, as the study stands; nothing is sent, and nothing is written. ``reads_files``: all it does is
    to read the files that were given, with no network and no model. ``deviations``: how it departs from the paper by
    itself, a sentence each. ``task``: what it asks judges; ``queue``: where a reviewer meets its units.
    """

    name: str
    about: str
    run: Callable[[ReplayInputs], StepOutcome]
    plan: Callable[[ReplayInputs], Plan] = lambda given: Plan()
    reads_files: bool = False
    deviations: tuple[str, ...] = ()
    task: str = ""
    queue: str = ""


@dataclass(frozen=True, slots=True)
class Replay:
    """A paper. ``takes``: what the files of the command are. ``departs`` and ``not_replayed`` are sentences: how the
    steps depart from the paper together, and what of it they leave out. ``of_all_gold``: the table against all right
    labels of ``gold_of``, a kind of unit, also of those that nobody has decided."""

    name: str
    paper: str
    takes: str
    steps: tuple[Step, ...]
    departs: tuple[str, ...]
    not_replayed: tuple[str, ...]
    table: Callable[[Study], Iterator[Row]]
    of_all_gold: Callable[[Study], Iterator[Row]] | None = None
    gold_of: str = ""

    @property
    def deviations(self) -> tuple[str, ...]:
        """Every way in which it departs from the paper, those of its steps in their order first."""
        return tuple(dict.fromkeys((*(one for step in self.steps for one in step.deviations), *self.departs)))


OnPlan = Callable[[Step, Plan], None]


@dataclass(frozen=True, slots=True)
class Done:
    """A step with its number, from 1, and what became of it; in a dry run its plan."""

    number: int
    step: Step
    plan: Plan
    outcome: StepOutcome | None


def run(replay: Replay, given: ReplayInputs, on_plan: OnPlan) -> Iterator[Done]:
    """Do every step, each when the caller takes it. ``on_plan`` gets the cost of a step before it asks.

    A step that waits for the reviewer holds up none that does not need her: each looks at what the study has.
    """
    for ordinal, step in enumerate(replay.steps, 1):
        if step.name in given.skip:
            yield Done(ordinal, step, Plan(), StepOutcome("left", "as you asked"))
            continue
        plan = step.plan(given)
        if plan.plans:
            on_plan(step, plan)
        yield Done(ordinal, step, plan, step.run(given))


def dry_run(replay: Replay, given: ReplayInputs, *, fresh: bool) -> Iterator[Done]:
    """What every step would ask of the study as it stands; nothing is sent.

    ``fresh``: the study is a temporary one, made for this, so that the files are read into it first.
    """
    for ordinal, step in enumerate(replay.steps, 1):
        skipped = step.name in given.skip
        outcome = step.run(given) if fresh and step.reads_files and not skipped else None
        yield Done(ordinal, step, Plan() if skipped else step.plan(given), outcome)
