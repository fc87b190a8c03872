"""The page of figures: agreement of reviewer and judges, updated with every act; cautions with it; and the pace."""

import json
import sqlite3
from collections import Counter
from collections.abc import Collection, Container, Iterator, Mapping
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from medreview.judges.votes import VotingJudge, judges_of_support
from medreview.labels import FLAG_AXES
from medreview.stats.clusters import study_clusters
from medreview.stats.formulas.clustered_pairs import ClusteredPairs
from medreview.stats.formulas.estimate import FEW_CLUSTERS, FEW_ITEMS, RARE, Estimate
from medreview.stats.reports.reviewer_labels import (
    COARSE,
    GROUPS,
    NO_JUDGEMENT,
    NOT_DRAWN,
    OFFLINE_IS_TRIAGE,
    REVIEWER_UNSURE,
    SCALES,
    Group,
    JuryVerdict,
    ReviewerLabel,
    Scale,
    judges_label,
    reviewer_label,
    reviewer_labels,
    reviewers_label,
    waiting_members,
    waits_in_audit,
)
from medreview.stats.reports.study_reader import words_by_judge
from medreview.stats.units.kind_labels import OF_MODE, GivenLabel, KindLabels, kind_labels, scales_of
from medreview.study.counts import OF_KIND, Counts, count_statements, load_states, prefix_of
from medreview.study.statement_edits import EDITS
from medreview.text import counted, in_words
from medreview.units.kind import Asks
from medreview.units.registry import count_units
from medreview.units.statement import STATEMENT_ASKS
from medreview.visible import visible

if TYPE_CHECKING:
    from medreview.review.queue import Queue


def cautions_on(
    pairs: ClusteredPairs, scale: Scale, offline: int, *, alone: bool, drawn: bool | None
) -> tuple[str, ...]:
    """The sentences on pairs of labels, the gravest first; none where there are none.

    ``offline``: on how many of them only the offline judge spoke; ``alone``: they stand beside it, not beside all.
    ``drawn``: whether chance chose the statements; ``None`` where nothing is drawn.
    """
    return tuple(_cautions(pairs, scale, offline, alone, drawn)) if pairs.n else ()


def _cautions(pairs: ClusteredPairs, scale: Scale, offline: int, alone: bool, drawn: bool | None) -> Iterator[str]:
    n, table = pairs.n, pairs.table
    if offline and alone:
        yield f"The offline judge goes by words: {OFFLINE_IS_TRIAGE}."
    elif offline:
        of = "every statement" if offline == n else f"{offline:,} of {counted(n, 'statement')}"
        yield f"On {of} only the offline judge spoke: {OFFLINE_IS_TRIAGE}."
    if n >= FEW_ITEMS:
        used = [sum(row) + sum(other[place] for other in table) - row[place] for place, row in enumerate(table)]
        rare = [
            f"{count} {in_words(label)}" for label, count in zip(scale.labels, used, strict=True) if 0 < count < RARE
        ]
        if rare:
            yield f"Too few of one label for kappa: {', '.join(rare)}."
        if 1 < pairs.clusters < FEW_CLUSTERS:
            some = f"{pairs.cluster}s"
            yield f"Only {pairs.clusters} {some}: the intervals over {some} can be too narrow."
    if drawn is False:
        yield NOT_DRAWN


_VERDICTS: Final = """
SELECT v.statement_id, v.verdict, v.supported, v.votes_for, v.votes_other, v.tied, r.kind
FROM verdict AS v JOIN judgement AS j ON j.judgement_id = v.judgement_id
JOIN judge_run AS r ON r.judge_run_id = j.judge_run_id
WHERE v.statement_id IN (SELECT value FROM json_each(?))"""
_MADE_FROM: Final = "SELECT value FROM study WHERE key = 'verdicts_made_from'"
NEWEST_EVENT: Final = "SELECT coalesce(max(seq), 0) FROM event"
_SINCE: Final = """
SELECT e.unit, e.reviewer = ? AS mine, coalesce(o.kind, u.kind, e.kind) AS act,
       json_extract(e.payload, '$.shown') IS 'verdicts' AS verdicts
FROM event AS e NOT INDEXED LEFT JOIN event AS u ON u.event_id = e.undoes_event
LEFT JOIN event AS o ON o.event_id = u.undoes_event WHERE e.seq > ?"""
_OF_ALL: Final = frozenset({*EDITS, "audit_rate"})
"""Acts that can change how labels on other statements count."""


