"""The table of what the reviewer can do and its keys: hints, ``?`` and docs/reference/keys-and-labels.md are made
from it.

Also the keys of the page of figures, and keys that are held down: a key that decided something does nothing more until
it is released. Those of the first screen are in ``home_actions``, which names every kind of unit.
"""

import time
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from medreview.errors import UserError
from medreview.labels import FLAG_AXES, FLAGS
from medreview.units.kind import Asks
from medreview.units.statement import STATEMENT_ASKS


class Action(NamedTuple):
    """Something the reviewer can do. ``keys`` are Textual key names; the first is the one that is shown.

    ``hint`` is the word in the key rows, ``""`` when it is not shown there; ``help`` a sentence for ``?``.
    """

    id: str
    keys: tuple[str, ...]
    hint: str
    help: str
    group: str


_SHOWN: Final = {
    "slash": "/", "question_mark": "?", "colon": ":", "comma": ",", "full_stop": ".", "space": "Space", "up": "↑",
    "down": "↓", "left": "←", "right": "→", "pageup": "PgUp", "pagedown": "PgDn", "escape": "Esc", "home": "Home",
    "end": "End", "f1": "F1", "f2": "F2", "f4": "F4", "f5": "F5", "f8": "F8", "tab": "Tab", "enter": "Enter",
    "plus": "+", "number_sign": "#", "left_square_bracket": "[", "right_square_bracket": "]", "less_than_sign": "<",
    "greater_than_sign": ">",
}  # fmt: skip


_NAMED: Final = {shown.lower(): key for key, shown in _SHOWN.items()}
_TYPED_ELSE: Final = frozenset({"backspace", "ctrl+x", "ctrl+u", "shift+tab"})
_FUNCTION_KEYS: Final = frozenset(f"f{number}" for number in range(1, 11))


def shown_key(key: str) -> str:
    """A key as it is printed in hints and help."""
    return _SHOWN.get(key, key)


def key_shown(shown: str) -> str:
    """The key that is printed so, as Textual names it; ``""`` for what is no single key (``1-5``)."""
    if len(shown) == 1:
        return _NAMED.get(shown, shown)
    name = _NAMED.get(shown.lower(), shown.lower())
    return name if name in _SHOWN or name in _FUNCTION_KEYS or name in _TYPED_ELSE else ""


OF_FIGURES: Final = "figures_"
"""The prefix of the actions of the page of figures (``medreview.review.actions``)."""


def unique(table: tuple[Action, ...]) -> tuple[Action, ...]:
    """The table; raises :class:`UserError` for a key of two actions."""
    owner: dict[str, str] = {}
    for action in table:
        for key in map(shown_key, action.keys):
            if key in owner:
                raise UserError(f"The key {key!r} is given to both {owner[key]!r} and {action.id!r}.")
            owner[key] = action.id
    return table


def _digits(asks: Asks) -> tuple[Action, ...]:
    """The actions that give a label of what is asked."""
    return tuple(
        Action(f"decide_{label.level}", (label.key,), label.name, f"My verdict: {label.definition}", "Decide")
        for label in asks.levels
    )


