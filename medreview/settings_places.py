"""Where the settings files that are read lie. Nothing is loaded for that but what names the user's own folder."""

from pathlib import Path
from typing import Final

from medreview.errors import UserError

FILE_NAME: Final = "medreview.toml"
LARGEST: Final = 100_000
"""Bytes of a settings file, and of the list of those that are trusted."""


def config_folder() -> Path:
    """The user's own folder of settings, which need no trust."""
    from platformdirs import user_config_path

    return user_config_path("medreview")


def find_configs() -> list[Path]:
    """The settings files that are read: the user's own, then the one in the working folder."""
    own, here = config_folder() / FILE_NAME, Path(FILE_NAME)
    found = [path for path in (own, here) if is_there(path)]
    return found[:1] if len(found) == 2 and own.samefile(here) else found


def is_there(path: Path) -> bool:
    """Whether there is a settings file; raises :class:`UserError` where its folder does not let that be known."""
    try:
        return path.is_file()
    except OSError as error:
        raise UserError(
            f"The settings folder {path.absolute().parent} cannot be read ({error.strerror}). "
            "Make it readable for yourself, then run the command again."
        ) from None
