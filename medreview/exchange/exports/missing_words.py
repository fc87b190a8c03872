"""Why a file has no verdict of judges where it could have one: in a column of its own, so that an empty cell says one
thing."""

import sqlite3
from collections.abc import Callable
from typing import Any, Final, Literal

from medreview.exchange.files.columns import Cell, Column, about
from medreview.judges.votes import says_unproven
from medreview.stats.reports.reviewer_labels import (
    BINARY,
    COARSE,
    LEVELS,
    NO_JUDGEMENT,
    TIED,
    UNSURE,
    JuryVerdict,
    Scale,
    judges_label,
)

_OF_JURY: Final = {
    "hidden": "the reviewer whom the export is for has yet to decide (--blind)",
    "not_judged": "no judge has judged it",
    "cannot_judge": "those that were asked abstained: unsure, refused, failed, supported without a quote that shows it",
    "tied": "they are even, and the study's tie rule leaves that open",
    "two_way": "they say only supported or not",
}
_WORDS: Final = {NO_JUDGEMENT: "not_judged", UNSURE: "cannot_judge", TIED: "tied", COARSE: "two_way"}
_OF_ONE: Final = {
    "failed": "there is no usable answer (error)",
    "unproven": "it says supported, and its quote does not show that",
    "two_way": "it says only supported or not",
    "unsure": "it could not tell",
}

Said = Callable[[Any], JuryVerdict | Literal["hidden"] | None]
"""What judges say of what a row is about, if it is not hidden; ``None`` where none has judged it. Asked only where the
verdict is empty."""
Value = Callable[[Any], Cell]
"""The verdict itself."""


def _column(verdict: str, words: dict[str, str], made: Value) -> Column:
    told = "; ".join(f"{word} = {why}" for word, why in words.items())
    return about(f"Why {verdict} is empty: {told}. Empty where it is not.", levels=tuple(words), made=made)


def no_verdict(verdict: str, value: Value, said: Said) -> Column:
    """Of the column ``verdict``, which has a level of the judges together."""
    return _column(verdict, _OF_JURY, lambda one: _why(said(one), LEVELS) if value(one) is None else None)


def no_two_way(verdict: str, value: Value, said: Said) -> Column:
    """Of the column ``verdict``, which says whether the judges together find it supported."""
    words = {word: why for word, why in _OF_JURY.items() if word != "two_way"}
    return _column(verdict, words, lambda one: _why(said(one), BINARY) if value(one) is None else None)


def _why(said: JuryVerdict | Literal["hidden"] | None, scale: Scale) -> str:
    return said if said == "hidden" else _WORDS[judges_label(said, scale).missing]


def hidden_statements(reader: sqlite3.Connection) -> frozenset[str]:
    """Those of which what is read here does not say what judges think: of an export for one with blind labels to give,
    for as long as it is written."""
    if not reader.execute("SELECT 1 FROM temp.sqlite_master WHERE name = 'undecided'").fetchone():
        return frozenset()
    return frozenset(row[0] for row in reader.execute("SELECT statement_id FROM temp.undecided"))


JURY: Final = """v.votes_for AS jury_for, v.votes_other AS jury_against, v.tied AS jury_tie,
v.judgement_id IS NOT NULL AS judged"""
"""What :func:`jury_verdict` reads of ``verdict AS v``, beside ``judge_verdict`` and ``judge_supported``."""


def jury_verdict(row: Any) -> JuryVerdict | None:
    """The judges' word on a statement by a row of it, with the names of the columns of ``labels.csv``."""
    if not row["judged"]:
        return None
    supported = None if row["judge_supported"] is None else bool(row["judge_supported"])
    votes = row["jury_for"], row["jury_against"]
    return JuryVerdict(row["judge_verdict"], supported, *votes, bool(row["jury_tie"]), False)


def no_level_of_one(row: Callable[[Any], Any] = lambda one: one) -> Column:
    """Of the ``verdict`` of one judgement; ``row``: its row, of what the cells are made of."""
    return _column("verdict", _OF_ONE, lambda one: None if row(one)["verdict"] is not None else _why_not(row(one)))


def no_word_of_one(row: Callable[[Any], Any] = lambda one: one) -> Column:
    """Of its ``supported``."""
    words = {word: why for word, why in _OF_ONE.items() if word != "two_way"}
    return _column("supported", words, lambda one: None if row(one)["supported"] is not None else _why_not(row(one)))


def _why_not(row: Any) -> str:
    if row["error"]:
        return "failed"
    if row["supported"] is not None:
        return "two_way"
    return "unproven" if says_unproven(row["raw_label"]) else "unsure"
