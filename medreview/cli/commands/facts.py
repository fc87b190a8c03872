"""The command ``facts``: what a good response to a question must say, for the key-fact tasks of the judges."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from medreview.cli.mapping import Map, read_mapping
from medreview.cli.options import Json, StudyFile
from medreview.cli.output import bad_records, counted, result, say

if TYPE_CHECKING:
    from medreview.import_files import Facts


def facts(
    study: StudyFile,
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="Columns fact (or facts, a list), category, question or response."),
    ],
    mapping: Map = None,
    as_json: Json = False,
) -> None:
    """Bring key facts into a study; judges then say whether each response contains or contradicts them.

    A category is diagnosis, management, follow_up or other; what is none of these becomes other. Every response to the
    same question is held against them.

    Example: medreview facts sepsis.medreview facts.csv
    """
    from medreview import pipeline
    from medreview.config import load_config
    from medreview.import_files import became_other
    from medreview.study import Study

    with Study.open(study) as opened:
        done = pipeline.bring_facts(opened, file, load_config().reviewer, read_mapping(mapping))
    bad_records(done.bad, file)
    for sentence in became_other(done):
        say(f"{file}: {sentence}")
    result(done, _sentence(done), as_json=as_json)


def _sentence(done: "Facts") -> str:
    known = f", {done.known} there already" if done.known else ""
    left = f", {len(done.bad)} left out" if done.bad else ""
    return f"{counted(done.added, 'key fact')} added{known}{left}"
