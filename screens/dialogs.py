"""Short exchanges in the last rows, one key each: why not, keep or change, which words, edits, findings."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from medreview.labels import HALLUCINATION, LEFT_OUT_REASONS, Label, level_named
from medreview.review.cell_width import fit, fitting, width
from medreview.review.decision import likely_first
from medreview.review.reviewer_state import ReviewerSpan
from medreview.review.span_editing import KEYS as SPAN_KEYS
from medreview.review.span_editing import SpanEdit, moved
from medreview.review.spans_and_findings import FindingSpan
from medreview.review.statement_editing import KEYS as CUT_KEYS
from medreview.review.statement_editing import CutEdit, moved_cut
from medreview.screens.key_screen import Key
from medreview.screens.layout import FOOT_ROWS
from medreview.screens.panes import Naming, PaneHints
from medreview.screens.widgets.painted import Row, StyledText, cells
from medreview.statements.left_out import LeftOut
from medreview.text import Span
from medreview.units.kind import Asks
from medreview.visible import visible

Act = Callable[[], None]

_REASON_ROWS: Final = FOOT_ROWS - 1
_WORDED: Final = 64
"""Columns from which the other keys of a reason are said in full."""
_UNQUOTED: Final = str.maketrans("", "", "“”")
_SPAN_ROOM: Final = 24
"""Cells for the words of the span before what stands ahead of them is shortened."""


class Dialog(Protocol):
    """What stands in the last rows instead of the keys."""

    @property
    def takes_all(self) -> bool:
        """Whether every key belongs to it: text is being typed."""

    def rows(self, columns: int) -> list[Row]:
        """Its rows, the first at the top."""

    def press(self, key: Key) -> bool:
        """Answer a key; False when the step has no use for it."""


@dataclass(eq=False, repr=False)
class ReasonDialog:
    """Why my verdict on a unit, by its ``name``, differs from the judges'; it is saved, the step only adds to it.

    ``likely``: the level of the reason that stands first, ``None`` where none is likelier than others. ``type``: what
    the key for the hallucination of that same unit does, ``None`` where it has none.
    """

    name: str
    mine: Label
    theirs: str
    asks: Asks
    saved: Callable[[], str]
    answer: Callable[[str | None], None]
    give: Callable[[str], None]
    words: Act
    back: Act
    likely: str | None = None
    type: Act | None = None
    takes_all: bool = False

    def rows(self, columns: int) -> list[Row]:
        """The question and the reasons in two rows, worded as long as they allow, the likely one first; the other
        keys."""
        name, mine = visible(self.name), self.mine.name
        asked = f" {name}: {mine}. " + (f"Why not “{self.theirs}”?" if self.theirs else "No judge says so. Why?")
        reasons = likely_first(self.asks.reasons, self.likely)
        rows: list[Row] = []
        shorter = (asked, asked.translate(_UNQUOTED), f" {name}: {mine}. Why?", f" {name}: why?", " Why?")
        for head, cut in ((asked, ""), *((head, " than ") for head in shorter)):
            codes = [_reason(code, cut, likely=code.level == self.likely) for code in reasons]
            rows = flow([(head, "title")], codes, columns)
            if len(rows) <= _REASON_ROWS:
                break
        last: list[StyledText] = [
            (" ", ""), ("Enter", "key"), (" no reason  ", ""), *([("h", "key"), (" type  ", "")] if self.type else []),
            ("n", "key"), (" note  ", ""), (self.asks.digits, "key"),
            (" another verdict  " if columns >= _WORDED else " verdict  ", ""), ("Esc", "key"), (" back", ""),
            ("", "fill"),
        ]  # fmt: skip
        saved = f"({self.saved()}) "
        return [*rows, [*last, (saved, "receipt")] if cells(last) + width(saved) <= columns else last]

    def press(self, key: Key) -> bool:
        """A reason's letter, Enter, ``n``, Esc; or a digit, which is another verdict here as everywhere."""
        reason = next((code for code in self.asks.reasons if code.key == key.said), None)
        label = self.asks.level_for(key.said)
        if label is not None:
            self.give(label.level)
        elif reason is not None:
            self.answer(reason.level)
        elif key.said == "enter":
            self.answer(None)
        elif key.said == "n":
            self.words()
        elif key.said == "h" and self.type is not None:
            self.type()
        elif key.said == "escape":
            self.back()
        else:
            return False
        return True


