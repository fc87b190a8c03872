"""``stats --unit``: the figures of one kind of unit other than the statement, on one screen or in full."""

import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from medreview.cli.output import counted, result
from medreview.cli.reports.layout import NextStep, Part
from medreview.cli.verdict_access import current_verdicts, looked, reading
from medreview.errors import UserError
from medreview.next_step import command
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.reports.provenance import Provenance, provenance
from medreview.stats.units.fact_report import FactReport, KeyFactFigures, fact_report
from medreview.stats.units.kind_labels import UnitHeadline, scales_of, told_gold, unit_headline
from medreview.stats.units.unit_figures import UnitFigures, kind_named, reviewers_named, unit_figures
from medreview.study import Study
from medreview.study.ids import kind_of
from medreview.study.package import package_of
from medreview.units.registry import KINDS

FACT: Final = "fact"


@dataclass(frozen=True)
class AllGold:
    """That all right labels of the kind were told ``to`` somebody, of which ``undecided`` ones to nobody before."""

    to: str
    undecided: int

    @property
    def sentence(self) -> str:
        """What that means for labels that are given afterwards."""
        if not self.undecided:
            return "All right labels are counted; each of these units was decided before."
        waiting = counted(self.undecided, "unit")
        return (
            f"All right labels are counted, with those of {waiting} that nobody has decided yet: the study records "
            f"that {self.to} saw these figures first."
        )


@dataclass(frozen=True)
class UnitStats:
    """The figures of one kind, and what state of the study they are of; ``facts``: with the votes on each key fact.

    ``all_gold``: where models were scored against the right labels of what nobody has decided, too.
    """

    provenance: Provenance
    unit: UnitFigures
    facts: FactReport | None = None
    all_gold: AllGold | None = None

    def document(self) -> dict[str, object]:
        """As plain values, with the name of the schema, in which ``unit`` is one of the ``units``."""
        from medreview.cli.reports.facts import fact_values
        from medreview.stats.study_figures import SCHEMA

        plain: dict[str, object] = {"schema": SCHEMA, "provenance": asdict(self.provenance), "unit": asdict(self.unit)}
        more = {} if self.all_gold is None else {"all_gold": asdict(self.all_gold)}
        return {**plain, **more} if self.facts is None else {**plain, **more, "facts": fact_values(self.facts)}

    def text(self, study: Path) -> str:
        """As a report for a terminal."""
        from medreview.cli.reports.terminal import printed

        return printed(self._parts(study))

    def _parts(self, study: Path) -> Iterator[Part]:
        from medreview.cli.reports.estimates import provenance_lines
        from medreview.cli.reports.facts import next_parts, theme_step, vote_parts
        from medreview.cli.reports.unit_parts import unit_parts

        yield from unit_parts(self.unit)
        yield from ("", self.all_gold.sentence) if self.all_gold else ()
        if self.unit.kind == FACT:
            family = self.unit.family
            found = family if isinstance(family, KeyFactFigures) else None
            held = found.figures.held if found else 0
            yield from next_parts(held, study, asked=bool(found and (found.figures.judges or found.figures.panel)))
            yield from theme_step(found.themes if found else (), study)
            yield from vote_parts(self.facts) if self.facts else ()
        yield from ("", *provenance_lines(self.provenance))


def unit_screen(headline: UnitHeadline, origin: Provenance, study: Path) -> str:
    """What leads of one kind: one line for each rater, and what to do next."""
    from medreview.cli.reports.estimates import provenance_lines
    from medreview.cli.reports.facts import next_parts
    from medreview.cli.reports.stats_screen import unit_step, unit_table
    from medreview.cli.reports.terminal import printed

    sentence, step = unit_step([headline], study)
    following: Iterable[Part] = ("", f"What next? {sentence}", step)
    if headline.kind == FACT and not headline.raters:
        following = next_parts(headline.units, study, asked=False)
    elif not headline.units:
        following = ("", "What next? Bring some in.", NextStep(command("import", study, "FILE")))
    labelled = f"{headline.labelled:,} of {counted(headline.units, headline.noun, headline.title)} labelled"
    return printed(
        (
            labelled,
            "",
            *(unit_table(headline) if headline.raters else ["No person and no machine has said anything yet."]),
            *following,
            *provenance_lines(origin),
            "Each two raters beside each other, tables, types and systems:",
            NextStep(command("stats", study, "--unit", headline.kind, "--full")),
        )
    )


