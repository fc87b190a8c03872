"""The kinds of steps of replays: files and texts are read, pages and statements prepared, models asked, units reviewed.

With ``--sample``, the labels of the sample data's invented annotators are taken for units that recorded models make.
"""

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from medreview import pipeline
from medreview.exchange.imports.file_rows import NamedRow
from medreview.exchange.imports.open_rows import open_rows
from medreview.generators import passage_run
from medreview.generators.counts import GenerationCounts, products_in_words
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
from medreview.replays.replay import Plan, ReplayInputs, Step, StepOutcome
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
    for text in file.read_text(encoding="utf-8").splitlines():
        line = json.loads(text)
        if line["replay"] == paper and line["kind"] == kind:
            yield line


def _labels(reader: sqlite3.Connection, kind: str, line: Mapping[str, Any]) -> Iterator[ImportedLabel]:
    """What one line says, on each unit that it names."""
    given = {name: line[name] for name in ("text", "model") if name in line}
    where = " AND ".join(f"s.{name} = ?" for name in given) or "1"
    rows = reader.execute(f"SELECT s.unit FROM ({KINDS[kind].rows}) AS s WHERE {where}", tuple(given.values()))
    for (unit,) in rows.fetchall():
        if "url" in line and not _cites(reader, unit, line["url"]):
            continue
        yield from (ImportedLabel(unit, line["annotator"], axis, level) for axis, level in line.get("also", {}).items())
        yield ImportedLabel(
            unit=unit,
            reviewer=line["annotator"],
            axis=KINDS[kind].axis,
            label=line.get("label", ""),
            flags=tuple(line.get("flags", ())),
            note=line.get("note", ""),
            spans=tuple(_span(reader, unit, exact, line["label"]) for exact in line.get("spans", ())),
            group=line.get("group", ""),
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


def files(name: str, about: str, *, late: bool = False, texts: bool = False) -> Step:
    """The files that were given are imported.

    ``late``: those that speak of statements, as judgements and people's labels on pairs do, and no others; they need
    statements. ``texts``: files of texts as well, as by ``import``; else a step of their own reads them.
    """

    def run(given: ReplayInputs) -> StepOutcome:
        apart = () if texts else texts_in(given.files)
        wanted = [one for one in given.files if one not in apart and speaks_of_statements(one, given.mapping) == late]
        if not wanted:
            return StepOutcome("left" if not late and not given.files else "done", "no file to bring in")
        done = [pipeline.bring_in(given.study, path, given.mapping, given.progress) for path in wanted]
        new = sum(_new(one) for one in done)
        words = "something new in them" if new else "nothing new"
        return StepOutcome("did" if new else "done", f"{counted(len(wanted), 'file')}: {words}", imported=tuple(done))

    return Step(name, about, run, reads_files=not late)


def _new(one: Imported) -> int:
    return one.added + one.given + one.facts + one.cases + one.gold + one.opinions + one.labels


def _whole_texts(given: ReplayInputs) -> StepOutcome:
    """Each text is one passage."""
    paths = texts_in(given.files)
    if not paths:
        return _without(given)
    read = [(path, read_texts(path)) for path in paths]
    new = sum(_store(given, path, texts) for path, texts in read)
    lines = tuple(f"{path}, line {one.line}: {one.reason}; left out" for path, texts in read for one in texts.bad)
    every = sum(len(texts.passages) for _, texts in read)
    return StepOutcome("did" if new else "done", f"{counted(every, 'text')}, {new} of them new", lines=lines)


def _paragraphs(given: ReplayInputs) -> StepOutcome:
    """The paragraphs of the texts are measured; rules leave some out, and the rest are passages (ClinIQLink 3.1)."""
    paths = texts_in(given.files)
    if not paths:
        return _without(given)
    measures = passage_run.Measures()
    every = passage_run.paragraphs_of(map(text_of_file, paths))
    chosen, thresholds = passage_run.choose(every, measures, None, given.progress)
    new = passage_run.store(given.study, chosen, measures, thresholds)
    found = passage_run.summary_of(len(paths), chosen, measures, thresholds, new)
    rules = ", ".join(f"{count.first} {in_words(code)}" for code, count in found.rules.items() if count.first)
    words = f"{found.kept} of {counted(found.paragraphs, 'paragraph')} kept, {new} of them new"
    return StepOutcome("did" if new else "done", words, lines=(f"left out by: {rules}",) if rules else ())


def _store(given: ReplayInputs, path: Path, texts: Texts) -> int:
    """How many of them were new."""
    name = storable_text(path.name)
    return given.study.write(lambda connection: add_passages(connection, texts.passages, name))


def _without(given: ReplayInputs) -> StepOutcome:
    there = int(given.study.reader.execute("SELECT count(*) FROM passage").fetchone()[0])
    return StepOutcome("done", f"{counted(there, 'text')} there") if there else StepOutcome("left", "no text is named")


def _pages(given: ReplayInputs) -> StepOutcome:
    """The cited sources that have no page yet are downloaded, or taken from saved pages."""
    if not given.study.reader.execute(_NO_PAGE).fetchone()[0]:
        query = "SELECT count(*) FROM source WHERE current_snapshot IS NOT NULL"
        return StepOutcome("done", _count(given, query, "page"))
    done = pipeline.fetch(given.study, given.pages, progress=given.progress)
    fetched = sum(done.states.values())
    states = ", ".join(f"{count} {in_words(state)}" for state, count in done.states.items())
    words = f"{counted(fetched, 'page')} fetched ({states})" if fetched else "no page was there"
    words += f"; {done.missing} not among the saved pages" if done.missing else ""
    return StepOutcome("did" if fetched else "done", words, lines=(done.note,) if done.note else ())


def _statements(given: ReplayInputs) -> StepOutcome:
    """Responses are split by rules; what a model has split already stays so."""
    done = pipeline.parse(given.study, given.progress)
    if not done.responses:
        return StepOutcome("done", _count(given, "SELECT count(*) FROM statement_standing", "statement"))
    words = f"{counted(done.statements, 'statement')} of {counted(done.responses, 'response')}"
    return StepOutcome("did", words + (f", {done.empty} without any" if done.empty else ""))


def _offline_rules(given: ReplayInputs) -> StepOutcome:
    """The rules look at every pair first: triage, so that a study without any model can be reviewed."""
    done = pipeline.judge(given.study, given.progress, given.processes, given.synonyms)
    words = f"{counted(done.pairs, 'pair')} judged; {counted(done.flagged, 'statement')} flagged"
    return StepOutcome("did" if done.pairs else "done", words)


WHOLE_TEXTS: Final = Step("texts", "Read the texts to ask about, each as a whole.", _whole_texts, reads_files=True)
PARAGRAPHS: Final = Step(
    "passages", "Take the paragraphs that are worth a question: rules of form, and three measures.", _paragraphs,
    reads_files=True,
)  # fmt: skip
PAGES: Final = Step("pages", "Download what the responses cite, and read it.", _pages)
STATEMENTS: Final = Step(
    "statements", "Split the responses into statements that can be verified one by one.", _statements
)
OFFLINE_RULES: Final = Step(
    "offline rules", "Compare words, numbers and negations of every statement with its sources.", _offline_rules
)

_NO_PAGE = """SELECT count(*) FROM source AS u WHERE current_snapshot IS NULL
AND EXISTS (SELECT 1 FROM citation AS c WHERE c.source_id = u.source_id)"""


def _count(given: ReplayInputs, query: str, noun: str) -> str:
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


def ask(name: str, about: str, task: str, waits: str) -> Step:
    """Judges are asked what they have not answered; a second time nothing is asked.

    ``task`` is one of ``medreview.judges.tasks.registry.NAMES``; ``waits``: what there must be before, in words.
    """

    def judges(given: ReplayInputs) -> Judges:
        return Judges(given.judges, task, given.prompts, given.again)

    def plan(given: ReplayInputs) -> Plan:
        if not given.judges:
            return Plan()
        plans = pipeline.plan_for(given.study, judges(given), limit=given.limit, progress=given.progress)
        return Plan(tuple(plan for plan in plans if plan.units))

    def run(given: ReplayInputs) -> StepOutcome:
        if not given.judges:
            return StepOutcome("left", "no judge is named: --judge NAME")
        tasks = [task_for(given.study, each, task, given.prompts) for each in given.judges]
        if any(each.waiting(again=given.again) for each in tasks):
            done = pipeline.judge_by(
                given.study, judges(given), limit=given.limit, progress=given.progress, on_wait=given.on_wait
            )
            units, failed = sum(one.units for one in done.judges), sum(one.failed for one in done.judges)
            if units:
                limited = given.limit is not None and any(one.units == given.limit for one in done.judges)
                words = counted(units, "answer") + (f", {failed} without use" if failed else "")
                return _outcome(words + ("; the same command goes on" if limited else ""), done.judges)
        there = answered(given.study.reader, task, [judge.name for judge in given.judges])
        return StepOutcome("done", f"{counted(there, 'answer')} there") if there else StepOutcome("waits", waits)

    return Step(name, about, run, plan, task=task)


def _outcome(words: str, tallies: Sequence[Tally], counts: Sequence[GenerationCounts] = ()) -> StepOutcome:
    """What came of questions that were put to models."""
    units, failed = sum(tally.units for tally in tallies), sum(tally.failed for tally in tallies)
    costs = [tally.cost for tally in tallies if tally.cost is not None]
    return StepOutcome(
        "failed" if failed and failed == units else "did",
        words,
        asked=sum(tally.calls for tally in tallies),
        failed=failed,
        cost=sum(costs) if costs else None,
        tallies=tuple(tallies),
        counts=tuple(counts),
    )


def generate(name: str, about: str, make: Make, waits: str, *, each: bool = False, verified: bool = False) -> Step:
    """Models write what they have not written yet: the first one, or ``each``; a second time nothing is asked.

    ``make`` sets the generator up. ``waits``: what there must be before. ``verified``: a judge verifies what they
    write, one of another model where there is one.
    """

    def works(given: ReplayInputs) -> list[Generating]:
        writers = given.writers if each else given.writers[:1]
        return [
            Generating(make, one, _verifier(one, given) if verified else None, given.prompts, given.again)
            for one in writers
        ]

    def plan(given: ReplayInputs) -> Plan:
        found = [
            pipeline.plan_generation(given.study, one, limit=given.limit, progress=given.progress)
            for one in works(given)
        ]
        waiting = [(plan, later) for plan, later in found if plan.units]
        return Plan(tuple(plan for plan, _ in waiting), sum(later for _, later in waiting))

    def run(given: ReplayInputs) -> StepOutcome:
        if not given.writers:
            return StepOutcome("left", "no model is named: --model NAME")
        did: list[Generated] = []
        there: list[GenerationCounts] = []
        for one in works(given):
            task = one.task(given.study)
            if task.waiting(again=one.again):
                done = pipeline.generate(
                    given.study, one, limit=given.limit, progress=given.progress, on_wait=given.on_wait
                )
                did.append(done)
            elif task.generator.items():
                there.append(task.counts())
        if did:
            counts, waiting = [one.counts for one in did], sum(one.waiting for one in did)
            more = f"; {waiting:,} inputs wait, the same command goes on" if waiting else ""
            return _outcome(f"made so far: {_made(counts)}{more}", [one.tally for one in did], counts)
        if not there:
            return StepOutcome("waits", waits)
        return StepOutcome("done", f"{_made(there)} there", counts=tuple(there))

    generator = make.func if isinstance(make, partial) else make
    departs = (sentence.rstrip(".") for sentence in getattr(generator, "deviations", ()))
    return Step(name, about, run, plan, deviations=tuple(f"{one[0].upper()}{one[1:]}." for one in departs))


def _verifier(writer: JudgeSettings, given: ReplayInputs) -> JudgeSettings:
    """The first judge that does not verify what its own model wrote; else the first one, else the writer."""
    others = (judge for judge in given.judges if not verifies_its_own(writer, judge))
    return next(others, given.judges[0] if given.judges else writer)


def _made(counts: Sequence[GenerationCounts]) -> str:
    """What came of all inputs: products by kind, or of how many inputs something for a report."""
    products: dict[str, int] = {}
    for one in counts:
        for kind, number in one.products.items():
            products[kind] = products.get(kind, 0) + number
    named = products_in_words(products)
    reports = sum(one.made for one in counts)
    return named or (f"{reports:,} {counts[0].instead}" if reports else "nothing")


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


def review(name: str, about: str, kind: str, queue: str, of: str, waits: str) -> Step:
    """How far people are with the units of a kind; the replay goes on with what does not need them.

    ``queue``: where the reviewer meets them. ``of``: what they are, in the plural. ``waits``: what there must be
    before.
    """

    def run(given: ReplayInputs) -> StepOutcome:
        reader = given.study.reader
        new = take_labels(given.study, *given.labels, kind) if given.labels else 0
        query = f"SELECT count(DISTINCT unit) FROM ({rows_of(kind)})"
        every = int(reader.execute(query).fetchone()[0])
        if not every:
            return StepOutcome("waits", waits)
        people = decided_by(reader, kind)
        decided = int(reader.execute(f"{query} WHERE unit IN ({_BY_ANYBODY})").fetchone()[0])
        by = f" (by {', '.join(f'{name} {count:,}' for name, count in people.items())})" if people else ""
        words = f"{decided:,} of {every:,} {of} decided{by}"
        if new:
            return StepOutcome("did", f"{words}; {new} labels of invented annotators taken in")
        if decided == every:
            return StepOutcome("done", words)
        return StepOutcome("waits", words, command("review", given.study.path, "--queue", queue))

    return Step(name, about, run, queue=queue)


def second_annotator(name: str, about: str, kind: str, rate: float, of: str, waits: str) -> Step:
    """A share of the units of a kind, drawn by permanent numbers, goes to a second person, who sees no label of the
    first. The share is set unless it is as high already."""
    queue = "share" if kind == STATEMENT else f"share_{kind}"

    def run(given: ReplayInputs) -> StepOutcome:
        reader, study_id = given.study.reader, given.study.meta("study_id")
        if not reader.execute(f"SELECT EXISTS ({rows_of(kind)})").fetchone()[0]:
            return StepOutcome("waits", waits)
        share = shares(reader).get(kind)
        new = share is None or share.rate < rate
        if share is None or share.rate < rate:
            share = set_share(given.study, given.reviewer, kind, rate)
        found = share_progress(reader, study_id, share, given.reviewer)
        twice = _twice(reader, drawn(reader, study_id, share))
        words = f"{share.rate:.0%} drawn: {found.drawn} of {found.units:,} {of}, {twice} decided by two people"
        if twice >= found.drawn:
            return StepOutcome("did" if new else "done", words)
        return StepOutcome("waits", words, command("review", given.study.path, "--queue", queue))

    return Step(name, about, run, queue=queue)


def _twice(reader: sqlite3.Connection, units: list[str]) -> int:
    query = """SELECT count(*) FROM (SELECT unit FROM standing WHERE pass = 1 AND state = 'decided'
               AND unit IN (SELECT value FROM json_each(?)) GROUP BY unit HAVING count(*) > 1)"""
    return int(reader.execute(query, (json.dumps(units),)).fetchone()[0])
