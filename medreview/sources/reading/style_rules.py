"""The rules of a page's own ``<style>`` elements, as far as they say what is shown: selectors of tags, classes and ids.

No other file is asked for, so that what an outer style sheet hides is not known. Rules for print and for other media
are left out, and so are selectors with attributes, states or siblings.
"""

import re
from collections.abc import Iterator, Set
from dataclasses import dataclass, field
from typing import Final

from lxml.html import HtmlElement

LONGEST: Final = 500_000
"""Characters of style sheets that are read."""
MOST_RULES: Final = 5_000
"""Rules that are kept, and how many of them are tried on one element."""
MOST_TRIED: Final = 200
HIGHEST: Final = 40
"""Ancestors among which the left parts of a selector are looked for."""

PROPERTIES: Final = frozenset(
    {"display", "visibility", "opacity", "position", "left", "right", "top", "bottom", "text-indent", "font-size"}
    | {"clip", "clip-path", "width", "height", "max-width", "max-height", "overflow", "color", "background"}
    | {"background-color", "background-image", "transform", "margin-left", "margin-top", "content-visibility"}
)
"""Properties by which a page hides a text."""

_COMMENT: Final = re.compile(r"/\*.*?\*/", re.DOTALL)
_SHOWN_MEDIA: Final = re.compile(r"@media\s+(?:all|screen)\s*\Z", re.IGNORECASE)
_BRACE: Final = re.compile(r"[{};]")
_SELECTOR: Final = re.compile(r"[\w.#\s>-]{1,200}\Z")
_PART: Final = re.compile(r"([.#]?)(-?[A-Za-z_][\w-]*)")

Style = dict[str, str]


@dataclass(frozen=True, slots=True)
class _Compound:
    """One step of a selector: ``div.panel#first``; ``is_child``: the step to its left is its parent."""

    tag: str
    ids: frozenset[str]
    classes: frozenset[str]
    is_child: bool

    def fits(self, node: HtmlElement) -> bool:
        return (
            (not self.tag or node.tag == self.tag)
            and (not self.ids or node.get("id") in self.ids)
            and (not self.classes or self.classes <= set((node.get("class") or "").split()))
        )


@dataclass(frozen=True, slots=True)
class _Rule:
    weight: tuple[int, int, int, int]
    steps: tuple[_Compound, ...]
    style: Style


@dataclass(slots=True)
class StyleRules:
    """The rules of one page, by the id, class or tag of the element that they are for."""

    _by_key: dict[str, list[_Rule]] = field(default_factory=dict)

    @property
    def tags(self) -> Set[str]:
        """The tags that have rules, among classes and ids."""
        return self._by_key.keys()

    def style_of(self, node: HtmlElement) -> Style:
        """What holds for an element by the rules and by its own ``style``: property to value, in lower case."""
        found: list[_Rule] = []
        if self._by_key:
            keys = [str(node.tag), *(f".{name}" for name in (node.get("class") or "").split()[:20])]
            if name := node.get("id"):
                keys.append(f"#{name}")
            tried = (rule for key in keys for rule in self._by_key.get(key, ())[:MOST_TRIED])
            found = [rule for rule in tried if _fits(rule.steps, node)]
        style: Style = {}
        for rule in sorted(found, key=lambda rule: rule.weight):
            style |= rule.style
        return style | declarations(node.get("style") or "")


def style_rules(root: HtmlElement) -> StyleRules:
    """The rules of all ``<style>`` elements of a page."""
    text = "\n".join(node.text or "" for node in root.iter("style"))[:LONGEST]
    by_key: dict[str, list[_Rule]] = {}
    for order, (selectors, style) in enumerate(_rules(_COMMENT.sub(" ", text))):
        if order == MOST_RULES:
            break
        for selector in selectors.split(",")[:50]:
            steps = _steps(selector.strip())
            if not steps:
                continue
            weight = (
                sum(len(step.ids) for step in steps),
                sum(len(step.classes) for step in steps),
                sum(bool(step.tag) for step in steps),
                order,
            )
            last = steps[-1]
            key = next(iter([*(f"#{name}" for name in last.ids), *(f".{name}" for name in last.classes)]), last.tag)
            by_key.setdefault(key, []).append(_Rule(weight, steps, style))
    return StyleRules(by_key)


def declarations(text: str) -> Style:
    """The declarations of a ``style`` attribute or a rule, of :data:`PROPERTIES` only."""
    style: Style = {}
    if ":" not in text:
        return style
    for part in text[:4_000].split(";"):
        name, colon, value = part.partition(":")
        name = name.strip().lower()
        if colon and name in PROPERTIES:
            style[name] = value.replace("!important", "").strip().lower()
    return style


def _rules(text: str) -> Iterator[tuple[str, Style]]:
    """Selectors and declarations of each rule that holds on a screen."""
    at = depth = skipped = 0
    head = ""
    for brace in _BRACE.finditer(text):
        piece = text[at : brace.start()].strip()
        if brace[0] == "{":
            at = brace.end()
            depth += 1
            if skipped:
                continue
            if piece.startswith("@") and not _SHOWN_MEDIA.match(piece):
                skipped = depth
            else:
                head = piece
        elif brace[0] == "}":
            at = brace.end()
            if not skipped and head and not head.startswith("@"):
                style = declarations(piece)
                if style:
                    yield head, style
                head = ""
            if skipped == depth:
                skipped = 0
            depth = max(0, depth - 1)
        elif not depth:
            at = brace.end()  # @import ...;


def _steps(selector: str) -> tuple[_Compound, ...]:
    """The steps of a selector, the outermost first; none for a selector of another kind."""
    if not _SELECTOR.match(selector):
        return ()
    steps: list[_Compound] = []
    is_child = False
    for word in selector.replace(">", " > ").split():
        if word == ">":
            is_child = True
            continue
        parts = _PART.findall(word)
        if "".join(sign + name for sign, name in parts) != word:
            return ()
        named: dict[str, list[str]] = {"": [], ".": [], "#": []}
        for sign, name in parts:
            named[sign].append(name)
        tag = named[""][0].lower() if named[""] else ""
        steps.append(_Compound(tag, frozenset(named["#"]), frozenset(named["."]), is_child))
        is_child = False
    return tuple(steps)


def _fits(steps: tuple[_Compound, ...], node: HtmlElement) -> bool:
    """Whether a selector is for an element; the nearest fitting ancestor is taken for each step."""
    if not steps[-1].fits(node):
        return False
    holder = node.getparent()
    needs_parent = steps[-1].is_child
    left = HIGHEST
    for step in reversed(steps[:-1]):
        while True:
            if holder is None or left == 0:
                return False
            left -= 1
            fits = step.fits(holder)
            holder = holder.getparent()
            if fits:
                break
            if needs_parent:
                return False
        needs_parent = step.is_child
    return True
