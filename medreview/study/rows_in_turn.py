"""Two queries in one order, read beside each other: neither is held whole, and none is asked anew for each row."""

from collections.abc import Callable, Hashable, Iterable
from itertools import groupby
from typing import TypeVar

R = TypeVar("R")


def rows_in_turn(rows: Iterable[R], key: Callable[[R], Hashable]) -> Callable[[Hashable], list[R]]:
    """Gives the rows of one key after another, nothing for a key that has none.

    The keys are to be asked for in the order in which the rows come. Rows of a key that nobody asks for hold up all
    that follow.
    """
    groups = groupby(rows, key=key)
    waiting = next(groups, None)

    def of(wanted: Hashable) -> list[R]:
        nonlocal waiting
        if waiting is None or waiting[0] != wanted:
            return []
        found = list(waiting[1])
        waiting = next(groups, None)
        return found

    return of
