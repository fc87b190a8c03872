"""The only module that knows the order of the stages, and what must be made anew after which of them.

import -> citations -> sources -> statements -> judges (recorded ones, then the offline judge) -> verdicts;
models are asked when they are named, since that costs money.

After every function here the table of verdicts is right and the frame of the audit complete, whatever came in between:
it is rolled up when something has changed that it is made from, also after an interruption, and when an earlier one was
killed before it came to that.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from medreview.citations.stage import CitationSummary, extract_all
from medreview.evidence.terms import vocabulary
from medreview.exchange.imports.detect_format import detect_format
from medreview.exchange.imports.field_mapping import AS_NAMED
from medreview.exchange.imports.judgements import JudgementRecord
from medreview.import_files import (
    Facts,
    Imported,
    import_facts,
    import_file,
    import_table,
    speaks_of_statements,
    store_decisions,
)
from medreview.judges import ties, verdicts
from medreview.judges.batch_in import BatchIn, read_batch
from medreview.judges.batch_out import SHARD_BYTES, BatchOut, write_batch
from medreview.judges.injection import mark_snapshots
from medreview.judges.llm_stage import Interrupted as Interrupted
from medreview.judges.llm_stage import QuestionPlan, Tally, judge_with, plan
from medreview.judges.offline_stage import judge_offline, pairs_waiting
from medreview.judges.tasks.registry import task_for
from medreview.labels import TieRule
from medreview.llm.settings import JudgeSettings
from medreview.progress import SILENT, Progress
from medreview.review import audit
from medreview.review.decision import NO_QUEUE
from medreview.review.event_writer import EventWriter
from medreview.review.queue import Queue
from medreview.review.queue_kinds import Mode
from medreview.review.statement_editing import made_of
from medreview.sources.fetching.network import Network
from medreview.sources.fetching.services import Services
from medreview.sources.saved.pages_folder import PagesFolder
from medreview.sources.saved.save_stage import write_pages
from medreview.sources.saved.warc import WarcPages
from medreview.sources.stage import FetchSummary, Scope, fetch_live, fetch_saved
from medreview.statements.left_out import list_left_out, promotion
from medreview.statements.marker_stage import mark_all
from medreview.statements.stage import ParseSummary, parse_all
from medreview.study import Study
from medreview.study.events import NewEvent, Receipt
from medreview.study.merge import MergeSummary
from medreview.study.merge import merge as merge_events


@dataclass(frozen=True, slots=True)
class Judged:
    """Pairs judged offline now, and how many statements of the study are flagged."""

    pairs: int
    flagged: int


@dataclass(frozen=True, slots=True)
class Judges:
    """Which models to put which task to; ``again``: also where they gave no answer of use before."""

    settings: Sequence[JudgeSettings]
    task: str = "source_verification"
    prompts: Path | None = None
    again: bool = False


@dataclass(frozen=True, slots=True)
class JudgedBy:
    """What each model did, and how many statements of the study are flagged."""

    judges: list[Tally]
    flagged: int


@dataclass(frozen=True, slots=True)
class Edited:
    """The ids of the statements that edits have made, and the receipt of the first edit."""

    statements: list[str]
    receipt: Receipt


@dataclass(frozen=True, slots=True)
class Prepared:
    """What a whole run did, stage by stage."""

    imported: list[Imported]
    citations: CitationSummary
    fetched: FetchSummary
    parsed: ParseSummary
    judged: Judged


@dataclass(frozen=True, slots=True)
class PageProvider:
    """Where the pages come from: saved ones (a folder or a WARC file), or the network and its services."""

    saved: Path | None = None
    network: Network = field(default_factory=Network)
    services: Services = field(default_factory=Services)


def roll_up(study: Study, progress: Progress = SILENT) -> int:
    """Make the table of verdicts, unless it is right; how many statements are flagged.

    It may be wrong in a study that an earlier version made, or in which something was killed or done by hand. What is
    left out of the statements is listed where that was not done yet.
    """
    list_left_out(study, progress)
    if verdicts.is_current(study.reader):
        return verdicts.flagged(study.reader)
    mark_all(study, progress)
    mark_snapshots(study, progress)
    return verdicts.refresh(study, progress)


@contextmanager
def _rolled_up(study: Study, progress: Progress) -> Iterator[None]:
    """Rolls up at the end, also of what breaks off: what was stored by then counts."""
    try:
        yield
    finally:
        roll_up(study, progress)
        study.write(audit.complete)


def bring_in(
    study: Study, path: Path, mapping: Mapping[str, str], progress: Progress = SILENT, *, as_copy: bool = False
) -> Imported:
    """Import one file or folder, whatever it holds: answers, judgements, a SourceCheckup table, an export.

    Judgements, and the decisions of a table, need the pages they speak of; those whose page is not there yet are
    left out and named. ``as_copy``: the export of another study, too.
    Raises :class:`UserError` when the file cannot be used as a whole.
    """
    with _rolled_up(study, progress):
        return import_file(study, path, mapping, progress, as_copy=as_copy)


def bring_facts(study: Study, path: Path, added_by: str, mapping: Mapping[str, str] = AS_NAMED) -> Facts:
    """Import key facts; those whose question nobody answered are left out and named."""
    return import_facts(study, path, mapping, added_by)


def fetch(study: Study, pages: PageProvider, *, scope: Scope = "missing", progress: Progress = SILENT) -> FetchSummary:
    """Get the cited sources that the study does not have yet, also those that could not be had, or all anew.

    What judges said of a page whose text has changed is no vote any more.
    """
    with _rolled_up(study, progress):
        return _fetch(study, pages, scope, progress)


def _fetch(study: Study, pages: PageProvider, scope: Scope, progress: Progress) -> FetchSummary:
    if pages.saved is not None:
        saved = WarcPages(pages.saved) if pages.saved.is_file() else PagesFolder(pages.saved)
        return fetch_saved(study, saved, scope=scope, progress=progress)
    return fetch_live(study, network=pages.network, services=pages.services, scope=scope, progress=progress)


def save_pages(study: Study, folder: Path, progress: Progress = SILENT) -> int:
    """Write the pages of a study into a folder that :class:`PageProvider` can name; how many of them are there now."""
    return write_pages(study, folder, progress)


def parse(study: Study, progress: Progress = SILENT) -> ParseSummary:
    """Split the responses into statements."""
    with _rolled_up(study, progress):
        return parse_all(study, progress)


def promote(
    study: Study,
    reviewer: str,
    left_out_ids: Sequence[str],
    *,
    queue: Queue = NO_QUEUE,
    pass_no: int = 1,
    progress: Progress = SILENT,
    synonyms: Path | None = None,
) -> Edited:
    """Make statements of parts that are left out; the offline judge looks at them, if it has looked at all others.

    Whatever the ``queue``, these are no looks at judges: of a statement that was not there none has said anything.
    Raises :class:`UserError` for an id that nothing has, and when it cannot be saved.
    """
    events = [promotion(study.reader, left_out_id) for left_out_id in dict.fromkeys(left_out_ids)]
    return edit(study, reviewer, events, queue=queue, pass_no=pass_no, progress=progress, synonyms=synonyms)


def edit(
    study: Study,
    reviewer: str,
    events: Sequence[NewEvent],
    *,
    queue: Queue = NO_QUEUE,
    mode: Mode = "blind",
    pass_no: int = 1,
    progress: Progress = SILENT,
    synonyms: Path | None = None,
) -> Edited:
    """Edit statements (``medreview.review.statement_editing``), in one transaction; ``mode``: as they are shown.

    The offline judge looks at what they make, if it has looked at all others. What judges said of what is replaced is
    no word on its parts: a model is to be asked again. Raises :class:`UserError` when it cannot be saved.
    """
    others = pairs_waiting(study.reader)
    with _rolled_up(study, progress):
        receipt = EventWriter(study, reviewer, pass_no).write(events, queue, mode, bookmark=None)
        if not others:
            mark_all(study, progress)
            judge_offline(study, progress, 0, synonyms)
    return Edited([each for event in events for each in made_of(event)], receipt)


def set_tie_rule(study: Study, rule: TieRule, progress: Progress = SILENT) -> None:
    """What the jury of this study gives when its votes are even, from now on and for all that was judged before."""
    with _rolled_up(study, progress):
        ties.set_tie_rule(study, rule)


def merge(study: Study, other: Path, progress: Progress = SILENT) -> MergeSummary:
    """Bring a colleague's decisions in, and the pages they were made on (``medreview.study.merge``).

    Their judgements are not taken over, and the pages that are current here stay so.
    Raises :class:`UserError` when the other file is this one, no study, one that has nothing in common with this one,
    or its record does not verify.
    """
    with _rolled_up(study, progress):
        return merge_events(study, other)


def judge(
    study: Study, progress: Progress = SILENT, processes: int | None = None, synonyms: Path | None = None
) -> Judged:
    """Judge every pair that the offline judge did not see yet, and roll all judgements up.

    ``synonyms``: a reviewer's own table, added to the program's.
    """
    with _rolled_up(study, progress):
        mark_all(study, progress)
        pairs = judge_offline(study, progress, processes, synonyms).pairs
    return Judged(pairs, verdicts.flagged(study.reader))


def judge_by(
    study: Study,
    judges: Judges,
    *,
    limit: int | None = None,
    progress: Progress = SILENT,
    on_wait: Callable[[int], None] = lambda _: None,
) -> JudgedBy:
    """Put a task to models, and roll all judgements up; what was answered before is not asked again.

    Also after an interruption: what had been answered by then counts. The first Ctrl-C lets come in what is in flight
    (``on_wait`` is told how many answers), the second ends it; :class:`Interrupted` is raised at the end of both.
    """
    with _replacing(study, progress) as replacing:
        done = judge_with(
            study,
            judges.settings,
            task=judges.task,
            prompts=judges.prompts,
            limit=limit,
            again=judges.again,
            progress=progress,
            on_wait=on_wait,
        )
        replacing.nothing = not any(tally.units for tally in done.judges)
    return JudgedBy(done.judges, verdicts.flagged(study.reader))


def plan_for(
    study: Study, judges: Judges, *, limit: int | None = None, progress: Progress = SILENT
) -> list[QuestionPlan]:
    """What :func:`judge_by` would ask, and what that would cost; nothing is sent."""
    if study.writable:
        roll_up(study, progress)
    return plan(
        study,
        judges.settings,
        task=judges.task,
        prompts=judges.prompts,
        limit=limit,
        again=judges.again,
        progress=progress,
    )


def batch_out(
    study: Study,
    judges: Judges,
    path: Path,
    *,
    shard_bytes: int = SHARD_BYTES,
    limit: int | None = None,
    progress: Progress = SILENT,
) -> BatchOut:
    """Write what the first of these judges would be asked to files for an engine elsewhere; nothing is sent."""
    with _rolled_up(study, progress):
        extract_all(study, progress)
    settings = judges.settings[0]
    task = task_for(study, settings, judges.task, judges.prompts)
    return write_batch(
        task, settings, path, shard_bytes=shard_bytes, again=judges.again, limit=limit, progress=progress
    )


def batch_in(study: Study, judges: Judges, paths: Sequence[Path], progress: Progress = SILENT) -> BatchIn:
    """Take the results of the first judge's batches back, and roll all judgements up."""
    settings = judges.settings[0]
    with _replacing(study, progress) as replacing:
        done = read_batch(task_for(study, settings, judges.task, judges.prompts), settings, paths, progress)
        replacing.nothing = done.judged == done.abstained == 0
    return done


