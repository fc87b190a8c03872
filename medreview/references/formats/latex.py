"""LaTeX in a field of a BibTeX file as plain text; pylatexenc (MIT, 40 ms to load) only where there is any."""

import re
from contextlib import suppress
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pylatexenc.latex2text import LatexNodes2Text

_COMMANDS: Final = re.compile(r"[\\$]")
_SUBSCRIPT: Final = re.compile(r"\$[_^]\{?([^${}\\]{1,12})\}?\$")
_LONGEST: Final = 20_000
"""Characters; of a longer field the accents are no concern of ours."""


@lru_cache(maxsize=4096)
def plain(text: str) -> str:
    r"""The text without braces and with its accents: ``{\"u}ber {COPD}`` is ``über COPD``.

    What cannot be read as LaTeX, braces a thousand deep for one, keeps its commands and loses its braces.
    """
    if _COMMANDS.search(text) and len(text) <= _LONGEST:
        with suppress(RecursionError, ValueError):
            text = _reader().latex_to_text(_SUBSCRIPT.sub(r"\1", text), tolerant_parsing=True)
    text = text.replace("{", "").replace("}", "").replace("~", " ").replace("\\", "")
    return " ".join(text.replace("---", "\u2014").replace("--", "\u2013").split())


@cache
def _reader() -> "LatexNodes2Text":
    import logging

    from pylatexenc.latex2text import LatexNodes2Text

    logging.getLogger("pylatexenc").addHandler(logging.NullHandler())  # what it says of odd commands is not for users
    return LatexNodes2Text(math_mode="text", keep_comments=True)
