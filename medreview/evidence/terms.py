"""Index terms for ranking: words normalised and stemmed (Snowball English), without stop words, synonyms unified."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache, partial
from itertools import chain
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

from medreview.bounded_reading import read_toml
from medreview.errors import UserError
from medreview.evidence.normalise import INVISIBLE, normalise_word

if TYPE_CHECKING:
    from Stemmer import Stemmer

LARGEST_TABLE: Final = 1_000_000
"""Bytes of a reviewer's own table of synonyms."""
_ASCII_WORD: Final = re.compile(r"[A-Za-z]+|\d+(?:[.,]\d+)*")
_WORD: Final = re.compile(
    rf"[^\W\d_]+(?:[{INVISIBLE}\u0300-\u036f]+[^\W\d_]+)*(?:[{INVISIBLE}\u0300-\u036f]*[\u0300-\u036f])?"
    r"|\d+(?:[.,·]\d+)*"
)
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
"""English words too common to distinguish passages. Negations and modal verbs are compared elsewhere, not ranked."""


CACHE_SIZE: Final = 200_000
"""Number of words in the cache of a vocabulary, and of pieces of text."""
LONGEST_PIECE: Final = 40
"""The longest piece of text between white space whose terms are cached, in characters."""
LONGEST_CACHED: Final = 1_000
"""The longest text whose terms are cached, in characters."""


class ContentTerm(NamedTuple):
    """A term and its range in the text; a synonym phrase covers all its words."""

    key: str
    start: int
    end: int


_term = partial(tuple.__new__, ContentTerm)
"""``ContentTerm`` of a tuple, in a third of the time."""


class _TermCache(dict[str, str]):
    """A cache of terms by word as written, emptied when it is full."""

    def __init__(self, single: Mapping[str, str]) -> None:
        super().__init__()
        self._single = single

    def __missing__(self, word: str) -> str:
        if len(self) >= CACHE_SIZE:
            self.clear()
        root = stem(word)
        key = self[word] = "" if normalise_word(word) in STOP_WORDS else self._single.get(root, root)
        return key


class _PieceCache(dict[str, tuple[str, ...]]):
    """What the words of a piece of text between white space give, by piece; emptied when it is full.

    No word holds white space, and most pieces are one word with its punctuation: a text is looked up piece by piece
    several times as fast as its words are searched.
    """

    def __init__(self, of_words: Callable[[list[str]], Iterable[str]]) -> None:
        super().__init__()
        self._of_words = of_words

    def __missing__(self, piece: str) -> tuple[str, ...]:
        found = tuple(self._of_words((_ASCII_WORD if piece.isascii() else _WORD).findall(piece)))
        if len(piece) <= LONGEST_PIECE:
            if len(self) >= CACHE_SIZE:
                self.clear()
            self[piece] = found
        return found

    def of(self, pieces: Iterable[str]) -> list[str]:
        """What the words of these pieces give, in order."""
        return list(chain.from_iterable(map(self.__getitem__, pieces)))