class ShownFigures(Protocol):
    """What the page of figures shows: groups of labels on scales, beside judges."""

    @property
    def groups(self) -> tuple[Group, ...]:
        """Groups with a label."""

    @property
    def scales(self) -> tuple[Scale, ...]:
        """On which labels both are compared."""

    @property
    def columns(self) -> tuple[VotingJudge | None, ...]:
        """Beside whom; ``None`` is all judges together."""

    def scale_of(self, group: Group) -> Scale:
        """The scale to begin with."""

    def view(self, group: Group, scale: Scale, judge: VotingJudge | None = None) -> "GroupView":
        """The figures of one group."""

    def in_cell(self, group: Group, scale: Scale, judge: VotingJudge | None, mine: str, theirs: str) -> list[str]:
        """The units that are counted in one cell of the table."""

    @property
    def labelled(self) -> Container[str]:
        """The units that the reviewer has labelled."""

    def met(
        self, units: Collection[str], group: Group, scale: Scale, judge: VotingJudge | None = None
    ) -> tuple[int, int]:
        """On how many of some units both have a label here, and on how many of these the same."""


class GroupView(NamedTuple):
    """One group of labels beside the judges together, or one ``judge``, as it stands.

    ``labels`` of the reviewer are in it, of which ``left_out`` says why some are in no figure, the commonest first.
    ``table`` counts what both said on the ``scale``, rows the reviewer's. ``cautions``: sentences to be read with it.
    """

    group: Group
    scale: Scale
    judge: VotingJudge | None
    labels: int
    table: tuple[tuple[int, ...], ...]
    left_out: tuple[tuple[str, int], ...]
    agreement: Estimate
    kappa: Estimate
    ac1: Estimate
    cautions: tuple[str, ...]


@dataclass(slots=True)
class _Tally:
    """Counts of one group on one scale beside one judge or all."""

    scale: Scale
    cluster: str
    pairs: ClusteredPairs = field(init=False)
    dropped: Counter[str] = field(default_factory=Counter)
    offline: int = 0

    def __post_init__(self) -> None:
        self.pairs = ClusteredPairs(self.scale.labels, self.cluster)

    def count(self, label: ReviewerLabel, word: JuryVerdict | None, by: int) -> None:
        cell = _cell(label, word, self.scale)
        if isinstance(cell, str):
            self.dropped[cell] += by
            return
        self.pairs.add(label.cluster, *cell, by=by)
        self.offline += by * bool(word and word.offline)

    def compared(self) -> "_Tally":
        """The same without what is not compared: nothing beside words of supported or not only, as in
        ``Pairing.leave_two_way_words``."""
        if not self.dropped[COARSE]:
            return self
        return _Tally(self.scale, self.cluster, self.dropped + Counter({COARSE: self.pairs.n}))


def _cell(label: ReviewerLabel, word: JuryVerdict | None, scale: Scale) -> tuple[str, str] | str:
    """What both say on a scale, or why one of them has no place there."""
    mine, theirs = reviewers_label(label.label, scale, stale=label.stale), judges_label(word, scale)
    if mine.label is None or theirs.label is None:
        return mine.missing or theirs.missing
    return mine.label, theirs.label


def _commonest(left_out: tuple[str, int]) -> tuple[int, str]:
    return -left_out[1], left_out[0]


