"""``config --schema``: what the program takes as settings the schema takes, and what one refuses the other does."""

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from medreview.config import SETTINGS, Config
from medreview.setting import MODEL_TABLES
from medreview.settings_files import problems
from medreview.settings_schema import settings_schema
from tests.docs.test_pages import PAGES
from tests.support.commands import Program

SCHEMA = settings_schema()
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
MODEL = 'model = "m"\nbase_url = "http://localhost:8000/v1"\n'


def taken(told: dict[str, Any]) -> bool:
    """Whether the program takes these settings."""
    return not list(problems(told, SETTINGS, Path("medreview.toml")))


def test_the_command_prints_a_schema(medreview: Program) -> None:
    printed = json.loads(medreview("config", "--schema").stdout)
    jsonschema.Draft202012Validator.check_schema(printed)
    assert printed == SCHEMA
    assert all(one["description"] for one in printed["properties"].values())


def test_the_settings_that_pages_show_are_taken() -> None:
    blocks = [
        block
        for page in PAGES
        for block in re.findall(r"^```toml\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)
    ]
    shown = [told for told in map(tomllib.loads, blocks) if told and told.keys() <= SETTINGS.keys() and taken(told)]
    assert len(shown) > 5
    for told in shown:
        VALIDATOR.validate(told)


def test_defaults_and_examples_are_taken_by_both() -> None:
    VALIDATOR.validate({name: getattr(Config(), name) for name in SETTINGS if name not in MODEL_TABLES})
    for name, one in SCHEMA["properties"].items():
        for example in one.get("examples", []):
            VALIDATOR.validate({name: example})
            assert taken({name: example})
    fields = SCHEMA["$defs"]["model"]["properties"]
    examples = {name: one["examples"][0] for name, one in fields.items()}
    whole = {"judges": {"near": examples | {"params": {"temperature": 1}}}}  # several samples need one above 0
    VALIDATOR.validate(whole)
    assert taken(whole)


@pytest.mark.parametrize(
    "content",
    [
        'colour = "red"',
        'theme = "pink"',
        "mouse = 1",
        "reviewer = 3",
        '[keys]\nfly = "F9"',
        "[keys]\ndefer = 9",
        '[services]\nnowhere = "https://a.example"',
        "[references]\nlibrary = 3",
        '[references]\nonline = "yes"',
        "[references]\nfar = true",
        '[semantic]\nmodle = "x"',
        "[judges]\nnear = 3",
        '[judges.near]\nmodel = "m"',
        f"[judges.offline]\n{MODEL}",
        f"[judges.near]\n{MODEL}concurrency = 0",
        f"[judges.near]\n{MODEL}samples = 51",
        f"[models.near]\n{MODEL}price_input = -1",
        f"[models.near]\n{MODEL}timeout = 0",
        f'[models.near]\n{MODEL}api_key = "sk-1"',
        f"[models.near]\n{MODEL}samples = 1.5",
    ],
)
def test_what_is_wrong_is_refused_by_both(content: str) -> None:
    told = tomllib.loads(content)
    assert not taken(told)
    assert not VALIDATOR.is_valid(told)
