"""The commands ``generate ...``: let a model write what is reviewed then.

Those that start from a text are in ``medreview.cli.generate_questions``.
"""

from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from typer import Argument, Option

from medreview.cli.ask_models import Wanted, generate_with, generator_command
from medreview.cli.completion import models, reviewers
from medreview.cli.generate_questions import passages, qa, questions, share_of
from medreview.cli.importing import imported_sentence, say_what_is_missing
from medreview.cli.options import Json, Reviewer, StudyFile, decider, open_study
from medreview.cli.output import bad_records, counted, counted_each, odd_records, progress, result, say
from medreview.cli.verdict_access import current_verdicts, looked, reading
from medreview.errors import UserError
from medreview.next_step import command

if TYPE_CHECKING:
    from medreview.generators.counts import GenerationCounts
    from medreview.llm.settings import JudgeSettings
    from medreview.study import Study


@generator_command()
def answers(
    study: StudyFile,
    wanted: Wanted,
    file: Annotated[
        Path | None, Argument(metavar="FILE", help="Questions to import first; only these are asked then.")
    ] = None,
    web: Annotated[
        bool, Option("--web", help='Tell the model to search the web first; it is called "NAME (web)" then.')
    ] = False,
    to: Annotated[
        Literal["questions", "qa"], Option("--to", help="qa: ask the study's QA items, as in an examination.")
    ] = "questions",
    drawn: Annotated[
        str, Option(metavar="NAME", help="Only the questions of this draw (`medreview plan draw STUDY questions N`).")
    ] = "",
) -> None:
    """Ask a model the study's questions.

    It gives a short answer with a list of its sources, which becomes a response. Asked are the questions that were made
    or imported, but for those that a reviewer found unfit, and those of the responses that are there. An answer that is
    empty or breaks off gets one more try, and is kept as invalid then.

    With --to qa the model is asked the QA items instead, without passage and key. Closed items (true or false, list,
    multiple choice) are scored by the key; of the open ones `medreview generate rankings` makes rankings.

    Example: medreview generate answers sepsis.medreview --model writer
    """
    if to == "qa":
        if file is not None or web or drawn:
            raise UserError(
                "--to qa asks the QA items of the study, and takes no FILE, --web or --drawn. Bring in items with "
                f"`{command('import', study, 'FILE')}`."
            )
        from medreview.generators.qa_answers import QAAnswers

        generate_with(study, QAAnswers, wanted, figures=_item_answer_figures)
        return
    from medreview.generators.answers import Answers, questions_of

    if file is not None and drawn:
        raise UserError("Name a file of questions or --drawn NAME, not both: import the file first, then draw.")
    asked: list[str] | None = None if file is None and not drawn else []

    def bring(study: "Study") -> None:
        if asked is not None:
            asked.extend(_imported(study, file) if file else _drawn_questions(study, drawn))
        if not questions_of(study.reader, asked):
            raise UserError(
                "There is no question to ask: name a file of questions, or let a model make some with "
                f"`{command('generate', 'questions', study.path, '--model', wanted.model)}`."
            )

    make = partial(Answers, web=web, only=asked)
    generate_with(study, make, wanted, before=bring, figures=_answer_figures)


def _drawn_questions(study: "Study", name: str) -> list[str]:
    """The texts of the questions of a draw. Raises :class:`UserError` for a draw of anything else."""
    from medreview.review.draws import draw_named, question_texts

    return question_texts(study.reader, draw_named(study.reader, name))


def _imported(study: "Study", file: Path) -> list[str]:
    """Bring a file of questions into the study, and say what of it was odd; their texts."""
    from medreview.units.item_files import QUESTION_FILES
    from medreview.units.unit_format import import_units

    texts: list[str] = []
    with progress() as bar:
        done = import_units(study, file, QUESTION_FILES, progress=bar, on_unit=lambda unit: texts.append(unit.text))
    bad_records(done.bad, file)
    odd_records(done.odd, file)
    return texts


def _answer_figures(study: "Study", counts: "GenerationCounts") -> tuple[dict[str, Any], list[str]]:
    from medreview.stats.reports.study_support import kinds_of_run

    found = kinds_of_run(study.reader, counts.run_id)
    invalid = found.empty + found.incomplete
    words = f" ({found.empty} empty, {found.incomplete} incomplete)" if invalid else ""
    line = (
        f"  of {counted(found.responses, 'response')} {invalid} invalid after the second try{words}, "
        f"{found.sourceless} without a source"
    )
    lines = [line, f"  fetch what they cite, and go on: {command('run', study.path)}"] if found.responses else []
    return {"responses": asdict(found)}, lines


