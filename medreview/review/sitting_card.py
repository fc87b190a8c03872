"""The first screen in sentences: where was I, what is worth my next hour, how far are the other units.

A figure that would tell what the judges think is in none of them while a blind block is open: the queue is not counted
then (``queue_kinds.QueueLine.hidden``).
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Final

from medreview.review.queue_kinds import HALF_HIDDEN, HELD, QueueLine
from medreview.review.resuming import LastPlace
from medreview.review.why_flagged import OF_SEVERAL
from medreview.study import Study
from medreview.text import counted

_PROGRESS: Final = {
    "flagged": "{0} of {1} flagged statements {2} decided",
    "audit": "{0} of {1} drawn at random {2} decided",
    "unchecked": "{0} of {1} that no model has checked {2} decided",
    "responses": "{0} of {1} statements {2} decided",
}
"""How far a queue is, of those that do not shrink while one goes through them."""
_WAITING: Final = {
    "flagged": "flagged statement",
    "audit": "statement",
    "unchecked": "statement",
    "deferred": "statement",
    "stale": "statement",
    "responses": "statement",
}
_WHICH: Final = {
    "audit": " drawn at random, with the judges hidden",
    "unchecked": " that no model has checked yet",
    "deferred": " that you put off",
    "stale": " decided on a page that has changed since",
    "responses": ", answer by answer",
}
"""What waits in a queue of statements: the noun, and what is said behind it."""
_REASONS: Final = 2
"""Reasons that are named, the gravest."""
_STATEMENT: Final = re.compile(r"R0*(\d+) S(\w+)")
_DECISIONS: Final = 50
"""Newest decisions whose pace is taken for that of the next."""
_PACE_FROM: Final = 5
_LONG: Final = 90
"""Minutes from which on hours are said."""

_ACTIVE: Final = f"""SELECT avg(ms), count(*) FROM (
    SELECT json_extract(payload, '$.active_ms') AS ms FROM event
    WHERE reviewer = ? AND kind = 'decide' AND json_extract(payload, '$.active_ms') > 0
    ORDER BY event_id DESC LIMIT {_DECISIONS})"""
_GRAVEST: Final = "CASE instr(badges, ' · ') WHEN 0 THEN badges ELSE substr(badges, 1, instr(badges, ' · ') - 1) END"
_FLAGS: Final = f"""SELECT {_GRAVEST} AS badge, count(*) AS n, max(priority) AS grave
FROM verdict AS v JOIN statement_standing AS s USING (statement_id)
LEFT JOIN standing AS mine ON mine.unit = s.statement_id AND mine.reviewer = ?1 AND mine.pass = ?2
WHERE priority > 0 AND mine.state IS NULL AND statement_id NOT IN ({HELD})
GROUP BY badge ORDER BY grave DESC, badge"""


def sitting_card(
    study: Study,
    reviewer: str,
    pass_no: int,
    lines: Sequence[QueueLine],
    kinds: Sequence[QueueLine],
    place: LastPlace | None,
    *,
    decided: int,
    now: datetime | None = None,
) -> tuple[str, ...]:
    """The sentences, each a paragraph. ``lines``: every queue as it stands, ``kinds`` those of other units beside
    statements; ``decided``: how much the reviewer has decided so far."""
    here = next((line for line in lines if place and line.kind.name == place.queue.kind.name), None)
    told = to_do(lines)
    goes_on = here if here in told else next(iter(told), None)
    said = list(_where(place, here, now or datetime.now(UTC)))
    block_done = place is not None and place.queue.mode == "blind" and here is not None and not here.waiting
    if block_done and any(line.hidden for line in lines):
        said.append("Next: this block is done. Enter leads there, and r shows its judges.")
    elif goes_on is not None:
        pace = study.counted(_ACTIVE, (reviewer,))[0] if decided >= _PACE_FROM else (0, 0)
        ms = pace[0] if pace[1] >= _PACE_FROM else 0
        flags = study.counted(_FLAGS, (reviewer, pass_no)) if goes_on.kind.name == "flagged" else []
        said.append(" ".join((_next(goes_on, ms), *_reasons(flags))))
    elif any(line.size for line in lines) and not any(line.hidden for line in lines):
        said.append("Everything here is decided.")
    if kinds:
        told_of = (f"{line.kind.title} {line.size - line.open - line.deferred} of {line.size}" for line in kinds)
        said.append(f"Other units decided: {', '.join(told_of)}.")
    return tuple(said)


def to_do(lines: Iterable[QueueLine]) -> list[QueueLine]:
    """The queues in which something waits, as far as that may be told; what was decided otherwise than by the judges
    is decided."""
    return [line for line in lines if line.waiting and not line.hidden and line.kind.name != "differing"]


def ago(at_utc: str, now: datetime) -> str:
    """How long ago something was: ``just now``, ``3 hours ago``, ``yesterday``, ``12 days ago``, ``on 3 Mar 2026``."""
    then = datetime.fromisoformat(at_utc)
    minutes = max(0, int((now - then).total_seconds() // 60))
    days = (now.astimezone().date() - then.astimezone().date()).days
    if minutes < 2:
        return "just now"
    if minutes < 60:
        return f"{minutes} minutes ago"
    if not days or minutes < 8 * 60:
        return f"{counted(minutes // 60, 'hour')} ago"
    if days == 1:
        return "yesterday"
    return f"{days} days ago" if days < 31 else f"on {then.astimezone():%-d %b %Y}"


def about(units: int, active_ms: float) -> str:
    """``about 25 minutes``, ``about 3 hours``: what so many units take at a pace, rounded as a guess is."""
    minutes = max(1, round(units * active_ms / 60_000))
    if minutes > _LONG:
        return f"about {counted(round(minutes / 60), 'hour')}"
    return f"about {counted(minutes if minutes < 20 else 5 * round(minutes / 5), 'minute')}"


def spoken_place(name: str) -> str:
    """``statement 5 of answer 11`` for ``R11 S5``; other units by their name."""
    found = _STATEMENT.fullmatch(name)
    return f"statement {found[2]} of answer {found[1]}" if found else name


def _where(place: LastPlace | None, line: QueueLine | None, now: datetime) -> Iterator[str]:
    if place is None or not place.at_utc:
        return
    at = f"at {spoken_place(place.name)}" if place.name else f"in “{place.queue.kind.title}”"
    progress = _PROGRESS.get(place.queue.kind.name)
    counts = ""
    if line is not None and progress and not line.hidden:
        done = line.size - line.open - line.deferred
        counts = f"; {progress.format(done, line.size, 'is' if done == 1 else 'are')}"
    yield f"You stopped {ago(place.at_utc, now)} {at}{counts}."


def _next(line: QueueLine, active_ms: float) -> str:
    noun = _WAITING.get(line.kind.name)
    half = " on half of them" if HALF_HIDDEN in line.remark else ""
    what = f"{counted(line.waiting, noun)}{_WHICH.get(line.kind.name, '')}{half}" if noun else _others(line)
    return f"Next: {what}{f', {about(line.waiting, active_ms)}' if active_ms else ''}."


def _others(line: QueueLine) -> str:
    return f"{line.waiting} in “{line.kind.title}”"


def _reasons(flags: Iterable[Sequence[object]]) -> Iterator[str]:
    named = [(int(str(number)), OF_SEVERAL[str(badge)]) for badge, number, _ in flags if badge in OF_SEVERAL][:_REASONS]
    told = [
        f"{number:,}{' of them' if place == 0 else ''} {says[number > 1]}" for place, (number, says) in enumerate(named)
    ]
    if told:
        yield f"{', '.join(told)}."
