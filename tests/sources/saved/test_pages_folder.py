"""Pages in a folder: read from it, and written to it."""

import json
import os
import re
import stat
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from medreview.errors import UserError
from medreview.sources.fetching.network import Fetched, http_failure
from medreview.sources.saved.pages_folder import PagesFolder, SavedPages, file_ending, file_stem, url_key


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
    assert (first.status, first.state, first.body) == (200, None, b"<p>a.html</p>")
    assert (first.fetched_at, first.content_type) == ("2026-03-01T00:00:00Z", "text/html")
    assert first.chain == ("https://example.org/a",)
    second = folder.get("https://example.org/b")
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
    assert (got.state, got.status, got.body) == (state, None, b"")
    assert got.detail.endswith(".")


def test_a_saved_error_status_needs_no_file(saved):
    got = PagesFolder(saved({"url": "https://example.org/", "status": 404})).get("https://example.org/")
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
    assert got.status == 200


def test_a_saved_page_over_the_cap_is_too_large(saved):
    folder = PagesFolder(saved({"url": "https://e.org/", "file": "a.html"}), max_bytes=5)
    got = folder.get("https://e.org/")
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
    assert got.body == b"<p>a.html</p>"


def test_missing_folder_and_manifest(tmp_path):
    with pytest.raises(UserError, match="no folder"):
        PagesFolder(tmp_path / "none")
    with pytest.raises(UserError, match=r"manifest\.jsonl"):
        PagesFolder(tmp_path)
    (tmp_path / "file").write_text("x")
    with pytest.raises(UserError, match="no folder"):
        PagesFolder(tmp_path / "file")


AT = "2026-03-01T10:00:00Z"
URL = "https://www.example.org/Dosing/Renal?id=3"


def page(url=URL, body=b"<html>5 mg</html>", **fields):
    base = {"final_url": url, "chain": (url,), "status": 200, "content_type": "text/html", "fetched_at": AT}
    return Fetched(**{"url": url, "body": body, **base, **fields})


def failed(state, detail, **fields):
    return page(**{"body": b"", "status": None, "content_type": "", "state": state, "detail": detail, **fields})


OUTCOMES = {
    "ok": page(etag='W/"a1"', last_modified="Sun, 01 Mar 2026 10:00:00 GMT"),
    "empty": page(body=b""),
    "no content": page(body=b"", status=204),
    "404 with a body": page(status=404, body=b"<p>gone</p>", state="http_error", detail=http_failure(404)[1]),
    "404 without": page(status=404, body=b"", state="http_error", detail=http_failure(404)[1]),
    "999": page(status=999, body=b"no", state="http_error", detail=http_failure(999)[1]),
    "behind a proxy": page(status=502, body=b"", state="http_error", detail="The server, or the proxy, said 502."),
    "timeout": failed("timeout", "example.org did not send the page within 30 seconds."),
    "blocked": failed("blocked", "example.org leads to 10.0.0.1, not a public address; it was not connected to."),
    "too large": failed("too_large", "The page is larger than 15 MB; it was not read.", status=200),
    "dns": failed("http_error", "The host name example.org could not be resolved."),
    "broken off": failed("http_error", "example.org broke off in the middle of the page.", status=200),
    "redirects": page(final_url="https://b.org/x", chain=(URL, "https://a.org/", "https://b.org/x")),
    "one redirect": page(final_url="https://b.org/x", chain=(URL, "https://b.org/x")),
    "to itself with a fragment": page(final_url=URL + "#top", chain=(URL, URL + "#top")),
    "a circle": failed("http_error", "The redirects of the page go in a circle.", status=302,
                       final_url="https://a.org/", chain=(URL, "https://a.org/")),
    "binary": page(body=bytes(range(256)) * 10, content_type="application/octet-stream"),
    "pdf": page(body=b"%PDF-1.7\n...", content_type="application/pdf"),
}  # fmt: skip


def back(folder, url):
    return PagesFolder(folder).get(url)


@pytest.mark.parametrize("outcome", OUTCOMES.values(), ids=OUTCOMES)
def test_every_outcome_comes_back_as_it_was(tmp_path, outcome):
    with SavedPages(tmp_path / "new" / "pages") as saved:
        assert saved.add(outcome)
    assert back(tmp_path / "new" / "pages", URL) == outcome


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)  # half characters are in no study
STATES = st.sampled_from([None, "http_error", "timeout", "blocked", "too_large"])


