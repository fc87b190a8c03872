"""The kinds of steps of replays: files and texts are read, pages and statements prepared, models asked, units reviewed.

With ``--sample``, the labels of the sample data's invented annotators are taken for units that recorded models make.
"""

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal

from medreview import pipeline
from medreview.exchange.imports.file_rows import NamedRow
from medreview.exchange.imports.open_rows import open_rows
from medreview.generators import passage_run
from medreview.generators.counts import GenerationCounts
from medreview.generators.source_texts import Texts, read_texts, text_of_file
from medreview.import_files import Imported, speaks_of_statements
from medreview.judges.fact_votes import CONTRADICTION, PRESENCE
from medreview.judges.judge_caveats import verifies_its_own
from medreview.judges.llm_stage import Tally
from medreview.judges.tasks import hallucination, merged, verification
from medreview.judges.tasks.registry import task_for
from medreview.llm.settings import JudgeSettings
from medreview.next_step import command
from medreview.pipeline import Generated, Generating, Judges
from medreview.pipeline.asking import Make
from medreview.replays.replay import Given, Plan, Step, StepOutcome
from medreview.review.repeat_annotation import drawn, set_share, share_progress, shares
from medreview.storable import storable_text
from medreview.study import Study
from medreview.study.ids import STATEMENT, ids_of
from medreview.text import Span, counted, in_words
from medreview.units.findings import span_payload
from medreview.units.new_units import ImportedLabel, add_labels
from medreview.units.registry import KINDS
from medreview.units.stored import add_passages

FILE: Final = "replay_labels.jsonl"
_TARGET: Final = "response"


def take_labels(study: Study, file: Path, paper: str, kind: str) -> int:
    """Store the labels for one kind of unit of a paper's replay; how many people's words are new.

    A line: ``replay``, ``kind``, what names the unit (``text``, ``model`` or ``url``; those that are there must fit),
    ``annotator``, and ``label``, ``flags``, ``spans``, ``note``, ``group`` as they gave them; ``also``: labels by
    further axes. A unit that is not there
    is passed over: an earlier step was limited.
    """
    found = [label for line in _lines(file, paper, kind) for label in _labels(study.reader, kind, line)]
    return study.write(lambda connection: add_labels(connection, found)) if found else 0


def _lines(file: Path, paper: str, kind: str) -> Iterator[Mapping[str, Any]]:
    for line in file.read_text(encoding="utf-8").splitlines():
        told = json.loads(line)
        if told["replay"] == paper and told["kind"] == kind:
            yield told


def _labels(reader: sqlite3.Connection, kind: str, told: Mapping[str, Any]) -> Iterator[ImportedLabel]:
    """What one line says, on each unit that it names."""
    given = {name: told[name] for name in ("text", "model") if name in told}
    where = " AND ".join(f"s.{name} = ?" for name in given) or "1"
    rows = reader.execute(f"SELECT s.unit FROM ({KINDS[kind].rows}) AS s WHERE {where}", tuple(given.values()))
    for (unit,) in rows.fetchall():
        if "url" in told and not _cites(reader, unit, told["url"]):
            continue
        yield from (ImportedLabel(unit, told["annotator"], axis, level) for axis, level in told.get("also", {}).items())
        yield ImportedLabel(
            unit=unit,
            reviewer=told["annotator"],
            axis=KINDS[kind].axis,
            label=told.get("label", ""),
            flags=tuple(told.get("flags", ())),
            note=told.get("note", ""),
            spans=tuple(_span(reader, unit, exact, told["label"]) for exact in told.get("spans", ())),
            group=told.get("group", ""),
        )


def _cites(reader: sqlite3.Connection, unit: str, url: str) -> bool:
    """Whether a pair is about this address."""
    row = reader.execute("SELECT url FROM source WHERE source_id = ?", (ids_of(unit)[1],)).fetchone()
    return row is not None and row["url"] == url


def _span(reader: sqlite3.Connection, unit: str, exact: str, label: str) -> dict[str, Any]:
    """The first place of some words in an answer, as a marked span."""
    text = str(reader.execute("SELECT text FROM response WHERE response_id = ?", ids_of(unit)).fetchone()["text"])
    start = text.index(exact)
    return span_payload("hallucination", label, _TARGET, text, Span(start, start + len(exact)))


TEXTS: Final = frozenset({".txt", ".text", ".md", ".html", ".htm", ".pdf"})
"""Endings of files that are a text to ask about; all others hold records, which may be texts as well."""
_NO_TEXTS: Final = frozenset({"question", "query", "response", "answer", "unit", "case"})
"""Columns of records that are more than a text."""


