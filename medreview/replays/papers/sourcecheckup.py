"""SourceCheckup (Wu et al. 2025): do the sources that models cite support what they say?"""

import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from medreview.citations.hosts import paywalled_domains
from medreview.generators.answers import Answers
from medreview.generators.cleanup import Cleanup
from medreview.generators.questions import Questions
from medreview.judges.majority import majority_vote
from medreview.judges.rollup import tie_rule
from medreview.judges.tasks import merged, verification
from medreview.labels import Mode
from medreview.replays.replay import Replay, Row
from medreview.replays.reproduced import CONFIRMED, MENDED, REMOVED, REVISED_SUPPORTED, WHOLE_BY_EXPERT, WHOLE_BY_JUDGE
from medreview.replays.step_kinds import OFFLINE_RULES, PAGES, STATEMENTS, WHOLE_TEXTS, ask, files, generate, review
from medreview.statements.own_citations import every_statement
from medreview.stats.formulas.agreement import many_raters, paired
from medreview.stats.formulas.bootstrap import DEFAULT
from medreview.stats.formulas.estimate import Estimate
from medreview.stats.formulas.intervals import proportion
from medreview.stats.reports.generated_items import cleanup_report
from medreview.stats.reports.reviewer_labels import Scale
from medreview.stats.reports.study_reader import judged_responses
from medreview.stats.reports.study_support import JudgedSupport, SupportFigures, SupportReport, response_report
from medreview.stats.units.kind_labels import (
    ALL_SUPPORTED,
    FIRST_BLIND,
    OF_MODE,
    RULES,
    SUPPORTED,
    Ratings,
    clusters_of_kind,
    kind_labels,
    scales_of,
)
from medreview.stats.url_analysis import url_figures
from medreview.study import Study
from medreview.units.registry import KINDS

_NO_QUESTIONS: Final = "no question was made from a text yet"
_NO_STATEMENTS: Final = "there is no statement yet"
_NO_PAGES: Final = "no statement has a page with text yet"


def _support_of(study: Study) -> SupportReport:
    """By the judges' verdict: the whole study first, then each model and each origin where there are several."""
    judged = JudgedSupport(tie_rule(study.reader), dict(every_statement(study.reader)), split=True)
    for response in judged_responses(study.reader):
        judged.add(response)
    return judged.report(DEFAULT)


def _by_model(report: SupportReport) -> Iterator[tuple[str, SupportFigures]]:
    """Each model, or everything as ``""`` where there is one only."""
    models = [stratum for stratum in report.strata if stratum.split == "model"]
    if not models and report.strata:
        yield "", report.strata[0]
    yield from ((stratum.stratum, stratum) for stratum in models)


def _still_unsupported(reader: sqlite3.Connection) -> Estimate:
    """Of the statements that no source supports, and that judges were asked about again with all sources of the
    response together, the share that these do not support either."""
    n, k = reader.execute(
        """SELECT count(v.merged_supported), coalesce(sum(v.merged_supported = 0), 0)
           FROM verdict AS v JOIN statement_standing AS s USING (statement_id) WHERE v.supported = 0"""
    ).fetchone()
    return proportion("still not supported", k, n, nothing="No judge was asked with all sources together yet.")


_ANSWERABLE: Final = scales_of("question").axes["answerability"][1]
_AGREEMENT: Final = "percent_agreement"
_PAIRWISE: Final = "mean_pairwise_agreement"


