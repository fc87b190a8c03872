"""References that the rules read with doubt, read by a model instead, which may use only the reference's own words."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from medreview.references.model import Author, Field, Reference
from medreview.references.printed.container import kind_of
from medreview.references.printed.names import read_authors
from medreview.text import Span

_TEXTS: Final[tuple[Field, ...]] = ("title", "container", "publisher", "edition", "pages", "year", "volume", "issue")
"""The fields that are one text each, the longest first: the place of one is closed to a shorter one."""
_FEWEST_WORDS: Final = 6
"""Words of a reference from which on some of them should be a title."""
_YEAR: Final = re.compile(r"(?:1[89]|20)\d\d")
_ALIKE: Final = ("-‐‑‒–—−", "'’‘ʼ`", '"“”„«»')
"""Characters that are printed one for the other."""


def in_doubt(read: Reference) -> bool:
    """Whether the rules read a reference with doubt, or found neither title nor identifier in a longer text."""
    if read.bare_url or not read.text.strip():
        return False
    nothing = not (read.title or read.identifiers or read.url)
    return bool(read.unsure) or (nothing and len(read.text.split()) >= _FEWEST_WORDS)


def as_told(read: Reference, told: Mapping[str, Any], by: str) -> Reference | None:
    """The reference with the fields that a model gave, each at its place; ``by`` names the model.

    ``None`` unless every field stands word for word in the reference, apart from white space, dashes and quotation
    marks, in words of its own. Identifiers and addresses stay as the rules read them.
    """
    names = [name for name in told["authors"] if name.strip()]
    said = {name: told[name] for name in _TEXTS if told[name].strip()}
    if not (names or "title" in said or "container" in said) or (
        "year" in said and not _YEAR.fullmatch(said["year"].strip())
    ):
        return None
    kept: dict[Field, Span] = {name: at for name, at in read.places.items() if name in ("identifier", "url")}
    others = [Span(at.start - read.start, at.end - read.start) for at in kept.values()]
    taken: list[Span] = []
    for words in (said.get("title", ""), *names, *(said[name] for name in _TEXTS[1:] if name in said)):
        place = _place(read.text, words, [*others, *taken]) if words else Span(0, 0)
        if place is None:
            return None
        taken.append(place)
    title, authors, rest = taken[0], taken[1 : len(names) + 1], taken[len(names) + 1 :]
    own = dict(zip((name for name in _TEXTS[1:] if name in said), rest, strict=True))
    if title:
        own["title"] = title
    if authors:
        own["authors"] = Span(min(at.start for at in authors), max(at.end for at in authors))
    if "authors" in own and any(own["authors"].overlap(at) for name, at in own.items() if name != "authors"):
        return None
    places = kept | {name: Span(read.start + at.start, read.start + at.end) for name, at in own.items()}
    values = {name: read.text[own[name].start : own[name].end] if name in own else "" for name in _TEXTS}
    year = values.pop("year")
    made = replace(
        read,
        **values,  # type: ignore[arg-type]
        year=int(year) if year else None,
        authors=tuple(_author(" ".join(read.text[at.start : at.end].split())) for at in authors),
        places=places,
        unsure=(),
        read_by=by,
    )
    return replace(made, kind=kind_of(made, made.text))


def _place(text: str, words: str, taken: Sequence[Span]) -> Span | None:
    """The first place of these words that is not another field's."""
    pattern = r"\s+".join("".join(map(_letter, word)) for word in words.split())
    found = (Span(*one.span()) for one in re.finditer(rf"(?<!\w){pattern}(?!\w)", text))
    return next((place for place in found if not any(place.overlap(other) for other in taken)), None)


def _letter(letter: str) -> str:
    return next((f"[{re.escape(alike)}]" for alike in _ALIKE if letter in alike), re.escape(letter))


def _author(name: str) -> Author:
    found = read_authors(name, certain=True)
    return found.authors[0] if found is not None and len(found.authors) == 1 else Author(name, body=True)
