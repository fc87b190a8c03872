"""A judge behind TLS is trusted by the authorities of the system, or by those that the environment names."""

import shutil
import ssl
import subprocess

import pytest

from medreview.errors import UserError
from medreview.llm.judge_client import Judge
from tests.llm.questions import ask_of

pytestmark = pytest.mark.skipif(not shutil.which("openssl"), reason="no openssl to make certificates with")


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


async def test_a_file_of_certificates_that_cannot_be_read_is_named(model, tmp_path, monkeypatch):
    (tmp_path / "empty.pem").touch()
    for path in (tmp_path / "none.pem", tmp_path / "empty.pem"):
        monkeypatch.setenv("SSL_CERT_FILE", str(path))
        with pytest.raises(UserError, match=f"SSL_CERT_FILE names {path}, which holds no certificates"):
            await asked(model)