def unit_stats(
    reader: sqlite3.Connection,
    kind: str,
    reviewer: str | None,
    resampling: Resampling,
    *,
    full: bool = False,
    all_gold: AllGold | None = None,
) -> UnitStats:
    """Of one kind; ``full``: with the votes on each key fact, which are verdicts. Raises :class:`UserError` for a
    reviewer who is not there."""
    people = reviewers_named(reader, reviewer)
    found = unit_figures(reader, kind, reviewers=people, resampling=resampling, all_gold=all_gold is not None)
    labels = {each.reviewer: {each.which: sum(each.labels.values())} for axis in found.axes for each in axis.labels}
    votes = fact_report(reader, resampling=resampling) if full and kind == FACT else None
    of = provenance(reader, resampling, labels=labels, comparisons=_comparisons(found))
    return UnitStats(of, found, votes, all_gold)


def _comparisons(found: UnitFigures) -> int:
    """How many comparisons of two stand side by side."""
    scales = [scale for axis in found.axes for scale in axis.scales]
    beside = [each for scale in scales for each in (*scale.between, *scale.machines, *scale.gold)]
    beside += [each for scale in scales for one in scale.consensus for each in one.machines]
    return sum(each.n > 0 for each in beside)


def print_unit_stats(
    study: Path,
    unit: str | None,
    reviewer: str | None,
    resampling: Resampling,
    *,
    full: bool,
    gold: bool,
    csv: str,
    as_json: bool,
) -> None:
    """Print or write what ``stats --unit`` does; the look at it is recorded. Raises :class:`UserError` for no kind."""
    from medreview.exchange.exports.figure_csv import figures_text, write_figures
    from medreview.review.looks import told_by_sums

    with Study.open(study, read_only=True) as opened:
        kind = "" if unit is None else kind_named(unit)
        kind = _kind_with_gold(opened.reader, kind) if gold else kind
        current_verdicts(opened)
        looked(opened, "stats", "verdicts" if full and kind == FACT else "totals")
        if not (full or gold or csv or as_json):
            headline = unit_headline(opened.reader, kind, reviewers_named(opened.reader, reviewer))
            given = [(one.rater, one.labels) for one in headline.people]
            text = unit_screen(headline, provenance(opened.reader, resampling, labels={}, comparisons=0), study)
            if any(told_by_sums(given, one) for one in reading(opened)):
                looked(opened, "stats", "labels")
            print(text, end="")
            return
        all_gold = _tell_all_gold(opened, kind) if gold else None
        found = unit_stats(opened.reader, kind, reviewer, resampling, full=full, all_gold=all_gold)
        if any(told_by_sums(found.unit.given, one) for one in reading(opened)):
            looked(opened, "stats", "labels")
    if csv == "-":
        print(figures_text(found.unit, found.provenance), end="")
    elif csv:
        rows = write_figures(found.unit, found.provenance, Path(csv))
        result({"file": csv, "rows": rows}, f"{counted(rows, 'row')} written to {csv}", as_json=as_json)
    elif as_json:
        result(found.document(), as_json=True)
    else:
        print(found.text(study), end="")


def _kind_with_gold(reader: sqlite3.Connection, named: str) -> str:
    """The kind ``named``, or the only one that has right labels; raises :class:`UserError` where there are none."""
    kinds = sorted({kind_of(row[0]) for row in reader.execute("SELECT unit FROM gold")} & set(KINDS))
    if named and named not in kinds:
        raise UserError(f"This study has no right labels of {KINDS[named].title}: leave --gold out, or import them.")
    if not named and len(kinds) != 1:
        which = f"name one of {', '.join(kinds)} with --unit" if kinds else "this study has none; import them first"
        raise UserError(f"--gold scores models against the right labels of one kind of unit: {which}.")
    return named or kinds[0]


def _tell_all_gold(study: Study, kind: str) -> AllGold:
    """Note that whoever reads it is told; raises :class:`UserError` in a copy for a colleague."""
    copy = package_of(study.reader)
    if copy is not None and copy.made_for:
        raise UserError(f"This is the copy for {copy.made_for}: the owner of the study scores models by --gold.")
    looked(study, "stats --gold", "gold")
    silent = sum(told_gold(study.reader, axis, kind).silent for axis in scales_of(kind).axes)
    return AllGold(", ".join(reading(study)), silent)
