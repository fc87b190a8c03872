"""The address of a page as evidence of which work is meant."""

import re
from functools import lru_cache
from typing import Final

from medreview.citations.canonical import canonical_key
from medreview.citations.model import Citation

_SCHEME: Final = re.compile(r"url:https?://(?:www\d?\.)?")
_BELOW_GUIDELINE: Final = re.compile(r"(nice\.org\.uk/guidance/[a-z]+\d+)/.*")
_INDEX: Final = re.compile(r"/(?:index|default)\.(?:html?|php|aspx?)$", re.IGNORECASE)
_TRACKED: Final = re.compile(r"[?&](?:utm_[^&]*|fbclid=[^&]*)")
_LONGEST: Final = 2000
_DEEP: Final = 2


@lru_cache(maxsize=4096)
def address_key(url: str) -> str:
    """A key that is equal for two addresses of one page; ``""`` for one that is hardly that of one work.

    That is one with less than two parts below its site, unless it has a number or a query.

    Scheme, ``www``, a last slash, a fragment and marks of campaigns are left out, and so is what stands below the
    address of a guideline: its chapters and its downloads are parts of it.
    """
    if not url or len(url) > _LONGEST:
        return ""
    whole = canonical_key(Citation("url", url.strip()))
    key, scheme = _SCHEME.subn("", whole, count=1)
    if not scheme:
        return ""
    host, _, rest = key.partition("/")
    rest, _, query = rest.partition("?")
    query = _TRACKED.sub("", f"?{query}") if query else ""
    path = _INDEX.sub("", f"/{rest}").rstrip("/")
    if path.count("/") < _DEEP and len(query) < 2 and not any(char.isdigit() for char in path):
        return ""
    key = f"{host}{path}" + (f"?{query.lstrip('?&')}" if len(query) > 1 else "")
    return _BELOW_GUIDELINE.sub(r"\1", key.casefold()) if host == "nice.org.uk" else key
