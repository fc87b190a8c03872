"""Words and phrases of which one excludes the other, from ``contrasts.toml``: benign and malignant, left and right."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final, Literal, NamedTuple, get_args

ContrastKind = Literal["opposite", "side", "route", "population", "severity", "order", "quantifier"]
CONTRAST_KINDS: Final[tuple[ContrastKind, ...]] = get_args(ContrastKind)


class Member(NamedTuple):
    """A word or phrase of a group: its keys, the number of its contrast, and that of its group in the contrast."""

    keys: tuple[str, ...]
    contrast: int
    group: int


class Found(NamedTuple):
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

    def found(self, keys: Sequence[str]) -> Iterator[Found]:
        """The members in a sequence of normalised words, in order; none that lies within a longer one."""
        covered: dict[int, int] = {}
        for at, key in enumerate(keys):
            for member in self._by_first.get(key, ()):
                end = at + len(member.keys)
                if (len(member.keys) == 1 or tuple(keys[at:end]) == member.keys) and end > covered.get(
                    member.contrast, 0
                ):
                    covered[member.contrast] = end
                    yield Found(member, at, end)


@cache
def contrasts() -> Contrasts:
    """The package's table. Raises ``KeyError`` for a missing kind."""
    import tomllib

    table = tomllib.loads(Path(__file__).with_name("contrasts.toml").read_text("utf-8"))
    return Contrasts({kind: table[kind] for kind in CONTRAST_KINDS})
