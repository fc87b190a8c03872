"""The commands ``stats`` and ``report``: the figures of a study, and one file to hand in."""

import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from medreview.cli.completion import kinds
from medreview.cli.options import (
    Json,
    LeaveOut,
    OneReviewer,
    Passed,
    Replicates,
    Seed,
    StudyFile,
    Ties,
    open_study,
    rule_named,
)
from medreview.cli.output import counted, progress, result, say
from medreview.cli.verdict_access import current_verdicts, looked, reading, tell_outcomes, without_reviewers
from medreview.errors import UserError
from medreview.next_step import command

if TYPE_CHECKING:
    from medreview.cli.reports.study_page.material import Material
    from medreview.labels import TieRule
    from medreview.stats.formulas.bootstrap import Resampling
    from medreview.stats.reports.overrides import OverrideThemes
    from medreview.stats.units.unit_division import UnitBy
    from medreview.study import Study


def _resampling(seed: int | None, replicates: int | None) -> "Resampling":
    from medreview.stats.formulas.bootstrap import REPLICATES, SEED, Resampling

    return Resampling(replicates=REPLICATES if replicates is None else replicates, seed=SEED if seed is None else seed)


def stats(
    study: StudyFile,
    reviewer: OneReviewer = None,
    seed: Seed = None,
    replicates: Replicates = None,
    full: Annotated[bool, Option("--full", help="Every figure, table and reason, instead of one screen.")] = False,
    by: Annotated[
        str | None,
        Option(
            metavar="model|origin|domain|judge|page|quote|queue|case|type|run|prompt|version|extra.NAME",
            help="Divide the study: support and agreement in each part, and how the parts differ. With --unit "
            "key_fact, ranking or qa: the figures of each model, case or type.",
        ),
    ] = None,
    between: Annotated[
        str,
        Option(
            metavar="WHAT",
            help="With --full: compare answers by run, prompt, version or extra.NAME (a column of their file) "
            "instead of by model, paired by question.",
        ),
    ] = "",
    where: Annotated[
        str,
        Option(
            metavar="FILTER",
            help="Figures of a part of the study, in the words of the filters of queues: `model=atlas-2 page=ok`.",
        ),
    ] = "",
    margin: Annotated[
        float | None,
        Option(
            min=0, max=1, help="How much worse than one reviewer a judge may agree with all, in kappa; default: 0.1."
        ),
    ] = None,
    epsilon: Annotated[
        float | None,
        Option(
            min=0,
            max=1,
            help="Alternative annotator test: the advantage that a judge has over a person because it costs less; 0.2 "
            "for experts (default), 0.15 for skilled people, 0.1 for crowd workers.",
        ),
    ] = None,
    unit: Annotated[
        str | None,
        Option(
            metavar="KIND",
            autocompletion=kinds,
            help="Figures of one other kind of unit: pair, response, reference, answer, qa, question, revision, "
            "suggestion, key_fact, ranking.",
        ),
    ] = None,
    jury: Annotated[
        list[str] | None,
        Option(
            metavar="A,B,C",
            help="With --unit key_fact: compare the majority of these judges with the panel; may be repeated.",
        ),
    ] = None,
    leave_out: LeaveOut = None,
    passed: Passed = "",
    bootstrap: Annotated[
        bool,
        Option(
            "--bootstrap",
            help="With --unit key_fact: intervals by percentiles of resampled cases, as MedFactEval has them, "
            "beside the default ones.",
        ),
    ] = False,
    gold: Annotated[
        bool,
        Option(
            "--gold",
            help="Score models against all right labels, also of what nobody has decided. For the study's owner: "
            "it is recorded that you have seen these figures.",
        ),
    ] = False,
    csv: Annotated[
        str,
        Option(
            metavar="FILE", help="Write every figure of --full as a row of a CSV file; - writes it to standard output."
        ),
    ] = "",
    require: Annotated[
        list[str] | None,
        Option(
            "--require",
            metavar="EXPRESSION",
            help="Exit with code 1 unless this holds: `kappa>=.6`, `lower(support[by=models])>=80%`; may be repeated.",
        ),
    ] = None,
    conduct: Annotated[
        bool,
        Option(
            "--conduct",
            help="With --full: how everybody works (pace, drift, signs of haste), not only you or the one named.",
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Show how far you are, who agrees, what is supported.

    It says how often you and the judges agree, and how well the responses are supported by what they cite. One screen
    has a line for each judge and each share of support; --full has everything. Labels given blind, before the judges
    were seen, stand apart from assisted ones, and the random audit apart from what was chosen: pooled, they would
    answer no question. Intervals are over whole responses, or over questions where answers share these.

    Example: medreview stats sepsis.medreview --require "lower(kappa)>=.4" --require "support>=80%"
    """
    from medreview.exchange.exports.figure_csv import FIGURES
    from medreview.exchange.files.csv_file import check_report
    from medreview.review.looks import shown_by, told_by_sums
    from medreview.review.queue_filters import select_statements
    from medreview.stats.formulas.human_baseline import EPSILON, MARGIN
    from medreview.stats.reports.answer_arms import MODEL
    from medreview.stats.reports.subgroups import check_division
    from medreview.stats.requirements import outcomes, requirement
    from medreview.stats.study_figures import figure_document, study_figures

    resampling, worth = _resampling(seed, replicates), EPSILON if epsilon is None else epsilon
    required = [requirement(each) for each in require or ()]
    if csv not in ("", "-"):
        check_report(Path(csv), FIGURES)
    whole = full or as_json or bool(csv or required)
    if between and (unit is not None or gold or not whole):
        done = command("stats", study, "--full", "--between", between)
        raise UserError(f"--between needs --full, and compares answers by their statements: `{done}`.")
    if unit is not None or gold:
        of_units: dict[str | None, UnitBy | None] = {None: None, "model": "model", "case": "case", "type": "type"}
        if conduct or by not in of_units:
            raise UserError("With --unit or --gold, --by takes model, case or type, and --conduct does not apply.")
        from medreview.cli.unit_stats import print_unit_stats

        print_unit_stats(
            study, unit, reviewer, resampling, full=full, gold=gold, csv=csv, as_json=as_json, by=of_units[by],
            where=where, juries=[tuple(name.strip() for name in each.split(",")) for each in jury or ()], epsilon=worth,
            required=required, leave_out=leave_out, passed=passed, bootstrap=bootstrap,
        )  # fmt: skip
        sys.stdout.flush()
        return
    if jury or bootstrap or by == "case" or by == "type":
        raise UserError("--jury, --bootstrap, --by case and --by type are for other units: add --unit KIND.")
    with open_study(study, read_only=True) as opened, progress() as bar:
        current_verdicts(opened)
        check_division(opened.reader, by)
        only = select_statements(opened.reader, where, reviewer)
        looked(opened, "stats", shown_by(only))
        own = () if not whole else None if conduct else (reviewer,) if reviewer else reading(opened)
        with without_reviewers(opened, leave_out, passed, reviewer):
            figures = study_figures(
                opened.reader, reviewer, full=whole, resampling=resampling, progress=bar, only=only, by=by,
                conduct=own, between=between or MODEL, margin=MARGIN if margin is None else margin, epsilon=worth,
            )  # fmt: skip
        if any(told_by_sums(figures.given, one) for one in reading(opened)):
            looked(opened, "stats", "labels")
    held = outcomes(required, figures, figures.answers)
    if csv:
        from medreview.cli.unit_stats import print_csv

        print_csv(figures, figures.provenance, csv, as_json=as_json)
    elif as_json:
        more = {"require": [asdict(each) for each in held]} if held else {}
        result({**figure_document(figures), **more}, as_json=True)
    elif full or figures.by is not None:
        from medreview.cli.reports.stats import divided_parts, stats_parts
        from medreview.cli.reports.terminal import show

        show(stats_parts(figures, study) if full else divided_parts(figures))
    elif not held:
        from medreview.cli.reports.stats_screen import render_screen

        print(render_screen(figures, study), end="")
    sys.stdout.flush()
    tell_outcomes(held, beside=as_json or bool(csv))


_OF_THEMES = ("reviewer", "model", "made_at", "read", "of", "changed")


def report(
    study: StudyFile,
    page: Annotated[
        Path | None, Argument(metavar="FILE.html", help="The report as one page.", show_default=False)
    ] = None,
    markdown: Annotated[
        Path | None, Option("--markdown", metavar="FILE.md", help="The same as Markdown, without the plots.")
    ] = None,
    tradeoff: Annotated[
        Path | None,
        Option("--tradeoff", metavar="FILE.csv", help="Also write cost and time of each system, with plots."),
    ] = None,
    briefs: Annotated[
        Path | None,
        Option("--briefs", metavar="FILE.html", help="Write the briefs, their notes beside them, as a page."),
    ] = None,
    systems: Annotated[
        Path | None,
        Option(
            "--systems",
            metavar="FOLDER",
            help="Write a page for each system, and one for each case, on what its texts say of the key facts.",
        ),
    ] = None,
    checklist: Annotated[
        list[str] | None,
        Option(
            "--checklist",
            metavar="NAME",
            help="Add a checklist, filled from the study: chart, mi-clear-llm, tripod-llm or grras; may be repeated. "
            "Without an output file, medreview prints it. `list` lists them all.",
        ),
    ] = None,
    reviewer: OneReviewer = None,
    where: Annotated[
        str,
        Option(
            metavar="FILTER",
            help="A report on a part of the study, in the words of the filters of queues: `model=atlas-2 page=ok`.",
        ),
    ] = "",
    overridden: Annotated[
        int | None,
        Option(
            min=0, metavar="N", help="Overridden statements of each reviewer that are printed in full; default: 200."
        ),
    ] = None,
    leave_out: LeaveOut = None,
    passed: Passed = "",
    ties: Ties = None,
    seed: Seed = None,
    replicates: Replicates = None,
    as_json: Json = False,
) -> None:
    """Write one page to hand in: what was reviewed, figures.

    The page needs no network and no other file; it can be read on a phone and printed. It holds where the figures come
    from, plots, limitations found in the data, a methods paragraph, what the study is made of, judges with their
    prompts, every figure, what is cited, cost, key facts with the votes, every statement on which a reviewer differs
    from the judges, and the hallucinations marked in the answers. With --checklist it ends with the items of a
    reporting guideline, filled where the study has the answer. With --tradeoff, FILE.csv has what each system costs
    and how long it takes for a case, against the key facts that it says; NAME.cost.svg and NAME.latency.svg lie beside
    it. With --systems, FOLDER has a page for each system and for each case, which can be given away alone.

    Example: medreview report sepsis.medreview sepsis.html --markdown sepsis.md
    """
    from medreview.cli.reports.brief_page import check_brief_page, write_brief_page
    from medreview.cli.reports.facts import check_trade_off
    from medreview.cli.reports.study_page.fact_pages import check_folder, write_fact_pages
    from medreview.cli.reports.study_page.material import MOST, gather
    from medreview.cli.reports.study_page.written import check_report
    from medreview.generators.brief_text import stored_briefs
    from medreview.judges.fact_votes import has_votes
    from medreview.review.looks import shown_by, tells_of_others
    from medreview.review.queue_filters import select_statements
    from medreview.study.audit_frame import listable

    wanted = _checklists(checklist or [], as_json=as_json)
    if wanted is None:
        return
    check_report(page, markdown)
    if tradeoff is not None:
        check_trade_off(tradeoff)
    if briefs is not None:
        check_brief_page(briefs)
    if systems is not None:
        check_folder(systems)
    rule = None if ties is None else rule_named(ties)
    resampling = _resampling(seed, replicates)
    if not (page or markdown or tradeoff or briefs or systems or wanted):
        raise UserError(
            f"Say where to write: `{command('report', study, study.with_suffix('.html'))}`, or --markdown FILE.md. "
            f"Figures of key facts are printed by `{command('stats', study, '--unit', 'key_fact')}`."
        )
    told: dict[str, Any] = {}
    with open_study(study, read_only=True) as opened:
        current_verdicts(opened)
        only = select_statements(opened.reader, where, reviewer)
        me = reading(opened)
        listed = None if has_votes(opened.reader) else listable(opened.reader, *me)
        looked(opened, "report", "verdicts" if listed is None else shown_by(only))
        if page is not None or markdown is not None or wanted:
            if me != (reviewer,) and any(tells_of_others(opened.reader, one, listed) for one in me):
                looked(opened, "report", "labels")
            with progress() as bar, without_reviewers(opened, leave_out, passed, reviewer):
                found = gather(
                    opened.reader, study.name, reviewer, only=only, listed=listed, to=me,
                    most=MOST if overridden is None else overridden, tie=rule, resampling=resampling, progress=bar,
                )  # fmt: skip
            told |= _report(found, page, markdown, wanted)
        if briefs is not None:
            told["briefs"] = str(write_brief_page(list(stored_briefs(opened.reader)), study.name, briefs))
            say(f"written: {told['briefs']}")
        if systems is not None:
            if any(tells_of_others(opened.reader, one, listed) for one in me):
                looked(opened, "report", "labels")
            with progress() as bar:
                pages = write_fact_pages(opened.reader, systems, study.name, rule, resampling, bar)
            told["systems"] = list(map(str, pages))
            say(f"written: {counted(len(pages), 'page')} in {systems}")
        if tradeoff is not None:
            with without_reviewers(opened, leave_out, passed):
                told["tradeoff"] = _trade_off(opened, tradeoff, rule, resampling)
    if wanted and page is None and markdown is None and not as_json:
        _print_checklists(found, wanted)
    else:
        result(told, *_summary(told), as_json=as_json)
    sys.stdout.flush()


def _checklists(named: list[str], *, as_json: bool) -> list[str] | None:
    """Those that are wanted, each once; ``None`` where only their list was, which is printed."""
    from medreview.cli.reports.study_page.checklists.checklist import NAMES, checklist_named

    if "list" in named:
        result(list(NAMES), *(f"{name}: {checklist_named(name).title}" for name in NAMES), as_json=as_json)
        return None
    return [checklist_named(name.casefold()).key for name in dict.fromkeys(named)]


def _print_checklists(found: "Material", wanted: list[str]) -> None:
    from medreview.cli.reports.study_page.checklists.checklist import checklist_parts
    from medreview.cli.reports.study_page.written import section_titles
    from medreview.cli.reports.terminal import show

    titles = section_titles(found)
    for name in wanted:
        show(["", *checklist_parts(name, found, titles)])


def _report(found: "Material", page: Path | None, markdown: Path | None, checklists: list[str]) -> dict[str, Any]:
    """Write the report in the forms that are wanted; what a script wants to know of it."""
    from medreview.cli.reports.study_page.checklists.checklist import checklist_values
    from medreview.cli.reports.study_page.methods import limitations
    from medreview.cli.reports.study_page.written import section_titles, write_markdown, write_report

    told: dict[str, Any] = {"statements": found.figures.statements}
    told |= {"overridden": len(found.differing), "in_full": len(found.overridden)}
    told |= {"held_back": found.held_back, "themes": list(map(_themes, found.themes))}
    if found.references is not None:
        told |= {"references": len(found.references.listed), "references_held_back": found.references.held_back}
    told |= {"limitations": list(limitations(found)), "provenance": asdict(found.figures.provenance)}
    for name, path, write in (("page", page, write_report), ("markdown", markdown, write_markdown)):
        if path is not None:
            told[name] = str(write(found, path, checklists))
            say(f"written: {told[name]}")
    if checklists:
        titles = section_titles(found)
        told["checklists"] = [checklist_values(name, found, titles) for name in checklists]
    return told


def _themes(found: "OverrideThemes") -> dict[str, Any]:
    """What a script wants to know of a reviewer's themes."""
    themes = [
        {"title": one.title, "about": one.about, "statements": [each.statement_id for each in one.statements]}
        for one in found.themes
    ]
    return {**{name: getattr(found, name) for name in _OF_THEMES}, "themes": themes}


def _trade_off(study: "Study", path: Path, rule: "TieRule | None", resampling: "Resampling") -> list[str]:
    from medreview.cli.reports.facts import left_out, write_trade_off
    from medreview.stats.units.fact_report import fact_report

    found = fact_report(study.reader, tie=rule, resampling=resampling).trade_offs
    written = list(map(str, write_trade_off(found, path)))
    say(f"written: {', '.join(written)}", *left_out(found))
    return written


def _summary(told: Mapping[str, Any]) -> Iterator[str]:
    if "overridden" in told:
        shown = f" ({told['in_full']:,} in full)" if told["in_full"] < told["overridden"] else ""
        differing = f"{counted(told['overridden'], 'statement')} decided against the judges{shown}, "
        yield f"{differing if told['statements'] else ''}{counted(len(told['limitations']), 'limitation')}"
        if told["held_back"]:
            yield f"{counted(told['held_back'], 'statement')} not listed, to keep the audit blind"
