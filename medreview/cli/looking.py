"""What commands do that show what the judges say: note it in the study, for labels that are given afterwards."""

from typing import TYPE_CHECKING

from medreview.cli.output import counted, say
from medreview.errors import UserError
from medreview.next_step import command

if TYPE_CHECKING:
    from medreview.review.looks import Shown
    from medreview.study import Study


def reading(study: "Study") -> tuple[str, ...]:
    """Who reads what this command prints, as far as it is known: :func:`medreview.review.looks.readers`."""
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
    from medreview.study.held_back import undecided_audit

    for reviewer in reading(study):
        if shown == "verdicts" and is_new(study.reader, reviewer, shown):
            left = undecided_audit(study.reader, reviewer)
            if left:
                say(
                    f"This shows what the judges say: {counted(left, 'statement')} of the audit that {reviewer} has "
                    "not decided yet will count as assisted. `export --blind` leaves that out."
                )
        if sentence := note_look(study, reviewer, what, shown):
            say(sentence)
