"""``medreview sources addresses`` as a person and a script meet it, with an archive and a registry on this machine."""

import json
from urllib.parse import parse_qs, urlsplit

import pytest

from medreview import pipeline
from medreview.sources.fetching.network import Limits, Network, Services
from medreview.study import Study
from tests.support.http_server import LocalServer, answer, answer_json

HELD = "https://guidelines.kidney-society.org/2019/metformin-in-kidney-disease.html"
TEXT = "<main><p>" + "The usual dose of this drug is 5 mg once daily. " * 12 + "</p></main>"


class Lookups(LocalServer):
    """``/available?url=`` as the archive, ``/domain/NAME`` as a registry; ``down``: neither."""

    down = False

    def route(self, path):
        parts = urlsplit(path)
        if self.down:
            return answer(b"down", status=500)
        if parts.path == "/available":
            url = parse_qs(parts.query)["url"][0]
            copy = {"available": True, "url": f"http://web.archive.org/web/2/{url}", "status": "200"}
            closest = {"closest": copy | {"timestamp": "20190405060708"}} if url == HELD else {}
            return answer_json({"url": url, "archived_snapshots": closest})
        card = ["vcard", [["adr", {"cc": "CA" if parts.path.endswith("kidney-society.org") else "US"}, "text", []]]]
        entities = [{"roles": ["registrant"], "vcardArray": card}]
        return answer_json({"objectClassName": "domain", "entities": entities})


@pytest.fixture
def services(monkeypatch):
    with Lookups() as server:
        network = Network(limits=Limits(host_delay=0, retry_delay=0.01), allow=server.allow)
        services = Services(wayback=f"{server.base}/available", rdap=server.base)
        monkeypatch.setattr("medreview.cli.commands.cited_pages.network_from_config", lambda: network)
        monkeypatch.setattr("medreview.cli.commands.cited_pages.services_from_config", lambda: services)
        yield server


