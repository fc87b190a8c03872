"""The entities that a passage names, for its entity density: by our term lists, or by a tagger of the user's own."""

import json
import shlex
import subprocess
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Final, Protocol

from medreview.errors import UserError
from medreview.evidence.alignment import tokens
from medreview.evidence.drug_names import names_medicine
from medreview.evidence.quantities import quantities
from medreview.evidence.terms import stem, terms, vocabulary
from medreview.statements.content import names_condition, names_drug
from medreview.text import Span

TERM_LISTS: Final = "medreview term lists"
"""The name under which the densities by our own lists are stored."""

_NO_ENTITIES: Final = (
    "prevent", "safe", "efficacy", "treat", "avoid", "increase", "decrease", "monthly", "men", "women", "physician",
)  # fmt: skip
"""Words of the synonym table that name no disease, drug, procedure or measure: a word of each of their groups."""


class Tagger(Protocol):
    """What finds entities; ``name`` is stored with each density."""

    name: str

    def entities(self, texts: Sequence[str]) -> list[list[Span]]:
        """The ranges of the entities of each text."""


class TermLists:
    """Diseases, drugs, procedures and measures by the program's lists and word endings, and amounts with a unit."""

    name = TERM_LISTS

    def entities(self, texts: Sequence[str]) -> list[list[Span]]:
        """The ranges of the entities of each text; they may overlap."""
        return [_named_in(text) for text in texts]


class TaggerCommand:
    """A program of the user's own, for example with spaCy: it gets a JSON line ``{"text": ...}`` for each passage, and
    answers each with a line ``{"entities": [[start, end], ...]}``, in code points, in the same order."""

    def __init__(self, command: str) -> None:
        self.name = command

    def entities(self, texts: Sequence[str]) -> list[list[Span]]:
        """The ranges of the entities of each text. Raises :class:`UserError` when the program does not answer so."""
        lines = "".join(json.dumps({"text": text}) + "\n" for text in texts)
        try:
            # Named by whoever gives the command, like any program of a pipe.
            done = subprocess.run(shlex.split(self.name), input=lines, capture_output=True, encoding="utf-8")
        except (OSError, ValueError) as error:
            raise UserError(f"The tagger {self.name!r} cannot be started ({error}).") from error
        if done.returncode:
            last = "".join(f": {line[:200]}" for line in done.stderr.strip().splitlines()[-1:])
            raise UserError(f"The tagger {self.name!r} ended with the code {done.returncode}{last or '.'}")
        answers = done.stdout.splitlines()
        if len(answers) != len(texts):
            raise UserError(
                f"The tagger {self.name!r} answered {len(texts)} passages with {len(answers)} lines; it needs one "
                "for each."
            )
        return [self._read(line, text, at) for at, (line, text) in enumerate(zip(answers, texts, strict=True), 1)]

    def _read(self, line: str, text: str, at: int) -> list[Span]:
        try:
            found = [Span(int(start), int(end)) for start, end, *_ in json.loads(line)["entities"]]
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise UserError(
                f'Line {at} of the tagger {self.name!r} is not {{"entities": [[start, end], ...]}}: {line[:80]!r}.'
            ) from error
        if any(not 0 <= span.start < span.end <= len(text) for span in found):
            raise UserError(f"Line {at} of the tagger {self.name!r} has a range that is not in its passage.")
        return found


def density(text: str, entities: Sequence[Span]) -> float:
    """The share of a text's tokens that belong to an entity."""
    all_tokens = tokens(text)
    found = sum(any(token.start < span.end and span.start < token.end for span in entities) for token in all_tokens)
    return found / len(all_tokens) if all_tokens else 0.0


def _named_in(text: str) -> list[Span]:
    no_entities = _no_entities()
    found = [
        Span(term.start, term.end) for term in terms(text) if term.key.startswith("~") and term.key not in no_entities
    ]
    found += [Span(amount.start, amount.end) for amount in quantities(text) if amount.unit]
    found += [Span(token.start, token.end) for token in tokens(text) if _is_name(token.key)]
    return found


@lru_cache(maxsize=100_000)
def _is_name(word: str) -> bool:
    return names_medicine(word) or names_drug(word) or names_condition(word)


@cache
def _no_entities() -> frozenset[str]:
    return frozenset(vocabulary().single[stem(word)] for word in _NO_ENTITIES)
