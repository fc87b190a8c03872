"""Lost addresses and the archive: a local server speaks the Wayback availability format, and lies."""

import json
import signal
import time
from urllib.parse import parse_qs, urlsplit

import pytest

from medreview import pipeline
from medreview.sources.fetching.network import Limits, Network, Services
from medreview.sources.lookups import Archived, archived, ask_archive, lost_addresses, may_be_asked
from medreview.study import Study
from medreview.study.check import check
from tests.support.commands import interruptible
from tests.support.http_server import LocalServer, answer

GONE, NEVER, LATE = "https://guide.org/gone?a=1&b=ü%20x", "http://guide.org/never", "https://slow.org/page"
PRIVATE = ["http://intranet/gone", "http://10.0.0.5/gone", "http://files.hospital.local/gone"]


class Archive(LocalServer):
    """Holds copies by address: lists of (timestamp, status); or sends what it is told to send."""

    def __init__(self):
        super().__init__()
        self.copies, self.lies = {}, {}

    @property
    def asked(self):
        """The addresses that were asked about, and the moments."""
        return [(query["url"], query.get("timestamp", "")) for query in map(query_of, self.paths())]

    def route(self, path):
        query = query_of(path)
        status, body = self.copy_of(query["url"], query.get("timestamp", "99999999"))
        return answer(body, status=status)

    def copy_of(self, url, timestamp):
        if url in self.lies:
            return self.lies[url]
        copies = sorted(self.copies.get(url, []), key=lambda copy: abs(int(copy[0]) - int(timestamp.ljust(14, "0"))))
        found = {}
        if copies:
            moment, status = copies[0]
            place = f"http://web.archive.org/web/{moment}/{url}"
            found = {"closest": {"available": True, "url": place, "timestamp": moment, "status": status}}
        return 200, json.dumps({"url": url, "archived_snapshots": found}).encode()

    def ask(self, study, **more):
        limits = Limits(host_delay=0, retry_delay=0.01)
        network = Network(limits=limits, allow=self.allow)
        services = Services(wayback=f"{self.base}/wayback/available")
        return ask_archive(study, services=services, network=network, **more)


def query_of(path):
    return {key: values[0] for key, values in parse_qs(urlsplit(path).query).items()}


@pytest.fixture
def archive():
    with Archive() as one:
        yield one


