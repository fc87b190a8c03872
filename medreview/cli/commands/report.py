"""The command ``report``: one file on a study to hand in, the same as Markdown, and files on what systems cost."""

import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from medreview.cli.current_verdicts import current_verdicts
from medreview.cli.looking import looked, reading
from medreview.cli.options import Json, StudyFile
from medreview.cli.output import counted, progress, result, say
from medreview.cli.ties import Ties, rule_named
from medreview.errors import UserError
from medreview.next_step import command

if TYPE_CHECKING:
    from medreview.cli.reports.study_page.material import Material
    from medreview.labels import TieRule
    from medreview.stats.formulas.bootstrap import Resampling
    from medreview.stats.reports.override_themes import OverrideThemes
    from medreview.study import Study

_LEAST_REPLICATES = 99
_OF_THEMES = ("reviewer", "model", "made_at", "read", "of", "changed")


def report(
    study: StudyFile,
    page: Annotated[
        Path | None, typer.Argument(metavar="FILE.html", help="The report as one page.", show_default=False)
    ] = None,
    markdown: Annotated[
        Path | None, typer.Option("--markdown", metavar="FILE.md", help="The same as Markdown, without the plots.")
    ] = None,
    tradeoff: Annotated[
        Path | None,
        typer.Option("--tradeoff", metavar="FILE.csv", help="Also write cost and time of each system, with plots."),
    ] = None,
    briefs: Annotated[
        Path | None,
        typer.Option("--briefs", metavar="FILE.html", help="Write the briefs, their notes beside them, as a page."),
    ] = None,
    reviewer: Annotated[str | None, typer.Option(metavar="NAME", help="One reviewer; default: all of them.")] = None,
    where: Annotated[
        str,
        typer.Option(
            metavar="FILTER",
            help="A report on a part of the study, in the words of the filters of queues: `model=atlas-2 page=ok`.",
        ),
    ] = "",
    overridden: Annotated[
        int | None,
        typer.Option(min=0, metavar="N", help="Overridden statements of each reviewer told in full; default: 200."),
    ] = None,
    ties: Ties = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of the resampling; default: 1.")] = None,
    replicates: Annotated[
        int | None, typer.Option(min=_LEAST_REPLICATES, help="How many resamples; default: 9,999.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Write what was reviewed, how, and what came of it, as one file to hand in.

    The page needs no network and no other file; it can be read on a phone and printed. It holds where the figures come
    from, plots, limitations told from the data, a methods paragraph, judges with their prompts, every figure, what is
    cited, cost, key facts with the votes, every statement on which a reviewer differs from the judges, and the
    hallucinations marked in the answers. With --tradeoff, FILE.csv has what each system costs and how long it takes for
    a case, against the key facts that it says; NAME.cost.svg and NAME.latency.svg lie beside it.

    Example: medreview report sepsis.medreview sepsis.html --markdown sepsis.md
    """
    from medreview.cli.reports.brief_page import check_brief_page, write_brief_page
    from medreview.cli.reports.study_page.material import MOST, gather
    from medreview.cli.reports.study_page.written import check_report
    from medreview.cli.reports.tradeoff import check_trade_off
    from medreview.generators.brief.stored import stored_briefs
    from medreview.judges.fact_votes import has_votes
    from medreview.review.looks import shown_by, tells_of_others
    from medreview.review.selecting import select_statements
    from medreview.stats.formulas.bootstrap import REPLICATES, SEED, Resampling
    from medreview.study import Study
    from medreview.study.held_back import listable

    check_report(page, markdown)
    if tradeoff is not None:
        check_trade_off(tradeoff)
    if briefs is not None:
        check_brief_page(briefs)
    rule = None if ties is None else rule_named(ties)
    resampling = Resampling(
        replicates=REPLICATES if replicates is None else replicates, seed=SEED if seed is None else seed
    )
    if page is None and markdown is None and tradeoff is None and briefs is None:
        raise UserError(
            f"Say where to write: `{command('report', study, study.with_suffix('.html'))}`, or --markdown FILE.md. "
            f"Figures of key facts are printed by `{command('stats', study, '--unit', 'key_fact')}`."
        )
    told: dict[str, Any] = {}
    with Study.open(study, read_only=True) as opened:
        current_verdicts(opened)
        only = select_statements(opened.reader, where, reviewer)
        me = reading(opened)
        listed = None if has_votes(opened.reader) else listable(opened.reader, *me)
        looked(opened, "report", "verdicts" if listed is None else shown_by(only))
        if page is not None or markdown is not None:
            if me != (reviewer,) and any(tells_of_others(opened.reader, one, listed) for one in me):
                looked(opened, "report", "labels")
            with progress() as bar:
                found = gather(
                    opened.reader, study.name, reviewer, only=only, listed=listed, to=me,
                    most=MOST if overridden is None else overridden, tie=rule, resampling=resampling, progress=bar,
                )  # fmt: skip
            told |= _report(found, page, markdown)
        if briefs is not None:
            told["briefs"] = str(write_brief_page(list(stored_briefs(opened.reader)), study.name, briefs))
            say(f"written: {told['briefs']}")
        if tradeoff is not None:
            told["tradeoff"] = _trade_off(opened, tradeoff, rule, resampling)
    result(told, *_summary(told), as_json=as_json)
    sys.stdout.flush()


def _report(found: "Material", page: Path | None, markdown: Path | None) -> dict[str, Any]:
    """Write the report in the forms that are wanted; what a script wants to know of it."""
    from medreview.cli.reports.study_page.limitations import limitations
    from medreview.cli.reports.study_page.written import write_markdown, write_report

    told: dict[str, Any] = {"overridden": len(found.differing), "in_full": len(found.overridden)}
    told |= {"held_back": found.held_back, "themes": list(map(_themes, found.themes))}
    if found.references is not None:
        told |= {"references": len(found.references.listed), "references_held_back": found.references.held_back}
    told |= {"limitations": list(limitations(found)), "provenance": asdict(found.figures.provenance)}
    for name, path, write in (("page", page, write_report), ("markdown", markdown, write_markdown)):
        if path is not None:
            told[name] = str(write(found, path))
            say(f"written: {told[name]}")
    return told


def _themes(found: "OverrideThemes") -> dict[str, Any]:
    """What a script wants to know of a reviewer's themes."""
    themes = [
        {"title": one.title, "about": one.about, "statements": [each.statement_id for each in one.statements]}
        for one in found.themes
    ]
    return {**{name: getattr(found, name) for name in _OF_THEMES}, "themes": themes}


def _trade_off(study: "Study", path: Path, rule: "TieRule | None", resampling: "Resampling") -> list[str]:
    from medreview.cli.reports.tradeoff import left_out, write_trade_off
    from medreview.stats.facts.fact_report import fact_report

    found = fact_report(study.reader, tie=rule, resampling=resampling).trade_offs
    written = list(map(str, write_trade_off(found, path)))
    say(f"written: {', '.join(written)}", *left_out(found))
    return written


def _summary(told: Mapping[str, Any]) -> Iterator[str]:
    if "overridden" in told:
        shown = f" ({told['in_full']:,} in full)" if told["in_full"] < told["overridden"] else ""
        yield (
            f"{counted(told['overridden'], 'statement')} otherwise than the judges{shown}, "
            f"{counted(len(told['limitations']), 'limitation')}"
        )
        if told["held_back"]:
            yield f"{counted(told['held_back'], 'statement')} not listed, to keep the audit blind"
