"""MedAgentBrief (Grolleau et al.): summaries of hospital stays in stages and in one prompt, and what each is worth."""

from collections.abc import Iterator
from typing import Final

from medreview.generators.brief_generator import Brief, SinglePrompt
from medreview.judges.fact_votes import CONTRADICTION, PRESENCE
from medreview.replays import replay as of_facts
from medreview.replays.papers.medfacteval import NO_CASE, NO_FACT, scores
from medreview.replays.replay import Replay, Row
from medreview.replays.step_kinds import Ask, Bring, Generate, OfflineJudge, Review, Statements
from medreview.stats.units.fact_report import fact_report
from medreview.study import Study

_NO_NOTES: Final = "there is no case with notes"


def table(study: Study) -> Iterator[Row]:
    """Presence and contradiction of both strategies, and what a case costs and takes."""
    report = fact_report(study.reader)
    yield from scores(report)
    for one in report.trade_offs:
        known = one.cost is not None
        yield Row("cost of a case", "more in stages than in one prompt (figure 1; no numbers in the text)",
                  of_facts.mean_of("cost", one.cost, one.texts, "amount") if one.cost is not None else None,
                  of=one.system, scale="amount", missing="" if known else one.no_cost,
                  why="In the currency of the prices in the settings; the paper's are dollars.")  # fmt: skip
    for one in report.trade_offs:
        yield Row("seconds of calls for a case", "more in stages than in one prompt (supplementary figure S1)",
                  of_facts.mean_of("seconds", one.seconds, one.texts, "seconds") if one.seconds is not None else None,
                  of=one.system, scale="seconds", missing="" if one.seconds is not None else one.no_time,
                  why="The sum of a text's calls; calls that could run side by side are added up.")  # fmt: skip


REPLAY: Final = Replay(
    name="medagentbrief",
    paper="Grolleau et al., MedFactEval and MedAgentBrief",
    takes="Cases with notes, or notes one a record; key facts; later people's labels.",
    steps=(
        Bring("files", "Bring in cases, notes and key facts.", texts=True),
        Generate("one prompt", "Each model writes on each case from all its notes at once.", SinglePrompt,
                 _NO_NOTES, by="each"),
        Generate("in stages", "Each model drafts, refines note by note, reorganises; a judge verifies every statement.",
                 Brief, _NO_NOTES, by="each", verified=True),
        Statements(),
        OfflineJudge(),
        Review("choice", "A clinician keeps, edits or discards the key facts of each case.", "suggestion",
               "suggestions", "suggested facts", NO_CASE),
        Ask("presence", "Ask every judge whether each text says each key fact.", PRESENCE, NO_FACT),
        Ask("contradiction", "Ask them whether it contradicts it.", CONTRADICTION, NO_FACT),
        Review("statements beside notes", "A reviewer decides on the statements of the texts.", "statement",
               "responses", "statements", "there is no statement yet"),
    ),
    departs=(
        "A judge verifies what a model wrote, where one is named; the paper's model verifies its own.",
    ),
    not_replayed=(
        "The plot of cost against presence: `medreview report STUDY --tradeoff FILE.csv`.",
        "The page with the note beside each claim: `medreview report STUDY --briefs FILE.html`.",
    ),
    table=table,
)  # fmt: skip
