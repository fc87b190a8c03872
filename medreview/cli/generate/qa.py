"""The command ``generate qa``."""

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from medreview.cli.generate_options import Wanted, generator_command
from medreview.cli.generating import generate_with
from medreview.cli.options import Reviewer, StudyFile
from medreview.cli.output import counted
from medreview.errors import UserError
from medreview.words import in_words

if TYPE_CHECKING:
    from medreview.generators.counts import GenerationCounts
    from medreview.study import Study


@generator_command()
def qa(
    study: StudyFile,
    wanted: Wanted,
    kind: Annotated[
        str, typer.Option("--type", metavar="TYPE", help="One type for all, short for one; `auto` goes by the passage.")
    ] = "auto",
    seed: Annotated[int, typer.Option(metavar="N", help="Decides turns of types, order of options, the share.")] = 0,
    distractors: Annotated[
        bool, typer.Option("--distractors", help="Replace wrong options that are easy to tell, or not wrong.")
    ] = False,
    every: Annotated[
        bool, typer.Option("--all-passages", help="Also passages that `generate passages` did not choose.")
    ] = False,
    second: Annotated[
        str, typer.Option(metavar="45%", help="How many of the items a second reviewer annotates as well, blinded.")
    ] = "",
    reviewer: Reviewer = None,
) -> None:
    """Make a question with its answer of each passage, of seven types, to be reviewed beside the passage.

    Types: true_false, list, multiple_choice, short, short_inverse, multi_hop, multi_hop_inverse. An inverse item shows
    a wrong answer, and asks for its flaw.

    Example: medreview generate qa sepsis.medreview --model writer --distractors --second 45%
    """
    from medreview.cli.generate.shares import share_of
    from medreview.generators.qa.items import QAItems, passages_of
    from medreview.next_step import command

    rate = share_of(second, "--second", "45%")
    make = partial(QAItems, kind=kind, seed=seed, distractors=distractors, every=every)

    def check(opened: "Study") -> None:
        if not passages_of(opened.reader, every=every):
            raise UserError(
                "There is no passage to ask about: let the program choose some with "
                f"`{command('generate', 'passages', opened.path, 'TEXT')}`."
            )

    def figures(opened: "Study", counts: "GenerationCounts") -> tuple[dict[str, Any], list[str]]:
        by_type = _by_type(opened, counts.run_id)
        each = ", ".join(f"{in_words(name)} {number:,}" for name, number in by_type.items())
        told, lines = {"types": by_type}, [f"  {each}"] if each else []
        if rate is None:
            return told, lines
        share = _shared(opened, rate, seed, reviewer)
        items = counted(share["drawn"], "QA item")
        words = f"{share['rate']:.0%} (seed {share['seed']}) for a second, blinded annotation: {items}"
        return {**told, "second": share}, [*lines, words]

    generate_with(study, make, wanted, before=check, figures=figures)


def _by_type(study: "Study", run_id: str) -> dict[str, int]:
    """The items of a run by their type."""
    rows = study.reader.execute(
        """SELECT json_extract(u.content, '$.type'), count(*) FROM generation_product AS p
           JOIN unit AS u ON u.unit_id = p.made WHERE p.run_id = ? GROUP BY 1 ORDER BY 2 DESC, 1""",
        (run_id,),
    )
    return {str(name): int(number) for name, number in rows}


def _shared(study: "Study", rate: float, seed: int, reviewer: str | None) -> dict[str, Any]:
    """Set the share for blinded second annotation, unless one as large is set: rate, seed, and how many are drawn.

    It is only ever raised, and drawn by the seed that it had first.
    """
    from medreview.config import load_config
    from medreview.review.second_annotation import drawn, set_share, shares

    share = shares(study.reader).get("qa")
    if share is None or share.rate < rate:
        share = set_share(study, reviewer or load_config().reviewer, "qa", rate, None if share else seed)
    units = drawn(study.reader, study.meta("study_id"), share)
    return {"rate": share.rate, "seed": share.seed, "drawn": len(units)}