def _reason(code: Label, cut: str, *, likely: bool) -> list[StyledText]:
    """A reason with its letter, the likely one as a question; ``cut``: where its name may end."""
    name = code.name.split(cut)[0] if cut else code.name
    return [("  ", ""), (code.key, "key"), (f" {name}?", "title") if likely else (f" {name}", "")]


@dataclass(eq=False, repr=False)
class RevealDialog:
    """After a blind decision that differs: the judges' verdict; keep mine or change it. Both labels stay on record."""

    name: str
    mine: str
    theirs: str
    asks: Asks
    saved: Callable[[], str]
    give: Callable[[str | None], None]
    back: Act
    takes_all: bool = False

    def rows(self, columns: int) -> list[Row]:
        """Both verdicts and the choice."""
        both: list[StyledText] = [
            (f" {visible(self.name)}  judges: ", ""), (self.theirs, "badge"), ("  ·  you: ", ""), (self.mine, "own"),
            ("   both kept", "dim"), ("", "fill"), (f"({self.saved()}) ", "receipt"),
        ]  # fmt: skip
        if sum(width(text) for text, _ in both) > columns:
            del both[4]
        digits: list[list[StyledText]] = [
            [("  ", ""), (label.key, "key"), (f" {label.name}", "")] for label in self.asks.levels
        ] or [[("  ", ""), (f"1-{max(filter(str.isdigit, self.mine), default=9)}", "key"), (" another order", "")]]
        return [both, *flow([(" ", ""), ("Enter", "key"), (" keep  or", "")], digits, columns)]

    def press(self, key: Key) -> bool:
        """Enter keeps, a digit changes, Esc stays here."""
        label = self.asks.level_for(key.said)
        if key.said == "enter" or label is not None:
            self.give(label.level if label else None)
        elif key.said == "escape":
            self.back()
        else:
            return False
        return True


@dataclass(eq=False, repr=False)
class HallucinationDialog:
    """Which hallucination of a unit, by its ``name`` and the keys of ``levels``. ``other``: another unit that may be
    meant, in words, and what ``h`` does to ask the same of that one."""

    name: str
    choose: Callable[[Label], None]
    back: Act
    levels: Sequence[Label] = HALLUCINATION
    other: tuple[str, Act] | None = None
    takes_all: bool = False

    def rows(self, columns: int) -> list[Row]:
        """The levels and what the first of them mean."""
        levels: list[list[StyledText]] = [
            [("  ", ""), (label.key, "key"), (f" {label.name}", "")] for label in self.levels
        ]
        if self.other is not None:
            levels.append([("   ", ""), ("h", "key"), (f" {visible(self.other[0])}", "")])
        levels.append([("   ", ""), ("Esc", "key"), (" back", "")])
        meaning = (
            "fact: against established knowledge", "input: not what was asked", "context: against the response",
        )  # fmt: skip
        name = visible(self.name)
        heads = (f" hallucination · {name}: ", f" h · {name}: ")
        asked = (flow([(head, "title")], levels, columns) for head in heads)
        first = next((rows for rows in asked if len(rows) == 1), None) or flow([(heads[1], "title")], levels, columns)
        told = flow([(" ", "")], [[("", ""), (f"{words}  ", "dim")] for words in meaning], columns)
        return [*first, *told][:FOOT_ROWS]

    def press(self, key: Key) -> bool:
        """A level, ``h`` or Esc."""
        label = next((label for label in self.levels if label.key == key.said), None)
        if label is not None:
            self.choose(label)
        elif key.said == "h" and self.other is not None:
            self.other[1]()
        elif key.said == "escape":
            self.back()
        else:
            return False
        return True


