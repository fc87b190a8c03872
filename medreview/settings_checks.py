"""What can be wrong with what a settings file tells: every mistake in a sentence of its own."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

from medreview.errors import UserError
from medreview.llm.settings import Role, models_from
from medreview.review.actions import REVIEW, remapped
from medreview.review.goal import read_goal
from medreview.semantic.configured import SemanticSettings
from medreview.setting import SERVICES, Setting, did_you_mean, settings_in

REFERENCES: Final = ("library", "online")
"""What can be set of how references are checked."""

SEMANTIC: Final = settings_in(SemanticSettings)
"""What can be set of a model of meaning."""


def problems(told: Mapping[str, Any], settings: Mapping[str, Setting], path: Path) -> Iterator[str]:
    """A sentence for each mistake in what a file tells; none, and it can be used. ``settings`` are those there are."""
    for name, value in told.items():
        if name not in settings:
            near = did_you_mean(name, settings)
            yield f"The settings {path} hold an unknown key {name!r}{near}; known are {', '.join(settings)}."
        elif misfit := settings[name].misfit(value):
            yield f"In the settings {path}, {name!r} {misfit}."
        elif name in _INNER:
            yield from _INNER[name](value, path)


def _key_problems(told: Mapping[str, Any], path: Path) -> Iterator[str]:
    known = [action.id for action in REVIEW]
    unknown = [name for name in told if name not in known]
    for name in unknown:
        near = did_you_mean(name, known)
        yield f"The settings {path} give a key to {name!r}, which is no action{near}; see `?` for their names."
    if any(not isinstance(value, str) for value in told.values()):
        yield f"In the settings {path}, every value under [keys] must be a text."
        return
    try:
        remapped(REVIEW, {name: key for name, key in told.items() if name not in unknown})
    except UserError as error:
        yield str(error)


def _service_problems(told: Mapping[str, Any], path: Path) -> Iterator[str]:
    for name, address in told.items():
        if name not in SERVICES:
            near = did_you_mean(name, SERVICES)
            yield f"The settings {path} name an unknown service {name!r}{near}; known are {', '.join(SERVICES)}."
        elif not isinstance(address, str) or not address.startswith(("https://", "http://")):
            yield f"In the settings {path}, the service {name!r} must be a web address."


def _reference_problems(told: Mapping[str, Any], path: Path) -> Iterator[str]:
    for name, value in told.items():
        if name not in REFERENCES:
            near = did_you_mean(name, REFERENCES)
            known = ", ".join(REFERENCES)
            yield f"The settings {path} hold an unknown key 'references.{name}'{near}; known are {known}."
        elif name == "online" and not isinstance(value, bool):
            yield f"In the settings {path}, 'references.online' must be true or false."
        elif name == "library" and not all(
            isinstance(one, str) and one for one in (value if isinstance(value, list) else [value])
        ):
            yield f"In the settings {path}, 'references.library' must be a file, or a list of files."


def _semantic_problems(told: Mapping[str, Any], path: Path) -> Iterator[str]:
    for name, value in told.items():
        if name not in SEMANTIC:
            near = did_you_mean(name, SEMANTIC)
            yield f"The settings {path} hold an unknown key 'semantic.{name}'{near}; known are {', '.join(SEMANTIC)}."
        elif misfit := SEMANTIC[name].misfit(value):
            yield f"In the settings {path}, 'semantic.{name}' {misfit}."


def _model_problems(role: Role, told: Mapping[str, Any], path: Path) -> Iterator[str]:
    for name, table in told.items():
        try:
            models_from({name: table}, path, role)
        except UserError as error:
            yield str(error)


def _goal_problems(told: str, path: Path) -> Iterator[str]:
    try:
        read_goal(told)
    except UserError as error:
        yield f"In the settings {path}, the goal {error}"


_INNER: Final[Mapping[str, Callable[[Any, Path], Iterator[str]]]] = {
    "keys": _key_problems,
    "services": _service_problems,
    "references": _reference_problems,
    "semantic": _semantic_problems,
    "judges": partial(_model_problems, "judge"),
    "models": partial(_model_problems, "model"),
    "goal": _goal_problems,
}
"""What is asked of settings beyond that they are of their type."""
