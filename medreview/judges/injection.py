"""Detection of prompt injection in pages: text that reads like instructions to a model, found by rules, shown to the
reviewer.

A match is not proof, and no match is no guarantee. The protection against a judge that obeys is that support counts
only with a quote that is in the page (``medreview.judges.tasks.verification``); instructions are not evidence.
"""

import sqlite3
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from medreview.judges.disguises import encoded, letters_apart, plain, spellings, unbroken, unseen
from medreview.judges.injection_languages import in_other_languages
from medreview.judges.injection_rules import INSTRUCTIONS
from medreview.judges.opening_scan import ScannedText
from medreview.progress import SILENT, Progress
from medreview.study import Study
from medreview.text import Span

_BATCH: Final = 100
_LONGEST: Final = 120
_MOST: Final = 5
_CONTEXT: Final = 600
_TELLING: Final = (
    "ignore", "disregard", "instruction", "supported", "verified", "confirmed", "language model", "evaluator", "grader",
    "reviewer", "verdict", "label", "prompt", " ai ",
)  # fmt: skip
"""Words of which instructions hold two: without them a text in another spelling is not looked at further."""
_TOGETHER: Final = (
    "ignoreprevious", "ignoreall", "ignoreabove", "ignoretheabove", "previousinstruction", "answersupported",
    "assupported", "issupported", "labelsupported", "verdictsupported", "marksupported", "ratesupported",
    "saysupported", "supportedverdict", "languagemodel", "systemprompt", "systemmessage", "aireviewer", "aijudge",
    "automatedreviewer", "evaluatorsmust", "reviewersmust", "judgesmust", "gradersmust",
)  # fmt: skip
"""What instructions hold when their words are written together."""


def instructions_in(text: str) -> list[str]:
    """The parts of a text that read like instructions to a model, in order, without duplicates; hidden ones decoded."""
    found: dict[str, None] = {}
    for words in (*_hidden_text(text), *_visible_instructions(text)):
        found.setdefault(" ".join(words.split())[:_LONGEST])
    return list(found)


@lru_cache(maxsize=512)  # what stands around a quote that several judges give, for one statement and the next
def quotes_instructions(quote: str) -> bool:
    """Whether a quote contains such instructions: then it is not evidence."""
    return next(_hidden_text(quote), None) is not None or next(_visible_instructions(quote), None) is not None


def among_instructions(text: str, span: Span) -> bool:
    """Whether the paragraph around a range contains such instructions: a sentence dictated there is not evidence."""
    start = max(text.rfind("\n", 0, span.start) + 1, span.start - _CONTEXT)
    stop = text.find("\n", span.end)
    return quotes_instructions(text[start : min(stop if stop >= 0 else len(text), span.end + _CONTEXT)])


def mark_snapshots(study: Study, progress: Progress = SILENT) -> int:
    """Fill ``snapshot.instructions`` where it is NULL; the number of these pages with such instructions."""
    waiting = [row[0] for row in study.reader.execute("SELECT snapshot_id FROM snapshot WHERE instructions IS NULL")]
    if waiting:
        progress.begin("page check", len(waiting))
    marked = 0
    for first in range(0, len(waiting), _BATCH):
        some = waiting[first : first + _BATCH]
        marks = ", ".join("?" * len(some))
        rows = study.reader.execute(
            f"SELECT snapshot_id, title, text, full_text FROM snapshot WHERE snapshot_id IN ({marks})", some
        )
        made = [(" · ".join(_of_page(row)[:_MOST]), row["snapshot_id"]) for row in rows]
        study.write(
            lambda db, made=made: db.executemany("UPDATE snapshot SET instructions = ? WHERE snapshot_id = ?", made)  # type: ignore[misc]
        )
        marked += sum(bool(words) for words, _ in made)
        progress.step(len(some))
    return marked


def _of_page(row: sqlite3.Row) -> list[str]:
    """What speaks to a judge in a page: in its text, in what the text leaves out, in its title."""
    whole = row["full_text"] if row["full_text"] and row["full_text"] != row["text"] else ""
    return list(dict.fromkeys(words for text in (row["text"], whole, row["title"]) for words in instructions_in(text)))


def _hidden_text(text: str) -> Iterator[str]:
    """Text in characters that nobody sees; emoji flags of regions also use some and are ignored."""
    return (f"hidden: {words}" for words in unseen(text))


def _visible_instructions(text: str) -> Iterator[str]:
    words = plain(text)
    joined = unbroken(words)
    scanned = ScannedText(words)
    for one in (scanned,) if joined == words else (scanned, ScannedText(joined)):
        for match in INSTRUCTIONS.finditer(one):
            yield match[0].strip()
    yield from in_other_languages(scanned)
    for other in spellings(words):
        lower = other.lower()
        if sum(word in lower for word in _TELLING) < 2:
            continue
        for match in INSTRUCTIONS.finditer(ScannedText(other)):
            # What reads the same in both is no disguise; backwards nothing stands where it stood.
            if words[match.start() : match.end()] != match[0]:
                yield match[0].strip()
    for decoded in encoded(words):
        lower = decoded.lower()
        if any(word in lower for word in _TELLING) or next(in_other_languages(ScannedText(decoded)), None):
            yield f"encoded: {decoded}"
    for letters in letters_apart(words):
        if any(phrase in letters.lower() for phrase in _TOGETHER):
            yield f"letters apart: {letters}"
