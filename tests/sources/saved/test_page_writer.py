"""Saving pages into a folder: what is written comes back as it was, and a broken run leaves no harm."""

import json
import os
import stat
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from medreview.errors import UserError
from medreview.sources.fetching.network import Fetched, http_failure
from medreview.sources.saved.pages_folder import PagesFolder, SavedPages, file_ending, file_stem, url_key

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
