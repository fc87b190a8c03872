"""The command ``background``: who the reviewers of a study are."""

from dataclasses import asdict
from typing import Annotated

import typer

from medreview.cli.options import Json, Reviewer, StudyFile
from medreview.cli.output import result


def background(
    study: StudyFile,
    role: Annotated[str | None, typer.Option(help="Physician, nurse, medical student, ...")] = None,
    years: Annotated[str | None, typer.Option(metavar="N", help="Years of practice.")] = None,
    specialty: Annotated[str | None, typer.Option(help="What you work in.")] = None,
    words: Annotated[str | None, typer.Option(help="Anything else that bears on your labels.")] = None,
    reviewer: Reviewer = None,
    as_json: Json = False,
) -> None:
    """Show who the reviewers of a study are, or say who you are.

    The workbench asks each reviewer once. What is said goes into reviewers.csv of an export, and replaces what was said
    before; an empty value takes a field back.

    Example: medreview background sepsis.medreview --role physician --years 12 --specialty "intensive care"
    """
    from medreview.config import load_config
    from medreview.review.background import read_background, set_background
    from medreview.study import Study
    from medreview.study.backgrounds import background_of, backgrounds

    given = {"role": role, "years": years, "specialty": specialty, "words": words}
    new = {name: value for name, value in given.items() if value is not None}
    with Study.open(study, read_only=not new) as opened:
        if new:
            who = reviewer or load_config().reviewer
            before = {name: "" if value is None else str(value)
                      for name, value in asdict(background_of(opened.reader, who)).items()}  # fmt: skip
            set_background(opened, who, read_background(before | new))
        found = [one for one in backgrounds(opened.reader) if reviewer in (None, one[0])]
    lines = [f"{name}: {said.line or 'nothing is said'}" for name, said, _ in found]
    told = [{"reviewer": name, **asdict(said), "said_at": at} for name, said, at in found]
    result(told, *(lines or ["Nobody has reviewed this study yet."]), as_json=as_json)
