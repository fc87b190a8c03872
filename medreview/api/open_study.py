"""Opening a study, bringing it to where it can be reviewed, and keeping it: the way in to all that Python can do."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from medreview.api.figures import Figures
from medreview.api.opened import GivingLabels, OpenedFile, Place, Reading
from medreview.progress import SILENT, Progress
from medreview.study import Study

if TYPE_CHECKING:
    from medreview.api.material import StudyStatement
    from medreview.exchange.exports.export import ExportSummary
    from medreview.import_files import Chosen, Imported
    from medreview.judges.llm_stage import QuestionPlan
    from medreview.llm.settings import JudgeSettings
    from medreview.pipeline import Attached, Choice, Generated, Judged, JudgedBy, Judges, Only, PageProvider, Prepared
    from medreview.sources.stage import FetchSummary, Scope
    from medreview.statements.left_out import LeftOut
    from medreview.statements.stage import ParseSummary
    from medreview.study.merge import MergeSummary


class Preparing(OpenedFile):
    """The stages, as the commands of the same names run them."""

    def run(
        self,
        *files: Place,
        pages: Place | None = None,
        mapping: Mapping[str, str] | None = None,
        processes: int | None = 0,
        library: Place | Sequence[Place] = (),
        references: bool | None = None,
        ocr: bool | None = None,
    ) -> Prepared:
        """Import files, fetch what they cite, split the responses and judge offline: ready to review.

        ``pages`` and ``ocr``, ``mapping`` and ``processes`` are those of ``fetch``, ``import_file`` and ``judge``. The
        references of the responses are held against the works of ``library``, one file or several (CSL-JSON, RIS,
        BibTeX, nbib), and with ``references`` the services look them up, to which their words are sent; by default both
        are those of the settings. Whatever was done before is not done again. Raises ``UserError`` for a file that
        cannot be used as a whole.
        """
        from medreview import pipeline
        from medreview.configured import authorities_of

        config = self._config()
        libraries = [Path(one) for one in ((library,) if isinstance(library, str | PathLike) else library)]
        ask = False if references is None and pages is not None else references
        return pipeline.run(
            self._study,
            [Path(file) for file in files],
            mapping or {},
            self._pages(pages, ocr),
            self._progress,
            config.synonyms_file,
            processes=processes,
            references=authorities_of(config, libraries, ask=ask),
        )

    def import_file(
        self,
        path: Place,
        mapping: Mapping[str, str] | None = None,
        *,
        as_copy: bool = False,
        chosen: Chosen | None = None,
    ) -> Imported:
        """Import one file, whatever it holds: answers, judgements, a SourceCheckup table; or the folder of an export.

        A file of answers may be a text, JSON, a table, a Word document, a workbook, a PDF, a saved web page, RTF.

        ``mapping`` says which column is which field, ``{"answer_text": "response"}``; ``{"judge:": "RefChecker"}``
        gives every record that text. A broken record is left out and named in ``bad``; importing twice adds nothing.
        ``as_copy`` takes the export of another study into one that has material of its own. ``chosen``: which answers
        of a file that a known system wrote, and what such a file does not say.
        Raises ``UserError`` for a file that cannot be used as a whole.
        """
        from medreview import pipeline
        from medreview.import_files import Chosen

        wanted = chosen or Chosen()
        return pipeline.bring_in(self._study, Path(path), mapping or {}, self._progress, as_copy=as_copy, chosen=wanted)

    def fetch(self, pages: Place | None = None, *, scope: Scope = "missing", ocr: bool | None = None) -> FetchSummary:
        """Get the cited pages: from ``pages`` (a folder of saved pages or a WARC file), else from the network.

        ``scope``: ``"missing"`` those never asked for, ``"failed"`` also those that could not be had, ``"all"`` all
        again. A page that has changed becomes a new snapshot; the old one stays. ``ocr``: pages of PDFs without text
        are read from their pictures, also those that came before; by default as the settings say. Raises ``UserError``
        when ``medreview[ocr]`` is not installed for it.
        """
        from medreview import pipeline

        return pipeline.fetch(self._study, self._pages(pages, ocr), scope=scope, progress=self._progress)

    def attach(
        self,
        source: str,
        file: Place | None = None,
        *,
        text: str = "",
        reviewer: str | None = None,
        force: bool = False,
    ) -> Attached:
        """Give the text of a source yourself: a ``file`` (PDF, saved page, text) or a ``text``; what came of it.

        ``source``: its address, DOI, PMID or id, or a part of its address. It is held against the address, the DOI and
        the title of the source and of the references that name it, and becomes a snapshot of the page state
        ``"given_by_reviewer"``. ``reviewer`` is by default that of the settings. Raises ``UserError`` for no such
        source or several, for what holds no text, and unless with ``force`` where it looks like another work or would
        take the place of a page that was read.
        """
        from medreview import pipeline
        from medreview.errors import UserError

        config = self._config()
        if (file is None) == (not text):
            raise UserError("Give a file or a text.")
        body = text.encode("utf-8", "replace") if file is None else pipeline.bytes_of(Path(file))
        given = pipeline.look_at(self._study, source, body, "a text" if file is None else Path(file).name)
        return pipeline.attach(
            self._study, given, reviewer or config.reviewer, force=force, progress=self._progress,
            synonyms=config.synonyms_file,
        )  # fmt: skip

    def parse(self) -> ParseSummary:
        """Split the responses that were not split yet into statements, by rules."""
        from medreview import pipeline

        return pipeline.parse(self._study, self._progress)

    def promote(self, *parts: LeftOut | str, reviewer: str | None = None) -> list[StudyStatement]:
        """Make statements of parts that are left out (or of their ids), judged offline like the others: an event.

        The new statements, in the order given. ``reviewer`` is by default that of the settings. It cannot be undone.
        Raises ``UserError`` for an id that nothing has, and when it cannot be saved.
        """
        from medreview import pipeline
        from medreview.api.material import read_statements

        ids = [part if isinstance(part, str) else part.left_out_id for part in parts]
        config = self._config()
        if not ids:
            return []
        done = pipeline.promote(
            self._study, reviewer or config.reviewer, ids, progress=self._progress, synonyms=config.synonyms_file
        )
        return list(read_statements(self._study.reader, done.statements, 1))

    def judge(self, *, processes: int | None = 0, semantic: bool | None = None) -> Judged:
        """Let the offline judge look at the pairs that it has not seen, and roll all judgements up.

        It is triage by rules, no verdict. ``processes``: 0 works in this one, ``None`` takes one per processor for many
        pairs; a script that asks for more must keep its own code under ``if __name__ == "__main__":``.
        ``semantic``: ask a model of meaning for the order, by default as the settings say.
        """
        from medreview import pipeline
        from medreview.configured import meaning_of

        config = self._config()
        meaning = meaning_of(config, semantic)
        return pipeline.judge(self._study, self._progress, processes, config.synonyms_file, meaning)

    def judge_by(
        self,
        *judges: str | JudgeSettings,
        task: str = "source_verification",
        where: str = "",
        reviewer: str | None = None,
        only: Only | Collection[Only] = (),
        cited_only: bool = False,
        limit: int | None = None,
        seed: int | None = None,
        again: bool = False,
        local_only: bool = False,
    ) -> JudgedBy:
        """Put a task to models, all at once, and roll all judgements up; nothing is asked or paid for twice.

        ``judges`` are names of the settings (``[judges.NAME]``) or ``JudgeSettings``. ``where``: only a part of the
        study, in the words of the filters of queues (``"model=atlas-2"``); ``reviewer``: whose labels ``mine=`` in it
        asks for. ``only``: statements that are ``"labelled"``, in the ``"audit"``, ``"flagged"``, or all of several.
        ``cited_only``: only pairs in which the statement itself cites the source. ``limit``: at most so many units for
        each now; with a ``seed`` they are a random draw, which the same seed draws again and goes on with. ``again``:
        also where an answer was of no use before. Texts that leave this machine are announced by a ``UserWarning``;
        ``local_only`` refuses that. Raises ``UserError`` for an unknown judge, task or filter, a choice that nothing
        fits, a missing key, and a refused one, before anything is sent.
        """
        from medreview import pipeline
        from medreview.llm.settings import where_texts_go

        choice = self._choice(where, reviewer, only, cited_only, seed)
        asked = self._judges(judges, task, again=again, local_only=local_only, choice=choice)
        if not all(judge.is_local for judge in asked.settings):
            warnings.warn("\n".join(where_texts_go(asked.settings)), stacklevel=2)
        return pipeline.judge_by(self._study, asked, limit=limit, progress=self._progress)

    def plan(
        self,
        *judges: str | JudgeSettings,
        task: str = "source_verification",
        where: str = "",
        reviewer: str | None = None,
        only: Only | Collection[Only] = (),
        cited_only: bool = False,
        limit: int | None = None,
        seed: int | None = None,
        again: bool = False,
    ) -> list[QuestionPlan]:
        """What ``judge_by`` would ask each judge, in calls, tokens and cost; nothing is sent."""
        from medreview import pipeline

        choice = self._choice(where, reviewer, only, cited_only, seed)
        asked = self._judges(judges, task, again=again, local_only=False, choice=choice)
        return pipeline.plan_for(self._study, asked, limit=limit, progress=self._progress)

    def generate(
        self,
        generator: str,
        model: str | JudgeSettings,
        *,
        judge: str | JudgeSettings | None = None,
        limit: int | None = None,
        again: bool = False,
        local_only: bool = False,
        **options: Any,
    ) -> Generated:
        """Let a model write: ``"questions"`` or another word of ``medreview generate``; nothing is asked twice.

        ``model`` and ``judge``, which verifies, are names of the settings or ``JudgeSettings``; ``options`` are the
        generator's own. ``again``: also inputs of which nothing was made. What is made waits in the queue of its unit.
        Texts that leave this machine are announced by a ``UserWarning``; ``local_only`` refuses that. Raises
        ``UserError`` as ``judge_by`` does, and for a word that no generator has.
        """
        from functools import partial

        from medreview import pipeline
        from medreview.configured import model_of, prompts_of
        from medreview.errors import UserError
        from medreview.generators.registry import GENERATORS
        from medreview.llm.settings import where_texts_go

        if generator not in GENERATORS:
            raise UserError(f"There is no generator {generator!r}; there are: {', '.join(GENERATORS)}.")
        config = self._config()
        writer = model_of(config, model, local_only=local_only)
        second = None
        if judge is not None:
            second = self._judges((judge,), "", again=False, local_only=local_only).settings[0]
        asked = [writer, *([second] if second else [])]
        if not all(one.is_local for one in asked):
            warnings.warn("\n".join(where_texts_go(asked, GENERATORS[generator].goes_out or "Texts go")), stacklevel=2)
        if GENERATORS[generator].tells:
            options["to"] = self._reading()
        make = partial(GENERATORS[generator], **options)
        generating = pipeline.Generating(make, writer, second, prompts_of(config), again)
        return pipeline.generate(self._study, generating, limit=limit, progress=self._progress)

    def merge(self, *others: Place, only: Literal["", "decisions", "judgements", "generated"] = "") -> MergeSummary:
        """Join other copies with the study: decisions, pages, what judges, rules and services said, and what generators
        made; twice adds nothing. ``only``: one of these parts.

        Raises ``UserError`` when another file is this one, no study, or what it holds cannot be relied on.
        """
        from medreview import pipeline
        from medreview.study.merge import BRINGS

        copies = [Path(other) for other in others]
        return pipeline.merge(self._study, copies, self._progress, [only] if only else tuple(BRINGS))

    def check(self, *, against: Sequence[Place] = ()) -> list[str]:
        """What is wrong with the file, one sentence each: stored values, places, the chain of decisions.

        ``against``: exports that must have been made of it, and whose files must be as they were written. Raises
        ``UserError`` when one is not of this study.
        """
        from medreview.exchange.files.export_folder import not_as_exported
        from medreview.study.check import check_study

        exports = [fault for folder in against for fault in not_as_exported(self._study, Path(folder))]
        return check_study(self._study).faults + exports

    def backup(self, target: Place | None = None) -> Path:
        """Copy the study to a new file, by default a dated one beside it; the copy's path.

        Raises ``UserError`` when the target exists or cannot be written.
        """
        from medreview.study.backup import backup_to

        return backup_to(self.path, None if target is None else Path(target))

    def export(
        self,
        folder: Place,
        *,
        dialect: Literal["analysis", "excel"] = "analysis",
        sqlite: str = "",
        jsonl: bool = False,
        deposit: bool = False,
        page_text: bool = True,
    ) -> ExportSummary:
        """Write the study as CSV files with a codebook and a manifest; what was written.

        ``dialect``: ``"analysis"`` is plain UTF-8, ``"excel"`` guards formulas. ``sqlite`` names a database
        (``"labels.db"``) that holds all tables too, with views, search and metadata for Datasette; ``jsonl`` adds
        ``labels.jsonl``, a line for each labelled unit with all that belongs to it. ``deposit`` makes the folder fit
        for a repository, with pseudonyms and without texts of pages. ``page_text``: whether the texts of the pages are
        in the database, and passages of them in ``labels.jsonl``. Raises ``UserError`` when the folder holds anything
        but an earlier export of this study.
        """
        from medreview.exchange.exports.export import export

        self._looked("export", "verdicts")
        return export(
            self._study, Path(folder), dialect, self._progress, database=sqlite, jsonl=jsonl, page_text=page_text,
            for_deposit=deposit,
        )  # fmt: skip

    def _pages(self, saved: Place | None, ocr: bool | None) -> PageProvider:
        from medreview.configured import pages_of

        return pages_of(self._config(), None if saved is None else Path(saved), ocr=ocr)

    def _judges(
        self,
        judges: tuple[str | JudgeSettings, ...],
        task: str,
        *,
        again: bool,
        local_only: bool,
        choice: Choice | None = None,
    ) -> Judges:
        from medreview.configured import judges_of

        return judges_of(self._config(), judges, task=task, again=again, local_only=local_only, choice=choice)

    @staticmethod
    def _choice(
        where: str, reviewer: str | None, only: Only | Collection[Only], cited_only: bool, seed: int | None
    ) -> Choice:
        from medreview.pipeline import Choice

        return Choice(where, reviewer, only, cited_only, seed)


class OpenStudy(Figures, GivingLabels, Reading, Preparing):
    """A study file that is open; a context manager that closes it. ``open_study`` and its siblings make it.

    Methods that change the study return after the commit and raise ``UserError`` for one that is open for reading
    only. It is for the thread that opened it. It may be used where an event loop runs, as in a notebook.
    """


def create_study(
    path: Place, title: str = "", *, settings: Place | None = None, progress: Progress = SILENT
) -> OpenStudy:
    """Make a new, empty study and open it for writing; without a ``title`` it is called as its file is.

    Raises ``UserError`` when something is there already, or the place cannot be written.
    """
    return OpenStudy(Study.create(Path(path), title), settings=settings, progress=progress)


def open_study(
    path: Place, *, read_only: bool = False, settings: Place | None = None, progress: Progress = SILENT
) -> OpenStudy:
    """Open a study; one that an earlier version made is migrated, unless ``read_only``.

    Only one may write at a time; any number may read meanwhile. ``settings`` is a settings file in place of the one
    that commands find (``medreview.toml`` here, else the user's). ``progress`` receives the progress of long work.
    Raises ``UserError`` when it is missing, not a study, damaged, newer than this program, or open for writing already.
    """
    return OpenStudy(Study.open(Path(path), read_only=read_only), settings=settings, progress=progress)


def create_demo(path: Place, *, progress: Progress = SILENT) -> OpenStudy:
    """Make the sample study of ``medreview demo`` and open it for writing: sixteen answers, no network.

    Raises ``UserError`` when something is there already, or the place cannot be written.
    """
    from medreview.demo import make_demo

    return OpenStudy(make_demo(Path(path), progress), progress=progress)
