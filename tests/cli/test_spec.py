"""``--spec``: every command as data, in fields that a script can rely on."""

import json
from pathlib import Path

import jsonschema

from medreview.cli.app import every_command
from medreview.cli.meant_words import OLD_NAMES
from tests.support.commands import Program

SCHEMA = json.loads((Path(__file__).parent / "spec_schema.json").read_text(encoding="utf-8"))


def test_the_commands_as_data_are_what_the_program_takes(medreview: Program) -> None:
    told = json.loads(medreview("--spec").stdout)
    commands = {one["name"]: one for one in told["commands"]}
    options = {one["name"]: one for one in commands["review"]["options"]}

    jsonschema.Draft202012Validator(SCHEMA).validate(told)
    assert list(commands) == list(every_command())
    assert {old for one in told["commands"] for old in one["aliases"]} == set(OLD_NAMES)
    assert commands["plan audit"]["aliases"] == ["audit"]
    assert "recent" in commands["review"]["aliases"]
    assert commands["judges"]["otherwise"] == "list"
    assert (options["blind"]["type"], options["blind"]["values"], options["queue"]["values"]) == ("switch", 0, 1)
    assert (options["audit"]["type"], options["audit"]["minimum"]) == ("integer", 1)
    assert [(one["name"], one["type"], one["repeatable"]) for one in commands["review"]["arguments"]] == [
        ("paths", "path", True)
    ]
    gold = {one["name"]: one for one in commands["plan gold"]["options"]}
    assert gold["add"]["values"] == 2
    assert told["exit_codes"]["130"].startswith("stopped with Ctrl-C")
