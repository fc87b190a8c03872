"""ClinIQLink (Colelough et al.): questions made from textbooks, annotated by two, and how many are hallucinated."""

from collections.abc import Iterator
from functools import partial
from typing import Final

from medreview.errors import UserError
from medreview.generators.answer_rankings import FEWEST, RankingDraw, answering_models, make_rankings
from medreview.generators.qa_answers import QAAnswers
from medreview.generators.qa_items import QAItems
from medreview.replays.replay import Replay, ReplayInputs, Row, Step, StepOutcome
from medreview.replays.reproduced import HALLUCINATED, PLAUSIBLE
from medreview.replays.step_kinds import PARAGRAPHS, files, generate, review, second_annotator
from medreview.stats.formulas.bootstrap import DEFAULT
from medreview.stats.formulas.estimate import estimate_named
from medreview.stats.units.closed_answers import item_answer_figures
from medreview.stats.units.kind_labels import FINAL, RELEVANCE, kind_labels
from medreview.stats.units.qa_figures import AnnotatedItem, annotated, qa_figures
from medreview.stats.units.rankings import ranking_figures
from medreview.stats.units.rater_agreement import all_reviewers
from medreview.study import Study
from medreview.text import counted
from medreview.units.registry import count_units

_NO_ITEM: Final = "there is no QA item yet"
_HALLUCINATED: Final = f"{HALLUCINATED.words}, {HALLUCINATED.counts}"
_SCORED: Final = "closed items answered as the key has it"
_ANY_FLAG: Final = "A flag counts as it was settled; one on which annotators differ counts until somebody settles it."


def table(study: Study) -> Iterator[Row]:
    """Experiment 1: the rate of hallucinations, plausibility, answerability, yield, and the agreement of two; then
    experiment 2, models' answers to closed items, and their outputs in rankings."""
    items = annotated(study.reader)
    if items:
        yield from _annotation(study, items)
    else:
        yield Row("hallucination rate", _HALLUCINATED,
                  missing="nobody has labelled an item yet (queue qa)")  # fmt: skip
    yield from _closed(study)
    yield from _preference(study, items)


def _annotation(study: Study, items: list[AnnotatedItem]) -> Iterator[Row]:
    found = qa_figures(items)
    rates, relevance, validity = found.rates[0], found.relevance_agreement, found.validity_agreement
    together = all_reviewers(kind_labels(study.reader, "qa").on(RELEVANCE), DEFAULT)
    yield Row("hallucination rate", _HALLUCINATED, rates.hallucination_rate,
              why=_ANY_FLAG)  # fmt: skip
    yield Row("plausibility: relevance 5 of 5", f"{PLAUSIBLE.words}, {PLAUSIBLE.counts}", rates.plausibility,
              why="Items on which two annotators differ are left out until that is settled.")  # fmt: skip
    yield Row("answerability: neither dispute nor feedback", "(the value and its formula are lost)",
              rates.answerability, why="Ours: the items without a flag.")  # fmt: skip
    yield Row("ideal pairs: relevance 5 and no flag", "(the value is lost)", rates.ideal_pairs)
    yield Row("relevance, quadratically weighted kappa of two", "0.942 (0.93 to 0.96 by type)",
              estimate_named(relevance, "Cohen's kappa (quadratic weights)"),
              why="The paper's value is what PABAK gives on its counts (72 of 2,501 differ).")  # fmt: skip
    yield Row("relevance, Fleiss' kappa", "0.015",
              estimate_named(together[-1].agreement, "Fleiss' kappa") if together else None, scale="coefficient",
              missing="no item has two labels yet",
              why="Near 0 where nearly all labels are the same, whatever the agreement.")  # fmt: skip
    yield Row("validity, agreement of two", "95.9% (69 of 1,679 differ)",
              estimate_named(validity, "mean pairwise agreement"),
              why="From the same counts as the two kappas: 0.920 is close to PABAK, 2 x 0.959 - 1.")  # fmt: skip
    yield Row("validity, Fleiss' kappa", "0.231", estimate_named(validity, "Fleiss' kappa"),
              why="0.920 and 0.231 are of the same labels: one takes no account of how rare a flag is.")  # fmt: skip
    yield Row("minutes per label", "2.05", rates.minutes,
              why="Ours is active time on the screen; labels from a file have none.")  # fmt: skip


def _closed(study: Study) -> Iterator[Row]:
    """Experiment 2: the benchmark asked zero-shot."""
    found = item_answer_figures(study.reader)
    if found is None:
        yield Row(_SCORED, "(not printed)", missing="no model has answered the items yet")
        return
    for one in found.closed:
        if not one.type:
            yield Row(_SCORED, "(not printed)", one.accuracy, of=one.model,
                      why="Answers that are refused or cannot be read are not right.")  # fmt: skip


