"""RTF as Markdown: paragraphs, lists, tables, links in their place, footnotes.

Pictures, styles, headers, footers and objects are left out; nothing that a document embeds is opened.
"""

import re
from dataclasses import dataclass, field, replace
from typing import Final

from medreview.exchange.documents.result import RefusedError, joined, markdown_link, notes, raised, table

_TOKEN: Final = re.compile(
    rb"\\([a-zA-Z]{1,32})(-?\d{1,10})?[ ]?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])|([{}])|[\r\n]+|([^\\{}\r\n]+)", re.DOTALL
)
MOST_DEPTH: Final = 1_000
MOST_TOKENS: Final = 5_000_000
_LINKED: Final = re.compile(r'\s*HYPERLINK\s+"?([^"\s]+)"?', re.IGNORECASE)
_SKIPPED: Final = frozenset(
    {
        "fonttbl", "colortbl", "stylesheet", "info", "pict", "object", "header", "headerl", "headerr", "headerf",
        "footer", "footerl", "footerr", "footerf", "themedata", "colorschememapping", "datastore", "latentstyles",
        "listtable", "listoverridetable", "rsidtbl", "xmlnstbl", "generator", "filetbl", "revtbl", "annotation",
        "atnid", "atnauthor", "bkmkstart", "bkmkend", "nonshppict", "pntxtb", "pntxta", "pgptbl", "fldtype",
        "mmathPr", "wgrffmtfilter", "userprops", "tc", "xe",
    }
)  # fmt: skip
_SIGNS: Final = {
    "emdash": "—", "endash": "–", "bullet": "•", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”",
    "tab": " ", "line": "\n", "emspace": " ", "enspace": " ", "qmspace": " ", "zwj": "", "zwnj": "",
}  # fmt: skip
_PAGES: Final = {
    0: "cp1252", 2: "cp1252", 77: "mac-roman", 128: "cp932", 129: "cp949", 134: "gbk", 136: "big5", 161: "cp1253",
    162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874",
    238: "cp1250",
}  # fmt: skip
"""The encodings of the character sets that fonts name."""
_KNOWN: Final = frozenset({*_PAGES.values(), "cp437", "cp850", "cp932", "cp936", "cp950", "utf-8"})
_HEADING_LEVELS: Final = 6
_BULLETS: Final = re.compile(r"[\s·•\uf0b7o§\uf0a7-]*\Z")


@dataclass(slots=True)
class _Group:
    """What holds within a pair of braces."""

    skipped: bool = False
    codec: str = "cp1252"
    after_unicode: int = 1
    hidden: bool = False
    raised: bool = False
    kind: str = ""
    """``inst`` (what a field does), ``field``, ``label`` (of a list item), ``note``."""
    at: int = 0
    told: str = ""


@dataclass(slots=True)
class _Cells:
    done: list[list[str]] = field(default_factory=list)
    row: list[str] = field(default_factory=list)


def read_rich_text(body: bytes) -> str:
    """The text of a document. Raises :class:`RefusedError` for one that is nested too deeply."""
    return _Reader().read(body)


