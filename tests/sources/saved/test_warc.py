"""Pages from a web archive."""

import contextlib
import gzip
import io
import tracemalloc
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from medreview.bounded_reading import BrokenBodyError
from medreview.errors import UserError
from medreview.sources.saved.warc import WarcPages, dechunked

AT = "2026-03-01T10:00:00Z"
URL = "https://example.org/dosing"


class Archive:
    """Writes records one after the other; ``file`` puts them into a file."""

    def __init__(self, packed):
        self.packed = packed
        self.buffer = io.BytesIO()
        self.writer = WARCWriter(self.buffer, gzip=packed)
        self.ids = []

    def add(self, url, body=b"", *, status=200, kind="response", at=AT, warc=(), **headers):
        self.ids.append(f"<urn:uuid:{len(self.ids)}>")
        named_so = {"WARC-Date": at, "WARC-Record-ID": self.ids[-1], **dict(warc)}
        http = None
        if kind in ("response", "revisit"):
            named = [(name.replace("_", "-"), value) for name, value in headers.items()]
            http = StatusAndHeaders(f"{status} Said", named, protocol="HTTP/1.1")
        record = self.writer.create_warc_record(
            url, kind, payload=io.BytesIO(body), http_headers=http, warc_headers_dict=named_so,
            warc_content_type=headers.get("Content_Type", "") if kind == "resource" else "",
        )  # fmt: skip
        self.writer.write_record(record)
        return self

    def file(self, path, name="pages"):
        file = path / (f"{name}.warc.gz" if self.packed else f"{name}.warc")
        file.write_bytes(self.buffer.getvalue())
        return file


@pytest.fixture(params=[True, False], ids=["gzip", "plain"])
def archive(request):
    return Archive(request.param)


def test_a_page_is_answered_as_if_fetched(archive, tmp_path, capfd):
    archive.writer.write_record(archive.writer.create_warcinfo_record("x.warc", {"software": "test"}))
    archive.add("https://example.org/other", b"<p>other</p>")
    archive.add(URL, b"<p>5 mg</p>", Content_Type="text/html; charset=utf-8", ETag='"1"', Last_Modified="long ago")
    archive.add(URL, b"GET /dosing HTTP/1.1\r\nHost: example.org\r\n\r\n", kind="request")
    pages = WarcPages(archive.file(tmp_path))
    assert (len(pages), pages.note) == (2, "")
    got = pages.get("https://EXAMPLE.org:443/dosing#top")
    assert (got.status, got.state, got.detail, got.body) == (200, None, "", b"<p>5 mg</p>")
    assert (got.content_type, got.fetched_at) == ("text/html; charset=utf-8", AT)
    assert (got.etag, got.last_modified) == ('"1"', "long ago")
    assert got.url == got.final_url == "https://EXAMPLE.org:443/dosing#top"
    assert pages.get("https://example.org/none") is None
    assert pages.get("no url") is None
    assert capfd.readouterr().err == ""


def test_many_pages_are_found_at_their_places(archive, tmp_path):
    for number in range(50):
        archive.add(f"https://e.org/{number}", f"page {number} ".encode() * number)
    pages = WarcPages(archive.file(tmp_path))
    for number in reversed(range(50)):
        assert pages.get(f"https://e.org/{number}").body == f"page {number} ".encode() * number


def test_an_error_page_is_an_answer(archive, tmp_path):
    archive.add(URL, b"<p>gone</p>", status=404, ETag='"1"')
    got = WarcPages(archive.file(tmp_path)).get(URL)
    assert (got.status, got.state, got.body, got.etag) == (404, "http_error", b"<p>gone</p>", "")


