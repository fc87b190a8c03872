"""What a sitting tells at the end of a block and of itself: its gold items are told with it, once and for all."""

from collections.abc import Collection
from functools import partial
from typing import Final

from medreview.review.block_summary import BlockSummary, block_summary
from medreview.review.deciding import Deciding
from medreview.review.gold import tell, untold_units
from medreview.review.summary_lines import summary_lines
from medreview.units.registry import unit_name, words_on

LEAST: Final = 20
"""Units decided or put off in a sitting from which on it is summed up when it ends."""


def block_report(session: Deciding, *, shown: bool) -> list[str]:
    """The block around the unit on the screen, nothing of which waits; ``shown``: its judges are shown now.

    Raises :class:`UserError` when it cannot be recorded that gold items were told.
    """
    block = session.block
    units = session.queue.units[block.first : block.last + 1] if block else ()
    return _told(session, units, shown=shown)


def sitting_report(session: Deciding) -> list[str]:
    """What is to be told when the reviewer leaves; nothing after a short sitting without gold items.

    Gold items of blocks that are not done stay hidden. Raises :class:`UserError` as above.
    """
    untold = untold_units(session.study.reader, session.reviewer, session.pass_no)
    if not untold and len(session.acted) < LEAST:
        return []
    return _told(session, {*session.acted, *untold}, shown=False, gold=untold)


def _told(session: Deciding, units: Collection[str], *, shown: bool, gold: Collection[str] | None = None) -> list[str]:
    tell(session.study, session.reviewer, units if gold is None else gold, session.pass_no)
    summary: BlockSummary = block_summary(
        session.study.reader,
        session.reviewer,
        units,
        gold=gold,
        pass_no=session.pass_no,
        agrees=session.agrees_on if shown else None,
    )
    reader = session.study.reader
    return summary_lines(summary, partial(unit_name, reader), partial(words_on, reader))
