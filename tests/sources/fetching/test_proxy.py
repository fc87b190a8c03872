"""An explicit proxy: a real one on this machine, that forwards and tunnels, and all that may go wrong with it."""

import base64
import contextlib
import http.client
import socket
import ssl
import subprocess
import threading

import pytest

from medreview.sources.fetching import single_request
from medreview.sources.fetching.address_guard import AddressRefusedError, HostCheck, UnknownHostError
from medreview.sources.fetching.network import Network
from tests.support.http_server import LocalServer, answer

USER, PASSWORD = "kim", "s3cr3t-pass"


class LocalProxy(LocalServer):
    """Forwards ``http`` and tunnels ``https`` to one upstream, whatever host is named.

    ``refuse`` is a status to answer everything with; ``credentials`` are what has to be sent along.
    """

    def __init__(self, upstream):
        super().__init__(self._pass, keep_alive=True)
        self.upstream = upstream
        self.refuse = 0
        self.credentials = ""

    @property
    def asked(self):
        return [(request.method, request.path) for request in self.received]

    def _pass(self, exchange):
        status = self.refuse
        if self.credentials and exchange.headers.get("Proxy-Authorization") != self.credentials:
            status = 407
        if status:
            exchange.answer(b"proxy", status)
        elif exchange.command == "CONNECT":
            self._tunnel(exchange)
        else:
            self._forward(exchange)

    def _forward(self, exchange):
        host, _, path = exchange.path.removeprefix("http://").partition("/")
        ahead = http.client.HTTPConnection(*self.upstream, timeout=60)
        sent = {name: value for name, value in exchange.headers.items() if not name.lower().startswith("proxy-")}
        ahead.request(exchange.command, "/" + path, headers={**sent, "Host": host})
        got = ahead.getresponse()
        body = got.read()
        ahead.close()
        own = ("content-length", "connection")
        exchange.answer(body, got.status, {name: it for name, it in got.getheaders() if name.lower() not in own})

    def _tunnel(self, exchange):
        ahead = socket.create_connection(self.upstream, 5)
        exchange.begin(200)
        exchange.close_connection = True
        back = threading.Thread(target=pump, args=(ahead, exchange.connection), daemon=True)
        back.start()
        pump(exchange.connection, ahead)
        back.join(5)
        ahead.close()


def pump(source, sink):
    """Pass bytes on until there are no more."""
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)


@pytest.fixture
def proxy(server):
    with LocalProxy(("127.0.0.1", server.port)) as local:
        yield local


@pytest.fixture
def via(fetch, proxy):
    """Fetch through the proxy; no address is let through."""

    def run(*urls, scheme="http", login="", **limits):
        network = {"proxy": f"{scheme}://{login}{proxy.name}"}
        return fetch(*urls, network=network, **{"allow": frozenset(), "retries": 0, **limits})

    return run


PAGE = "http://site.example/a"


def test_a_page_comes_through_the_proxy(server, proxy, via):
    server.routes["/a"] = answer(b"page", Content_Type="text/html", ETag='"1"')
    got = via(PAGE)[PAGE]
    assert (got.body, got.status, got.state, got.etag) == (b"page", 200, None, '"1"')
    assert proxy.asked == [("GET", PAGE)]
    assert server.received[0].headers["host"] == "site.example"
    assert "proxy-authorization" not in proxy.received[0].headers


def test_redirects_go_through_the_proxy_too(server, proxy, via):
    server.routes["/a"] = answer(status=302, Location="http://other.example/b")
    server.routes["/b"] = answer(b"there")
    assert via(PAGE)[PAGE].body == b"there"
    assert proxy.asked == [("GET", PAGE), ("GET", "http://other.example/b")]


def test_a_tunnel_without_tls_takes_no_connection_from_other_pages(server, proxy, via):
    server.routes["/a"] = answer(b"page")
    got = via("https://old.example/a", PAGE, concurrency=1, deadline=2.0)
    assert (got["https://old.example/a"].body, got[PAGE].body) == (b"", b"page")


def test_reaching_goes_through_the_proxy(server, proxy, via):
    server.routes["/a"] = answer(b"page")
    assert via(PAGE, reach=True)[PAGE].status == 200
    assert proxy.asked == [("HEAD", PAGE)]


def test_name_and_password_are_sent_to_the_proxy_only(server, proxy, via):
    server.routes["/a"] = answer(b"page")
    proxy.credentials = "Basic " + base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
    got = via(PAGE, login=f"{USER}:{PASSWORD}@")[PAGE]
    assert got.body == b"page"
    assert proxy.credentials not in str(server.received)
    assert PASSWORD not in repr(got)