def texts_in(files: Sequence[Path]) -> list[Path]:
    """Files that are a text to ask about, or hold nothing but such texts; folders are left out."""
    return [path for path in files if not path.is_dir() and (path.suffix.lower() in TEXTS or _holds_texts(path))]


def _holds_texts(path: Path) -> bool:
    rows, _ = open_rows(path)
    first = next((row for row in rows if isinstance(row, NamedRow)), None)
    columns = {name.casefold() for name in first.values} if first else set()
    return "text" in columns and not columns & _NO_TEXTS


@dataclass(frozen=True, slots=True)
class Bring(Step):
    """``late``: those files that speak of statements, as judgements and people's labels on pairs do, and no others.

    ``texts``: files of texts are imported as well, as by ``import``; else a step of their own reads them.
    """

    name: str
    about: str
    late: bool = False
    texts: bool = False

    @property
    def reads_files(self) -> bool:
        """Of what speaks of statements, these must be there first."""
        return not self.late

    def run(self, given: Given) -> StepOutcome:
        """Bring in what is new in them."""
        files = list(self._files(given))
        if not files:
            return StepOutcome("left" if not self.late and not given.files else "done", "no file to bring in")
        done = [pipeline.bring_in(given.study, path, given.mapping, given.progress) for path in files]
        new = sum(_new(one) for one in done)
        words = "something new in them" if new else "nothing new"
        return StepOutcome("did" if new else "done", f"{counted(len(files), 'file')}: {words}", imported=tuple(done))

    def _files(self, given: Given) -> Iterator[Path]:
        apart = () if self.texts else texts_in(given.files)
        for path in given.files:
            if path not in apart and speaks_of_statements(path, given.mapping) == self.late:
                yield path


def _new(one: Imported) -> int:
    return one.added + one.given + one.facts + one.cases + one.gold + one.opinions + one.labels


@dataclass(frozen=True, slots=True)
class WholeTexts(Step):
    """Each text is one passage."""

    name: str = "texts"
    about: str = "Read the texts to ask about, each as a whole."

    @property
    def reads_files(self) -> bool:
        """It does."""
        return True

    def run(self, given: Given) -> StepOutcome:
        """Store those that the study does not have."""
        paths = texts_in(given.files)
        if not paths:
            return _without(given)
        read = [(path, read_texts(path)) for path in paths]
        new = sum(_store(given, path, texts) for path, texts in read)
        lines = tuple(f"{path}, line {one.line}: {one.reason}; left out" for path, texts in read for one in texts.bad)
        every = sum(len(texts.passages) for _, texts in read)
        return StepOutcome("did" if new else "done", f"{counted(every, 'text')}, {new} of them new", lines=lines)


@dataclass(frozen=True, slots=True)
class Paragraphs(Step):
    """The paragraphs of the texts are measured; rules leave some out, and the rest are passages (ClinIQLink 3.1)."""

    name: str = "passages"
    about: str = "Take the paragraphs that are worth a question: rules of form, and three measures."

    @property
    def reads_files(self) -> bool:
        """It does."""
        return True

    def run(self, given: Given) -> StepOutcome:
        """Measure them all; store those that are kept and not there yet."""
        paths = texts_in(given.files)
        if not paths:
            return _without(given)
        measures = passage_run.Measures()
        chosen, thresholds = passage_run.choose(
            passage_run.paragraphs_of(map(text_of_file, paths)), measures, None, given.progress
        )
        new = passage_run.store(given.study, chosen, measures, thresholds)
        told = passage_run.summary_of(len(paths), chosen, measures, thresholds, new)
        rules = ", ".join(f"{count.first} {in_words(code)}" for code, count in told.rules.items() if count.first)
        lines = (f"left out by: {rules}",) if rules else ()
        words = f"{told.kept} of {counted(told.paragraphs, 'paragraph')} kept, {new} of them new"
        return StepOutcome("did" if new else "done", words, lines=lines)


def _store(given: Given, path: Path, texts: Texts) -> int:
    """How many of them were new."""
    name = storable_text(path.name)
    return given.study.write(lambda connection: add_passages(connection, texts.passages, name))


def _without(given: Given) -> StepOutcome:
    there = int(given.study.reader.execute("SELECT count(*) FROM passage").fetchone()[0])
    return StepOutcome("done", f"{counted(there, 'text')} there") if there else StepOutcome("left", "no text is named")


