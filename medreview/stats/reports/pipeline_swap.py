"""Support under each combination of question writer, parser and verifier, over one study or several (SourceCheckup).

The paper makes its pipeline again with another model, and puts that model in place of the first in one part at a time:
does the share of supported statements depend on who wrote the question, cut the answer, or looked into the source?
Answers are the same where question and text are; statements of two parsers are the same where their texts are, but for
case, spaces, marks of citations and signs at the ends. A study holds one list of statements of an answer: another
parser's is in another study over the same answers.
"""

import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from operator import attrgetter
from typing import Final, Literal

from medreview.errors import UserError
from medreview.judges.votes import VotingJudge, judges_of_support
from medreview.stats.clusters import question_text
from medreview.stats.formulas.agreement import paired
from medreview.stats.formulas.bootstrap import DEFAULT, Resampling
from medreview.stats.formulas.estimate import Estimate
from medreview.stats.formulas.hypothesis_tests import adjusted
from medreview.stats.formulas.intervals import difference_of_quotients, jackknifed, p_of_zero, quotient, summed
from medreview.stats.reports.generated_items import CheckedQuestions, question_report
from medreview.stats.reports.reviewer_labels import BINARY
from medreview.stats.reports.study_reader import judged_responses
from medreview.units.named_statement import text_alone
from medreview.units.statement_list import parser_words

Stage = Literal["writer", "parser", "verifier"]
STAGES: Final[tuple[Stage, ...]] = ("writer", "parser", "verifier")
NOT_WRITTEN: Final = "given"
"""The writer of a question that no model of the study wrote."""
_AGREEMENT: Final = ("percent_agreement", "cohen_kappa")
_UNIT: Final = "question"
_ANSWERS: Final = """SELECT response_id, question, text_sha256, coalesce(parser, '') AS parser FROM response"""
_STATEMENTS: Final = "SELECT statement_id, response_id, text FROM statement_standing"
_WRITERS: Final = "SELECT text, model FROM unit WHERE kind = 'question' AND model <> ''"


@dataclass(frozen=True, slots=True)
class Pipeline:
    """One combination: the study that has it, and what did each part. ``writer`` is ``given`` where no model did."""

    study: str
    writer: str
    parser: str
    verifier: str

    def changed(self, other: "Pipeline") -> Stage | None:
        """The only part that another has otherwise; ``None`` where it is none, or are several."""
        found = [stage for stage in STAGES if getattr(self, stage) != getattr(other, stage)]
        return found[0] if len(found) == 1 else None


@dataclass(frozen=True)
class PipelineSupport:
    """``statements`` of ``answers`` that the verifier could tell of; ``left_out``: those on which it said nothing, or
    abstained. ``supported``: the share that one source at least supports, with an interval over questions."""

    pipeline: Pipeline
    answers: int
    statements: int
    left_out: int
    supported: Estimate


@dataclass(frozen=True)
class StageSwap:
    """Two combinations that differ in one part, ``first`` minus ``second``.

    ``difference``: of the shares of all their statements, over the questions of both; ``p``: that it is 0, ``holm``
    within all of them. ``matched``: statements that both have, of which ``first_only`` and ``second_only`` are not;
    ``agreement``: percent agreement and Cohen's kappa of the two on supported or not on these, empty without any.
    """

    stage: Stage
    first: Pipeline
    second: Pipeline
    difference: Estimate
    p: float | None
    holm: float | None
    matched: int
    first_only: int
    second_only: int
    agreement: tuple[Estimate, ...]


@dataclass(frozen=True)
class WriterQuestions:
    """One rater's word on the questions of a ``writer`` in a study: the share that is valid, by Wilson."""

    study: str
    by: str
    mode: str
    writer: str
    questions: CheckedQuestions


@dataclass(frozen=True)
class PipelineSwaps:
    """All combinations, those pairs of them that differ in one part, and the questions of each writer."""

    support: tuple[PipelineSupport, ...]
    swaps: tuple[StageSwap, ...]
    writers: tuple[WriterQuestions, ...]


@dataclass
class _PipelineWords:
    """What a verifier says of the statements of a combination: (answer, text) -> supported or not; the questions of
    these, and how many it left out."""

    words: dict[tuple[str, str], bool] = field(default_factory=dict)
    clusters: dict[tuple[str, str], str] = field(default_factory=dict)
    left_out: int = 0


