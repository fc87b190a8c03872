"""The text that reviewers consent to before their first decision, and their consent: acts on the study.

A study without a text asks nobody. A reviewer consents to one text, by its hash: another text is asked about again.
"""

import sqlite3
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from medreview.errors import UserError
from medreview.storable import is_damaged
from medreview.study import Study
from medreview.study.study_acts import newest_act, study_acts, write_act
from medreview.text import normalise_newlines, sha256

LONGEST: Final = 50_000
"""Characters of a text, at the most."""
_STAMP: Final = 12
"""Hexadecimal digits of a text's hash that name it in reports."""
_TEXT: Final = "consent"
_GIVEN: Final = "consent_given"


@dataclass(frozen=True, slots=True)
class ConsentText:
    """The text in force, by whom and when (UTC) it was set. ``sha256`` is the hash of ``text``."""

    text: str
    sha256: str
    set_by: str
    set_at: str

    @property
    def stamp(self) -> str:
        """The beginning of the hash."""
        return self.sha256[:_STAMP]


@dataclass(frozen=True, slots=True)
class Consented:
    """A reviewer's consent: when (UTC), and to which text."""

    reviewer: str
    at: str
    sha256: str


def consent_text(reader: sqlite3.Connection) -> ConsentText | None:
    """The text in force; ``None`` where the study has none, or took it back."""
    act = newest_act(reader, _TEXT)
    if act is None or not act.said["text"]:
        return None
    return ConsentText(act.said["text"], act.said["sha256"], act.reviewer, act.at_utc)


def set_consent(study: Study, reviewer: str, text: str) -> ConsentText | None:
    """Put a text in force; ``""`` takes it back. The one in force, set again, changes nothing.

    Raises :class:`UserError` for a text that is damaged or longer than ``LONGEST``.
    """
    text = normalise_newlines(text).strip()
    if is_damaged(text):
        raise UserError("The consent text is damaged (a NUL or half a character in it). Save it as UTF-8.")
    if len(text) > LONGEST:
        raise UserError(f"The consent text has {len(text):,} characters; {LONGEST:,} are the most.")
    now = consent_text(study.reader)
    if text != (now.text if now else ""):
        write_act(study, reviewer, _TEXT, {"text": text, "sha256": sha256(text)})
    return consent_text(study.reader)


def must_consent(reader: sqlite3.Connection, reviewer: str) -> ConsentText | None:
    """The text that a reviewer has to consent to before the next decision, or ``None``."""
    text = consent_text(reader)
    if text is None:
        return None
    return None if reviewer in _consented(reader, text) else text


def _consented(reader: sqlite3.Connection, text: ConsentText) -> set[str]:
    """Who consented to a text, whatever other one they were asked about since."""
    return {act.reviewer for act in study_acts(reader, _GIVEN) if act.said["sha256"] == text.sha256}


def give_consent(study: Study, reviewer: str, text: ConsentText) -> None:
    """Record that a reviewer has read a text and consents."""
    write_act(study, reviewer, _GIVEN, {"sha256": text.sha256})


def refuse_without_consent(reader: sqlite3.Connection, reviewer: str) -> None:
    """Raise :class:`UserError` where a reviewer has not consented to the text in force."""
    if must_consent(reader, reviewer) is not None:
        raise UserError("Nothing is saved before you consent to the study's text. Open the study again to read it.")


def consents(reader: sqlite3.Connection) -> list[Consented]:
    """The newest consent of each reviewer, by name; to the text in force or to an earlier one."""
    found = {
        act.reviewer: Consented(act.reviewer, act.at_utc, act.said["sha256"]) for act in study_acts(reader, _GIVEN)
    }
    return [found[name] for name in sorted(found)]


def consent_sentence(reader: sqlite3.Connection, reviewers: Collection[str]) -> str:
    """How many of these reviewers consented to the text in force; ``""`` without a text."""
    text = consent_text(reader)
    if text is None:
        return ""
    given = len(_consented(reader, text).intersection(reviewers))
    return (
        f"{given} of {len(reviewers)} {'reviewer' if len(reviewers) == 1 else 'reviewers'} consented to the text "
        f"{text.stamp} of {text.set_at[:10]}."
    )