REVIEW: Final = (
    *_digits(STATEMENT_ASKS),
    Action("accept", ("a",), "accept", "Accept the judges' verdict (open mode only).", "Decide"),
    Action(
        "hallucination",
        ("h",),
        "hallucination",
        "The type (0-4: none, fact, input, context, other), then its words; of the statement that the key row names.",
        "Decide",
    ),
    Action(
        "findings",
        ("F",),
        "findings",
        "What judges found in the response (open mode only): Enter takes it over as your span, x rejects it.",
        "Decide",
    ),
    Action(
        "delete_span",
        ("D",),
        "delete span",
        "Delete a span that you marked: the only one at once; of several, w b choose and Enter deletes.",
        "Decide",
    ),
    Action(
        "resize_span",
        ("R",),
        "resize span",
        "Move the ends of a span that you marked: w b words, W B sentences, o the other end, f a letter at each word.",
        "Decide",
    ),
    Action(
        "axes",
        ("z",),
        "own labels",
        "Label on the study's own axes, such as severity of harm: press the key of a level; Tab goes to the next axis.",
        "Decide",
    ),
    Action("tag", ("number_sign",), "tag", "Add or remove tags of this statement: words such as #dose.", "Decide"),
    Action("category", ("c",), "category", "What a suggested fact is about: then d m f o.", "Decide"),
    Action("add", ("plus",), "own fact", "Add a fact of your own to the case; it counts as kept.", "Decide"),
    Action("note", ("n",), "note", "Write a note on this statement (while searching: next hit).", "Decide"),
    Action(
        "left_out",
        ("l",),
        "left out",
        "What of this response is not a statement (dim in it): w b choose, Enter makes a statement of it.",
        "Decide",
    ),
    Action(
        "edit",
        ("E",),
        "edit",
        "Edit the statement: cut it in two, join it with the next, exclude it as not medical. u takes it back.",
        "Decide",
    ),
    Action("defer", ("s",), "defer", "Put it off; it comes back in the deferred queue.", "Decide"),
    *(
        Action(flag.level, (flag.key,), flag.name, f"Flag: {flag.definition} Again takes it back.", "Decide")
        for flag in FLAGS
    ),
    Action("undo", ("u",), "undo", "Take back your last act, one a press, also after a restart.", "Decide"),
    Action("redo", ("U",), "redo", "Do again what was undone.", "Decide"),
    Action(
        "reveal",
        ("r",),
        "reveal",
        "Blind mode, when the block is done: show its judges, then keep or change your verdict beside theirs.",
        "Decide",
    ),
    Action("next", ("j", "down"), "next", "Next statement. Moving never decides.", "Move"),
    Action("previous", ("k", "up"), "previous", "Previous statement.", "Move"),
    Action("next_open", ("t",), "next open", "Next statement that you have neither decided nor put off.", "Move"),
    Action(
        "switch",
        ("P",),
        "pairs",
        "From a statement to its pairs with single sources, and back; from a whole response to its statements.",
        "Move",
    ),
    Action(
        "reference",
        ("L",),
        "reference",
        "The reference that names this source: what is printed beside each record, field by field; again leads back.",
        "Move",
    ),
    Action("source_next", ("]",), "next source", "Next source; what the statement itself cites comes first.", "Read"),
    Action("source_previous", ("[",), "source before", "Previous source.", "Read"),
    Action("mark_next", ("m",), "next highlight", "Next highlight in the source.", "Read"),
    Action("mark_previous", ("M",), "highlight before", "Previous highlight.", "Read"),
    Action(
        "judge_next",
        ("w",),
        "judges' words",
        "The next judge's words in full, its quote lit in its own page; after the last, none.",
        "Read",
    ),
    Action("judge_previous", ("b",), "judge before", "The judge before.", "Read"),
    Action(
        "judges_in_full", ("W",), "all judges", "What every judge said, and others' notes, in full, as a page.", "Read"
    ),
    Action(
        "about",
        ("o",),
        "origin",
        "What is known of the answer: what was said before it, when it was given, how it ended, what its record says.",
        "Read",
    ),
    Action(
        "attach",
        ("f8",),
        "content",
        "Give the content of this source yourself: pasted, or the path of a file; it is held against title and DOI.",
        "Read",
    ),
    Action("page_down", ("space", "pagedown"), "page down", "One page down in the source.", "Read"),
    Action("page_up", ("pageup",), "page up", "One page up.", "Read"),
    Action("top", ("g", "home"), "top", "To the top of the source.", "Read"),
    Action("end", ("G", "end"), "end", "To the end of the source.", "Read"),
    Action(
        "view",
        ("v",),
        "response",
        "The response and the whole question instead of the source, and back; side by side, the whole question.",
        "Read",
    ),
    Action(
        "whole_page",
        ("x",),
        "whole page",
        "Everything on the source's page, menus and footnotes too, to read and search; again goes back.",
        "Read",
    ),
    Action("pane", ("tab",), "pane", "Which pane paging moves: the source or the response.", "Read"),
    Action(
        "search", ("slash",), "search", "Search in the text that is read; Tab: in my notes, in my decisions.", "Read"
    ),
    Action("hit_next", ("full_stop",), "next hit", "Next search hit.", "Read"),
    Action("hit_previous", ("comma",), "previous hit", "Previous search hit.", "Read"),
    Action("queue_narrower", ("less_than_sign",), "narrower queue", "Make the pane of the queue narrower.", "Move"),
    Action("queue_wider", ("greater_than_sign",), "wider queue", "Make it wider, for more of each statement.", "Move"),
    Action(
        "palette",
        ("colon",),
        "all",
        "Everything, on a line: words find actions and queues, name= filters at once, save NAME keeps a filter.",
        "Move",
    ),
    Action(
        "filter",
        ("=",),
        "filter",
        "Filter the queue: words, or names such as model= page= mine= with a value; Tab completes both.",
        "Move",
    ),
    Action(
        "learned_order",
        ("f4",),
        "order",
        "Order triage by your own labels (from 25 on), or by the rules; press it again to switch back.",
        "Move",
    ),
    Action(
        "history", ("H",), "my decisions", "My last decisions and notes: where, what, when; Enter goes there.", "Move"
    ),
    Action("editor", ("e",), "editor", "Write the note in your editor (VISUAL or EDITOR).", "Decide"),
    Action(
        "copy",
        ("y",),
        "copy",
        "Send statement, quote and URL to the terminal's clipboard, or to a file; the last row says where.",
        "Read",
    ),
    Action("figures", ("i",), "figures", "How often you and the judges agree (hidden where the judges are).", "More"),
    Action("guidelines", ("f2",), "guidelines", "What the labels mean in this study, and when to give which.", "More"),
    Action("redraw", ("f5",), "", "Draw the screen again, where another program wrote on it.", "More"),
    Action("help", ("question_mark",), "keys", "This page: every key.", "More"),
    Action("glossary", ("f1",), "glossary", "The words of this screen, explained.", "More"),
    Action("leave", ("q",), "leave", "Back to the first screen. Everything is saved already.", "More"),
)
_OF_SPANS: Final = {
    "hallucination": "Mark a further place: what is wrong there ({faults}), then its words.",
    "findings": "",
}
"""Actions that units marked with spans share with statements; their help where it differs."""
_OF_UNITS: Final = {
    "note": "Write a note on this {noun} (while searching: next hit).",
    "tag": "Add or remove tags of this {noun}: words such as #dose.",
    "next": "Next {noun}. Moving never decides.",
    "previous": "Previous {noun}.",
    "next_open": "Next {noun} that you have neither decided nor put off.",
    "source_next": "The next of the texts to read beside it.",
    "source_previous": "The text before.",
    "mark_next": "Next highlight in the text.",
    "page_down": "One page down in the text.",
    "top": "To the top of the text.",
    "end": "To the end of the text.",
    "view": "What stands beside the text (the response, the reference), or all of the {noun}, in its place, and back.",
    "pane": "Which pane paging moves: the text or what stands beside it.",
    "reference": "From a source to the reference that names it, and from there back.",
    "copy": "Send the {noun} to the terminal's clipboard, or to a file; the last row says where.",
}
"""The help of units other than statements, where it differs."""
_PLACES: Final = tuple(
    Action(
        f"place_{place}",
        (str(place),),
        "",
        "The next best output; after the last, g o b: good, okay, bad.",
        "Decide",
    )
    for place in range(1, 10)
)
"""The digits of a ranking: they place the outputs on the screen, best first."""

