"""The command ``jury``: which few judges agree best with a reviewer, and what they cost."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from medreview.cli.looking import looked
from medreview.cli.options import Json, StudyFile
from medreview.cli.output import counted, result
from medreview.cli.ties import Ties, rule_named
from medreview.errors import UserError
from medreview.words import in_words

if TYPE_CHECKING:
    import sqlite3

    from medreview.stats.formulas.estimate import Estimate
    from medreview.stats.reports.reviewer_labels import Mode
    from medreview.stats.reports.small_jury import JuryChoice, SmallJury


def jury(
    study: StudyFile,
    size: Annotated[list[int] | None, typer.Option(min=1, help="Jurors; may be repeated. Default: 1 and 3.")] = None,
    judges: Annotated[
        list[str] | None, typer.Option("--judge", metavar="NAME", help="A candidate; default: all but the offline one.")
    ] = None,
    facts: Annotated[
        Literal["presence", "contradiction"] | None,
        typer.Option("--facts", help="On key facts: are they present, or contradicted?"),
    ] = None,
    members: Annotated[
        list[str] | None, typer.Option("--member", metavar="NAME", help="On key facts: a person as a candidate.")
    ] = None,
    reviewer: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Whose labels count; on key facts by default the majority of all others."),
    ] = None,
    scale: Annotated[
        Literal["binary", "levels"], typer.Option(help="Supported or not, or the four labels.")
    ] = "binary",
    measure: Annotated[Literal["kappa", "agreement"], typer.Option(help="What the best jury is best in.")] = "kappa",
    ties: Ties = None,
    assisted: Annotated[
        bool, typer.Option("--assisted", help="Use labels given with the judges in sight: inflated.")
    ] = False,
    splits: Annotated[int, typer.Option(min=1, help="Random halves to choose on.")] = 200,
    seed: Annotated[int, typer.Option(min=0, help="Seed of halves and resampling.")] = 1,
    as_json: Json = False,
) -> None:
    """Find the small jury that agrees best with you, chosen on half of your labels and measured on the other.

    The best of many juries looks better where it was chosen than it is; the held-out figure is the one to report. With
    --facts, judges and people vote on key facts, and are compared with the majority of the people who are no
    candidates.

    Example: medreview jury sepsis.medreview --size 3
    """
    from medreview.judges.ties import tie_rule
    from medreview.stats.facts.fact_jury import fact_jury_labels
    from medreview.stats.formulas.bootstrap import Resampling
    from medreview.stats.reports.jury_labels import jury_labels
    from medreview.stats.reports.label_scales import SCALES
    from medreview.stats.reports.provenance import provenance
    from medreview.stats.reports.small_jury import small_jury
    from medreview.study import Study

    mode: Mode = "assisted" if assisted else "blind"
    if members and facts is None:
        raise UserError("--member is for key facts: add --facts presence or --facts contradiction.")
    with Study.open(study, read_only=True) as opened:
        reader = opened.reader
        rule = tie_rule(reader) if ties is None else rule_named(ties)
        if facts is None:
            labels = jury_labels(
                reader,
                _reviewer(reader, reviewer),
                judges=judges or (),
                scale=next(known for known in SCALES if known.name == scale),
                mode=mode,
            )
        else:
            labels = fact_jury_labels(
                reader, f"key_fact_{facts}", judges=judges or (), members=members or (),
                reviewers=[reviewer] if reviewer else (), mode=mode, tie=rule,
            )  # fmt: skip
        looked(opened, "jury", "totals")
        origin = provenance(
            reader, Resampling(seed=seed), labels={labels.reviewer: {labels.group.title: len(labels.mine)}}, tie=rule
        )
    found = small_jury(
        labels,
        sorted(set(size)) if size else [count for count in (1, 3) if count <= len(labels.judges)],
        tie=rule,
        measure="cohen_kappa" if measure == "kappa" else "percent_agreement",
        splits=splits,
        resampling=Resampling(seed=seed),
    )
    if as_json:
        result({**asdict(found), "provenance": asdict(origin)}, "", as_json=True)
    else:
        from medreview.cli.reports.provenance import provenance_lines

        result(None, *_lines(found), "", *provenance_lines(origin), as_json=False)


def _reviewer(reader: "sqlite3.Connection", wanted: str | None) -> str:
    from medreview.config import load_config
    from medreview.stats.reports.reviewer_labels import reviewers

    known = reviewers(reader)
    if wanted is None and len(known) == 1:
        return known[0]
    name = wanted or load_config().reviewer
    if name not in known:
        if not known:
            raise UserError("Nobody has reviewed anything in this study yet: there are no labels to agree with.")
        raise UserError(f"{name} has reviewed nothing here; {', '.join(known)} did. Name one with --reviewer.")
    return name


def _lines(found: "SmallJury") -> Iterator[str]:
    from medreview.visible import visible

    rule = in_words(found.tie_rule)
    candidates = ", ".join(visible(name) for name in found.candidates)
    yield f"{found.reviewer}, {found.group}: {counted(found.units, found.unit)} in {found.clusters:,} {found.cluster}s"
    yield f"candidates: {candidates}"
    yield (
        f"chosen on {found.clusters - found.held_out_clusters:,} {found.cluster}s, measured on the other "
        f"{found.held_out_clusters:,}; tie rule: {rule}; no verdict counts as disagreement; seed {found.seed}"
    )
    if found.dropped:
        yield "left out: " + ", ".join(f"{count:,} {reason}" for reason, count in found.dropped.items())
    yield from found.cautions
    yield ""
    yield f"all {len(found.candidates)} candidates, held out: {found.measure} {_shown(found.everyone)}"
    for choice in found.choices:
        yield ""
        yield from _choice(found, choice)


def _choice(found: "SmallJury", choice: "JuryChoice") -> Iterator[str]:
    from medreview.stats.formulas.estimate import number, quantity
    from medreview.visible import visible

    def named(judges: tuple[str, ...], cost: float | None) -> str:
        names = " + ".join(visible(name) for name in judges)
        return names + (f" ({cost:,.2f} for 1,000 {found.unit}s)" if cost is not None else " (cost not known)")

    again = choice.repeated
    same = dict(again.chosen).get(choice.on_all_labels, 0)
    yield f"{counted(choice.size, 'juror')}: {named(choice.on_all_labels, choice.cost_of_it)}"
    yield f"  chosen on all labels; {same:,} of {again.splits:,} random halves chose the same"
    yield f"  held out: {found.measure} {_shown(choice.held_out)}, of {named(choice.judges, choice.cost)}"
    yield f"  minus all candidates: {_shown(choice.difference)}; {choice.undecided:,} without a verdict"
    if again.mean is not None and again.low is not None and again.high is not None and again.optimism is not None:
        mean, low, high = (number(value, choice.held_out.scale) for value in (again.mean, again.low, again.high))
        more = quantity(again.optimism, choice.difference.scale)
        yield (
            f"  over the halves: mean {mean}, from {low} to {high} in nine of ten (a spread, no confidence interval); "
            f"where chosen it looked better by {more}"
        )


def _shown(figure: "Estimate") -> str:
    from medreview.stats.formulas.estimate import show

    words = show(figure)
    return f"{words}: {figure.reason}" if figure.value is not None and figure.low is None else words
