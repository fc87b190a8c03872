"""What work costs in processor time, which another process on the same machine does not change."""

import gc
import time
from collections.abc import Callable

LINEAR = 8.0
"""How many times longer four times the work may take: 4 when it is linear, 16 when it is quadratic."""
TRIES = 4


def seconds(work: Callable[[], object]) -> float:
    """Processor time of this thread, without looking for garbage: that goes through all that other tests have left."""
    gc.disable()
    try:
        began = time.thread_time()
        work()
        return time.thread_time() - began
    finally:
        gc.enable()


def growth(work: Callable[[int], object], size: int) -> float:
    """How many times longer the work takes on four times the size: the smallest of a few tries.

    Time is only ever added by what does not belong to the work (a first import, a cache that others use), so a try
    that is linear shows that the work is, and ends it.
    """
    found = float("inf")
    for _ in range(TRIES):
        small = seconds(lambda: work(size))
        found = min(found, seconds(lambda: work(4 * size)) / small)
        if found <= LINEAR:
            break
    return found