class _Reader:
    def __init__(self) -> None:
        self._groups = [_Group()]
        self._pieces: list[str] = []
        self._bytes = bytearray()
        self._blocks: list[tuple[str, str]] = []
        self._cells = _Cells()
        self._notes: list[str] = []
        self._held: list[tuple[list[str], str, int]] = []
        self._label = ""
        self._level = 0
        self._in_table = False
        self._skip = 0
        self._fonts: dict[int, str] = {}
        self._font = 0
        self._base = "cp1252"
        self._high = ""

    def read(self, body: bytes) -> str:
        """All blocks, then the notes."""
        for count, token in enumerate(_TOKEN.finditer(body)):
            if count > MOST_TOKENS:
                raise RefusedError(f"holds more than {MOST_TOKENS:,} commands")
            word, number, code, sign, brace, text = token.groups()
            if brace:
                self._flush()
                self._skip = 0
                if brace == b"{":
                    if len(self._groups) >= MOST_DEPTH:
                        raise RefusedError("is nested too deeply to be read")
                    top = self._groups[-1]
                    self._groups.append(replace(top, kind="", told="", at=len(self._pieces)))
                elif len(self._groups) > 1:
                    self._close(self._groups.pop())
            elif word:
                self._word(word.decode("ascii"), int(number) if number else None)
            elif code:
                self._byte(int(code, 16))
            elif sign:
                self._sign(sign.decode("latin-1"))
            elif text:
                fallback = min(self._skip, len(text))
                self._skip -= fallback
                self._bytes += text[fallback:]
        self._flush()
        self._paragraph()
        self._table()
        return joined([*self._blocks, *(("note", line) for line in notes(self._notes))])

    def _word(self, word: str, number: int | None) -> None:
        self._flush()
        top = self._groups[-1]
        if word == "u" and number is not None:
            self._unicode(number % 65_536)
            self._skip = top.after_unicode
        elif word == "uc":
            top.after_unicode = min(max(number or 0, 0), 10)
        elif word == "bin":
            top.skipped = True  # what follows is no text
        elif word == "ansicpg":
            codec = f"cp{number}"
            self._base = top.codec = codec if codec in _KNOWN or 1250 <= (number or 0) <= 1258 else "cp1252"
        elif word == "f":
            top.codec = self._fonts.get(number or 0, self._base)
            self._font = number or 0
        elif word == "fcharset":
            self._fonts[self._font] = _PAGES.get(number or 0, self._base) if number else self._base
        elif word in _SKIPPED:
            top.skipped = True
        elif word == "field":
            top.kind, top.at = "field", len(self._pieces)
        elif word == "fldinst":
            top.kind, top.at, top.skipped = "inst", len(self._pieces), self._is_outer_skipped()
        elif word in ("listtext", "pntext"):
            top.kind, top.at, top.skipped = "label", len(self._pieces), self._is_outer_skipped()
        elif word == "footnote":
            top.kind = "note"
            self._notes.append("")
            self._held.append((self._pieces, self._label, len(self._notes)))
            self._pieces = []
        elif word in ("par", "sect", "page", "column"):
            self._paragraph()
        elif word == "pard":
            self._in_table, self._level, self._label = False, 0, "" if not self._pieces else self._label
        elif word == "intbl":
            self._in_table = True
        elif word == "outlinelevel" and number is not None and number < _HEADING_LEVELS:
            self._level = number + 1
        elif word in ("cell", "nestcell"):
            self._cells.row.append("".join(self._pieces).strip())
            self._pieces.clear()
        elif word in ("row", "nestrow"):
            self._cells.done.append(self._cells.row)
            self._cells.row = []
        elif word == "plain":
            top.hidden = top.raised = False
        elif word == "v" or word == "deleted":
            top.hidden = number != 0
        elif word in ("super", "up"):
            top.raised = number != 0
        elif word == "nosupersub":
            top.raised = False
        elif word in _SIGNS:
            self._put(_SIGNS[word])

    def _is_outer_skipped(self) -> bool:
        """Whether the group around the innermost is skipped; that one itself may be marked as one to pass over."""
        return len(self._groups) > 1 and self._groups[-2].skipped

    def _sign(self, sign: str) -> None:
        if sign == "*":
            self._groups[-1].skipped = True  # a destination that may be passed over, unless it is one that is known
            return
        self._flush()
        if self._skip:
            self._skip -= 1
        elif sign == "~":
            self._put("\u00a0")
        elif sign == "_":
            self._put("-")
        elif sign in "\\{}":
            self._put(sign)
        elif sign in "\r\n":
            self._paragraph()

    def _byte(self, code: int) -> None:
        if self._skip:
            self._skip -= 1
        else:
            self._bytes.append(code)

    def _unicode(self, code: int) -> None:
        """One unit of UTF-16: a sign beyond the first plane comes as two of them."""
        sign = chr(code)
        if "\ud800" <= sign <= "\udbff":
            self._high = sign
            return
        if self._high:
            sign = (self._high + sign).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
            self._high = ""
        self._put(sign if not "\ud800" <= sign <= "\udfff" else "\ufffd")

    def _flush(self) -> None:
        """The bytes read so far as text, by the character set of their font."""
        if self._bytes:
            text = bytes(self._bytes).decode(self._groups[-1].codec, "replace")
            self._bytes.clear()
            self._put(text)

    def _put(self, text: str) -> None:
        top = self._groups[-1]
        if not (top.skipped or top.hidden):
            self._pieces.append(raised(text) if top.raised else text)

    def _close(self, group: _Group) -> None:
        outer = self._groups[-1]
        if group.kind == "inst":
            told = "".join(self._pieces[group.at :])
            del self._pieces[group.at :]
            found = _LINKED.match(told)
            field_group = next((one for one in reversed(self._groups) if one.kind == "field"), None)
            if found and field_group is not None:
                field_group.told = found[1]
        elif group.kind == "field" and group.told and group.at <= len(self._pieces):
            self._pieces[group.at :] = [markdown_link("".join(self._pieces[group.at :]), group.told)]
        elif group.kind == "label" and group.at <= len(self._pieces):
            label = " ".join("".join(self._pieces[group.at :]).split())
            del self._pieces[group.at :]
            self._label = "-" if _BULLETS.match(label) else label
        elif group.kind == "note" and self._held:
            text = "".join(self._pieces)
            self._pieces, self._label, number = self._held.pop()
            self._notes[number - 1] = text
            if not outer.skipped:
                self._pieces.append(f"[^{number}]")

    def _paragraph(self) -> None:
        if self._held:
            self._pieces.append(" ")
            return
        if self._in_table:
            self._pieces.append(" ")
            return
        self._table()
        text = "".join(self._pieces).strip()
        self._pieces.clear()
        for group in self._groups:
            group.at = 0
        if text and self._level:
            self._blocks.append(("text", f"{'#' * self._level} {' '.join(text.split())}"))
        elif text and self._label:
            self._blocks.append(("item", f"{self._label} {text}"))
        elif text:
            self._blocks.append(("text", text))
        self._label = ""

    def _table(self) -> None:
        rows, self._cells.done = [*self._cells.done], []
        if self._cells.row:
            rows.append(self._cells.row)
            self._cells.row = []
        if max(map(len, rows), default=0) > 1:
            self._blocks += [("row", line) for line in table(rows)]
        else:
            self._blocks += [("text", cell) for row in rows for cell in row]