@dataclass(frozen=True)
class _DoctorsPanel:
    """The labels of one kind on a scale, without those of the offline rules.

    ``mode``: that of the people's labels here, ``blind`` where there are any such, else ``assisted``, for the two are
    never pooled.
    """

    table: Ratings
    mode: Mode

    @property
    def people(self) -> Mapping[str, Mapping[str, str]]:
        """Each person's labels, by unit."""
        return self.table.of(OF_MODE[self.mode])

    def consensus(self) -> dict[str, str]:
        """The majority of the people on each unit that one of them labelled; ties left out."""
        people = self.people.values()
        units = sorted({unit for said in people for unit in said})
        labels = majority_vote([[said.get(unit) for said in people] for unit in units]).labels
        return {unit: str(label) for unit, label in zip(units, labels, strict=True) if label is not None}

    def agreement(self, one: Mapping[str, str], other: Mapping[str, str]) -> Estimate:
        """Two raters on the units that both labelled; intervals resample clusters."""
        both = sorted(one.keys() & other.keys())
        mine, theirs = ([said[unit] for unit in both] for said in (one, other))
        clusters = [self.table.clusters[unit] for unit in both]
        found = paired(mine, theirs, self.table.scale.labels, clusters, DEFAULT.over(self.table.cluster))
        return found.agreement((_AGREEMENT,))[_AGREEMENT]

    def between(self, raters: Mapping[str, Mapping[str, str]]) -> Estimate:
        """Agreement of all of some raters with each other."""
        units = sorted({unit for said in raters.values() for unit in said})
        return many_raters(
            [[said.get(unit) for said in raters.values()] for unit in units],
            self.table.scale.labels,
            clusters=[self.table.clusters[unit] for unit in units],
            statistics=(_PAIRWISE,),
            resampling=DEFAULT.over(self.table.cluster),
        ).figures[_PAIRWISE]


def _panel(reader: sqlite3.Connection, kind: str, scale: Scale) -> _DoctorsPanel:
    """What people and machines said of the units of a kind, whoever labelled them."""
    labels = kind_labels(reader, kind, alone=True)
    held: dict[str, str] = {}
    said: dict[str, dict[tuple[str, str], str]] = {}
    for one in KINDS[kind].machine_ratings(reader):
        if one.rater != RULES and scale.folds.get(one.axis, {}).get(one.value) is not None:
            said.setdefault(one.rater, {})[one.axis, one.unit] = one.value
            held[one.unit] = one.cluster
    clusters = {**clusters_of_kind(reader, kind, held)[1], **labels.clusters}
    table = replace(labels, said=said, clusters=clusters).on(scale)
    return _DoctorsPanel(table, "blind" if table.of(FIRST_BLIND) else "assisted")


def _share_of(said: Mapping[str, str], label: str, name: str) -> Estimate:
    """How often one rater gave a label, of the units that it labelled."""
    return proportion(
        name, sum(given == label for given in said.values()), len(said), nothing="Nothing was labelled yet."
    )


def _confirmed(found: _DoctorsPanel) -> Iterator[tuple[str, Estimate]]:
    """Of each machine's pairs that it found not supported, the share on which the people's majority says so too."""
    consensus = found.consensus()
    _, unsupported = found.table.scale.labels
    for machine, said in found.table.machines.items():
        both = [unit for unit, label in said.items() if label == unsupported and unit in consensus]
        k = sum(consensus[unit] == unsupported for unit in both)
        yield machine, proportion("confirmed", k, len(both), nothing="Nobody has labelled a pair that it found so.")


def table(study: Study) -> Iterator[Row]:
    """The paper's figures on its own steps: support, judges beside experts, whole responses, addresses."""
    yield from _questions(study)
    yield from _support(study)
    yield from _experts(study)
    yield from _whole(study)
    yield from _cleaned(study)
    yield from _addresses(study)


def _questions(study: Study) -> Iterator[Row]:
    what, paper = "questions answerable from their text", "100 of 100, by each of two doctors"
    found = _panel(study.reader, "question", _ANSWERABLE).people
    for person, said in found.items():
        share = _share_of(said, "answerable", "answerable")
        yield Row(what, paper, share, of=person, why="Ours asks also whether the question stands without the text.")
    if not found:
        yield Row(what, paper, missing="nobody has decided on a question yet (queue questions)")


