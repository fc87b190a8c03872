"""The command ``guidelines``: what the labels of a study mean, in the words of who runs it."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from medreview.cli.options import Json, Reviewer, StudyFile
from medreview.cli.output import result, say
from medreview.errors import UserError

if TYPE_CHECKING:
    from medreview.review.guidelines import Guidelines


def guidelines(
    study: StudyFile,
    set_file: Annotated[
        Path | None, typer.Option("--set", metavar="FILE.md", help="Put the text of a file in force.")
    ] = None,
    edit: Annotated[bool, typer.Option("--edit", help="Change the text in force in $VISUAL or $EDITOR.")] = False,
    diff: Annotated[
        bool, typer.Option("--diff", help="What the version in force changed in the one before, line by line.")
    ] = False,
    reviewer: Reviewer = None,
    as_json: Json = False,
) -> None:
    """Show the guidelines of the label set, or set another version.

    Every label carries the version it was given by. Each reviewer is shown a new version before the first decision;
    F2 shows it at any time. Until a study sets its own, each kind of unit has the definitions of its labels.

    Example: medreview guidelines sepsis.medreview --set guidelines.md
    """
    from medreview.config import load_config
    from medreview.review import guidelines as texts
    from medreview.study import Study

    if sum((set_file is not None, edit, diff)) > 1:
        raise UserError("Give one of --set, --edit and --diff.")
    with Study.open(study, read_only=True) as opened:
        now, found = texts.in_force_for_all(opened.reader), texts.versions(opened.reader)
    if set_file or edit:
        new = _read(set_file) if set_file else _edited(now.text)
        with Study.open(study) as opened:
            after = texts.set_guidelines(opened, reviewer or load_config().reviewer, new)
            found = texts.versions(opened.reader)
        say(f"guidelines {after.name} {'were' if after.sha256 == now.sha256 else 'are'} in force")
        now = after
    if diff:
        _show_diff(found, as_json=as_json)
        return
    origin = f"set by {now.set_by}, {now.set_at[:16]}" if now.number else "the definitions of the labels"
    told = asdict(now) | {"stamp": now.stamp, "versions": [asdict(one) for one in found]}
    result(told, f"{now.name}, {origin}", "", *now.text.splitlines(), as_json=as_json)


def _read(path: Path) -> str:
    from medreview.bounded_file import read_bounded
    from medreview.review.guidelines import LONGEST

    try:
        body, _ = read_bounded(path, 4 * LONGEST)  # no character takes more bytes
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UserError(f"{path} is not UTF-8; save it as that.") from error
    except (OSError, ValueError) as error:
        raise UserError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.") from error


def _edited(text: str) -> str:
    from medreview.review.guidelines import LONGEST
    from medreview.review.outside_text import write_outside

    back = write_outside(text.rstrip(), "guidelines.md", LONGEST)
    if back.fault:
        raise UserError(f"The guidelines stay as they are: {back.fault}.")
    if back.text == text.rstrip():
        raise UserError("Nothing was changed in the editor; the guidelines stay as they are.")
    return back.text


def _show_diff(found: "list[Guidelines]", *, as_json: bool) -> None:
    from difflib import unified_diff

    if len(found) < 2:
        raise UserError("There are no two versions to compare; `--set FILE.md` sets one.")
    old, new = found[-2:]
    lines = list(unified_diff(old.text.splitlines(), new.text.splitlines(), old.name, new.name, lineterm=""))
    result({"from": old.stamp, "to": new.stamp, "lines": lines}, *lines, as_json=as_json)
