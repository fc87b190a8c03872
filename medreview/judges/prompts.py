"""The prompts: what judges are asked, with the version and hash that every judgement is tied to."""

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from medreview.errors import UserError
from medreview.judges.raw_labels import LABELS, mapped
from medreview.text import sha256

_PARTS = re.compile(r"\A\+\+\+\n(?P<head>.*?)\n\+\+\+\n(?P<text>.*)\Z", re.DOTALL)
_SCHEMA = re.compile(r"```json schema\n(.*?)\n```", re.DOTALL)
_OPTIONAL: Final = frozenset({"confidence", "reason", "left_out"})
"""What an answer may lack: the rest of the schema is needed to make a row of it."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """One task's prompt. ``fields`` are the names in braces that are filled in; ``schema`` is that of the answer."""

    task: str
    version: int
    fields: tuple[str, ...]
    text: str
    schema: dict[str, Any]
    sha256: str

    @property
    def id(self) -> str:
        """How judgements name it: ``source_verification/1``."""
        return f"{self.task}/{self.version}"

    def messages(self, values: Mapping[str, str]) -> tuple[dict[str, str], ...]:
        """The message, every field filled in, once: braces within a value stay what they are.

        It is one message of the user: some models' templates take no other before it, and servers then refuse.
        """
        holes = re.compile("|".join(rf"\{{{re.escape(name)}\}}" for name in self.fields))
        return ({"role": "user", "content": holes.sub(lambda hole: values[hole[0][1:-1]], self.text)},)


def prompt_names() -> list[str]:
    """The tasks that have a prompt."""
    names = [entry.name for entry in files("medreview.prompts").iterdir()]
    return sorted(name.removesuffix(".md") for name in names if name.endswith(".md"))


def prompt_file(task: str) -> str:
    """The file of a task's prompt as it comes with this program; raises :class:`UserError` when there is none."""
    if task not in prompt_names():
        raise UserError(f"There is no prompt {task!r}; there are: {', '.join(prompt_names())}.")
    return files("medreview.prompts").joinpath(f"{task}.md").read_text(encoding="utf-8")


def load_prompt(task: str, folder: Path | None = None) -> Prompt:
    """The prompt of a task: the file of that name in the user's folder, if it is there, else the one of this program.

    Raises :class:`UserError` naming the tasks there are, or what is wrong with the user's file.
    """
    ours = _read(prompt_file(task), f"{task}.md")
    if folder is None:
        return ours
    if not folder.is_dir():
        raise UserError(f"The folder of prompts {folder} is not there; mend `prompts` in the settings.")
    path = folder / f"{task}.md"
    if not path.exists():
        return ours
    try:
        theirs = _read(path.read_text(encoding="utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"The prompt {path} cannot be read ({error}).") from error
    _check(theirs, ours, path)
    return theirs


def known_hash(prompt_id: str) -> str:
    """The hash of a prompt by the id that a judgement names; ``""`` when it is not one of ours."""
    task, _, _ = prompt_id.partition("/")
    if task not in prompt_names():
        return ""
    prompt = load_prompt(task)
    return prompt.sha256 if prompt.id == prompt_id else ""


def _read(whole: str, name: str) -> Prompt:
    found, schema = _PARTS.match(whole), _SCHEMA.search(whole)
    if not found or not schema:
        raise UserError(
            f"The prompt {name} needs a head between two lines of +++ and a block that opens with ```json schema; "
            "`medreview prompts NAME --file` shows one."
        )
    try:
        head = tomllib.loads(found["head"])
        told = json.loads(schema[1])
        return Prompt(
            task=str(head["task"]),
            version=int(head["version"]),
            fields=tuple(map(str, head["fields"])),
            text=found["text"].strip(),
            schema={"type": "object", **told},
            sha256=sha256(whole),
        )
    except KeyError as missing:
        raise UserError(f"The head of the prompt {name} does not give {missing}.") from missing
    except (ValueError, TypeError) as error:
        raise UserError(f"The head or the schema of the prompt {name} cannot be read: {error}.") from error


def _check(theirs: Prompt, ours: Prompt, path: Path) -> None:
    """A user's prompt may say anything, and its answers must still be what the task can store."""
    if theirs.task != ours.task:
        raise UserError(f"The prompt {path} is for the task {theirs.task!r}; its name says {ours.task!r}.")
    if unknown := set(theirs.fields) - set(ours.fields):
        raise UserError(f"The prompt {path} wants {_list(unknown)}; there are only {_list(ours.fields)}.")
    if missing := [name for name in theirs.fields if f"{{{name}}}" not in theirs.text]:
        raise UserError(f"The prompt {path} names {_list(missing)} in its head and has no place for it in its text.")
    asked = theirs.schema.get("properties")
    asked = asked if isinstance(asked, dict) else {}
    if missing := [name for name in ours.schema["properties"] if name not in asked and name not in _OPTIONAL]:
        raise UserError(f"The schema of the prompt {path} lacks {_list(missing)}, which the task stores.")
    for name in set(asked) & set(ours.schema["properties"]):
        words = asked[name].get("enum", ()) if isinstance(asked[name], dict) else ()
        allowed = ours.schema["properties"][name].get("enum", ())
        bad = [word for word in words if (mapped(str(word)) is None if name == "label" else word not in allowed)]
        if bad or (allowed and not words):
            known = sorted(LABELS) if name == "label" else allowed
            raise UserError(f"In the schema of the prompt {path}, {name!r} must be an enum of: {_list(known)}.")


def _list(names: Any) -> str:
    return ", ".join(sorted(names))
