"""From files to a study that is ready to review: import, pages, references, statements, offline judge, semantic model.

References are found in responses and checked by libraries and services. What a model of meaning costs is said before
it is asked, pair by pair.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from medreview.citations.stage import CitationSummary, extract_all
from medreview.evidence.terms import vocabulary
from medreview.exchange.imports.field_mapping import AS_NAMED
from medreview.exchange.imports.judgements import JudgementRecord
from medreview.import_files import (
    Chosen,
    Imported,
    detect_format,
    import_file,
    import_table,
    speaks_of_statements,
    store_decisions,
)
from medreview.judges import verdicts
from medreview.judges.claimed_quotes import ground_claims
from medreview.judges.entailment import PROMPT_CHARACTERS, configured_entailment
from medreview.judges.offline_stage import judge_offline
from medreview.judges.prompt_texts import fence_key
from medreview.judges.semantic_stage import (
    MeaningModels,
    SemanticPlan,
    SemanticSummary,
    by_rules_alone,
    judge_by_meaning,
    plan,
)
from medreview.llm.settings import JudgeSettings, where_texts_go
from medreview.llm.store import CallStore
from medreview.pipeline.identifier_check import refuse_identifiers
from medreview.pipeline.rolling_up import rolled_up
from medreview.progress import SILENT, Progress
from medreview.references.matched_folder import MatchedFolder, SourceWorks
from medreview.references.stage import Authorities, CheckSummary, check_all, find_all
from medreview.semantic.configured import SemanticSettings, configured_encoder, cost
from medreview.sources.fetching.network import Network, Services
from medreview.sources.page_reader import require_ocr
from medreview.sources.saved.pages_folder import MANIFEST, PagesFolder
from medreview.sources.saved.warc import WarcPages
from medreview.sources.scan_stage import read_scans, scans_left, take_recorded
from medreview.sources.stage import FetchSummary, SavedSource, Scope, fetch_live, fetch_saved, write_pages
from medreview.statements.stage import ParseSummary, mark_all, parse_all
from medreview.study import Study
from medreview.study.before_import import before_import
from medreview.text import counted
from medreview.units.key_fact_files import ImportedFacts, import_facts

_AS_FOUND = Chosen()


@dataclass(frozen=True, slots=True)
class Meaning:
    """Models of meaning to be asked: their settings, the endpoint of the encoder (``None``: on this machine), and
    ``say``, which first gets what is sent where, and its cost, in lines; ``entailment``: the model of entailment."""

    settings: SemanticSettings
    endpoint: JudgeSettings | None = None
    say: Callable[[str], None] | None = None
    entailment: JudgeSettings | None = None

    @property
    def endpoints(self) -> list[JudgeSettings]:
        """Where texts go."""
        return [one for one in (self.endpoint, self.entailment) if one is not None]


@dataclass(frozen=True, slots=True)
class PlannedMeaning:
    """What a model of meaning would be asked, and the lines that say so."""

    model: str
    plan: SemanticPlan
    lines: tuple[str, ...]


def plan_meaning(
    study: Study, meaning: Meaning, synonyms: Path | None = None, progress: Progress = SILENT
) -> PlannedMeaning:
    """The plan of asking about the pairs of a study that were judged by rules; asks nothing.

    Raises :class:`UserError` for a model that is not installed, or that the settings do not have.
    """
    models = _models(study, meaning)
    planned = plan(study, models, synonyms=synonyms, progress=progress)
    lines, asked = [], []
    if planned.pairs and models.nearness:
        kept = "every text is encoded already."
        what = cost(planned.texts, planned.characters, meaning.endpoint) if planned.texts else kept
        lines.append(f"{models.nearness.name}, for the order of {counted(planned.pairs, 'pair')}: {what}")
        asked += [meaning.endpoint] if meaning.endpoint and planned.texts else []
    if planned.read and models.entailment and meaning.entailment:
        prompts = planned.pairs * PROMPT_CHARACTERS if meaning.settings.entailment == "chat" else 0
        what = cost(planned.read, planned.read_characters + prompts, meaning.entailment)
        lines.append(f"{models.entailment.name}, whether pages contradict, {counted(planned.pairs, 'pair')}: {what}")
        asked.append(meaning.entailment)
    if asked:
        lines += where_texts_go(asked, "Statements and passages of their pages go")
    return PlannedMeaning(models.name, planned, tuple(lines))


def ask_meaning(
    study: Study, meaning: Meaning, synonyms: Path | None = None, progress: Progress = SILENT
) -> SemanticSummary:
    """Say the cost, then ask about every pair that was judged by rules and has no score of this model.

    Raises as :func:`plan_meaning`. A pair without an answer keeps the score of the rules, and is reported.
    """
    planned = plan_meaning(study, meaning, synonyms, progress)
    for line in planned.lines:
        if meaning.say:
            meaning.say(line)
    if not planned.plan.pairs:
        return SemanticSummary(planned.model)
    if meaning.endpoints:
        refuse_identifiers(study, meaning.endpoints)
    return judge_by_meaning(study, _models(study, meaning), synonyms, progress)


def _models(study: Study, meaning: Meaning) -> MeaningModels:
    settings, store = meaning.settings, CallStore(study)
    named = {meaning.endpoint.name: meaning.endpoint} if meaning.endpoint else {}
    encoder = configured_encoder(settings, named, store) if settings.encoder or not meaning.entailment else None
    key = fence_key(study) if meaning.entailment and study.writable else ""
    entailment = configured_entailment(settings, meaning.entailment, store, key) if meaning.entailment else None
    return MeaningModels(encoder, entailment, settings.entailment_orders)


@dataclass(frozen=True, slots=True)
class Judged:
    """Pairs judged offline now, and how many statements of the study are flagged.

    ``meaning``: what a model of meaning was asked for the order; ``None`` where none is used.
    """

    pairs: int
    flagged: int
    meaning: SemanticSummary | None = None


@dataclass(frozen=True, slots=True)
class Prepared:
    """What a whole run did, stage by stage; ``references`` is ``None`` where they were held against nothing."""

    imported: list[Imported]
    citations: CitationSummary
    fetched: FetchSummary
    parsed: ParseSummary
    judged: Judged
    references: CheckSummary | None = None


@dataclass(frozen=True, slots=True)
class PageProvider:
    """Where the pages come from: saved ones (a folder or a WARC file), or the network and its services.

    ``ocr``: pages of PDFs without text are read from their pictures then, also those that came before. ``recorded``:
    what was read so elsewhere (``sources.scan_stage``).
    """

    saved: Path | None = None
    network: Network = field(default_factory=Network)
    services: Services = field(default_factory=Services)
    ocr: bool = False
    recorded: Path | None = None


def bring_in(
    study: Study,
    path: Path,
    mapping: Mapping[str, str],
    progress: Progress = SILENT,
    *,
    as_copy: bool = False,
    chosen: Chosen = _AS_FOUND,
) -> Imported:
    """Import one file or folder, whatever it holds: answers, judgements, a SourceCheckup table, an export.

    Judgements, and the decisions of a table, need the pages they speak of; those whose page is not there yet are
    left out and named. ``as_copy``: the export of another study, too; ``chosen``: of answers of a known system.
    Raises :class:`UserError` when the file cannot be used as a whole.
    """
    with rolled_up(study, progress):
        return import_file(study, path, mapping, progress, as_copy=as_copy, chosen=chosen)


def bring_facts(
    study: Study, path: Path, added_by: str, mapping: Mapping[str, str] = AS_NAMED, *, suggest: bool = False
) -> ImportedFacts:
    """Import key facts; those that nobody has written on yet wait for texts. The study is copied first, as before an
    import. ``suggest``: as suggested facts of cases, which reviewers keep, edit or discard.

    Raises :class:`UserError` when none of them can be used.
    """
    with rolled_up(study, SILENT), before_import(study, [path]) as kept:
        done = import_facts(study, path, mapping, added_by, suggest=suggest)
        kept.added = bool(done.added)
    return done


def fetch(study: Study, pages: PageProvider, *, scope: Scope = "missing", progress: Progress = SILENT) -> FetchSummary:
    """Get the cited sources that the study does not have yet, also those that could not be had, or all again.

    Judgements of a page whose text has changed are not votes any more.
    """
    with rolled_up(study, progress):
        return _fetch(study, pages, scope, progress)


def _fetch(study: Study, pages: PageProvider, scope: Scope, progress: Progress) -> FetchSummary:
    if pages.ocr:
        require_ocr()  # reported before anything is fetched
    summary = _fetch_pages(study, pages, scope, progress)
    if pages.recorded:
        summary.by_ocr = take_recorded(study, pages.recorded)
    if pages.ocr:
        done = read_scans(study, progress)
        summary.by_ocr, summary.not_by_ocr = summary.by_ocr + done.read, done.failed
    summary.scans = scans_left(study.reader)
    return summary


def _fetch_pages(study: Study, pages: PageProvider, scope: Scope, progress: Progress) -> FetchSummary:
    if pages.saved is not None:
        return fetch_saved(study, _saved(study, pages.saved, progress), scope=scope, progress=progress)
    return fetch_live(study, network=pages.network, services=pages.services, scope=scope, progress=progress)


def _saved(study: Study, place: Path, progress: Progress) -> SavedSource:
    """Saved pages: a WARC file, a folder with a list, or one whose files are matched by what they say of themselves."""
    if place.is_file():
        return WarcPages(place)
    if (place / MANIFEST).is_file() or not place.is_dir():
        return PagesFolder(place)
    extract_all(study, progress)
    find_all(study, progress)  # the titles of the works
    return MatchedFolder(place, SourceWorks.of(study.reader), progress)


def save_pages(study: Study, folder: Path, progress: Progress = SILENT) -> int:
    """Write the pages of a study into a folder that :class:`PageProvider` can name; how many of them are there now."""
    return write_pages(study, folder, progress)


def parse(study: Study, progress: Progress = SILENT, references: Authorities | None = None) -> ParseSummary:
    """Split the responses into statements, find the references in them, and hold these against ``references``."""
    with rolled_up(study, progress):
        done = parse_all(study, progress)
        mark_all(study, progress)
        find_all(study, progress)
        if references:
            check_all(study, references, progress)
    return done


def judge(
    study: Study,
    progress: Progress = SILENT,
    processes: int | None = None,
    synonyms: Path | None = None,
    meaning: Meaning | None = None,
) -> Judged:
    """Judge every pair that the offline judge did not see yet, and roll all judgements up.

    ``synonyms``: a reviewer's own table, added to the program's. ``meaning``: the model of meaning that is asked for
    the order; without one, scores that have one keep it.
    """
    with rolled_up(study, progress):
        mark_all(study, progress)
        pairs = judge_offline(study, progress, processes, synonyms)
        ground_claims(study, progress)
        asked = ask_meaning(study, meaning, synonyms, progress) if meaning else None
    return Judged(pairs, verdicts.flagged(study.reader), asked)


def order_by_rules(study: Study, progress: Progress = SILENT) -> int:
    """Take the part of models of meaning out of every score; how many pairs had one."""
    with rolled_up(study, progress):
        return by_rules_alone(study)


def run(
    study: Study,
    files: Sequence[Path],
    mapping: Mapping[str, str],
    pages: PageProvider,
    progress: Progress = SILENT,
    synonyms: Path | None = None,
    processes: int | None = None,
    references: Authorities | None = None,
    meaning: Meaning | None = None,
    chosen: Chosen = _AS_FOUND,
) -> Prepared:
    """From files to a study that is ready to review. Everything is resumable: a second run does what is missing.

    ``references``: what those of the responses are held against; without it they are found only. ``meaning``: the model
    of meaning that is asked for the order. ``chosen``: of answers of a known system.

    Files of judgements and of people's labels on pairs, and the decisions of SourceCheckup tables, are taken after the
    statements and pages they speak of are there, in whatever order they are named.
    """
    vocabulary(synonyms)  # a wrong table is reported before anything is fetched
    kinds = {path: detect_format(path, mapping) for path in files}
    late = {path for path in files if speaks_of_statements(path, mapping)}
    imported: list[Imported] = []
    waiting: list[tuple[Imported, list[JudgementRecord]]] = []
    with rolled_up(study, progress):
        for path in (path for path in files if path not in late):
            if kinds[path] == "sourcecheckup":
                waiting.append(import_table(study, path, mapping, progress))
                imported.append(waiting[-1][0])
            else:
                imported.append(import_file(study, path, mapping, progress, chosen=chosen))
        citations = extract_all(study, progress)
        fetched = _fetch(study, pages, "missing", progress)
        parsed = parse_all(study, progress)
        mark_all(study, progress)
        find_all(study, progress)
        checked = check_all(study, references, progress) if references else None
        for done, decisions in waiting:
            store_decisions(study, done, decisions, progress)
        imported += [import_file(study, path, mapping, progress) for path in files if path in late]
        pairs = judge_offline(study, progress, processes, synonyms)
        ground_claims(study, progress)
        asked = ask_meaning(study, meaning, synonyms, progress) if meaning else None
    judged = Judged(pairs, verdicts.flagged(study.reader), asked)
    return Prepared(imported, citations, fetched, parsed, judged, checked)


def find_references(study: Study, progress: Progress = SILENT) -> int:
    """Find the references of every response that the rules did not see yet; how many responses those were.

    Offline, and a matter of milliseconds a response.
    """
    with rolled_up(study, progress):
        return _find(study, progress)


def check_references(study: Study, authorities: Authorities, progress: Progress = SILENT) -> CheckSummary:
    """Find the references that were not found yet, and check those that these authorities did not look at.

    What is asked and kept: :func:`medreview.references.stage.check_all`.
    """
    with rolled_up(study, progress):
        _find(study, progress)
        return check_all(study, authorities, progress)


def _find(study: Study, progress: Progress) -> int:
    extract_all(study, progress)
    mark_all(study, progress)
    return find_all(study, progress)