def _item_answer_figures(study: "Study", counts: "GenerationCounts") -> tuple[dict[str, Any], list[str]]:
    """How this model's closed items are scored, and what to do with the open ones."""
    from medreview.cli.reports.item_answers import item_answer_parts
    from medreview.cli.reports.terminal import lines_of
    from medreview.stats.units.closed_answers import item_answer_figures

    found = item_answer_figures(study.reader, model=counts.model_name)
    if found is None:
        return {"answered": None}, []
    lines = lines_of(item_answer_parts(found))
    return {"answered": asdict(found)}, [*lines, f"rank the open ones: {command('generate', 'rankings', study.path)}"]


def rankings(
    study: StudyFile,
    models: Annotated[
        list[str] | None,
        Option(
            "--model", metavar="NAME", autocompletion=models, help="A model to compare; again for more. Default: all."
        ),
    ] = None,
    kinds: Annotated[
        list[str] | None,
        Option("--type", metavar="TYPE", help="Only items of this type; may be repeated. Default: the four open ones."),
    ] = None,
    items: Annotated[
        int | None, Option("--items", min=1, metavar="N", help="Draw so many items; default: all.")
    ] = None,
    share: Annotated[str, Option("--share", metavar="45%", help="Draw this share of the items.")] = "",
    seed: Annotated[int, Option(min=0, help="Draws the items.")] = 1,
    reviewer: Reviewer = None,
    dry_run: Annotated[bool, Option("--dry-run", help="Say what would be made; store nothing.")] = False,
    as_json: Json = False,
) -> None:
    """Make rankings of what models answered to the QA items.

    Each has a reference answer beside outputs without names. Each model has answered with `medreview generate answers
    --to qa`. Items that lack the answer of one are left out. The same seed with more items keeps those that it drew
    before. Reviewers rank the outputs of an item, call each Good, Okay or Bad, and flag what is hallucinated; who wrote
    what stays hidden until their queue is done.

    Example: medreview generate rankings sepsis.medreview --share 45% --seed 7
    """
    from medreview.generators.answer_rankings import RankingDraw, answering_models, make_rankings
    from medreview.units.qa_key import OPEN

    rate = share_of(share, "--share", "45%")
    if rate is not None and items is not None:
        raise UserError("Give --items or --share, not both.")
    if strange := [kind for kind in kinds or () if kind not in OPEN]:
        raise UserError(f"{', '.join(strange)} is not an open type; there are {', '.join(OPEN)}.")
    with open_study(study) as opened:
        compared = tuple(dict.fromkeys(models or answering_models(opened.reader)))
        draw = RankingDraw(compared, tuple(dict.fromkeys(kinds or OPEN)), items, rate, seed)
        done = make_rankings(opened, decider(reviewer), draw, dry_run=dry_run)
    lacking = f" ({done.unanswered:,} others lack one)" if done.unanswered else ""
    new = f"{done.new:,} would be new" if dry_run else f"{done.new:,} of them new"
    lines = [
        f"{counted(done.eligible, 'item')} with an answer of each of {counted(len(compared), 'model')}{lacking}",
        f"{counted(done.drawn, 'ranking')} by seed {seed}, {new}: {counted_each(done.by_type)}",
    ]
    if done.named:
        lines.append(f"in {counted(done.named, 'output')} the name of its own model stands, which a reviewer will read")
    if not dry_run:
        lines.append(f"{command('review', study, '--queue', 'rankings')}")
    result(asdict(done) | {"dry_run": dry_run}, *lines, as_json=as_json)


@generator_command()
def hallucinations(
    study: StudyFile,
    wanted: Wanted,
    file: Annotated[
        Path | None, Argument(metavar="FILE", help="Questions with correct answers, imported first.")
    ] = None,
    kind: Annotated[
        Literal["fact", "input", "context", "none", "all"],
        Option("--type", help="Which type; all: dealt by the seed, balanced within each data set."),
    ] = "all",
    seed: Annotated[int, Option(min=0, help="Deals the types.")] = 1,
) -> None:
    """Plant hallucinations of a known type in answers.

    The answers are to the study's questions; type and spans stay hidden. Inputs are all questions whose correct answer
    the study knows. Each product is an answer of the model NAME/halu; its type and spans are the right label, hidden
    until you have decided and told to no judge. Type none is the correct answer itself. Prints how many there are by
    data set and type, beside MedHalu's.

    Example: medreview generate hallucinations sepsis.medreview questions.jsonl --type all --seed 1 --model writer
    """
    from medreview import pipeline
    from medreview.generators.correct_answers import answered_questions
    from medreview.generators.hallucinations import Hallucinations

    def bring(opened: "Study") -> None:
        if file:
            done = pipeline.bring_in(opened, file, {})
            say_what_is_missing(done, study, None, "import", study)
            say(imported_sentence(done))
        if not answered_questions(opened.reader):
            raise UserError(
                "The study knows no correct answer: name a file with the columns question and reference_answer."
            )

    generate_with(
        study, partial(Hallucinations, kind=kind, seed=seed), wanted, before=bring, figures=_hallucination_figures
    )


