"""Delimiting untrusted text in prompts by a random word that its author cannot know, against prompt injection."""

import hmac
import re
import secrets
from collections.abc import Mapping
from typing import Final

from medreview.study import Study

_LENGTH: Final = 16
# Text that a reader cannot see must not reach a judge: bidirectional controls, zero-width characters other than the
# joiners that some scripts need, variation selectors, tag characters, controls; and surrogates, which cannot be sent.
_INVISIBLE = re.compile(
    "[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff\ud800-\udfff]"
)


def fence_key(study: Study) -> str:
    """The study's secret key, created at first use: no author of a page can know it."""
    if not study.meta("fence_key"):
        new_key = secrets.token_hex(16)
        study.write(lambda db: db.execute("INSERT OR IGNORE INTO study VALUES ('fence_key', ?)", (new_key,)))
    return study.meta("fence_key")


def fenced(key: str, texts: Mapping[str, str], anchor: str, notes: Mapping[str, str] | None = None) -> dict[str, str]:
    """The texts, by field, each between two lines with the same nonce; invisible characters are removed.

    The nonce is derived from the key and the text ``anchor``, the longest one: the same source has the same nonce for
    all its statements, so that a server can reuse the common prefix of the prompts and cached answers are found again.
    It occurs in none of the texts. ``notes`` are added to a field's opening line (``part 2 of 3``).
    """
    visible_texts = {name: _INVISIBLE.sub("", text) for name, text in texts.items()}
    word = nonce(key, anchor, "\n".join(visible_texts.values()))
    return {
        name: f"<<<{name} {word}{_note(notes, name)}>>>\n{text}\n<<<end of {name} {word}>>>"
        for name, text in visible_texts.items()
    }


def nonce(key: str, anchor: str, within: str) -> str:
    """A keyed hash (HMAC-SHA-256) of ``anchor`` as 16 hex digits that do not occur in ``within``; unpredictable without
    the key."""
    lower = within.casefold()
    for number in range(1_000_000):
        message = f"{number}:{anchor}".encode("utf-8", "surrogatepass")
        word = hmac.digest(key.encode(), message, "sha256").hex()[:_LENGTH]
        if word not in lower:
            return word
    raise ValueError("the text holds a million words of a keyed hash")


def _note(notes: Mapping[str, str] | None, name: str) -> str:
    return f", {notes[name]}" if notes and notes.get(name) else ""