_OF_SOME: Final[Mapping[str, Callable[[Asks], bool]]] = {
    "hallucination": lambda asks: asks is STATEMENT_ASKS or asks.entry == "spans",
    "findings": lambda asks: asks is STATEMENT_ASKS or asks.axis == "hallucination",
    "left_out": lambda asks: asks is STATEMENT_ASKS,
    "about": lambda asks: asks is STATEMENT_ASKS,
    "attach": lambda asks: asks is STATEMENT_ASKS,
    "edit": lambda asks: asks is STATEMENT_ASKS,
    "learned_order": lambda asks: asks is STATEMENT_ASKS,
    "switch": lambda asks: bool(asks.leads_to),
    "reference": lambda asks: bool(asks.crosses_to),
    "category": lambda asks: "category" in asks.also,
    "add": lambda asks: bool(asks.adds),
    "badly_parsed": lambda asks: asks.parsed,
}
"""Actions of some kinds of unit only, and the condition for each."""


_HIDDEN: Final = "Not here: the judges stay hidden where conflicts are settled."
_REFUSED_WHERE_SETTLED: Final = {
    "defer": "Not here: what is not settled stays open.",
    **dict.fromkeys(("accept", "findings", "reveal", "judge_next", "judge_previous"), _HIDDEN),
}
"""Actions refused where conflicts are settled, and why."""


