"""The command ``judges swap``: another question writer, parser or verifier in the pipeline, and what that changes."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument

from medreview.cli.completion import studies
from medreview.cli.options import Json, Replicates, open_study, study_path
from medreview.cli.output import given, one_line, result
from medreview.cli.verdict_access import current_verdicts, looked, reading
from medreview.errors import UserError

if TYPE_CHECKING:
    from medreview.cli.reports.layout import Part
    from medreview.stats.reports.pipeline_swap import Pipeline, PipelineSwaps, StageSwap


def _paths(values: list[Path]) -> list[Path]:
    for value in values:
        study_path(value)
    if len({path.resolve() for path in values}) < len(values):
        raise UserError("One study is named twice: name each once.")
    return values


def swap(
    studies: Annotated[
        list[Path],
        Argument(
            metavar="STUDY...", help="Study files over the same answers.", callback=_paths, autocompletion=studies
        ),
    ],
    replicates: Replicates = None,
    as_json: Json = False,
) -> None:
    """Compare the figures when another model does a step.

    It compares the support of statements when another model writes the questions, parses the answers or verifies.
    One study holds several verifiers, and questions of several writers. The statements of another parser are in
    another study over the same answers; they are matched by answer and text. Each two combinations that differ in one
    part stand beside each other.

    Example: medreview judges swap first-parser.medreview second-parser.medreview
    """
    from medreview.review.looks import told_by_sums
    from medreview.stats.formulas.bootstrap import DEFAULT, Resampling
    from medreview.stats.reports.pipeline_swap import pipeline_swaps

    with ExitStack() as stack:
        opened = {_name(path, studies): stack.enter_context(open_study(path, read_only=True)) for path in studies}
        for study in opened.values():
            current_verdicts(study)
        found = pipeline_swaps(
            {name: study.reader for name, study in opened.items()},
            DEFAULT if replicates is None else Resampling(replicates=replicates),
        )
        for name, study in opened.items():
            looked(study, "swap", "totals")
            told = [(one.by, one.questions.answerable.n) for one in found.writers if one.mode and one.study == name]
            if any(told_by_sums(told, one) for one in reading(study)):
                looked(study, "swap", "labels")
    if as_json:
        result(asdict(found), as_json=True)
    else:
        from medreview.cli.reports.terminal import show

        show(_parts(found))


def _name(path: Path, every: Sequence[Path]) -> str:
    """A study by its file's name; with its folder where two have the same."""
    return path.stem if sum(one.stem == path.stem for one in every) == 1 else str(path.with_suffix(""))


def _parts(found: "PipelineSwaps") -> Iterator["Part"]:
    from medreview.cli.reports.estimates import p_words, sentences
    from medreview.cli.reports.layout import TableHeading, Title, cells, inset, table

    names = _Names(found)
    yield Title("Support under each combination")
    rows = [
        (names.of(one.pipeline), *cells(one.supported), one.statements, one.answers, one.left_out)
        for one in found.support
    ]
    yield inset(
        table((names.heading, "support", "95% interval", "statements", "answers", "left"), rows, long=(names.heading,)),
        *sentences([one.supported for one in found.support]),
    )
    yield "support: at least one source says the statement, by the verifier. left: it could not tell, or was not asked."
    for stage in dict.fromkeys(one.stage for one in found.swaps):
        swaps = [one for one in found.swaps if one.stage == stage]
        yield Title(f"Another {_STAGES[stage]}")
        differences = [(names.pair(one), *cells(one.difference), p_words(one.p), p_words(one.holm)) for one in swaps]
        yield inset(
            table(("support", "difference", "95% interval", "p", "Holm"), differences),
            *sentences([one.difference for one in swaps]),
        )
        matched = [
            (names.pair(one), *cells(one.agreement[0]), *cells(one.agreement[1], 2, missing=""), one.matched,
             one.first_only, one.second_only)
            for one in swaps if one.agreement
        ]  # fmt: skip
        if matched:
            heads = ("same statements", "agree", "95% interval", "kappa", "95% interval", "both", "1st", "2nd")
            yield inset(
                TableHeading("On the statements that both have"), table(heads, matched),
                *sentences([figure for one in swaps for figure in one.agreement]),
            )  # fmt: skip
        if len(matched) < len(swaps):
            yield "Two that have no statement in common are compared by their shares alone."
    if found.swaps:
        yield (
            "Differences are the first minus the second, over questions; Holm: within all of them. In brackets: what "
            "both have. 1st, 2nd: statements that only one of the two has."
        )
    else:
        yield "No two combinations differ in one part alone: nothing was swapped."
    if found.writers:
        yield Title("Valid questions by writer")
        valid = [
            (f"{given(one.writer)} by {one_line(one.by)}{f', {one.mode}' if one.mode else ''}",
             *cells(one.questions.answerable), one.questions.answerable.n)
            for one in found.writers
        ]  # fmt: skip
        yield inset(table(("questions of", "answerable", "95% interval", "n"), valid, others="words"))


_STAGES = {"writer": "question writer", "parser": "parser", "verifier": "verifier"}


class _Names:
    """What combinations are called: by those parts in which any two of them differ."""

    def __init__(self, found: "PipelineSwaps") -> None:
        every = [one.pipeline for one in found.support]
        stages = [stage for stage in _STAGES if len({getattr(one, stage) for one in every}) > 1] or ["verifier"]
        alone = len({tuple(getattr(one, stage) for stage in stages) for one in every}) == len(every)
        self._stages = stages if alone else ["study", *stages]
        parsers = {one.parser for one in every}
        # A judge's name without its prompt, where that tells it from the others.
        short = {parser: parser.split()[0] if parser else "" for parser in parsers}
        self._parsers = short if len(set(short.values())) == len(parsers) else {parser: parser for parser in parsers}
        self.heading = ", ".join(_STAGES.get(stage, stage) for stage in self._stages)

    def _part(self, one: "Pipeline", stage: str) -> str:
        return one_line(given(self._parsers[one.parser] if stage == "parser" else getattr(one, stage)))

    def of(self, one: "Pipeline") -> str:
        """The parts of one, in their order."""
        return ", ".join(self._part(one, stage) for stage in self._stages)

    def pair(self, swap: "StageSwap") -> str:
        """What changes, and beside what else, where that differs."""
        changed = " - ".join(self._part(one, swap.stage) for one in (swap.first, swap.second))
        held = [self._part(swap.first, stage) for stage in self._stages if stage not in (swap.stage, "study")]
        return f"{changed} ({', '.join(held)})" if held else changed