def make_study(folder, lost, late=()):
    """A study whose sources are lost: status 404, or no answer in time."""
    pages = folder / "pages"
    pages.mkdir()
    (pages / "ok.html").write_text("<main><p>" + "The usual dose is 5 mg once daily. " * 20 + "</p></main>")
    lines = [{"url": url, "status": 404} for url in lost] + [{"url": url, "error": "timeout"} for url in late]
    lines.append({"url": "https://guide.org/ok", "file": "ok.html", "content_type": "text/html"})
    (pages / "manifest.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    answers = folder / "answers.jsonl"
    cited = [line["url"] for line in lines]
    answers.write_text(json.dumps({"response": "The dose is 5 mg.", "model": "m", "citations": cited}) + "\n")
    study = Study.create(folder / "a.medreview")
    pipeline.run(study, [answers], {}, pipeline.PageProvider(pages))
    return study


@pytest.fixture
def study(tmp_path):
    with make_study(tmp_path, [GONE, NEVER, *PRIVATE], [LATE]) as made:
        yield made


def test_only_lost_addresses_with_a_public_name_are_asked_about(study, archive):
    assert lost_addresses(study.reader) == [GONE, NEVER, LATE]
    archive.ask(study)

    assert {url for url, _ in archive.asked} == {GONE, NEVER, LATE}


def test_the_oldest_and_the_newest_copy_are_kept_and_nothing_is_asked_twice(study, archive):
    archive.copies[GONE] = [("20040301101112", "200"), ("20150630000000", "200"), ("20210506070809", "200")]
    first = archive.ask(study)

    assert (first.asked, first.failed, first.known, first.left) == (3, 0, 0, 0)
    copy = f"http://web.archive.org/web/20210506070809/{GONE}"
    expected = {GONE: Archived("2004-03-01", "2021-05-06", copy), NEVER: Archived(), LATE: Archived()}
    assert archived(study.reader) == expected
    assert sorted(archive.asked) == sorted([(GONE, ""), (GONE, "19960101"), (NEVER, ""), (LATE, "")])

    archive.received.clear()
    again = archive.ask(study)
    assert (again.asked, again.known, archive.asked) == (0, 3, [])
    assert archived(study.reader) == expected
    assert check(study.reader) == []


def test_only_a_copy_with_status_200_was_a_page(study, archive):
    archive.copies[GONE] = [("20040301101112", "200"), ("20210506070809", "404")]
    archive.copies[NEVER] = [("20040301101112", "302"), ("20210506070809", "404")]
    archive.ask(study)
    found = archived(study.reader)

    assert (found[GONE].first, found[GONE].last, found[GONE].status) == ("2004-03-01", "2004-03-01", "")
    assert (found[NEVER].last, found[NEVER].status) == ("", "302")


def test_a_copy_that_is_withheld_is_no_page(study, archive):
    closest = {"available": False, "url": "http://x.org/", "timestamp": "20040301101112", "status": "200"}
    archive.lies[GONE] = 200, json.dumps({"archived_snapshots": {"closest": closest}}).encode()
    archive.ask(study)

    assert archived(study.reader)[GONE] == Archived(status="withheld")


def closest(**changes):
    copy = {"available": True, "url": "http://x.org/", "timestamp": "20040301101112", "status": "200"} | changes
    return 200, json.dumps({"archived_snapshots": {"closest": copy}}).encode()


@pytest.mark.parametrize(
    "lie",
    [
        (200, b"<html><body>Too many people</body></html>"),
        (500, b"{}"),
        (404, b'{"archived_snapshots": {}}'),
        (200, b""),
        (200, b"{}"),
        (200, b"[]"),
        (200, b"null"),
        (200, b'{"archived_snapshots": []}'),
        (200, b'{"archived_snapshots": {"closest": null}}'),
        (200, b'{"archived_snapshots": {"closest": [1]}}'),
        (200, b"[" * 100_000),
        (200, b'{"archived_snapshots": {}, "n": ' + b"9" * 10_000 + b"}"),
        (200, b'{"archived_snapshots": {}, "x": "' + b"y" * 1_000_000 + b'"}'),
        (200, b'{"archived_snapshots": {}}\xff'),
        closest(timestamp=20040301101112),
        closest(timestamp="yesterday"),
        closest(timestamp="20041301101112"),
        closest(status=200),
        closest(status=None),
    ],
    ids=lambda lie: lie[1][:40],
)
def test_what_is_no_answer_is_kept_as_a_failure_and_asked_again(study, archive, lie):
    archive.lies[NEVER] = lie
    first = archive.ask(study)

    assert (first.asked, first.failed) == (3, 1)
    assert archived(study.reader)[NEVER] is None
    assert archived(study.reader)[GONE] == Archived()

    archive.lies.clear()
    archive.received.clear()
    again = archive.ask(study)
    assert (again.asked, again.failed, again.known) == (1, 0, 2)
    assert archived(study.reader)[NEVER] == Archived()


@pytest.mark.parametrize("url", ["javascript:alert(1)", 7, None, "http://x.org/" + "a" * 3000])
def test_the_address_of_a_copy_is_a_web_address_or_none(study, archive, url):
    archive.lies[GONE] = closest(url=url)
    archive.ask(study)

    assert archived(study.reader)[GONE] == Archived("2004-03-01", "2004-03-01", "")


def test_an_interrupted_run_keeps_what_came_and_goes_on_from_there(tmp_path, archive):
    lost = [f"https://guide.org/{number}" for number in range(8)]

    class Impatient:
        steps = 0

        def begin(self, title, total):
            assert (title, total) == ("archive", 8)

        def step(self, count=1):
            self.steps += count
            if self.steps == 3:
                signal.raise_signal(signal.SIGINT)

    with make_study(tmp_path, lost) as study:
        with interruptible(), pytest.raises(KeyboardInterrupt):
            archive.ask(study, progress=Impatient())
        kept = set(archived(study.reader))
        assert 3 <= len(kept) < 8

        archive.received.clear()
        rest = archive.ask(study)
        assert {url for url, _ in archive.asked} == set(lost) - kept
        assert (rest.known, rest.asked) == (len(kept), 8 - len(kept))


def test_a_service_that_is_down_is_left_alone(tmp_path, archive):
    lost = [f"https://guide.org/{number}" for number in range(30)]
    archive.lies = dict.fromkeys(lost, (500, b"down"))
    with make_study(tmp_path, lost) as study:
        done = archive.ask(study)

        assert 10 <= done.asked == done.failed <= 11  # one more may have been under way
        assert done.left == 30 - done.asked
        assert done.stopped.startswith("The server answered with status 500. Stopped after 10 failures in a row")
        assert len(archive.asked) < 15


def test_delays_of_the_network_are_kept(study, archive):
    network = Network(delays={"127.0.0.1": 0.1}, allow=archive.allow)
    services = Services(wayback=f"{archive.base}/wayback/available?collection=web")
    before = time.monotonic()
    ask_archive(study, services=services, network=network)

    assert len(archive.received) == 3
    assert archive.received[-1].at - before >= 0.2, "two pauses; the server may be late to see the first request"


@pytest.mark.parametrize(
    ("url", "may"),
    [
        ("https://guide.org/a@b", True),
        ("https://user:secret@guide.org/a", False),
        ("https://user@guide.org", False),
        ("http://intranet/", False),
        ("http://[::1]/", False),
        ("mailto:a@guide.org", False),
    ],
)
def test_what_may_be_shown_to_a_service(url, may):
    assert may_be_asked(url) == may
