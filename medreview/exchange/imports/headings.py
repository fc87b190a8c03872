"""Several answers in one text, each below a heading with its question: found, and split where the user says so.

Headings are lines such as ``Question: ...``, ``Q7. ...`` and ``## Question 3``, or Markdown headings of one level.
A list of references or footnotes at the end goes to each answer, as far as it cites them.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, NamedTuple

_ASKED: Final = re.compile(
    r"""[ \t]{0,3}(?:\#{1,6}[ \t]+)?(?:\*\*|__)?
    (?:(?:question|prompt|query|frage|pregunta)[ \t]*(?:(?:no\.?|nr\.?|\#)[ \t]*)?
       (?:\d{1,3}[ \t]*(?:[:.)–-]|(?=\**[ \t]*$))|:)
      |(?-i:Q)[ \t]?(?:\d{1,3}[ \t]*(?:[:.)–]|(?=\**[ \t]*$))|:))
    (?:\*\*|__)?[ \t]*(?P<rest>.*)$""",
    re.IGNORECASE | re.VERBOSE,
)
_HEADING: Final = re.compile(r"[ \t]{0,3}(#{1,6})[ \t]+(\S.*?)[ \t]*#*$")
_ANSWER: Final = re.compile(r"[ \t]*(?:\*\*|__)?(?:answer|response|antwort)\b", re.IGNORECASE)
_NOTE: Final = re.compile(r"\[\^(\d{1,3})\]:[ \t]")
_ENTRY: Final = re.compile(r"[ \t]*(?:[-*][ \t]+)?(?:\[\^?(\d{1,3})\]:?|(\d{1,3})[.)])[ \t]")
_MARK: Final = re.compile(r"\[\^?\d{1,3}(?:\s?[,;–-]\s?\^?\d{1,3}){0,30}\]")
_RANGE: Final = re.compile(r"(\d+)\s?[–-]\s?(\d+)")
_LONGEST_RANGE: Final = 50

_SPLIT: Final[ContextVar[bool]] = ContextVar("split_at_headings", default=False)
"""Set for one command or call: all readers of a file below it must see the same answers."""


@contextmanager
def splitting_at_headings(split: bool = True) -> Iterator[None]:
    """Within the block a text with several headings is read as several answers."""
    before = _SPLIT.set(split)
    try:
        yield
    finally:
        _SPLIT.reset(before)


def is_splitting() -> bool:
    """Whether texts are split at their headings."""
    return _SPLIT.get()


class Section(NamedTuple):
    """A heading with its question, its place among the lines (from 0), and the lines below it."""

    start: int
    question: str
    lines: list[str]


def sections_of(lines: Sequence[str]) -> list[Section]:
    """The sections of a text with a heading for each answer; none where fewer than two headings are alike."""
    marks = _asked(lines) or _of_one_level(lines)
    if len(marks) < 2:
        return []
    notes = {int(note[1]): line for line in lines if (note := _NOTE.match(line))}
    found: list[Section] = []
    for (start, question), (end, _) in zip(marks, [*marks[1:], (len(lines), "")], strict=True):
        body = [line for line in lines[start + 1 : end] if not _NOTE.match(line)]
        found.append(Section(start, *_question_and_body(question, body)))
    shared = found.pop() if len(found) > 2 and _is_list(found[-1].lines) else None
    if shared is not None:
        entries = _entries(shared.lines)
        by = False if notes else None
        found = [section._replace(lines=_with(section.lines, entries, shared.question, by)) for section in found]
    return [section._replace(lines=_with(section.lines, notes, "", True)) for section in found]


def count_questions(lines: Sequence[str]) -> int:
    """How many answers a text seems to hold: headings that ask something; 0 where it does not look like several.

    Headings of one level are parts of one answer more often than not, unless most of them are questions.
    """
    marks = _asked(lines)
    if len(marks) < 2:
        marks = _of_one_level(lines)
        asking = [question for _, question in marks if question.rstrip("*_ ").endswith("?")]
        marks = marks if 2 * len(asking) > len(marks) else []
    return len(sections_of(lines)) if len(marks) > 1 else 0


def _asked(lines: Sequence[str]) -> list[tuple[int, str]]:
    found = [(number, mark["rest"]) for number, line in enumerate(lines) if (mark := _ASKED.match(line))]
    return found if len(found) > 1 else []


def _of_one_level(lines: Sequence[str]) -> list[tuple[int, str]]:
    """The headings of the highest level that occurs twice; before them the first line of the text, where it asks
    something and an answer stands below it: documents make their first heading the highest."""
    fenced = False
    found: dict[int, list[tuple[int, str]]] = {}
    for number, line in enumerate(lines):
        fenced ^= line.lstrip().startswith("```")
        if not fenced and (heading := _HEADING.match(line)):
            found.setdefault(len(heading[1]), []).append((number, heading[2].strip("*_ ")))
    marks = next((found[level] for level in sorted(found) if len(found[level]) > 1), [])
    every = sorted(heading for headings in found.values() for heading in headings)
    if not marks and len(every) == 2 and every[1][1].endswith("?"):
        marks = every[1:]
    if marks and every[1:2] == marks[:1]:
        (number, question), (following, _) = every[:2]
        has_answer = any(map(str.strip, lines[number + 1 : following]))
        if has_answer and question.endswith("?") and not any(map(str.strip, lines[:number])):
            return [every[0], *marks]
    return marks if len(marks) > 1 else []


def _question_and_body(question: str, body: list[str]) -> tuple[str, list[str]]:
    """The question, which may stand in the lines below its heading, and what follows it."""
    question = question.strip("*_ \t")
    if question:
        return question, body
    first = next((number for number, line in enumerate(body) if line.strip()), len(body))
    end = first
    while end < len(body) and body[end].strip() and not _ANSWER.match(body[end]):
        end += 1
    return " ".join(line.strip() for line in body[first:end]), body[end:]


def _is_list(lines: Sequence[str]) -> bool:
    """Whether the lines below a heading are the numbered entries of a list."""
    texts = [line for line in lines if line.strip()]
    return bool(texts) and 2 * sum(_ENTRY.match(line) is not None for line in texts) > len(texts)


def _entries(lines: Sequence[str]) -> dict[int, str]:
    """The entries of a list of references by their numbers."""
    found: dict[int, str] = {}
    number = 0
    for line in lines:
        if label := _ENTRY.match(line):
            number = int(label[1] or label[2])
            found[number] = line
        elif number and line.strip():
            found[number] += f" {line.strip()}"
    return found


def _with(lines: list[str], entries: dict[int, str], title: str, notes: bool | None) -> list[str]:
    """The lines, and after them those entries whose numbers are cited in them: by ``[^1]`` where they are ``notes``, by
    ``[1]`` where they are not, by both where ``None`` says that the text has no notes."""
    cited: set[int] = set()
    for mark in (mark[0] for line in lines for mark in _MARK.finditer(line)):
        if notes is None or notes == ("^" in mark):
            cited |= {int(number) for number in re.findall(r"\d+", mark)}
            for low, high in _RANGE.findall(mark):
                cited |= set(range(int(low), min(int(high), int(low) + _LONGEST_RANGE) + 1))
    used = [entry for number, entry in sorted(entries.items()) if number in cited]
    return [*lines, "", *([f"## {title}", ""] if title else []), *used] if used else lines
