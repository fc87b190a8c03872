"""What a generator says of itself; the machinery is in ``generation``."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from medreview.exchange.imports.listed_citations import GivenPage
from medreview.generators.ask import Item, Work
from medreview.judges.prompts import Prompt, load_prompt
from medreview.llm.costs import answer_tokens_of, prompt_tokens_of
from medreview.llm.settings import JudgeSettings
from medreview.study import Study


class Generator(ABC):
    """One generator for one study and model. ``prompts`` is the user's own folder of prompts, if any.

    ``name`` is the word of its command, ``noun`` what its inputs are called (``text``). ``prompt_names``: the prompts
    it asks with. ``deviations``: where it departs from the paper, a sentence each. ``lacking``: what the study has not,
    where there is no input at all, a sentence. ``goes_out``: what models are sent, with its verb, where that is not the
    inputs. ``tells``: what it sends tells of labels and verdicts, so that it takes ``to``, the reviewers who may be
    asking, and leaves out what is held back from any of them. ``mixed``: what is made without a question takes its
    place among the others, so that the order of what was made tells nothing. A subclass with options of its own gives
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
        """The work on one input (:data:`~medreview.generators.ask.Work`)."""

    def steps(self, item: Item) -> int:
        """How many questions the work on an input takes when none is asked twice, as far as that is known."""
        return 1

    def pages(self) -> Sequence[GivenPage]:
        """Texts of sources that its responses cite and the study lacks; asked after each run, to be stored."""
        return ()

    def fits(self, prompt: Prompt, texts: Mapping[str, str], asked: JudgeSettings | None = None) -> bool:
        """Whether a prompt with these texts leaves room for an answer in the context of the model that is ``asked``
        (else the one that writes), by an upper bound."""
        settings = asked or self.model
        tokens = prompt_tokens_of(prompt.messages({**dict.fromkeys(prompt.fields, ""), **texts}))
        return tokens + answer_tokens_of(settings) <= settings.context_tokens
