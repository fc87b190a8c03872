"""JSON from a server or a batch file: in whatever encoding it came, of bounded size, depth and number of values."""

import json
from typing import Any, Final

from medreview.storable import is_too_deep

LONGEST: Final = 8_000_000
"""Characters; as many as the largest answer has bytes (``transport.LARGEST_ANSWER``)."""
MOST_VALUES: Final = 500_000
"""Of a text; counted by commas and brackets, before anything is built of them. A value takes 30 to 100 bytes."""
_LONGEST_NUMBER: Final = 40


class NotJsonError(ValueError):
    """The text is no JSON; ``bound``: it may be, but a bound was met, and it is not read. One sentence."""

    def __init__(self, sentence: str, *, bound: bool = False) -> None:
        super().__init__(sentence)
        self.bound = bound


def text_of(body: bytes) -> str:
    """The text of a body: UTF-8, or UTF-16 or UTF-32 with or without a byte-order mark; U+FFFD for what is none."""
    return body.decode(json.detect_encoding(body), "replace")


def decode(text: str) -> Any:
    """The value of a JSON text; raises :class:`NotJsonError`.

    A number of more than 40 digits becomes infinite, whatever it is: no count and no share is as large.
    """
    if len(text) > LONGEST:
        raise NotJsonError(f"It is longer than {LONGEST:,} characters.", bound=True)
    if text.count(",") + text.count("[") + text.count("{") > MOST_VALUES:
        raise NotJsonError(f"It holds more than {MOST_VALUES:,} values.", bound=True)
    try:
        value = _DECODER.decode(text)
    except RecursionError:
        value = None
        too_deep = True
    except ValueError:
        raise NotJsonError("It is no whole JSON.") from None
    else:
        too_deep = is_too_deep(value)
    if too_deep:
        raise NotJsonError("Its lists stand in one another too deep.", bound=True)
    return value


def _whole_number(digits: str) -> int | float:
    return int(digits) if len(digits) <= _LONGEST_NUMBER else float("inf")


_DECODER: Final = json.JSONDecoder(strict=False, parse_int=_whole_number)
