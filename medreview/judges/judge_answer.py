"""What a judge's answer on a statement and a page says (several quotes, what is missing, the opposite), and means.

Of the prompts ``source_verification`` and ``merged_verification`` from version 2 on, so that the same counts by all
sources together as by one; an answer of version 1 has its quotes, and nothing of the rest.
Three rules are here and nowhere else.

**One status for all quotes** (:func:`located`). Each is looked up by itself. The gravest status is that of the
judgement: it is ``absent`` as soon as one of them is not on the page. The same holds for what speaks against them as a
proof, with one exception: beside a quote that proves the statement, one that is off topic or too short to be placed
counts for nothing, since each of several quotes may show another part of the statement.

**Label and opposite** (:func:`comes_to`). The judge is asked twice whether the page contradicts the statement: by the
label, and by ``opposes``. Where the two differ:

- ``partial`` or ``not_addressed``, and the page says the opposite in a quote that stands there: ``contradicted``;
- the same with a quote that does not stand there: the label;
- ``contradicted``, and the page does not say the opposite: not supported, without a level;
- ``supported``, and the page says the opposite: no verdict, with the doubt ``opposed``.

**Support of a part.** ``supported`` with a ``missing`` part keeps its verdict and has the doubt ``part_missing``: the
judge itself names what the page does not state, which a reviewer would look for last. ``partial`` without one is left
alone: the page may say all of it less strongly.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from medreview.judges.quote_grounding import Grounded
from medreview.judges.votes import mapped
from medreview.labels import DISPROVING_DOUBTS, PROVEN_QUOTES, QUOTE_DOUBTS
from medreview.text import Span

MOST_QUOTES: Final = 12
"""Quotes of one answer; a judge that copies the whole page points to no place in it."""
APART: Final = " … "
"""Between several quotes where they are one text."""

_GRAVEST_FIRST: Final = ("absent", "altered", "other_source", "too_short", "near", "normalised", "exact")
_LONGEST_MISSING: Final = 4_000
"""Characters of a missing part that is looked for in its statement; a longer one is no part of it."""
_ELLIPSIS: Final = re.compile(r"\s*(?:…|\.\s?\.\s?\.)\s*")
_AROUND: Final = " \t\n.,;:\"'“”‘’()[]"


class JudgeAnswer(NamedTuple):
    """``quotes``: each once, without empty ones. ``missing``: the part of the statement that the page does not state.
    ``opposes``: whether it says the opposite, in the quote ``opposing``; ``None`` where the judge was not asked."""

    quotes: tuple[str, ...] = ()
    missing: str = ""
    opposes: bool | None = None
    opposing: str = ""


def answer_in(value: Mapping[str, Any]) -> JudgeAnswer:
    """Read an answer in the form of any version, or of a prompt of the user's own with other types.

    Raises ``ValueError`` for more than :data:`MOST_QUOTES` quotes.
    """
    given = (value["quotes"] if "quotes" in value else value.get("quote")) or []
    given = given if isinstance(given, list) else [given]
    quotes = tuple(dict.fromkeys(quote for quote in map(str, given) if quote.strip()))
    if len(quotes) > MOST_QUOTES:
        raise ValueError(f"has {len(quotes):,} quotes; at most {MOST_QUOTES} are looked up")
    opposes = value.get("opposes")
    opposes = opposes if isinstance(opposes, bool) else None
    opposing = str(value.get("opposing_quote") or "") if opposes else ""
    return JudgeAnswer(quotes, str(value.get("missing") or "").strip(), opposes, opposing.strip() and opposing)


class LocatedQuote(NamedTuple):
    """A quote with where it stands; ``opposes``: it is what the page says against the statement."""

    quote: str
    found: Grounded
    opposes: bool = False


class LocatedAnswer(NamedTuple):
    """An answer whose quotes were looked up; ``status`` and ``doubt`` are those of all of them together."""

    answer: JudgeAnswer = JudgeAnswer()
    quotes: tuple[LocatedQuote, ...] = ()
    status: str = "none"
    doubt: str | None = None

    @property
    def proves(self) -> bool:
        """Whether it proves support."""
        return self.status in PROVEN_QUOTES and self.doubt not in DISPROVING_DOUBTS

    @property
    def opposite_shown(self) -> bool:
        """Whether the opposite stands on the page, as a reader sees it."""
        return any(one.opposes and one.found.proves for one in self.quotes)


def located(answer: JudgeAnswer, look: Callable[[str, bool], Grounded], *, supports: bool) -> LocatedAnswer:
    """Look up every quote with ``look``, which is told whether it stands against the statement.

    ``supports``: the label says that the page supports the statement.
    """
    asked = [(quote, quote == answer.opposing) for quote in answer.quotes]
    if answer.opposing and answer.opposing not in answer.quotes:
        asked.append((answer.opposing, True))
    quotes = tuple(LocatedQuote(quote, look(quote, against), against) for quote, against in asked)
    found = [one.found for one in quotes]
    if any(one.found.proves and not one.opposes for one in quotes):
        found = [one for one in found if one.status != "too_short" and one.doubt != "off_topic"]
    status = min((one.status for one in found), key=_GRAVEST_FIRST.index, default="none")
    return LocatedAnswer(answer, quotes, status, _doubt(answer, found, supports=supports))


def _doubt(answer: JudgeAnswer, found: Sequence[Grounded], *, supports: bool) -> str | None:
    doubts = {one.doubt for one in found if one.doubt is not None}
    if not supports:
        return None
    if answer.opposes:
        doubts.add("opposed")
    elif answer.missing:
        doubts.add("part_missing")
    return next((doubt for doubt in (*QUOTE_DOUBTS[1:], "none") if doubt in doubts), None)


def comes_to(label: str, given: LocatedAnswer) -> tuple[str | None, bool | None]:
    """Verdict and support of a raw label beside what else the answer says; ``(None, None)`` for an abstention."""
    verdict, supported = mapped(label) or (None, None)
    opposes = given.answer.opposes
    if supported:
        return (verdict, supported) if given.proves else (None, None)
    if opposes is None or supported is None:
        return verdict, supported
    if opposes:
        return ("contradicted", False) if given.opposite_shown else (verdict, supported)
    return (None, False) if verdict == "contradicted" else (verdict, supported)


def places_in(statement: str, missing: str) -> tuple[Span, ...]:
    """Where the missing part stands in its statement: its words in order, or each of the parts that an ellipsis joins;
    ``()`` where one of them does not."""
    parts = [part.strip(_AROUND) for part in _ELLIPSIS.split(missing)] if len(missing) <= _LONGEST_MISSING else []
    words = [part.split() for part in parts if part]
    found = [re.search(r"\s+".join(map(re.escape, each)), statement, re.IGNORECASE) for each in words]
    return tuple(Span(*one.span()) for one in found if one) if all(found) else ()


def answer_columns(given: LocatedAnswer, statement: str) -> dict[str, Any]:
    """The columns of the table ``judgement`` that hold all of it."""
    quotes = given.quotes
    several = len(quotes) > 1 or any(one.opposes for one in quotes)
    spans = [span for one in quotes for span in one.found.spans]
    differences: list[dict[str, Any]] = []
    start = 0
    for one in quotes:
        differences += [
            {**each, "quote": [place + start for place in each["quote"]]} for each in differences_of(one.found)
        ]
        start += len(one.quote) + len(APART)
    return {
        **whole_columns(given, statement),
        "quote_status": given.status,
        "quote_start": spans[0].start if spans else None,
        "quote_end": spans[0].end if spans else None,
        "quote_more": json.dumps(spans[1:]),
        "differences": json.dumps(differences),
        "quote": APART.join(one.quote for one in quotes),
        "quotes": json.dumps([quote_fields(one) for one in quotes] if several else [], ensure_ascii=False),
    }


def whole_columns(given: LocatedAnswer, statement: str) -> dict[str, Any]:
    """The columns of what the answer says as a whole, by one page or by several together."""
    return {
        "quote_doubt": given.doubt,
        "opposes": given.answer.opposes,
        "missing": given.answer.missing,
        "missing_at": json.dumps(places_in(statement, given.answer.missing)),
    }


def quote_fields(one: LocatedQuote) -> dict[str, Any]:
    """One of several quotes, for a column of JSON."""
    found = one.found
    return {
        "quote": one.quote,
        "status": found.status,
        "doubt": found.doubt,
        "spans": found.spans,
        "differences": differences_of(found),
        "opposes": one.opposes,
    }


def differences_of(found: Grounded) -> list[dict[str, Any]]:
    """What a quote has otherwise than its page, for a column. Wording that changes nothing is not marked."""
    differences = found.grounding.differences if found.grounding else ()
    return [
        {"kind": pair.kind, "quote": list(pair.quote), "source": list(pair.source)}
        for pair in differences
        if pair.kind != "wording"
    ]
