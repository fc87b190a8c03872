"""Writing one setting into a settings file, and leaving all else in it as it stands: comments, order, spaces."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from medreview.atomic_output import atomic_output, write_new
from medreview.config import SETTINGS, SettingsFile, guarded_settings, read_file, told_in
from medreview.config_names import Named, named
from medreview.errors import UserError
from medreview.settings_checks import problems
from medreview.settings_files import is_own, is_trusted, own_folder, trust
from medreview.settings_places import FILE_NAME, LARGEST, config_folder, is_there
from medreview.toml_edit import place, with_value, without_value


def file_to_write(here: bool) -> Path:
    """The settings file of the working folder, or the user's own."""
    return Path(FILE_NAME) if here else config_folder() / FILE_NAME


def set_values(path: Path, values: Sequence[tuple[Named, Any]]) -> bool:
    """Write values into a settings file, which is made where there is none; whether trust in it went on with them.

    A file that was trusted, or says nothing yet of where texts and keys go, is trusted with what its user writes there.
    Raises :class:`UserError` where the file would have a mistake that it did not have before, and writes nothing then.
    """
    before = _read(path)
    content = before.content
    with _in_place(path):
        for one, value in values:
            content = with_value(content, one.keys, value)
    return _put(before, content)


def unset(path: Path, name: str) -> bool:
    """Take a setting, a whole table, or what is no setting and stands there all the same, out of a settings file; as
    :func:`set_values`."""
    before = _read(path)
    keys = place(before.told, name)
    if keys is None:
        raise UserError(f"{named(name).name!r} is not set in {path}; nothing was changed.")
    with _in_place(path):
        content = without_value(before.content, keys)
    return _put(before, content)


def _read(path: Path) -> SettingsFile:
    return read_file(path) if is_there(path) or path.exists() else SettingsFile(path, "", {})


def _put(before: SettingsFile, content: str) -> bool:
    path = before.path
    told = told_in(content, path)
    new = [problem for problem in problems(told, SETTINGS, path) if problem not in before.problems]
    if new:
        raise UserError(f"{new[0]} Nothing was changed.")
    if len(content.encode()) > LARGEST:
        raise UserError(f"The settings {path} would have more than {LARGEST:,} bytes; nothing was changed.")
    trusted = not guarded_settings(before.told) or is_trusted(path, before.content)
    if path.parent == config_folder():
        own_folder()
    with atomic_output(path, b"") as partial:  # of whatever a user began it with
        write_new(partial, content)
        if _read(path).content != before.content:
            raise UserError(f"{path} was changed meanwhile by another program; nothing was written. Do it again.")
    if not trusted or is_own(path) or not guarded_settings(told):
        return False
    trust(path, content)
    return True


@contextmanager
def _in_place(path: Path) -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        raise UserError(
            f"The settings {path} are written in a way that cannot be changed here ({error}); change them in an editor."
        ) from error
