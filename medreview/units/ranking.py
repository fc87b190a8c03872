"""Anonymous outputs of several models beside a reference answer, ranked from best to worst (ClinIQLink's cross-model
study), each called Good, Okay or Bad."""

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from medreview.labels import QUALITY, is_order, label_words, scale_of
from medreview.study.unit_ids import kind_of
from medreview.text import sha256
from medreview.units.kind import Cell, Headline, Rating, Table, UnitKind
from medreview.units.opinions import stored_opinions
from medreview.units.ranking_entry import shown_order
from medreview.units.stored import ROWS, StoredUnit, load_unit
from medreview.units.view import Document, Machines, Opinion, Part, UnitView

_SEED_DIGITS: Final = 16


def seed_of(reader: sqlite3.Connection, unit: str) -> str:
    """What the order of a ranking's outputs is drawn by: the same for everybody and every time in one study."""
    study_id = reader.execute("SELECT value FROM study WHERE key = 'study_id'").fetchone()[0]
    return sha256(f"{study_id} {unit}")[:_SEED_DIGITS]


def drawn_order(seed: str, count: int) -> tuple[int, ...]:
    """The numbers from 1 to ``count`` in the order that a seed gives."""
    return tuple(sorted(range(1, count + 1), key=lambda number: sha256(f"{seed} {number}")))


class Ranking(UnitKind):
    """``ranking:HASH``, a stored unit. Nothing of a view says which model wrote an output."""

    name = "ranking"
    title = "rankings"
    noun = "ranking"
    about = "Rank the outputs, best first; then rate each."
    headline = Headline("outputs called Good", {"quality": ("good",)})
    axis = "rank"
    levels = ()
    also = ("quality",)
    entry = "order"
    rows = ROWS.format("ranking")
    models = ("outputs.*.model",)

    def load(self, reader: sqlite3.Connection, unit: str) -> UnitView:
        """The question, the outputs in an order of this study's own, the reference answer beside them."""
        stored = load_unit(reader, unit)
        outputs = stored.content["outputs"]
        numbers = drawn_order(seed_of(reader, unit), len(outputs))
        kind, reference = stored.content["type"], stored.content["reference"]
        return UnitView(
            unit=unit,
            kind=self.name,
            name=f"K{stored.ordinal:02d}",
            group="",
            text=stored.text,
            text_sha256=stored.content_sha256,
            parts=(
                Part("asked", stored.content["question"], main=True),
                *([Part("type", kind, tone="dim")] if kind else []),
            ),
            documents=tuple(
                Document(f"output:{number}", f"output {place}", outputs[number - 1]["text"])
                for place, number in enumerate(numbers, 1)
            ),
            beside=Document("reference", "reference answer", reference) if reference else None,
            origin=stored.origin,
            record_id=stored.record_id,
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

    def cluster(self, reader: sqlite3.Connection, unit: str) -> str:
        """Itself: rankings stand alone."""
        return unit

    def machine_ratings(self, reader: sqlite3.Connection) -> Iterator[Rating]:
        """Orders and qualities that judges gave."""
        query = "SELECT unit, judge, axis, label FROM opinion WHERE label IS NOT NULL ORDER BY unit, axis, opinion_id"
        for unit, judge, axis, label in reader.execute(query):
            if kind_of(unit) == self.name and scale_of(axis) in (self.axis, *self.also):
                yield Rating(unit, unit, axis, judge, True, "", label)


def _outputs(reader: sqlite3.Connection) -> Iterator[StoredUnit]:
    for (unit,) in reader.execute("SELECT unit_id FROM unit WHERE kind = 'ranking' ORDER BY ordinal").fetchall():
        yield load_unit(reader, unit)


def _rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    """One row for each output and each reviewer who ranked it; one without a reviewer where nobody did."""
    for stored in _outputs(reader):
        outputs = stored.content["outputs"]
        given = list(_given(reader, stored.unit))
        for number, output in enumerate(outputs, 1):
            head = (stored.unit, stored.record_id, stored.content["type"], number, output["model"])
            said: list[tuple[Cell, ...]] = [
                (
                    who,
                    shown.index(number) + 1 if number in shown else None,
                    rank_in(order, number),
                    label_words("quality", qualities[number]) if number in qualities else None,
                )
                for who, order, shown, qualities in given
            ]
            for of_reviewer in said or [(None, None, None, None)]:
                yield (*head, *of_reviewer, output["text"])


def _given(reader: sqlite3.Connection, unit: str) -> Iterator[tuple[str, str, Sequence[int], dict[int, str]]]:
    """Who ranked a unit: the order that stands, the order on the screen, the qualities by stored number."""
    rows = reader.execute(
        "SELECT reviewer, axis, label, payload FROM decision_current WHERE unit = ? ORDER BY reviewer, pass", (unit,)
    ).fetchall()
    for reviewer in dict.fromkeys(row["reviewer"] for row in rows):
        own = {row["axis"]: row for row in rows if row["reviewer"] == reviewer}
        if "rank" in own:
            shown = json.loads(own["rank"]["payload"]).get("shown", ())
            qualities = {
                int(axis.partition("/")[2]): row["label"] for axis, row in own.items() if scale_of(axis) == "quality"
            }
            yield reviewer, own["rank"]["label"], shown, qualities


def rank_in(order: str, number: int) -> float | None:
    """The rank of an output in an order, ties with the mean of their ranks; ``None`` when it is not in it."""
    before = 0
    for tier in order.split(">"):
        tied = tier.split("=")
        if str(number) in tied:
            return before + (len(tied) + 1) / 2
        before += len(tied)
    return None


Ranking.tables = (
    Table(
        "rankings.csv",
        (
            ("unit", "text", "The ranking."),
            ("record_id", "text", "Its id in the file it came from."),
            ("type", "text", "The type of the question, as in the file it came from."),
            ("output", "integer", "The stored number of the output; orders in labels name it."),
            ("model", "text", "The model that wrote it; hidden from reviewers."),
            ("reviewer", "text", "Who ranked it; empty when nobody did."),
            ("shown_at", "integer", "Its place on that reviewer's screen."),
            ("rank", "number", "Its rank, 1 the best; ties have the mean of their ranks."),
            ("quality", "text", f"{', '.join(label.name for label in QUALITY)}; empty when none was given."),
            ("text", "text", "The output."),
        ),
        _rows,
    ),
)