@dataclass(frozen=True, slots=True)
class Pages(Step):
    """The cited sources are downloaded, or taken from saved pages."""

    name: str = "pages"
    about: str = "Download what the responses cite, and read it."

    def run(self, given: Given) -> StepOutcome:
        """Fetch the sources that have no page yet."""
        waiting = given.study.reader.execute(_NO_PAGE).fetchone()[0]
        if not waiting:
            return StepOutcome(
                "done", _count(given, "SELECT count(*) FROM source WHERE current_snapshot IS NOT NULL", "page")
            )
        done = pipeline.fetch(given.study, given.pages, progress=given.progress)
        fetched = sum(done.states.values())
        states = ", ".join(f"{count} {in_words(state)}" for state, count in done.states.items())
        words = f"{counted(fetched, 'page')} fetched ({states})" if fetched else "no page was there"
        lines = (done.note,) if done.note else ()
        if done.missing:
            words += f"; {done.missing} not among the saved pages"
        return StepOutcome("did" if fetched else "done", words, lines=lines)


@dataclass(frozen=True, slots=True)
class Statements(Step):
    """Responses are split by rules; what a model has split already stays so."""

    name: str = "statements"
    about: str = "Split the responses into statements that can be verified one by one."

    def run(self, given: Given) -> StepOutcome:
        """Split those that are not split yet."""
        done = pipeline.parse(given.study, given.progress)
        if not done.responses:
            return StepOutcome("done", _count(given, "SELECT count(*) FROM statement_standing", "statement"))
        words = f"{counted(done.statements, 'statement')} of {counted(done.responses, 'response')}"
        if done.empty:
            words += f", {done.empty} without any"
        return StepOutcome("did", words)


@dataclass(frozen=True, slots=True)
class OfflineJudge(Step):
    """The rules look at every pair first: triage, so that a study without any model can be reviewed."""

    name: str = "offline rules"
    about: str = "Compare words, numbers and negations of every statement with its sources."

    def run(self, given: Given) -> StepOutcome:
        """Judge the pairs that the rules have not seen."""
        done = pipeline.judge(given.study, given.progress, given.processes, given.synonyms)
        words = f"{counted(done.pairs, 'pair')} judged; {counted(done.flagged, 'statement')} flagged"
        return StepOutcome("did" if done.pairs else "done", words)


_NO_PAGE = """SELECT count(*) FROM source AS u WHERE current_snapshot IS NULL
AND EXISTS (SELECT 1 FROM citation AS c WHERE c.source_id = u.source_id)"""


def _count(given: Given, query: str, noun: str) -> str:
    return counted(int(given.study.reader.execute(query).fetchone()[0]), noun)


_TABLES: Final = {
    verification.NAME: "judgement",
    merged.NAME: "merged_judgement",
    hallucination.ALONE: "hallucination_finding",
    hallucination.ASSISTED: "hallucination_finding",
    PRESENCE: "key_fact_vote",
    CONTRADICTION: "key_fact_vote",
}
"""Where the answers to each task that replays ask are stored."""


def answered(reader: sqlite3.Connection, task: str, judges: Sequence[str]) -> int:
    """How many answers of use these judges have given to a task."""
    query = f"""SELECT count(*) FROM {_TABLES[task]} AS a JOIN judge_run AS run USING (judge_run_id)
                WHERE a.error = '' AND substr(run.prompt_id, 1, length(?1) + 1) = ?1 || '/'
                AND run.judge IN (SELECT value FROM json_each(?2))"""
    return int(reader.execute(query, (task, json.dumps(list(judges)))).fetchone()[0])


@dataclass(frozen=True, slots=True)
class Ask(Step):
    """``task`` is one of ``medreview.judges.tasks.registry.NAMES``; ``waits``: what there must be before, in words.

    ``single``: the first of the judges alone.
    """

    name: str
    about: str
    task: str
    waits: str
    single: bool = False

    def plan(self, given: Given) -> Plan:
        """Units, calls and cost of each judge."""
        if not given.judges:
            return Plan()
        plans = pipeline.plan_for(given.study, self._judges(given), limit=given.limit, progress=given.progress)
        waiting = [plan for plan in plans if plan.units]
        return Plan(tuple(waiting))

    def run(self, given: Given) -> StepOutcome:
        """Ask what was not answered yet; a second time nothing is asked."""
        if not given.judges:
            return StepOutcome("left", "no judge is named: --judge NAME")
        judges = self._judges(given)
        tasks = [task_for(given.study, each, self.task, given.prompts) for each in judges.settings]
        if any(task.waiting(again=given.again) for task in tasks):
            done = pipeline.judge_by(
                given.study, judges, limit=given.limit, progress=given.progress, on_wait=given.on_wait
            )
            if any(tally.units for tally in done.judges):
                return _asked(done.judges, given.limit)
        there = answered(given.study.reader, self.task, [judge.name for judge in judges.settings])
        return StepOutcome("done", f"{counted(there, 'answer')} there") if there else StepOutcome("waits", self.waits)

    def _judges(self, given: Given) -> Judges:
        settings = given.judges[:1] if self.single else given.judges
        return Judges(settings, self.task, given.prompts, given.again)