def is_verdict(action: str) -> bool:
    """Whether an action gives a verdict: a label of what is asked, by a digit or as the judges have it."""
    return action == "accept" or action.startswith("decide_")


def actions_for(asks: Asks, keys: Mapping[str, str], *, settles: bool = False) -> dict[str, Action]:
    """What the reviewer can do with units of a kind, by id, under the reviewer's own ``keys`` (:func:`remapped`).

    The digits of other kinds than the statement are as they stand. ``settles``: where conflicts are settled, what is
    refused there has no hint, and its help says why.
    """
    missing = {name for name, has in _OF_SOME.items() if not has(asks)}
    own = {name: key for name, key in keys.items() if not name.startswith(OF_FIGURES)}
    table = tuple(action for action in remapped(REVIEW, own) if action.id not in missing)
    if asks is not STATEMENT_ASKS:
        helps = {**_OF_UNITS, **(_OF_SPANS if asks.entry == "spans" else {})}
        hints = {
            "switch": f"{asks.leads_to}s",
            "reference": asks.crosses_to,
            "source_next": "next text",
            "source_previous": "text before",
        }
        if asks.entry == "spans" and asks.axis != "hallucination":
            hints["hallucination"] = "further place"
        rest = [
            action._replace(
                help=(helps.get(action.id) or action.help)
                .replace("{noun}", asks.noun)
                .replace("{faults}", asks.faults),
                hint=hints.get(action.id, action.hint),
            )
            for action in table
            if action.id == "accept" or not is_verdict(action.id)
        ]
        table = unique((*(_PLACES if asks.entry == "order" else _digits(asks)), *rest))
    if settles:
        table = tuple(_where_settled(action) for action in table)
    return {action.id: action for action in table}


def _where_settled(action: Action) -> Action:
    if action.id in _REFUSED_WHERE_SETTLED:
        return action._replace(hint="", help=_REFUSED_WHERE_SETTLED[action.id])
    if action.id.startswith("place_"):
        return action._replace(help="The next best output; the last one settles the conflict.")
    if action.id in FLAG_AXES:
        return action._replace(help=f"Where they differ on {action.hint}: settle it as flagged; again as not flagged.")
    return action._replace(help=action.help.replace("My verdict:", "Settles it:"))


def remapped(actions: tuple[Action, ...], keys: Mapping[str, str]) -> tuple[Action, ...]:
    """The table with the reviewer's own keys (action id -> key, or keys separated by commas).

    A key is one character, or named as ``?`` shows it or as Textual does: ``Space``, ``Esc``, ``f5``, ``slash``. Digits
    are for verdicts alone. Raises :class:`UserError` for an unknown action, an invalid key, and a key of two actions.
    """
    known = {action.id for action in actions}
    for name in keys:
        if name not in known:
            raise UserError(
                f"The configuration gives a key to {name!r}, which is not an action; see `?` for their names."
            )
    return unique(
        tuple(
            action._replace(keys=_keys(action.id, keys[action.id])) if action.id in keys else action
            for action in actions
        )
    )


def _keys(action: str, keys: str) -> tuple[str, ...]:
    """The keys of one setting, by Textual's names."""
    names = [","] if keys.strip() == "," else [name.strip() for name in keys.split(",")]
    digit = next((name for name in names if name.isdecimal()), None)
    if digit and not is_verdict(action):
        raise UserError(f"The configuration gives {action!r} the key {digit!r}, but digits are verdicts and no others.")
    return tuple(_key(action, name) for name in dict.fromkeys(names))


