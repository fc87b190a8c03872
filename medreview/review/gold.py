"""Gold items: units whose right label is known beforehand, hidden from reviewers until their block is done."""

import sqlite3
from collections.abc import Collection

from medreview.errors import UserError
from medreview.labels import AXES, is_label, scale_of
from medreview.study import Study
from medreview.study.study_acts import write_act
from medreview.units.kind import Gold
from medreview.units.label_comparisons import GoldResult, gold_results, labels_when_told, told_results
from medreview.units.stored import add_gold, load_gold


def check_label(axis: str, label: str) -> None:
    """Raise ``ValueError``, half a sentence, unless a label is one of an axis."""
    if scale_of(axis) not in AXES:
        raise ValueError(f"has the axis {axis!r}, which there is not; there are {', '.join(AXES)}")
    if not is_label(axis, label):
        levels = ", ".join(level.level for level in AXES[scale_of(axis)]) or "orders, best first, as 2>1>3"
        raise ValueError(f"has the label {label!r}, which the axis {axis} has not; it has {levels}")


def set_gold(study: Study, unit: str, gold: Gold, added_by: str) -> None:
    """Add a gold item. Raises :class:`UserError` for a label that there is not, and where another is known already."""
    try:
        check_label(gold.axis, gold.label)
    except ValueError as error:
        raise UserError(f"The gold item {error}.") from None
    known = load_gold(study.reader, unit, gold.axis)
    if known is not None and known != gold:
        raise UserError(f"{unit} is a gold item already ({known.label}); remove that first (--remove).")
    study.write(lambda connection: add_gold(connection, [(unit, gold)], added_by))


def remove_gold(study: Study, unit: str) -> int:
    """The unit is no gold item any more, on any axis; how many labels that were."""
    return study.write(lambda connection: connection.execute("DELETE FROM gold WHERE unit = ?", (unit,)).rowcount)


def tell(study: Study, reviewer: str, units: Collection[str], pass_no: int = 1) -> list[GoldResult]:
    """The results of some units whose block is done, recorded as told: what is changed after that counts no more.

    Raises :class:`UserError` when it cannot be written; of a study that is only read nothing is recorded.
    """
    results = gold_results(study.reader, reviewer, pass_no, units)
    known = labels_when_told(study.reader, reviewer, pass_no)
    new = [
        {"unit": one.unit, "axis": one.gold.axis, "label": one.label}
        for one in results
        if (one.unit, one.gold.axis) not in known
    ]
    if new and study.writable:
        write_act(study, reviewer, "gold_told", {"labels": new}, pass_no)
    return results


def untold_units(reader: sqlite3.Connection, reviewer: str, pass_no: int = 1) -> set[str]:
    """Gold items that are decided and not told yet, though no open block hides them."""
    told = labels_when_told(reader, reviewer, pass_no)
    return {one.unit for one in told_results(reader, reviewer, pass_no) if (one.unit, one.gold.axis) not in told}
