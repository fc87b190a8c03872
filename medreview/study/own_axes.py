"""Axes that a study has set for itself: what its reviewers say of units beside the labels of the program.

They come from a TOML file and stand in the study as an event that holds its whole text; the newest counts. Their labels
are decisions like any other, on the axis ``own.NAME``, so that they are undone, merged, exported and compared by what
does that for all axes. The program's own axes are in :mod:`medreview.labels`; :func:`levels_on` asks both.
"""

import re
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from medreview.errors import UserError
from medreview.labels import AXES, FLAGS, NONE_OF_THEM, OWN, SEVERAL, Label, could_be_own, is_own, scale_of
from medreview.storable import is_damaged
from medreview.study.study import Study
from medreview.study.study_acts import newest_act, write_act
from medreview.text import counted, in_words, normalise_newlines, sha256

MOST_AXES: Final = 6
MOST_LEVELS: Final = 9
LONGEST: Final = 60_000
"""Bytes of a file, at the most."""
SHIPPED: Final = ("harm",)
"""The axes that come with the program, each a file of its name beside this one."""
EXAMPLE: Final = "axes_example"
"""A file with comments, to begin from."""

_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,23}")
_LEVEL: Final = re.compile(r"[a-z0-9][a-z0-9_]{0,23}")
_NO_LEVELS: Final = frozenset({"na", "null", "open"})
"""Words that readers of files, or filters, take for something else."""
_NEEDED: Final = frozenset("jkquz")
"""Letters that mean the same at every step: next, previous, leave, undo, these labels."""
_AXIS_TEXTS: Final = {"name": 24, "title": 40, "about": 300, "source": 300}
_LEVEL_TEXTS: Final = {"level": 24, "key": 1, "name": 32, "definition": 300}
"""The texts of an axis and of a level, with their longest length."""
_HEADER: Final = re.compile(r"^[ \t]*\[\[[ \t]*axis[ \t]*(\.[ \t]*level[ \t]*)?\]\]", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class OwnAxis:
    """One axis. ``units``: the kinds of unit that have it. ``many``: several levels are given at once, or none of them;
    ``ordered``: the levels are steps, from first to last. ``about``: what is asked; ``source``: whose scale it is."""

    name: str
    title: str
    units: tuple[str, ...]
    levels: tuple[Label, ...]
    many: bool = False
    ordered: bool = False
    about: str = ""
    source: str = ""

    @property
    def axis(self) -> str:
        """Its name in the record and in files."""
        return OWN + self.name

    def level_for(self, key: str) -> Label | None:
        """The level that a key stands for, or ``None``."""
        return next((level for level in self.levels if level.key == key), None)

    def label_of(self, levels: Collection[str]) -> str:
        """The label that says these levels: in the axis's order, joined."""
        return SEVERAL.join(one.level for one in self.levels if one.level in levels) or NONE_OF_THEM

    def levels_in(self, label: str) -> tuple[str, ...]:
        """The levels that a label says; of an axis with many, none for "none of them"."""
        return () if self.many and label == NONE_OF_THEM else tuple(label.split(SEVERAL))

    def is_label(self, label: object) -> bool:
        """Whether something is a label of this axis."""
        if not isinstance(label, str) or not could_be_own(label):
            return False
        said, known = self.levels_in(label), {one.level for one in self.levels}
        return known >= {*said} and (self.label_of(said) == label if self.many else len(said) == 1)

    def words(self, label: str) -> str:
        """A label by the names of its levels; a level that the axis does not have by itself."""
        names = {one.level: one.name for one in self.levels}
        return ", ".join(names.get(one, in_words(one)) for one in self.levels_in(label)) or "none of them"


def own_axes(reader: sqlite3.Connection, kind: str = "") -> dict[str, OwnAxis]:
    """The axes of a study by their names in the record, in their order; of one kind of unit where one is named."""
    act = newest_act(reader, "axes")
    found = _read(act.said["text"]) if act else ()
    return {one.axis: one for one in found if not kind or kind in one.units}


def levels_on(reader: sqlite3.Connection, axis: str) -> tuple[Label, ...]:
    """The levels of an axis, of the program's or of the study's own; none of an unknown one, and of orders."""
    if not is_own(axis):
        return AXES.get(scale_of(axis), ())
    found = own_axes(reader).get(axis)
    return found.levels if found else ()


def axes_text(reader: sqlite3.Connection) -> str:
    """The text that the axes stand in, ``""`` where the study has none."""
    act = newest_act(reader, "axes")
    return str(act.said["text"]) if act else ""


def shipped_text(name: str) -> str:
    """The file of a shipped axis, or :data:`EXAMPLE`. Raises :class:`UserError` that names those that there are."""
    if name not in (*SHIPPED, EXAMPLE):
        raise UserError(f"There is no axis {name!r} to add; there is {', '.join(SHIPPED)}.")
    from importlib.resources import files

    return files(__package__).joinpath(f"{name}.toml").read_text(encoding="utf-8")


def add_axis(study: Study, reviewer: str, name: str) -> dict[str, OwnAxis]:
    """Add a shipped axis to those of a study; one that it has stays as it is."""
    text = shipped_text(name)
    if OWN + name in own_axes(study.reader):
        return own_axes(study.reader)
    before = axes_text(study.reader)
    return set_axes(study, reviewer, f"{before.rstrip()}\n\n{text}" if before else text)


def set_axes(study: Study, reviewer: str, text: str, where: str = "axes.toml") -> dict[str, OwnAxis]:
    """Set the axes of a study to those of a text; the one that stands, set again, is not written twice.

    Raises :class:`UserError` for what :func:`parse` refuses, and for an axis or level that has labels and is not there
    any more.
    """
    text = normalise_newlines(text).strip() + "\n"
    kinds = [row[0] for row in study.reader.execute("SELECT kind FROM unit_kind")]
    found = parse(text, where, ["statement", *kinds])
    after = {one.axis: one for one in found}
    if lost := next(misfits(study.reader, after), ""):
        raise UserError(
            f"{where}: {lost} Keep axes and levels that have labels; their names and definitions may change."
        )
    before = newest_act(study.reader, "axes")
    if before is None or before.said["sha256"] != sha256(text):
        write_act(study, reviewer, "axes", {"text": text, "sha256": sha256(text)})
    return after


def misfits(reader: sqlite3.Connection, axes: Mapping[str, OwnAxis]) -> Iterator[str]:
    """A sentence for each axis with labels of this study that these axes do not have, or could not give."""
    given: dict[str, dict[str, int]] = {}
    # In any pass, and what was taken back: a redo brings it back.
    query = """SELECT axis, label, count(*) FROM event
               WHERE kind IN ('decide', 'revise', 'adjudicate') AND axis GLOB ? GROUP BY axis, label ORDER BY axis"""
    for axis, label, count in reader.execute(query, (f"{OWN}*",)):
        given.setdefault(axis, {})[label] = count
    for axis, labels in given.items():
        name, own = axis.removeprefix(OWN), axes.get(axis)
        if own is None:
            yield f"the axis {name!r} is missing, and {counted(sum(labels.values()), 'label')} of this study are on it."
            continue
        for label, count in labels.items():
            if not own.is_label(label):
                said = f"{label!r} was given {counted(count, 'time')} on the axis {name!r}"
                yield f"{said}, which no longer has this label."


def parse(text: str, where: str = "axes.toml", kinds: Collection[str] | None = None) -> tuple[OwnAxis, ...]:
    """The axes that a text describes; ``kinds``: the kinds of unit that there are, any without it.

    Raises :class:`UserError` with the line and what is wrong there.
    """
    import tomllib

    if len(text.encode("utf-8", "surrogatepass")) > LONGEST:
        raise UserError(f"{where} is too large for axes: more than {LONGEST:,} bytes.")
    if is_damaged(text):
        raise UserError(f"{where} is damaged (a NUL or half a character in it); save it as UTF-8.")
    try:
        said = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UserError(f"{where} is not TOML: {error}.") from None
    return _Reading(text, where, kinds).axes(said)


@cache
def _read(text: str) -> tuple[OwnAxis, ...]:
    return parse(text)


def fault_of(text: str) -> str:
    """What is wrong with a text of axes that comes from another file, half a sentence; ``""`` when nothing is."""
    try:
        parse(text, "its text")
    except UserError as error:
        return str(error).removesuffix(".")
    return ""


class _Reading:
    """Reads one text and knows at which line of it each table begins."""

    def __init__(self, text: str, where: str, kinds: Collection[str] | None) -> None:
        self._where = where
        self._kinds = kinds
        self._lines = text.split("\n")
        self._begins: list[tuple[int, list[int]]] = []
        for found in _HEADER.finditer(text):
            line = text.count("\n", 0, found.start()) + 1
            if found[1] is None:
                self._begins.append((line, []))
            elif self._begins:
                self._begins[-1][1].append(line)

    def axes(self, said: Mapping[str, Any]) -> tuple[OwnAxis, ...]:
        """All of them."""
        self._known(said, ("axis",), 1)
        tables = said.get("axis", [])
        if not isinstance(tables, list) or not all(isinstance(one, dict) for one in tables):
            raise self._wrong(1, "axis", "each axis begins with [[axis]]")
        if len(tables) > MOST_AXES:
            raise self._wrong(self._axis_line(MOST_AXES), "axis", f"a study can have {MOST_AXES} axes at most")
        found = [self._axis(number, table) for number, table in enumerate(tables)]
        self._different([one.name for one in found], "name", self._axis_line)
        return tuple(found)

    def _axis(self, number: int, said: Mapping[str, Any]) -> OwnAxis:
        line = self._axis_line(number)
        self._known(said, (*_AXIS_TEXTS, "units", "many", "ordered", "level"), line)
        texts = self._texts(said, _AXIS_TEXTS, line)
        name = texts["name"]
        if not _NAME.fullmatch(name):
            raise self._wrong(line, "name", f"{name!r} is not a name: small letters, digits and _, at most 24")
        if name in AXES or name in [flag.level for flag in FLAGS]:
            raise self._wrong(line, "name", f"{name!r} is an axis of the program; choose another name")
        many, ordered = (self._truth(said, key, line) for key in ("many", "ordered"))
        if many and ordered:
            raise self._wrong(line, "ordered", "an axis with many = true cannot be ordered")
        units = said.get("units", ["statement"])
        if not isinstance(units, list) or not units or not all(isinstance(one, str) for one in units):
            raise self._wrong(line, "units", 'a list of kinds of unit is needed, as ["statement"]')
        if self._kinds is not None and (unknown := [one for one in units if one not in self._kinds]):
            raise self._wrong(
                line, "units", f"there is no kind of unit {unknown[0]!r}; there are {', '.join(self._kinds)}"
            )
        levels = self._levels(number, said.get("level", []), many)
        return OwnAxis(
            name, texts["title"] or in_words(name), tuple(dict.fromkeys(units)), levels, many, ordered, texts["about"],
            texts["source"],
        )  # fmt: skip

    def _levels(self, number: int, said: Any, many: bool) -> tuple[Label, ...]:
        line = self._axis_line(number)
        if not isinstance(said, list) or not all(isinstance(one, dict) for one in said):
            raise self._wrong(line, "level", "each level begins with [[axis.level]]")
        if not (1 if many else 2) <= len(said) <= MOST_LEVELS:
            few = f"it has {counted(len(said), 'level')}; give {1 if many else 2} to {MOST_LEVELS}"
            raise self._wrong(line, "level", few)

        def line_of(place: int) -> int:
            lines = self._begins[number][1] if number < len(self._begins) else []
            return lines[place] if place < len(lines) else line

        levels = tuple(self._level(one, line_of(place), many) for place, one in enumerate(said))
        self._different([one.level for one in levels], "level", line_of)
        self._different([one.key for one in levels], "key", line_of)
        return levels

    def _level(self, said: Mapping[str, Any], line: int, many: bool) -> Label:
        self._known(said, _LEVEL_TEXTS, line)
        texts = self._texts(said, _LEVEL_TEXTS, line)
        level, key = texts["level"], texts["key"]
        if not _LEVEL.fullmatch(level):
            raise self._wrong(line, "level", f"{level!r} is not a level: small letters, digits and _, at most 24")
        if level in _NO_LEVELS or (many and level == NONE_OF_THEM):
            raise self._wrong(line, "level", f"{level!r} means something else in files; choose another word")
        if not re.fullmatch("[a-z0-9]", key):
            raise self._wrong(line, "key", f"{key!r} is not a key: one small letter or one digit")
        if key in _NEEDED:
            raise self._wrong(line, "key", f"{key!r} is a key that the workbench needs (j, k, q, u, z); choose another")
        return Label(level, key, texts["name"] or in_words(level), texts["definition"])

    # The parts of a table

    def _known(self, said: Mapping[str, Any], keys: Iterable[str], line: int) -> None:
        for key in said:
            if key not in keys:
                raise self._wrong(line, key, f"unknown key; the keys are {', '.join(keys)}")

    def _texts(self, said: Mapping[str, Any], longest: Mapping[str, int], line: int) -> dict[str, str]:
        found = {}
        for key, most in longest.items():
            text = said.get(key, "")
            if not isinstance(text, str):
                raise self._wrong(line, key, "a text in quotation marks is needed")
            if len(text) > most:
                raise self._wrong(line, key, f"it has {len(text)} characters; the most is {most}")
            found[key] = " ".join(text.split())
        return found

    def _truth(self, said: Mapping[str, Any], key: str, line: int) -> bool:
        value = said.get(key, False)
        if not isinstance(value, bool):
            raise self._wrong(line, key, "true or false is needed")
        return value

    def _different(self, names: list[str], key: str, line_of: Callable[[int], int]) -> None:
        for place, name in enumerate(names):
            if name in names[:place]:
                first = self._line_with(line_of(names.index(name)), key)
                raise self._wrong(line_of(place), key, f"{name!r} is used already, in line {first}")

    def _axis_line(self, number: int) -> int:
        return self._begins[number][0] if number < len(self._begins) else 1

    def _line_with(self, line: int, key: str) -> int:
        """The line of a key in the table that begins at a line; that line itself where it is not there."""
        begins = re.compile(rf"\s*\"?{re.escape(key)}\"?\s*=")
        for number in range(line, len(self._lines)):
            if self._lines[number].lstrip().startswith("["):
                break
            if begins.match(self._lines[number]):
                return number + 1
        return line

    def _wrong(self, line: int, key: str, what: str) -> UserError:
        return UserError(f"{self._where}, line {self._line_with(line, key)}, {key}: {what}.")
