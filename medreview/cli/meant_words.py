"""The words of a command line as they are meant: a path alone is reviewed, the old name of a command is its new one.

The old names are those from before commands stood in groups. They work for one version, and say what they are now.
"""

import os
from typing import Final

OLD_NAMES: Final = {
    "audit": "plan audit",
    "guidelines": "plan guidelines",
    "axes": "plan axes",
    "background": "plan background",
    "consent": "plan consent",
    "gold": "plan gold",
    "second-pass": "plan second-pass",
    "share": "plan share",
    "declare": "plan declare",
    "package": "team package",
    "split": "team split",
    "merge": "team merge",
    "conflicts": "team conflicts",
    "prompts": "judges prompts",
    "batches": "judges batches",
    "jury": "judges choose",
    "judge-runs": "judges runs",
    "swap": "judges swap",
    "attach": "sources attach",
    "diff": "sources diff",
    "urls": "sources addresses",
    "replay": "papers replay",
    "reproduce": "papers reproduce",
    "assisted": "papers assisted",
    "facts": "import --as facts",
    "paste": "review --paste",
    "recent": "review --recent",
    "picture": "review --picture",
    "--picture": "review --picture",
    "identifiers": "check --identifiers",
    "where": "config where",
    "trust": "config trust",
}
"""The first word of a command line, before and now."""


def meant(words: list[str]) -> tuple[list[str], str]:
    """The words as they are now, and the sentence on an old name; ``""`` where there is none."""
    name = words[0] if words else ""
    if name == "-" or (not name.startswith("-") and (os.sep in name or "." in name)):
        return ["review", *words], ""
    if name == "help":
        return [*words[1:], "--help"], ""
    new = OLD_NAMES.get(name)
    if new is None:
        return words, ""
    return [
        *new.split(),
        *_rest(words),
    ], f"`medreview {name}` is now `medreview {new}`; the next version drops the old name."


def _rest(words: list[str]) -> list[str]:
    """The words behind the name. ``picture STUDY FILE.svg``: the picture is the value of an option now."""
    name, *rest = words
    drawn = next((word for word in rest if word.lower().endswith(".svg")), None)
    if name not in ("picture", "--picture") or drawn is None:
        return rest
    rest.remove(drawn)
    return [drawn, *rest]