def _hallucination_figures(study: "Study", counts: "GenerationCounts") -> "tuple[dict[str, Any], list[str]]":
    from medreview.cli.reports.generation import planted_parts
    from medreview.cli.reports.terminal import lines_of
    from medreview.stats.reports.generated_items import planted_report

    figures = planted_report(study.reader)
    return {"hallucinations": asdict(figures)}, lines_of(planted_parts(figures))


_UNSUPPORTED = "unsupported"


@generator_command(verifies=True)
def cleanup(
    study: StudyFile,
    wanted: Wanted,
    statements: Annotated[
        str,
        Option(
            metavar="unsupported|FILE", help="Those that their sources do not support, or a file that lists statements."
        ),
    ] = _UNSUPPORTED,
) -> None:
    """Revise or remove statements that sources do not support.

    A judge verifies each revision, and you decide. Unsupported is what reviewers say is, else the judges' verdict.
    Another judge of the settings verifies, unless --judge names one. Prints how many were removed and how many are
    supported now, beside SourceCleanup's figures.

    Example: medreview generate cleanup sepsis.medreview --model writer --judge local
    """
    from medreview.generators.cleanup import Cleanup, listed

    path = None if statements == _UNSUPPORTED else Path(statements)

    def named(opened: "Study") -> None:
        if path:
            bad_records(listed(opened.reader, path)[1], path)

    wanted = replace(wanted, verified=True)
    generate_with(study, partial(Cleanup, statements=path), wanted, before=named, figures=_cleanup_figures)


def _cleanup_figures(study: "Study", counts: "GenerationCounts") -> "tuple[dict[str, Any], list[str]]":
    from medreview.cli.reports.generation import cleanup_parts
    from medreview.cli.reports.terminal import lines_of
    from medreview.stats.reports.generated_items import cleanup_report

    figures = cleanup_report(study.reader)
    return {"cleanup": list(map(asdict, figures))}, lines_of(cleanup_parts(figures))


Notes = Annotated[Path | None, Argument(metavar="[NOTES]", help="Clinical notes, or cases, to import first.")]


@generator_command(verifies=True)
def brief(
    study: StudyFile,
    wanted: Wanted,
    notes: Notes = None,
    single_prompt: Annotated[
        bool, Option("--single-prompt", help="All notes in one question, to compare the stages with.")
    ] = False,
    html: Annotated[
        Path | None,
        Option("--html", metavar="FILE.html", help="Also write all briefs as a page, with their notes beside."),
    ] = None,
) -> None:
    """Write a summary of each case's hospital stay.

    It works from the notes of the case: draft, refine note by note, reorganise, verify. Each statement keeps the tags
    of its notes; one that they do not support is deleted and listed. The summary becomes a response to the case's
    question that cites the notes, so that every statement is reviewed beside its note. Another judge of the settings
    verifies, unless --judge names one.

    Example: medreview generate brief ward.medreview notes.jsonl --model writer --judge checker
    """
    from medreview.cli.reports.brief_page import check_brief_page
    from medreview.generators.brief_generator import Brief, SinglePrompt

    if html is not None:
        check_brief_page(html)
    wanted = replace(wanted, verified=not single_prompt)
    generate_with(
        study,
        SinglePrompt if single_prompt else Brief,
        wanted,
        before=partial(_bring_in, path=notes),
        figures=partial(_brief_figures, page=html),
    )


def _bring_in(study: "Study", path: Path | None) -> None:
    if path is None:
        return
    from medreview import pipeline

    done = pipeline.bring_in(study, path, {})
    bad_records(done.bad, path)
    odd_records(done.odd, path)
    say(imported_sentence(done))


