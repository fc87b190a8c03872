"""The command ``generate questions``."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from medreview.cli.generate_options import Wanted, generator_command
from medreview.cli.generating import generate_with
from medreview.cli.options import StudyFile
from medreview.errors import UserError

if TYPE_CHECKING:
    from medreview.generators.study_texts import StudyText
    from medreview.study import Study


@generator_command()
def questions(
    study: StudyFile,
    wanted: Wanted,
    source: Annotated[
        str | None, typer.Argument(metavar="PAGE|FILE", help="A source of the study by its URL, or a file of texts.")
    ] = None,
    snapshots: Annotated[
        bool, typer.Option("--snapshots", help="Of every page of the study that can be read, as it is now.")
    ] = False,
) -> None:
    """Make a question of each text, with its answer and the words that hold it; a reviewer checks it.

    A text is a page of the study, a file (.txt, .md, .html, .pdf), or a record of a file (.jsonl, .csv; text, title,
    url). Without a source it is each passage that the study has. For a file of texts a study is made where there is
    none.

    Example: medreview generate questions sepsis.medreview texts.jsonl --model writer
    """
    from medreview.generators.questions import Questions

    if source and snapshots:
        raise UserError("Give either a page or file, or --snapshots.")
    texts: list[StudyText] = []

    def bring(study: "Study") -> None:
        texts.extend(_texts(study, source, snapshots=snapshots))

    generate_with(study, partial(Questions, texts=texts), wanted, brings=Path(source) if source else None, before=bring)


def _texts(study: "Study", source: str | None, *, snapshots: bool) -> list["StudyText"]:
    """The texts that are meant; those of a file are brought into the study. Raises :class:`UserError` for none."""
    from medreview.generators.study_texts import is_address, page_at, pages_in, passages_in
    from medreview.next_step import command

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
    from medreview.cli.output import bad_records
    from medreview.generators.study_texts import passages_in
    from medreview.generators.text_files import read_texts
    from medreview.storable import storable_text
    from medreview.units.stored import add_passages

    texts = read_texts(file)
    bad_records(texts.bad, file)
    study.write(lambda connection: add_passages(connection, texts.passages, storable_text(file.name)))
    return passages_in(study.reader, {one.passage_id for one in texts.passages})
