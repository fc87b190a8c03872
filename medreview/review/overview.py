"""What the first screen shows: the queues with their sizes, where the reviewer stopped, what to do next.

None of its sentences holds a figure that reveals the judges while a blind block is open (``QueueLine.hidden``).
"""

import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from medreview.judges.votes import judges_of_support
from medreview.review.audit import members, reserved, size_when_asked
from medreview.review.blind_block import blind_block_open
from medreview.review.conflicts import conflict_units
from medreview.review.queue import FilterLine, filter_lines
from medreview.review.queue_kinds import HALF_HIDDEN, HELD, KEPT, KINDS, ROWS, SHOWABLE, QueueKind, QueueLine
from medreview.review.repeat_annotation import due_units, in_pass, ready_units, shares
from medreview.review.resuming import DraftPlace, LastPlace, draft_places, last_place, unlisted_drafts
from medreview.review.unit_queues import CONFLICTS, SECOND, SHARE, UNIT_QUEUES, unit_rows
from medreview.review.why_flagged import OF_SEVERAL
from medreview.study import Study
from medreview.study.counts import STATES, Counts, count_statements, whose_states
from medreview.study.ids import STATEMENT, kind_of
from medreview.study.package import Package, package_of
from medreview.study.study_acts import coin_of, is_asked
from medreview.text import counted
from medreview.units.registry import KINDS as UNIT_KINDS
from medreview.units.statement_view import response_name


def queue_lines(study: Study, reviewer: str, pass_no: int, statements: int, *, blind: bool) -> tuple[QueueLine, ...]:
    """Every queue, in the order of the first screen; ``blind``: what reveals the judges is hidden."""
    counts = _counts(study, reviewer, pass_no)
    half_assisted = coin_of(study.reader) is not None
    return tuple(_line(kind, counts, statements, blind, half_assisted) for kind in KINDS)


def unit_lines(reader: sqlite3.Connection, reviewer: str, pass_no: int) -> tuple[QueueLine, ...]:
    """The queues of other units than statements, of kinds that the study uses."""
    return tuple(
        _unit_line(reader, kind, reviewer, pass_no) for kind in UNIT_QUEUES if UNIT_KINDS[kind.unit].in_use(reader)
    )


def queues_in_use(reader: sqlite3.Connection, reviewer: str) -> list[QueueKind]:
    """The reviewer's batches, every queue of statements, those of other units that the study uses, those of a second
    pass that is on."""
    units = (kind for kind in UNIT_QUEUES if UNIT_KINDS[kind.unit].in_use(reader))
    mine = (line.kind for line in batch_lines(reader, reviewer, 1))
    return [*mine, *KINDS, *units, *(line.kind for line in second_lines(reader, reviewer))]


def batch_lines(reader: sqlite3.Connection, reviewer: str, pass_no: int) -> tuple[QueueLine, ...]:
    """The queues of what was shared out to a reviewer."""
    if not reader.execute("SELECT EXISTS (SELECT 1 FROM event WHERE kind = 'assign')").fetchone()[0]:
        return ()
    from medreview.review.batches import own_batches

    return tuple(
        QueueLine(kind, sum(states.values()), states.get("open", 0), states.get("deferred", 0), 0, "shared out to you")
        for kind, states in own_batches(reader, reviewer, pass_no)
    )


def second_lines(reader: sqlite3.Connection, reviewer: str) -> tuple[QueueLine, ...]:
    """The queues of the second pass in which something is due or done."""
    every, due = in_pass(reader, reviewer), set(due_units(reader, reviewer))
    found = []
    for kind in SECOND:
        units = [unit for unit in every if kind_of(unit) == kind.unit]
        if units:
            waiting = sum(unit in due for unit in units)
            found.append(QueueLine(kind, len(units), waiting, 0, 0, "your first labels are hidden"))
    return tuple(found)


_ALONE: Final = "SELECT min(reviewer) IS max(reviewer) FROM event WHERE kind IN ('decide', 'revise')"
"""Whether at most one reviewer has given a label: then none differ. Drawing an audit is not a label."""


