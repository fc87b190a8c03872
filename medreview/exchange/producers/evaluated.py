"""What the logs of evaluations have in common: what an answer was given to read, its prompt, and its scores."""

from collections.abc import Mapping
from typing import Any

from medreview.exchange.imports.answer_records import Turn
from medreview.exchange.imports.json_rows import written_out
from medreview.exchange.imports.listed_citations import given_pages
from medreview.exchange.producers.given import Cite, SourceText, asked, items, member, text_at


def contexts(value: Any, field: str = "contexts") -> tuple[list[Cite], list[SourceText]]:
    """The texts that an answer was given to read, as sources of it and as their texts; none of anything else.

    ``value``: texts, or documents in any shape that :func:`~medreview.exchange.imports.listed_citations.given_pages`
    knows; ``field`` is the name of the field that they are in.
    """
    try:
        pages = [page for page in given_pages([value] if isinstance(value, str) else value, field) if page.text]
    except ValueError:
        return [], []
    cited = {page.address: Cite(page.address, page.title) for page in pages}
    return list(cited.values()), [SourceText(page.address, page.text, page.title, page.whole) for page in pages]


def asked_by(prompt: Any) -> tuple[str, list[Turn]]:
    """The question of a prompt and the turns before it: a text, messages, or messages written out as JSON."""
    if isinstance(prompt, str):
        written = written_out(prompt)
        listed = member(written, "messages") or written
        prompt = listed if any("role" in one for one in items(listed)) else prompt
    return asked(member(prompt, "messages") or prompt)


def scores(value: Any) -> dict[str, Any]:
    """The scores of a list or an object of metrics, by name, each with its reason where it has one."""
    named = value.items() if isinstance(value, dict) else ((text_at(one, "name"), one) for one in items(value))
    return {name: _score(one) for name, one in named if name and one is not None}


def _score(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return value
    found = next((value[name] for name in ("score", "value", "success") if value.get(name) is not None), None)
    reason = text_at(value, "reason") or text_at(value, "explanation") or text_at(value, "comment")
    return {"score": found, "reason": reason} if reason else found