@dataclass(eq=False, repr=False)
class SpanDialog:
    """Which words: the span is drawn in its text while ``w b W B o`` move its ends, or hints name its words.

    ``other``: what the other text is called, empty where the span stays in its own. ``hints`` draws those for what is
    in sight of a text. ``moves``: the span that stands and is given other ends. ``why`` asks for a reason and takes it
    with that, ``more`` takes it and asks for another; ``which``: which of two spans it is.
    """

    name: str
    level: str
    target: str
    other: str
    edit: SpanEdit
    take: Callable[[str, SpanEdit], None]
    turn: Act
    draw: Callable[[str, SpanEdit], None]
    back: Act
    hints: PaneHints | None = None
    moves: ReviewerSpan | None = None
    why: Callable[[str, SpanEdit], None] | None = None
    more: Callable[[str, SpanEdit], None] | None = None
    which: str = ""
    naming: Naming | None = None
    takes_all: bool = False

    def rows(self, columns: int) -> list[Row]:
        """The span's words, its beginning and end when it is long, and the keys."""
        if self.naming is not None:
            return self.naming.rows()
        name = level_named("hallucination", self.level).name.upper()
        unit, moves = visible(self.name), f"{self.edit.moving} moves"
        heads = (
            f" hallucination · {unit}: {name}{self.which}.  Span ({moves}): ",
            f" {unit}: {name}{self.which} ({moves}): ",
            f" {unit}: {moves}: ",
        )
        head = next((head for head in heads if columns - width(head) >= _SPAN_ROOM), heads[-1])
        room = columns - width(head) - 3
        keys: list[StyledText] = [
            (" ", ""), ("Enter", "key"), (" take  ", ""),
            *([("n", "key"), (" reason  ", "")] if self.why else []),
            *([("h", "key"), (" more  ", "")] if self.more else []),
            ("w b", "key"), (" word  ", ""), ("W B", "key"), (" sentence  ", ""),
            ("o", "key"), (" end  " if self.more else " other end  ", ""), ("f", "key"), (" jump  ", ""),
            ("Esc", "key"), (" none", ""),
        ]  # fmt: skip
        if self.other:
            other = visible(self.other)
            left = max(1, columns - sum(width(text) for text, _ in keys) - 4)
            keys[-2:-2] = [("S", "key"), (f" {fit(other, min(width(other), left))}  ", "")]
        return [[(head, "title"), (f"“{both_ends(self.edit.exact, room)}”", "span")], keys]

    def press(self, key: Key) -> bool:
        """Move an end, name the words, take the span, go to the other text, or leave it."""
        if self.naming is not None:
            self._name(self.naming, key)
        elif key.said == "f" and self.hints is not None:
            hints = self.hints.show(self.target)
            self.naming = Naming(hints) if hints else None
        elif key.said in SPAN_KEYS:
            self.edit = moved(self.edit, key.said)
            self.draw(self.target, self.edit)
        elif key.said == "enter":
            self.take(self.target, self.edit)
        elif key.said == "n" and self.why is not None:
            self.why(self.target, self.edit)
        elif key.said == "h" and self.more is not None:
            self.more(self.target, self.edit)
        elif key.said == "S" and self.other:
            self.turn()
        elif key.said == "escape":
            self.back()
        else:
            return False
        return True

    def _name(self, naming: Naming, key: Key) -> None:
        """A letter of a hint; anything else goes back to the span as it was."""
        found = naming.press(key.said)
        self.naming = found if isinstance(found, Naming) else None
        if isinstance(found, Span):
            self.edit = SpanEdit(self.edit.text, *found)
        assert self.hints is not None
        self.hints.draw(self.target, self.naming)
        self.draw(self.target, self.edit)


