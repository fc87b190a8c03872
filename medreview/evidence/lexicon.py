"""Lexicons of English words: those that change a meaning, those that do not, medicines, and contrasts.

Entries are normalised (lower case, no hyphens) and matched as whole words. Negation, direction, modality and findings
change what a sentence says; function words may differ between a quotation and its passage. Medicines are known by the
ends of their international names (the stems of WHO's INN). Contrasts are words and phrases of which one excludes the
other, from ``contrasts.toml``: benign and malignant, left and right.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Final, Literal, NamedTuple, get_args

from medreview.text import first_words, word_lists, word_set

_LISTS: Final = word_lists(__file__)
NEGATIONS: Final = word_set(_LISTS["negations"])
"""Negation cues. ``without`` is one: ``with`` changed to ``without`` is an added negation."""

VERB_NEGATIONS: Final = frozenset(
    NEGATIONS - {"no", "without", "none", "nor", "neither", "non", "absence", "absent", "lack"}
)
"""Negations of the next verb or adjective. ``no`` and ``without`` negate a noun, which often changes little."""

NEGATED_NOUNS: Final = word_set(_LISTS["negated_nouns"])
"""Nouns that reverse the meaning of the sentence when ``no`` precedes them."""

NEGATIVE_PREFIXES: Final = ("un", "in", "im", "non", "dis", "il", "ir", "a")

PHRASE_PREPOSITIONS: Final = word_set(_LISTS["phrase_prepositions"])
AUXILIARIES: Final = word_set(_LISTS["auxiliaries"])
"""Words that may be between a negation and the negated word."""

UP: Final = word_set(_LISTS["up"])
DOWN: Final = word_set(_LISTS["down"])
BETTER: Final = word_set(_LISTS["better"])
WORSE: Final = word_set(_LISTS["worse"])
OPPOSITES: Final = ((UP, DOWN), (BETTER, WORSE))

REQUIRED: Final = word_set(_LISTS["required"])
POSSIBLE: Final = word_set(_LISTS["possible"])

NUMBER_WORDS: Final = {
    word: value
    for value, word in enumerate(
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
         "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"]
    )
} | {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90, "hundred": 100,
     "thousand": 1000, "million": 1_000_000, "half": 0.5, "third": 1 / 3, "quarter": 0.25}  # fmt: skip
"""Numbers in letters, with their value."""
AMBIGUOUS_NUMBERS: Final = frozenset({"one", "half", "third", "quarter"})
"""Of these the ones that often are not numbers."""

FINDING: Final = re.compile(
    r"\b(?:associated with\b|c(?:ompared (?:with|to)\b|i\b|onfidence interval|onclu(?:de|sion))"
    r"|d(?:iffer(?:ed|s|ence|ences)\b|ecreased\b)|h(?:azard ratio|igher\b)|i(?:ncreased|mproved)\b|lower\b|odds ratio"
    r"|p(?:\s?[<>=≤≥]|[- ]value)|r(?:(?:isk|ate) ratio|educed\b|esult(?:s|ed)\b)|significan|v(?:ersus|s)\b"
    r"|we (?:found|observed|show))"
)
"""Cues of sentences that report a finding, in a text in lower case, which is searched three times as fast as any case,
with one alternative for each first letter, which is a quarter faster than one for each cue;
``tests/bench/evidence_training.py`` fits their weight."""


def is_negation(word: str) -> bool:
    """Whether a normalised word is a negation cue."""
    return word in NEGATIONS


def negated_form(one: str, other: str) -> bool:
    """Whether one normalised word is the other with a negative prefix: ``effective``, ``ineffective``."""
    return other in negated_forms(one)


@lru_cache(maxsize=20_000)
def negated_forms(word: str) -> frozenset[str]:
    """The strings that are a normalised word with or without a negative prefix; most of them are not words."""
    stripped = {word.removeprefix(prefix) for prefix in NEGATIVE_PREFIXES if word.startswith(prefix)}
    longer = {prefix + word for prefix in NEGATIVE_PREFIXES} if len(word) > 3 else set()
    return frozenset(longer | {short for short in stripped if len(short) > 3})


def opposed(one: str, other: str) -> bool:
    """Whether two normalised words have opposite directions: ``increase``, ``reduces``."""
    return any((one in a and other in b) or (one in b and other in a) for a, b in OPPOSITES)


HARMLESS: Final = word_set(_LISTS["harmless"])
"""Articles, auxiliaries, pronouns without a sex, and the prepositions and connectives that decide nothing.

