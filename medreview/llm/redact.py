"""Redaction of API keys in everything that is stored or shown."""

import re
from typing import Final

_MARK: Final = "[key]"
_LIKE_A_KEY: Final = re.compile(
    r"\b(?:sk|pk|rk|gsk|hf|xai|nvapi|AIza)[-_][\w*.-]{4,}"  # prefixes of known services
    r"|\bAIza[\w-]{20,}"
    r"|\b(?:Bearer|Basic)\s+[^\s\"',;]{4,}",
    re.IGNORECASE,
)
_RUN: Final = re.compile(r"[\w*+/=.~-]{8,}")
_PART: Final = 8


def redact(text: str, *secrets: str) -> str:
    """``text`` with the secrets, parts of them (8 consecutive characters) and what looks like a key replaced."""
    text = redact_known(text, *secrets)
    parts = {secret[at : at + _PART] for secret in secrets for at in range(len(secret) - _PART + 1)}
    if parts:
        text = _RUN.sub(lambda run: _MARK if any(part in run[0] for part in parts) else run[0], text)
    return _LIKE_A_KEY.sub(_MARK, text)


def redact_known(text: str, *secrets: str) -> str:
    """``text`` with only the secrets themselves replaced: for model output, which is otherwise kept unchanged."""
    for secret in secrets:
        if secret:
            text = text.replace(secret, _MARK)
    return text
