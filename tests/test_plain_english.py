"""Messages are plain English: no turn of phrase that readers stumbled over comes back."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import medreview

ROOT: Final = Path(medreview.__file__).parents[1]
STUMBLES: Final = {
    r"\banew\b": "again",
    r"\botherwise than\b": "differently from, against",
    r"\b(?:is|are) none of\b": "is not one of",
    r"(?<!here )\b(?:is|are|was|were) no (?!(?:longer|more|better|less|such|one|reason|proof)\b)\w": "is not a",
    r"\bof no kind\b": "medreview does not read it",
    r", so that nothing\b": "so nothing",
    r"\bbrought up to date\b": "updated",
    r"(?:^|[.:] )What (?:came|lies|listens|happened)\b": "name the thing",
    r"(?:^|[.:] )Who (?:looks|meets|leaves|reads)\b": "name the person",
}
"""Patterns over string literals, and what to write instead."""
ELSEWHERE: Final = ("screens", "cli/commands")
"""A link to the screens; the commands, whose help is a page of its own."""
_ANY: Final = re.compile("|".join(STUMBLES))


def literals(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The texts of a module with their lines; what is filled in is left out, and so are docstrings."""
    said = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield node.lineno, "{}".join(str(one.value) for one in node.values if isinstance(one, ast.Constant))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in said:
            yield node.lineno, node.value


def test_no_message_has_a_turn_that_readers_stumbled_over() -> None:
    found = []
    for folder in ("medreview", "screens"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            suspect = any('"' in line and _ANY.search(line) for line in text.splitlines())
            if suspect and not any(path.is_relative_to(ROOT / "medreview" / other) for other in ELSEWHERE):
                found += [
                    f"{path.relative_to(ROOT)}:{line}: {' '.join(words.split())!r}; say: {instead}"
                    for line, words in literals(ast.parse(text))
                    for pattern, instead in STUMBLES.items()
                    if re.search(pattern, words)
                ]
    assert found == []
