"""MedFactEval and MedAgentBrief (Grolleau et al.).

Do summaries say the key facts that a clinician set, by the word of a jury? And what are summaries of hospital stays
worth that are written in stages, or in one prompt?
"""

from collections.abc import Iterator
from typing import Final

from medreview.generators.brief_generator import Brief, SinglePrompt
from medreview.generators.fact_candidates import FactCandidates
from medreview.generators.themes import ThemesGenerator
from medreview.judges.fact_votes import CONTRADICTION, PRESENCE
from medreview.replays.replay import Replay, Row, mean_of
from medreview.replays.reproduced import JURY
from medreview.replays.step_kinds import OFFLINE_RULES, STATEMENTS, ask, files, generate, review
from medreview.stats.formulas.human_baseline import MARGIN
from medreview.stats.units.fact_report import JURY as OF_ALL
from medreview.stats.units.fact_report import FactReport, SinglePerson, fact_report
from medreview.stats.units.unit_division import fact_parts
from medreview.study import Study

_NO_NOTES: Final = "there is no case with notes"
_NO_CASE: Final = "there is no case yet"
_NO_FACT: Final = "no key fact is kept yet, or nobody has written on its case"
_PRESENT: Final = "48% GPT-4o in one prompt, 65% GPT-4o with MedAgentBrief"
_CONTRADICTED: Final = "10% to 25%, by system"
_ON: Final = " on {}'s texts"
_KAPPA: Final = f"{', '.join(f'{one.kappa.words}{_ON.format(name)}' for name, one in JURY.items())}; ten judges"
_DIFFERENCE: Final = (
    f"{', '.join(f'{one.minus_person.words} (95%){_ON.format(name)}' for name, one in JURY.items())}; both p < 0.001"
)
_PERSON: Final = "0.67 (0.49 to 0.83), mean of seven physicians"


def table(study: Study) -> Iterator[Row]:
    """Presence and contradiction of each system; jury and judges beside the panel, and beside one person of it."""
    report = fact_report(study.reader)
    yield from _scores(report)
    yield from _panel(report)
    yield from _by_system(report)
    cases, kept = report.facts.cases, report.suggested.kept + report.suggested.edited + report.suggested.own
    yield Row("key facts per case", "3 (90 of 30 cases)", scale="amount",
              ours=mean_of("key facts per case", kept / len(cases), len(cases), "amount") if cases else None,
              missing="" if cases else _NO_FACT)  # fmt: skip


def _scores(report: FactReport) -> Iterator[Row]:
    """By the majority of the judges; by that of the panel where no judge was asked."""
    found = [(one, one.by_jury or one.by_panel) for one in report.scores]
    if not any(by for _, by in found):
        yield Row("key facts that the texts say", _PRESENT, missing=f"nobody was asked yet: {_NO_FACT}")
        return
    for one, by in found:
        who = "jury" if one.by_jury else "panel"
        if PRESENCE in by:
            tied = f" {by[PRESENCE].tied} even votes, by the rule of the study." if by[PRESENCE].tied else ""
            yield Row("key facts that the texts say", _PRESENT, by[PRESENCE].figure, of=f"{one.system}, by the {who}",
                      why=f"A yes counts only with words of the text that say it.{tied}")  # fmt: skip
    for one, by in found:
        who = "jury" if one.by_jury else "panel"
        if CONTRADICTION in by:
            yield Row("key facts that the texts contradict", _CONTRADICTED, by[CONTRADICTION].figure,
                      of=f"{one.system}, by the {who}", why="Present and contradicted may both be true.")  # fmt: skip


def _panel(report: FactReport) -> Iterator[Row]:
    if not report.against_panel:
        yield Row("jury and the panel's majority, kappa on presence", _KAPPA,
                  missing="no person has voted on key facts yet (queue facts)")  # fmt: skip
        return
    mode = f"{report.panel_mode} labels of {len(report.panel)} people"
    for one in report.against_panel:
        if one.task == PRESENCE:
            yield Row("jury and the panel's majority, kappa on presence", _KAPPA, one.agreement.figures["cohen_kappa"],
                      of=one.rater,
                      why=f"{mode}. Ties go by one rule on both sides; there towards present for the jury, and absent "
                      "for people. Intervals resample cases.")  # fmt: skip
    single = report.single_person
    if single is None:
        yield Row("a person and the majority of the others, kappa on presence", _PERSON,
                  missing="it takes three people or more, and a judge")  # fmt: skip
        return
    yield Row("a person and the majority of the others, kappa on presence", _PERSON, single.person,
              of=f"mean of {single.people} people", why=f"{mode}. Intervals resample cases.")  # fmt: skip
    for beside in single.beside:
        yield Row("kappa minus that of a person", _DIFFERENCE, beside.difference, of=beside.rater,
                  why=_tested(single))  # fmt: skip


def _by_system(report: FactReport) -> Iterator[Row]:
    """The jury on the texts of each system, where there are several."""
    parts = fact_parts(report.facts, "model", report.tie) if report.systems > 1 and report.against_panel else ()
    for part in parts:
        for one in part.against_panel:
            if one.task == PRESENCE and one.rater == OF_ALL:
                yield Row("jury and the panel's majority on one system's texts, kappa", _KAPPA,
                          one.agreement.figures["cohen_kappa"], of=part.part)  # fmt: skip
    for part in parts:
        beside = part.single_person.beside if part.single_person else ()
        for each in beside:
            if each.rater == OF_ALL:
                yield Row("kappa of the jury minus that of a person, on one system's texts", _DIFFERENCE,
                          each.difference, of=part.part)  # fmt: skip


