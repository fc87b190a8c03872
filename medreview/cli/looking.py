"""What commands do that show what the judges say: note it in the study, for labels that are given afterwards."""

from typing import TYPE_CHECKING

from medreview.cli.output import counted, say

if TYPE_CHECKING:
    from medreview.review.looks import Shown
    from medreview.study import Study


def looked(study: "Study", what: str, shown: "Shown") -> None:
    """Note a look of the reviewer of the settings; say first what it costs an audit that is not done."""
    from medreview.config import load_config
    from medreview.review.looks import is_new, note_look
    from medreview.study.held_back import undecided_audit

    reviewer = load_config().reviewer
    if shown == "verdicts" and is_new(study.reader, reviewer, shown):
        left = undecided_audit(study.reader, reviewer)
        if left:
            say(
                f"This shows what the judges say: {counted(left, 'statement')} of the audit that {reviewer} has not "
                "decided yet will count as assisted. `export --blind` leaves that out."
            )
    if sentence := note_look(study, reviewer, what, shown):
        say(sentence)