def _support(study: Study) -> Iterator[Row]:
    report = _support_of(study)
    for model, stratum in _by_model(report):
        yield Row(
            "source URL validity", "70% GPT-4o without search, 40% to 70% of models without search",
            stratum.estimate("source URL validity"), of=model,
            why="Both: status 200 and text. Ours also knows soft 404s and does not count them as readable.",
        )  # fmt: skip
        yield Row(
            "statement-level support", "about 70% GPT-4o with search, 75.7% (74.0 to 77.2) on HealthSearchQA",
            stratum.estimate("statement-level support"), of=model,
            why="Statements are cut by rules and not by GPT-4o; \"supported\" needs a quote that is in the page.",
        )  # fmt: skip
        yield Row(
            "response-level support", "55% GPT-4o with search, 34.5% Gemini Ultra with search, 10% Gemini Pro",
            stratum.estimate("response-level support"), of=model,
            why="Responses without statements are counted apart; a missing verdict leaves a response out.",
        )  # fmt: skip
        yield Row(
            "sources that support nothing", "(supplementary table 10, not in the text)",
            stratum.estimate("unused sources"), of=model,
        )  # fmt: skip
    for stratum in report.strata:
        if stratum.split == "origin":
            yield Row(
                "response-level support by origin", "about 80% reference pages, 31.0% (26.7 to 35.8) forum (GPT-4o)",
                stratum.estimate("response-level support"), of=f"origin {stratum.stratum}",
            )  # fmt: skip
    for model, kinds in response_report(study.reader).by_model.items():
        yield Row(
            "responses without any source", "over 20% GPT-4o with search, under 1% of models without",
            kinds.without_source, of=model,
        )  # fmt: skip
    yield Row(
        "unsupported statements that all sources together do not support either", "95.1% (GPT-4o with search)",
        _still_unsupported(study.reader),
        why="Asked only where a response has two pages or more; with one page the two questions are the same.",
    )  # fmt: skip


def _experts(study: Study) -> Iterator[Row]:
    found = _panel(study.reader, "pair", SUPPORTED)
    if not found.people:
        yield Row(
            "judge and experts' majority, on pairs", _JUDGE, missing="nobody has labelled a pair yet (queue pairs)"
        )
    else:
        consensus = found.consensus()
        labels = f"{found.mode} labels; the paper's doctors saw the model's decision"
        for judge, said in found.table.machines.items():
            yield Row(
                "judge and experts' majority, on pairs", _JUDGE,
                found.agreement(said, consensus),
                of=judge, why=f"{labels}. Partial support is \"not supported\" here, as there.",
            )  # fmt: skip
        yield Row(
            "experts with each other, on pairs", "86.1% (three doctors)",
            found.between(found.people), why=f"{labels}.",
        )  # fmt: skip
        for judge, share in _confirmed(found):
            yield Row(
                "of what the judge finds unsupported, confirmed", f"{CONFIRMED.words}; {CONFIRMED.counts} are 95.5%",
                share, of=judge, why="Wilson, on pairs; the paper's is resampled, and its share is not its own counts.",
            )  # fmt: skip
    if len(found.table.machines) > 1:
        yield Row(
            "judges with each other, on pairs", "90.1% (89.7 to 90.5) GPT-4o and Claude Sonnet 3.5",
            found.between(found.table.machines),
            why="On the pairs on which two judges have a word; intervals resample responses.",
        )  # fmt: skip


def _whole(study: Study) -> Iterator[Row]:
    found = _panel(study.reader, "response", ALL_SUPPORTED)
    for person, said in found.people.items():
        share = _share_of(said, "yes", "all supported")
        yield Row(
            "whole responses all supported, by a person", f"{WHOLE_BY_EXPERT.words}, one expert", share, of=person,
            why=f"{found.mode.capitalize()} labels. Wilson; the paper's is Wald's interval of 40 of 99.",
        )  # fmt: skip
        for judge, machine in found.table.machines.items():
            both = {unit: machine[unit] for unit in said if unit in machine}
            yield Row(
                "the same responses, by the judges", f"{WHOLE_BY_JUDGE.words} SourceCheckup",
                _share_of(both, "yes", "all supported"), of=judge,
                why="Of these the responses that the judges' verdicts settle.",
            )  # fmt: skip
    if not found.people:
        yield Row(
            "whole responses all supported, by a person", f"{WHOLE_BY_EXPERT.words}, one expert",
            missing="nobody has decided on a whole response yet (queue whole_responses)",
        )  # fmt: skip