def _tested(single: SinglePerson) -> str:
    """Who is not inferior to one person, by the paper's margin, and who is not shown to be."""
    tested: dict[bool, list[str]] = {True: [], False: []}
    for one in single.beside:
        if one.non_inferior is not None and one.p is not None:
            p = f"p {one.p:.3f}" if one.p else f"p < 1 in {single.replicates:,}"
            tested[one.non_inferior].append(f"{one.rater} ({p})")
    sentences = [
        f"{what}: {', '.join(names)}."
        for what, names in (("Not inferior", tested[True]), ("Not shown to be so", tested[False]))
        if names
    ]
    rule = f"The test is one-sided: the lower end of the 90% interval is to be above -{MARGIN:.2f}."
    return " ".join((rule, *sentences)) if sentences else ""


REPLAY: Final = Replay(
    name="medfacteval",
    paper="Grolleau et al., MedFactEval and MedAgentBrief",
    takes="Cases with the text that a human wrote (and notes); texts of systems on them; later the panel's votes.",
    steps=(
        files("files", "Bring in cases, and texts of systems on them, if there are any.", texts=True),
        generate("key facts", "A model suggests key facts from the text that a human wrote.", FactCandidates,
                 _NO_CASE),
        review("choice", "A clinician keeps, edits or discards them, and adds some.", "suggestion", "suggestions",
               "suggested facts", _NO_CASE),
        generate("texts", "Each model writes on each case in one prompt, from its notes.", SinglePrompt,
                 _NO_NOTES, each=True),
        ask("presence", "Ask every judge of the jury whether each text says each fact.", PRESENCE, _NO_FACT),
        ask("contradiction", "Ask them whether it contradicts it.", CONTRADICTION, _NO_FACT),
        generate("themes", "A model finds what omitted and contradicted facts have in common.", ThemesGenerator,
                 _NO_FACT),
        review("panel", "Physicians say of each fact whether the text says it.", "fact", "facts", "facts", _NO_FACT),
    ),
    departs=(
        "A judge that says yes must quote the text; a quote that is not in it makes the vote an abstention.",
        "The tie rule of the study holds for judges and people alike, and ties are counted.",
        "Intervals resample cases, since three facts of one case, and two texts on it, are not independent.",
    ),
    not_replayed=(
        "The report in HTML: `medreview report STUDY FILE.html`.",
        "The small jury: `medreview judges choose STUDY --facts presence --size 3` finds one; `medreview stats STUDY "
        "--unit key_fact --by model --jury A,B,C` sets one that you name beside the panel.",
    ),
    table=table,
)  # fmt: skip


def brief_table(study: Study) -> Iterator[Row]:
    """Presence and contradiction of both strategies, and what a case costs and takes."""
    report = fact_report(study.reader)
    yield from _scores(report)
    for one in report.trade_offs:
        known = one.cost is not None
        yield Row("cost of a case", "more in stages than in one prompt (figure 1; no numbers in the text)",
                  mean_of("cost", one.cost, one.texts, "amount") if one.cost is not None else None,
                  of=one.system, scale="amount", missing="" if known else one.no_cost,
                  why="In the currency of the prices in the settings; the paper's are dollars.")  # fmt: skip
    for one in report.trade_offs:
        yield Row("seconds of calls for a case", "more in stages than in one prompt (supplementary figure S1)",
                  mean_of("seconds", one.seconds, one.texts, "seconds") if one.seconds is not None else None,
                  of=one.system, scale="seconds", missing="" if one.seconds is not None else one.no_time,
                  why="The sum of a text's calls; calls that could run side by side are added up.")  # fmt: skip


BRIEF_REPLAY: Final = Replay(
    name="medagentbrief",
    paper="Grolleau et al., MedFactEval and MedAgentBrief",
    takes="Cases with notes, or notes one a record; key facts; later people's labels.",
    steps=(
        files("files", "Bring in cases, notes and key facts.", texts=True),
        generate("one prompt", "Each model writes on each case from all its notes at once.", SinglePrompt,
                 _NO_NOTES, each=True),
        generate("in stages", "Each model drafts, refines note by note, reorganises; a judge verifies every statement.",
                 Brief, _NO_NOTES, each=True, verified=True),
        STATEMENTS,
        OFFLINE_RULES,
        review("choice", "A clinician keeps, edits or discards the key facts of each case.", "suggestion",
               "suggestions", "suggested facts", _NO_CASE),
        ask("presence", "Ask every judge whether each text says each key fact.", PRESENCE, _NO_FACT),
        ask("contradiction", "Ask them whether it contradicts it.", CONTRADICTION, _NO_FACT),
        review("statements beside notes", "A reviewer decides on the statements of the texts.", "statement",
               "responses", "statements", "there is no statement yet"),
    ),
    departs=(
        "A judge verifies what a model wrote, where one is named; the paper's model verifies its own.",
    ),
    not_replayed=(
        "The plot of cost against presence: `medreview report STUDY --tradeoff FILE.csv`.",
        "The page with the note beside each claim: `medreview report STUDY --briefs FILE.html`.",
    ),
    table=brief_table,
)  # fmt: skip
