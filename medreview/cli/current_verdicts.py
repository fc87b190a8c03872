"""What commands do that show the judges' verdicts: see that these are right, or say that they are not."""

from typing import TYPE_CHECKING

from medreview.cli.output import progress, say
from medreview.next_step import command

if TYPE_CHECKING:
    from medreview.study import Study


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
            f"`{command('judge', study.path)}` makes them anew."
        )
        return
    from medreview import pipeline

    with progress() as bar:
        pipeline.roll_up(study, bar)
