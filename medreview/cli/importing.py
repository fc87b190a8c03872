"""Bringing files into a study: the argument, the study to fill, and what came in."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Final

from medreview.cli.network import pages_sentence, references_sentence
from medreview.cli.options import Map, open_study, read_mapping
from medreview.cli.output import bad_records, counted, odd_records, one_line, progress, say
from medreview.cli.review_words import STDIN
from medreview.errors import UserError
from medreview.next_step import command

if TYPE_CHECKING:
    from medreview.import_files import Chosen, Imported, Preview
    from medreview.judges.semantic_stage import SemanticSummary
    from medreview.pipeline import Authorities, Meaning, PageProvider, Prepared
    from medreview.study import Study

_UNITS: Final = {
    "responses": "response", "judgements": "judgement", "sourcecheckup": "response", "export": "event",
    "case": "suggested fact", "statement": "statement",
}  # fmt: skip
"""What is counted in a file of each kind; in one of units, these."""

_LABELLED: Final = ("statement", "pair", "fact")
"""Kinds of files that bring people's labels on what the study has, and nothing else."""

_LONGEST: Final = 60
"""Characters of a text that a preview shows."""


@contextmanager
def opened_or_made(path: Path) -> Iterator["Study"]:
    """The study, made if it is missing; one made for a file that could not be read is deleted again."""
    from medreview.study import Study

    fresh = not path.exists()
    with Study.create(path) if fresh else open_study(path) as study:
        try:
            yield study
        except UserError:
            query = "SELECT 1 FROM response UNION ALL SELECT 1 FROM unit UNION ALL SELECT 1 FROM passage LIMIT 1"
            if fresh and not study.reader.execute(query).fetchone():
                study.discard()
            raise


_SPOOLED: Final = "standard-input"
"""What standard input is called in the study."""


@contextmanager
def files_given(files: Sequence[Path]) -> "Iterator[list[Path]]":
    """The files to read; in the place of ``-`` a temporary file with what came on standard input, for the block.

    Raises :class:`UserError` where standard input is named twice.
    """
    if STDIN not in files:
        yield list(files)
        return
    if list(files).count(STDIN) > 1:
        raise UserError("- is standard input, which can be read once; name it once.")
    if sys.stdin.isatty():
        say("Paste the answer, then press Enter and Ctrl-D.")
    with spooled(_SPOOLED, iter(partial(sys.stdin.buffer.read, 1 << 20), b"")) as came:
        try:
            yield [came if path == STDIN else path for path in files]
        except UserError as error:
            if type(error) is UserError and str(came) in str(error):
                raise UserError(str(error).replace(str(came), "Standard input")) from error
            raise


@contextmanager
def spooled(name: str, blocks: Iterable[bytes]) -> Iterator[Path]:
    """A temporary file of this name, for the block, with what came from elsewhere than a file; read by its content."""
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(prefix="medreview-") as folder:
        path = Path(folder, name)
        with path.open("wb") as file:
            file.writelines(blocks)
        yield path


def as_given(file: str) -> str:
    """A file as the user named it: what came on standard input is ``-``."""
    path = Path(file)
    return str(STDIN) if path.name == _SPOOLED and path.parent.name.startswith("medreview-") else file


def with_requests(files: Sequence[Path], chosen: "Chosen") -> "tuple[list[Path], Chosen]":
    """The files with answers, and what is chosen of them: a batch's input among the files says what was asked."""
    from medreview.import_files import is_asked

    asked = [path for path in files if is_asked(path)]
    if not asked:
        return list(files), chosen
    if len(asked) == len(files):
        raise UserError(f"{asked[0]} holds what a model was asked; also name the file with its answers.")
    return [path for path in files if path not in asked], replace(chosen, requests=chosen.requests or asked[0])


def show_first(
    files: Sequence[Path], mapping: Map, *, always: bool = False, chosen: "Chosen | None" = None
) -> "list[Preview]":
    """Show on a terminal, or ``always``, what files hold before anything of them is stored.

    Raises :class:`UserError` for one that cannot be used.
    """
    from medreview.import_files import Chosen, preview

    if not (always or sys.stderr.isatty()):
        return []
    wanted = chosen or Chosen()
    previews = (preview(path, read_mapping(mapping), wanted) for path in files)
    found = [replace(one, file=as_given(one.file)) for one in previews]
    for one in found:
        say(*previewed(one))
    return found


def previewed(found: "Preview") -> Iterator[str]:
    """What a file holds, for a person: how many records, and the first ones with id, question and first words."""
    if found.kind == "export":
        yield f"{found.file}: an export of medreview"
        return
    left = f", {found.bad} that cannot be read" if found.bad else ""
    how = f", read as {found.producer}" if found.producer else ""
    yield f"{found.file}: {_counted(found.added, found.kind)}{how}{left}"
    for chat in found.chats:
        yield f"  {one_line(chat)}"
    for name, question, words in () if found.chats else found.first:
        parts = (
            one_line(part)[:_LONGEST] + "…" * (len(one_line(part)) > _LONGEST) for part in (question, words) if part
        )
        yield f"  {one_line(name)}: {' | '.join(parts)}"
    for note in found.notes:
        yield f"  {note}"


