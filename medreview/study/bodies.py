"""The body of a page as it is stored: zlib-compressed."""

import hashlib
import zlib
from typing import Final

_CHUNK: Final = 1 << 20


def body_digest(body: bytes) -> str:
    """The SHA-256 of a page as it was served, unpacked piece by piece; ``""`` when it cannot be unpacked."""
    digest, packed = hashlib.sha256(), zlib.decompressobj()
    try:
        while body and not packed.eof:
            digest.update(packed.decompress(body, _CHUNK))
            body = packed.unconsumed_tail
        digest.update(packed.flush())
    except (zlib.error, TypeError):
        return ""
    return digest.hexdigest() if packed.eof and not packed.unused_data else ""
