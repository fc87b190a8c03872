"""The commands ``generate passages``, ``questions`` and ``qa``: from texts to questions that can be reviewed.

Passages are chosen by rules and measures, without a model.
"""

from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from medreview.cli.ask_models import Wanted, generate_with, generator_command
from medreview.cli.importing import opened_or_made
from medreview.cli.network import model_named
from medreview.cli.options import DryRun, Json, LocalOnly, Reviewer, StudyFile, decider, open_study
from medreview.cli.output import bad_records, counted, one_line, progress, result, say
from medreview.errors import UserError
from medreview.next_step import command
from medreview.text import in_words

if TYPE_CHECKING:
    from medreview.generators.counts import GenerationCounts
    from medreview.generators.passage_candidates import Candidate, MeaningOf
    from medreview.generators.passage_run import Measures, PassageSummary
    from medreview.generators.source_texts import SourceText, StudyText
    from medreview.llm.settings import JudgeSettings
    from medreview.progress import Progress
    from medreview.study import Study


def share_of(given: str, option: str, example: str) -> float | None:
    """A share, above 0 and up to 1; ``None`` where none was given. Raises :class:`UserError` for anything else."""
    if not given:
        return None
    try:
        share = float(given.removesuffix("%")) / (100 if given.endswith("%") else 1)
    except ValueError:
        share = 0.0
    if not 0 < share <= 1:
        raise UserError(f"{option} takes a share such as {example}, not {given!r}.")
    return share


def passages(
    study: StudyFile,
    texts: Annotated[list[Path] | None, Argument(metavar="TEXT", help="Files to read: .txt, .md, HTML, PDF.")] = None,
    snapshots: Annotated[bool, Option("--snapshots", help="Read the fetched pages of the study as well.")] = False,
    of_study: Annotated[bool, Option("--passages", help="Measure the passages that the study has.")] = False,
    density: Annotated[float | None, Option(min=0, max=1, help="Entities per token, at least; default 0.05.")] = None,
    variance: Annotated[
        float | None, Option(min=0, max=1, help="Variance of neighbouring sentences' cosines, at most; default 0.05.")
    ] = None,
    entropy: Annotated[float | None, Option(min=0, help="Semantic entropy in nats, at most; default 1.0.")] = None,
    keep: Annotated[
        str, Option(metavar="60%", help="In place of the three: the best share by all three measures.")
    ] = "",
    embeddings: Annotated[
        str, Option(metavar="NAME", help="Compare sentences by this model's /embeddings instead of their words.")
    ] = "",
    alike: Annotated[
        float | None,
        Option(min=0, max=1, help="Cosine above which sentences mean the same; default 0.1 of words, else 0.5."),
    ] = None,
    tagger: Annotated[
        str, Option(metavar="COMMAND", help="Find entities with this program instead of our term lists.")
    ] = "",
    dry_run: DryRun = False,
    local_only: LocalOnly = False,
    as_json: Json = False,
) -> None:
    """Take the paragraphs of texts that are worth a question.

    Each rule says how many of the others it leaves out. No model is asked unless --embeddings names one. Every
    paragraph's measures are stored, also of those left out. For texts that are files a study is made where there is
    none.

    Example: medreview generate passages sepsis.medreview chapter.md guideline.pdf --keep 60%
    """
    from medreview.generators import passage_run
    from medreview.generators.passage_candidates import TaggerCommand, TermLists
    from medreview.generators.passage_measures import TF_IDF, PassageThresholds
    from medreview.llm.settings import model_at_host

    share = share_of(keep, "--keep", "60%")
    given = {"density": density, "variance": variance, "entropy": entropy}
    limits = {name: value for name, value in given.items() if value is not None}
    if share is not None and limits:
        raise UserError("--keep finds the thresholds itself: give it, or --density, --variance and --entropy.")
    model = model_named(embeddings, local_only=local_only) if embeddings else None
    measures = passage_run.Measures(
        tagger=TaggerCommand(tagger) if tagger else TermLists(),
        vectors=model_at_host(model) if model else TF_IDF,
        alike=alike if alike is not None else passage_run.ALIKE_EMBEDDED if model else passage_run.ALIKE_WORDS,
        keep=share,
        thresholds=PassageThresholds(**limits),
    )
    with opened_or_made(study) if texts else open_study(study) as opened, progress() as bar:
        read = _texts_of_files(opened, texts or [], snapshots, of_study, bar)
        every = passage_run.paragraphs_of(read)
        meanings = None
        if model is not None:
            meanings = _embedded(opened, every, model, measures, bar, dry_run=dry_run, as_json=as_json)
            if meanings is None:
                return
        chosen, thresholds = passage_run.choose(every, measures, meanings, bar)
        new = 0 if dry_run else passage_run.store(opened, chosen, measures, thresholds)
    done = passage_run.summary_of(len(read), chosen, measures, thresholds, new)
    told = asdict(done) | {"dry_run": dry_run}
    result(told, *_lines(done, dry_run), as_json=as_json)


