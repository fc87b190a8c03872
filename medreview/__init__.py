"""A workbench for a clinician who checks what a language model says about medicine.

The core: everything except the workbench itself (``medreview.screens``). It never imports Textual,
and only ``medreview.cli`` imports Rich. Data flows one way, in the order of the folders::

    exchange -> citations -> sources -> statements -> judges -> review -> stats -> exchange
    (read)      (extract)    (fetch)    (split)      (+ evidence)         (figures)  (write)

with ``study`` (the SQLite file) under all of them and ``pipeline`` the only module that knows the order.

For Python, everything public is here, and each name is loaded when it is first used (``docs/reference/api.md``)::

    with medreview.open_study("sepsis.medreview", read_only=True) as study:
        for comparison in study.agreement(mode="blind"):
            print(comparison.estimate("Cohen's kappa"))
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from medreview.api.material import MarkedPassage, StudyStatement
    from medreview.api.open_study import OpenStudy, create_demo, create_study, open_study
    from medreview.api.tables import Table
    from medreview.api.texts import extract_citations, find_evidence, ground_quote, split_statements
    from medreview.citations.citation import Citation
    from medreview.errors import NotSaved, NotSavedHere, UserError
    from medreview.evidence.assess import Assessment
    from medreview.evidence.clash import Clash
    from medreview.evidence.differences import Difference
    from medreview.evidence.grounding import Grounding, QuoteIndex
    from medreview.evidence.passage_ranking import Hit, SourceIndex
    from medreview.exchange.exports.export import ExportSummary
    from medreview.exchange.exports.label_rows import LabelRow
    from medreview.exchange.exports.pair_rows import PairRow
    from medreview.exchange.exports.study_rows import JudgementRow
    from medreview.exchange.files.columns import Column
    from medreview.exchange.imports.file_rows import BadRecord
    from medreview.generators.counts import GenerationCounts
    from medreview.import_files import Chosen, Imported
    from medreview.judges.llm_stage import QuestionPlan, Tally
    from medreview.llm.settings import JudgeSettings
    from medreview.pipeline.asking import Generated, JudgedBy
    from medreview.pipeline.attaching import Attached
    from medreview.pipeline.preparing import Judged, Prepared
    from medreview.progress import Progress
    from medreview.review.reviewer_state import ReviewerSpan, ReviewerState
    from medreview.review.study_response import StudyResponse
    from medreview.sources.stage import FetchSummary
    from medreview.statements.left_out import LeftOut
    from medreview.statements.split import Dropped, Parsed, Statement
    from medreview.statements.stage import ParseSummary
    from medreview.stats.citation_kpis import CitationReport
    from medreview.stats.formulas.bootstrap import Resampling
    from medreview.stats.formulas.estimate import Estimate
    from medreview.stats.reports.audit_report import AuditReport
    from medreview.stats.reports.comparison import Comparison
    from medreview.stats.reports.study_support import SupportFigures, SupportReport
    from medreview.stats.study_figures import StudyFigures
    from medreview.stats.url_analysis import UrlReport
    from medreview.study.events import Receipt
    from medreview.study.merge import MergeSummary
    from medreview.text import Span
    from medreview.units.cited_source import Source
    from medreview.units.statement_view import Judgement, Verdict

__version__ = "1.0.0"

__all__ = [
    "Assessment",
    "Attached",
    "AuditReport",
    "BadRecord",
    "Chosen",
    "Citation",
    "CitationReport",
    "Clash",
    "Column",
    "Comparison",
    "Difference",
    "Dropped",
    "Estimate",
    "ExportSummary",
    "FetchSummary",
    "Generated",
    "GenerationCounts",
    "Grounding",
    "Hit",
    "Imported",
    "JudgeSettings",
    "Judged",
    "JudgedBy",
    "Judgement",
    "JudgementRow",
    "LabelRow",
    "LeftOut",
    "MarkedPassage",
    "MergeSummary",
    "NotSaved",
    "NotSavedHere",
    "OpenStudy",
    "PairRow",
    "ParseSummary",
    "Parsed",
    "Prepared",
    "Progress",
    "QuestionPlan",
    "QuoteIndex",
    "Receipt",
    "Resampling",
    "ReviewerSpan",
    "ReviewerState",
    "Source",
    "SourceIndex",
    "Span",
    "Statement",
    "StudyFigures",
    "StudyResponse",
    "StudyStatement",
    "SupportFigures",
    "SupportReport",
    "Table",
    "Tally",
    "UrlReport",
    "UserError",
    "Verdict",
    "create_demo",
    "create_study",
    "extract_citations",
    "find_evidence",
    "ground_quote",
    "open_study",
    "split_statements",
]

_HOMES = {
    "medreview.api.material": ("MarkedPassage", "StudyStatement"),
    "medreview.api.open_study": ("OpenStudy", "create_demo", "create_study", "open_study"),
    "medreview.api.tables": ("Table",),
    "medreview.api.texts": ("extract_citations", "find_evidence", "ground_quote", "split_statements"),
    "medreview.citations.citation": ("Citation",),
    "medreview.errors": ("NotSaved", "NotSavedHere", "UserError"),
    "medreview.evidence.assess": ("Assessment",),
    "medreview.evidence.clash": ("Clash",),
    "medreview.evidence.differences": ("Difference",),
    "medreview.evidence.grounding": ("Grounding", "QuoteIndex"),
    "medreview.evidence.passage_ranking": ("Hit", "SourceIndex"),
    "medreview.exchange.exports.export": ("ExportSummary",),
    "medreview.exchange.exports.label_rows": ("LabelRow",),
    "medreview.exchange.exports.pair_rows": ("PairRow",),
    "medreview.exchange.exports.study_rows": ("JudgementRow",),
    "medreview.exchange.files.columns": ("Column",),
    "medreview.exchange.imports.file_rows": ("BadRecord",),
    "medreview.import_files": ("Chosen", "Imported"),
    "medreview.judges.llm_stage": ("QuestionPlan", "Tally"),
    "medreview.llm.settings": ("JudgeSettings",),
    "medreview.pipeline.attaching": ("Attached",),
    "medreview.pipeline.asking": ("Generated", "JudgedBy"),
    "medreview.pipeline.preparing": ("Judged", "Prepared"),
    "medreview.generators.counts": ("GenerationCounts",),
    "medreview.progress": ("Progress",),
    "medreview.review.reviewer_state": ("ReviewerSpan", "ReviewerState"),
    "medreview.units.cited_source": ("Source",),
    "medreview.units.statement_view": ("Judgement", "Verdict"),
    "medreview.review.study_response": ("StudyResponse",),
    "medreview.sources.stage": ("FetchSummary",),
    "medreview.statements.left_out": ("LeftOut",),
    "medreview.statements.split": ("Dropped", "Parsed", "Statement"),
    "medreview.statements.stage": ("ParseSummary",),
    "medreview.stats.citation_kpis": ("CitationReport",),
    "medreview.stats.url_analysis": ("UrlReport",),
    "medreview.stats.formulas.bootstrap": ("Resampling",),
    "medreview.stats.formulas.estimate": ("Estimate",),
    "medreview.stats.reports.audit_report": ("AuditReport",),
    "medreview.stats.reports.comparison": ("Comparison",),
    "medreview.stats.study_figures": ("StudyFigures",),
    "medreview.stats.reports.study_support": ("SupportFigures", "SupportReport"),
    "medreview.study.events": ("Receipt",),
    "medreview.study.merge": ("MergeSummary",),
    "medreview.text": ("Span",),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}


if not TYPE_CHECKING:  # to a type checker, a module with __getattr__ would have every name

    def __getattr__(name: str) -> Any:
        """A public name, from the module that defines it (PEP 562): ``import medreview`` alone loads none of them."""
        if name not in _HOME_OF:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(_HOME_OF[name]), name)
        return value


def __dir__() -> list[str]:
    """What there is, for editors and ``dir``, loaded or not."""
    return sorted({*globals(), *__all__})