HTTPS = "https://site.example/a"


@pytest.mark.parametrize("url", [PAGE, HTTPS])
def test_a_proxy_that_wants_a_password_is_named_as_the_cause(proxy, via, url):
    proxy.credentials = "Basic other"
    got = via(url, login=f"{USER}:{PASSWORD}@")[url]
    assert (got.state, got.status, got.body) == ("http_error", None, b"")
    assert got.detail == (
        f"The proxy {proxy.name} asks for a user name and password (status 407); the page was not asked."
    )
    assert PASSWORD not in repr(got)


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("url", [PAGE, HTTPS])
def test_a_proxy_that_is_not_there_is_named_as_the_cause(proxy, via, url, scheme):
    proxy.close()
    got = via(url, scheme=scheme, login=f"{USER}:{PASSWORD}@")[url]
    assert (got.state, got.status) == ("http_error", None)
    assert got.detail == f"The proxy {proxy.name} could not be reached."


def test_a_proxy_that_speaks_no_tls_is_named_as_the_cause(proxy, via):
    got = via(PAGE, scheme="https")[PAGE]
    assert (got.state, got.detail) == ("http_error", f"The proxy {proxy.name} offers no secure connection.")


@pytest.mark.parametrize("status", [403, 502, 503])
def test_a_tunnel_that_is_refused_is_the_proxys_doing(proxy, via, status):
    proxy.refuse = status
    got = via(HTTPS)[HTTPS]
    assert (got.state, got.status) == ("http_error", None)
    assert got.detail == (
        f"The proxy {proxy.name} did not let the request through (status {status}); the page was not asked."
    )


def test_a_tunnel_that_fails_once_is_tried_again(proxy, via):
    proxy.refuse = 503
    via(HTTPS, retries=2)
    assert proxy.asked == [("CONNECT", "site.example:443")] * 3


def test_a_bad_gateway_may_be_the_proxys_doing(server, proxy, via):
    server.routes["/a"] = answer(b"down", status=502)
    got = via(PAGE)[PAGE]
    assert (got.state, got.status) == ("http_error", 502)
    assert f"the proxy {proxy.name}" in got.detail


def test_a_server_that_breaks_off_behind_the_proxy_names_both(server, proxy, via):
    """The tunnel stands, but what is behind it speaks no TLS."""
    got = via(HTTPS)[HTTPS]
    assert (got.state, got.status) == ("http_error", None)
    assert got.detail == f"site.example could not be reached through the proxy {proxy.name}."
    assert proxy.asked == [("CONNECT", "site.example:443")]


@pytest.fixture
def secured(tmp_path):
    """Put TLS before a server, as site.example and as 127.0.0.1; gives the certificate that it is known by."""

    def make(server):
        certificate, key = tmp_path / "site.pem", tmp_path / "site.key"
        names = "subjectAltName=DNS:site.example,IP:127.0.0.1"
        try:
            subprocess.run(
                ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=site.example",
                 "-addext", names, "-keyout", key, "-out", certificate],
                check=True, capture_output=True,
            )  # fmt: skip
        except FileNotFoundError:
            pytest.skip("no openssl to make a certificate with")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        return certificate

    return make


def trust(monkeypatch, certificate):
    monkeypatch.setattr(
        single_request, "trusted_certificates", lambda: ssl.create_default_context(cafile=str(certificate))
    )  # fmt: skip


def test_https_is_tunnelled_and_the_certificate_is_the_sites(server, secured, proxy, via, monkeypatch):
    server.routes["/a"] = answer(b"secure page")
    trust(monkeypatch, secured(server.listener))
    got = via(HTTPS)[HTTPS]
    assert (got.body, got.state) == (b"secure page", None)
    assert proxy.asked == [("CONNECT", "site.example:443")]


def test_a_certificate_that_nobody_knows_is_refused_through_the_tunnel(server, secured, proxy, via):
    secured(server.listener)
    got = via(HTTPS)[HTTPS]
    assert (got.state, got.detail) == ("http_error", "The certificate of site.example could not be verified.")
    assert server.received == []


