"""What commands on figures share: requirements, and access to verdicts.

Commands that show the judges' verdicts bring these up to date first, and note in the study who saw them.

A label that is given after such a look counts as assisted.
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from medreview.cli.output import counted, one_line, progress, say
from medreview.errors import UserError
from medreview.next_step import command

if TYPE_CHECKING:
    from medreview.review.looks import Shown
    from medreview.stats.requirements import Outcome
    from medreview.study import Study


def reading(study: "Study") -> tuple[str, ...]:
    """The readers of what this command prints, as far as known: :func:`medreview.review.looks.readers`."""
    from medreview.config import load_config
    from medreview.review.looks import readers

    config = load_config()
    return readers(study, config.reviewer, is_set="reviewer" in config.origins)


def one_reading(study: "Study") -> str:
    """The only one of :func:`reading`; raises :class:`UserError` where it may be several."""
    *others, reviewer = reading(study)
    if others:
        names = f"{', '.join(others)} or {reviewer}"
        raise UserError(
            f"The labels to keep blind may be those of {names}. Say who you are: open the study once with "
            f"`{command('review', study.path, '--reviewer', 'NAME')}`, or set reviewer in the settings."
        )
    return reviewer


def looked(study: "Study", what: str, shown: "Shown") -> None:
    """Note a look of whoever reads it; say first what it costs an audit that is not done."""
    from medreview.review.looks import is_new, note_look
    from medreview.study.audit_frame import undecided_audit

    unrecorded = set()
    for reviewer in reading(study):
        if shown == "verdicts" and is_new(study.reader, reviewer, shown):
            left = undecided_audit(study.reader, reviewer)
            if left:
                say(
                    f"This shows what the judges say: {counted(left, 'statement')} of the audit that {reviewer} has "
                    "not decided yet will count as assisted. `export --blind` leaves that out."
                )
        if sentence := note_look(study, reviewer, what, shown):
            unrecorded.add(sentence)
    say(*unrecorded)


@contextmanager
def without_reviewers(
    study: "Study", leave_out: Sequence[str] | None, passed: str, reviewer: str | None = None
) -> Iterator[None]:
    """While it lasts, ``--leave-out`` and ``--passed`` hold for what is read. Looks are noted outside it.

    Raises :class:`UserError` where the one ``reviewer`` of the figures is left out.
    """
    if not leave_out and not passed:
        yield
        return
    from medreview.units.left_out_reviewers import left_out, pass_rule

    rule = pass_rule(passed) if passed else None
    say(*(one_line(sentence) for sentence in rule.waiting(study.reader)) if rule else ())
    with left_out(study.reader, leave_out or (), rule) as found:
        for one in found:
            if one.reviewer == reviewer:
                raise UserError(f"{one.sentence} Leave out --reviewer {reviewer}, or name another reviewer.")
        yield


def current_verdicts(study: "Study") -> None:
    """Roll up what an earlier version, or work that was killed, left behind; a study open for reading is only named."""
    from medreview.judges.verdict_fingerprint import current_rules, is_current
    from medreview.statements.left_out import is_listed

    def ask() -> list[list[bool]]:
        return [[is_current(study.reader), is_listed(study.reader)]]

    ((current, listed),) = study.found(f"verdicts by {current_rules()} are current", ask)
    if current and (listed or not study.writable):
        return
    if not study.writable:
        say(
            "The judges' verdicts in this study were made by an earlier version, or before its last change; "
            f"`{command('judge', study.path)}` makes them again."
        )
        return
    from medreview import pipeline

    with progress() as bar:
        pipeline.roll_up(study, bar)


def tell_all_gold(study: "Study", kind: str, what: str = "stats --gold") -> dict[str, Any]:
    """Record that all right labels are shown by a command: ``to`` whom, and how many ``undecided`` ones are new.

    Raises :class:`UserError` in a copy for a colleague.
    """
    from medreview.stats.units.kind_labels import scales_of, told_gold
    from medreview.study.package import package_of

    copy = package_of(study.reader)
    if copy is not None and copy.made_for:
        raise UserError(f"This is the copy for {copy.made_for}: the owner of the study scores models by --gold.")
    looked(study, what, "gold")
    silent = sum(told_gold(study.reader, axis, kind).silent for axis in scales_of(kind).axes)
    return {"to": ", ".join(reading(study)), "undecided": silent}


def tell_outcomes(outcomes: "Sequence[Outcome]", *, beside: bool) -> None:
    """A line for each; ``beside``: standard output is for a program, and they go to the error output.

    Raises ``typer.Exit`` of 1 where one does not hold.
    """
    import typer  # here: who opens a study for review waits for none of it

    from medreview.cli.reports.layout import Check
    from medreview.cli.reports.terminal import show

    if not outcomes:
        return
    lines = [Check(f"{'met' if one.met else 'not met'}: {one_line(one.sentence)}", one.met) for one in outcomes]
    if beside:
        for line in lines:
            say(line.sentence)
    else:
        show(lines)
    sys.stdout.flush()
    if not all(one.met for one in outcomes):
        raise typer.Exit(1)  # a mistake of the user is 2