class LiveFigures:
    """A reviewer's labels of one pass on statements, and what the judges say of each.

    Building it reads every label; :meth:`take_in` only what was done since. One thread at a time may use it, and its
    connection is the one it was given last (:meth:`read_from`). ``audited``: the labels of the audit's members alone,
    to be looked at once.
    """

    def __init__(self, reader: sqlite3.Connection, reviewer: str, pass_no: int = 1, *, audited: bool = False) -> None:
        self._who = (reviewer, pass_no)
        self._audited = audited
        self._each_judge = False
        self.read_from(reader)

    def read_from(self, reader: sqlite3.Connection) -> None:
        """Read all of it again, from this connection."""
        self._reader = reader
        (self._seq,) = reader.execute(NEWEST_EVENT).fetchone()
        self._made_from = reader.execute(_MADE_FROM).fetchone()
        self.judges = tuple(judges_of_support(reader))
        self._labels: dict[str, ReviewerLabel] = {}
        self._together: dict[str, JuryVerdict] = {}
        self._by_judge: dict[str, dict[VotingJudge, JuryVerdict]] = {}
        self._tallies: dict[tuple[Group, VotingJudge | None], tuple[_Tally, ...]] = {}
        self._sizes: Counter[Group] = Counter()
        self._waiting = waiting_members(reader, *self._who)
        self._clusters = study_clusters(reader)
        labels = reviewer_labels(reader, *self._who, audited=self._audited, clusters=self._clusters)
        self._read_words(labels)
        for label in labels.values():
            self._put(label)

    def go_on_with(self, reader: sqlite3.Connection) -> None:
        """Use another connection to the same file from now on, of another thread."""
        self._reader = reader

    def take_in(self) -> None:
        """Take in what was written since: by this reviewer's acts, another process or a merge."""
        reader = self._reader
        rows = reader.execute(_SINCE, (self._who[0], self._seq)).fetchall()
        other_verdicts = reader.execute(_MADE_FROM).fetchone() != self._made_from
        if other_verdicts or any(row["act"] in _OF_ALL or (row["mine"] and row["verdicts"]) for row in rows):
            self.read_from(reader)
            return
        if rows:
            (self._seq,) = reader.execute(NEWEST_EVENT).fetchone()
        for unit in dict.fromkeys(row["unit"] for row in rows if row["mine"]):
            self._update(unit)

    @property
    def counts_each_judge(self) -> bool:
        """Whether the figures beside each single judge are counted, so that asking for one takes no time."""
        return self._each_judge

    def count_each_judge(self) -> None:
        """Count beside each single judge, too: as long again as building it. Once is enough."""
        if self._each_judge:
            return
        self._each_judge = True
        self._by_judge = words_by_judge(self._reader, self._labels.keys())
        for label in self._labels.values():
            self._count(label, 1, self.judges)

    scales = SCALES

    @property
    def columns(self) -> tuple[VotingJudge | None, ...]:
        """Beside whom there are figures: the judges together, then each."""
        return (None, *self.judges)

    @property
    def labels(self) -> Mapping[str, ReviewerLabel]:
        """The labels that are counted, by statement."""
        return self._labels

    @property
    def groups(self) -> tuple[Group, ...]:
        """Those with a label, in the order of the reports."""
        return tuple(group for group in GROUPS if self._sizes[group])

    def view(self, group: Group, scale: Scale, judge: VotingJudge | None = None) -> GroupView:
        """The figures of one group on one scale; without a ``judge``, beside all of them together."""
        tally = self._tally(group, judge)[SCALES.index(scale)].compared()
        pairs = tally.pairs
        left_out = tuple(sorted(((reason, count) for reason, count in tally.dropped.items() if count), key=_commonest))
        offline = pairs.n if judge is not None and judge.offline else tally.offline if judge is None else 0
        cautions = cautions_on(pairs, scale, offline, alone=judge is not None, drawn=group.drawn)
        return GroupView(
            group, scale, judge, self._sizes[group], pairs.table, left_out, pairs.percent_agreement(),
            pairs.cohen_kappa(), pairs.gwet_ac1(), cautions,
        )  # fmt: skip

    def scale_of(self, group: Group) -> Scale:
        """The scale to begin with: the finest on which anything meets; a judge may give only supported or not."""
        tallies = self._tally(group, None)
        return next((tally.scale for tally in tallies if tally.compared().pairs.n), SCALES[0])

    def in_cell(self, group: Group, scale: Scale, judge: VotingJudge | None, mine: str, theirs: str) -> list[str]:
        """The statements that are counted in one cell of the table."""
        self._tally(group, judge)
        return [
            unit
            for unit, label in self._labels.items()
            if label.group == group and _cell(label, self._word(unit, judge), scale) == (mine, theirs)
        ]

    @property
    def labelled(self) -> Container[str]:
        """The statements that have a label."""
        return self._labels

    def met(
        self, units: Collection[str], group: Group, scale: Scale, judge: VotingJudge | None = None
    ) -> tuple[int, int]:
        """On how many of some statements both have a label here, and on how many of these the same."""
        self._tally(group, judge)
        mine = (self._labels[unit] for unit in units if unit in self._labels)
        cells = [_cell(one, self._word(one.unit, judge), scale) for one in mine if one.group == group]
        both = [cell for cell in cells if not isinstance(cell, str)]
        return len(both), sum(ours == theirs for ours, theirs in both)

    # Within

    def _tally(self, group: Group, judge: VotingJudge | None) -> tuple[_Tally, ...]:
        """The counts of a group beside a judge; those of the single judges are made when they are first asked for."""
        if judge is not None:
            self.count_each_judge()
        return self._tallies_of(group, judge)

    def _tallies_of(self, group: Group, judge: VotingJudge | None) -> tuple[_Tally, ...]:
        found = self._tallies.get((group, judge))
        if found is None:
            found = self._tallies[group, judge] = tuple(_Tally(scale, self._clusters.name) for scale in SCALES)
        return found

    def _update(self, unit: str) -> None:
        waited = bool(self._waiting)
        if waits_in_audit(self._reader, unit, *self._who):
            self._waiting.add(unit)
        else:
            self._waiting.discard(unit)
        waits = bool(self._waiting)
        if waits != waited:
            for label in [label for label in self._labels.values() if label.filtered]:
                self._take(label.unit)
                self._put(label.grouped(waits=waits))
        self._take(unit)
        now = reviewer_label(self._reader, unit, *self._who, waits=waits, clusters=self._clusters)
        if now is not None:
            self._read_words([unit])
            self._put(now)

    def _read_words(self, units: Collection[str]) -> None:
        rows = self._reader.execute(_VERDICTS, (json.dumps(list(units)),))
        self._together.update(
            (
                row["statement_id"],
                JuryVerdict(
                    row["verdict"],
                    None if row["supported"] is None else bool(row["supported"]),
                    row["votes_for"],
                    row["votes_other"],
                    bool(row["tied"]),
                    row["kind"] == "offline",
                ),
            )
            for row in rows
        )
        if self._each_judge:
            self._by_judge.update(words_by_judge(self._reader, units))

    def _word(self, unit: str, judge: VotingJudge | None) -> JuryVerdict | None:
        return self._together.get(unit) if judge is None else self._by_judge.get(unit, {}).get(judge)

    def _put(self, label: ReviewerLabel) -> None:
        self._labels[label.unit] = label
        self._sizes[label.group] += 1
        self._count(label, 1, self._counted)

    def _take(self, unit: str) -> None:
        label = self._labels.pop(unit, None)
        if label is not None:
            self._sizes[label.group] -= 1
            self._count(label, -1, self._counted)

    @property
    def _counted(self) -> Iterator[VotingJudge | None]:
        yield None
        yield from self.judges if self._each_judge else ()

    def _count(
        self, label: ReviewerLabel, by: int, judges: Collection[VotingJudge | None] | Iterator[VotingJudge | None]
    ) -> None:
        for judge in judges:
            for tally in self._tallies_of(label.group, judge):
                tally.count(label, self._word(label.unit, judge), by)


