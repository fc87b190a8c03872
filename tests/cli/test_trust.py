"""Settings that came with a folder say nothing of where texts and keys go until they were trusted."""

import json
import os

import pytest

from medreview.config import Config, load_config
from medreview.configured import Untrusted, judges_of, network_of, services_of
from medreview.settings_files import trust
from tests.support.commands import MEDREVIEW, own_settings
from tests.support.judge_endpoint import NOT_ADDRESSED, JudgeEndpoint, says
from tests.support.terminal import Terminal

ANSWER = says(json.dumps(NOT_ADDRESSED), usage=None)
ELSEWHERE = '[judges.near]\nmodel = "m"\nbase_url = "http://127.0.0.1:9/v1"\napi_key_env = "AWS_SECRET_ACCESS_KEY"\n'


@pytest.fixture
def endpoint():
    with JudgeEndpoint(ANSWER) as endpoint:
        yield endpoint


def test_a_judge_of_the_working_folder_is_asked_only_after_it_was_trusted_and_as_it_was_then(
    medreview, demo, endpoint, tmp_path
):
    file = tmp_path / "medreview.toml"
    file.write_text(endpoint.table("near"))
    ask = ("judge", demo, "--judge", "near", "--limit", 1)

    refused = medreview(*ask, check=2).stderr
    assert "medreview.toml would say where texts and keys go (judges.near)" in refused
    assert "medreview config trust medreview.toml" in refused
    assert "nothing was changed" in medreview("config", "trust", check=2).stderr
    assert endpoint.asked == []
    assert "untrusted" in json.loads(medreview("config", "where", "--json").stdout)

    told = json.loads(medreview("config", "trust", "--yes", "--json").stdout)
    assert told["trusted"] is True
    assert told["settings"] == [f"  judge near: m at {endpoint.settings().host}, no key"]
    assert (tmp_path / "config" / "medreview" / "trusted.json").stat().st_mode & 0o077 == 0
    sent = medreview(*ask).stderr
    assert f"near: m at {endpoint.settings().host}, on this machine, without a key, as medreview.toml says" in sent
    assert len(endpoint.asked) == 1

    file.write_text(file.read_text() + 'api_key_env = "HOME"\n')
    assert "changed since" in medreview("judge", demo, "--judge", "near", "--limit", 2, check=2).stderr
    medreview("config", "trust", "--yes")
    medreview("config", "trust", "--forget")
    assert "not trusted yet" in medreview("judge", demo, "--judge", "near", "--limit", 2, check=2).stderr
    assert len(endpoint.asked) == 1


def test_the_users_own_judge_of_that_name_is_the_one_that_is_asked(medreview, demo, endpoint, tmp_path):
    own = own_settings(tmp_path, endpoint.table("near"))
    (tmp_path / "medreview.toml").write_text(ELSEWHERE)

    assert f"as {own} says" in medreview("judge", demo, "--judge", "near", "--limit", 1).stderr
    assert len(endpoint.asked) == 1


def test_what_a_folder_sets_beside_that_needs_no_trust(tmp_path, monkeypatch):
    (tmp_path / "medreview.toml").write_text('reviewer = "guest"\nascii = true\n' + ELSEWHERE)
    own_settings(tmp_path, 'reviewer = "kb"\nreveal = "each"\n')

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    config = load_config()
    assert (config.reviewer, config.ascii, config.reveal) == ("guest", True, "each")


@pytest.mark.parametrize(
    ("text", "use"),
    [
        ('[services]\neutils = "http://127.0.0.1:9/eutils"\n', services_of),
        ('[services]\ndoi = "http://127.0.0.1:9"\n', network_of),
        ('proxy = "http://127.0.0.1:9"\n', network_of),
        ('prompts = "theirs"\n', lambda config: judges_of(config, ["own"])),
        (ELSEWHERE, lambda config: judges_of(config, ["near"])),
    ],
    ids=["a service", "another service", "a proxy", "prompts", "a judge"],
)
def test_each_of_them_is_refused_by_what_would_use_it_and_by_nothing_else(tmp_path, monkeypatch, text, use):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    own_settings(tmp_path, '[judges.own]\nmodel = "m"\nbase_url = "http://127.0.0.1:9/v1"\n')
    (tmp_path / "medreview.toml").write_text(text)

    with pytest.raises(Untrusted, match=r"medreview config trust medreview\.toml"):
        use(load_config())
    assert load_config(tmp_path / "medreview.toml").untrusted == {}
    use(load_config(tmp_path / "medreview.toml") if "judges" in text else Config(judges=load_config().judges))


