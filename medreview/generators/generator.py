"""What a generator says of itself, and what it and the machinery say to each other: questions, answers, what was made.

The machinery is in ``generation``.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Generator as Yields
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Final, NamedTuple

from medreview.exchange.imports.listed_citations import GivenPage
from medreview.judges.prompts import Prompt, load_prompt
from medreview.llm.costs import answer_tokens_of, prompt_tokens_of
from medreview.llm.settings import JudgeSettings
from medreview.study import Study
from medreview.units.new_units import ImportRecord

ATTEMPTS: Final = 3
"""How often a model may try when its answers are invalid: once, and two resamples."""
NOTHING: Final = "empty"
"""A validator's code for an answer in which nothing is written."""
JUDGE: Final = "judge"
"""In :attr:`Ask.by`: the model that verifies, not the one that writes."""


class Item(NamedTuple):
    """One input of a generator. ``item_id`` is the same for the same content; ``name`` is for people."""

    item_id: str
    name: str


@dataclass(frozen=True, slots=True)
class ValidatorResult:
    """What a validator found: ``codes`` are words on what is wrong, none and it is valid; ``value`` is for the
    generator."""

    codes: tuple[str, ...] = ()
    value: Any = None


@dataclass(frozen=True, slots=True)
class ModelQuestion:
    """A question to a model within the work on one input.

    ``stage`` names it among those of the input. ``texts``: the prompt's placeholders, each fenced as untrusted text.
    ``check`` is given the object, which satisfies the schema. An invalid one is sampled again, up to ``attempts``
    times in all. ``by`` is :data:`JUDGE` for the model that verifies; without a judge the writing model is asked.
    ``about``: what it is about, where that is not the input and the stage. ``read``: makes an object of (status, text)
    where the output satisfies no schema, for what is of use all the same; the model is then not asked to mend its form,
    which would be another try. ``allowed``: codes of ``answer_rules`` that are no fault here; ``headings``: fields that
    may hold a heading. ``notes``: what is to be known of one of the ``texts``, in our own words.
    """

    stage: str
    prompt: Prompt
    texts: Mapping[str, str]
    check: Callable[[Mapping[str, Any]], ValidatorResult]
    attempts: int = ATTEMPTS
    by: str = ""
    about: str = ""
    read: Callable[[str, str], Mapping[str, Any]] | None = None
    allowed: tuple[str, ...] = ()
    headings: tuple[str, ...] = ()
    notes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Got:
    """What came of it: the ``value`` of the valid attempt, else ``status``, ``codes`` and output of the last one.

    ``status``: ``ok``, ``invalid`` (by ``check``), or ``unparsable``, ``truncated``, ``refused`` as in ``llm.call``.
    """

    valid: bool
    value: Any
    status: str
    codes: tuple[str, ...]
    raw: str


class DroppedPart(NamedTuple):
    """A part of what a model wrote that a rule left out: the rule's word, and the part."""

    code: str
    what: str


@dataclass(frozen=True, slots=True)
class InputResult:
    """What came of an input. ``code``: why nothing was made; ``report``: what the generator's own report needs."""

    brought: ImportRecord = field(default_factory=ImportRecord)
    code: str = ""
    dropped: tuple[DroppedPart, ...] = ()
    report: Mapping[str, Any] = field(default_factory=dict)


class NothingMade(Exception):
    """Ends the work on an input of which nothing was made; ``result`` says why."""

    def __init__(self, code: str, report: Mapping[str, Any]) -> None:
        super().__init__(code)
        self.result = InputResult(code=code, report=report)


Work = Yields[ModelQuestion, Got, InputResult]
"""The work on one input: it yields questions, is sent what came of them, and returns what was made.

It is run again from stored answers whenever it goes on, so that it must be deterministic, and write nothing.
"""


class Generator(ABC):
    """One generator for one study and model. ``prompts`` is the user's own folder of prompts, if any.

    ``name`` is the word of its command, ``noun`` what its inputs are called (``text``). ``prompt_names``: the prompts
    it asks with. ``deviations``: where it departs from the paper, a sentence each. ``lacking``: what the study has not,
    where there is no input at all, a sentence. ``goes_out``: what models are sent, with its verb, where that is not the
    inputs. ``tells``: its questions show labels and verdicts, so that it takes ``to``, the reviewers who may be
    asking, and leaves out what is held back from any of them. ``mixed``: what is made without a question takes its
    place among the others, so that the order of the results shows nothing. A subclass with options of its own gives
    those that change what is asked in :attr:`options`.
    """

    name: ClassVar[str]
    noun: ClassVar[str]
    prompt_names: ClassVar[tuple[str, ...]]
    deviations: ClassVar[tuple[str, ...]] = ()
    mixed: ClassVar[bool] = False
    lacking: ClassVar[str] = ""
    goes_out: ClassVar[str] = ""
    tells: ClassVar[bool] = False
    judge: JudgeSettings | None = None
    """The model that verifies, once the work is put to models."""

    def __init__(self, study: Study, model: JudgeSettings, prompts: Path | None = None) -> None:
        """Raises :class:`UserError` for a prompt of the user that cannot be used."""
        self.study = study
        self.model = model
        self.prompts: Mapping[str, Prompt] = {name: load_prompt(name, prompts) for name in self.prompt_names}

    @property
    def options(self) -> Mapping[str, Any]:
        """What else decides what is asked, as JSON values, a seed among them."""
        return {}

    @abstractmethod
    def items(self) -> Sequence[Item]:
        """All inputs, in order, whatever was made of them before."""

    @abstractmethod
    def work(self, item: Item) -> Work:
        """The work on one input (:data:`Work`)."""

    def steps(self, item: Item) -> int:
        """How many questions the work on an input takes when none is asked twice, as far as that is known."""
        return 1

    def pages(self) -> Sequence[GivenPage]:
        """Texts of sources that its responses cite and the study lacks; asked after each run, to be stored."""
        return ()

    def put(
        self, ask: ModelQuestion, report: Mapping[str, Any] = MappingProxyType({}), empty: str = "invalid"
    ) -> Yields[ModelQuestion, Got, Any]:
        """What the validator makes of a valid answer. Raises :class:`NothingMade` without one: ``over_context`` for
        texts that are too long, which are never cut, ``empty`` where nothing was written, and ``invalid``; ``report``
        is that of the input."""
        if not self.fits(ask.prompt, ask.texts):
            raise NothingMade("over_context", report)
        got = yield ask
        if not got.valid:
            raise NothingMade(empty if got.codes == (NOTHING,) else "invalid", report)
        return got.value

    def fits(self, prompt: Prompt, texts: Mapping[str, str], asked: JudgeSettings | None = None) -> bool:
        """Whether a prompt with these texts leaves room for an answer in the context of the model that is ``asked``
        (else the one that writes), by an upper bound."""
        settings = asked or self.model
        tokens = prompt_tokens_of(prompt.messages({**dict.fromkeys(prompt.fields, ""), **texts}))
        return tokens + answer_tokens_of(settings) <= settings.context_tokens