def _texts_of_files(
    study: "Study", paths: list[Path], snapshots: bool, of_study: bool, bar: "Progress"
) -> "list[SourceText]":
    from medreview.generators.source_texts import text_of_file, texts_of_passages, texts_of_snapshots

    if not (paths or snapshots or of_study):
        raise UserError("Name a text to read: files, --snapshots for the fetched pages, or --passages.")
    found: list[SourceText] = []
    bar.begin("texts", len(paths))
    for path in paths:
        found.append(text_of_file(path))
        bar.step()
    found += texts_of_snapshots(study.reader) if snapshots else ()
    found += texts_of_passages(study.reader) if of_study else ()
    for text in found:
        if text.odd:
            say(f"{text.source}: {text.odd}")
    return found


def _embedded(
    study: "Study",
    every: "list[Candidate]",
    model: "JudgeSettings",
    measures: "Measures",
    bar: "Progress",
    *,
    dry_run: bool,
    as_json: bool,
) -> "MeaningOf | None":
    """Embeddings of the paragraphs; ``None`` in a dry run, which says what the model would be asked."""
    from medreview.generators.passage_run import by_embeddings, tokens_to_pay, waiting
    from medreview.llm.settings import where_texts_go

    to_ask = waiting(study, every, model, measures.alike)
    tokens = tokens_to_pay(to_ask)
    if dry_run:
        cost = None if model.price_input is None else tokens * model.price_input / 1_000_000
        price = "no price is configured" if cost is None else f"about {cost:,.2f}"
        told = {"plan": {"requests": len(to_ask), "prompt_tokens": tokens, "cost": cost, "vectors": measures.vectors}}
        line = f"{one_line(measures.vectors)}: {counted(len(to_ask), 'request')}, up to {tokens:,} tokens; {price}"
        result(told, line, as_json=as_json)
        return None
    if to_ask:
        say(*where_texts_go([model], "Paragraphs go"))
    return by_embeddings(study, every, model, measures.alike, bar)


def _lines(done: "PassageSummary", dry_run: bool) -> list[str]:
    from medreview.generators.passage_measures import RULES

    new = "nothing was stored" if dry_run else f"{done.new:,} of them new"
    how = f"the best {done.keep:.0%} of sound form have" if done.keep is not None else "kept are those with"
    lines = [
        f"{counted(done.paragraphs, 'paragraph')} in {counted(done.texts, 'text')}: {done.kept:,} kept, {new}",
        f"entities by {one_line(done.entities)}; sentences by {one_line(done.vectors)}, alike above a cosine of "
        f"{done.alike:g}",
        f"{how} a density of at least {done.density:.3g}, a variance of at most {done.variance:.3g}, an entropy of at "
        f"most {done.entropy:.3g}",
        "The thresholds are ours: those of the paper are not in the text of it that we have.",
        f"{'fail':>7} {'first':>7}  rule",
    ]
    return lines + [
        f"{count.fail:>7,} {count.first:>7,}  {code.replace('_', ' ')}: {RULES[code]}"
        for code, count in done.rules.items()
        if count.fail
    ]