def _brief_figures(study: "Study", counts: "GenerationCounts", page: Path | None) -> tuple[dict[str, Any], list[str]]:
    """What of the run is not counted by code: statements kept, those that could not be verified, advice of its own."""
    from medreview.cli.reports.brief_page import write_brief_page
    from medreview.generators.brief_text import brief_counts, stored_briefs

    found = brief_counts(study.reader, counts.run_id)
    lines = [f"  {counted(found.kept, 'statement')} kept, {found.deleted:,} deleted"] if found.kept else []
    if found.unverified:
        lines.append(f"  {found.unverified:,} of those kept could not be verified: no answer of the judge was of use")
    if found.own_advice:
        lines.append(f"  {counted(found.own_advice, 'statement')} with advice that no note has, left as it is")
    if page is not None:
        looked(study, "generate brief", "verdicts")
        lines.append(f"written: {write_brief_page(list(stored_briefs(study.reader)), study.path.name, page)}")
    return {"briefs": asdict(found)}, lines


@generator_command()
def key_facts(
    study: StudyFile,
    wanted: Wanted,
    cases: Annotated[
        Path | None, Argument(metavar="CASES", help="Cases to bring in first; those of the study are kept.")
    ] = None,
    per_case: Annotated[
        int, Option("--per-case", min=1, max=5, help="Facts of each case that are to be kept of five.")
    ] = 3,
) -> None:
    """Suggest five key facts of each case.

    They come from the text that a human wrote on it; a reviewer keeps, edits or discards them. Only facts that are kept
    are asked of the responses to the case's question. How many were kept, edited, discarded and added is said by
    `medreview stats STUDY --unit key_fact`.

    Example: medreview generate key-facts ward.medreview cases.jsonl --per-case 3 --model writer
    """
    from medreview.generators.fact_candidates import FactCandidates

    generate_with(
        study,
        partial(FactCandidates, per_case=per_case),
        wanted,
        before=partial(_bring, cases) if cases else lambda opened: None,
        figures=partial(_key_fact_figures, study, per_case),
    )


def _bring(path: Path, study: "Study") -> None:
    from medreview import pipeline

    with progress() as bar:
        done = pipeline.bring_in(study, path, {}, bar)
    bad_records(done.bad, path)


def _key_fact_figures(
    path: Path, per_case: int, study: "Study", _counts: "GenerationCounts"
) -> tuple[dict[str, Any], list[str]]:
    """What became of the suggested facts so far, and what to do next."""
    from medreview.cli.reports.facts import suggested_words
    from medreview.units.suggestion import case_facts, fact_counts

    counts = fact_counts(case_facts(study.reader))
    lines = [suggested_words(counts)]
    if counts.open:
        keep = counted(per_case, "fact")
        lines.append(f"Keep {keep} of each case: {command('review', path, '--queue', 'suggestions')}")
    return {"suggested": asdict(counts)}, lines


@generator_command()
def themes(study: StudyFile, wanted: Wanted) -> None:
    """Find what the key facts that systems miss have in common.

    It takes the facts that a system omits and contradicts, and what the judges said of them. `medreview stats STUDY
    --unit key_fact` and the report have them then, with their facts, until something is voted otherwise.

    Example: medreview generate themes ward.medreview --model writer
    """
    from medreview.generators.themes import ThemesGenerator

    generate_with(study, ThemesGenerator, wanted)


@generator_command()
def override_themes(
    study: StudyFile,
    wanted: Wanted,
    reviewer: Annotated[
        str | None,
        Option(
            metavar="NAME", autocompletion=reviewers, help="The labels of one reviewer; default: of each by itself."
        ),
    ] = None,
) -> None:
    """Find where a reviewer and the judges differ, by theme.

    It finds what the statements have in common that a reviewer labels unlike the judges. The model is given the
    statements, the judges' verdict and reasons, and the reviewer's label, reason and note; not what is held back from
    you or from the reviewer for a blind review. `medreview report` has the themes then, in place of those by reason
    code, and says when labels have changed since.

    Example: medreview generate override-themes sepsis.medreview --model writer
    """
    from medreview.generators.themes import OverrideThemesGenerator

    def make(opened: "Study", model: "JudgeSettings", prompts: Path | None) -> OverrideThemesGenerator:
        return OverrideThemesGenerator(opened, model, prompts, to=reading(opened), reviewer=reviewer)

    generate_with(study, make, wanted, before=current_verdicts)


GENERATORS: Final = (
    questions, answers, cleanup, hallucinations, passages, qa, rankings, key_facts, themes, override_themes, brief,
)  # fmt: skip
