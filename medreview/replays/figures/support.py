"""How well responses are supported by what they cite, in the words of SourceCheckup: all, each model, each origin."""

import sqlite3
from collections.abc import Iterator

from medreview.citations.hosts import paywalled_domains
from medreview.judges.ties import tie_rule
from medreview.statements.own_citations import every_statement
from medreview.stats.citations.url_figures import UrlReport, url_figures
from medreview.stats.formulas.bootstrap import DEFAULT
from medreview.stats.formulas.estimate import Estimate
from medreview.stats.formulas.intervals import proportion
from medreview.stats.reports.response_kinds import response_report
from medreview.stats.reports.study_reader import judged_responses
from medreview.stats.reports.study_support import JudgedSupport, SupportFigures, SupportReport
from medreview.study import Study


def support(study: Study) -> SupportReport:
    """By the judges' verdict: the whole study first, then each model and each origin where there are several."""
    judged = JudgedSupport(tie_rule(study.reader), dict(every_statement(study.reader)), split=True)
    for response in judged_responses(study.reader):
        judged.add(response)
    return judged.report(DEFAULT)


def by_model(report: SupportReport) -> Iterator[tuple[str, SupportFigures]]:
    """Each model, or everything as ``""`` where there is one only."""
    models = [stratum for stratum in report.strata if stratum.split == "model"]
    if not models and report.strata:
        yield "", report.strata[0]
    yield from ((stratum.stratum, stratum) for stratum in models)


def urls(study: Study) -> UrlReport:
    """What became of the cited addresses; no network."""
    return url_figures(study.reader, paywalled=paywalled_domains(None))


def without_source(reader: sqlite3.Connection) -> Iterator[tuple[str, Estimate]]:
    """Of each model the share of responses that are valid and cite nothing at all."""
    return ((model, kinds.without_source) for model, kinds in response_report(reader).by_model.items())


def still_unsupported(reader: sqlite3.Connection) -> Estimate:
    """Of the statements that no source supports, and that judges were asked about again with all sources of the
    response together, the share that these do not support either."""
    n, k = reader.execute(
        """SELECT count(v.merged_supported), coalesce(sum(v.merged_supported = 0), 0)
           FROM verdict AS v JOIN statement_standing AS s USING (statement_id) WHERE v.supported = 0"""
    ).fetchone()
    return proportion("still not supported", k, n, nothing="No judge was asked with all sources together yet.")
