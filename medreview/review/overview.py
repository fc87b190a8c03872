"""What the home screen answers: where was I, and what is worth my next hour."""

from collections import Counter
from dataclasses import dataclass

from medreview.judges.votes import judges_of_support
from medreview.review.audit import reserved
from medreview.review.blind_block import blind_block_open
from medreview.review.draft_places import DraftPlace, draft_places, unlisted_drafts
from medreview.review.last_place import LastPlace, last_place
from medreview.review.queue_lines import (
    QueueLine,
    lost_to_triage,
    queue_lines,
    second_lines,
    two_reviewer_lines,
    unit_lines,
)
from medreview.review.saved_filters import FilterLine, filter_lines
from medreview.study import Study
from medreview.study.backgrounds import is_asked
from medreview.study.counts import STATES, Counts, count_statements, whose_states
from medreview.study.package import Package, package_of
from medreview.study.unit_ids import STATEMENT
from medreview.units.statement_view import response_name


@dataclass(frozen=True, slots=True)
class ResponseLine:
    """A response with its progress; ``invalid``: why it is none, ``""`` when it is one."""

    response_id: str
    name: str
    model: str
    question: str
    statements: int
    decided: int
    invalid: str


@dataclass(frozen=True, slots=True)
class Overview:
    """The study at a glance. ``invalid``: how many of the responses are none.

    ``unjudged``: statements with a source that can be read, and no judgement; ``judged_by_model``: a model or a
    recorded judge was asked, not the offline rules alone. ``place``: where the reviewer left off; ``drafts``: where a
    line was begun and not saved, the newest of them, and ``more_drafts`` there are besides.
    ``queues`` are those of statements, none in a study that has other units and no statement; ``units`` those of other
    units, of the second pass and of two reviewers, ``saved`` the filters that the reviewer saved by name;
    ``package``: what the study says of itself, if it is a copy for a colleague. ``asks_background``: the
    reviewer was not asked yet who he or she is. ``figures_wait``: a blind block is open, which figures would tell of.
    ``reserved``: members of the audit that are kept from the queues in which the reviewer would see the judges;
    ``lost_to_triage``: members that are not, counted until the reviewer has decided anything.
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

    @property
    def kinds(self) -> tuple[QueueLine, ...]:
        """The queues that have all units of a kind other than the statement."""
        return tuple(line for line in self.units if not line.kind.chosen)

    @property
    def tally(self) -> Counts:
        """How far the study is decided: its statements; of a study without any the units that it has instead."""
        if self.counts.total or not self.kinds:
            return self.counts
        size, left, deferred = (
            sum(getattr(line, name) for line in self.kinds) for name in ("size", "open", "deferred")
        )
        return Counts(size, size - left - deferred, deferred, left)

    @property
    def worth_doing(self) -> QueueLine | None:
        """The first queue in which something waits."""
        return next((line for line in (*self.queues, *self.units) if line.waiting), None)


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
        queues=lines if counts.total or not of_kinds else (),
        saved=filter_lines(study, reviewer, blind=blind),
        units=(
            *of_kinds,
            *second_lines(reader, reviewer),
            *two_reviewer_lines(study, reviewer),
        ),
        package=package_of(reader),
        figures_wait=blind,
        place=last_place(study, reviewer),
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
