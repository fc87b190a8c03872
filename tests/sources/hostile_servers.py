"""Servers that do what no server should, on this machine, byte by byte."""

import contextlib
import gzip
import socket
import ssl
import struct
import tempfile
import threading
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

Script = Callable[[], Iterable[bytes]]

# Signed by nobody, for 127.0.0.1 and localhost, until 2126. The key guards nothing: it is in the open here.
SELF_SIGNED = """\
-----BEGIN CERTIFICATE-----
MIIBmjCCAUGgAwIBAgIUa8njZwSzFCkRacA8PBWRPggpJ7cwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMDEzNDIzMFoYDzIxMjYxMDI3
MTM0MjMwWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASz5Tbho68AieYsNR+jdavrG3dGlnr/YLTAnrLz5sElbT7Y/0wWcsTY
ZxSEJV7uH4oATXwZCN2Eb93E318rK0MXo28wbTAdBgNVHQ4EFgQUSromk6bDHSrj
GkAaTahn7jLEDV4wHwYDVR0jBBgwFoAUSromk6bDHSrjGkAaTahn7jLEDV4wDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDRwAwRAIgXwU6j0VncnbIHDNfFGzhbrgzScsjZf7DPqK/OaPaJy0CIC/F
VPdCtxiF9RP3WL/etCLKDYRfrfQfx+QhFXbK77yY
-----END CERTIFICATE-----
-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgvLc/B17rkDA9TeG7
9ji3n0BwadLlWuFgqwEMxvF6SeKhRANCAASz5Tbho68AieYsNR+jdavrG3dGlnr/
YLTAnrLz5sElbT7Y/0wWcsTYZxSEJV7uH4oATXwZCN2Eb93E318rK0MX
-----END PRIVATE KEY-----
"""


class HostileServer:
    """Answers each path with the pieces of its script, then closes; a script in ``stays`` keeps the connection.

    ``connections`` counts all that were made, ``heads`` has every request head, ``sent`` counts the bytes that were
    written for a path.
    """

    def __init__(self, *, tls: bool = False) -> None:
        self.scripts: dict[str, Script] = {}
        self.stays: set[str] = set()
        self.connections = 0
        self.heads: list[bytes] = []
        self.sent: Counter[str] = Counter()
        self.over = threading.Event()
        self._tls = _context() if tls else None
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        self.base = f"{'https' if tls else 'http'}://127.0.0.1:{self.port}"
        self.allow = frozenset({("127.0.0.1", self.port)})
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """End every drip and take no more connections."""
        self.over.set()
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)  # wakes the thread that waits for a connection
        self._socket.close()

    def drip(self, start: bytes, piece: bytes, seconds: float = 0.02) -> Script:
        """A script that sends one piece at a time for a minute, or until the server is closed."""

        def pieces() -> Iterator[bytes]:
            yield start
            for _ in range(int(60 / seconds)):
                if self.over.wait(seconds):
                    return
                yield piece

        return pieces

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._talk, args=(connection,), daemon=True).start()

    def _talk(self, connection: socket.socket) -> None:
        with contextlib.suppress(OSError):  # the reader may go at any moment
            connection.settimeout(20)
            with self._tls.wrap_socket(connection, server_side=True) if self._tls else connection as stream:
                while head := _head(stream):
                    self.heads.append(head)
                    path = head.split(b" ", 2)[1].decode("latin-1")
                    for piece in self.scripts.get(path, page(b"", status="404 Not Found"))():
                        stream.sendall(piece)
                        self.sent[path] += len(piece)
                    if path not in self.stays:
                        return


def _head(stream: socket.socket) -> bytes:
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        if not (more := stream.recv(65536)):
            return b""
        head += more
    return head


def _context() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "self-signed.pem"
        path.write_text(SELF_SIGNED)
        context.load_cert_chain(path)
    return context


def head(*lines: str, status: str = "200 OK") -> bytes:
    """The head of an answer; the lines are headers."""
    return "\r\n".join([f"HTTP/1.1 {status}", *lines, "", ""]).encode("latin-1")


def page(body: bytes, *lines: str, status: str = "200 OK") -> Script:
    """A whole answer with the right length."""
    return lambda: [head(f"Content-Length: {len(body)}", *lines, status=status) + body]


def raw(*pieces: bytes) -> Script:
    """Just these bytes."""
    return lambda: pieces


def endless(start: bytes, piece: bytes) -> Script:
    """A start, and then the same piece for as long as anybody reads it (1 GB at the most)."""

    def pieces() -> Iterator[bytes]:
        yield start
        for _ in range(1_000_000_000 // len(piece)):
            yield piece

    return pieces


def zeros(megabytes: int, wbits: int) -> bytes:
    """So many megabytes of zeros, compressed (wbits as zlib has them: 31 gzip, 15 zlib, -15 bare).

    One block is made and repeated, which takes a hundredth of the time of compressing them all.
    """
    million = bytes(1_000_000)
    block = zlib.compressobj(9, wbits=-15)
    repeated = block.compress(million) + block.flush(zlib.Z_FULL_FLUSH)
    body = repeated * megabytes + zlib.compressobj(9, wbits=-15).flush()
    if wbits < 0:
        return body
    crc, adler = 0, 1
    for _ in range(megabytes):
        crc, adler = zlib.crc32(million, crc), zlib.adler32(million, adler)
    if wbits < 16:
        return b"\x78\xda" + body + struct.pack(">I", adler)
    return gzip.compress(b"")[:10] + body + struct.pack("<II", crc, megabytes * 1_000_000)


def pdf(*objects: bytes) -> bytes:
    """A PDF of these objects, numbered from 1, the catalogue first, with no table of offsets."""
    body = b"".join(b"%d 0 obj%s endobj\n" % pair for pair in enumerate(objects, 1))
    return b"%PDF-1.4\n" + body + b"trailer<</Root 1 0 R/Size %d>>\n%%%%EOF" % (len(objects) + 1)


def pdf_bomb(megabytes: int) -> bytes:
    """A PDF whose one page draws a text of so many megabytes."""
    piece = b"(x) Tj " * 142_857
    block = zlib.compressobj(9, wbits=-15)
    repeated = block.compress(piece) + block.flush(zlib.Z_FULL_FLUSH)
    adler = zlib.adler32(b"BT /F1 12 Tf ")
    for _ in range(megabytes):
        adler = zlib.adler32(piece, adler)
    start = zlib.compressobj(9, wbits=-15)
    first = start.compress(b"BT /F1 12 Tf ") + start.flush(zlib.Z_FULL_FLUSH)
    end = zlib.compressobj(9, wbits=-15).flush() + struct.pack(">I", adler)
    return one_page_pdf(b"\x78\xda" + first + repeated * megabytes + end, b"/Filter/FlateDecode")


def one_page_pdf(stream: bytes, entries: bytes = b"", *more: bytes) -> bytes:
    """A PDF of one page with this content; further objects are numbered from 6, and the first is the form /X0."""
    resources = b"<</Font<</F1 5 0 R>>/XObject<</X0 6 0 R>>>>"
    return pdf(
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R/Resources%s>>" % resources,
        b"<<%s/Length %d>>stream\n%s\nendstream" % (entries, len(stream), stream),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        *more,
    )
