"""A folder of saved pages in place of the network."""

import json
import os
import re

import pytest

from medreview.errors import UserError
from medreview.sources.saved.pages_folder import PagesFolder, url_key


@pytest.fixture
def saved(tmp_path):
    """Make a folder from manifest records (or raw lines) and files."""

    def make(*records, files=("a.html",)):
        folder = tmp_path / "pages"
        (folder / "sub").mkdir(parents=True, exist_ok=True)
        for name in files:
            (folder / name).write_bytes(f"<p>{name}</p>".encode())
        lines = [record if isinstance(record, bytes) else json.dumps(record).encode() for record in records]
        (folder / "manifest.jsonl").write_bytes(b"\n".join(lines))
        return folder

    return make


def test_a_saved_page_is_answered_as_if_fetched(saved):
    folder = PagesFolder(
        saved(
            {"url": "https://example.org/a", "file": "a.html", "content_type": "text/html", "fetched_at": "2026-03-01"},
            b"",
            {"url": "https://example.org/b", "file": "sub/b.pdf", "final_url": "https://example.org/c"},
            files=("a.html", "sub/b.pdf"),
        )
    )
    assert len(folder) == 2
    first = folder.get("https://example.org/a")
    assert first is not None
    assert (first.status, first.state, first.body) == (200, None, b"<p>a.html</p>")
    assert (first.fetched_at, first.content_type) == ("2026-03-01T00:00:00Z", "text/html")
    assert first.chain == ("https://example.org/a",)
    second = folder.get("https://example.org/b")
    assert second is not None
    assert second.chain == ("https://example.org/b", "https://example.org/c")
    assert second.final_url == "https://example.org/c"
    assert second.fetched_at.endswith("Z")
    assert folder.get("https://example.org/none") is None


def test_urls_are_compared_by_their_key(saved):
    folder = PagesFolder(saved({"url": "HTTPS://Example.ORG:443/A?x=1#frag", "file": "a.html"}))
    assert folder.get("https://example.org/A?x=1") is not None
    assert folder.get("https://EXAMPLE.org/A?x=1#other") is not None
    assert folder.get("https://example.org/a?x=1") is None
    assert folder.get("http://example.org/A?x=1") is None


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("HTTP://Example.ORG", "http://example.org/"),
        ("http://example.org:80/", "http://example.org/"),
        ("https://example.org:443/x", "https://example.org/x"),
        ("http://example.org:443/x", "http://example.org:443/x"),
        ("https://example.org/X%20y?Q=1#z", "https://example.org/X%20y?Q=1"),
        ("http://[2001:DB8::1]:80/", "http://[2001:db8::1]/"),
        ("http://example.org:port/", "http://example.org:port/"),
        (" https://example.org/ ", "https://example.org/"),
        ("https://doi.org/10.1000/%28x%29%2D1", "https://doi.org/10.1000/%28x%29-1"),
    ],
)
def test_url_key(url, key):
    assert url_key(url) == f"url:{key}"


@pytest.mark.parametrize(("error", "state"), [("timeout", "timeout"), ("connect", "http_error"), ("dns", "http_error")])
def test_saved_failures(saved, error, state):
    got = PagesFolder(saved({"url": "https://example.org/", "error": error})).get("https://example.org/")
    assert got is not None
    assert (got.state, got.status, got.body) == (state, None, b"")
    assert got.detail.endswith(".")


def test_a_saved_error_status_needs_no_file(saved):
    got = PagesFolder(saved({"url": "https://example.org/", "status": 404})).get("https://example.org/")
    assert got is not None
    assert (got.state, got.status, got.body) == ("http_error", 404, b"")


def test_a_line_may_tell_the_outcome_and_the_way_there(saved):
    folder = PagesFolder(
        saved(
            {"url": "https://e.org/a", "state": "too_large"},
            {"url": "https://e.org/b", "state": "blocked", "detail": "Refused.", "status": None},
            {"url": "https://e.org/c", "file": "a.html", "status": 999, "etag": '"1"', "last_modified": "then",
             "final_url": "https://e.org/z", "chain": ["https://e.org/c", "https://e.org/y", "https://e.org/z"]},
        )
    )  # fmt: skip
    first, second, third = (folder.get(f"https://E.org/{name}") for name in "abc")
    assert (first.state, first.status, first.body) == ("too_large", None, b"")
    assert first.detail.endswith(".")
    assert (second.state, second.detail) == ("blocked", "Refused.")
    assert third.chain == ("https://E.org/c", "https://e.org/y", "https://e.org/z")
    assert (third.status, third.state, third.etag, third.last_modified) == (999, "http_error", '"1"', "then")
    assert third.body == b"<p>a.html</p>"