def _key(action: str, name: str) -> str:
    key = named_key(name)
    if key is None:
        raise UserError(
            f"The configuration gives {action!r} the key {name!r}, which no terminal sends; use one character, or a "
            "name such as Space, Tab, Esc, PgDn, F5."
        )
    return key


def named_key(name: str) -> str | None:
    """A key as people name it (one character, ``Space``, ``F5``), by Textual's name; ``None`` if no terminal sends
    it."""
    if len(name) == 1 and name.isprintable():
        return _NAMED.get(name, name)
    key = _NAMED.get(name.lower(), name.lower())
    return key if key in _SHOWN or key in _FUNCTION_KEYS else None


FIGURES: Final = unique(
    (
        Action("figures_next_group", ("tab",), "group", "The next group of labels: blind or assisted, drawn or not.",
               "Figures"),
        Action("figures_scale", ("space",), "scale", "All the labels, or only supported or not.", "Figures"),
        Action("figures_next_judge", ("right_square_bracket",), "judge", "The next judge alone, then all together.",
               "Figures"),
        Action("figures_previous_judge", ("left_square_bracket",), "judge", "The judge before.", "Figures"),
        Action("figures_down", ("j", "down"), "cell", "The cell below: another label of yours.", "Figures"),
        Action("figures_up", ("k", "up"), "cell", "The cell above.", "Figures"),
        Action("figures_right", ("right",), "cell", "The cell to the right: another label of the judges.",
               "Figures"),
        Action("figures_left", ("left",), "cell", "The cell to the left.", "Figures"),
        Action("figures_open", ("enter",), "items", "The items that the cell counts, as a queue; q comes back here.",
               "Figures"),
        Action("figures_pin", ("K",), "pin", "Keep these figures in sight while reviewing (never where it is blind); "
               "again takes them away.", "Figures"),
        Action("figures_help", ("question_mark",), "keys", "The keys.", "Figures"),
        Action("figures_glossary", ("f1",), "glossary", "What the words of the page mean.", "Figures"),
        Action("figures_leave", ("q", "escape", "i"), "back", "Back to where you came from.", "Figures"),
    )
)  # fmt: skip
"""The keys of the page of figures."""


def figure_actions(keys: Mapping[str, str]) -> dict[str, Action]:
    """What can be done on the page of figures, by id, under the reviewer's own ``keys`` as in :func:`actions_for`."""
    own = {name: key for name, key in keys.items() if name.startswith(OF_FIGURES)}
    return {action.id: action for action in remapped(FIGURES, own)}


PAUSE_S: Final = 1.2
"""Seconds of silence after which a key counts as pressed again. Keyboards wait up to 1 s before they repeat a key, and
repeat it faster from then on."""

ENTER_PAUSE_S: Final = 0.15
"""The same of Enter: only keys that come as fast as a keyboard repeats them are one that is held down."""


class KeyRepeat:
    """Distinguishes the key that decided last, still held down, from a new press.

    Keyboards differ in repeat rate and delay, so that no interval between two key presses distinguishes these. Silence
    does: a key is pressed again after :data:`PAUSE_S` without that key and without a change of the screen. Any other
    key ends it too. ``clock`` gives seconds, and is that of the keys' times.

    Enter goes on with what the last rows ask, and gives no verdict: pressed twice, however fast, it is never taken for
    a held key. A held one goes on twice more when its keyboard begins to repeat it, and not with each repeat
    (:data:`ENTER_PAUSE_S`).
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._key = ""
        self._until = float("-inf")
        self._fast = 0

    def is_held(self, key: str, at: float) -> bool:
        """Whether a key at a time is the one that decided last, still down."""
        if key == self._key and at < self._until:
            self._until = max(self._until, at + _pause(key))
            self._fast += 1
            return key != "enter" or self._fast > 1
        self._key, self._fast = "", 0
        return False

    def decided(self, key: str) -> None:
        """Record that a key decided something, and the screen shows it."""
        self._key, self._until = key, self._clock() + _pause(key)


def _pause(key: str) -> float:
    return ENTER_PAUSE_S if key == "enter" else PAUSE_S