def test_redirects_are_followed_within_the_archive(archive, tmp_path):
    archive.add("http://example.org/a", status=301, Location="https://example.org/a")
    archive.add("https://example.org/a", status=302, Location="/dosing#renal")
    archive.add(URL, b"here", at="2026-03-02T00:00:00Z")
    archive.add("https://example.org/away", status=302, Location="https://elsewhere.org/")
    archive.add("https://example.org/odd", status=302, Location="http://[::1")
    pages = WarcPages(archive.file(tmp_path))
    got = pages.get("http://example.org/a")
    assert got.body == b"here"
    assert got.chain == ("http://example.org/a", "https://example.org/a", "https://example.org/dosing#renal")
    assert (got.final_url, got.fetched_at) == (got.chain[-1], "2026-03-02T00:00:00Z")
    assert pages.get("https://example.org/away") is None
    assert pages.get("https://example.org/odd") is None


def test_a_circle_and_a_long_chain_end(archive, tmp_path):
    archive.add("https://e.org/r1", status=302, Location="/r2").add("https://e.org/r2", status=302, Location="/r1")
    for step in range(9):
        archive.add(f"https://e.org/s{step}", status=302, Location=f"/s{step + 1}")
    archive.add("https://e.org/s9", b"far")
    pages = WarcPages(archive.file(tmp_path))
    circle, far = pages.get("https://e.org/r1"), pages.get("https://e.org/s0")
    assert (circle.state, circle.status) == ("http_error", 302)
    assert "circle" in circle.detail
    assert "more than 5" in far.detail
    assert pages.get("https://e.org/s4").body == b"far"


def test_the_last_answer_counts_but_a_page_is_not_lost_to_a_redirect(archive, tmp_path):
    archive.add("https://e.org/a", b"old").add("https://e.org/a", b"new", at="2026-04-01T00:00:00Z")
    archive.add("https://e.org/b", b"page").add("https://e.org/b", status=302, Location="/login")
    archive.add("https://e.org/c", b"page").add("https://e.org/c", status=304)
    archive.add("https://e.org/d", status=302, Location="/d").add("https://e.org/d", b"after the cookie")
    archive.add("https://e.org/e", b"page").add("https://e.org/e", b"sorry", status=500)
    pages = WarcPages(archive.file(tmp_path))
    bodies = {name: pages.get(f"https://e.org/{name}").body for name in "abcde"}
    assert bodies == {"a": b"new", "b": b"page", "c": b"page", "d": b"after the cookie", "e": b"sorry"}
    assert pages.get("https://e.org/a").fetched_at == "2026-04-01T00:00:00Z"


def test_a_resource_is_a_page(archive, tmp_path):
    archive.add(URL, b"%PDF-1.7", kind="resource", Content_Type="application/pdf")
    archive.add("urn:pageinfo:x", b"{}", kind="resource", Content_Type="application/json")
    archive.add("dns:example.org", b"1.2.3.4", kind="resource", Content_Type="text/dns")
    archive.add("file:///etc/passwd", b"root", kind="resource")
    pages = WarcPages(archive.file(tmp_path))
    assert len(pages) == 1
    got = pages.get(URL)
    assert (got.body, got.content_type, got.status) == (b"%PDF-1.7", "application/pdf", 200)


def test_a_record_that_refers_to_another_gives_its_page(archive, tmp_path):
    archive.add(URL, b"the page", Content_Type="text/html")
    later = "2026-05-01T00:00:00Z"
    by_id = [("WARC-Refers-To", archive.ids[0])]
    by_url = [("WARC-Refers-To-Target-URI", URL)]
    archive.add("https://e.org/by-id", kind="revisit", at=later, warc=by_id)
    archive.add("https://e.org/by-url", kind="revisit", at=later, warc=by_url)
    archive.add(URL, kind="revisit", status=304, at=later)
    archive.add("https://e.org/lost", kind="revisit", warc=[("WARC-Refers-To", "<urn:uuid:lost>")])
    pages = WarcPages(archive.file(tmp_path))
    for url in ("https://e.org/by-id", "https://e.org/by-url", URL):
        got = pages.get(url)
        assert (got.body, got.status, got.content_type, got.fetched_at) == (b"the page", 200, "text/html", later)
    assert pages.get("https://e.org/lost") is None


