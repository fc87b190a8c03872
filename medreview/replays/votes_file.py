"""A file of votes of judges and of a panel's majority on key facts, as MedFactEval's authors publish them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from medreview.bounded_file import read_bounded
from medreview.errors import UserError
from medreview.visible import visible

_MOST: Final = 1 << 24
_FORM: Final = (
    'a JSON object with "consensus" (a list of 0 and 1, by case) and "judges" (a name and such a list for each)'
)


@dataclass(frozen=True)
class Votes:
    """Votes on facts, 0 or 1: the panel's ``consensus`` and each judge's, all of one length.

    ``kappas`` and ``intervals``: what was printed of a judge, or of one person, where the file says so.
    """

    consensus: Sequence[int]
    judges: Mapping[str, Sequence[int]]
    kappas: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float]]


def read_votes(path: Path) -> Votes:
    """Raises :class:`UserError` for a file that cannot be read, or that is another."""
    shown = visible(str(path))
    try:
        given = json.loads(read_bounded(path, _MOST)[0])
    except OSError as error:
        raise UserError(f"The votes {shown} cannot be read: {error.strerror}.") from None
    except (ValueError, RecursionError):
        raise UserError(f"The votes {shown} cannot be read; give {_FORM}.") from None
    consensus, judges = (given.get("consensus"), given.get("judges")) if isinstance(given, dict) else (None, None)
    if not isinstance(consensus, list) or not isinstance(judges, dict) or not judges:
        raise UserError(f"{shown} is no file of votes; give {_FORM}.")
    if not all(map(_ballot, (consensus, *judges.values()))):
        raise UserError(f"{shown} is no file of votes; give {_FORM}.")
    if any(len(ballot) != len(consensus) for ballot in judges.values()):
        raise UserError(f"In {shown} a judge has not as many votes as the consensus; give one for every fact.")
    kappas, intervals = given.get("printed_kappa"), given.get("printed_ci")
    return Votes(
        consensus,
        {visible(name): ballot for name, ballot in judges.items()},
        {visible(name): value for name, value in kappas.items() if _number(value)} if isinstance(kappas, dict) else {},
        {
            visible(name): (pair[0], pair[1])
            for name, pair in (intervals.items() if isinstance(intervals, dict) else ())
            if isinstance(pair, list) and len(pair) == 2 and all(map(_number, pair))
        },
    )


def _ballot(given: object) -> bool:
    return isinstance(given, list) and bool(given) and all(type(vote) is int and vote in (0, 1) for vote in given)


def _number(given: object) -> bool:
    return isinstance(given, int | float) and not isinstance(given, bool) and -1 <= given <= 1
