"""Texts: patterns compiled at their first use, places in a text, numbers and stored names in sentences.

Places are 0-based, half-open ranges of Unicode code points. To compile the patterns of a first screen took a tenth of
its start.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple, cast


def lazy_pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """What ``re.compile`` gives, as far as its methods go; a mistake in it shows at the first use.

    Once used, a method is found faster than that of a compiled one.
    """
    return cast("re.Pattern[str]", _WhenUsed(source, flags))


class _WhenUsed:
    def __init__(self, source: str, flags: int) -> None:
        self._told = source, flags

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(*self._told), name)
        setattr(self, name, found)
        return found


_BREAK: Final = lazy_pattern(
    r"""</?(?P<tag>br|p|div|li|ul|ol|tr|h[1-6])(?:\s[^<>]{0,200})?/?>
      |(?P<escaped>(?:\\r)?\\n(?!(?-i:[a-z]))|(?<=[.!?:;])(?:\\r)?\\n)""",
    re.IGNORECASE | re.VERBOSE,
)

NOT_IN_ADDRESS: Final = (
    r"""\s<>"`|^\x00-\x1f\x7f-\x9f\u00ad“”„‟«»‹›「」『』（）【】《》〈〉。，、；：！？…—"""
    r"""\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff"""
)
"""For a class of a pattern: the characters that an address in running text does not contain; nor does a backslash."""


class Span(NamedTuple):
    """A half-open range of code points in one stored text."""

    start: int
    end: int

    def __bool__(self) -> bool:
        """False for an empty range."""
        return self.end > self.start

    def overlap(self, other: "Span") -> int:
        """Number of code points that both ranges cover."""
        return max(0, min(self.end, other.end) - max(self.start, other.start))


def normalise_newlines(text: str) -> str:
    """CRLF and lone CR become LF. Done once, before a text is hashed and stored; nothing is normalised later."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def folded(text: str) -> str:
    """A text without what makes no other text of it: case, and how it is spaced."""
    return " ".join(text.casefold().split())


def joined(text: str, parts: Iterable[tuple[int, int]]) -> str:
    """The texts of several ranges, joined by one blank: what a statement of several parts says."""
    return " ".join(text[start:end] for start, end in parts)


def places_in_text(parts: Iterable[tuple[int, int]], span: Span) -> list[Span]:
    """The places in a text of a span of what was joined from its parts: one for each part that the span touches."""
    found, at = [], 0
    for start, end in parts:
        shared = Span(max(span.start, at), min(span.end, at + end - start))
        if shared:
            found.append(Span(start + shared.start - at, start + shared.end - at))
        at += end - start + 1
    return found


def written_parts(parts: Iterable[tuple[int, int]]) -> str:
    """Ranges as a cell of a file holds them: ``0-20 39-53``."""
    return " ".join(f"{start}-{end}" for start, end in parts)


def read_parts(cell: str) -> list[tuple[int, int]]:
    """The ranges of such a cell. Raises ``ValueError`` for anything else."""
    return [(int(start), int(end)) for start, _, end in (part.partition("-") for part in cell.split())]


def with_line_ends(text: str) -> str:
    """The text, of the same length, with a line end where HTML (``<br>``, ``<p>``, ``<li>``) or an escaped ``\\n`` that
    was never read as one stands; for segmentation only, since all places stay the same.

    A row of a Markdown table keeps its ``<br>``: the cell goes on.
    """
    return _line_ends(text, padded=True)


def real_lines(text: str) -> str:
    """A text without a line end, with real ones for those that are written out in it by the rule of the above.

    Done once, before a text is hashed and stored; one that has line ends of its own stays as it is.
    """
    made = text if "\n" in text else _line_ends(text, padded=False)
    return text if made == text else re.sub(r"[ \t]+\n", "\n", made).strip()


def _line_ends(text: str, *, padded: bool) -> str:
    if "<" not in text and "\\" not in text:
        return text

    def line_end(found: re.Match[str]) -> str:
        size = len(found[0]) if padded else 0
        if found["escaped"]:
            return "\n".rjust(size)
        line = text.rfind("\n", 0, found.start()) + 1
        if text[line : line + 4].lstrip().startswith("|"):
            return found[0]
        tag, opens = found["tag"].lower(), found[0][1] != "/"
        mark = "\n- " if opens and tag == "li" else "\n# " if opens and tag[0] == "h" else "\n"
        return mark.ljust(size)

    return _BREAK.sub(line_end, text)


def sha256(text: str | bytes) -> str:
    """Hex digest of a text's UTF-8 bytes (lone surrogates kept, so that any text has a hash)."""
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    return hashlib.sha256(data).hexdigest()


def utf16(text: str | None, position: int | None) -> int | None:
    """A place counted in UTF-16 code units, as JavaScript and Excel do; ``None`` without a text or a place."""
    return None if text is None or position is None else len(text[:position].encode("utf-16-le", "surrogatepass")) // 2


def check_span(text: str, span: Span, exact: str) -> None:
    """Raise ``ValueError`` unless ``text[span.start:span.end] == exact``."""
    if not 0 <= span.start <= span.end <= len(text) or text[span.start : span.end] != exact:
        raise ValueError(f"the range {span.start}-{span.end} does not hold the text {exact[:40]!r}")


def counted(number: int, singular: str, plural: str = "") -> str:
    """``1 statement``, ``2 statements``."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def name_list(names: Iterable[str]) -> str:
    """Names as a list in a sentence, each once: ``a, b and c``."""
    each = list(dict.fromkeys(filter(None, names)))
    return " and ".join(filter(None, (", ".join(each[:-1]), *each[-1:])))


def in_words(name: str) -> str:
    """A stored name (a label, a page state, a rule) as people read it: ``not_addressed`` is ``not addressed``."""
    return name.replace("_", " ")


def word_set(text: str) -> frozenset[str]:
    """The words of a text, set apart by white space."""
    return frozenset(text.split())


def first_words(lines: str) -> dict[str, str]:
    """For each word of some lines the first word of its line: what stands for all words of a line."""
    return {word: line.split()[0] for line in lines.splitlines() for word in line.split()}


def word_lists(module: str) -> Mapping[str, str]:
    """The lists of a module, by name, as texts: its table in ``words.toml`` of its folder.

    ``module`` is the ``__file__`` of the one that asks.
    """
    path = Path(module)
    return _word_lists(path.parent)[path.stem]


_TABLE: Final = lazy_pattern(r"^\[(\w+)\]\n|^(\w+) = '''\n(.*?)'''$", re.MULTILINE | re.DOTALL)
"""A table, or a list in it. The first screen needs lists, and should not wait for ``tomllib`` and what that imports."""


@cache
def _word_lists(folder: Path) -> Mapping[str, Mapping[str, str]]:
    tables: dict[str, dict[str, str]] = {}
    for found in _TABLE.finditer((folder / "words.toml").read_text("utf-8")):
        if found[1]:
            lists = tables.setdefault(found[1], {})
        else:
            lists[found[2]] = found[3]
    return tables
