"""Conversations: the branch that the user saw last, each answer in it with what was said before, and its text without
what the chat program keeps in it for itself."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from medreview.exchange.imports.answer_records import Turn
from medreview.exchange.producers.given import Cite, Conversation, Given, role_of, texts_in


def branch(parents: Mapping[str, Any], leaf: Any) -> list[str]:
    """The names of the messages from the first to a leaf; ``parents``: name -> name of the message before.

    Where no message has the leaf's name, the leaf is the last one that nothing follows.
    """
    if not _is_name(leaf) or leaf not in parents:
        followed = set(filter(_is_name, parents.values()))
        leaf = next((name for name in reversed(list(parents)) if name not in followed), None)
    found: dict[str, None] = {}
    while _is_name(leaf) and leaf in parents and leaf not in found:
        found[leaf] = None
        leaf = parents[leaf]
    return list(reversed(found))


def _is_name(value: Any) -> bool:
    return isinstance(value, str)


def each_answer(said: Iterable[Turn | Given], of: Conversation) -> Iterator[Given]:
    """Each answer of a conversation with its question, which is the user's last turn, and the turns before that.

    ``said``: turns, and answers of which these two are not known yet, in their order.
    """
    before: list[Turn] = []
    for one in said:
        if isinstance(one, Turn):
            before.append(one)
            continue
        last = max((at for at, turn in enumerate(before) if turn.role == "user"), default=-1)
        question = before[last].text if last >= 0 else ""
        yield replace(one, question=question, turns=before[: max(last, 0)], conversation=of)
        before.append(Turn("assistant", one.response))


def spoken(message: Mapping[str, Any]) -> Turn | Given:
    """A message with a role (or type) and a content: an answer of the assistant, or a turn."""
    role = role_of(message.get("role") or message.get("type"))
    text = "\n".join(texts_in(message.get("content", message.get("text"))))
    said = role == "assistant" and text.strip()
    return Given(response=text, created=message.get("createdAt")) if said else Turn(role, text)


class CutText:
    """A text with some of its stretches cut or replaced; :meth:`at` says where an offset of the whole text is now."""

    def __init__(self, text: str, cuts: Iterable[tuple[int, int, str]]) -> None:
        """``cuts``: start, end and what stands there instead; of two that overlap the first one counts."""
        self._ends, self._shifts, parts = [0], [0], []
        self._cuts: list[tuple[int, int, int]] = []
        done = shift = 0
        for start, end, instead in sorted(cuts):
            if start < done:
                continue
            parts += [text[done:start], instead]
            self._cuts.append((start, end, start + shift))
            shift += len(instead) - (end - start)
            done = end
            self._ends.append(end)
            self._shifts.append(shift)
        self.text = "".join([*parts, text[done:]])

    def at(self, offset: int) -> int:
        """Where an offset is now; one inside a stretch that was cut is where that began."""
        found = bisect_right(self._ends, offset) - 1
        if found < len(self._cuts) and self._cuts[found][0] < offset:
            return self._cuts[found][2]
        return offset + self._shifts[found]


def moved(cites: Iterable[Cite], at: Callable[[int], int]) -> list[Cite]:
    """Citations with their places moved to where ``at`` says that an offset is now."""
    return [
        one if one.start is None or one.end is None else one._replace(start=at(one.start), end=at(one.end))
        for one in cites
    ]


_ASIDE: Final = re.compile(
    r"<details\s+type=\"(?P<kind>reasoning|tool_calls|code_interpreter)\"[^>]*>.*?(?:</details>|\Z)\s*"
    r"|<(?P<tag>think|thinking|antThinking)>.*?(?:</(?P=tag)>|\Z)\s*"
    r"|^:::thinking\s.*?^:::\s*",
    re.DOTALL | re.MULTILINE,
)


def asides(text: str) -> list[tuple[int, int, str]]:
    """What chat programs write into the text of an answer for its reasoning and for calls of tools, as stretches to
    cut."""
    return [(found.start(), found.end(), "") for found in _ASIDE.finditer(text)]


def what_asides(text: str) -> list[str]:
    """What these stretches are, as ``Given.left`` names it."""
    return ["reasoning" if (found["kind"] or "reasoning") == "reasoning" else "tool call"
            for found in _ASIDE.finditer(text)]  # fmt: skip


_PRIVATE: Final = re.compile(
    "\ue200(?P<says>[^\ue200\ue201]{0,2000})\ue201|\ue200[^\ue200\ue201\\s]*\\Z|\ue202turn\\d+[a-z_]+\\d+|[\ue200-\ue2ff]"
)
"""A mark in private characters, which a chat program draws as a link: its kind and what it stands for, with a private
character between."""
_NAMED: Final = ("entity", "url", "navlist")
"""Kinds of marks that stand for words."""
_QUOTED: Final = re.compile(r'"((?:[^"\\]|\\.)*)"')


def private_marks(text: str) -> Iterator[re.Match[str]]:
    """The marks in private characters, in order."""
    return _PRIVATE.finditer(text)


def cut_of(mark: re.Match[str], instead: str = "") -> tuple[int, int, str]:
    """The stretch to cut for a mark: with the blank before it, or with the words that it stands for in its place."""
    kind, *rest = (mark["says"] or "").split("\ue202")
    if not instead and kind in _NAMED and rest:
        quoted = _QUOTED.findall(rest[0])
        instead = quoted[min(1, len(quoted) - 1)] if quoted else rest[0] if kind == "url" else ""
    text, start, end = mark.string, mark.start(), mark.end()
    blank = not instead and text[max(0, start - 1) : start] == " "
    alone = not text[end : end + 1].strip() or text[end] in ".,;:!?)\ue200\ue202"
    return start - (blank and alone), end, instead