_RATES: Final = "27.1% at 1B to 9.3% at 70B"
_TAU: Final = "0.060 to 0.175, by type"
_QUALITY: Final = "0.575 to 0.613, by type"
_OVER_MODELS: Final = "negative, over eight models (the value is lost)"


def _preference(study: Study, items: list[AnnotatedItem]) -> Iterator[Row]:
    """Experiment 2: hallucinated outputs by model, what goes with the rate, how alike two annotators rank and rate."""
    labels = kind_labels(study.reader, "ranking")
    if not labels.given:
        yield Row("outputs that are hallucinated", _RATES, missing="nobody has ranked outputs yet (queue rankings)")
        return
    found = ranking_figures(study.reader, labels, items)
    if found.flags is None:
        yield Row("outputs that are hallucinated", _RATES, missing="nobody has said so of an output yet (f, by Wilson)")
    else:
        for one in found.flags.models:
            if not one.type:
                yield Row("outputs that are hallucinated", _RATES, one.rate, of=one.model,
                          why="An output counts as soon as one annotator flags it.")  # fmt: skip
        for each in found.flags.correlations:
            if not each.type and each.beside == "usefulness":
                yield Row("hallucination rate and usefulness of the models, Spearman's rho", _OVER_MODELS,
                          each.correlation.figure, why="p from all permutations up to eight models.")  # fmt: skip
    for orders in found.agreement:
        if orders.raters == "the reviewers" and orders.which == FINAL:
            yield Row("orders of two annotators, mean Kendall's tau", _TAU, orders.tau, of=orders.type,
                      why="Ours is tau-b, over all outputs and not the first eight.")  # fmt: skip
    for kind, agreement in found.quality.items():
        yield Row("Good, Okay, Bad: quadratically weighted kappa of two", _QUALITY,
                  estimate_named(agreement, "Cohen's kappa (quadratic weights)"), of=kind)  # fmt: skip


def _rankings(given: ReplayInputs) -> StepOutcome:
    """Rankings of every open item that all models answered; those that came in a file stand beside them."""
    models = tuple(answering_models(given.study.reader))
    if len(models) >= FEWEST:
        try:
            done = make_rankings(given.study, given.reviewer, RankingDraw(models))
        except UserError as none:
            return StepOutcome("waits", str(none).rstrip("."))
        words = f"{counted(done.drawn, 'ranking')} of the answers of {len(models)} models, {done.new:,} of them new"
        return StepOutcome("did" if done.new else "done", words)
    if there := count_units(given.study.reader, "ranking"):
        return StepOutcome("done", f"{counted(there, 'ranking')} from a file there")
    return StepOutcome(
        "left", f"{counted(len(models), 'model')} answered the items: --model NAME, again for each other"
    )


REPLAY: Final = Replay(
    name="cliniqlink",
    paper="Colelough et al., Quantifying Hallucinations in Large Language Models on Medical Textbooks",
    takes="Texts, such as chapters of a book (.txt, .md, .html, .pdf); QA items; later people's labels.",
    steps=(
        files("files", "Bring in QA items and rankings, if there are any."),
        PARAGRAPHS,
        generate("items", "A model makes one item of each passage, of seven types.", partial(QAItems, distractors=True),
                 "no passage is chosen yet"),
        review("annotation", "Annotators give the relevance, dispute errors and flag hallucinations.", "qa", "qa",
               "items", _NO_ITEM),
        second_annotator("second annotator", "45% of the items go to a second annotator, blind.", "qa", 0.45, "items",
                        _NO_ITEM),
        generate("answers", "Each model answers the items, without passage and key.", QAAnswers, _NO_ITEM, each=True),
        Step("rankings", "The answers to open items, without names, beside the reference answer.", _rankings),
        review("preference", "Clinicians rank anonymous outputs of models, rate each, and flag what is hallucinated.",
               "ranking", "rankings", "rankings", "no ranking came in"),
    ),
    departs=(
        "The thresholds of the passage filter are lost in the stored text: ours are settings.",
        "Entities are found by term lists, and sentences are compared by their words.",
        "The adversarial types carry the flaw with them, so that the expected reply can be held against it.",
        "Conflicts of two annotators, on relevance or a flag, are settled in the queue conflicts_qa; the paper had two "
        "adjudicators.",
        "Intervals of agreement resample passages, since the items of one are alike.",
        "The first --model writes the items, and each --model answers them. To leave the first one out of it, bring in "
        "the items as a file, and skip the step items.",
        "Every model that answered is ranked; the paper ranked the eight that scored best.",
    ),
    not_replayed=(
        "Mean ranks, differences of models and figures by type have a place of their own: `medreview stats STUDY "
        "--unit ranking --full`.",
    ),
    table=table,
)  # fmt: skip
