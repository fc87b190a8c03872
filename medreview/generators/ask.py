"""What a generator and the machinery say to each other: questions, what came back, and what was made."""

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from medreview.judges.prompts import Prompt
from medreview.units.new_units import Brought

ATTEMPTS: Final = 3
"""How often a model may try when its answers are invalid: once, and two resamples."""
JUDGE: Final = "judge"
"""In :attr:`Ask.by`: the model that verifies, not the one that writes."""


class Item(NamedTuple):
    """One input of a generator. ``item_id`` is the same for the same content; ``name`` is for people."""

    item_id: str
    name: str


@dataclass(frozen=True, slots=True)
class Checked:
    """What a validator found: ``codes`` are words on what is wrong, none and it is valid; ``value`` is for the
    generator."""

    codes: tuple[str, ...] = ()
    value: Any = None


@dataclass(frozen=True, slots=True)
class Ask:
    """A question to a model within the work on one input.

    ``stage`` names it among those of the input. ``texts``: the prompt's placeholders, each fenced as untrusted text.
    ``check`` is given the object, which satisfies the schema. An invalid one is sampled anew, up to ``attempts`` times
    in all. ``by`` is :data:`JUDGE` for the model that verifies; the one that writes is asked where there is none.
    ``about``: what it is about, where that is not the input and the stage. ``read``: makes an object of (status, text)
    where the output satisfies no schema, for what is of use all the same; the model is then not asked to mend its form,
    which would be another try. ``allowed``: codes of ``answer_rules`` that are no fault here; ``headings``: fields that
    may hold a heading. ``notes``: what is to be known of one of the ``texts``, in our own words.
    """

    stage: str
    prompt: Prompt
    texts: Mapping[str, str]
    check: Callable[[Mapping[str, Any]], Checked]
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


class Dropped(NamedTuple):
    """A part of what a model wrote that a rule left out: the rule's word, and the part."""

    code: str
    what: str


@dataclass(frozen=True, slots=True)
class Made:
    """What came of an input. ``code``: why nothing was made; ``report``: what the generator's own report needs."""

    brought: Brought = field(default_factory=Brought)
    code: str = ""
    dropped: tuple[Dropped, ...] = ()
    report: Mapping[str, Any] = field(default_factory=dict)


Work = Generator[Ask, Got, Made]
"""The work on one input: it yields questions, is sent what came of them, and returns what was made.

It is run again from stored answers whenever it goes on, so that it must be deterministic, and write nothing.
"""