LAST: Final = 100
"""The newest decisions, used for the pace."""
_LEAST: Final = 5

_NEWEST_TIMES: Final = f"""
SELECT json_extract(payload, '$.active_ms') FROM event
WHERE reviewer = ? AND pass = 1 AND kind = 'decide' AND axis = ? AND {OF_KIND}
      AND json_extract(payload, '$.active_ms') > 0
ORDER BY seq DESC LIMIT ?"""


def pace_lines(reader: sqlite3.Connection, reviewer: str, asks: Asks = STATEMENT_ASKS) -> list[str]:
    """How many units of a kind are decided, deferred and open; then the time per decision, and for the open ones at
    that pace. The second line needs five decisions with a time."""
    whole = count_statements(reader) if asks is STATEMENT_ASKS else count_units(reader, asks.name)
    counts = Counts.of(whole, load_states(reader, reviewer, asks.name))
    total = counted(counts.total, asks.noun)
    lines = [f"{counts.decided:,} of {total} decided, {counts.deferred:,} deferred, {counts.open:,} open"]
    values = (reviewer, asks.axis, prefix_of(asks.name), LAST)
    times = [row[0] for row in reader.execute(_NEWEST_TIMES, values)]
    if len(times) < _LEAST:
        return lines
    each = median(times) / 1000
    pace = f"The last {counted(len(times), 'decision')} took {each:.0f} seconds each (median)"
    left = counts.open * each / 60
    if not counts.open:
        return [*lines, f"{pace}."]
    rest = f"{left / 60:.0f} hours" if left >= 90 else counted(max(1, round(left)), "minute")
    return [*lines, f"{pace}; the {counts.open:,} open ones would take {rest} at that pace."]


