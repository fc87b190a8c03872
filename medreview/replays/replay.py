"""What a replay is: a list of steps, how these depart from the paper, and the table of figures at the end."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from medreview.generators.counts import GenerationCounts
from medreview.import_files import Imported
from medreview.judges.llm_stage import Tally
from medreview.judges.planning import QuestionPlan
from medreview.llm.settings import JudgeSettings
from medreview.pipeline import PageProvider
from medreview.progress import SILENT, Progress
from medreview.replays.table import Row
from medreview.study import Study

State = Literal["done", "did", "waits", "left", "failed"]
"""Of a step: nothing was left to do; something was done now; it waits for the reviewer, or for an earlier step; it is
left, since what it needs was not given; some of it failed, and the same command tries again."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a step: a sentence, and the ``command`` that goes on with it where that is another one.

    ``asked`` counts requests to models now, ``cost`` is theirs (``None``: not known), ``failed`` the units without an
    answer of use; ``tallies`` has them model by model, ``counts`` what each made. ``imported``: what files brought.
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
class Given:
    """What a replay works on, and with.

    ``writers`` are the models of ``--model``, in their order, ``judges`` those of ``--judge``. ``reviewer``: in whose
    name the study is told of a share for a second annotator. ``limit``: at most so many units or items of each step for
    each model now. ``skip``: names of steps that are left out. ``labels``: of the sample data, whose models are the
    recorded ones, the file with the labels of its annotators, and the word of the paper.
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


class Step(ABC):
    """One step of a replay. It does what is not done yet, so that it can be stopped and given again.

    ``name`` is one or two words, ``about`` a sentence on what it does.
    """

    name: str
    about: str

    @property
    def reads_files(self) -> bool:
        """Whether all it does is to read the files that were given: no network, no model."""
        return False

    @property
    def deviations(self) -> tuple[str, ...]:
        """How it departs from the paper by itself, a sentence each."""
        return ()

    def plan(self, given: Given) -> Plan:
        """What it would ask now, as the study stands; nothing is sent, and nothing is written."""
        return Plan()

    @abstractmethod
    def run(self, given: Given) -> Outcome:
        """Do what is not done yet."""


@dataclass(frozen=True, slots=True)
class Replay:
    """A paper. ``takes``: what the files of the command are. ``departs`` and ``not_replayed`` are sentences: how the
    steps depart from the paper together, and what of it they leave out."""

    name: str
    paper: str
    takes: str
    steps: tuple[Step, ...]
    departs: tuple[str, ...]
    not_replayed: tuple[str, ...]
    table: Callable[[Study], Iterator[Row]]

    @property
    def deviations(self) -> tuple[str, ...]:
        """Every way in which it departs from the paper, those of its steps in their order first."""
        return tuple(dict.fromkeys((*(told for step in self.steps for told in step.deviations), *self.departs)))