@generator_command()
def questions(
    study: StudyFile,
    wanted: Wanted,
    source: Annotated[
        str | None, Argument(metavar="PAGE|FILE", help="A source of the study by its URL, or a file of texts.")
    ] = None,
    snapshots: Annotated[
        bool, Option("--snapshots", help="Of every page of the study that can be read, as it is now.")
    ] = False,
) -> None:
    """Make a question of each text, with its answer.

    The item holds the words that answer it; a reviewer checks it. A text is a page of the study, a file (.txt, .md,
    .html, .pdf), or a record of a file (.jsonl, .csv; text, title, url). Without a source it is each passage that the
    study has. For a file of texts a study is made where there is none.

    Example: medreview generate questions sepsis.medreview texts.jsonl --model writer
    """
    from medreview.generators.questions import Questions

    if source and snapshots:
        raise UserError("Give either a page or file, or --snapshots.")
    texts: list[StudyText] = []

    def bring(study: "Study") -> None:
        texts.extend(_texts_of_study(study, source, snapshots=snapshots))

    generate_with(study, partial(Questions, texts=texts), wanted, brings=Path(source) if source else None, before=bring)


def _texts_of_study(study: "Study", source: str | None, *, snapshots: bool) -> list["StudyText"]:
    """The texts to use; those of a file are imported into the study. Raises :class:`UserError` for none."""
    from medreview.generators.source_texts import is_address, page_at, pages_in, passages_in

    if snapshots:
        found = pages_in(study.reader)
        if not found:
            raise UserError(f"No page of the study can be read; try `{command('fetch', study.path)}`.")
        return found
    if source is None:
        found = passages_in(study.reader)
        if not found:
            raise UserError("The study has no passage; name a file of texts, a page of the study, or --snapshots.")
        return found
    if not Path(source).exists() and is_address(source):
        return [page_at(study, source)]
    return _brought(study, Path(source))


def _brought(study: "Study", file: Path) -> list["StudyText"]:
    from medreview.generators.source_texts import passages_in, read_texts
    from medreview.storable import storable_text
    from medreview.units.stored import add_passages

    texts = read_texts(file)
    bad_records(texts.bad, file)
    study.write(lambda connection: add_passages(connection, texts.passages, storable_text(file.name)))
    return passages_in(study.reader, {one.passage_id for one in texts.passages})


@generator_command()
def qa(
    study: StudyFile,
    wanted: Wanted,
    kind: Annotated[
        str, Option("--type", metavar="TYPE", help="One type for all, short for one; `auto` goes by the passage.")
    ] = "auto",
    seed: Annotated[int, Option(metavar="N", help="Decides turns of types, order of options, the share.")] = 0,
    distractors: Annotated[
        bool, Option("--distractors", help="Replace wrong options that are easy to tell, or not wrong.")
    ] = False,
    every: Annotated[
        bool, Option("--all-passages", help="Also passages that `generate passages` did not choose.")
    ] = False,
    second: Annotated[
        str, Option(metavar="45%", help="How many of the items a second reviewer annotates as well, blinded.")
    ] = "",
    reviewer: Reviewer = None,
) -> None:
    """Make a question with its answer of each passage.

    There are seven types. You review them beside the passage. Types: true_false, list, multiple_choice, short,
    short_inverse, multi_hop, multi_hop_inverse. An inverse item shows a wrong answer, and asks for its flaw.

    Example: medreview generate qa sepsis.medreview --model writer --distractors --second 45%
    """
    from medreview.generators.qa_items import QAItems, passages_of

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
    from medreview.review.repeat_annotation import drawn, set_share, shares

    share = shares(study.reader).get("qa")
    if share is None or share.rate < rate:
        share = set_share(study, decider(reviewer), "qa", rate, None if share else seed)
    units = drawn(study.reader, study.meta("study_id"), share)
    return {"rate": share.rate, "seed": share.seed, "drawn": len(units)}