GOLD: Final = VotingJudge("the right label")
_NO_PLACE: Final = "no label on this scale"


class LiveUnitAgreement:
    """A reviewer's labels on units of a kind, beside each machine, and beside the right labels."""

    def __init__(self, reader: sqlite3.Connection, kind: str, reviewer: str) -> None:
        self._reader = reader
        self._kind = kind
        self._reviewer = reviewer
        self._seq = -1
        axes = scales_of(kind).axes.items()
        scales = [scale for axis, of_axis in axes if axis not in FLAG_AXES for scale in of_axis]  # no machine flags
        self.scales = tuple(scales)
        self.take_in()

    def take_in(self) -> None:
        """Read what was written since, if anything was."""
        (newest,) = self._reader.execute(NEWEST_EVENT).fetchone()
        if newest == self._seq:
            return
        self._seq = newest
        self._labels: KindLabels = kind_labels(self._reader, self._kind, [self._reviewer])
        self._units = {one.item: one.unit for one in self._labels.given}
        self._on = {scale.name: self._labels.on(scale) for scale in self.scales}

    @property
    def groups(self) -> tuple[Group, ...]:
        """Blind and assisted labels, as far as there are any that a scale has a place for."""
        modes = {one.mode for one in self._labels.given} if self.scales and self.columns else set()
        return tuple(Group(mode) for mode in OF_MODE if mode in modes)

    @property
    def columns(self) -> tuple[VotingJudge | None, ...]:
        """Each machine, and the right labels where some may be shown."""
        known = any(gold.labels for gold in self._labels.gold.values())
        return (*map(VotingJudge, self._labels.said), *([GOLD] if known else []))

    def scale_of(self, group: Group) -> Scale:
        """The first scale on which anything meets."""
        met = (scale for scale in self.scales for judge in self.columns if self._pairs(group, scale, judge)[0].n)
        return next(met, self.scales[0])

    def view(self, group: Group, scale: Scale, judge: VotingJudge | None = None) -> GroupView:
        """One group beside a machine or the right labels."""
        pairs, dropped, _ = self._pairs(group, scale, judge)
        left_out = tuple(sorted(dropped.items(), key=lambda one: (-one[1], one[0])))
        return GroupView(
            group, scale, judge, pairs.n + dropped.total(), pairs.table, left_out, pairs.percent_agreement(),
            pairs.cohen_kappa(), pairs.gwet_ac1(), (),
        )  # fmt: skip

    def in_cell(self, group: Group, scale: Scale, judge: VotingJudge | None, mine: str, theirs: str) -> list[str]:
        """The units that are counted in one cell of the table."""
        return self._pairs(group, scale, judge)[2].get((mine, theirs), [])

    @property
    def labelled(self) -> Container[str]:
        """The units that have a label."""
        return {one.unit for one in self._labels.given}

    def met(
        self, units: Collection[str], group: Group, scale: Scale, judge: VotingJudge | None = None
    ) -> tuple[int, int]:
        """On how many items of some units both have a label here, and on how many of these the same."""
        cells = self._pairs(group, scale, judge)[2]
        counts = {cell: sum(unit in units for unit in found) for cell, found in cells.items()}
        return sum(counts.values()), sum(count for (mine, theirs), count in counts.items() if mine == theirs)

    def _pairs(
        self, group: Group, scale: Scale, judge: VotingJudge | None
    ) -> tuple[ClusteredPairs, Counter[str], dict[tuple[str, str], list[str]]]:
        """What meets, why the rest is left out, and the units of each cell."""
        table, rater = self._on[scale.name], (self._reviewer, OF_MODE[group.mode])
        if judge == GOLD:
            mine, theirs = table.when_told.get(rater, {}), table.gold
        else:
            mine, theirs = table.people.get(rater, {}), table.machines.get(judge.name, {}) if judge else {}
        pairs, dropped = ClusteredPairs(scale.labels, table.cluster), Counter[str]()
        cells: dict[tuple[str, str], list[str]] = {}
        for one in self._given(group, scale):
            if one.item not in mine or one.item not in theirs:
                dropped[_missing(one, mine, judge)] += 1
                continue
            pair = mine[one.item], theirs[one.item]
            pairs.add(table.clusters[one.item], *pair)
            cells.setdefault(pair, []).append(self._units[one.item])
        return pairs, dropped, cells

    def _given(self, group: Group, scale: Scale) -> list[GivenLabel]:
        """The labels of a group on the axes of a scale, one of each item."""
        found = {one.item: one for one in self._labels.given if one.mode == group.mode and one.axis in scale.folds}
        return list(found.values())