Not among them, since a change of them changes what is said: negations, ``or``, ``if``, ``unless``, ``until``, ``only``,
``before``, ``after``, ``above``, ``below``, ``by``, ``from``, ``than``, ``more``, quantities, what may and what must
be.
"""

BEFORE_NUMBERS: Final = frozenset({"to", "within"})
"""Of these the ones that decide before a number: ``reduced to 20%`` is not ``reduced by 20%``."""

SAME: Final = first_words(_LISTS["same"])
"""Words that stand for one another, by one of them."""

CONTRACTED: Final = {
    word: tuple(counting.split())
    for words, _, counting in (line.partition(":") for line in _LISTS["contracted"].splitlines())
    for word in words.split()
}
"""Contractions, as the words that count in them."""

POINTING_BACK: Final = word_set(_LISTS["pointing_back"])
"""Words with which a sentence begins that says something only behind the one before it."""

PREPOSITIONS: Final = word_set("in on at for to with of by from during into as via through within under over")
"""Words that want a noun after them."""

FINITE_AUXILIARIES: Final = word_set(_LISTS["finite_auxiliaries"])
"""Auxiliaries in the forms in which they follow a subject."""

FINITE: Final = FINITE_AUXILIARIES | word_set(_LISTS["finite"])
"""Verbs that want a subject before them, in the forms in which they stand after one."""

RESTRICTING: Final = word_set(_LISTS["restricting"])
"""Words that, like a negation, take back or narrow what stands around them."""


_ENDS: Final = (
    "prilat?|sartan|[ao]lol|dipine|statin|[ck]onazole|cillin|cycline|[mt]ycin|micin|floxacin|oxacin|[cdfn][aeio]vir|ovir"
    "|[lmntuz][aiou]mab|[tfr][iy]?nib|gliptin|gliflozin|glutide|formin|glitazone|gli[bcm][a-z]+ide|xaban|gatran|[fp]arin"
    "|grel|thiazide|semide|nolactone|prazole|tidine|setron|triptan|coxib|profen|fenac|caine|curium|azepam|azolam|barbital"
    "|oxetine|traline|pramine|triptyline|[nl][xzt]?apine|[pr][ei]r?idone|[hm]azine|phylline|[mt]erol|[nt]as?one|[nl]olone"
    "|isone|onide|dronat?e|dronic|stigmine|tropium|n[ao]fil|zosin|lukast|mustine|platin|rubicin|taxel|tecan|trexate|purine"
    "|thyroxine|thyronine|adrenaline|epinephrine|dopamine|codeine|orphine|odone|fentanil|fentanyl|[pc]etamol|aspirin"
    "|insulin|digoxin|lithium|thoprim|oxazole|amivudine|ovudine|citabine|pentin|gabalin|trigine|azepine|valproate|racetam"
    "|furantoin|nidazole|purinol|lchicine|oroquine|pamil|aloxone|ethadone"
)
_MEDICINE: Final = re.compile(rf"[a-z]{{1,20}}?(?:{_ENDS})s?")


@lru_cache(maxsize=50_000)
def names_medicine(word: str) -> bool:
    """Whether a normalised word is a medicine's name by its end."""
    return len(word) > 5 and _MEDICINE.fullmatch(word) is not None


ContrastKind = Literal["opposite", "side", "route", "population", "severity", "order", "quantifier"]
CONTRAST_KINDS: Final[tuple[ContrastKind, ...]] = get_args(ContrastKind)


class Member(NamedTuple):
    """A word or phrase of a group: its keys, the number of its contrast, and that of its group in the contrast."""

    keys: tuple[str, ...]
    contrast: int
    group: int


class FoundMember(NamedTuple):
    """A member in a sequence of words: the indices of its first word and of the one after its last."""

    member: Member
    first: int
    end: int


class Contrasts:
    """A table of contrasts, indexed by the first word of each phrase."""

    def __init__(self, table: Mapping[ContrastKind, Iterable[str]]) -> None:
        self.kinds: list[ContrastKind] = []
        """By number of a contrast, its kind."""
        self.members: list[Member] = []
        self._by_first: dict[str, list[Member]] = {}
        for kind, contrasts in table.items():
            for contrast in contrasts:
                for group, members in enumerate(contrast.split("|")):
                    for member in members.split(","):
                        self.members.append(Member(tuple(member.split()), len(self.kinds), group))
                self.kinds.append(kind)
        for one in sorted(self.members, key=lambda member: -len(member.keys)):
            self._by_first.setdefault(one.keys[0], []).append(one)
        self.first_words = frozenset(self._by_first)
        """A text without one of these words holds no member."""

    def found(self, keys: Sequence[str]) -> Iterator[FoundMember]:
        """The members in a sequence of normalised words, in order; none that lies within a longer one."""
        covered: dict[int, int] = {}
        for at, key in enumerate(keys):
            for member in self._by_first.get(key, ()):
                end = at + len(member.keys)
                if (len(member.keys) == 1 or tuple(keys[at:end]) == member.keys) and end > covered.get(
                    member.contrast, 0
                ):
                    covered[member.contrast] = end
                    yield FoundMember(member, at, end)


@cache
def contrasts() -> Contrasts:
    """The package's table. Raises ``KeyError`` for a missing kind."""
    import tomllib

    table = tomllib.loads(Path(__file__).with_name("contrasts.toml").read_text("utf-8"))
    return Contrasts({kind: table[kind] for kind in CONTRAST_KINDS})