def two_reviewer_lines(study: Study, reviewer: str, *, blind: bool = False) -> tuple[QueueLine, ...]:
    """The queues of conflicts, and of the share that a second reviewer annotates, in which there is something.

    In a ``blind`` block a count of conflicts would tell after each label whether another reviewer gave the same.
    """
    reader = study.reader
    every = shares(reader)
    own = "SELECT unit FROM standing WHERE reviewer = ? AND pass = 1 AND state = 'decided'"
    mine = {row[0] for row in reader.execute(own, (reviewer,))} if every else set()
    found = []
    for kind in SHARE:
        units = ready_units(reader, study.meta("study_id"), kind.unit, reviewer) if kind.unit in every else []
        if units:
            waiting = sum(unit not in mine for unit in units)
            found.append(QueueLine(kind, len(units), waiting, 0, 0, "others' labels are hidden"))
    alone = study.counted(_ALONE)[0][0]
    differ = {} if alone else conflict_units(reader)
    for kind in CONFLICTS:
        if blind and kind.unit == STATEMENT:
            found += [] if alone else [QueueLine(kind, 0, 0, 0, 0, "", hidden=True)]
        elif (of_kind := differ.get(kind.unit)) is not None:
            waiting = len(of_kind.open)
            found.append(QueueLine(kind, len(of_kind.units), waiting, 0, 0, "both labels are shown; a digit settles"))
    return tuple(found)


def _unit_line(reader: sqlite3.Connection, kind: QueueKind, reviewer: str, pass_no: int) -> QueueLine:
    query = f"SELECT coalesce(mine.state, 'open'), count(*) {unit_rows(kind.unit)} GROUP BY 1"
    states = dict(reader.execute(query, (reviewer, pass_no)).fetchall())
    return QueueLine(kind, sum(states.values()), states.get("open", 0), states.get("deferred", 0), 0, "")


def lost_to_triage(reader: sqlite3.Connection, reviewer: str, pass_no: int, lines: tuple[QueueLine, ...]) -> int:
    """How many members of the audit triage would show with their judges, before they are decided blind.

    Of a small study nothing is drawn before it is asked for; the audit takes all of it then.
    """
    triage, audit = (next(line for line in lines if line.kind.name == name) for name in ("flagged", "audit"))
    if not members(reader):
        return triage.open if audit.size == count_statements(reader) else 0
    # Members first: they are few, and the study's statements may be many.
    drawn = "s.statement_id IN (SELECT statement_id FROM audit_item)"
    query = f"SELECT count(*) {ROWS} WHERE {drawn} AND {triage.kind.where} AND mine.state IS NULL"
    return int(reader.execute(f"{query} AND {SHOWABLE}", (reviewer, pass_no)).fetchone()[0])


def _counts(study: Study, reviewer: str, pass_no: int) -> Counter[tuple[str, str]]:
    """Statements by queue and by where they stand in it: ``open``, ``deferred``, ``decided`` or ``reserved``.

    In one pass over all statements: queue by queue, a large study would be read six times.
    """
    where = ", ".join(f"{kind.where} AS {kind.name}" for kind in KINDS)
    placed = f"SELECT {where}, {SHOWABLE} AS showable, {KEPT} AS kept, coalesce(mine.state, 'open') AS state {ROWS}"
    counted = " UNION ALL ".join(
        f"SELECT '{kind.name}', {_standing(kind)}, count(*) FROM placed WHERE {kind.name} GROUP BY 2" for kind in KINDS
    )
    query = f"WITH placed AS MATERIALIZED ({placed}) {counted}"
    return Counter({(row[0], row[1]): row[2] for row in study.counted(query, (reviewer, pass_no))})


def _standing(kind: QueueKind) -> str:
    if kind.mode == "blind" or kind.gathers:
        return "state"
    return f"iif(showable{' AND NOT kept' if kind.tells else ''}, state, 'reserved')"


def _line(
    kind: QueueKind, counts: Counter[tuple[str, str]], statements: int, blind: bool, half_assisted: bool
) -> QueueLine:
    there, deferred = counts[kind.name, "open"], counts[kind.name, "deferred"]
    size = there + deferred + counts[kind.name, "decided"]
    if kind.name == "audit" and not size:
        size = there = size_when_asked(statements)
        return QueueLine(kind, size, there, 0, 0, "not drawn yet")
    hidden = blind and kind.tells
    remark = ""
    match kind.name:
        case "audit":
            remark = (HALF_HIDDEN if half_assisted else "judges hidden") + ("; figures wait" if blind else "")
        case "stale" if size:
            remark = "look again"
    return QueueLine(kind, size, there, deferred, counts[kind.name, "reserved"], remark, hidden)


