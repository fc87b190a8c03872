"""The README says what is true now."""

import re
from dataclasses import fields
from pathlib import Path

from medreview.config import load_config
from medreview.llm.settings import JudgeSettings
from medreview.review.actions import REVIEW, shown_key

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def key_table() -> str:
    rows = [f"| {' '.join(f'`{shown_key(key)}`' for key in action.keys)} | {action.help} |" for action in REVIEW]
    return "\n".join(rows)


def test_the_key_table_is_that_of_the_actions():
    found = re.search(r"<!-- keys -->\n(.*?)\n<!-- /keys -->", README, re.DOTALL)

    assert found
    assert found[1] == key_table()


def test_the_settings_it_shows_are_read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```toml\n(?!\[synonyms\])(.*?)```", README, re.DOTALL)
    assert len(blocks) == 2
    for block in blocks:
        (tmp_path / "medreview.toml").write_text(block)
        config = load_config()
        assert config.judges or config.contact
        assert all(judge.is_local != bool(judge.api_key_env) for judge in config.judges.values())


def test_every_setting_of_a_judge_is_explained():
    table = README[README.index("| `model`, `base_url` |") : README.index("medreview judges --ping")]
    assert all(f"`{item.name}`" in table for item in fields(JudgeSettings) if item.name != "name")
