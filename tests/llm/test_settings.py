"""Settings of a model: address, keys, certificates, and a server of llama.cpp."""

import dataclasses
import logging
import shutil
import ssl
import subprocess

import pytest

from medreview.config import load_config
from medreview.errors import UserError
from medreview.llm.judge_client import Judge
from medreview.llm.settings import JudgeSettings, as_told, choose, keep_local, where_texts_go
from medreview.redaction import redact, remember, without_keys
from tests.llm.questions import PROMPT, ask_of
from tests.support.judge_endpoint import echoes_the_key, refuses, says

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
        *(1, 2.5, 8, 32000, 1, 30, {}, str(tmp_path / "medreview.toml"), "judge", None),
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


KEY = "mr-0123456789abcdef-SECRET"
OTHER = "sk-of-another-service-123456"


@pytest.fixture
def environment(monkeypatch):
    monkeypatch.setenv("JUDGE_KEY", KEY)
    monkeypatch.setenv("OPENAI_API_KEY", OTHER)
    monkeypatch.setenv("OPENAI_ADMIN_KEY", OTHER)
    monkeypatch.setenv("OPENAI_ORG_ID", "org-private")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "proj-private")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://192.0.2.1/v1")
    monkeypatch.setenv(
        "OPENAI_CUSTOM_HEADERS", f"X-Secret: {OTHER}\nUser-Agent: {OTHER}\nAuthorization: Bearer {OTHER}"
    )
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://192.0.2.1:3128")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.usefixtures("environment")
async def test_a_judge_without_a_key_is_sent_none_of_the_environment(model):
    async with Judge(model.settings(), backoff=0.001) as judge:
        answer = await judge.ask(ask_of())

    assert (answer.status, answer.tries) == ("ok", 1)
    headers = model.received[0].headers
    assert "authorization" not in headers
    assert not any("private" in value or OTHER in value for value in headers.values())
    assert set(headers) <= {
        *("host", "accept", "accept-encoding", "connection", "content-type", "content-length", "user-agent"),
        "x-stainless-raw-response",
    }


@pytest.mark.usefixtures("environment")
async def test_a_judge_is_sent_its_own_key(model):
    async with Judge(model.settings(api_key_env="JUDGE_KEY")) as judge:
        await judge.ask(ask_of())

    assert model.received[0].headers["authorization"] == f"Bearer {KEY}"
    assert model.paths() == ["/v1/chat/completions"]


async def test_a_key_that_is_not_set_is_named_before_anything_is_sent(model, monkeypatch):
    monkeypatch.delenv("JUDGE_KEY", raising=False)

    with pytest.raises(UserError, match="environment variable JUDGE_KEY"):
        async with Judge(model.settings(api_key_env="JUDGE_KEY")):
            pass


@pytest.mark.usefixtures("environment")
async def test_a_key_echoed_by_the_server_is_stored_nowhere(model, study, store, caplog):
    caplog.set_level(logging.DEBUG)
    model.play(echoes_the_key)
    async with Judge(model.settings(api_key_env="JUDGE_KEY", params={"seed": 1}), store) as judge:
        refused = await judge.ask(ask_of("The patient is Sentinel Example."))
        skipped = await judge.ask(ask_of("another"))
        assert "401" in judge.dead
        assert KEY not in judge.dead
    model.play(says(f'{{"quote": "{KEY}", "label": "supported", "confidence": 1}}'))
    async with Judge(model.settings(api_key_env="JUDGE_KEY"), store) as judge:
        echoed = await judge.ask(ask_of())

    assert (refused.status, skipped.status) == ("error", "skipped")
    assert "401" in refused.error
    assert "401" in skipped.error
    assert len(model.asked) == 2
    assert '"[key]"' in echoed.raw
    files = list(study.path.parent.glob(f"{study.path.name}*"))
    assert len(files) > 1
    assert not any(KEY.encode() in path.read_bytes() for path in files)
    assert all(KEY not in repr(answer) for answer in (refused, skipped))
    logged = "\n".join(record.getMessage() for record in caplog.records)
    assert logged
    assert KEY not in logged
    assert "Sentinel" not in logged