@st.composite
def answers(draw):
    url = "http" + draw(TEXT)
    chain = (url, *("http" + rest for rest in draw(st.lists(TEXT, max_size=3))))
    status = draw(st.none() | st.integers(100, 999))
    outcome = draw(st.just(None) | st.tuples(STATES, TEXT))
    state, detail = outcome or (http_failure(status) if status is not None else (None, ""))
    if state is not None and not detail:
        detail = "No."
    return Fetched(
        url, chain[-1], chain, status, draw(TEXT), draw(st.binary(max_size=50)), AT, state, detail, draw(TEXT),
        draw(TEXT),
    )  # fmt: skip


@given(st.lists(answers(), min_size=1, max_size=4))
@example([page("http://xn--\xff.org/"), page("http:// "), page("https://a.org/\n\x00")])
def test_any_answers_come_back_as_they_were(all_answers):
    with tempfile.TemporaryDirectory() as root:
        folder = Path(root) / "pages"
        with SavedPages(folder) as saved:
            for one in all_answers:
                saved.add(one)
        held = PagesFolder(folder)
        last = {url_key(one.url): one for one in all_answers if one.url.strip()}
        assert len(held) == len(last)
        for one in last.values():
            assert held.get(one.url) == one


def test_what_is_there_is_not_written_again(tmp_path):
    with SavedPages(tmp_path) as saved:
        assert saved.add(page())
        assert not saved.add(page())
        assert saved.add(page("https://example.org/b"))
    with SavedPages(tmp_path) as saved:
        assert len(saved) == 2
        assert URL in saved
        assert "https://example.org/c" not in saved
        assert not saved.add(page())
        assert saved.add(page(fetched_at="2026-04-01T00:00:00Z"))
    manifest = [json.loads(line) for line in (tmp_path / "manifest.jsonl").read_text().splitlines()]
    assert len(manifest) == 3
    assert manifest[0]["file"] == manifest[2]["file"]
    assert len(os.listdir(tmp_path)) == 3
    assert back(tmp_path, URL).fetched_at == "2026-04-01T00:00:00Z"


def test_one_source_in_two_spellings_is_one_page(tmp_path):
    with SavedPages(tmp_path) as saved:
        saved.add(page("https://Example.org/a#one", body=b"one"))
        saved.add(page("https://example.ORG/a#two", body=b"two"))
        assert len(saved) == 1
    assert back(tmp_path, "https://example.org/a").body == b"two"


def test_an_answer_without_news_is_left_out(tmp_path):
    with SavedPages(tmp_path) as saved:
        saved.add(page())
        assert not saved.add(page(body=b"", status=304, unchanged=True))
        assert not saved.add(page(" "))
    assert back(tmp_path, URL) == page()


def test_a_page_over_the_reading_cap_is_kept_whole_all_the_same(tmp_path):
    large = page(body=b"x" * 16_000_000)
    with SavedPages(tmp_path) as saved:
        assert saved.add(large)
        assert not saved.add(large)
    assert back(tmp_path, URL).state == "too_large"
    assert PagesFolder(tmp_path, max_bytes=20_000_000).get(URL) == large


def test_only_the_owner_reads_what_is_written(tmp_path):
    before = os.umask(0)
    try:
        with SavedPages(tmp_path / "pages") as saved:
            saved.add(page())
    finally:
        os.umask(before)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in [*(tmp_path / "pages").iterdir()]}
    assert set(modes.values()) == {0o600}
    assert len(modes) == 2
    assert stat.S_IMODE((tmp_path / "pages").stat().st_mode) == 0o700


@pytest.mark.parametrize(
    ("url", "stem"),
    [
        ("https://www.example.org/Dosing/Renal.html?id=3#x", "example-org-dosing-renal-html"),
        ("https://example.org/../../etc/passwd", "example-org-etc-passwd"),
        ("https://example.org/%2e%2e%2fx", "example-org-2e-2e-2fx"),
        ("http://[::1]/a", "1-a"),
        ("http://[::1", "http-1"),
        ("", "page"),
        ("https://例え.jp/", "jp"),
        ("https://e.org/" + "a" * 500, ("e-org-" + "a" * 500)[:60]),
    ],
)
def test_names_are_short_and_plain(url, stem):
    assert file_stem(url) == stem


@given(st.text())
def test_no_address_makes_a_name_that_could_do_harm(url):
    stem = file_stem(url)
    assert 1 <= len(stem) <= 60
    assert set(stem) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")


@pytest.mark.parametrize(
    ("body", "kind", "ending"),
    [
        (b"%PDF-1.4", "text/html", "pdf"),
        (b"junk\n%PDF-1.4", "", "pdf"),
        (b"\xef\xbb\xbf<!DOCTYPE html><p>", "", "html"),
        (b"<?xml version='1.0'?><html xmlns='x'>", "text/html", "html"),
        (b"<?xml version='1.0'?><article>", "text/xml", "xml"),
        (b"<article>", "text/html", "html"),
        (b'{"a": 1}', "application/json", "json"),
        (b"plain words", "text/plain", "txt"),
        (b"\x89PNG\r\n\x1a\n\0\0", "image/png", "bin"),
        (b"", "", "txt"),
    ],
)
def test_the_ending_is_told_by_the_first_bytes(body, kind, ending):
    assert file_ending(page(body=body, content_type=kind)) == ending


