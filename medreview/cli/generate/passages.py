"""The command ``generate passages``: paragraphs worth a question, chosen by rules and measures, without a model."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from medreview.cli.generate_options import DryRun, LocalOnly
from medreview.cli.options import Json, StudyFile
from medreview.cli.output import counted, one_line, progress, result, say
from medreview.cli.trusting import with_settings
from medreview.errors import UserError

if TYPE_CHECKING:
    from medreview.generators.passages.candidates import Candidate, MeaningOf
    from medreview.generators.passages.run import Measures, PassageSummary
    from medreview.generators.source_texts import SourceText
    from medreview.llm.settings import JudgeSettings
    from medreview.progress import Progress
    from medreview.study import Study


def passages(
    study: StudyFile,
    texts: Annotated[
        list[Path] | None, typer.Argument(metavar="TEXT", help="Files to read: .txt, .md, HTML, PDF.")
    ] = None,
    snapshots: Annotated[
        bool, typer.Option("--snapshots", help="Read the fetched pages of the study as well.")
    ] = False,
    of_study: Annotated[bool, typer.Option("--passages", help="Measure the passages that the study has.")] = False,
    density: Annotated[
        float | None, typer.Option(min=0, max=1, help="Entities per token, at least; default 0.05.")
    ] = None,
    variance: Annotated[
        float | None,
        typer.Option(min=0, max=1, help="Variance of neighbouring sentences' cosines, at most; default 0.05."),
    ] = None,
    entropy: Annotated[
        float | None, typer.Option(min=0, help="Semantic entropy in nats, at most; default 1.0.")
    ] = None,
    keep: Annotated[
        str, typer.Option(metavar="60%", help="In place of the three: the best share by all three measures.")
    ] = "",
    embeddings: Annotated[
        str, typer.Option(metavar="NAME", help="Compare sentences by this model's /embeddings instead of their words.")
    ] = "",
    alike: Annotated[
        float | None,
        typer.Option(min=0, max=1, help="Cosine above which sentences mean the same; default 0.1 of words, else 0.5."),
    ] = None,
    tagger: Annotated[
        str, typer.Option(metavar="COMMAND", help="Find entities with this program instead of our term lists.")
    ] = "",
    dry_run: DryRun = False,
    local_only: LocalOnly = False,
    as_json: Json = False,
) -> None:
    """Take the paragraphs of texts that are worth a question; each rule says how many of the others it leaves out.

    No model is asked unless --embeddings names one. Every paragraph's measures are stored, also of those left out. For
    texts that are files a study is made where there is none.

    Example: medreview generate passages sepsis.medreview chapter.md guideline.pdf --keep 60%
    """
    from medreview.cli.generate.shares import share_of
    from medreview.cli.importing import opened_or_made
    from medreview.generators.passages import run
    from medreview.generators.passages.entities import TaggerCommand, TermLists
    from medreview.generators.passages.selection import Thresholds
    from medreview.generators.passages.vectors import TF_IDF
    from medreview.llm.settings import model_at_host
    from medreview.study import Study

    share = share_of(keep, "--keep", "60%")
    if share is not None and (density, variance, entropy) != (None, None, None):
        raise UserError("--keep finds the thresholds itself: give it, or --density, --variance and --entropy.")
    model = _model(embeddings, local_only) if embeddings else None
    default = Thresholds()
    measures = run.Measures(
        tagger=TaggerCommand(tagger) if tagger else TermLists(),
        vectors=model_at_host(model) if model else TF_IDF,
        alike=alike if alike is not None else run.ALIKE_EMBEDDED if model else run.ALIKE_WORDS,
        keep=share,
        thresholds=Thresholds(
            default.density if density is None else density,
            default.variance if variance is None else variance,
            default.entropy if entropy is None else entropy,
        ),
    )
    with opened_or_made(study) if texts else Study.open(study) as opened, progress() as bar:
        read = _texts(opened, texts or [], snapshots, of_study, bar)
        every = run.paragraphs_of(read)
        meanings = None
        if model is not None:
            meanings = _embedded(opened, every, model, measures, bar, dry_run=dry_run, as_json=as_json)
            if meanings is None:
                return
        chosen, thresholds = run.choose(every, measures, meanings, bar)
        new = 0 if dry_run else run.store(opened, chosen, measures, thresholds)
    done = run.summary_of(len(read), chosen, measures, thresholds, new)
    told = asdict(done) | {"dry_run": dry_run}
    result(told, *_lines(done, dry_run), as_json=as_json)


def _model(name: str, local_only: bool) -> "JudgeSettings":
    from medreview.configured import model_of

    return with_settings(lambda config: model_of(config, name, local_only=local_only))


def _texts(study: "Study", paths: list[Path], snapshots: bool, of_study: bool, bar: "Progress") -> "list[SourceText]":
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
    """What the model tells of the paragraphs; ``None`` in a dry run, which says what it would be asked."""
    from medreview.generators.passages.embedded import by_embeddings, tokens_to_pay, waiting
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
    from medreview.generators.passages.selection import RULES

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
