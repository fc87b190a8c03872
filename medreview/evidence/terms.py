"""Words of a text as terms for ranking: folded, stemmed (Snowball English), stop words out, synonyms made one."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, Self

from medreview.evidence.fold import INVISIBLE, fold_word

if TYPE_CHECKING:
    from Stemmer import Stemmer

_WORD: Final = re.compile(rf"\d+(?:[.,·]\d+)*|[^\W\d_][\u0300-\u036f]*(?:[{INVISIBLE}]*(?:[^\W\d_]|[\u0300-\u036f]))*")
_STOP = """
    a about above after again all also although am an and any are as at be because been before being between both
    but by can could did do does doing down during each either few for from further had has have having he her here
    hers him his how however i if in into is it its itself just may me might more most must my no nor not of off on
    once only or other our ours out over own same shall she should since so some such than that the their theirs them
    then there these they this those through to too under until up upon us very was we were what when where which
    while who whom whose why will with within without would you your yours s t re ve ll d m vs via per eg ie etc al
    et among whether using used use based including include includes one two
"""
STOP_WORDS: Final = frozenset(_STOP.split())
"""English words too common to tell passages apart. Negations and modal verbs are compared elsewhere, not ranked."""


KNOWN_WORDS: Final = 200_000
"""How many looked-up words a vocabulary keeps."""


class Term(NamedTuple):
    """A term and the range of the text that it stands for; a synonym phrase covers all its words."""

    key: str
    start: int
    end: int


class Vocabulary:
    """Synonym groups by stem. The table of the package is :func:`vocabulary`; ``extra`` groups extend it."""

    def __init__(self, groups: Iterable[Sequence[str]]) -> None:
        self.single: dict[str, str] = {}
        self.phrases: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        self._known: dict[str, tuple[str, str]] = {}
        for group in groups:
            members = [tuple(stem(match[0]) for match in _WORD.finditer(entry)) for entry in group]
            name = next(filter(None, map(self._name_of, members)), "~" + "_".join(members[0]))
            for member in members:
                if len(member) == 1:
                    self.single.setdefault(member[0], name)
                elif member:
                    self.phrases.setdefault(member[0], []).append((member, name))

    def _name_of(self, member: tuple[str, ...]) -> str | None:
        """The group that a word or phrase is in already: a later group that shares a member joins it."""
        if len(member) == 1:
            return self.single.get(member[0])
        return next(
            (name for phrase, name in self.phrases.get(member[0] if member else "", ()) if phrase == member), None
        )

    def look_up(self, word: str) -> tuple[str, str]:
        """The stem of a word as written, and its term: the synonym group, the stem, or ``""`` for a stop word."""
        found = self._known.get(word)
        if found is None:
            root = stem(word)
            if len(self._known) >= KNOWN_WORDS:
                self._known.clear()
            term = "" if fold_word(word) in STOP_WORDS else self.single.get(root, root)
            found = self._known[word] = (root, term)
        return found

    def __getstate__(self) -> dict[str, object]:
        """Without the words met so far: they are looked up anew in another process."""
        return {**self.__dict__, "_known": {}}

    @classmethod
    def load(cls, extra: Path | None = None) -> Self:
        """The package's table, with the groups of a TOML file of the same form added (OSError, ValueError)."""
        import tomllib
        from importlib.resources import files

        tables = [files("medreview.evidence").joinpath("medicine.toml").read_text("utf-8")]
        if extra is not None:
            tables.append(extra.read_text("utf-8"))
        return cls(group for table in tables for group in _groups(tomllib.loads(table)))


def _groups(table: Mapping[str, object]) -> list[list[str]]:
    synonyms = table.get("synonyms")
    groups = synonyms.get("groups") if isinstance(synonyms, dict) else None
    if not isinstance(groups, list) or not all(
        isinstance(group, list) and group and all(isinstance(word, str) and _WORD.search(word) for word in group)
        for group in groups
    ):
        raise ValueError("a synonym table needs [synonyms] groups = [[word, word, ...], ...]")
    return groups


@cache
def vocabulary() -> Vocabulary:
    """The package's synonym table."""
    return Vocabulary.load()


@cache
def _stemmer() -> "Stemmer":
    from Stemmer import Stemmer

    return Stemmer("english", 0)


@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """The stem of one word as it stands in a text; a number stays itself (``0,5`` and ``0.50`` become ``0.5``)."""
    if word[0].isdigit():
        return _number(word)
    folded = fold_word(word)
    return str(_stemmer().stemWord(folded)) if len(folded) > 2 else folded


def _number(word: str) -> str:
    plain = re.sub(r"(?<=\d)[,](?=\d{3}(?:\D|$))", "", word).replace(",", ".").replace("·", ".")
    plain = fold_word(plain) if not plain.isascii() else plain
    if plain.count(".") == 1:
        plain = plain.rstrip("0").rstrip(".")
    return plain.lstrip("0") or "0" if "." not in plain else plain


def terms(text: str, words: Vocabulary | None = None) -> list[Term]:
    """The terms of a text in order. A phrase of the synonym table comes as one more term before its words."""
    table = words or vocabulary()
    places = [match.span() for match in _WORD.finditer(text)]
    entries = [table.look_up(text[start:end]) for start, end in places]
    phrases = table.phrases
    found: list[Term] = []
    for at, (root, key) in enumerate(entries):
        if root in phrases:
            for phrase, name in phrases[root]:
                last = at + len(phrase) - 1
                if last < len(entries) and all(entries[at + n][0] == part for n, part in enumerate(phrase)):
                    found.append(Term(name, places[at][0], places[last][1]))
        if key:
            found.append(Term(key, *places[at]))
    return found
