"""The commands ``run``, ``import`` and ``parse``: from files to statements that can be reviewed."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

from typer import Argument, Option

from medreview.cli.ask_models import Semantic, leave_by_summary, meaning_from_config
from medreview.cli.completion import studies
from medreview.cli.importing import (
    as_given,
    files_given,
    imported_sentence,
    kept_before,
    opened_or_made,
    prepare,
    prepared_sentence,
    say_what_is_missing,
    show_first,
    with_requests,
)
from medreview.cli.network import (
    Libraries,
    Ocr,
    PagesFrom,
    Proxy,
    Robots,
    authorities_from_config,
    pages_from,
    scans_lines,
)
from medreview.cli.options import (
    AnswerOptions,
    Json,
    Map,
    Reviewer,
    StudyFile,
    open_study,
    read_mapping,
    study_path,
    takes,
)
from medreview.cli.output import bad_records, counted, one_line, progress, result, say
from medreview.errors import UserError
from medreview.next_step import command
from medreview.text import in_words

if TYPE_CHECKING:
    from medreview.statements.left_out import LeftOut
    from medreview.study import Study
    from medreview.units.key_fact_files import ImportedFacts


@takes(AnswerOptions)
def run(
    study: StudyFile,
    files: Annotated[
        list[Path] | None, Argument(metavar="FILE", help="Answers, judgements, tables or exports; - is standard input.")
    ] = None,
    pages: PagesFrom = None,
    mapping: Map = None,
    proxy: Proxy = None,
    robots: Robots = None,
    ocr: Ocr = None,
    libraries: Libraries = None,
    references: Annotated[
        bool, Option("--references", help="Look references up at Crossref, PubMed, ...; only their words are sent.")
    ] = False,
    semantic: Semantic = None,
    as_json: Json = False,
    *,
    wanted: AnswerOptions,
) -> None:
    """Make or extend a study from your files, ready to review.

    It imports answers, fetches what they cite, splits them into statements and judges these. Run it again after an
    interruption: it does what is missing. Without a file it does that for the answers that the study has, such as those
    that a model has just given.

    The references of the answers are found; with --library, or a library in the settings, they are held against its
    works without a network.

    Example: medreview run sepsis.medreview answers.jsonl
    """
    if not files and not study.exists():
        raise UserError(f"There is no study {study} yet; name the files that it is made of.")
    with files_given(files or []) as paths, opened_or_made(study) as opened:
        ask = True if references else False if pages else None
        meaning = meaning_from_config(semantic)
        authorities = authorities_from_config(libraries or (), ask=ask, proxy=proxy)
        provider = pages_from(pages, proxy, robots, ocr=ocr)
        done = prepare(
            opened, paths, mapping, provider, "run", study, references=authorities, meaning=meaning,
            chosen=wanted.chosen(),
        )  # fmt: skip
        sentence = prepared_sentence(opened, done)
    result(done, sentence, *scans_lines(done.fetched), f"Review them: {command('review', study)}", as_json=as_json)
    leave_by_summary(done.judged.meaning)


_NAMED: Final = 10
"""Pages that a message names; ``--json`` has all."""


@takes(AnswerOptions)
def import_(
    study: Annotated[
        Path | None, Argument(metavar="STUDY", help="The study file.", callback=study_path, autocompletion=studies)
    ] = None,
    files: Annotated[
        list[Path] | None,
        Argument(metavar="[FILE...]", help="Answers, judgements, tables or exports; - is standard input."),
    ] = None,
    mapping: Map = None,
    kind: Annotated[
        Literal["facts"] | None,
        Option("--as", help="facts: the file has key facts; default: as the content of the file says."),
    ] = None,
    suggest: Annotated[
        bool,
        Option("--suggest", help="With --as facts: as suggestions, which a reviewer keeps, edits or discards."),
    ] = False,
    as_copy: Annotated[bool, Option("--as-copy", help="Take the export of another study, too.")] = False,
    correct: Annotated[
        Literal["after", "shown"] | None,
        Option("--correct-answer", help="When reviewers see correct answers; as before, else after they decide."),
    ] = None,
    dry_run: Annotated[bool, Option("--dry-run", help="Show what the files hold; nothing is written.")] = False,
    list_producers: Annotated[
        bool, Option("--producers", help="List the systems whose files are read; nothing is imported.")
    ] = False,
    undo: Annotated[
        bool, Option("--undo", help="Take the newest import back, while nobody has decided anything since.")
    ] = False,
    as_json: Json = False,
    *,
    wanted: AnswerOptions,
) -> None:
    """Bring answers, judgements, labels or facts into a study.

    It reads text, Markdown, Word, Excel, OpenDocument, PDF, saved web pages, RTF, CSV, JSON, JSON lines, SourceCheckup
    tables and exports. What a file is shows in its content, not in its name. Of a workbook the sheet with the answers
    is read.

    What known systems write is read as it is, too: answers of model APIs, batches, saved streams, exports of chats,
    logs of evaluations, published data sets; --producers lists them.

    With --as facts it brings key facts: columns fact (or facts, a list), category, case, question or response. Judges
    then say whether each response contains or contradicts them. A category is diagnosis, management, follow_up or
    other; what is none of these becomes other. Every response to the same question, or on the same case, is held
    against them. Facts can come first, also into a new study: they wait for the texts.

    The study is copied first. On a terminal the first records are shown before anything is stored. --undo puts the
    study back to that copy, whether `import`, `run` or `review` brought the files: pages that were fetched and
    statements that were made since go with them.

    Example: medreview import sepsis.medreview answers.csv --map answer_text=response
    """
    from medreview import pipeline
    from medreview.units.stored import show_correct_answers

    if list_producers:
        _list_producers(as_json=as_json)
        return
    if study is None:
        raise UserError("Name the study, then the files to import: medreview import STUDY FILE.")
    if undo:
        if files or dry_run:
            raise UserError("--undo takes the newest import back; name no file with it.")
        _undo(study, as_json=as_json)
        return
    if not files:
        raise UserError("Name the files to import, or --undo to take the newest import back.")
    if kind == "facts":
        if len(files) > 1 or dry_run or as_copy or correct or wanted != AnswerOptions():
            raise UserError("--as facts takes one file, and only --map, --suggest and --json beside it.")
        _bring_facts(study, files[0], mapping, suggest=suggest, as_json=as_json)
        return
    if suggest:
        raise UserError("--suggest is for key facts: add --as facts.")
    with files_given(files) as given:
        paths, chosen = with_requests(given, wanted.chosen())
        if dry_run:
            found = show_first(paths, mapping, always=True, chosen=chosen)
            lines = ("Nothing was written.",)
            result({"dry_run": True, "files": [asdict(one) for one in found]}, *lines, as_json=as_json)
            return
        show_first(paths, mapping, chosen=chosen)
        fields = read_mapping(mapping)
        with opened_or_made(study) as opened, kept_before(opened, paths) as brought, progress() as bar:
            brought += (pipeline.bring_in(opened, path, fields, bar, as_copy=as_copy, chosen=chosen) for path in paths)
            done = list(brought)
            if correct is not None:
                show_correct_answers(opened, correct)
    for imported in done:
        imported.file = as_given(imported.file)
        say_what_is_missing(imported, study, mapping, "import", study)
    result({"files": [asdict(imported) for imported in done]}, *map(imported_sentence, done), as_json=as_json)


def _list_producers(*, as_json: bool) -> None:
    from medreview.exchange.producers import producers

    known = [{"name": one.name, "about": one.about} for one in producers()]
    width = max(len(one["name"]) for one in known)
    result(known, *(f"{one['name']:<{width}}  {one['about']}" for one in known), as_json=as_json)


def _undo(study: Path, *, as_json: bool) -> None:
    from medreview.study.before_import import take_back

    done = take_back(study)
    brought = ((done.responses, "response"), (done.units, "unit"), (done.facts, "key fact"))
    what = [counted(number, noun) for number, noun in brought if number] or ["0 responses"]
    line = f"The import of {', '.join(done.files)} was taken back: {' and '.join(what)}; a copy with it is {done.copy}"
    more = f" and {len(done.pages) - _NAMED} more" if len(done.pages) > _NAMED else ""
    gone = [f"Gone with it, pages that came since: {', '.join(done.pages[:_NAMED])}{more}"] if done.pages else []
    result(done, line, *gone, as_json=as_json)


def parse(
    study: StudyFile,
    list_left_out: Annotated[
        bool, Option("--left-out", help="List the parts of responses that are not statements, and why.")
    ] = False,
    promote: Annotated[
        list[str] | None,
        Option("--promote", metavar="ID", help="Make this part that is left out a statement; may be repeated."),
    ] = None,
    reviewer: Reviewer = None,
    as_json: Json = False,
) -> None:
    """Split answers into statements, and find their references.

    Example: medreview parse sepsis.medreview --left-out
    """
    from medreview import pipeline
    from medreview.statements.left_out import left_out

    with open_study(study) as opened, progress() as bar:
        done = pipeline.parse(opened, bar, authorities_from_config(ask=False))
        if promote:
            promoted = _promote(opened, promote, reviewer)
            names = ", ".join(promoted.values())
            result({"statements": list(promoted)}, f"Statements now: {names}", as_json=as_json)
            return
        if list_left_out:
            found = list(left_out(opened.reader))
            result([asdict(part) for part in found], *_listed(opened, study, found), as_json=as_json)
            return
    empty = f"; {counted(done.empty, 'response')} without any" if done.empty else ""
    result(
        done,
        f"{counted(done.statements, 'statement')} in {counted(done.responses, 'response')}, "
        f"{counted(done.dropped, 'part')} left out{empty}",
        as_json=as_json,
    )


def _promote(study: "Study", ids: Sequence[str], reviewer: str | None) -> dict[str, str]:
    """The id of each new statement, with what the workbench calls it."""
    from medreview import pipeline
    from medreview.config import load_config
    from medreview.units.statement_view import load_name

    config = load_config()
    with progress() as bar:
        done = pipeline.promote(study, reviewer or config.reviewer, ids, progress=bar, synonyms=config.synonyms_file)
    return {unit: load_name(study.reader, unit) for unit in done.statements}


def _listed(study: "Study", path: Path, found: Sequence["LeftOut"]) -> list[str]:
    from medreview.cli.reports.layout import table
    from medreview.cli.reports.terminal import printed
    from medreview.labels import LEFT_OUT_REASONS
    from medreview.units.statement_view import response_name

    if not found:
        return ["Everything in the responses is a statement."]
    names = dict(study.reader.execute("SELECT response_id, ordinal FROM response").fetchall())
    rows = [
        (part.left_out_id, response_name(names[part.response_id]), in_words(part.reason), one_line(part.text))
        for part in found
    ]
    reasons = [
        f"{in_words(reason)}: {why}"
        for reason, why in LEFT_OUT_REASONS.items()
        if any(part.reason == reason for part in found)
    ]
    told = table(("id", "response", "reason", "text"), rows, first="never", long=("response", "reason", "text"))
    last = f"`{command('parse', path, '--promote', 'ID')}` makes one a statement."
    return printed([told, "", *reasons, "", last]).rstrip("\n").split("\n")


def _bring_facts(study: Path, file: Path, mapping: Map, *, suggest: bool, as_json: bool) -> None:
    from medreview import pipeline
    from medreview.config import load_config
    from medreview.units.key_fact_files import became_other, still_waiting

    with files_given([file]) as paths, opened_or_made(study) as opened:
        done = pipeline.bring_facts(opened, paths[0], load_config().reviewer, read_mapping(mapping), suggest=suggest)
        told = [*became_other(done), *still_waiting(opened, done)]
    bad_records(done.bad, file)
    for sentence in told:
        say(f"{file}: {sentence}")
    lines = [_sentence(done, "suggested fact" if suggest else "key fact")]
    if suggest:
        lines.append(f"Keep, edit or discard them: {command('review', study, '--queue', 'suggestions')}")
    result(done, *lines, as_json=as_json)


def _sentence(done: "ImportedFacts", noun: str) -> str:
    known = f", {done.known} there already" if done.known else ""
    left = f", {len(done.bad)} left out" if done.bad else ""
    return f"{counted(done.added, noun)} added{known}{left}"