@dataclass(eq=False, repr=False)
class ChooseSpanDialog:
    """Which of the spans I marked to delete or resize: one at a time, by its words; it alone is drawn in its text.

    ``verb``: what Enter does. ``resize``: what ``r`` does beside it, if anything.
    """

    mine: ReviewerSpan
    words: str
    place: int
    count: int
    act: Act
    walk: Callable[[int], None]
    back: Act
    verb: str = "delete"
    resize: Act | None = None
    takes_all: bool = False

    @property
    def target(self) -> str:
        """The text in which the span lies."""
        return self.mine.target

    def rows(self, columns: int) -> list[Row]:
        """The span's words and the keys."""
        head = f" {self.verb.capitalize()} span {self.place + 1} of {self.count}, in the {self.words}: "
        keys: list[StyledText] = [
            (" ", ""), ("Enter", "key"), (f" {self.verb}  ", ""),
            *([("r", "key"), (" resize  ", "")] if self.resize else []),
            ("w b", "key"), (" next, previous span  ", ""), ("Esc", "key"), (" none", ""),
        ]  # fmt: skip
        return [[(head, "title"), (f"“{both_ends(self.mine.exact, columns - width(head) - 3)}”", "span")], keys]

    def press(self, key: Key) -> bool:
        """Go to another span, act on this one, or leave. A digit is a verdict here too, and not for this step."""
        if by := walked(key):
            self.walk(by)
        elif key.said == "enter":
            self.act()
        elif key.said == "r" and self.resize is not None:
            self.resize()
        elif key.said == "escape":
            self.back()
        else:
            return False
        return True


def walked(key: Key) -> int:
    """Where a key leads among spans or passages that are shown one at a time: 1, -1, or 0 for a key that does not."""
    return {"w": 1, "W": 1, "b": -1, "B": -1}.get(key.said, 0)