def imported_sentence(done: "Imported") -> str:
    """What came in from one file, for a person."""
    known = f", {done.known} there already" if done.known else ""
    left = f", {len(done.bad)} left out" if done.bad else ""
    if done.kind in _LABELLED:
        return f"{done.file}: {_counted(done.labels, done.kind)} added{known}{left}"
    how = f"read as {done.producer}: " if done.producer else ""
    sentence = f"{done.file}: {how}{_counted(done.added, done.kind)} added{known}{left}"
    beside = (
        (done.cases, "case", "added"), (done.gold, "gold label", "added"), (done.opinions, "machine opinion", "added"),
        (done.labels, "unit", "added"), (done.empty, "empty response", "kept as invalid"),
        (done.ranges, "citation", "placed in the text"), (done.given, "source", "with a text of its own"),
        (done.facts, "key fact", "added"), (done.correct, "record", "with a correct answer"),
    )  # fmt: skip
    for number, noun, how in beside:
        if number:
            sentence += f"; {'what people said of ' if noun == 'unit' else ''}{counted(number, noun)} {how}"
    if done.left:
        what = (f"{name} ({number})" if number > 1 else name for name, number in done.left.items())
        sentence += f"; left out, as no part of the answers: {', '.join(what)}"
    return sentence


def _counted(number: int, kind: str) -> str:
    """How many there are of what is counted in a file of a kind."""
    from medreview.units.registry import KINDS

    noun = KINDS[kind].noun if kind in KINDS else _UNITS[kind]
    return f"{counted(number, 'label')} on {noun}s" if kind in _LABELLED else counted(number, noun)


@contextmanager
def kept_before(study: "Study", files: Sequence[Path]) -> "Iterator[list[Imported]]":
    """Keep a copy of the study as it is before files are imported, if there are any; the list takes what came in."""
    from medreview.study.before_import import before_import

    brought: list[Imported] = []
    if not files:
        yield brought
        return
    with before_import(study, files) as kept:
        yield brought
        kept.added = any(one.brings for one in brought)


def say_what_is_missing(done: "Imported", study: Path, mapping: Map, name: str, *given: Path) -> None:
    """Name the records of a file that were left out, what it lacks, and what of it was not used.

    ``mapping``: the options given. ``name`` and ``given``: the command, and what stood before the file in it:
    ``import`` and the study.
    """
    bad_records(done.bad, done.file)
    odd_records(done.odd, done.file)
    for warning in done.warnings:
        say(f"{done.file}: {warning}")
    if done.unused:
        how = "kept beside the answers" if done.kind == "responses" else "not used"
        say(f"{done.file}: {how}: {', '.join(column.column for column in done.unused)}")
    wanted = [column for column in done.unused if column.field]
    if wanted:
        pairs = [*(mapping or []), *(f"{column.column}={column.field}" for column in wanted)]
        maps = [word for pair in pairs for word in ("--map", pair)]
        file = done.file if done.file == str(STDIN) else Path(done.file)
        again = command(name, *given, file, *maps)
        if any(
            column.field not in ("citations", "facts") for column in wanted
        ):  # the others distinguish one response from another
            again = command("run", _another(study), file, *maps)
        say(f"  to take {', '.join(column.column for column in wanted)}: {again}")


def prepare(
    study: "Study",
    files: Sequence[Path],
    mapping: Map,
    pages: "PageProvider",
    name: str,
    *given: Path,
    references: "Authorities | None" = None,
    meaning: "Meaning | None" = None,
    chosen: "Chosen | None" = None,
) -> "Prepared":
    """Bring files to where they can be reviewed, with a progress bar, and say what came in and what did not.

    ``files`` are those of :func:`files_given`; ``name`` and ``given`` are those of :func:`say_what_is_missing`. It can
    be stopped and given again.
    """
    from medreview import pipeline
    from medreview.config import load_config
    from medreview.import_files import Chosen

    own = load_config().synonyms_file
    files, wanted = with_requests(files, chosen or Chosen())
    show_first(files, mapping, chosen=wanted)
    with kept_before(study, files) as brought, progress() as bar:
        done = pipeline.run(
            study, files, read_mapping(mapping), pages, bar, own, references=references, meaning=meaning, chosen=wanted
        )
        brought += done.imported
    for imported in done.imported:
        imported.file = as_given(imported.file)
        say(imported_sentence(imported))
        say_what_is_missing(imported, study.path, mapping, name, *given)
    say(*done.fetched.note.splitlines())
    if done.references is not None:
        say(references_sentence(done.references), *done.references.stopped.values())
    return done


def prepared_sentence(study: "Study", done: "Prepared") -> str:
    """What a study holds after that: its statements or, without any, its other units."""
    from medreview.study.counts import count_statements
    from medreview.units.registry import KINDS, kinds_in

    statements = count_statements(study.reader)
    others = kinds_in(study.reader) if not statements else {}
    if others:
        return f"{study.path}: {', '.join(counted(count, KINDS[kind].noun) for kind, count in others.items())}."
    return (
        f"{study.path}: {counted(statements, 'statement')}, {done.judged.flagged} flagged; "
        f"{pages_sentence(done.fetched)}{ordered(done.judged.meaning)}."
    )


def ordered(summary: "SemanticSummary | None") -> str:
    """What a model did, as the end of a sentence; ``""`` where none was asked or nothing was left to do."""
    return f"; {counted(summary.pairs, 'pair')} ordered with {summary.model}" if summary and summary.pairs else ""


def _another(study: Path) -> Path:
    """A name for a new study beside one."""
    return next(name for number in count(2) if not (name := study.with_stem(f"{study.stem}-{number}")).exists())