def test_the_proxy_itself_may_be_secure(server, secured, proxy, via, monkeypatch):
    server.routes["/a"] = answer(b"page")
    certificate = secured(proxy.listener)
    assert via(PAGE, scheme="https")[PAGE].detail == f"The proxy {proxy.name} offers no secure connection."
    trust(monkeypatch, certificate)
    assert via(PAGE, scheme="https")[PAGE].body == b"page"
    assert proxy.asked == [("GET", PAGE)]


INNER = """
127.0.0.1 127.1 2130706433 0x7f.1 0x7f000001 0177.0.0.1 017700000001 0.0.0.0 0 10.0.0.1 192.168.1.1 169.254.169.254
100.64.0.1 [::1] [::] [::ffff:127.0.0.1] [::ffff:7f00:1] [64:ff9b::7f00:1] [2002:7f00:1::] [fe80::1] [fd00::1]
127.0.0.1. 127.1. 010.0.0.1 127.0.0.256 1.2.3.4.5 134744072 localhost LOCALHOST localhost. a.localhost intranet
printer.local metadata.google.internal router.lan nas.home.arpa %31%32%37.0.0.1 exa%2emple.org user:pw@127.0.0.1
"""


@pytest.mark.parametrize("host", INNER.split())
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_no_notation_of_an_inner_host_is_put_to_the_proxy(server, proxy, via, scheme, host):
    url = f"{scheme}://{host}/"
    got = via(url)[url]
    assert (got.state, got.status) == ("blocked", None)
    assert proxy.asked == []
    assert server.received == []


def test_a_redirect_to_an_inner_host_is_not_put_to_the_proxy(server, proxy, via):
    server.routes["/a"] = answer(status=302, Location="http://169.254.169.254/latest/")
    assert via(PAGE)[PAGE].state == "blocked"
    assert proxy.asked == [("GET", PAGE)]


@pytest.mark.parametrize("port", [22, 3128, 8080])
def test_only_web_ports_are_put_to_the_proxy(proxy, via, port):
    for host in ("site.example", "8.8.8.8"):
        url = f"http://{host}:{port}/"
        assert via(url)[url].state == "blocked"
    assert proxy.asked == []


def test_robots_txt_goes_through_the_proxy(server, proxy, fetch):
    server.routes["/robots.txt"] = answer(b"User-agent: *\nDisallow: /a")
    network = {"proxy": f"http://{proxy.name}", "respect_robots": True}
    assert fetch(PAGE, network=network, allow=frozenset())[PAGE].state == "blocked"
    assert proxy.asked == [("GET", "http://site.example/robots.txt")]


def test_the_environment_names_no_proxy(server, proxy, fetch, monkeypatch):
    server.routes["/a"] = answer(b"page")
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://{proxy.name}")
        monkeypatch.setenv(name.lower(), f"http://{proxy.name}")
    assert fetch("/a")["/a"].body == b"page"
    got = fetch(PAGE, "https://site.invalid/", allow=frozenset(), retries=0)
    assert all("could not be resolved" in one.detail for one in got.values())
    assert proxy.asked == []


def test_the_environment_exempts_nothing_from_the_proxy(server, proxy, via, monkeypatch):
    server.routes["/a"] = answer(b"page")
    monkeypatch.setenv("NO_PROXY", "*")
    monkeypatch.setenv("no_proxy", "*")
    assert via(PAGE)[PAGE].body == b"page"
    assert len(proxy.asked) == 1


def _resolver(monkeypatch, answers):
    asked = []

    def getaddrinfo(host, port, *args, **kwargs):
        asked.append(host)
        if host not in answers:
            raise socket.gaierror(socket.EAI_NONAME, "unknown")
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in answers[host]]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    return asked


async def test_a_name_that_resolves_here_must_lead_to_public_addresses(monkeypatch):
    asked = _resolver(
        monkeypatch, {"good.org": ["8.8.8.8"], "inner.org": ["10.0.0.7"], "mixed.org": ["8.8.8.8", "::1"]}
    )
    check = HostCheck(Network())
    for _ in range(2):
        await check.check("good.org", 443)
        await check.check("unknown.org", 443)
        for host in ("inner.org", "mixed.org"):
            with pytest.raises(AddressRefusedError, match="not a public address"):
                await check.check(host, 443)
    assert sorted(asked) == ["good.org", "inner.org", "mixed.org", "unknown.org"]


async def test_a_name_without_an_address_is_left_to_the_proxy(monkeypatch):
    async def nothing(host, port):
        raise UnknownHostError("none")

    monkeypatch.setattr("medreview.sources.fetching.address_guard.resolve", nothing)
    await HostCheck(Network()).check("anything.example", 80)