def test_pages_of_one_path_get_names_of_their_own(tmp_path):
    with SavedPages(tmp_path) as saved:
        for number in range(30):
            saved.add(page(f"https://e.org/efetch?id={number}", body=str(number).encode()))
    assert len(os.listdir(tmp_path)) == 31
    held = PagesFolder(tmp_path)
    assert [held.get(f"https://e.org/efetch?id={number}").body for number in range(30)] == [
        str(number).encode() for number in range(30)
    ]


def test_a_file_that_is_there_is_never_overwritten(tmp_path):
    (tmp_path / "example-org-dosing-renal.html").write_text("mine")
    with SavedPages(tmp_path) as saved:
        saved.add(page())
    assert (tmp_path / "example-org-dosing-renal.html").read_text() == "mine"
    assert back(tmp_path, URL) == page()


def test_a_crash_between_the_file_and_its_line_does_no_harm(tmp_path, monkeypatch):
    import medreview.sources.saved.pages_folder as module

    def dies(fetched, name):
        raise KeyboardInterrupt

    with SavedPages(tmp_path) as saved:
        saved.add(page("https://example.org/first"))
        monkeypatch.setattr(module, "written_line", dies)
        with pytest.raises(KeyboardInterrupt):
            saved.add(page())
    monkeypatch.undo()
    assert back(tmp_path, URL) is None
    with SavedPages(tmp_path) as saved:
        assert saved.add(page())
    assert back(tmp_path, URL) == page()


@pytest.mark.parametrize("cut", [1, 5, 40])
def test_a_line_that_broke_off_is_dropped_and_written_anew(tmp_path, cut):
    with SavedPages(tmp_path) as saved:
        saved.add(page("https://example.org/first"))
        saved.add(page())
    manifest = tmp_path / "manifest.jsonl"
    manifest.write_bytes(manifest.read_bytes()[:-cut])
    with SavedPages(tmp_path) as saved:
        assert saved.add(page()) == (cut > 1)  # only the line end was missing: the page is there
    assert back(tmp_path, URL) == page()
    assert back(tmp_path, "https://example.org/first") == page("https://example.org/first")


def test_a_full_disk_leaves_the_list_whole(tmp_path, monkeypatch):
    real = os.write
    with SavedPages(tmp_path) as saved:
        saved.add(page("https://example.org/first"))
        monkeypatch.setattr(os, "write", lambda descriptor, data: real(descriptor, data[:7]))
        with pytest.raises(UserError, match="No space left"):
            saved.add(page())
        monkeypatch.undo()
        assert saved.add(page())
    assert back(tmp_path, URL) == page()
    assert len(PagesFolder(tmp_path)) == 2


def test_the_sample_folder_of_old_can_be_added_to(tmp_path):
    (tmp_path / "a.html").write_text("old")
    (tmp_path / "manifest.jsonl").write_text('{"url": "https://e.org/a", "file": "a.html"}')  # no line end
    with SavedPages(tmp_path) as saved:
        saved.add(page())
    assert back(tmp_path, "https://e.org/a").body == b"old"
    assert back(tmp_path, URL) == page()


def test_a_link_in_place_of_the_list_is_not_followed(tmp_path):
    (tmp_path / "mine.txt").write_text("")
    (tmp_path / "pages").mkdir()
    os.symlink(tmp_path / "mine.txt", tmp_path / "pages" / "manifest.jsonl")
    with pytest.raises(UserError, match="cannot be saved"):
        SavedPages(tmp_path / "pages")


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("x")
    for place in (tmp_path / "file", tmp_path / "file" / "pages"):
        with pytest.raises(UserError, match="cannot be saved"):
            SavedPages(place)


@pytest.mark.parametrize("last", [b"]", b'{"page": "https://example.org/a", "file', b"a word", b'{ "url":'])
def test_a_last_line_that_is_not_ours_is_left_and_reported(tmp_path, last):
    with SavedPages(tmp_path) as saved:
        saved.add(page())
    with (tmp_path / "manifest.jsonl").open("ab") as file:
        file.write(last)
    before = (tmp_path / "manifest.jsonl").read_bytes()
    with pytest.raises(UserError, match="Line 2"):
        SavedPages(tmp_path)
    assert (tmp_path / "manifest.jsonl").read_bytes() == before
