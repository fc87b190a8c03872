"""What instructions to a judge look like in other languages: the ten most used on the web, and many more.

Words near one another make one: who is spoken to (a model, a judge, a reviewer), what they shall do (answer, mark,
rate), with what (a statement, a page), and the answer (supported, confirmed, true). Or a command to forget earlier
instructions. Each language is looked at where its first word stands, in a window of fixed size, so that the time is
linear in the text.
"""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from medreview.judges.opening_scan import OpeningScan, ScannedText

_BEFORE: Final = 80
_AFTER: Final = 220
_NO_WORD: Final = re.compile(r"\W{0,4}")
_STEP: Final = 40
"""In code points; two windows begin at least so far apart."""
_ENGLISH_LABEL: Final = "[\"'«»“„「『（(]\\s?(?:supported|entailed|verified)"
"""In quotation marks only: such words stand in English pages, too."""


_AI: Final = r"(?<![A-Za-z])(?-i:AI)(?![A-Za-z])"
"""As it stands in scripts that set no blanks between words."""


class _Language(NamedTuple):
    """The patterns of a language, which ``injection_languages.toml`` explains."""

    judges: str
    verbs: str
    labels: str
    override: str
    claims: str
    spaced: bool = True
    """Whether white space sets its words apart."""


_LANGUAGES: Final = tuple(
    _Language(**{name: text if name == "spaced" else text.replace("{AI}", _AI) for name, text in patterns.items()})
    for patterns in tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8")).values()
)


class _LanguageRules(NamedTuple):
    judges: OpeningScan
    verbs: re.Pattern[str]
    labels: re.Pattern[str]
    override: OpeningScan
    claims: re.Pattern[str]


_COMPILED: Final = tuple(
    _LanguageRules(
        OpeningScan((language.judges,)),
        re.compile(rf"\b{language.verbs}" if language.spaced else language.verbs, re.IGNORECASE),
        re.compile(
            rf"(?:\b{language.labels}\b|{_ENGLISH_LABEL})"
            if language.spaced
            else f"{language.labels}|{_ENGLISH_LABEL}",
            re.IGNORECASE,
        ),
        OpeningScan((language.override,)),
        re.compile(rf"\b{language.claims}" if language.spaced else language.claims, re.IGNORECASE),
    )
    for language in _LANGUAGES
)


def in_other_languages(scanned: ScannedText) -> Iterator[str]:
    """The parts of a text, with collapsed white space, that read like instructions in one of these languages."""
    text = scanned.text
    for rules in _COMPILED:
        for match in rules.override.finditer(scanned):
            yield match[0]
        last = -1
        for match in rules.judges.finditer(scanned):
            if match.start() < last:
                continue
            start = max(text.rfind("\n", 0, match.start()) + 1, match.start() - _BEFORE)
            stop = text.find("\n", match.end(), match.end() + _AFTER)
            last = min(match.end() + _STEP, stop if stop >= 0 else len(text))
            window = text[start : stop if stop >= 0 else match.end() + _AFTER]
            rest = window[: match.start() - start] + " " + window[match.end() - start :]
            if any(_dictates(rules, rest, label) for label in rules.labels.finditer(rest)):
                last = match.end() + _AFTER
                yield window.strip()


def _dictates(rules: _LanguageRules, text: str, label: re.Match[str]) -> bool:
    """Whether a label is to be given: by a verb right before it, or by one elsewhere in a text on what was claimed."""
    others = text[: label.start()] + " " * len(label[0]) + text[label.end() :]
    verbs = list(rules.verbs.finditer(others))
    right_before = any(
        _NO_WORD.fullmatch(text, verb.end(), label.start()) for verb in verbs if verb.end() <= label.start()
    )
    return right_before or (bool(verbs) and rules.claims.search(others) is not None)
