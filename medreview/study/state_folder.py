"""The folder for what this program keeps of a user on this machine, and no study holds."""

from pathlib import Path


def state_folder() -> Path:
    """The user's folder for the state of programs: ``~/.local/state/medreview`` on Linux. It need not exist."""
    from platformdirs import user_state_path

    return user_state_path("medreview")


def made_state_folder(inside: str = "") -> Path:
    """The same folder, or one ``inside`` of it, made for its user alone if it is not there. Raises ``OSError``."""
    folder = state_folder()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if inside:
        folder /= inside
        folder.mkdir(mode=0o700, exist_ok=True)
    return folder
