"""What an adapter is: how it knows the files of one producer, and which answers it finds in them."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from medreview.exchange.producers.given import Given


class NoAnswerError(ValueError):
    """What is recorded is no answer; the text says what it is, as the end of a sentence that names the record."""


class Producer(NamedTuple):
    """A format that some system writes.

    ``detect`` looks at a JSON value and says whether it is this format: by what no other has. ``records`` finds the
    answers in it; it gets the request that was sent, where the file or another one has that. ``fold`` makes of the
    events of a stream the value that would have come at once, ``None`` for the stream of another producer.
    ``name`` is what people call it, ``about`` which files it is.
    """

    name: str
    about: str
    detect: Callable[[Any], bool]
    records: Callable[[Any, Any], Iterator[Given]]
    fold: Callable[[list[Any]], Any] | None = None
