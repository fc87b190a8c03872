"""Saved pages in one file (.mhtml, .mht): the page among what was saved with it, and the address that it had."""

import email
import email.policy
from email.message import Message
from itertools import islice
from typing import Final

from medreview.exchange.documents.result import RefusedError

MOST_PARTS: Final = 5_000
_ADDRESSES: Final = ("Snapshot-Content-Location", "Content-Location")


def page_in(body: bytes) -> tuple[bytes, str, str]:
    """The page's bytes, its content type with the character set, and its address (``""`` where it is not said).

    Raises :class:`RefusedError` where there is no page in it.
    """
    try:
        message = email.message_from_bytes(body, policy=email.policy.compat32)
        for part in islice(message.walk(), MOST_PARTS):
            if part.get_content_type() in ("text/html", "application/xhtml+xml"):
                data = part.get_payload(decode=True)
                if isinstance(data, bytes) and data.strip():
                    charset = part.get_content_charset()
                    return data, f"text/html; charset={charset}" if charset else "text/html", _address(message, part)
    except (ValueError, LookupError, RecursionError, AttributeError, TypeError) as error:
        raise RefusedError("is a damaged archive of a web page; save the page again") from error
    raise RefusedError("is an archive of a web page without a page in it; save the page again")


def _address(message: Message, part: Message) -> str:
    for one in (message, part):
        for name in _ADDRESSES:
            if str(address := one.get(name) or "").startswith(("http://", "https://")):
                return str(address).strip()
    return ""