def _asked(tallies: Sequence[Tally], limit: int | None) -> StepOutcome:
    units, failed = sum(tally.units for tally in tallies), sum(tally.failed for tally in tallies)
    costs = [tally.cost for tally in tallies if tally.cost is not None]
    more = "; the same command goes on" if limit is not None and any(t.units == limit for t in tallies) else ""
    return StepOutcome(
        "failed" if failed and failed == units else "did",
        counted(units, "answer") + (f", {failed} without use" if failed else "") + more,
        asked=sum(tally.calls for tally in tallies),
        failed=failed,
        cost=sum(costs) if costs else None,
        tallies=tuple(tallies),
    )


@dataclass(frozen=True, slots=True)
class Generate(Step):
    """``make`` sets the generator up. ``by``: which of the models write. ``waits``: what there must be before.

    ``verified``: a judge verifies what they write, one of another model where there is one.
    """

    name: str
    about: str
    make: Make
    waits: str
    by: Literal["first", "each"] = "first"
    verified: bool = False

    @property
    def deviations(self) -> tuple[str, ...]:
        """Those of the generator, as sentences."""
        generator = self.make.func if isinstance(self.make, partial) else self.make
        told = (sentence.rstrip(".") for sentence in getattr(generator, "deviations", ()))
        return tuple(f"{sentence[0].upper()}{sentence[1:]}." for sentence in told)

    def plan(self, given: Given) -> Plan:
        """Inputs, calls and cost of each model."""
        if not given.writers:
            return Plan()
        found = [
            pipeline.plan_generation(given.study, one, limit=given.limit, progress=given.progress)
            for one in self._each(given)
        ]
        waiting = [(plan, later) for plan, later in found if plan.units]
        return Plan(tuple(plan for plan, _ in waiting), sum(later for _, later in waiting))

    def run(self, given: Given) -> StepOutcome:
        """Let them write what they have not written yet; a second time nothing is asked."""
        if not given.writers:
            return StepOutcome("left", "no model is named: --model NAME")
        did, there = [], []
        for one in self._each(given):
            task = one.task(given.study)
            if task.waiting(again=one.again):
                did.append(
                    pipeline.generate(
                        given.study, one, limit=given.limit, progress=given.progress, on_wait=given.on_wait
                    )
                )
            elif task.generator.items():
                there.append(task.counts())
        if did:
            return _generated(did)
        if not there:
            return StepOutcome("waits", self.waits)
        return StepOutcome("done", f"{_made(there)} there", counts=tuple(there))

    def _each(self, given: Given) -> list[Generating]:
        writers: Sequence[JudgeSettings] = given.writers[:1] if self.by == "first" else given.writers
        return [Generating(self.make, one, self._verifier(one, given), given.prompts, given.again) for one in writers]

    def _verifier(self, writer: JudgeSettings, given: Given) -> JudgeSettings | None:
        """The first judge that does not verify what its own model wrote; else the first one, else the writer."""
        if not self.verified:
            return None
        others = (judge for judge in given.judges if not verifies_its_own(writer, judge))
        return next(others, given.judges[0] if given.judges else writer)


def _generated(done: Sequence[Generated]) -> StepOutcome:
    units, failed = sum(one.tally.units for one in done), sum(one.tally.failed for one in done)
    costs = [one.tally.cost for one in done if one.tally.cost is not None]
    waiting = sum(one.waiting for one in done)
    return StepOutcome(
        "failed" if failed and failed == units else "did",
        f"made so far: {_made([one.counts for one in done])}"
        + (f"; {waiting:,} inputs wait, the same command goes on" if waiting else ""),
        asked=sum(one.tally.calls for one in done),
        failed=failed,
        cost=sum(costs) if costs else None,
        tallies=tuple(one.tally for one in done),
        counts=tuple(one.counts for one in done),
    )


