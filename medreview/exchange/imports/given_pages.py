"""Texts of cited pages that a record gives beside the answer: ``references: [{url, text}]``, ``pages: {url: text}``."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from medreview.exchange.imports.field_mapping import normalise_column, text_of
from medreview.exchange.imports.json_rows import written_out
from medreview.exchange.imports.listed_fields import IDENTIFIERS, identifier

TEXTS: Final = ("text", "content", "passage", "passages", "page_content", "full_text", "body")
"""The members of an object that may hold the text of a page."""

_ADDRESS: Final = re.compile(r"(?:https?://|www\.)\S+\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class GivenPage:
    """A page as a record gives it. ``address``: a URL or identifier as written; ``text`` is empty where only that is
    given, and ``address`` where a text has none."""

    address: str
    text: str
    title: str


def given_pages(value: Any) -> list[GivenPage]:
    """The pages of a field, in order; none unless one of them has both an address and a text.

    Raises ``ValueError``, which says what is wrong, for a text that is none.
    """
    if isinstance(value, str):
        value = written_out(value)
    found = [GivenPage(_address(item), _text(item), _title(item)) for item in _items(value)]
    pages = [page for page in found if page.address or page.text]
    return pages if any(page.address and page.text for page in pages) else []


def _items(value: Any) -> Iterator[Mapping[str, Any]]:
    """Each page as an object with normalised names."""
    if isinstance(value, dict) and not {normalise_column(name) for name in value}.isdisjoint(TEXTS):
        value = [value]
    if isinstance(value, dict):
        value = [
            {"url": address, **page} if isinstance(page, dict) else {"url": address, "text": page}
            for address, page in value.items()
        ]
    for item in value if isinstance(value, list) else []:
        if isinstance(item, dict):
            yield {normalise_column(name): member for name, member in item.items()}


def _address(item: Mapping[str, Any]) -> str:
    for name in IDENTIFIERS:
        if isinstance(item.get(name), str | int) and (address := identifier(item, name)):
            return " ".join(address.split())
    source = item.get("source")
    if isinstance(source, str) and _ADDRESS.match(source):
        return text_of(item, "source")
    return ""


def _text(item: Mapping[str, Any]) -> str:
    for name in TEXTS:
        value = item.get(name)
        if isinstance(value, list) and value and all(isinstance(part, str) for part in value):
            value = "\n\n".join(value)
        if isinstance(value, str) and value.strip():
            return text_of({name: value}, name)
    return ""


def _title(item: Mapping[str, Any]) -> str:
    value = item.get("title")
    return " ".join(text_of(item, "title").split()) if isinstance(value, str) else ""