@dataclass(slots=True)
class _Replacing:
    """``nothing``: no judgement was stored, neither a new one nor in the place of an abstention."""

    nothing: bool = False


@contextmanager
def _replacing(study: Study, progress: Progress) -> Iterator[_Replacing]:
    """As :func:`_rolled_up`, for what may put answers in the place of abstentions, which no fingerprint shows.

    Rolled up at the start as well, since a task may ask on what the judges found so far.
    """
    roll_up(study, progress)
    verdicts.outdate(study)
    replacing = _Replacing()
    with _rolled_up(study, progress):
        yield replacing
        if replacing.nothing:
            verdicts.confirm(study)


def run(
    study: Study,
    files: Sequence[Path],
    mapping: Mapping[str, str],
    pages: PageProvider,
    progress: Progress = SILENT,
    synonyms: Path | None = None,
    processes: int | None = None,
) -> Prepared:
    """From files to a study that is ready to review. Everything is resumable: a second run does what is missing.

    Files of judgements and of people's labels on pairs, and the decisions of SourceCheckup tables, are taken after the
    statements and pages they speak of are there, in whatever order they are named.
    """
    vocabulary(synonyms)  # a wrong table is told before anything is fetched
    kinds = {path: detect_format(path, mapping) for path in files}
    late = {path for path in files if speaks_of_statements(path, mapping)}
    imported: list[Imported] = []
    waiting: list[tuple[Imported, list[JudgementRecord]]] = []
    with _rolled_up(study, progress):
        for path in (path for path in files if path not in late):
            if kinds[path] == "sourcecheckup":
                waiting.append(import_table(study, path, mapping, progress))
                imported.append(waiting[-1][0])
            else:
                imported.append(import_file(study, path, mapping, progress))
        citations = extract_all(study, progress)
        fetched = _fetch(study, pages, "missing", progress)
        parsed = parse_all(study, progress)
        mark_all(study, progress)
        for done, decisions in waiting:
            store_decisions(study, done, decisions, progress)
        imported += [import_file(study, path, mapping, progress) for path in files if path in late]
        pairs = judge_offline(study, progress, processes, synonyms).pairs
    return Prepared(imported, citations, fetched, parsed, Judged(pairs, verdicts.flagged(study.reader)))
