"""Key facts in the texts of systems (MedFactEval): each person beside the others, what a text costs, as figures."""

from collections.abc import Iterator

from medreview.judges.fact_votes import PRESENCE, answer_of
from medreview.stats.facts.fact_report import FactReport, fact_report
from medreview.stats.facts.tradeoff import TradeOff, trade_offs
from medreview.stats.formulas.agreement import two_raters
from medreview.stats.formulas.estimate import Estimate
from medreview.study import Study

_YES_NO = ("yes", "no")


def facts(study: Study) -> FactReport:
    """All that is said of the key facts of a study."""
    return fact_report(study.reader)


def beside_cost(study: Study, report: FactReport) -> list[TradeOff]:
    """Each system with its presence score, and what a case has cost in money and in seconds."""
    return trade_offs(study.reader, report.scores)


def mean_of(name: str, value: float, texts: int) -> Estimate:
    """A mean that is no sample of anything: what the calls of these texts came to."""
    return Estimate(name, value, None, None, "mean", texts, reason="It is what the calls came to, and no sample.")


def each_person(report: FactReport) -> Iterator[tuple[str, Estimate]]:
    """Of each member of the panel Cohen's kappa with the majority of the others, on presence (leave one out)."""
    mode = report.panel_mode
    if len(report.panel) < 2:
        return
    for name in report.panel:
        mine, others, cases = [], [], []
        for one in report.facts.held:
            said = next((vote for vote in one.people if vote.reviewer == name and vote.mode == mode), None)
            word = one.panel(PRESENCE, report.tie, mode, [name])
            answer = None if said is None else answer_of(said.level, PRESENCE)
            if answer is None or word.answer is None:
                continue
            mine.append(_YES_NO[not answer])
            others.append(_YES_NO[not word.answer])
            cases.append(one.case.case_id)
        told = two_raters(others, mine, _YES_NO, clusters=cases, statistics=("cohen_kappa",), unit="case")
        yield name, told.figures["cohen_kappa"]
