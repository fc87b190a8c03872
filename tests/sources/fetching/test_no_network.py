"""A failure of this machine is no finding about a link: nothing is stored of it, and the next fetch asks again."""

import json
import socket
from pathlib import Path

import pytest

from medreview import pipeline
from medreview.sources.fetching.network import Limits, Network
from medreview.study import Study
from tests.support.commands import Program
from tests.support.http_server import LocalServer, answer

PAGE = b"<p>" + b"Metformin is started at 500 mg once or twice daily with meals. " * 20 + b"</p>"
DEAD = ("http://one.example.invalid/a", "http://two.example.invalid/b")


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The names that the resolver knows, all of this machine; a test may take them away."""
    known: set[str] = set()

    def look_up(host: str | bytes, port: int, *_: object, **__: object) -> list[tuple[object, ...]]:
        name = host.decode() if isinstance(host, bytes) else host
        if name not in known | {"127.0.0.1"}:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    return known


def answers(folder: Path, *urls: str) -> Path:
    listed = "\n".join(f"[{number}] {url}" for number, url in enumerate(urls, 1))
    text = f"Metformin is usually started at 500 mg once or twice daily [1].\n\n{listed}"
    file = folder / "answers.jsonl"
    file.write_text(json.dumps({"id": "a1", "question": "How is metformin started?", "model": "m", "text": text}))
    return file


def states(path: Path) -> list[str]:
    with Study.open(path, read_only=True) as study:
        return [row[0] for row in study.reader.execute("SELECT page_state FROM snapshot_current")]


@pytest.mark.parametrize("way", ["name", "proxy"])
def test_without_a_network_nothing_is_found_about_links_and_the_next_fetch_asks_again(
    tmp_path: Path, names: set[str], server: LocalServer, way: str
) -> None:
    path, medreview = tmp_path / "s.medreview", Program(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as closed:  # nothing listens there when it is asked
        port = closed.getsockname()[1]
    proxy = ["--proxy", f"http://127.0.0.1:{port}"] if way == "proxy" else []
    for command in (["run", path, answers(tmp_path, *DEAD)], ["fetch", path]):
        done = medreview(*command, *proxy)
        assert "2 not fetched: this machine had no network" in done.stdout + done.stderr
    assert states(path) == []
    figures = json.loads(medreview("urls", path, "--json").stdout)["strata"][0]
    assert figures["states"] == {"not_fetched": 2}
    assert "undefined" in medreview("urls", path).stdout
    assert "0.0%" not in medreview("stats", path).stdout.replace("0.0% to 100.0%", "")


def test_a_proxy_that_lets_nothing_through_is_no_finding_either(tmp_path: Path, server: LocalServer) -> None:
    server.otherwise = answer(b"not allowed", status=403)
    path, medreview = tmp_path / "s.medreview", Program(tmp_path)
    secure = [url.replace("http:", "https:") for url in DEAD]
    done = medreview("run", path, answers(tmp_path, *secure), "--proxy", server.base)
    assert "2 not fetched: this machine had no network" in done.stdout + done.stderr
    assert states(path) == []


def fetched(path: Path, server: LocalServer) -> dict[str, int]:
    limits = Limits(host_delay=0.0, retry_delay=0.01, retries=0, deadline=5.0)
    with Study.open(path) as study:
        done = pipeline.fetch(study, pipeline.PageProvider(network=Network(limits=limits, allow=server.allow)))
    return {**done.states, "no_network": done.no_network}


def test_a_name_without_an_address_is_a_dead_link_where_other_names_have_one(
    tmp_path: Path, names: set[str], server: LocalServer
) -> None:
    path, medreview = tmp_path / "s.medreview", Program(tmp_path)
    server.otherwise = answer(PAGE, Content_Type="text/html")
    medreview("import", path, answers(tmp_path, DEAD[0], f"http://there.example:{server.port}/c"))
    assert fetched(path, server) == {"no_network": 2}
    names.add("there.example")
    assert fetched(path, server) == {"ok": 1, "http_error": 1, "no_network": 0}


def test_one_dead_link_alone_is_one_where_the_services_have_an_address(
    tmp_path: Path, names: set[str], server: LocalServer
) -> None:
    path, medreview = tmp_path / "s.medreview", Program(tmp_path)
    medreview("import", path, answers(tmp_path, DEAD[0]))
    names.add("doi.org")
    assert fetched(path, server) == {"http_error": 1, "no_network": 0}
