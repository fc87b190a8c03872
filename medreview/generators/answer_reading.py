"""What a model's output is as an answer: its text and its list of sources, or why it is none.

The object that was asked for is the usual case. An object with other names, and prose with addresses in it, are answers
just as well (SourceCheckup takes the URLs out of the text where there is no list).
"""

import json
import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from medreview.citations import extract
from medreview.exchange.imports.answer_records import FIELDS
from medreview.exchange.imports.listed_citations import citations_of
from medreview.generators.ask import Checked
from medreview.labels import Invalid
from medreview.llm.parse import parse, unwrapped
from medreview.text import real_lines

_TEXTS: Final = FIELDS["response"]
_LISTS: Final = ("sources", *FIELDS["citations"], "references", "urls", "links")
_ANY_FORM: Final = {"type": "object", "properties": {name: {} for name in (*_TEXTS, *_LISTS)}}
_BEGUN: Final = re.compile(rf'"(?:{"|".join(_TEXTS)})"\s*:\s*"((?:[^"\\]|\\.)*)', re.DOTALL)
_ECHO: Final = re.compile(r"<<<(?:end of )?question [0-9a-f]{16}")
"""A line of the fence that stood around the question."""


class ReadAnswer(NamedTuple):
    """An answer as it is kept: ``invalid`` says why it is none (``labels.INVALID``), ``""`` when it is one."""

    text: str
    sources: tuple[str, ...] = ()
    invalid: Invalid = ""


def read_output(status: str, output: str) -> dict[str, Any]:
    """The object that an output comes to which satisfies no schema: ``response``, ``sources``, ``None`` without a list.

    ``status`` is that of ``llm.call``; ``code`` says why it is no whole answer, if that is known.
    """
    bare = unwrapped(output.strip())
    parsed = parse(output, _ANY_FORM)
    if status == "truncated":
        found = {} if parsed.value is None else dict(parsed.value)
        return {"response": _text(found) or _begun(bare), "sources": None, "code": "cut_off"}
    if parsed.value is not None:
        text = _text(parsed.value)
        wrong = text is None and any(parsed.value.get(name) not in (None, "") for name in _TEXTS)
        other = text is None and (wrong or not any(name in parsed.value for name in _TEXTS))
        return {
            "response": bare if other else text or "",
            "sources": _sources(parsed.value),
            "code": "wrong_form" if other else "",
        }
    if bare.startswith(("{", "[")) or parsed.found:
        return {"response": _begun(bare), "sources": None, "code": "cut_off"}
    return {"response": bare, "sources": None, "code": ""}


def check_answer(value: Mapping[str, Any], question: str) -> Checked:
    """Whether it is an answer: with a text, whole, and with a list of sources, be it empty, or an address in the text.

    What it says is not looked at: that is what reviewers do.
    """
    text = real_lines(str(value["response"])).strip()
    sources, code = value["sources"], value.get("code", "")
    if not text:
        return Checked(("empty",), ReadAnswer("", (), "empty"))
    if _folded(text) == _folded(question) or _ECHO.search(text):
        code = "copy_of_the_question"
    elif not code and sources is None and not extract(text):
        code = "no_list_and_no_address"
    if code:
        return Checked((code,), ReadAnswer(text, (), "incomplete"))
    return Checked((), ReadAnswer(text, _listed(sources or ())))


def _text(found: Mapping[str, Any]) -> str | None:
    return next((found[name] for name in _TEXTS if isinstance(found.get(name), str)), None)


def _sources(found: Mapping[str, Any]) -> tuple[str, ...] | None:
    """The list of sources in any form in which records have one; ``None`` where there is none."""
    told = next((found[name] for name in _LISTS if found.get(name) is not None), None)
    if told is None or told == "":
        return None
    try:
        return citations_of({"citations": told})
    except ValueError:
        return None


def _listed(sources: Any) -> tuple[str, ...]:
    return tuple(one for source in sources if (one := " ".join(str(source).split())))


def _begun(cut: str) -> str:
    """The text of an object that was cut off, as far as it goes; the whole where there is no object."""
    if not cut.startswith("{"):
        return cut
    begun = _BEGUN.search(cut)
    if begun is None:
        return ""
    try:
        return str(json.loads(f'"{begun[1]}"', strict=False))
    except ValueError:  # cut within an escape
        return begun[1]


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
