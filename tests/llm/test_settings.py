"""The tables [judges.NAME] of the settings."""

import dataclasses

import pytest

from medreview.config import load_config
from medreview.errors import UserError
from medreview.llm.settings import JudgeSettings, as_told, choose, keep_local, where_texts_go

HOME = 'model = "m"\nbase_url = "http://localhost:8000/v1"\n'


def config(tmp_path, text):
    path = tmp_path / "medreview.toml"
    path.write_text(text)
    return load_config(path)


def test_a_judge_is_read_with_its_parameters_and_prices(tmp_path):
    judges = config(
        tmp_path,
        f'reviewer = "kb"\n[judges.home]\n{HOME}[judges.cloud]\nmodel = "gpt"\nbase_url = "https://api.example.org/v1"\n'
        'api_key_env = "CLOUD_KEY"\nparams = {temperature = 0, max_tokens = 500}\nprice_input = 1\nprice_output = 2.5\n'
        "concurrency = 8\ncontext_tokens = 32000\ntimeout = 30\n",
    ).judges

    assert judges["home"] == JudgeSettings("home", "m", "http://localhost:8000/v1")
    assert dataclasses.astuple(judges["cloud"]) == (
        *("cloud", "gpt", "https://api.example.org/v1", "CLOUD_KEY", {"temperature": 0, "max_tokens": 500}),
        *(1, 2.5, 8, 32000, 30, {}, str(tmp_path / "medreview.toml"), "judge", None),
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[judges]\nhome = 3\n", "'home' must be a table"),
        ('[judges.home]\nmodel = "m"\n', "'base_url' is missing"),
        (f"[judges.home]\n{HOME}colour = 1\n", "unknown key 'colour'"),
        (f'[judges.home]\n{HOME}concurrency = "4"\n', "'concurrency' must be a whole number"),
        (f"[judges.home]\n{HOME}concurrency = true\n", "'concurrency' must be a whole number"),
        (f"[judges.home]\n{HOME}concurrency = 0\n", "'concurrency' must be above 0"),
        (f"[judges.home]\n{HOME}timeout = inf\n", "'timeout' must be above 0"),
        (f"[judges.home]\n{HOME}timeout = nan\n", "'timeout' must be above 0"),
        (f"[judges.home]\n{HOME}price_input = -1\n", "'price_input' must not be below 0"),
        (f"[judges.home]\n{HOME}params = {{stream = true}}\n", "'stream' cannot stand under"),
        (f"[judges.offline]\n{HOME}", "needs another name"),
        (f"[judges.home]\n{HOME}params = {{api_key = 'very-secret'}}\n", "looks like a key under"),
        (
            f"[judges.home]\n{HOME}params = {{extra_body = {{authorization = 'very-secret'}}}}\n",
            "looks like a key under",
        ),
        (f"[judges.home]\n{HOME}params = {{user = 'sk-very-secret'}}\n", "looks like a key under"),
        (f"[judges.home]\n{HOME}params = {{headers = {{a = 'very-secret'}}}}\n", "'headers' cannot stand under"),
        ('[judges.home]\nmodel = "m"\nbase_url = "https://api.example.org/sk-very-secret/v1"\n', "looks like a key"),
        (f'[judges.home]\n{HOME}api_key = "sk-very-secret"\n', "holds a key"),
        (f'[judges.home]\n{HOME}api_key_env = "sk-very-secret"\n', "in capitals, not hold the key"),
        (
            '[judges.home]\nmodel = "m"\nbase_url = "https://me:sk-very-secret@api.example.org/v1"\n',
            "without a user name",
        ),
        (
            '[judges.home]\nmodel = "m"\nbase_url = "https://api.example.org/v1?key=sk-very-secret"\n',
            "without a user name",
        ),
        ('[judges.home]\nmodel = "m"\nbase_url = "localhost:8000"\n', "'base_url' must be an address"),
        ('[judges.home]\nmodel = "m"\nbase_url = "http://[::1/v1"\n', "'base_url' must be an address"),
        ('[judges.home]\nmodel = "m"\nbase_url = "http://localhost/\\u0001"\n', "'base_url' must be an address"),
        ('[judges.home]\nmodel = "m"\nbase_url = "http://evil.example\\\\.localhost/"\n', "'base_url' must be an"),
        ('[judges.home]\nmodel = "m\\n x"\nbase_url = "http://localhost/v1"\n', "a name on one line"),
        (f'[judges.home]\nmodel = "m{" " * 300}x"\nbase_url = "http://localhost/v1"\n', "at most 200 characters"),
        (
            '[judges.home]\nmodel = "m"\nbase_url = "http://localhost/v1"\nparams = {since = 2020-01-01}\n',
            "that no server can be sent as JSON",
        ),
        (
            '[judges.home]\nmodel = "m"\nbase_url = "http://localhost/v1"\nparams = {temperature = nan}\n',
            "that no server can be sent as JSON",
        ),
    ],
)
def test_a_mistake_is_named_and_a_key_is_never_repeated(tmp_path, text, words):
    with pytest.raises(UserError, match=r"medreview\.toml") as told:
        config(tmp_path, text)

    assert words in str(told.value)
    assert "very-secret" not in str(told.value)


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("localhost:8000", True),
        ("LOCALHOST.", True),
        ("127.0.0.1", True),
        ("127.8.0.1:1", True),
        ("[::1]:8000", True),
        ("10.0.0.5", False),
        ("0.0.0.0", False),
        ("localhost.example.org", False),
        ("elsewhere.localhost", False),
        ("127.1", False),
        ("127.0.0.1.example.org", False),
        ("api.example.org", False),
        ("[::ffff:8.8.8.8]", False),
    ],
)
def test_what_is_local(host, local):
    judge = JudgeSettings("j", "m", f"http://{host}/v1")

    assert judge.is_local is local
    assert ("outside this machine," in "\n".join(where_texts_go([judge]))) is not local
    if not local:
        with pytest.raises(UserError, match="--local-only"):
            keep_local([judge])


