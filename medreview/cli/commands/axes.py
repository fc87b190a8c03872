"""The command ``axes``: what reviewers of a study say of units beside the labels of the program."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from medreview.cli.options import Json, Reviewer, decider, open_study
from medreview.cli.output import one_line, result, say
from medreview.errors import UserError

if TYPE_CHECKING:
    from medreview.study.own_axes import OwnAxis


def axes(
    study: Annotated[Path | None, Argument(metavar="[STUDY]", help="The study.", show_default=False)] = None,
    file: Annotated[
        Path | None, Argument(metavar="[FILE.toml]", help="Set the axes to those of a file.", show_default=False)
    ] = None,
    add: Annotated[
        str | None, Option(metavar="NAME", help="Add an axis that comes with medreview: harm, severity of harm.")
    ] = None,
    example: Annotated[bool, Option("--example", help="Print a file with comments, to begin from.")] = False,
    text: Annotated[bool, Option("--text", help="Print the file that is in force.")] = False,
    reviewer: Reviewer = None,
    as_json: Json = False,
) -> None:
    """List the axes that a study has of its own, or set them: what is asked beside the verdict, with levels and keys.

    In the workbench z asks for them. Their labels are saved, undone, kept blind, compared, exported and counted like
    all others. A file can be set again with other words, further levels and further axes; a level or an axis that has
    labels has to stay.

    Example: medreview axes sepsis.medreview --add harm
    """
    from medreview.study import own_axes as found_in

    if sum((file is not None, add is not None, example, text)) > 1:
        raise UserError("Give one of FILE.toml, --add, --text and --example.")
    if example:
        print(found_in.shipped_text(found_in.EXAMPLE), end="")
        return
    if study is None:
        raise UserError("Name the study: medreview axes STUDY; --example needs none.")
    with open_study(study, read_only=file is None and add is None) as opened:
        if file is not None:
            found = found_in.set_axes(opened, decider(reviewer), _read(file), one_line(str(file)))
        elif add is not None:
            found = found_in.add_axis(opened, decider(reviewer), add)
        else:
            found = found_in.own_axes(opened.reader)
        now = found_in.axes_text(opened.reader)
    if text:
        result({"text": now}, *now.splitlines(), as_json=as_json)
        return
    if file or add:
        say("the axes are set; in the workbench z asks for them")
    none = "The study has no axes of its own; --add harm adds severity of harm, --example prints a file to begin from."
    lines = [line for one in found.values() for line in _lines(one)]
    told = [{**asdict(one), "axis": one.axis, "levels": [each._asdict() for each in one.levels]}
            for one in found.values()]  # fmt: skip
    result({"axes": told}, *(lines or [none]), as_json=as_json)


def _lines(axis: "OwnAxis") -> list[str]:
    how = "any number" if axis.many else "one, in order" if axis.ordered else "one"
    return [
        f"{axis.name}: {axis.title} ({', '.join(axis.units)}; {how})",
        *([f"  {axis.about}"] if axis.about else []),
        *(f"  {level.key}  {level.name}" + (f": {level.definition}" if level.definition else "")
          for level in axis.levels),
    ]  # fmt: skip


def _read(path: Path) -> str:
    from medreview.bounded_reading import read_toml
    from medreview.study.own_axes import LONGEST

    try:
        return read_toml(path, LONGEST)[0]
    except UnicodeDecodeError as error:
        raise UserError(f"{path} is not UTF-8; save it as that.") from error
    except (OSError, ValueError) as error:
        raise UserError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.") from error