@dataclass(frozen=True, slots=True)
class ResponseLine:
    """A response with its progress; ``invalid``: why it is not valid, ``""`` if it is."""

    response_id: str
    name: str
    model: str
    question: str
    statements: int
    decided: int
    invalid: str


@dataclass(frozen=True, slots=True)
class Overview:
    """The study at a glance. ``invalid``: how many responses are not valid.

    ``unjudged``: statements with a source that can be read, and no judgement; ``judged_by_model``: a model or a
    recorded judge was asked, not the offline rules alone. ``place``: where the reviewer left off; ``drafts``: where a
    line was begun and not saved, the newest of them, and ``more_drafts`` there are besides. ``mine``: the
    reviewer's batches, which come first. ``queues`` are those of
    statements, none in a study that has other units and no statement; ``units`` those of other units, of the second
    pass and of two reviewers, ``saved`` the filters that the reviewer saved by name; ``package``: what the study says
    of itself, if it is a copy for a colleague. ``asks_background``: the reviewer was not asked for a background yet.
    ``card``: where the reviewer stopped and what is next, in sentences. ``figures_wait``: a blind block is open, which
    figures would reveal. ``reserved``: members of the audit that are kept from the queues in which the reviewer would
    see the judges; ``lost_to_triage``: members that are not, counted until the reviewer has decided anything.
    """

    title: str
    statements: int
    responses: int
    invalid: int
    sources: int
    unreachable: int
    paywalled: int
    not_fetched: int
    unjudged: int
    judged_by_model: bool
    counts: Counts
    mine: tuple[QueueLine, ...]
    queues: tuple[QueueLine, ...]
    units: tuple[QueueLine, ...]
    saved: tuple[FilterLine, ...]
    place: LastPlace | None
    drafts: tuple[DraftPlace, ...]
    more_drafts: int
    reserved: int
    lost_to_triage: int
    asks_background: bool
    package: Package | None
    figures_wait: bool
    card: tuple[str, ...] = ()

    @property
    def kinds(self) -> tuple[QueueLine, ...]:
        """The queues that have all units of a kind other than the statement."""
        return tuple(line for line in self.units if not line.kind.chosen)

    @property
    def has_units(self) -> bool:
        """Whether there is something else to review than statements."""
        return bool(self.kinds or self.mine)

    @property
    def tally(self) -> Counts:
        """How far the study is decided: its statements; of a study without any the units that it has instead."""
        return self.counts if self.counts.total or not self.kinds else _sum_of(self.kinds)

    @property
    def progress(self) -> Counts:
        """How far the reviewer is: with the batches, where there are any; else with the study, as :attr:`tally`."""
        return _sum_of(self.mine) if self.mine else self.tally

    @property
    def to_do(self) -> list[QueueLine]:
        """The queues in which something waits, as far as that may be told."""
        return to_do((*self.mine, *self.queues, *self.units))

    @property
    def worth_doing(self) -> QueueLine | None:
        """The first queue in which something waits."""
        return next((line for line in (*self.mine, *self.queues, *self.units) if line.waiting), None)


def _sum_of(lines: Sequence[QueueLine]) -> Counts:
    size, left, deferred = (sum(getattr(line, name) for line in lines) for name in ("size", "open", "deferred"))
    return Counts(size, size - left - deferred, deferred, left)


