"""Shares as they are given on the command line: ``60%``, ``0.6``."""

from medreview.errors import UserError


def share_of(given: str, option: str, example: str) -> float | None:
    """A share, above 0 and up to 1; ``None`` where none was given. Raises :class:`UserError` for anything else."""
    if not given:
        return None
    try:
        share = float(given.removesuffix("%")) / (100 if given.endswith("%") else 1)
    except ValueError:
        share = 0.0
    if not 0 < share <= 1:
        raise UserError(f"{option} takes a share such as {example}, not {given!r}.")
    return share
