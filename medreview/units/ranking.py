"""Anonymous outputs of several models beside a reference answer, ranked from best to worst, then rated by quality.

ClinIQLink's cross-model comparison. :class:`RankingEntry` is how keys enter an order: digits from best to worst, then
a quality for each.
"""

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType, SimpleNamespace
from typing import Any, Final, Literal

from medreview.exchange.files.columns import Cell, Column, ExportFile, cells
from medreview.labels import HALLUCINATED, OF_OUTPUTS, QUALITY, Label, is_order, label_words, scale_of
from medreview.study.ids import kind_of
from medreview.text import sha256
from medreview.units.kind import CardPart, Document, Headline, Machines, Opinion, Rating, UnitKind, UnitView
from medreview.units.stored import ROWS, content_value, load_unit, stored_opinions

TIE_KEY: Final = "="
FLAG_KEY: Final = "f"
BACK_KEY: Final = "backspace"
_LETTERS: Final = {label.name[0].casefold(): label for label in QUALITY}

Phase = Literal["order", "quality", "done"]


@dataclass(frozen=True, slots=True)
class RankingEntry:
    """What was keyed in so far of one ranking.

    ``numbers``: the outputs' stored numbers, in the order on the screen; keys and all that is drawn count places on the
    screen, from 1. ``tiers``: the places of the outputs that were placed, best first, ties in one tier. ``tying``: the
    next output shares the last tier. ``qualities``: levels of the quality axis, by place; ``flagged``: the places of
    the outputs that are hallucinated; ``rated``: whether these two are asked for.
    """

    numbers: tuple[int, ...]
    tiers: tuple[tuple[int, ...], ...] = ()
    tying: bool = False
    qualities: tuple[str, ...] = ()
    flagged: frozenset[int] = frozenset()
    rated: bool = True

    @property
    def placed(self) -> tuple[int, ...]:
        """The places on the screen of the outputs that have their rank."""
        return tuple(place for tier in self.tiers for place in tier)

    @property
    def open(self) -> tuple[int, ...]:
        """The places of those that have none yet."""
        return tuple(place for place in range(1, len(self.numbers) + 1) if place not in self.placed)

    @property
    def phase(self) -> Phase:
        """What is asked now."""
        if self.open:
            return "order"
        return "quality" if self.rated and len(self.qualities) < len(self.numbers) else "done"

    @property
    def rating(self) -> int | None:
        """The place of the output whose quality is asked for now."""
        return len(self.qualities) + 1 if self.phase == "quality" else None

    def rank(self, place: int) -> int | None:
        """The rank of the output at a place: 1 is the best; ties have the same, and the next skips theirs (1 1 3)."""
        before = 1
        for tier in self.tiers:
            if place in tier:
                return before
            before += len(tier)
        return None

    @property
    def order(self) -> str | None:
        """The label of the axis ``rank`` once all are placed: stored numbers, best first."""
        if self.open:
            return None
        return ">".join("=".join(str(self.numbers[place - 1]) for place in sorted(tier)) for tier in self.tiers)

    @property
    def labels(self) -> tuple[tuple[str, str], ...]:
        """Axes and labels to be stored: the order, and of each stored number that has its quality ``quality/N`` and
        ``hallucinated/N``: who rated it without a flag has said that it needs none."""
        if self.order is None:
            return ()
        rated = list(zip(self.numbers, self.qualities, strict=False))
        flags = ((number, place in self.flagged) for place, (number, _) in enumerate(rated, 1))
        return (
            ("rank", self.order),
            *((f"quality/{number}", level) for number, level in rated),
            *((f"hallucinated/{number}", HALLUCINATED[not flagged].level) for number, flagged in flags),
        )

    def press(self, key: str) -> "RankingEntry":
        """The state after a key; the same where the key means nothing here."""
        if key == BACK_KEY:
            return self._back()
        if self.rating is not None:
            if key == FLAG_KEY:
                return replace(self, flagged=self.flagged ^ {self.rating})
            label = quality_for(key)
            return self if label is None else replace(self, qualities=(*self.qualities, label.level))
        if key == TIE_KEY:
            return replace(self, tying=not self.tying) if self.tiers and self.open else self
        if not (key.isascii() and key.isdigit()) or int(key) not in self.open:
            return self
        return self._place(int(key))

    def _place(self, place: int) -> "RankingEntry":
        tiers = (*self.tiers[:-1], (*self.tiers[-1], place)) if self.tying else (*self.tiers, (place,))
        return replace(self, tiers=tiers, tying=False)

    def _back(self) -> "RankingEntry":
        """Without what was given last: a flag, a quality, a tie that waits, an output's place."""
        if self.rating in self.flagged:
            return replace(self, flagged=self.flagged - {self.rating})
        if self.qualities:
            return replace(self, qualities=self.qualities[:-1])
        if self.tying:
            return replace(self, tying=False)
        if not self.tiers:
            return self
        *before, last = self.tiers
        return replace(self, tiers=tuple(before) if len(last) == 1 else (*before, last[:-1]))