def overview(study: Study, reviewer: str, *, pass_no: int = 1) -> Overview:
    """Count everything once."""
    reader = study.reader
    pages = Counter(
        dict(
            study.counted(
                """SELECT coalesce(page_state, ''), count(*) FROM source LEFT JOIN snapshot_current USING (source_id)
                   GROUP BY 1"""
            )
        )
    )
    states = dict(study.counted(STATES, whose_states(reviewer, STATEMENT, pass_no)))
    counts = Counts.of(count_statements(reader), states)
    unjudged = study.counted(
        """SELECT count(*) FROM statement_standing AS s
           WHERE NOT EXISTS (
               SELECT 1 FROM verdict AS v WHERE v.statement_id = s.statement_id AND v.judgement_id IS NOT NULL
           ) AND EXISTS (
               SELECT 1 FROM judged_pair AS p JOIN snapshot_current USING (source_id)
               JOIN snapshot_content AS n USING (snapshot_id) WHERE p.statement_id = s.statement_id AND n.readable)"""
    )[0][0]
    responses, invalid = reader.execute("SELECT count(*), count(nullif(invalid, '')) FROM response").fetchone()
    blind = blind_block_open(reader, reviewer)
    lines = queue_lines(study, reviewer, pass_no, counts.total, blind=blind)
    of_kinds = unit_lines(reader, reviewer, pass_no)
    mine = batch_lines(reader, reviewer, pass_no)
    queues = lines if counts.total or not (of_kinds or mine) else ()
    units = (*of_kinds, *second_lines(reader, reviewer), *two_reviewer_lines(study, reviewer, blind=blind))
    place = last_place(study, reviewer)
    decided = counts.decided + sum(line.size - line.open - line.deferred for line in of_kinds)
    beside = of_kinds if counts.total else ()
    return Overview(
        title=study.meta("title"),
        statements=counts.total,
        responses=responses,
        invalid=invalid,
        sources=pages.total(),
        unreachable=pages["http_error"] + pages["timeout"] + pages["blocked"] + pages["soft_404"],
        paywalled=pages["paywall"],
        not_fetched=pages[""],
        unjudged=unjudged,
        counts=counts,
        judged_by_model=any(not judge.offline for judge in judges_of_support(reader)),
        mine=mine,
        queues=queues,
        saved=filter_lines(study, reviewer, blind=blind),
        units=units,
        package=package_of(reader),
        figures_wait=blind,
        place=place,
        card=sitting_card(study, reviewer, pass_no, (*mine, *queues, *units), beside, place, decided=decided),
        drafts=draft_places(study, reviewer),
        more_drafts=unlisted_drafts(study, reviewer),
        reserved=len(reserved(reader, reviewer)),
        lost_to_triage=0 if counts.decided else lost_to_triage(reader, reviewer, pass_no, lines),
        asks_background=study.writable and bool(counts.total) and not is_asked(reader, reviewer),
    )


def response_lines(study: Study, reviewer: str, limit: int, *, pass_no: int = 1) -> list[ResponseLine]:
    """The first responses with their progress."""
    rows = study.reader.execute(
        "SELECT response_id, ordinal, model, question, invalid FROM response ORDER BY ordinal LIMIT ?", (limit,)
    )
    counted = study.counted(
        """SELECT r.response_id, count(s.statement_id), count(CASE WHEN mine.state = 'decided' THEN 1 END)
           FROM (SELECT response_id FROM response ORDER BY ordinal LIMIT ?) AS r
           LEFT JOIN statement_standing AS s USING (response_id)
           LEFT JOIN standing AS mine ON mine.unit = s.statement_id AND mine.reviewer = ? AND mine.pass = ?
           GROUP BY r.response_id""",
        (limit, reviewer, pass_no),
    )
    counts = {response_id: (statements, decided) for response_id, statements, decided in counted}
    return [
        ResponseLine(
            response_id=row["response_id"],
            name=response_name(row["ordinal"]),
            model=row["model"],
            question=row["question"],
            statements=counts[row["response_id"]][0],
            decided=counts[row["response_id"]][1],
            invalid=row["invalid"],
        )
        for row in rows
    ]


_PROGRESS: Final = {
    "flagged": "{0} of {1} flagged statements {2} decided",
    "audit": "{0} of {1} drawn at random {2} decided",
    "unchecked": "{0} of {1} that no model has checked {2} decided",
    "responses": "{0} of {1} statements {2} decided",
    "mine": "{0} of {1} of your batch {2} decided",
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
    waiting = to_do(lines)
    goes_on = here if here in waiting else next(iter(waiting), None)
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
    progress = _PROGRESS.get(place.queue.kind.chosen or place.queue.kind.name)
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
    words = [
        f"{number:,}{' of them' if place == 0 else ''} {says[number > 1]}" for place, (number, says) in enumerate(named)
    ]
    if words:
        yield f"{', '.join(words)}."
