"""The command ``generate key-facts``."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from medreview.cli.generate_options import Wanted, generator_command
from medreview.cli.generating import generate_with
from medreview.cli.options import StudyFile
from medreview.cli.output import bad_records, counted, progress

if TYPE_CHECKING:
    from medreview.generators.counts import GenerationCounts
    from medreview.study import Study


@generator_command()
def key_facts(
    study: StudyFile,
    wanted: Wanted,
    cases: Annotated[
        Path | None, typer.Argument(metavar="CASES", help="Cases to bring in first; those of the study are kept.")
    ] = None,
    per_case: Annotated[
        int, typer.Option("--per-case", min=1, max=5, help="Facts of each case that are to be kept of five.")
    ] = 3,
) -> None:
    """Suggest five key facts of each case, from the text that a human wrote on it; a reviewer keeps, edits, discards.

    Only facts that are kept are asked of the responses to the case's question. How many were kept, edited, discarded
    and added is said by `medreview stats STUDY --unit key_fact`.

    Example: medreview generate key-facts ward.medreview cases.jsonl --per-case 3 --model writer
    """
    from medreview.generators.key_facts import KeyFacts

    generate_with(
        study,
        partial(KeyFacts, per_case=per_case),
        wanted,
        before=partial(_bring, cases) if cases else lambda opened: None,
        figures=partial(_figures, study, per_case),
    )


def _bring(path: Path, study: "Study") -> None:
    from medreview import pipeline

    with progress() as bar:
        done = pipeline.bring_in(study, path, {}, bar)
    bad_records(done.bad, path)


def _figures(
    path: Path, per_case: int, study: "Study", _counts: "GenerationCounts"
) -> tuple[dict[str, Any], list[str]]:
    """What became of the suggested facts so far, and what to do next."""
    from dataclasses import asdict

    from medreview.cli.reports.facts import suggested_words
    from medreview.next_step import command
    from medreview.units.suggestion import case_facts, fact_counts

    counts = fact_counts(case_facts(study.reader))
    lines = [suggested_words(counts)]
    if counts.open:
        keep = counted(per_case, "fact")
        lines.append(f"Keep {keep} of each case: {command('review', path, '--queue', 'suggestions')}")
    return {"suggested": asdict(counts)}, lines