def test_a_later_line_replaces_an_earlier_one(saved):
    folder = PagesFolder(saved({"url": "https://e.org/", "status": 404}, {"url": "https://E.org/#x", "file": "a.html"}))
    got = folder.get("https://e.org/")
    assert len(folder) == 1
    assert got is not None
    assert got.status == 200


def test_a_saved_page_over_the_cap_is_too_large(saved):
    folder = PagesFolder(saved({"url": "https://e.org/", "file": "a.html"}), max_bytes=5)
    got = folder.get("https://e.org/")
    assert got is not None
    assert (got.state, got.body) == ("too_large", b"")


@pytest.mark.parametrize(
    "line",
    [
        b"{", b"[]", b"3", b'"x"', b"\xff\xfe", b"{}", b'{"url": ""}', b'{"url": 3}', b'{"url": "https://e.org/"}',
        b'{"url": "https://e.org/", "file": "gone.html"}', b'{"url": "https://e.org/", "file": ["a.html"]}',
        b'{"url": "https://e.org/", "file": "sub"}', b'{"url": "https://e.org/", "file": "."}',
        b'{"url": "https://e.org/", "file": "a.html", "status": "200"}',
        b'{"url": "https://e.org/", "file": "a.html", "status": true}',
        b'{"url": "https://e.org/", "status": 7}', b'{"url": "https://e.org/", "error": "other"}',
        b'{"url": "https://e.org/", "file": "a.html", "fetched_at": "yesterday"}', b"[" * 100_000,
        b'{"url": "https://e.org/", "state": "ok"}', b'{"url": "https://e.org/", "state": 3}',
        b'{"url": "https://e.org/", "state": "timeout", "detail": 3}', b'{"url": "https://e.org/", "status": 1000}',
        b'{"url": "https://e.org/", "file": "a.html", "chain": "https://e.org/"}',
        b'{"url": "https://e.org/", "file": "a.html", "chain": []}',
        b'{"url": "https://e.org/", "file": "a.html", "chain": ["https://e.org/", 3]}',
        b'{"url": "https://e.org/", "file": "a.html", "chain": ["https://e.org/", "https://e.org/b"]}',
        b'{"url": "https://e.org/", "file": "a.html", "final_url": "https://e.org/b", "chain": ["https://e.org/b"]}',
        b'{"url": "https://e.org/", "file": "a.html", "etag": 3}',
    ],
)  # fmt: skip
def test_a_bad_line_is_named_with_its_number_and_costs_that_line(saved, line):
    folder = PagesFolder(saved({"url": "https://good.org/", "file": "a.html"}, b"", line))
    assert re.fullmatch(r"Line 3 of .*manifest\.jsonl .*; left out\.", folder.note)
    assert len(folder) == 1
    with pytest.raises(UserError, match=r"^Line 2 of .*manifest\.jsonl .*\.$"):
        PagesFolder(saved(b"", line))


@pytest.mark.parametrize(
    "name", ["../secret.txt", "sub/../../secret.txt", "/etc/passwd", "C:\\x", "\\\\host\\x", "..", "a\0b", "link.html",
             "dir/secret.txt"],
)  # fmt: skip
def test_files_never_leave_the_folder(saved, tmp_path, name):
    (tmp_path / "secret.txt").write_text("secret")
    folder = saved({"url": "https://e.org/", "file": name})
    os.symlink(tmp_path / "secret.txt", folder / "link.html")
    os.symlink(tmp_path, folder / "dir")
    with pytest.raises(UserError, match="outside the folder"):
        PagesFolder(folder)


def test_a_link_within_the_folder_is_fine(saved):
    folder = saved({"url": "https://e.org/", "file": "b.html"})
    os.symlink(folder / "a.html", folder / "b.html")
    got = PagesFolder(folder).get("https://e.org/")
    assert got is not None
    assert got.body == b"<p>a.html</p>"


def test_missing_folder_and_manifest(tmp_path):
    with pytest.raises(UserError, match="no folder"):
        PagesFolder(tmp_path / "none")
    with pytest.raises(UserError, match=r"manifest\.jsonl"):
        PagesFolder(tmp_path)
    (tmp_path / "file").write_text("x")
    with pytest.raises(UserError, match="no folder"):
        PagesFolder(tmp_path / "file")