def chunks(body, size=7):
    pieces = [body[at : at + size] for at in range(0, len(body), size)]
    return b"".join(b"%x;x=y\r\n%b\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"


@pytest.mark.parametrize(
    ("sent", "headers"),
    [
        (lambda body: body, {}),
        (gzip.compress, {"Content_Encoding": "gzip"}),
        (zlib.compress, {"Content_Encoding": "deflate"}),
        (chunks, {"Transfer_Encoding": "chunked"}),
        (
            lambda body: chunks(gzip.compress(body, mtime=0), 100),
            {"Transfer_Encoding": "chunked", "Content_Encoding": "gzip"},
        ),
        (lambda body: body, {"Transfer_Encoding": "chunked"}),
    ],
    ids=["as it is", "gzip", "deflate", "chunked", "both", "chunks already undone"],
)
def test_bodies_are_decoded(archive, tmp_path, sent, headers):
    body = b"<p>0.5 mg/kg</p>\r\n" * 9000
    archive.add(URL, sent(body), **headers)
    assert WarcPages(archive.file(tmp_path)).get(URL).body == body


@pytest.mark.parametrize(
    ("body", "headers", "state"),
    [
        (b"x", {"Content_Encoding": "br"}, "blocked"),
        (gzip.compress(b"x" * 999, mtime=0)[:-9], {"Content_Encoding": "gzip"}, "http_error"),
        (chunks(b"x" * 99)[:-30], {"Transfer_Encoding": "chunked"}, "http_error"),
        (b"5\r\nhello\r\nno mark\r\n", {"Transfer_Encoding": "chunked"}, "http_error"),
        (b"x" * 2001, {}, "too_large"),
        (chunks(b"x" * 2001), {"Transfer_Encoding": "chunked"}, "too_large"),
        (gzip.compress(b"x" * 2001, mtime=0), {"Content_Encoding": "gzip"}, "too_large"),
    ],
)
def test_a_body_that_is_of_no_use_is_none(archive, tmp_path, body, headers, state):
    archive.add(URL, body, **headers)
    got = WarcPages(archive.file(tmp_path), max_bytes=2000).get(URL)
    assert (got.state, got.body, got.status) == (state, b"", 200)
    assert got.detail.endswith(".")


@pytest.mark.parametrize(("why", "state"), [("length", "too_large"), ("time", "http_error")])
def test_a_page_that_the_archiver_cut_off_is_not_taken_for_whole(archive, tmp_path, why, state):
    archive.add(URL, b"the beginning", warc=[("WARC-Truncated", why)])
    got = WarcPages(archive.file(tmp_path)).get(URL)
    assert (got.state, got.body) == (state, b"")


def test_a_bomb_stays_within_its_bound(tmp_path):
    compressor = zlib.compressobj(9, wbits=31)
    block = bytes(1_000_000)
    bomb = b"".join(compressor.compress(block) for _ in range(100)) + compressor.flush()
    archive = Archive(True).add(URL, bomb, Content_Encoding="gzip")
    archive.add("https://e.org/large", chunks(bytes(30_000_000), 30_000_000), Transfer_Encoding="chunked")
    file = archive.file(tmp_path)
    tracemalloc.start()
    try:
        pages = WarcPages(file, max_bytes=1_000_000)
        states = {pages.get(URL).state, pages.get("https://e.org/large").state}
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert states == {"too_large"}
    assert peak < 25_000_000  # a block of 4 kB unpacks to a thousand times as much at most


def test_a_header_without_end_is_where_reading_stops(archive, tmp_path):
    archive.add(URL, b"<p>5 mg</p>", Content_Type="text/html")
    archive.add("https://example.org/bomb", b"x", warc=[(f"X-{number}", "1") for number in range(30_000)])
    pages = WarcPages(archive.file(tmp_path))
    assert pages.get(URL).body == b"<p>5 mg</p>"
    assert pages.get("https://example.org/bomb") is None
    assert pages.note


def test_an_archive_that_breaks_off_gives_what_is_whole(archive, tmp_path, capfd):
    for number in range(10):
        archive.add(f"https://e.org/{number}", f"page {number}".encode() * 300)
    file = archive.file(tmp_path)
    whole = file.read_bytes()
    refusals, notes = [], set()
    for kept in range(0, len(whole), max(1, len(whole) // 60)):
        file.write_bytes(whole[:kept])
        try:
            pages = WarcPages(file)
        except UserError as error:
            refusals.append(str(error))
            continue
        for number in range(len(pages)):
            assert pages.get(f"https://e.org/{number}").body == f"page {number}".encode() * 300
        assert len(pages) <= 10
        notes.add(pages.note)
    assert {f"{file} breaks off; the {number} pages before that are used." for number in (1, 5, 9)} <= notes
    assert all(said.endswith((" breaks off before the first page.", " is not a WARC file.")) for said in refusals)
    assert capfd.readouterr().err == ""


def test_what_comes_after_a_break_is_not_trusted(tmp_path):
    """The text of a page holds what looks like a record; the archive is cut within that page."""
    forged = Archive(False).add("https://bank.example/", b"forged").buffer.getvalue()
    archive = Archive(False).add("https://e.org/", b"good").add("https://evil.org/", forged + b"x" * 5000)
    file = archive.file(tmp_path)
    file.write_bytes(file.read_bytes()[:-3000])
    pages = WarcPages(file)
    assert pages.get("https://bank.example/") is None
    assert (len(pages), bool(pages.note)) == (1, True)


@given(st.data())
def test_a_damaged_archive_never_fails_otherwise(data):
    import tempfile
    from pathlib import Path

    archive = Archive(data.draw(st.booleans()))
    archive.add(URL, b"page " * 50).add("https://e.org/b", status=302, Location="/c").add("https://e.org/c", b"c")
    content = bytearray(archive.buffer.getvalue())
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(content) - 1))
        content[at] = data.draw(st.integers(0, 255))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "x.warc"
        file.write_bytes(content)
        try:
            pages = WarcPages(file)
        except UserError:
            return
        for url in (URL, "https://e.org/b", "https://e.org/c"):
            got = pages.get(url)
            assert got is None or got.url == url


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.wacz", b"PK\x03\x04", "unzip it"),
        ("a.warc.gz", b"PK\x03\x04", "unzip it"),
        ("a.warc", b"<html>", "is not a WARC file"),
        ("a.warc", b"", "is not a WARC file"),
        ("a.warc.gz", gzip.compress(b"<html>" * 100, mtime=0), "breaks off before the first page"),
        ("a.warc.gz", b"\x1f\x8bnot gzip", "breaks off before the first page"),
        ("a.warc", Archive(False).add("dns:e.org", b"x", kind="resource").buffer.getvalue(), "holds no web pages"),
        (
            "a.warc.gz",
            gzip.compress(Archive(False).add(URL, b"a").add(URL, b"b").buffer.getvalue()),
            "unpack it with gunzip",
        ),
    ],
)
def test_a_file_of_no_use_is_named_in_one_sentence(tmp_path, name, content, said):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(UserError, match=said) as refused:
        WarcPages(tmp_path / name)
    assert "\n" not in str(refused.value)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(UserError, match="There is no file"):
        WarcPages(tmp_path / "none.warc")


def test_a_file_that_is_gone_while_it_is_used_is_told(archive, tmp_path):
    file = archive.add(URL, b"page").file(tmp_path)
    pages = WarcPages(file)
    file.unlink()
    with pytest.raises(UserError, match="changed while it was in use"):
        pages.get(URL)


@given(st.binary(max_size=200), st.lists(st.integers(1, 20), max_size=30), st.integers(1, 30))
def test_chunk_marks_are_taken_out_wherever_the_blocks_end(body, cuts, size):
    packed = chunks(body, size)
    blocks = []
    for cut in cuts:
        blocks.append(packed[:cut])
        packed = packed[cut:]
    blocks.append(packed)
    assert b"".join(dechunked(iter(blocks))) == body


@given(st.lists(st.binary(max_size=50), max_size=10))
def test_any_bytes_either_pass_or_are_broken(blocks):
    with contextlib.suppress(BrokenBodyError):
        assert len(b"".join(dechunked(iter(blocks)))) <= sum(map(len, blocks))
