"""Regular expressions that are compiled when they are first used: those of a first screen took a tenth of its start."""

import re
from typing import Any, cast


def lazy_pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """What ``re.compile`` gives, as far as its methods go; a mistake in it shows at the first use.

    Once used, a method is found faster than that of a compiled one.
    """
    return cast("re.Pattern[str]", _WhenUsed(source, flags))


class _WhenUsed:
    def __init__(self, source: str, flags: int) -> None:
        self._told = source, flags

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(*self._told), name)
        setattr(self, name, found)
        return found
