"""Agreement of each two reviewers, by which labels are compared: never two kinds of label under one name."""

import sqlite3
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Final, Literal, NamedTuple

from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.reports.comparison import Comparison, Pairing, compare
from medreview.stats.reports.label_scales import SCALES, Scale, ScaleLabel, reviewers_label
from medreview.stats.reports.reviewer_labels import Mode, ReviewerLabel

Kind = Literal["first_blind", "mixed", "assisted", "final"]

SAW_THE_OTHER: Final = "given after another reviewer's label was seen"
"""Why a first label is no independent one."""

_ADJUDICATED: Final = """SELECT a.unit FROM adjudicated AS a JOIN statement_standing AS s ON s.statement_id = a.unit
WHERE a.axis = 'evidence' AND a.stands"""


class _LabelKind(NamedTuple):
    mode: Mode | None
    title: str


KINDS: Final[Mapping[Kind, _LabelKind]] = {
    "first_blind": _LabelKind("blind", "first labels, both blind"),
    "mixed": _LabelKind(None, "mixed: the one's blind first label, the other's assisted one"),
    "assisted": _LabelKind("assisted", "assisted labels of both"),
    "final": _LabelKind(None, "final labels of both, however they were given"),
}


def adjudicated_statements(reader: sqlite3.Connection) -> frozenset[str]:
    """The statements on which a difference of reviewers is settled, as long as the labels it was about stand."""
    return frozenset(row[0] for row in reader.execute(_ADJUDICATED))


@dataclass(slots=True)
class _Collected:
    pairings: list[Pairing]
    made_of: Counter[str] = field(default_factory=Counter)


def between_reviewers(
    labels: Mapping[str, Mapping[str, ReviewerLabel]],
    resampling: Resampling,
    settled: Collection[str] = (),
    *,
    full: bool = True,
) -> tuple[Comparison, ...]:
    """Each two reviewers, once for each kind of label that they share, on both scales.

    ``first_blind``: both first labels were given before anything of the judges' or of the other's opinion had been
    seen. ``mixed``: one blind first label and one assisted. ``assisted``: both assisted. In all three a label that was
    given after the other's had been seen is left out. ``final``: the labels of all statements that both decided, as
    they stand now; ``made_of`` then says how many were given how, changed, or ``settled`` since.
    """
    found: list[Comparison] = []
    for first, second in combinations(sorted(labels), 2):
        found += _two(first, labels[first], second, labels[second], resampling, settled, full)
    return tuple(found)


def _two(
    first: str, mine: Mapping[str, ReviewerLabel], second: str, theirs: Mapping[str, ReviewerLabel],
    resampling: Resampling, settled: Collection[str], full: bool,
) -> list[Comparison]:  # fmt: skip
    collected = {
        kind: _Collected([Pairing(first, second, scale, about.mode) for scale in SCALES])
        for kind, about in KINDS.items()
    }
    for unit in sorted(mine.keys() & theirs.keys()):
        a, b = mine[unit], theirs[unit]
        kind = kind_of(a, b)
        for pairing in collected[kind].pairings:
            pairing.add(a.response_id, *_given(a, b, pairing.scale))
        final = collected["final"]
        for pairing in final.pairings:
            pairing.add(
                a.response_id, *(reviewers_label(one.current, pairing.scale, stale=one.stale) for one in (a, b))
            )
        final.made_of.update(_how(kind, a, b, unit in settled))
    used = [
        (kind, part, pairing)
        for kind, part in collected.items()
        for pairing in part.pairings
        if pairing.rows or pairing.dropped
    ]
    compared = compare([pairing for _, _, pairing in used], resampling, full=full)
    return [
        replace(one, labels_of=kind, made_of=dict(part.made_of))
        for one, (kind, part, _) in zip(compared, used, strict=True)
    ]


def kind_of(a: ReviewerLabel, b: ReviewerLabel) -> Kind:
    """By which kind of label two reviewers can be compared on a statement, besides the final ones."""
    modes = {a.group.mode, b.group.mode}
    return "mixed" if len(modes) > 1 else "first_blind" if modes == {"blind"} else "assisted"


def _given(a: ReviewerLabel, b: ReviewerLabel, scale: Scale) -> tuple[ScaleLabel, ScaleLabel]:
    """The labels by which they are in their group; one that was given after the other's was seen is independent of
    nothing, and has no place among them."""
    first, second = (reviewers_label(one.label, scale, stale=one.stale) for one in (a, b))
    seen = a.saw_others or b.saw_others
    return (ScaleLabel(None, SAW_THE_OTHER) if seen and first.label else first), second


def _how(kind: Kind, a: ReviewerLabel, b: ReviewerLabel, settled: bool) -> list[str]:
    told = [{"first_blind": "both blind", "mixed": "one blind, one assisted"}.get(kind, "both assisted")]
    told += ["changed after the judges were shown"] * (a.changed_after_reveal or b.changed_after_reveal)
    told += [SAW_THE_OTHER] * (a.saw_others or b.saw_others)
    return [*told, *["settled since"] * settled]