def test_what_is_said_before_sending_names_host_model_variable_and_file():
    there = [JudgeSettings(name, "m", "http://gpu.example.org:8000/v1") for name in "ab"]

    told = "\n".join(
        where_texts_go([*there, JudgeSettings("c", "m", "http://localhost/v1", settings_file="here.toml")])
    )
    assert told.count("gpu.example.org:8000, outside this machine, unencrypted, without a key") == 2
    assert "c: m at localhost, on this machine, without a key, as here.toml says" in told
    assert "may send them on" in told
    assert "identifies a patient" in told
    away = "\n".join(where_texts_go([JudgeSettings("a", "m", "https://api.example.org/v1", api_key_env="A_KEY")]))
    assert "a: m at api.example.org, outside this machine, with the key in A_KEY" in away
    assert "may send them on" not in away


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("org/model-2.1:free@x", "org/model-2.1:free@x"),
        ("gpt-4 at api.openai.com, no key", '"gpt-4 at api.openai.com, no key"'),
        ("\u05d0\u05d1", '"\\u05d0\\u05d1"'),
        ("a\u202eb", '"a\\u202eb"'),
    ],
)
def test_a_name_cannot_continue_the_sentence_in_which_it_stands(text, told):
    assert as_told(text) == told


def test_judges_are_chosen_by_name():
    judges = {name: JudgeSettings(name, "m", "http://localhost/v1") for name in "abc"}

    assert [judge.name for judge in choose(judges, ["c", "a", "c"])] == ["c", "a"]
    with pytest.raises(UserError, match=r"no judge 'd'; there are: a, b, c"):
        choose(judges, ["d"])
    with pytest.raises(UserError, match=r"no table"):
        choose({}, ["d"])


def test_the_proxy_of_the_environment_is_named_without_its_password_and_is_none_for_this_machine(monkeypatch):
    monkeypatch.setenv("HTTPS_PROXY", "http://me:very-secret@proxy.example:3128")
    monkeypatch.setenv("NO_PROXY", "near.example")
    hosts = ("https://api.example.org/v1", "https://near.example/v1", "http://localhost:8000/v1")

    told = where_texts_go([JudgeSettings(f"j{at}", "m", host) for at, host in enumerate(hosts)])
    assert [line for line in told if "proxy" in line] == [
        "  j0: m at api.example.org, outside this machine, through the proxy proxy.example:3128 of the environment, "
        "without a key"
    ]
