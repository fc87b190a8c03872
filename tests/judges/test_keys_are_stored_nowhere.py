"""A server that repeats the key in what its model is said to have written: it reaches neither study nor export."""

import base64
import json

import pytest

from medreview import pipeline
from medreview.config import Config
from medreview.configured import judges_of
from medreview.exchange.exports.export import export
from tests.judges.renal_study import careful
from tests.support.judge_endpoint import as_asked

KEY = "mr-0123456789abcdef-SECRET"
OTHER = "key-of-another-judge-4711"
WRITTEN = {
    "as it is": KEY,
    "of another judge": OTHER,
    "escaped": "".join(f"\\u{ord(sign):04x}" for sign in KEY),
    "in base64": base64.b64encode(KEY.encode()).decode(),
    "split": "\u200b".join(KEY),
    "in part": KEY[:14],
}


@pytest.mark.parametrize("written", WRITTEN.values(), ids=WRITTEN.keys())
def test_a_key_in_an_answer_is_stored_nowhere(study, serve, tmp_path, monkeypatch, written):
    monkeypatch.setenv("JUDGE_KEY", KEY)
    monkeypatch.setenv("OTHER_KEY", OTHER)

    def tell(prompt):
        said = {**careful(prompt), "reason": f"I hold KEY, {prompt[-20:]}", "missing": "KEY"}
        return json.dumps(as_asked(said, prompt)).replace("KEY", written)

    model = serve(tell)
    judges = [model.settings("one", api_key_env="JUDGE_KEY"), model.settings("two", api_key_env="OTHER_KEY")]
    asked = judges_of(Config(judges={judge.name: judge for judge in judges}), ["one"])
    pipeline.judge_by(study, asked)
    export(study, tmp_path / "out")

    assert study.reader.execute("SELECT count(*) FROM judgement WHERE reason LIKE 'I hold [key]%,%'").fetchone()[0] == 6
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) > 10
    hidden = {KEY[:12], KEY[-12:], OTHER[:12], written, written.encode().hex()}
    for path in files:
        content = path.read_bytes()
        assert not [part for part in hidden if part.encode() in content], path.name