def quality_for(key: str) -> Label | None:
    """The quality that a key gives in this step: its digit, or the first letter of its name."""
    return _LETTERS.get(key) or next((label for label in QUALITY if label.key == key), None)


def shown_order(order: str, numbers: Sequence[int]) -> str:
    """A stored order in places on the screen: ``2>1=3`` of outputs shown as 3, 1, 2 is ``3>2=1``.

    ``numbers``: the stored numbers in the order on the screen. A number that is not among them stays in braces.
    """
    places = {str(number): str(place) for place, number in enumerate(numbers, 1)}
    tiers = [[places.get(number, f"{{{number}}}") for number in tier.split("=")] for tier in order.split(">")]
    return ">".join("=".join(tier) for tier in tiers)


_SEED_DIGITS: Final = 16


def seed_of(reader: sqlite3.Connection, unit: str) -> str:
    """What the order of a ranking's outputs is drawn by: the same for everybody and every time in one study."""
    study_id = reader.execute("SELECT value FROM study WHERE key = 'study_id'").fetchone()[0]
    return sha256(f"{study_id} {unit}")[:_SEED_DIGITS]


def drawn_order(seed: str, count: int) -> tuple[int, ...]:
    """The numbers from 1 to ``count`` in the order that a seed gives."""
    return tuple(sorted(range(1, count + 1), key=lambda number: sha256(f"{seed} {number}")))


def ranking_name(ordinal: int) -> str:
    """What the screen calls a ranking."""
    return f"K{ordinal:02d}"


class RankingKind(UnitKind):
    """``ranking:HASH``, a stored unit. Nothing of a view says which model wrote an output."""

    name = "ranking"
    title = "rankings"
    noun = "ranking"
    about = "Rank the outputs, best first; then rate each, and flag what is hallucinated."
    headline = Headline("outputs called Good", {"quality": ("good",)})
    axis = "rank"
    levels = ()
    also = OF_OUTPUTS
    entry = "order"
    rows = ROWS.format("ranking")
    models = ("outputs.*.model", "outputs.*.call")
    one_block = True
    filters = MappingProxyType({"type": content_value("type")})

    def load(self, reader: sqlite3.Connection, unit: str) -> UnitView:
        """The question, the outputs in an order of this study's own, the reference answer beside them."""
        stored = load_unit(reader, unit)
        outputs = stored.content["outputs"]
        numbers = drawn_order(seed_of(reader, unit), len(outputs))
        kind, reference = stored.content["type"], stored.content["reference"]
        return stored.view(
            ranking_name(stored.ordinal),
            (
                CardPart("asked", stored.content["question"], main=True),
                *([CardPart("type", kind, tone="dim")] if kind else []),
            ),
            (
                Document(f"output:{number}", f"output {place}", outputs[number - 1]["text"])
                for place, number in enumerate(numbers, 1)
            ),
            model="",
            beside=Document("reference", "reference answer", reference) if reference else None,
            numbers=numbers,
            missing="" if reference else "This ranking came without a reference answer.",
        )

    def machines(self, reader: sqlite3.Connection, unit: str) -> Machines:
        """The models that wrote the outputs, and orders that judges gave, in places on the screen."""
        stored = load_unit(reader, unit)
        outputs = stored.content["outputs"]
        numbers = drawn_order(seed_of(reader, unit), len(outputs))
        models = [outputs[number - 1]["model"] or "not known" for number in numbers]
        wrote = tuple(
            Opinion(f"{unit}/{number}", f"output {place}", model, "", f"written by {model}", None, counts=False)
            for place, (number, model) in enumerate(zip(numbers, models, strict=True), 1)
        )
        said = stored_opinions(reader, unit, self.axis)
        judged = tuple(
            one._replace(said=shown_order(one.label, numbers) if one.label else one.said) for one in said.opinions
        )
        words = " · ".join(f"{place} {model}" for place, model in enumerate(models, 1))
        return Machines((*judged, *wrote), said.level, f"outputs: {words}")

    def fits(self, view: UnitView, label: str) -> str:
        """An order names each output once."""
        named = sorted(label.replace("=", ">").split(">"))
        fits = is_order(label) and named == sorted(map(str, view.numbers))
        return "" if fits else f"Each of the {len(view.numbers)} outputs has one place in the order."

    def label_words(self, view: UnitView, label: str) -> str:
        """The order in places on the screen."""
        return shown_order(label, view.numbers)

    def recorded(self, reader: sqlite3.Connection, view: UnitView) -> Mapping[str, Any]:
        """The order on the screen, and what it was drawn by."""
        return {"seed": seed_of(reader, view.unit), "shown": list(view.numbers)}

    def machine_ratings(self, reader: sqlite3.Connection) -> Iterator[Rating]:
        """Orders, qualities and flags that judges gave."""
        query = "SELECT unit, judge, axis, label FROM opinion WHERE label IS NOT NULL ORDER BY unit, axis, opinion_id"
        for unit, judge, axis, label in reader.execute(query):
            if kind_of(unit) == self.name and scale_of(axis) in (self.axis, *self.also):
                yield Rating(unit, unit, axis, judge, True, "", label)


