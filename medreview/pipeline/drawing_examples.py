"""Worked examples drawn from a reviewer's labels: who is asked for how many, and which statements are taken.

They come from the tuning half of the questions only, so that the test half knows nothing of them
(``stats.reports.judged_labels``), and no two of them share a question or a page.
"""

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from medreview.errors import UserError
from medreview.evidence.passage_ranking import SourceIndex
from medreview.judges.injection import quotes_instructions
from medreview.judges.prompts import Prompt
from medreview.judges.worked_examples import LabelsShown, WorkedExample, WorkedExamples, label_words, stored_examples
from medreview.study import Study
from medreview.study.audit_frame import permanent_number, seed_of_draws
from medreview.text import counted

MOST: Final = 50
"""Examples in one prompt."""
_LONGEST: Final = 600
"""Characters of a passage, and of a statement."""

_STATEMENT: Final = "SELECT s.text, s.response_id FROM statement_standing AS s WHERE s.statement_id = ?"
_PAGES: Final = """
SELECT c.snapshot_id, c.source_id, p.text_sha256, p.text,
       EXISTS (SELECT 1 FROM marker AS m WHERE m.statement_id = ?1 AND m.source_id = c.source_id) AS cited
FROM judged_pair AS j JOIN snapshot_current AS c USING (source_id) JOIN snapshot_content AS n USING (snapshot_id)
JOIN snapshot AS p USING (snapshot_id)
WHERE j.statement_id = ?1 AND n.readable AND ifnull(p.instructions, '') = ''
GROUP BY c.snapshot_id ORDER BY min(j.ordinal)"""
_MARKED: Final = """
SELECT snapshot, json_extract(payload, '$.start') AS start, json_extract(payload, '$.end') AS "end"
FROM span_live WHERE unit = ?1 AND reviewer = ?2 AND pass = 1 AND json_extract(payload, '$.target') = 'source'
ORDER BY event_id DESC"""
_STORED: Final = "SELECT source_id, text_sha256, text FROM snapshot WHERE snapshot_id = ?"


class _LabelledStatement(NamedTuple):
    statement_id: str
    level: str
    cluster: str
    turn: tuple[bool, float]


@dataclass(frozen=True, slots=True)
class Examples:
    """``number`` examples of the labels of ``reviewer`` (without a name, of the only one there is), drawn by ``seed``.

    ``labels``: only those given before the judges were seen, or ``all``. Members of the audit are taken last, since
    figures of the audit need them.
    """

    number: int
    reviewer: str | None = None
    labels: LabelsShown = "blind"
    seed: int = 1

    def of(self, study: Study, prompt: Prompt) -> WorkedExamples:
        """The examples for a prompt: those that a run of the study has of the same words here, else newly drawn.

        So the same command goes on with the same examples, whatever was labelled meanwhile, until one of their own
        labels changes. Raises :class:`UserError` for a reviewer without labels, and where too few can be shown.
        """
        from medreview.stats.clusters import study_clusters
        from medreview.stats.reports.judged_labels import half_of
        from medreview.stats.reports.reviewer_labels import reviewer_labels

        if not 1 <= self.number <= MOST:
            raise UserError(f"--examples takes 1 to {MOST} examples.")
        reader, name = study.reader, self._reviewer(study.reader)
        clusters, words = study_clusters(reader), label_words(prompt)
        held = {
            unit: label
            for unit, label in reviewer_labels(reader, name, clusters=clusters).items()
            if label.label in words and not label.stale and (self.labels == "all" or label.mode == "blind")
        }
        levels = {unit: label.label for unit, label in held.items()}

        def examples(shown: Iterable[WorkedExample]) -> WorkedExamples:
            return WorkedExamples(name, self.labels, self.seed, self.number, tuple(shown), clusters.of)

        for known in stored_examples(reader).values():
            wanted = {"from": name, "labels": self.labels, "seed": self.seed, "number": self.number}
            if {key: known.get(key) for key in wanted} == wanted:
                again = examples(_again(reader, known["shown"], levels, clusters.of))
                if again.params == known:
                    return again
        halves = seed_of_draws(reader)
        pool = [
            _LabelledStatement(unit, label.label, label.cluster, (label.group.drawn is True, _turn(self.seed, unit)))
            for unit, label in held.items()
            if half_of(halves, label.cluster) == "tuning"
        ]
        drawn = _drawn(pool, self.number, lambda one: _example(reader, one, name))
        if len(drawn) < self.number:
            raise UserError(self._too_few(name, len(drawn), len(pool), len(held)))
        return examples(sorted(drawn, key=lambda one: _turn(self.seed, f"place/{one.statement_id}")))

    def _reviewer(self, reader: sqlite3.Connection) -> str:
        from medreview.stats.reports.reviewer_labels import reviewers

        known = reviewers(reader)
        if self.reviewer is None and len(known) == 1:
            return known[0]
        if not known:
            raise UserError("--examples: nobody has decided anything in this study yet.")
        if self.reviewer is None:
            raise UserError(f"--examples: name whose labels are shown with --from: {', '.join(known)}.")
        if self.reviewer not in known:
            raise UserError(f"--from: {self.reviewer} has reviewed nothing here; {', '.join(known)} did.")
        return self.reviewer

    def _too_few(self, name: str, drawn: int, pool: int, held: int) -> str:
        kind = "blind labels" if self.labels == "blind" else "labels"
        more = "" if self.labels == "all" else " --assisted takes labels given with the judges in sight as well."
        return (
            f"--examples {self.number}: {counted(drawn, 'statement')} can be shown. {name} has {held:,} {kind} that "
            f"the prompt has a word for, {pool:,} of them in the tuning half of the questions. Of one question, and of "
            "one page, one statement is taken, where it is known which page the label is about: a page on which the "
            f"reviewer marked a passage, the only page, or the only one that the statement cites.{more}"
        )


