"""The notebook on citations of clinical decision support: are they there, and from whom?"""

from collections.abc import Iterator
from typing import Final

from medreview.citations.allow_list import load_allow_list
from medreview.exchange.imports.citation_answers import study_answers
from medreview.replays.replay import Replay, Row
from medreview.replays.step_kinds import files
from medreview.stats.citation_kpis import citation_report, scored
from medreview.study import Study

_OTHER_LIST: Final = "The list of domains is ours, and longer; `--allow` of `medreview citations` takes the notebook's."
_FORMAT: Final = (
    "DOIs and PMIDs count by their format, as there; ours takes no bare number of 7 or 8 digits for a PMID."
)


def table(study: Study) -> Iterator[Row]:
    """The notebook's summary, the mean over responses and the pooled share named apart, and its two criteria."""
    listed = load_allow_list(None)
    answers = list(study_answers(study.reader))
    if not answers:
        yield Row("responses with a citation", "80% (4 of 5)", missing="there is no response yet")
        return
    report = citation_report(scored(answers, listed, len(answers)), listed)
    kpis = report.all.figures
    yield Row("responses with a citation", "80% (4 of 5); wanted: 95%", kpis.with_citation, why="Wilson; none there.")
    yield Row("citations per response", "2.4", kpis.mean_citations, why="A source counts once.")
    yield Row("allowed, mean of responses", "66.7%", kpis.mean_allowed, why=_FORMAT)
    yield Row("allowed URLs, mean of responses", "62.5%", kpis.mean_allowed_urls, why=_OTHER_LIST)
    yield Row("allowed, pooled", "(not given)", kpis.pooled_allowed,
              why="Each citation has the same weight here, each response in the mean.")  # fmt: skip
    if report.all.concordance is not None:
        yield Row("likeness to the reference, mean cosine", "(optional, no figure)", report.all.concordance.cosine,
                  why="TF-IDF of words: likeness is not truth.")  # fmt: skip
    if report.all.latency is not None:
        yield Row("seconds of a response, median", "(optional, no figure)", report.all.latency.median, scale="seconds",
                  why="Of the responses whose record has a latency.")  # fmt: skip
    yield Row("allowed URLs, pooled; wanted: 90%", "(not given; the criterion does not say which of both)",
              kpis.pooled_allowed_urls, why=_OTHER_LIST)  # fmt: skip


REPLAY: Final = Replay(
    name="cds",
    paper="Clinical CDS Citation Accuracy Evaluation, a notebook, 2025",
    takes="Answers, with their citations in the text or in a list.",
    steps=(files("files", "Bring in the answers, and find what they cite.", texts=True),),
    departs=(
        "A domain on the list stands for all below it: the notebook reduces every address to its registered domain, so "
        "that its entry ncbi.nlm.nih.gov never matches.",
        "Signs that close a sentence or a bracket are not part of an address.",
        "A source that a response names twice counts once.",
    ),
    not_replayed=(
        "Whether the addresses can be reached, off there too: `medreview citations STUDY --reach`.",
        "The bars and the files: `medreview citations STUDY --html FILE --csv FILE`.",
    ),
    table=table,
)  # fmt: skip
