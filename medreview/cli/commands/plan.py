"""Of the commands ``plan ...`` those of batches: draw units, share them out to reviewers, look how far they are."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Literal

from typer import Argument, Option

from medreview.cli.options import Json, Reviewer, StudyFile, decider, open_study
from medreview.cli.output import counted, given, one_line, result
from medreview.cli.verdict_access import looked, reading
from medreview.errors import UserError
from medreview.next_step import command

if TYPE_CHECKING:
    from medreview.review.batches import UnitBatches
    from medreview.review.draws import DrawStratum
    from medreview.review.plan_board import DrawBoard

_MOST_STRATA = 12
"""Strata that are listed one by one."""


def draw(
    study: StudyFile,
    kind: Annotated[
        str,
        Argument(
            metavar="KIND",
            help="statements, pairs, whole_responses, answers, qa, questions, facts, references, rankings, ...; also "
            "asked (the questions that responses answer) and addresses (that responses cite).",
        ),
    ],
    size: Annotated[str, Argument(metavar="N", help="How many, or all.")],
    by: Annotated[
        str, Option(metavar="WHAT", help="Stratify: by model, origin, type, case, ...; several parted by commas.")
    ] = "",
    equal: Annotated[
        bool, Option("--equal", help="As many of each stratum; default: each stratum's share of the whole.")
    ] = False,
    seed: Annotated[str, Option(metavar="TEXT", help="Draws it; default: made of the study's id and the name.")] = "",
    name: Annotated[
        str, Option(metavar="NAME", help="What the draw is called; default: as the kind, numbered from the second on.")
    ] = "",
    where: Annotated[
        str, Option(metavar="FILTER", help="Draw from a part, in the words of the filters of queues: `model=atlas-2`.")
    ] = "",
    reviewer: Reviewer = None,
    as_json: Json = False,
) -> None:
    """Draw units of a kind at random, under a name.

    The study records the seed, the strata, how many units there were and which are drawn, in order. With the same name
    and seed, the command draws again and says whether it gets the same units. A draw is a filter: queues and figures
    take `drawn=NAME`, and for a draw of questions `asked=NAME`.

    Example: medreview plan draw sepsis.medreview pairs 400 --by model
    """
    from medreview.review import draws

    if size != "all" and not (size.isascii() and size.isdigit() and len(size) < 10 and int(size)):
        raise UserError(f"Say how many to draw: a whole number from 1, or all, not {size!r}.")
    strata = [one.strip() for one in by.split(",") if one.strip()]
    with open_study(study) as opened:
        made = draws.draw(
            opened,
            decider(reviewer),
            draws.frame_named(kind),
            None if size == "all" else int(size),
            name=name,
            by=strata,
            seed=seed,
            where=where,
            allot="equal" if equal else "share",
        )
        one, named = made.draw, draws.strata_now(opened.reader, made.draw)
    lines = [f"{one.name}: {one_line(one.words)}", *_stratum_lines(named)]
    if not made.new:
        lines.append(
            "It is drawn already; its seed draws the same units again."
            if made.same
            else "It is drawn already. Study or filter have changed since: its seed would draw other units now."
        )
    told = asdict(one) | {"strata": [asdict(each) for each in named], "new": made.new, "same": made.same}
    if one.kind not in (draws.ASKED, draws.ADDRESS):
        lines.append(f"Share it out: {command('plan', 'assign', study, one.name, '--to', 'NAME,NAME')}")
    result(told, *lines, as_json=as_json)


def _stratum_lines(strata: "list[DrawStratum]") -> Iterator[str]:
    yield from (f"  {given(one.name)}: {one.drawn:,} of {one.frame:,}" for one in strata[:_MOST_STRATA])
    if len(strata) > _MOST_STRATA:
        yield f"  and {len(strata) - _MOST_STRATA} more; --json has all"


def assign(
    study: StudyFile,
    name: Annotated[str, Argument(metavar="NAME", help="The draw.")],
    to: Annotated[str, Option(metavar="NAMES", help="The reviewers, parted by commas.")],
    each: Annotated[int, Option(min=1, metavar="N", help="How many reviewers each unit goes to.")] = 1,
    overlap: Annotated[
        str, Option(metavar="SHARE", help="Of how many units one more reviewer gets each: 45%. Drawn by the seed.")
    ] = "",
    order: Annotated[
        Literal["own", "same"], Option(help="own: each reviewer in an order of their own; same: one order for all.")
    ] = "own",
    by: Annotated[
        str, Option(metavar="WHAT", help="Balance batches over these strata, too; default: those of the draw.")
    ] = "",
    seed: Annotated[str, Option(metavar="TEXT", help="Shares it out; default: made of the draw's seed.")] = "",
    again: Annotated[
        bool, Option("--again", help="Share it out once more: reviewers keep what they have decided.")
    ] = False,
    reviewer: Reviewer = None,
    as_json: Json = False,
) -> None:
    """Share the units of a draw out to reviewers.

    Batches have equal size. A reviewer who has a batch finds it first on the first screen, as "my batch", and can open
    it as the queue "mine". It is blind, like every queue whose labels are to count as independent.

    Example: medreview plan assign sepsis.medreview qa --to anna,ben,carl --overlap 45%
    """
    from medreview.review.batches import assign as share_out
    from medreview.review.batches import share_named

    with open_study(study) as opened:
        made = share_out(
            opened,
            decider(reviewer),
            name,
            to.split(","),
            each=each,
            overlap=share_named(overlap) if overlap else 0.0,
            order=order,
            by=[one.strip() for one in by.split(",") if one.strip()],
            seed=seed,
            again=again,
        )
    lines = [f"{made.draw}: {made.words}", *_batch_lines(made)]
    lines.append(f"How far everybody is: {command('plan', 'show', study)}")
    result(asdict(made), *lines, as_json=as_json)


def _batch_lines(made: "UnitBatches") -> Iterator[str]:
    held = [set(units) for units in made.batches.values()]
    for place, (who, units) in enumerate(made.batches.items()):
        others = set().union(*(one for turn, one in enumerate(held) if turn != place))
        yield f"  {one_line(who)}: {counted(len(units), 'unit')}, {len(others & held[place])} shared"


def retract(
    study: StudyFile,
    name: Annotated[str, Argument(metavar="NAME", help="The draw.")],
    reason: Annotated[str, Option(metavar="TEXT", help="Why; the record keeps it.")],
    labels_stay: Annotated[
        bool, Option("--labels-stay", help="Also where reviewers have decided units of their batches; they keep them.")
    ] = False,
    reviewer: Reviewer = None,
    as_json: Json = False,
) -> None:
    """Take a draw back that was a mistake, with its batches.

    The record keeps it with your reason. Labels that were given stay labels of the study. The name is free for another
    draw. Copies of batches that are out come back by `team merge` as before.

    Example: medreview plan retract sepsis.medreview pairs --reason "The seed was the wrong one."
    """
    from medreview.review.draws import take_back

    with open_study(study) as opened:
        gone = take_back(opened, decider(reviewer), name, reason, labels_stay=labels_stay)
    words = f"{gone.name}: taken back by {gone.reviewer}. What is left: {command('plan', 'show', study)}"
    result(gone._asdict(), one_line(words), as_json=as_json)


def show(study: StudyFile, as_json: Json = False) -> None:
    """Show every draw, and how far each reviewer is with it.

    It says who has which batch, agreement so far, and what to do next. Agreement is hidden from a reviewer who has not
    decided all of a batch yet, or whose blind block is open.

    Example: medreview plan show sepsis.medreview
    """
    from medreview.review.draws import taken_back
    from medreview.review.looks import told_by_sums
    from medreview.review.plan_board import plan_board
    from medreview.study.package import package_of

    with open_study(study, read_only=True) as opened:
        asking = reading(opened)
        found = plan_board(opened.reader, study, asking)
        shown = [one.agreement.labels for one in found if one.agreement and one.agreement.units]
        if any(told_by_sums(labels.items(), who) for labels in shown for who in asking):
            looked(opened, "plan", "labels")
        copy, gone = package_of(opened.reader), taken_back(opened.reader)
    lines = [line for one in found for line in ("", *_board_lines(one))][1:]
    if not found:
        lines = [f"Nothing is drawn yet: {command('plan', 'draw', study, 'KIND', 'N')}"]
    for one in gone:
        lines.append(one_line(f"{one.name}: taken back by {one.reviewer} on {one.at_utc[:10]}: {one.reason}"))
    if any(one.withheld for one in found):
        opens = command("review", study, "--reviewer", "NAME")
        lines.append(f"If you are somebody else, open the study once under your own name: {opens}")
    if copy and "labels" in copy.without:
        lines.append("This is a copy without other reviewers' labels: it counts theirs as open.")
    result([asdict(one) for one in found], *lines, as_json=as_json)


def _board_lines(board: "DrawBoard") -> Iterator[str]:
    from medreview.labels import axis_words

    yield f"{board.name}: {one_line(board.words)} ({one_line(board.drawn_by)}, {board.drawn_at[:10]})"
    yield from _stratum_lines(list(board.strata))
    if board.batches:
        yield f"  {board.batches}"
    width = max((len(one_line(one.reviewer)) for one in board.reviewers), default=0)
    for one in board.reviewers:
        last = f", last {one.last[:16].replace('T', ' ')}" if one.last else ""
        deferred = f", {one.deferred} deferred" if one.deferred else ""
        share = one.decided / one.units if one.units else 1
        yield (
            f"  {one_line(one.reviewer):<{width}}  {one.decided:>5} of {one.units:<5} {share:4.0%}{deferred}"
            f"  ({one.shared} shared{last})"
        )
    agreement = board.agreement
    if board.withheld:
        yield f"  {one_line(board.withheld)}"
    elif agreement and agreement.units:
        yield (
            f"  Agreement so far ({axis_words(agreement.axis)}): all give the same label on {agreement.same:,} of "
            f"{counted(agreement.units, 'unit')} "
            f"with two labels or more ({agreement.same / agreement.units:.1%}); of each two labels on a unit, "
            f"{agreement.same_pairs / agreement.pairs:.1%} are the same"
        )
    yield from (f"  {one}" for one in board.next)
