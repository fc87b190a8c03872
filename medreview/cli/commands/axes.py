"""The command ``axes``: the axes that a study has of its own, listed and set."""

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
        Path | None, Argument(metavar="[FILE.toml]", help="Set the axes from this file.", show_default=False)
    ] = None,
    add: Annotated[
        str | None, Option(metavar="NAME", help="Add an axis that medreview ships: harm (severity of harm).")
    ] = None,
    example: Annotated[bool, Option("--example", help="Print a commented example file to start from.")] = False,
    text: Annotated[bool, Option("--text", help="Print the file that the study uses.")] = False,
    reviewer: Reviewer = None,
    as_json: Json = False,
) -> None:
    """List or set the study's own axes: questions beside the verdict, each with its levels and keys.

    In the workbench, press z to label on them. medreview saves, undoes, hides, compares, exports and counts these
    labels like all others. You can set a changed file later: reword anything, add levels and axes. An axis or a level
    that has labels must stay.

    Example: medreview axes sepsis.medreview --add harm
    """
    from medreview.study import own_axes as found_in

    if sum((file is not None, add is not None, example, text)) > 1:
        raise UserError("Give only one of FILE.toml, --add, --text and --example.")
    if example:
        print(found_in.shipped_text(found_in.EXAMPLE), end="")
        return
    if study is None:
        raise UserError("Name the study: `medreview axes STUDY`. Only --example works without one.")
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
        say("axes set; in the workbench, press z to label on them")
    none = "This study has no axes of its own. --add harm adds severity of harm; --example prints a file to start from."
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
        raise UserError(f"{path} is not UTF-8. Save it as UTF-8.") from error
    except (OSError, ValueError) as error:
        raise UserError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.") from error
