"""A server below HTTP, on this machine: it sends bytes as they are, which no HTTP library would."""

import contextlib
import socket
import ssl
import tempfile
import threading
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