def _missing(one: GivenLabel, mine: Mapping[str, str], judge: VotingJudge | None) -> str:
    if one.item in mine:
        return "no right label is shown" if judge == GOLD else NO_JUDGEMENT
    return REVIEWER_UNSURE if one.label == "cannot_judge" else _NO_PLACE


_DECIDED_SINCE: Final = f"""
SELECT DISTINCT unit FROM event NOT INDEXED
WHERE seq > ? AND reviewer = ? AND pass = 1 AND kind = 'decide' AND {OF_KIND}"""


class Moved(NamedTuple):
    """What a reviewer is at: the open ``queue``, the ``noun`` of its units, and what was decided ``since`` figures were
    looked at last in this sitting."""

    queue: "Queue | None"
    noun: str
    since: frozenset[str]


def since_look(reader: sqlite3.Connection, reviewer: str, kind: str, seq: int) -> frozenset[str]:
    """Units of a kind that the reviewer decided on after an event."""
    return frozenset(row[0] for row in reader.execute(_DECIDED_SINCE, (seq, reviewer, prefix_of(kind))))


def queue_sentence(moved: Moved, figures: ShownFigures) -> str:
    """``You have decided 12 of 31 statements in “triage: flagged”.``; ``""`` where no queue is open that has a name."""
    queue = moved.queue
    if queue is None or not queue.units or queue.among is not None:
        return ""
    labelled = figures.labelled
    done = sum(unit in labelled for unit in queue.units)
    return f"You have decided {done:,} of {counted(len(queue.units), moved.noun)} in “{visible(queue.kind.title)}”."


def since_sentence(moved: Moved, figures: ShownFigures, view: GroupView, who: str) -> str:
    """What the units decided since the last look did to the figures that are shown; ``""`` without any."""
    if not moved.since:
        return ""
    both, same = figures.met(moved.since, view.group, view.scale, view.judge)
    agreed = f"on {same:,} of {both:,} that count here {who} agreed with you" if both else "none of it counts here"
    return f"Since the last look: {len(moved.since):,} decided; {agreed}."