def _cleaned(study: Study) -> Iterator[Row]:
    for one in cleanup_report(study.reader):
        yield Row("unsupported statements that were removed", f"{REMOVED.words} ({REMOVED.counts})",
                  one.removed, of=one.model,
                  why="What fails a rule is asked again; the paper kept what the model wrote.")  # fmt: skip
        for rater in one.raters:
            yield Row("revised statements that are supported now", _REVISED, rater.supported,
                      of=f"{one.model}, by {rater.by}")  # fmt: skip
            yield Row("removed or supported now", f"{MENDED.words} ({MENDED.counts})", rater.together,
                      of=f"{one.model}, by {rater.by}")  # fmt: skip


def _addresses(study: Study) -> Iterator[Row]:
    for stratum in url_figures(study.reader, paywalled=paywalled_domains(None)).strata:
        if stratum.split == "origin" or stratum.country is None or stratum.paywalls is None:
            continue
        if stratum.split == "model" or not stratum.citations:
            continue
        yield Row("sources of the United States", "92% on average", stratum.country.figure)
        yield Row(
            "valid sources behind a paywall", "2.65% to 7.07%, by model", stratum.paywalls.figures[1],
            why="By a list of domains, which the paper does not print.",
        )  # fmt: skip


_REVISED: Final = f"{REVISED_SUPPORTED.words} ({REVISED_SUPPORTED.counts}), by experts"
_JUDGE: Final = "88.7% GPT-4o, 87.0% (83.4 to 90.4) Claude Sonnet 3.5, 79.3% (75.4 to 83.1) Llama 3.1 70B"

REPLAY: Final = Replay(
    name="sourcecheckup",
    paper="Wu et al., An automated framework for assessing how well LLMs cite relevant medical references, 2025",
    takes="Texts to ask about (.txt, .md, .html, .pdf), question sets, answers, and later people's labels.",
    steps=(
        files("files", "Bring in question sets and answers, if there are any."),
        WHOLE_TEXTS,
        generate("questions", "The first model makes a question of each text, with its answer and a quote.",
                 Questions, "no text is there to ask about"),
        review("question check", "Two doctors look whether each question is answerable from its text.", "question",
               "questions", "questions", _NO_QUESTIONS),
        generate("answers", "Every model answers every question, with a list of its sources.", Answers,
                 _NO_QUESTIONS, each=True),
        generate("answers with search", "Every model once more, with the instruction to search the web first.",
                 partial(Answers, web=True), _NO_QUESTIONS, each=True),
        PAGES,
        STATEMENTS,
        OFFLINE_RULES,
        files("labels", "Bring in judgements and people's labels on pairs, if there are any.", late=True),
        ask("judges", "Ask every judge about every pair of statement and source.", verification.NAME, _NO_PAGES),
        ask("merged", "Ask about unsupported statements with all sources of the response together.", merged.NAME,
            "no unsupported statement has two pages or more"),
        generate("clean-up", "The first model revises or removes what a source does not support; a judge looks again.",
                 Cleanup, "no statement is unsupported yet", verified=True),
        review("revisions", "Experts say whether a revision is supported now, or a removal right.", "revision",
               "revisions", "revisions", "nothing was revised yet"),
        review("pairs", "Experts say of pairs whether the source says the statement.", "pair", "pairs", "pairs",
               _NO_PAGES),
        review("whole responses", "A person says of responses whether all is supported.", "response",
               "whole_responses", "responses", _NO_STATEMENTS),
    ),
    departs=(
        "Statements are cut by rules; the paper's by GPT-4o. `medreview judge STUDY --task statement_parsing` asks a "
        "model before.",
        "A judge has four labels and more and not two; the table takes all but \"supported\" as not supported.",
        "\"Supported\" counts only with a quote that stands in the page; the paper took the model's word.",
        "Pages are read with menus and scripts left out; the paper stripped tags only.",
        "Reviewers are blind to the judges until they have decided; the paper's doctors saw the decision.",
        "Intervals resample responses, since statements of one response are alike.",
    ),
    not_replayed=(
        "The t-tests and the chi-squared test (p 0.21, 0.52, 0.801): they take pairs as independent.",
        "The second pipeline with another model as parser and question writer: make a second study with it, then "
        "`medreview judges swap FIRST SECOND` has the shares under each combination.",
    ),
    table=table,
)  # fmt: skip