def told_of_examples(examples: WorkedExamples) -> str:
    """A sentence for whoever starts the run. It tells no label, since a colleague may still be blind."""
    kind = "blind labels" if examples.labels == "blind" else "labels, also those given with the judges in sight"
    return (
        f"Each question shows up to {counted(len(examples.shown), 'worked example')} of {examples.reviewer}'s {kind} "
        f"(seed {examples.seed}): passage, statement and label go to the judge. These statements are not asked about "
        "and enter no figure on the run."
    )


def _turn(seed: int, words: str) -> float:
    return permanent_number(str(seed), f"examples/{words}")


def _again(
    reader: sqlite3.Connection, shown: Sequence[Sequence[Any]], levels: Mapping[str, str], clusters: Mapping[str, str]
) -> Iterator[WorkedExample]:
    """Examples as a run stores them, with the labels of now; without those that are gone."""
    for statement_id, snapshot_id, start, end in shown:
        said = reader.execute(_STATEMENT, (statement_id,)).fetchone()
        page = reader.execute(_STORED, (snapshot_id,)).fetchone()
        if said is not None and page is not None and statement_id in levels:
            yield WorkedExample(
                statement_id, snapshot_id, start, end, clusters[said["response_id"]], page["source_id"],
                page["text_sha256"], said["text"], page["text"][start:end], levels[statement_id],
            )  # fmt: skip


def _drawn(
    pool: Sequence[_LabelledStatement], number: int, example: Callable[[_LabelledStatement], WorkedExample | None]
) -> list[WorkedExample]:
    """One of each label in turn, as long as there are any; no two of one cluster or one page."""
    waiting = {
        level: sorted((one for one in pool if one.level == level), key=lambda one: one.turn, reverse=True)
        for level in sorted({one.level for one in pool})
    }
    found: list[WorkedExample] = []
    taken: set[str] = set()
    while any(waiting.values()) and len(found) < number:
        for level in [level for level, left in waiting.items() if left]:
            while waiting[level] and len(found) < number:
                one = waiting[level].pop()
                made = None if one.cluster in taken else example(one)
                if made is not None and taken.isdisjoint((made.source_id, made.text_sha256)):
                    found.append(made)
                    taken |= {made.cluster, made.source_id, made.text_sha256}
                    break
    return found


def _example(reader: sqlite3.Connection, one: _LabelledStatement, reviewer: str) -> WorkedExample | None:
    """The statement with the passage that its label is about; ``None`` where that is not known or cannot be shown."""
    statement = reader.execute(_STATEMENT, (one.statement_id,)).fetchone()["text"]
    pages = {row["snapshot_id"]: row for row in reader.execute(_PAGES, (one.statement_id,))}
    marked = [row for row in reader.execute(_MARKED, (one.statement_id, reviewer)) if row["snapshot"] in pages]
    cited = [row for row in pages.values() if row["cited"]]
    about = [pages[marked[0]["snapshot"]]] if marked else cited if len(cited) == 1 else list(pages.values())
    if len(about) != 1 or len(statement) > _LONGEST:
        return None
    page = about[0]
    if marked:
        start, end = marked[0]["start"], marked[0]["end"]
    else:
        best = SourceIndex(page["text"]).rank(statement, 1)
        if not best:
            return None
        start, end = best[0].start, best[0].end
    passage = page["text"][start:end]
    if not passage.strip() or len(passage) > _LONGEST or quotes_instructions(passage):
        return None
    return WorkedExample(
        one.statement_id, page["snapshot_id"], start, end, one.cluster, page["source_id"], page["text_sha256"],
        statement, passage, one.level,
    )  # fmt: skip
