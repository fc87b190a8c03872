"""The tie rule of a study: what its jury gives when the votes are even."""

import sqlite3

from medreview.labels import TIE_RULES, TieRule
from medreview.study import Study


def tie_rule(reader: sqlite3.Connection) -> TieRule:
    """The study's rule; ``undecided`` until another is set."""
    row = reader.execute("SELECT value FROM study WHERE key = 'tie_rule'").fetchone()
    told = row[0] if row else None
    return next((rule for rule in TIE_RULES if rule == told), "undecided")


def set_tie_rule(study: Study, rule: TieRule) -> None:
    """Set the rule; it holds from the next roll-up on (``medreview.pipeline.set_tie_rule`` rolls up)."""
    study.write(lambda connection: connection.execute("INSERT OR REPLACE INTO study VALUES ('tie_rule', ?)", (rule,)))
