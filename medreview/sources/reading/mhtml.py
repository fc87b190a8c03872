"""Pages that a browser saved as one file (MHTML, RFC 2557): the page itself, and the address that it was saved from.

The parts beside it, pictures and styles, are not read. The input is hostile: call it in a child process with limits.
"""

import re
from typing import Final, NamedTuple

_HEAD: Final = re.compile(
    rb"(?:[\w-]+:[^\n]*\n(?:[ \t]+[^\n]*\n)*){0,30}?Content-Type:\s*multipart/related", re.IGNORECASE
)
_ADDRESSES: Final = ("Snapshot-Content-Location", "Content-Location")
_PAGES: Final = ("text/html", "application/xhtml+xml")


class SavedByBrowser(NamedTuple):
    """The page in such a file: its body, the content type of that, and the addresses that the file names for it."""

    body: bytes
    content_type: str
    addresses: tuple[str, ...]


def page_in(body: bytes) -> SavedByBrowser | None:
    """The page in a file of this kind, ``None`` for any other; a file without a page in it has an empty body."""
    if not _HEAD.match(body.lstrip(b"\xef\xbb\xbf\r\n \t")[:8192]):
        return None
    from email import message_from_bytes, policy

    message = message_from_bytes(body.lstrip(b"\xef\xbb\xbf\r\n \t"), policy=policy.compat32)
    parts = [part for part in message.walk() if part.get_content_type() in _PAGES]
    addresses = [str(message[name]) for name in _ADDRESSES if message[name]]
    if not parts:
        return SavedByBrowser(b"", "", tuple(addresses))
    page = parts[0]  # the root is the first part, RFC 2557 section 9.1
    addresses += [str(page["Content-Location"])] if page["Content-Location"] else []
    content = page.get_payload(decode=True)
    told = tuple(dict.fromkeys(" ".join(address.split()) for address in addresses))
    return SavedByBrowser(content if isinstance(content, bytes) else b"", str(page["Content-Type"] or ""), told)