_Given = tuple[str | None, str, Sequence[int], dict[str, str]]
"""Who ranked a unit: the order that stands, the order on the screen, the labels of outputs by axis."""


def _said_of(one: Any, scale: str) -> str | None:
    """A label of an output in a row of the table, in words."""
    label = one.said.get(f"{scale}/{one.number}")
    return label_words(scale, label) if label else None


_COLUMNS: Final = (
    Column("unit", "text", "The ranking.", made=lambda one: one.stored.unit),
    Column("record_id", "text", "Its id in the file it came from.", made=lambda one: one.stored.record_id),
    Column("type", "text", "The type of the question, as in the file it came from.",
           made=lambda one: one.stored.content["type"]),
    Column("output", "integer", "The stored number of the output; orders in labels name it.",
           made=lambda one: one.number),
    Column("model", "text", "The model that wrote it; hidden from reviewers.", made=lambda one: one.output["model"]),
    Column("reviewer", "text", "Who ranked it; empty when nobody did."),
    Column("shown_at", "integer", "Its place on that reviewer's screen.",
           made=lambda one: one.shown.index(one.number) + 1 if one.number in one.shown else None),
    Column("rank", "number", "Its rank, 1 the best; ties have the mean of their ranks.",
           made=lambda one: rank_in(one.order, one.number)),
    Column("quality", "text", f"{', '.join(label.name for label in QUALITY)}; empty when none was given.",
           made=lambda one: _said_of(one, "quality")),
    Column("hallucinated", "text", "Flagged as hallucinated, or not; empty where it was not asked.",
           made=lambda one: _said_of(one, "hallucinated")),
    Column("text", "text", "The output.", made=lambda one: one.output["text"]),
)  # fmt: skip


def _rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    """One row for each output and each reviewer who ranked it; one without a reviewer where nobody did."""
    for (unit,) in reader.execute("SELECT unit_id FROM unit WHERE kind = 'ranking' ORDER BY ordinal").fetchall():
        stored = load_unit(reader, unit)
        nobody: _Given = (None, "", (), {})
        given = list(_given(reader, stored.unit)) or [nobody]
        for number, output in enumerate(stored.content["outputs"], 1):
            for who, order, shown, said in given:
                yield cells(_COLUMNS, SimpleNamespace(
                    stored=stored, number=number, output=output, reviewer=who, order=order, shown=shown, said=said,
                ))  # fmt: skip


def _given(reader: sqlite3.Connection, unit: str) -> Iterator[_Given]:
    """Everybody who ranked a unit."""
    rows = reader.execute(
        "SELECT reviewer, axis, label, payload FROM decision_current WHERE unit = ? ORDER BY reviewer, pass", (unit,)
    ).fetchall()
    for reviewer in dict.fromkeys(row["reviewer"] for row in rows):
        own = {row["axis"]: row for row in rows if row["reviewer"] == reviewer}
        if "rank" in own:
            shown = json.loads(own["rank"]["payload"]).get("shown", ())
            said = {axis: row["label"] for axis, row in own.items() if scale_of(axis) in OF_OUTPUTS}
            yield reviewer, own["rank"]["label"], shown, said


def rank_in(order: str, number: int) -> float | None:
    """The rank of an output in an order, ties with the mean of their ranks; ``None`` when it is not in it."""
    before = 0
    for tier in order.split(">"):
        tied = tier.split("=")
        if str(number) in tied:
            return before + (len(tied) + 1) / 2
        before += len(tied)
    return None


RankingKind.tables = (ExportFile("rankings.csv", _COLUMNS, _rows),)