def _made(counts: Sequence[GenerationCounts]) -> str:
    """What came of all inputs: products by kind, or of how many inputs something for a report."""
    products: dict[str, int] = {}
    for one in counts:
        for kind, number in one.products.items():
            products[kind] = products.get(kind, 0) + number
    named = ", ".join(f"{number:,} {in_words(kind)}" for kind, number in products.items())
    reports = sum(one.made for one in counts)
    return named or (f"{reports:,} for the report" if reports else "nothing")


_STATEMENTS: Final = "SELECT statement_id AS unit FROM statement_standing"
_BY_ANYBODY: Final = "SELECT unit FROM standing WHERE pass = 1 AND state = 'decided'"
_DECIDED: Final = """SELECT reviewer, count(*) FROM standing
WHERE pass = 1 AND state = 'decided' AND unit IN (SELECT unit FROM ({})) GROUP BY reviewer ORDER BY reviewer"""


def rows_of(kind: str) -> str:
    """SQL with a column ``unit``: the units of a kind."""
    return _STATEMENTS if kind == STATEMENT else KINDS[kind].rows


def decided_by(reader: sqlite3.Connection, kind: str) -> dict[str, int]:
    """How many units of a kind each person has decided."""
    return {row[0]: row[1] for row in reader.execute(_DECIDED.format(rows_of(kind)))}


@dataclass(frozen=True, slots=True)
class Review(Step):
    """``kind``: of unit; ``queue``: where the reviewer meets them. ``of``: what they are, in the plural.

    ``waits``: what there must be before.
    """

    name: str
    about: str
    kind: str
    queue: str
    of: str
    waits: str

    def run(self, given: Given) -> StepOutcome:
        """Say how far people are; the replay goes on with what does not need them."""
        reader = given.study.reader
        new = take_labels(given.study, *given.labels, self.kind) if given.labels else 0
        query = f"SELECT count(DISTINCT unit) FROM ({rows_of(self.kind)})"
        every = int(reader.execute(query).fetchone()[0])
        if not every:
            return StepOutcome("waits", self.waits)
        people = decided_by(reader, self.kind)
        decided = int(reader.execute(f"{query} WHERE unit IN ({_BY_ANYBODY})").fetchone()[0])
        by = f" (by {', '.join(f'{name} {count:,}' for name, count in people.items())})" if people else ""
        words = f"{decided:,} of {every:,} {self.of} decided{by}"
        if new:
            return StepOutcome("did", f"{words}; {new} labels of invented annotators taken in")
        if decided == every:
            return StepOutcome("done", words)
        return StepOutcome("waits", words, command("review", given.study.path, "--queue", self.queue))


@dataclass(frozen=True, slots=True)
class SecondAnnotator(Step):
    """A share of the units of a kind, drawn by permanent numbers, goes to a second person, who sees no label of the
    first."""

    name: str
    about: str
    kind: str
    rate: float
    of: str
    waits: str

    def run(self, given: Given) -> StepOutcome:
        """Set the share, unless it is as high already; say how far the second person is."""
        reader = given.study.reader
        if not reader.execute(f"SELECT EXISTS ({rows_of(self.kind)})").fetchone()[0]:
            return StepOutcome("waits", self.waits)
        share = shares(reader).get(self.kind)
        new = share is None or share.rate < self.rate
        if share is None or share.rate < self.rate:
            share = set_share(given.study, given.reviewer, self.kind, self.rate)
        told = share_progress(reader, given.study.meta("study_id"), share, given.reviewer)
        twice = _twice(reader, drawn(reader, given.study.meta("study_id"), share))
        words = f"{share.rate:.0%} drawn: {told.drawn} of {told.units:,} {self.of}, {twice} decided by two people"
        if twice >= told.drawn:
            return StepOutcome("did" if new else "done", words)
        queue = "share" if self.kind == STATEMENT else f"share_{self.kind}"
        return StepOutcome("waits", words, command("review", given.study.path, "--queue", queue))


def _twice(reader: sqlite3.Connection, units: list[str]) -> int:
    query = """SELECT count(*) FROM (SELECT unit FROM standing WHERE pass = 1 AND state = 'decided'
               AND unit IN (SELECT value FROM json_each(?)) GROUP BY unit HAVING count(*) > 1)"""
    return int(reader.execute(query, (json.dumps(units),)).fetchone()[0])
