"""Scores of systems: the share of key facts that their texts say, and that they contradict, by the majority of a jury.

A tie that the tie rule leaves open, a fact on which all abstained and one that was not asked about are left out of the
share, and counted. A text that is not there says no fact and contradicts none.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from medreview.judges.fact_votes import CONTRADICTION, PRESENCE, JuryWord
from medreview.labels import TieRule
from medreview.stats.formulas.agreement import PairAgreement, two_raters
from medreview.stats.formulas.bootstrap import DEFAULT, Resampling
from medreview.stats.formulas.estimate import Estimate
from medreview.stats.formulas.response_sample import ResponseSample
from medreview.units.held_facts import HeldFact, HeldFacts

TASKS: Final = (PRESENCE, CONTRADICTION)
NAMES: Final[Mapping[str, str]] = {PRESENCE: "presence", CONTRADICTION: "contradiction"}
"""The two questions, and what their scores are called."""
_WHOLE: Final = {PRESENCE: "present", CONTRADICTION: "contradicted"}
_YES_NO: Final = ("yes", "no")


@dataclass(frozen=True, slots=True)
class FactScore:
    """The score on one question: ``figure`` is the share of facts with the answer yes, its interval over cases.

    ``tied`` counts even votes, whatever the tie rule made of them; ``undecided`` those that it left open; ``silent``
    the facts on which everybody who was asked abstained; ``not_asked`` those that nobody was asked about. The last
    three are left out of the figure.
    """

    figure: Estimate
    tied: int
    undecided: int
    silent: int
    not_asked: int


@dataclass(frozen=True, slots=True)
class SystemScores:
    """One system: on how many ``cases`` it has texts, how many of these are ``invalid``, and its scores by question.

    ``by_jury`` is by the majority of the judges, ``by_panel`` by that of people; empty where nobody was asked.
    """

    system: str
    cases: int
    texts: int
    invalid: int
    facts: int
    by_jury: Mapping[str, FactScore]
    by_panel: Mapping[str, FactScore]


@dataclass(frozen=True, slots=True)
class AgainstPanel:
    """A judge, or all together, against the panel's majority on one question; rows of the table are the panel's."""

    rater: str
    task: str
    agreement: PairAgreement


def system_scores(facts: HeldFacts, tie: TieRule, resampling: Resampling = DEFAULT) -> tuple[SystemScores, ...]:
    """Each system's scores."""
    mode = facts.panel_mode
    panel = bool(facts.people(mode))
    found = []
    for system in facts.systems:
        held = [one for one in facts.held if one.text.system == system]
        texts = [text for text in facts.texts if text.system == system]
        found.append(
            SystemScores(
                system=system,
                cases=len({text.case_id for text in texts}),
                texts=len(texts),
                invalid=sum(not text.valid for text in texts),
                facts=len(held),
                by_jury=_scores(held, lambda one, task: one.jury(task, tie), resampling) if facts.judges else {},
                by_panel=_scores(held, lambda one, task: one.panel(task, tie, mode), resampling) if panel else {},
            )
        )
    return tuple(found)


def _scores(
    held: Sequence[HeldFact], word: Callable[[HeldFact, str], JuryWord], resampling: Resampling
) -> dict[str, FactScore]:
    return {task: _score(held, task, [word(one, task) for one in held], resampling) for task in TASKS}


def _score(held: Sequence[HeldFact], task: str, words: Sequence[JuryWord], resampling: Resampling) -> FactScore:
    cases: dict[str, list[int]] = {}
    left: Counter[str] = Counter()
    for one, word in zip(held, words, strict=True):
        counts = cases.setdefault(one.case.case_id, [0, 0])
        if word.answer is not None:
            counts[0] += word.answer
            counts[1] += 1
        else:
            left["undecided" if word.tied else "silent" if word.asked else "not_asked"] += 1
    sample = ResponseSample(("yes", "known"), list(cases.values()), resampling, "case")
    figure = sample.share(
        NAMES[task], "yes", "known", undefined="No fact has an answer of the majority.", whole=_WHOLE[task],
        dropped=left.total(),
    )  # fmt: skip
    tied = sum(word.tied for word in words)
    return FactScore(figure, tied, left["undecided"], left["silent"], left["not_asked"])


def against_panel(facts: HeldFacts, tie: TieRule, resampling: Resampling = DEFAULT) -> tuple[AgainstPanel, ...]:
    """The jury and each judge against the majority of the panel, on all texts together; nothing without a panel."""
    mode = facts.panel_mode
    if not facts.people(mode) or not facts.judges:
        return ()
    held = [one for one in facts.held if one.text.valid]
    clusters = [one.case.case_id for one in held]
    found = []
    for task in TASKS:
        reference = [_named(one.panel(task, tie, mode).answer) for one in held]
        raters = {"the jury": [one.jury(task, tie).answer for one in held]}
        for judge in facts.judges:
            said = [{vote.judge: vote.answer for vote in one.judged.of(task)} for one in held]
            raters[judge] = [votes.get(judge) for votes in said]
        for rater, answers in raters.items():
            if any(answer is not None for answer in answers):
                agreement = two_raters(
                    reference, [_named(answer) for answer in answers], _YES_NO, clusters=clusters,
                    statistics=("percent_agreement", "cohen_kappa", "gwet_ac"), resampling=resampling, unit="case",
                )  # fmt: skip
                found.append(AgainstPanel(rater, task, agreement))
    return tuple(found)


def _named(answer: bool | None) -> str | None:
    return None if answer is None else _YES_NO[not answer]
