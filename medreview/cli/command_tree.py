"""What commands say of themselves: for the reference, the specification and the manual page."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, get_args

from medreview.cli.command_group import summary
from medreview.cli.meant_words import OLD_NAMES

EXIT_CODES: Final[Mapping[int, str]] = {
    0: "done",
    1: "a check failed (`check`, `check --identifiers`, `citations --check`, `config`, `judges --ping`, "
    "`stats --require`), or every question to a model",
    2: "something you can mend: one sentence on standard error says what",
    3: "some questions to a model had no answer of use, or some results of `--batch-in`; the others are stored",
    70: "the workbench ended on an error of its own; nothing is lost",
    129: "the workbench ended because the terminal was lost (SIGHUP)",
    130: "stopped with Ctrl-C or SIGINT; what was stored stays, and the same command goes on from there",
    141: "the reader of the output went away (`medreview stats ... | head`)",
    143: "the workbench ended because the system sent SIGTERM",
}
"""What the program ends with, and when."""
_EXAMPLE: Final = re.compile(r"Example: (.+)$", re.MULTILINE)
_TYPES: Final = {bool: "switch", int: "integer", float: "number", Path: "path"}


def command_of(words: Sequence[str], commands: Mapping[str, Any]) -> tuple[str, list[str]]:
    """The name of the command that these words call, and the words behind it."""
    both = " ".join(words[:2])
    return (both, list(words[2:])) if len(words) > 1 and both in commands else (words[0], list(words[1:]))


def paragraphs(command: Any) -> list[str]:
    """A command's help without its example, a paragraph a line."""
    found = _EXAMPLE.sub("", command.help).split("\n\n")
    return [" ".join(one.split()) for one in found if one.strip()]


def examples(command: Any) -> list[str]:
    """The command lines that its help shows."""
    return _EXAMPLE.findall(command.help)


def specification(program: Any, commands: Mapping[str, Any]) -> dict[str, Any]:
    """The program and all of its commands by name as data, for scripts; the names of its fields stay."""
    import medreview
    from medreview.config import ENVIRONMENT

    return {
        "program": "medreview",
        "version": medreview.__version__,
        "options": _parameters(program, "option"),
        "exit_codes": {str(code): meaning for code, meaning in EXIT_CODES.items()},
        "environment": dict(ENVIRONMENT),
        "commands": [
            {
                "name": name,
                "group": commands[name.partition(" ")[0]].rich_help_panel,
                "summary": summary(command),
                "help": paragraphs(command),
                "examples": examples(command),
                "commands": list(getattr(command, "commands", ())),
                "otherwise": getattr(command, "otherwise", "") or None,
                "aliases": [old for old, new in OLD_NAMES.items() if new == name or new.startswith(f"{name} --")],
                "arguments": _parameters(command, "argument"),
                "options": _parameters(command, "option"),
            }
            for name, command in commands.items()
        ],
    }


def _parameters(command: Any, kind: str) -> list[dict[str, Any]]:
    return [_parameter(one) for one in command.params if one.param_type_name == kind]


def _parameter(one: Any) -> dict[str, Any]:
    told = one.type_descriptor
    annotation = (get_args(told.annotation) or (told.annotation,))[0] if told.is_list else told.annotation
    limits = (told.parameter_info.min, told.parameter_info.max)
    named = one.param_type_name == "option"
    return {
        "name": one.name,
        **({"flags": [*one.opts, *one.secondary_opts]} if named else {}),
        "metavar": one.metavar,
        "type": _TYPES.get(annotation, "text"),
        "values": 0 if named and one.is_flag else max(one.nargs, 1),
        "repeatable": told.is_list,
        "required": one.required,
        "default": str(one.default) if isinstance(one.default, Path) else one.default,
        "choices": list(told.choices) if told.choices else None,
        "minimum": limits[0],
        "maximum": limits[1],
        "help": one.help or "",
    }