class Vocabulary:
    """Synonym groups by stem; the package's own is :func:`vocabulary`.

    ``groups`` are lists of synonyms, words or phrases. A group that shares a member with an earlier one joins it.
    """

    def __init__(self, groups: Iterable[Sequence[str]]) -> None:
        self.single: dict[str, str] = {}
        self.phrases: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        for group in groups:
            members = [tuple(stem(match[0]) for match in _WORD.finditer(entry)) for entry in group]
            name = next(filter(None, map(self._name_of, members)), "~" + "_".join(members[0]))
            for member in members:
                if len(member) == 1:
                    self.single.setdefault(member[0], name)
                elif member:
                    self.phrases.setdefault(member[0], []).append((member, name))
        self._prepare()

    def _prepare(self) -> None:
        self._keys = _TermCache(self.single)
        self._piece_keys = _PieceCache(lambda words: filter(None, map(self._keys.__getitem__, words)))
        self._needs: dict[str, list[frozenset[str]]] = {}
        for phrase, _ in chain.from_iterable(self.phrases.values()):
            telling = [root for root in phrase if root not in _stop_stems()]
            anchor = max(telling, key=len, default="")
            needed = frozenset([self.single.get(root, root) for root in telling])
            self._needs.setdefault(self.single.get(anchor, anchor), []).append(needed)
        self._anchors = frozenset(self._needs)
        self._of_stop_words = "" in self._anchors

    def _may_hold_phrase(self, keys: Sequence[str]) -> bool:
        """Whether the words with these keys may make a phrase: all of one that are no stop words are among them."""
        if self._of_stop_words or self._anchors.isdisjoint(keys):
            return self._of_stop_words
        found = frozenset(keys)
        return any(needed <= found for anchor in self._anchors & found for needed in self._needs[anchor])

    def _name_of(self, member: tuple[str, ...]) -> str | None:
        """The name of the group that a word or phrase already belongs to, or ``None``."""
        if len(member) == 1:
            return self.single.get(member[0])
        return next(
            (name for phrase, name in self.phrases.get(member[0] if member else "", ()) if phrase == member), None
        )

    def keys(self, text: str) -> list[str]:
        """The keys of a text's terms without stop words, phrases last: those of :func:`terms`, without spans."""
        pieces = text.split()
        keys = self._piece_keys.of(pieces)
        if self._may_hold_phrase(keys):
            keys += [name for name, _, _ in self._phrases_in(_PIECE_STEMS.of(pieces))]
        return keys

    def _phrases_in(self, stems: Sequence[str]) -> Iterator[tuple[str, int, int]]:
        """The phrases among the words with these stems: group name, index of the first word, index of the last."""
        for at in [at for at, root in enumerate(stems[:-1]) if root in self.phrases]:
            second = stems[at + 1]
            for phrase, name in self.phrases[stems[at]]:
                if phrase[1] == second and phrase[2:] == tuple(stems[at + 2 : at + len(phrase)]):
                    yield name, at, at + len(phrase) - 1

    def terms(self, text: str) -> list[ContentTerm]:
        """The terms of a text in order. A phrase of the table is an additional term before its words."""
        pattern = _ASCII_WORD if text.isascii() else _WORD
        words, spans = pattern.findall(text), [match.span() for match in pattern.finditer(text)]
        keys = list(map(self._keys.__getitem__, words))
        found = [_term((key, start, end)) for key, (start, end) in zip(keys, spans, strict=True) if key]
        if self._may_hold_phrase(keys):
            in_words = self._phrases_in(list(map(stem, words)))
            phrases = [ContentTerm(name, spans[at][0], spans[last][1]) for name, at, last in in_words]
            found = sorted(phrases + found, key=itemgetter(1)) if phrases else found
        return found

    def __getstate__(self) -> dict[str, object]:
        """The state without the cache, which another process fills again."""
        return {"single": self.single, "phrases": self.phrases}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.single, self.phrases = state["single"], state["phrases"]
        self._prepare()

    @classmethod
    def load(cls, extra: Path | None = None) -> Self:
        """The package's table, with the groups of a TOML file of the same format added.

        Raises ``OSError`` when the file cannot be read, ``ValueError`` when it has another format or is too large.
        """
        import tomllib

        tables = [Path(__file__).with_name("medicine.toml").read_text("utf-8")]
        if extra is not None:
            tables.append(read_toml(extra, LARGEST_TABLE)[0])
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


def vocabulary(extra: Path | None = None) -> Vocabulary:
    """The package's synonym table, with a reviewer's own file added; cached.

    Raises :class:`UserError` when that file cannot be used.
    """
    return _vocabulary(extra)


@cache
def _vocabulary(extra: Path | None) -> Vocabulary:
    try:
        return Vocabulary.load(extra)
    except OSError as error:
        raise UserError(f"The synonyms {extra} cannot be read ({error.strerror}).") from error
    except (ValueError, RecursionError) as error:
        raise UserError(f"The synonyms {extra} cannot be used: {error}.") from error


@cache
def _stemmer() -> "Stemmer":
    from Stemmer import Stemmer

    return Stemmer("english", 0)


@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """The stem of one word as written; a number is put in one form (``0,5`` and ``0.50`` become ``0.5``)."""
    if word[0].isdigit():
        return _number(word)
    normalised = normalise_word(word)
    return str(_stemmer().stemWord(normalised)) if len(normalised) > 2 else normalised


_PIECE_STEMS: Final = _PieceCache(partial(map, stem))


@cache
def _stop_stems() -> frozenset[str]:
    return frozenset(map(stem, STOP_WORDS))


def _number(word: str) -> str:
    plain = re.sub(r"(?<=\d)[,](?=\d{3}(?:\D|$))", "", word).replace(",", ".").replace("·", ".")
    plain = normalise_word(plain) if not plain.isascii() else plain
    if plain.count(".") == 1:
        plain = plain.rstrip("0").rstrip(".")
    return plain.lstrip("0") or "0" if "." not in plain else plain


def terms(text: str, words: Vocabulary | None = None) -> Sequence[ContentTerm]:
    """The terms of a text in order, by a vocabulary or the package's; those of short texts are cached."""
    return _cached_terms(text, words) if len(text) <= LONGEST_CACHED else (words or vocabulary()).terms(text)


@lru_cache(maxsize=4_000)
def _cached_terms(text: str, words: Vocabulary | None) -> tuple[ContentTerm, ...]:
    return tuple((words or vocabulary()).terms(text))
