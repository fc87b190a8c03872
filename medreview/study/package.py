"""A copy of a study for a colleague: what was left out of it, as the file says of itself."""

import json
import sqlite3
from dataclasses import asdict, dataclass
from typing import Final, Literal

Part = Literal["judges", "models", "gold", "labels", "notes"]
PARTS: Final[dict[Part, str]] = {
    "judges": "what judges and other machines say",
    "models": "the names of the models that wrote the texts",
    "gold": "the right labels",
    "labels": "other reviewers' labels, and all they did beside them",
    "notes": "other reviewers' notes and tags",
}
"""What can be left out: each would tell who is to decide something that a blind decision must not know."""

_KEY: Final = "package"


@dataclass(frozen=True, slots=True)
class Package:
    """What a copy says of itself: when it was made, by whom and for whom (``""``: anybody), and what is not in it.

    ``events``: how many events of the record were left out. ``holds``: which part of the study it is (``""``: all).
    ``batch``: the draw whose units it is for, where it was made for one.
    """

    made_at: str
    made_by: str
    made_for: str
    without: tuple[Part, ...]
    events: int
    holds: str = ""
    batch: str = ""

    @property
    def words(self) -> str:
        """A sentence about it."""
        whom = f" for {self.made_for}" if self.made_for else ""
        left_out = "; ".join(PARTS[part] for part in self.without) or "nothing"
        copy = f"A copy of {self.holds}" if self.holds else "A copy"
        return f"{copy} made by {self.made_by}{whom} on {self.made_at[:10]}. Left out: {left_out}."

    def row(self) -> dict[str, str]:
        """The row of the table ``study`` that holds it."""
        return {"key": _KEY, "value": json.dumps(asdict(self), ensure_ascii=False, sort_keys=True)}


def package_of(reader: sqlite3.Connection) -> Package | None:
    """What a copy says of itself; ``None`` if the study is not a copy."""
    row = reader.execute("SELECT value FROM study WHERE key = ?", (_KEY,)).fetchone()
    if row is None:
        return None
    said = json.loads(row[0])
    return Package(**said | {"without": tuple(said["without"])})


def without_judges(reader: sqlite3.Connection) -> bool:
    """Whether what machines say was left out of the study: nothing of them can be seen, and all of it is blind."""
    found = package_of(reader)
    return found is not None and "judges" in found.without
