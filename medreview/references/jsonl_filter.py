"""A JSON Lines filter: printed references in, what authorities know of them out.

    in   {"id", "reference"}
    out  {"id", "verdict", "record", "authority", "differences", "slips", "candidates", "because", "notices", "asked"}

One output line for each input line that is not blank, in order, as soon as it is ready. A line that cannot be used
gives ``{"id", "line", "error"}``, and the following lines are answered.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from medreview.references.model import FieldDifference, Record, Reference, ReferenceCheck, citation_line
from medreview.references.printed.parse import read_one

Check = Callable[[Sequence[Reference]], Iterable[ReferenceCheck]]
"""Checks of references, in their order."""

LONGEST: Final = 20_000
"""Characters of one reference; a longer text is a document, not a reference."""


def serve(lines: Iterable[str], check: Check, together: int = 1) -> Iterator[str]:
    """The output lines; ``together``: so many references are checked at once, where services are asked for them."""
    numbered = ((number, line) for number, line in enumerate(lines, 1) if line.strip())
    while batch := list(islice(numbered, together)):
        cases = [_case(number, line) for number, line in batch]
        asked = [case[1] for case in cases if isinstance(case[1], Reference)]
        checks = iter(check(asked)) if asked else iter(())
        for name, told in cases:
            answer = answered(next(checks)) if isinstance(told, Reference) else told
            yield json.dumps({"id": name, **answer})


def answered(check: ReferenceCheck) -> dict[str, Any]:
    """A check as an output line has it."""
    record = check.record
    return {
        "verdict": check.verdict,
        "record": None if record is None else record.record_id,
        "authority": None if record is None else record.authority,
        "differences": [_difference(one) for one in check.wrong],
        "slips": [_difference(one) for one in check.slips],
        "candidates": [_candidate(one) for one in check.candidates],
        "because": check.because,
        "notices": [] if record is None else [notice._asdict() for notice in record.notices],
        "asked": [one._asdict() for one in check.asked],
    }


def _case(number: int, line: str) -> tuple[object, Reference | dict[str, Any]]:
    """The id of a line, and its reference, or what is wrong with it."""
    case: object = None
    try:
        case = json.loads(line)
        if not isinstance(case, Mapping):
            raise ValueError("a line must be a JSON object")
        text = case.get("reference")
        if not isinstance(text, str):
            raise ValueError("'reference' must be a text")
        if len(text) > LONGEST:
            raise ValueError(f"'reference' has more than {LONGEST:,} characters")
        return case.get("id"), read_one(text)
    except (ValueError, RecursionError) as error:
        name = case.get("id") if isinstance(case, Mapping) else None
        return name, {"line": number, "error": str(error) or type(error).__name__}


def _difference(one: FieldDifference) -> dict[str, str]:
    return {"field": one.field, "reference": one.reference, "record": one.record, "why": one.why}


def _candidate(record: Record) -> dict[str, Any]:
    return {"record": record.record_id, "authority": record.authority, "citation": citation_line(record)}
