"""Numbers and stored names as they stand in sentences."""


def counted(number: int, singular: str, plural: str = "") -> str:
    """``1 statement``, ``2 statements``."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def in_words(name: str) -> str:
    """A stored name (a label, a page state, a rule) as people read it: ``not_addressed`` is ``not addressed``."""
    return name.replace("_", " ")