def both_ends(text: str, room: int) -> str:
    """A long text by its beginning and its end, cut between words: the ends are what the keys move."""
    shown = visible(" ".join(text.split()))
    if width(shown) <= room:
        return shown
    half = max(4, (room - 3) // 2)
    first, last = fitting(shown, half), len(shown) - fitting(shown[::-1], half)
    begins, ends = shown[:first], shown[last:]
    if shown[first] != " ":
        begins = begins.rpartition(" ")[0] or begins
    if shown[last - 1] != " ":
        ends = ends.partition(" ")[2] or ends
    return f"{begins.rstrip()} … {ends.lstrip()}"


def flow(first: Row, words: list[list[StyledText]], columns: int) -> list[Row]:
    """Pieces one after another, in as many rows as they take."""
    rows: list[list[StyledText]] = [list(first)]
    for word in words:
        taken = sum(width(text) for text, _ in rows[-1]) + sum(width(text) for text, _ in word)
        if taken > columns - 1:
            rows.append([(" ", "")])
            word = word[1:]
        rows[-1] += word
    return [*rows]


@dataclass(eq=False, repr=False)
class EditDialog:
    """What to do with the statement: nothing is asked twice, since undo takes each of it back."""

    name: str
    split: Act
    join: Act
    exclude: Act
    left_out: Act
    back: Act
    takes_all: bool = False

    def rows(self, columns: int) -> list[Row]:
        """The choices."""
        choices = (
            ("s", "cut in two"), ("j", "join with the next"), ("x", "exclude, not medical"),
            ("l", "make one of what is left out"), ("Esc", "back"),
        )  # fmt: skip
        words: list[list[StyledText]] = [[("  ", ""), (key, "key"), (f" {word}", "")] for key, word in choices]
        return flow([(f" edit {self.name}:", "title")], words, columns)

    def press(self, key: Key) -> bool:
        """One of the letters, or Esc."""
        acts = {"s": self.split, "j": self.join, "x": self.exclude, "l": self.left_out, "escape": self.back}
        if key.said not in acts:
            return False
        acts[key.said]()
        return True


@dataclass(eq=False, repr=False)
class CutDialog:
    """Where to cut: the second part is drawn as marked, and both stand on both sides of a bar here.

    ``draw`` draws the cut; 0 takes it away.
    """

    name: str
    cut: CutEdit
    take: Callable[[CutEdit], None]
    draw: Callable[[int], None]
    back: Act
    takes_all: bool = False

    def rows(self, columns: int) -> list[Row]:
        """The words around the cut, and the keys."""
        head = f" cut {self.name}: "
        room = max(8, (columns - width(head) - 8) // 2)
        before, after = self.cut.parts
        keys: list[StyledText] = [
            (" ", ""), ("Enter", "key"), (" cut here  ", ""), ("w b", "key"), (" word  ", ""), ("W B", "key"),
            (" clause  ", ""), ("Esc", "key"), (" leave it whole", ""),
        ]  # fmt: skip
        return [
            [(head, "title"), (f"“{both_ends(before, room)}”", ""), (" | ", "title"),
             (f"“{both_ends(after, room)}”", "span")],
            keys,
        ]  # fmt: skip

    def press(self, key: Key) -> bool:
        """Move the cut, cut, or leave the statement whole."""
        if key.said in CUT_KEYS:
            self.cut = moved_cut(self.cut, key.said)
        elif key.said == "enter":
            self.take(self.cut)
        elif key.said == "escape":
            self.back()
        else:
            return False
        return True


@dataclass(eq=False, repr=False)
class LeftOutDialog:
    """Choose a left-out part of the response to make a statement: one at a time, drawn in the response."""

    parts: Sequence[LeftOut]
    promote: Callable[[LeftOut], None]
    back: Act
    place: int = 0
    target: str = "response"
    takes_all: bool = False

    @property
    def part(self) -> LeftOut:
        """The one that is drawn."""
        return self.parts[self.place]

    def rows(self, columns: int) -> list[Row]:
        """Why it is left out, its words, and the keys."""
        head = f" Left out {self.place + 1} of {len(self.parts)}: "
        why = LEFT_OUT_REASONS[self.part.reason]
        keys: list[StyledText] = [
            (" ", ""), ("Enter", "key"), (" make it a statement  ", ""), ("w b", "key"), (" next, previous  ", ""),
            ("Esc", "key"), (" leave it out", ""),
        ]  # fmt: skip
        words = f"“{both_ends(self.part.text, columns - width(head) - 3)}”"
        return [[(head, "title"), (words, "")], [(f" {why}", "dim")], keys]

    def press(self, key: Key) -> bool:
        """Go to another part, make this one a statement, or leave."""
        if by := walked(key):
            self.place = (self.place + by) % len(self.parts)
        elif key.said == "enter":
            self.promote(self.part)
        elif key.said == "escape":
            self.back()
        else:
            return False
        return True


@dataclass(eq=False, repr=False)
class FindingDialog:
    """One passage that a judge found, drawn in the response: take it over, reject it, or go to another."""

    span: FindingSpan
    edit: SpanEdit
    left: int
    take: Act
    reject: Act
    walk: Callable[[int], None]
    back: Act
    target: str = "response"
    takes_all: bool = False

    def rows(self, columns: int) -> list[Row]:
        """Who found it, of which type, its words; the judge's reason; the keys."""
        finding = self.span.finding
        who = f" {visible(finding.judge)}: {finding.words.upper()}, {self.left} open: "
        who = who if width(who) < columns // 2 else f" {finding.words.upper()}: "
        words = f"“{both_ends(self.span.quote, columns - width(who) - 3)}”"
        why = visible(" ".join(finding.reason.split())) or "no reason given"
        keys: list[StyledText] = [
            (" ", ""), ("Enter", "key"), (" take over  ", ""), ("x", "key"), (" reject  ", ""), ("w b", "key"),
            (" next, previous  ", ""), ("Esc", "key"), (" leave open", ""),
        ]  # fmt: skip
        return [[(who, "title"), (words, "span")], [(f" {fit(why, min(width(why), columns - 2))}", "dim")], keys]

    def press(self, key: Key) -> bool:
        """Take over, reject, walk, leave. A digit is a verdict here too, and not for this step."""
        if by := walked(key):
            self.walk(by)
        elif key.said == "enter":
            self.take()
        elif key.said == "x":
            self.reject()
        elif key.said == "escape":
            self.back()
        else:
            return False
        return True