@pytest.fixture
def study(tmp_path):
    """Thirty-two responses of three models with long and hostile names, whose pages are partly lost."""
    urls = [f"https://host-{number}.a-rather-long-name-of-a-health-information-site.org/page" for number in range(9)]
    gone = [HELD, "https://guidelines.kidney-society.org/never", "http://intranet/page"]
    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "page.html").write_text(TEXT)
    lines: list[dict[str, object]] = [
        {"url": url, "file": "page.html", "content_type": "text/html"} for url in urls[1:]
    ]
    lines += [{"url": url, "status": 404} for url in gone] + [{"url": "https://slow.org/x", "error": "timeout"}]
    (pages / "manifest.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    everything = [*urls, *gone, "https://slow.org/x", "https://nejm.org/x"]
    models = ["atlas-2", "[red]eve\x1b]52;c;aGk=\x07\u202e[/red]", "a-model-with-a-very-long-name-" * 3]
    rows = [
        {
            "id": str(number),
            "response": f"Take {number} mg.",
            "model": models[number % 3],
            "origin": ["forum", "clinic"][number % 2],
            "citations": [everything[(number * step) % len(everything)] for step in (1, 3, 5)],
        }
        for number in range(32)
    ]
    answers = tmp_path / "answers.jsonl"
    answers.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with Study.create(tmp_path / "some.medreview") as made:
        pipeline.run(made, [answers], {}, pipeline.PageProvider(pages))
    return tmp_path / "some.medreview"


def test_the_report_fits_80_columns_and_says_what_each_number_is(medreview, study, services):
    shown = medreview("sources", "addresses", study, "--archive", "--registry")

    assert max(len(line) for line in shown.stdout.splitlines() if not line.startswith("  medreview ")) <= 80
    for words in (
        "citations of 14 sources in 32 of 32 responses",
        "counted once per response",
        "URL validity: the address answered with status 200 and text",
        "Behind a paywall",
        "33 domains",
        "United States or not",
        "Registries, by domain: 4 with a country, 0 without",
        "Addresses without a page, and whether the web archive ever held one",
        "2019-04 to 2019-04",
        "Never in the archive",
        "1 source never asked about",
        "Hosts and top-level domains: model atlas-2",
        "9,999 replicates, seed 1",
    ):
        assert words in " ".join(shown.stdout.split())
    assert "\u2026" not in shown.stdout
    assert "archive: asked about 3 addresses\n" in shown.stderr
    assert "registries: asked about 4 domains\n" in shown.stderr


def test_names_from_outside_cannot_act_on_the_terminal(medreview, study):
    shown = medreview("sources", "addresses", study).stdout

    assert "[red]eve\u241b]52;c;aGk=\u2407\ufffd[/red]" in "".join(shown.split())
    assert not {"\x1b", "\x07", "\u202e"} & set(shown)


def test_the_figures_need_no_network_afterwards_and_nothing_is_asked_twice(medreview, study, services):
    def figures(done):
        told = json.loads(done.stdout)
        assert told["provenance"].pop("made_at")
        return told

    first = figures(medreview("sources", "addresses", study, "--archive", "--registry", "--json"))
    services.down = True
    again = medreview("sources", "addresses", study, "--archive", "--registry", "--json")

    assert figures(again) == first
    assert "archive: nothing asked; 3 known from before\n" in again.stderr
    assert figures(medreview("sources", "addresses", study, "--json")) == first


def test_a_service_that_is_down_leaves_figures_and_a_sentence(medreview, study, services):
    services.down = True
    shown = medreview("sources", "addresses", study, "--archive", "--registry")

    assert "archive: asked about 3 addresses, 3 of them without an answer (asked again next time)" in shown.stderr
    assert "undefined: the archive has not answered for any of them" in shown.stdout
    assert "4 gave no answer" in " ".join(shown.stdout.split())


def test_json_holds_every_figure(medreview, study, services):
    report = json.loads(medreview("sources", "addresses", study, "--archive", "--top", 2, "--json").stdout)
    whole = report["strata"][0]

    assert {"name", "value", "low", "high", "method", "n", "clusters", "dropped", "reason"} <= whole["validity"].keys()
    assert whole["hosts"]["distinct"] == 13
    assert len(whole["hosts"]["named"]) == 2
    assert [group["group"] for group in whole["archive"]] == ["not_found", "other", "all"]
    assert {source["outcome"] for source in report["lost"]} == {"once_there", "never", "private"}
    assert [stratum["stratum"] for stratum in report["strata"] if stratum["split"] == "origin"] == ["clinic", "forum"]


def test_a_list_of_ones_own(medreview, study, tmp_path):
    (tmp_path / "mine.toml").write_text('domains = ["a-rather-long-name-of-a-health-information-site.org"]\n')
    report = json.loads(
        medreview("sources", "addresses", study, "--paywalled", tmp_path / "mine.toml", "--json").stdout
    )

    assert report["paywalled_domains"] == 1
    assert report["strata"][0]["paywalls"]["listed_only"] > 0
    assert "mine.toml" in medreview("sources", "addresses", study, "--paywalled", tmp_path / "mine.toml").stdout


def test_mistakes_are_one_sentence(study, medreview, tmp_path):
    done = medreview("sources", "addresses", study, "--paywalled", tmp_path / "none.toml", check=2)
    assert done.stderr == f"medreview: The list {tmp_path / 'none.toml'} cannot be read (No such file or directory).\n"
    assert medreview("sources", "addresses", tmp_path / "no.medreview", check=2).stderr.startswith(
        "medreview: There is no study at"
    )


def test_a_study_without_citations_is_a_sentence(medreview, tmp_path):
    Study.create(tmp_path / "new.medreview").close()

    assert medreview("sources", "addresses", tmp_path / "new.medreview").stdout == (
        "No response of this study cites anything: there is no address to look at.\n"
    )


def test_help_says_what_goes_where(medreview):
    shown = " ".join(medreview("sources", "addresses", "--help").stdout.split())

    assert "Example: medreview sources addresses" in shown
    assert "rdap.org" in shown


def test_the_settings_name_who_is_asking(tmp_path, monkeypatch):
    from medreview.cli.network import network_from_config, services_from_config

    monkeypatch.chdir(tmp_path)
    (tmp_path / "medreview.toml").write_text('contact = "anna@clinic.example"\n')

    assert network_from_config().user_agent.endswith("(anna@clinic.example)")
    assert network_from_config().delays == services_from_config().delays()
    assert services_from_config().contact == "anna@clinic.example"
