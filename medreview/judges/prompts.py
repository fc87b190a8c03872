"""The prompts of the judges, with the version and hash that every judgement refers to."""

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from medreview.errors import UserError
from medreview.judges.votes import LABELS, mapped
from medreview.next_step import command
from medreview.text import sha256

_PARTS = re.compile(r"\A\+\+\+\n(?P<head>.*?)\n\+\+\+\n(?P<text>.*)\Z", re.DOTALL)
_SCHEMA = re.compile(r"```json schema\n(.*?)\n```", re.DOTALL)
_OPTIONAL: Final = frozenset({"confidence", "reason", "left_out", "missing", "opposes", "opposing_quote"})
"""Optional properties of an answer; all others are needed for its row."""
_ONE_QUOTE: Final = "source_verification"
"""The task whose prompt asked for one ``quote`` in version 1; answers of that form are read as before."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """One task's prompt. ``fields`` are the placeholders (names in braces); ``schema`` is the answer's JSON schema."""

    task: str
    version: int
    fields: tuple[str, ...]
    text: str
    schema: dict[str, Any]
    sha256: str

    @property
    def id(self) -> str:
        """The id in judgements: ``source_verification/1``."""
        return f"{self.task}/{self.version}"

    def messages(self, values: Mapping[str, str]) -> tuple[dict[str, str], ...]:
        """The message with every placeholder replaced, in one pass: braces within a value are left alone.

        It is a single user message: some models' chat templates accept no system message, and servers then fail.
        """
        placeholders = re.compile("|".join(rf"\{{{re.escape(name)}\}}" for name in self.fields))
        return ({"role": "user", "content": placeholders.sub(lambda match: values[match[0][1:-1]], self.text)},)


def prompt_names() -> list[str]:
    """The names of the tasks with a prompt, sorted."""
    return sorted(name for name in _bundled() if "." not in name)


def _bundled() -> list[str]:
    """The names of the bundled files; one of an earlier version ends with its number: ``source_verification.1``."""
    names = (entry.name for entry in files("medreview.prompts").iterdir())
    return [name.removesuffix(".md") for name in names if name.endswith(".md")]


def prompt_file(task: str) -> str:
    """The text of a task's bundled prompt file, or of an earlier version of it (``source_verification/1``).

    Raises :class:`UserError` for an unknown one.
    """
    name = task.replace("/", ".")
    if name not in _bundled():
        known = (*prompt_names(), *(name.replace(".", "/") for name in sorted(_bundled()) if "." in name))
        raise UserError(f"There is no prompt {task!r}; there are: {', '.join(known)}.")
    return files("medreview.prompts").joinpath(f"{name}.md").read_text(encoding="utf-8")


def load_prompt(task: str, folder: Path | None = None) -> Prompt:
    """The prompt of a task: the file of that name in the user's folder, if it exists, else the bundled one.

    Raises :class:`UserError` naming the known tasks, or what is wrong with the user's file.
    """
    bundled = _read(prompt_file(task), f"{task}.md")
    if folder is None:
        return bundled
    if not folder.is_dir():
        raise UserError(f"The folder of prompts {folder} is not there; mend `prompts` in the settings.")
    path = folder / f"{task}.md"
    if not path.exists():
        return bundled
    try:
        custom = _read(path.read_text(encoding="utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"The prompt {path} cannot be read ({error}).") from error
    _check(custom, bundled, path)
    return custom


def known_hash(prompt_id: str) -> str:
    """The hash of a bundled prompt by its id; ``""`` for any other id."""
    task, _, _ = prompt_id.partition("/")
    earlier = prompt_id.replace("/", ".")
    name = earlier if earlier in _bundled() else task
    if name not in _bundled():
        return ""
    prompt = _read(prompt_file(name), name)
    return prompt.sha256 if prompt.id == prompt_id else ""


def _read(whole: str, name: str) -> Prompt:
    found, schema = _PARTS.match(whole), _SCHEMA.search(whole)
    if not found or not schema:
        raise UserError(
            f"The prompt {name} needs a head between two lines of +++ and a block that opens with ```json schema; "
            f"`{command('judges', 'prompts', 'source_verification', '--file')}` names one."
        )
    try:
        head = tomllib.loads(found["head"])
        schema_fields = json.loads(schema[1])
        return Prompt(
            task=str(head["task"]),
            version=int(head["version"]),
            fields=tuple(map(str, head["fields"])),
            text=found["text"].strip(),
            schema={"type": "object", **schema_fields},
            sha256=sha256(whole),
        )
    except KeyError as missing:
        raise UserError(f"The head of the prompt {name} does not give {missing}.") from missing
    except (ValueError, TypeError, RecursionError) as error:
        raise UserError(f"The head or the schema of the prompt {name} cannot be read: {error}.") from error


def _check(custom: Prompt, bundled: Prompt, path: Path) -> None:
    """Raise :class:`UserError` unless the answers to a user's prompt can be stored by the task."""
    if custom.task != bundled.task:
        raise UserError(f"The prompt {path} is for the task {custom.task!r}; its name says {bundled.task!r}.")
    if unknown := set(custom.fields) - set(bundled.fields):
        raise UserError(f"The prompt {path} wants {_list(unknown)}; there are only {_list(bundled.fields)}.")
    if missing := [name for name in custom.fields if f"{{{name}}}" not in custom.text]:
        raise UserError(f"The prompt {path} names {_list(missing)} in its head and has no place for it in its text.")
    properties = custom.schema.get("properties")
    properties = properties if isinstance(properties, dict) else {}
    known = {*properties, *_OPTIONAL}
    if custom.task == _ONE_QUOTE and "quote" in properties:
        known.add("quotes")
    if missing := [name for name in bundled.schema["properties"] if name not in known]:
        raise UserError(f"The schema of the prompt {path} lacks {_list(missing)}, which the task stores.")
    for name in set(properties) & set(bundled.schema["properties"]):
        words = properties[name].get("enum", ()) if isinstance(properties[name], dict) else ()
        allowed = bundled.schema["properties"][name].get("enum", ())
        bad = [word for word in words if (mapped(str(word)) is None if name == "label" else word not in allowed)]
        if bad or (allowed and not words):
            words_known = sorted(LABELS) if name == "label" else allowed
            raise UserError(f"In the schema of the prompt {path}, {name!r} must be an enum of: {_list(words_known)}.")
        most = bundled.schema["properties"][name].get("maxItems")
        own = properties[name].get("maxItems") if isinstance(properties[name], dict) else None
        if most and custom.sha256 != known_hash(custom.id) and not (isinstance(own, int) and own <= most):
            raise UserError(f"In the schema of the prompt {path}, {name!r} needs a `maxItems` of at most {most}.")


def _list(names: Any) -> str:
    return ", ".join(sorted(names))
