"""Where preprints stand, by the names that citations give."""

import re
from typing import Final

_PREPRINT_SERVER: Final = re.compile(r"rxiv|research square|res sq|preprint|ssrn", re.IGNORECASE)


def names_preprint_server(words: str) -> bool:
    """Whether a citation or the name of a container names a preprint server."""
    return _PREPRINT_SERVER.search(words) is not None