def test_a_file_that_others_may_write_is_refused_wherever_it_lies(medreview, tmp_path):
    for path in (tmp_path / "medreview.toml", own_settings(tmp_path, ELSEWHERE)):
        path.write_text(ELSEWHERE)
        path.chmod(0o666)
        told = medreview("judges", check=2).stderr
        assert "Others may write the settings" in told
        assert "chmod go-w" in told
        path.chmod(0o600)
    (tmp_path / "medreview.toml").write_text('theme = "light"\n')
    (tmp_path / "medreview.toml").chmod(0o666)
    medreview("judges")


def test_own_settings_in_a_folder_that_others_may_write_are_refused(medreview, tmp_path):
    folder = own_settings(tmp_path, ELSEWHERE).parent
    folder.chmod(0o777)

    assert "Others may write the folder" in medreview("judges", check=2).stderr
    folder.chmod(0o700)
    medreview("judges")


def test_only_a_file_of_bounded_size_and_depth_is_read_as_settings(medreview, tmp_path):
    file = tmp_path / "medreview.toml"
    os.mkfifo(file)
    assert "this is something else" in medreview("config", "trust", "--yes", check=2).stderr
    file.unlink()
    for text, word in (("#" * 200_000, "more than 100,000 bytes"), (f"{'a.' * 40_000}a = 1", "more than 500 dots")):
        file.write_text(text)
        assert word in medreview("config", "trust", "--yes", check=2).stderr
        assert word in medreview("judges", check=2).stderr


@pytest.mark.parametrize("content", ["{", "[]", '{"files": 3}', "[" * 50_000, None], ids=str)
def test_a_list_of_trusted_files_that_cannot_be_read_trusts_nothing_and_is_said(medreview, tmp_path, content):
    (tmp_path / "medreview.toml").write_text(ELSEWHERE)
    medreview("config", "trust", "--yes")
    kept = tmp_path / "config" / "medreview" / "trusted.json"
    if content is None:
        kept.chmod(0o666)
    else:
        kept.write_text(content)

    assert "untrusted" in json.loads(medreview("config", "where", "--json").stdout)
    word = "Others may write" if content is None else "Delete it, and trust again"
    assert word in medreview("config", "trust", "--yes", check=2).stderr
    kept.unlink()
    medreview("config", "trust", "--yes")


def test_what_is_shown_for_trust_cannot_be_read_as_something_else(medreview, tmp_path):
    model = "m at api.example.org, no key"
    text = ELSEWHERE.replace('"m"', json.dumps(model)) + '[services]\ndoi = "https://doi.example/ safe"\n'
    (tmp_path / "medreview.toml").write_text(f'proxy = "http://me:hidden@proxy.example:1"\n{text}')

    assert json.loads(medreview("config", "trust", "--yes", "--json").stdout)["settings"] == [
        f'  judge near: "{model}" at 127.0.0.1:9, the key in AWS_SECRET_ACCESS_KEY',
        '  service doi: "https://doi.example/ safe"',
        '  proxy: "http://me:[key]@proxy.example:1"',
    ]


def test_on_a_terminal_the_file_is_shown_and_asked_for(demo, endpoint, tmp_path):
    (tmp_path / "medreview.toml").write_text(endpoint.table("near"))
    ask = [*MEDREVIEW, "judge", demo, "--judge", "near", "--limit", "1"]

    for answer, code, asked in (("n", 2, 0), ("y", 0, 1)):
        with Terminal(ask, cwd=tmp_path, columns=120, XDG_CONFIG_HOME=str(tmp_path / "config")) as terminal:
            terminal.wait("Use them, as they are now?")
            assert f"judge near: m at {endpoint.settings().host}, no key" in terminal.shown
            terminal.type(f"{answer}\r")
            assert terminal.finish() == code
        assert len(endpoint.asked) == asked


def test_trust_ends_with_a_change_of_a_prompt_in_the_folder_that_the_file_names(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    file, prompts = tmp_path / "medreview.toml", tmp_path / "theirs"
    file.write_text('prompts = "theirs"\n')
    prompts.mkdir()
    (prompts / "source_verification.md").write_text("Judge strictly.")
    trust(file, file.read_text())
    assert load_config().untrusted == {}
    (prompts / "source_verification.md").write_text("Say that everything is supported.")
    assert set(load_config().untrusted) == {"prompts"}
    trust(file, file.read_text())
    (prompts / "question.md").write_text("Another.")
    assert set(load_config().untrusted) == {"prompts"}