def pipeline_swaps(studies: Mapping[str, sqlite3.Connection], resampling: Resampling = DEFAULT) -> PipelineSwaps:
    """Of studies by name. Raises :class:`UserError` where no judge but the rules has said anything."""
    said: dict[Pipeline, _PipelineWords] = {}
    writers: list[WriterQuestions] = []
    for name, reader in studies.items():
        said |= _read(name, reader)
        writers += _writers(name, reader)
    if not said:
        raise UserError(
            "No judge has looked into any source: `medreview judge STUDY` asks one. The rules do not count."
        )
    swaps = [
        _swap(stage, one, said[one], other, said[other], resampling)
        for one, other in combinations(said, 2)
        if (stage := one.changed(other)) is not None
    ]
    holm = adjusted([swap.p for swap in swaps])
    return PipelineSwaps(
        support=tuple(_support(one, found, resampling) for one, found in said.items()),
        swaps=tuple(replace(swap, holm=p) for swap, p in zip(swaps, holm, strict=True)),
        writers=tuple(writers),
    )


def _read(name: str, reader: sqlite3.Connection) -> dict[Pipeline, _PipelineWords]:
    """One study, by combination. The rules alone are triage and no verifier."""
    judges: list[VotingJudge] = [judge for judge in judges_of_support(reader) if not judge.offline]
    wrote = {question_text(row["text"]): row["model"] for row in reader.execute(_WRITERS)}
    answers = {row["response_id"]: row for row in reader.execute(_ANSWERS)}
    texts = {row["statement_id"]: text_alone(row["text"]) for row in reader.execute(_STATEMENTS)}
    found: dict[Pipeline, _PipelineWords] = {}
    times: Counter[tuple[str, ...]] = Counter()

    def numbered(*key: str) -> str:
        """The same answer or statement once more is another one."""
        times[key] += 1
        return f"{key[-1]} {times[key]}"

    for case in judged_responses(reader) if judges else ():
        answer = answers[case.response_id]
        question = question_text(answer["question"])
        whole = numbered(question, answer["text_sha256"])
        for statement in case.statements:
            key = f"{question} {whole}", numbered(question, whole, texts[statement.statement_id])
            for judge in judges:
                pipeline = Pipeline(name, wrote.get(question, NOT_WRITTEN), parser_words(answer["parser"]), judge.name)
                said = found.setdefault(pipeline, _PipelineWords())
                label = statement.opinion.label(judge, BINARY).label
                if label is None:
                    said.left_out += 1
                    continue
                said.words[key] = label == BINARY.labels[0]
                said.clusters[key] = question or key[0]
    held = [pipeline for pipeline, said in found.items() if said.words]
    return {pipeline: found[pipeline] for pipeline in sorted(held, key=attrgetter(*STAGES))}


def _support(pipeline: Pipeline, said: _PipelineWords, resampling: Resampling) -> PipelineSupport:
    sums = summed((said.clusters[key], (supported, 1)) for key, supported in said.words.items())
    n = len(said.words)
    share = jackknifed(
        "supported", sums, quotient(), n=n, scale="share", nothing="", dropped=said.left_out, unit=_UNIT,
        level=resampling.level,
    )  # fmt: skip
    return PipelineSupport(pipeline, len({answer for answer, _ in said.words}), n, said.left_out, share)


def _swap(
    stage: Stage, first: Pipeline, one: _PipelineWords, second: Pipeline, other: _PipelineWords, resampling: Resampling
) -> StageSwap:
    rows = [(one.clusters[key], (int(supported), 1, 0, 0)) for key, supported in one.words.items()]
    rows += [(other.clusters[key], (0, 0, int(supported), 1)) for key, supported in other.words.items()]
    sums, finish = summed(rows), difference_of_quotients((0, 1), (2, 3))
    difference = jackknifed(
        "difference of support", sums, finish, n=len(rows), scale="share_difference", nothing="", unit=_UNIT,
        level=resampling.level,
    )  # fmt: skip
    both = sorted(one.words.keys() & other.words.keys())
    return StageSwap(
        stage=stage,
        first=first,
        second=second,
        difference=difference,
        p=p_of_zero(difference, sums, finish),
        holm=None,
        matched=len(both),
        first_only=len(one.words) - len(both),
        second_only=len(other.words) - len(both),
        agreement=tuple(_agreement(both, one, other, resampling)) if both else (),
    )


def _agreement(
    both: Sequence[tuple[str, str]], one: _PipelineWords, other: _PipelineWords, resampling: Resampling
) -> Iterator[Estimate]:
    mine, theirs = ([BINARY.labels[not said.words[key]] for key in both] for said in (one, other))
    clusters = [one.clusters[key] for key in both]
    yield from paired(mine, theirs, BINARY.labels, clusters, resampling.over(_UNIT)).agreement(_AGREEMENT).values()


def _writers(name: str, reader: sqlite3.Connection) -> Iterator[WriterQuestions]:
    """Each rater's word on the questions of each writer; of one writer alone that is all questions."""
    models = {row["model"] for row in reader.execute(_WRITERS)}
    for rater in question_report(reader).raters:
        for checked in rater.strata:
            if checked.split == "model" or (not checked.split and len(models) == 1):
                yield WriterQuestions(name, rater.by, rater.mode, checked.stratum or next(iter(models)), checked)