@pytest.mark.parametrize(
    "text",
    [
        f"Incorrect API key provided: {KEY}.",
        f"bad key {KEY[:14]}...",
        f"bad key ...{KEY[-10:]}",
        "Incorrect API key provided: sk-proj-****abcd.",
        "header Authorization: Bearer abcdefgh.ijkl is wrong",
    ],
)
def test_keys_and_parts_of_them_are_taken_out(text):
    remember(KEY)

    cleaned = redact(text)

    assert "[key]" in cleaned
    assert not any(part in cleaned for part in ("01234567", "f-SECRET", "abcd", "ijkl"))


def test_other_words_stay():
    text = "The model mr-large does not exist (status 404, request 0123-4567)."

    remember(KEY, "")

    assert redact(text) == text
    assert without_keys("sk-ip the 5 mg dose") == "sk-ip the 5 mg dose"


needs_openssl = pytest.mark.skipif(not shutil.which("openssl"), reason="no openssl to make certificates with")


@pytest.fixture
def authority(model, tmp_path):
    """The certificate of an authority, in a folder of its own, that signed the one which the model's server shows."""
    folder = tmp_path / "authority"
    folder.mkdir()

    def openssl(*told):
        subprocess.run(["openssl", *map(str, told)], check=True, capture_output=True, cwd=tmp_path)

    new = ("req", "-newkey", "rsa:2048", "-nodes")
    signed = ("-CA", folder / "ca.pem", "-CAkey", "ca.key", "-addext", "subjectAltName=DNS:localhost")
    openssl(*new, "-x509", "-subj", "/CN=Own authority", "-keyout", "ca.key", "-out", folder / "ca.pem")
    openssl(*new, "-x509", "-subj", "/CN=localhost", *signed, "-keyout", "judge.key", "-out", "judge.pem")
    openssl("rehash", folder)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "judge.pem", tmp_path / "judge.key")
    model.listener.socket = context.wrap_socket(model.listener.socket, server_side=True)
    return folder / "ca.pem"


async def asked(model):
    settings = model.settings(base_url=f"https://localhost:{model.port}/v1")
    async with Judge(settings, backoff=0.001) as judge:
        return await judge.ask(ask_of())


@pytest.mark.parametrize("name", ["SSL_CERT_FILE", "SSL_CERT_DIR"])
@needs_openssl
async def test_a_judge_on_this_machine_may_have_a_certificate_of_ones_own_authority(
    model, authority, monkeypatch, name
):
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    monkeypatch.delenv("SSL_CERT_DIR", raising=False)
    answer = await asked(model)
    assert (answer.status, model.asked) == ("error", [])
    assert "self-signed certificate in certificate chain" in answer.error or "unable to get local" in answer.error

    monkeypatch.setenv(name, str(authority if name == "SSL_CERT_FILE" else authority.parent))
    answer = await asked(model)
    assert (answer.error, answer.status) == ("", "ok")


@needs_openssl
async def test_a_file_of_certificates_that_cannot_be_read_is_named(model, tmp_path, monkeypatch):
    (tmp_path / "empty.pem").touch()
    for path in (tmp_path / "none.pem", tmp_path / "empty.pem"):
        monkeypatch.setenv("SSL_CERT_FILE", str(path))
        with pytest.raises(UserError, match=f"SSL_CERT_FILE names {path}, which holds no certificates"):
            await asked(model)


CUT = "The model produced output that does not match the expected peg-native format"
FULL = "request (18021 tokens) exceeds the available context size (8192 tokens), try increasing it"


async def test_an_answer_cut_short_is_a_500_and_no_sign_of_a_dead_server(model):
    model.play(refuses(500, CUT, code=500))
    async with Judge(model.settings(), backoff=0.001) as judge:
        answers = [await judge.ask(ask_of(f"{PROMPT} {number}")) for number in range(8)]

    assert {answer.status for answer in answers} == {"unparsable"}
    assert {answer.tries for answer in answers} == {2}
    assert judge.dead == ""


async def test_the_second_answer_may_be_whole(model):
    model.play(refuses(500, CUT, code=500), says())
    async with Judge(model.settings(), backoff=0.001) as judge:
        answer = await judge.ask(ask_of())

    assert (answer.status, answer.tries, answer.rung) == ("ok", 2, "json_schema")


async def test_a_prompt_over_the_context_is_skipped_not_retried(model):
    model.play(refuses(400, FULL, code=400, n_prompt_tokens=18021, n_ctx=8192))
    async with Judge(model.settings(), backoff=0.001) as judge:
        answer = await judge.ask(ask_of())

    assert (answer.status, answer.tries, judge.dead) == ("skipped", 1, "")
