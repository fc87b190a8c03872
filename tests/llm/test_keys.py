"""A key goes to its own judge and nowhere else: no other host, no error, no log, no study file."""

import logging

import pytest

from medreview.errors import UserError
from medreview.llm.judge_client import Judge
from medreview.redaction import redact, remember, without_keys
from tests.llm.questions import ask_of
from tests.support.judge_endpoint import echoes_the_key, says

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
