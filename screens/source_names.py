"""What tells a response's sources apart in the bar: their numbers, and addresses of one host."""

from collections.abc import Sequence
from typing import Final

from medreview.review.layout.cells import fit, width
from medreview.screens.widgets.painted import StyledText
from medreview.units.cited_source import Source
from medreview.visible import visible

OWN: Final = "*"
"""Behind the number of a source that the statement itself cites."""

_TAIL: Final = 10
"""Cells of an address behind its host by which two pages can be told apart."""


def source_numbers(sources: Sequence[Source], shown: Source, room: int) -> list[StyledText]:
    """The sources by name in the order in which one goes through them, the shown one in brackets.

    Of too many for ``room`` cells those around the shown one, and how many there are.
    """
    here = sources.index(shown)
    words = [_marked(source.bracketed if source is shown else source.name, source) for source in sources]
    if sum(map(width, words)) + len(words) - 1 <= room:
        return _joined(words, here, 0)
    count = f" of {len(words)}"
    first, last = here, here + 1
    left = room - width(words[here]) - width(count) - 4
    while True:
        after = last < len(words) and width(words[last]) < left
        before = first > 0 and width(words[first - 1]) < left
        if not (after or before):
            break
        if before and (not after or here - first < last - 1 - here):
            first -= 1
            left -= width(words[first]) + 1
        else:
            left -= width(words[last]) + 1
            last += 1
    cut = [("… ", "dim")] if first else []
    more = [(" …", "dim")] if last < len(words) else []
    return [*cut, *_joined(words[first:last], here, first), *more, (count, "dim")]


def _joined(words: Sequence[str], here: int, first: int) -> list[StyledText]:
    pieces: list[StyledText] = []
    for place, word in enumerate(words, first):
        pieces += [(" ", ""), (word, "key" if place == here else "")]
    return pieces[1:]


def _marked(name: str, source: Source) -> str:
    return f"{name}{OWN}" if source.cited else name


def address_of(source: Source) -> str:
    """The address without scheme and ``www.``."""
    return visible(source.url.partition("://")[2] or source.url).rstrip("/").removeprefix("www.")


def host_of(source: Source) -> str:
    """The host as people say it."""
    return visible(source.domain).removeprefix("www.") or address_of(source)


def shares_host(source: Source, sources: Sequence[Source]) -> bool:
    """Whether another page of the same host is among the sources."""
    return any(other.domain == source.domain and other is not source for other in sources)


def least(source: Source, sources: Sequence[Source]) -> int:
    """Cells without which the address does not tell the source from the others."""
    whole = width(address_of(source))
    return min(whole, width(host_of(source)) + (_TAIL if shares_host(source, sources) else 0))


def short_address(source: Source, sources: Sequence[Source], room: int, *, host_only: bool = False) -> str:
    """The address in at most ``room`` cells: whole, or cut at its end (``host_only``: without its path). Where another
    page of the host is among the sources, the host and that part of the path that only this page has."""
    address, host = address_of(source), host_of(source)
    if width(address) <= room:
        return address
    if not shares_host(source, sources):
        words = host if host_only else address
        return fit(words, min(room, width(words)))
    others = [address_of(other) for other in sources if other.domain == source.domain and other is not source]
    differs = max(_same(address, other) for other in others)
    start = address.rfind("/", 0, differs + 1) + 1
    kept = width(host) if width(host) * 2 <= room else room * 2 // 5
    tail = max(_TAIL, room - kept) - 2
    if differs - start >= tail - 3:
        start = differs - 3
    path = f"/…{fit(address[start:], min(tail, width(address[start:])))}"
    return fit(host, min(width(host), room - width(path))) + path


def _same(one: str, other: str) -> int:
    """How far two texts are the same from their start on."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (mine, its) in pairs if mine != its), min(len(one), len(other)))
