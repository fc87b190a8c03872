"""A JSON Lines filter: statements and quotations in, evidence and quote statuses out.

    in   {"id", "statement", "source_text"}
    out  {"id", "spans", "highlights", "unsupported", "label", "reasons", "clashes"}
    in   {"id", "quote", "source_text"}
    out  {"id", "status", "spans", "differences"}

One output line for each input line that is not blank, in order, as soon as it is ready. A line that cannot be parsed
gives ``{"id", "line", "error"}``, and the following lines are processed.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import count
from typing import Any, NamedTuple

from medreview.evidence.assess import Assessment, assess
from medreview.evidence.grounding import QuoteIndex, ground
from medreview.evidence.passage_ranking import SourceIndex
from medreview.evidence.terms import Vocabulary

CACHED_SOURCES = 8


class AssessedPair(NamedTuple):
    """A statement, its source, and what the rules found."""

    statement: str
    source: SourceIndex
    assessment: Assessment


Rescore = Callable[[Sequence[AssessedPair]], Sequence[float]]
"""Gives each pair another ``unsupported`` than that of the rules."""


def serve(lines: Iterable[str], words: Vocabulary | None = None) -> Iterator[str]:
    """The output lines, by a vocabulary or the package's.

    Indexes of the last few sources are cached: sort a file by source to build each only once.
    """
    return serve_together(([line] for line in lines), words)


def serve_together(
    batches: Iterable[Sequence[str]], words: Vocabulary | None = None, rescore: Rescore | None = None
) -> Iterator[str]:
    """The same for lines that come several at a time; the pairs of a batch are rescored together."""
    source_index = lru_cache(maxsize=CACHED_SOURCES)(partial(SourceIndex, words=words))
    quote_index = lru_cache(maxsize=CACHED_SOURCES)(QuoteIndex)
    numbers = count(1)
    for batch in batches:
        answers: list[dict[str, Any]] = []
        pairs: dict[int, AssessedPair] = {}
        for line in batch:
            number = next(numbers)
            if not line.strip():
                continue
            case: object = None
            try:
                case = json.loads(line)
                fields = _fields(case)
                if "quote" in fields:
                    answer = _grounded(fields["quote"], quote_index(fields["source_text"]))
                else:
                    index = source_index(fields["source_text"])
                    pair = AssessedPair(fields["statement"], index, assess(fields["statement"], index))
                    pairs[len(answers)] = pair
                    answer = _assessed(pair.assessment)
            except (ValueError, RecursionError) as error:
                answer = {"line": number, "error": str(error) or type(error).__name__}
            answers.append({"id": case.get("id") if isinstance(case, Mapping) else None, **answer})
        if rescore is not None:
            for at, score in zip(pairs, rescore(list(pairs.values())), strict=True):
                answers[at]["unsupported"] = round(score, 6)
        yield from map(json.dumps, answers)


def _fields(case: object) -> dict[str, str]:
    """The text fields of a case. Raises ``ValueError``, which says what is missing."""
    if not isinstance(case, Mapping):
        raise ValueError("a line must be a JSON object")
    wanted = ("quote" if "quote" in case else "statement", "source_text")
    for name in wanted:
        if not isinstance(case.get(name), str):
            raise ValueError(f"{name!r} must be a text")
    return {name: case[name] for name in wanted}


def _assessed(result: Assessment) -> dict[str, Any]:
    return {
        "spans": [[hit.start, hit.end] for hit in result.spans],
        "highlights": [list(span) for span in result.highlights],
        "unsupported": round(result.unsupported, 6),
        "label": result.label,
        "reasons": list(result.reasons),
        "clashes": [
            {"kind": clash.kind, "statement": list(clash.statement_span), "source": list(clash.source_span)}
            for clash in result.clashes
        ],
    }


def _grounded(quote: str, index: QuoteIndex) -> dict[str, Any]:
    result = ground(quote, index)
    return {
        "status": result.status,
        "spans": [list(span) for span in result.spans],
        "differences": [
            {"kind": difference.kind, "quote": list(difference.quote), "source": list(difference.source)}
            for difference in result.differences
        ],
    }
