"""The prompts: what judges are asked, with the version and hash that every judgement is tied to."""

import json
import re
import tomllib
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from medreview.errors import UserError
from medreview.text import sha256

_PARTS = re.compile(r"\A\+\+\+\n(?P<head>.*?)\n\+\+\+\n(?P<text>.*)\Z", re.DOTALL)
_SCHEMA = re.compile(r"```json schema\n(.*?)\n```", re.DOTALL)


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


def prompt_names() -> list[str]:
    """The tasks that have a prompt."""
    names = [entry.name for entry in files("medreview.prompts").iterdir()]
    return sorted(name.removesuffix(".md") for name in names if name.endswith(".md"))


def load_prompt(task: str) -> Prompt:
    """The prompt of a task; raises :class:`UserError` naming the tasks there are."""
    if task not in prompt_names():
        raise UserError(f"There is no prompt {task!r}; there are: {', '.join(prompt_names())}.")
    whole = files("medreview.prompts").joinpath(f"{task}.md").read_text(encoding="utf-8")
    found, schema = _PARTS.match(whole), _SCHEMA.search(whole)
    if not found or not schema:
        raise ValueError(f"the prompt file {task}.md has no head or no schema")
    head = tomllib.loads(found["head"])
    return Prompt(
        task=head["task"],
        version=head["version"],
        fields=tuple(head["fields"]),
        text=found["text"].strip(),
        schema=json.loads(schema[1]),
        sha256=sha256(whole),
    )


def known_hash(prompt_id: str) -> str:
    """The hash of a prompt by the id that a judgement names; ``""`` when it is not one of ours."""
    task, _, _ = prompt_id.partition("/")
    if task not in prompt_names():
        return ""
    prompt = load_prompt(task)
    return prompt.sha256 if prompt.id == prompt_id else ""
