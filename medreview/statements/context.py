"""What a statement needs of the text before it: the introduction of its list, what "it" refers to.

The statement keeps its text and place; this is shown beside it.
"""

import re
from collections.abc import Iterator
from typing import Final

from medreview.statements.blocks import Block, blocks
from medreview.statements.content import without_marks
from medreview.statements.marks import CitationIndex
from medreview.statements.sentences import sentence_spans
from medreview.text import Span, with_line_ends

_PRONOUN: Final = re.compile(
    r"[\W_]*(?:it|its|it['’]s|they|their|this|these|those|he|she|his|her|such|both|neither|the\s(?:latter|former|same))\b",
    re.IGNORECASE,
)
_IT_IS_THAT: Final = re.compile(
    r"""[\W_]*it(?:['’]s|\s(?:is|was|may\sbe|can\sbe|should\sbe|seems|remains))\s(?:\w+ly\s|not\s|very\s|also\s)?
      (?:\w+\sthat|(?:advisable|best|better|common|critical|crucial|difficult|easy|essential|good|helpful|important|necessary
        |normal|possible|prudent|rare|reasonable|recommended|safe|sensible|unclear|unusual|useful|vital|wise)
        \s(?:to|for|if|whether))\b""",
    re.IGNORECASE | re.VERBOSE,
)
"""Here "it" refers to nothing before: "It is important to ..."."""
_MOST_BACK: Final = 4
_EMPHASIS: Final = re.compile(r"\*\*|__|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)|^#{1,6}\s+|\s*\|\s*\Z|\A\s*\|\s*")


class Contexts:
    """What stands before the statements of one response."""

    def __init__(self, response: str) -> None:
        self._text = with_line_ends(response)
        self._blocks = blocks(self._text, CitationIndex(self._text, ()))

    def of(self, place: Span) -> str:
        """What a statement that begins at a place needs: the introduction, then what it refers to; or ``""``."""
        at = next((n for n, block in enumerate(self._blocks) if block.start <= place.start < block.end), None)
        if at is None:
            return ""
        parts = [*self._introductions(at)][::-1]
        if (meant := self._meant(at, place)) is not None:
            parts.append(meant)
        return " ".join(dict.fromkeys(filter(None, map(_plain, parts))))

    def _introductions(self, at: int) -> Iterator[str]:
        """From the nearest on: the items that an item stands below, what leads into its list; a table's head."""
        block = self._blocks[at]
        if block.shape not in ("item", "row"):
            return
        indent = block.indent
        for before in reversed(self._blocks[:at]):
            if before.shape == "item" and block.shape == "item":
                if before.indent < indent:
                    indent = before.indent
                    yield self._last_sentence(before)
            elif before.shape == "heading":
                yield self._text[before.start : before.end]
                return
            elif before.shape != block.shape:
                lead = self._last_sentence(before)
                if before.shape == "prose" and lead.rstrip("*_ ").endswith((":", "：")):
                    yield lead
                return

    def _last_sentence(self, block: Block) -> str:
        *_, last = sentence_spans(self._text, block.start, block.end)
        return self._text[last.start : last.end]

    def _meant(self, at: int, place: Span) -> str | None:
        """The last sentence before a place that begins with no pronoun, where the one there does."""
        block = self._blocks[at]
        ends = (place.start, block.end)
        if not _PRONOUN.match(self._text, *ends) or _IT_IS_THAT.match(self._text, *ends):
            return None
        earlier = [block]
        if block.shape == "prose" and at and self._blocks[at - 1].shape == "prose":
            earlier.insert(0, self._blocks[at - 1])
        sentences = [span for one in earlier for span in sentence_spans(self._text, one.start, one.end)]
        for span in [span for span in sentences if span.end <= place.start][: -_MOST_BACK - 1 : -1]:
            if not _PRONOUN.match(self._text, span.start, span.end):
                return self._text[span.start : span.end]
        return None


def _plain(text: str) -> str:
    return " ".join(_EMPHASIS.sub("", without_marks(text).strip()).split()).replace(" .", ".")
