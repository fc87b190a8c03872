"""The settings as lines, 80 columns wide: what ``config`` and ``config explain`` print."""

from collections.abc import Iterator
from textwrap import wrap
from typing import TYPE_CHECKING, Final

from medreview.next_step import command

if TYPE_CHECKING:
    from medreview.config_report import ConfigReport, Explanation, SettingValue

_WIDTH: Final = 80
_FROM: Final = {"default": "default", "own": "your own file", "here": "this folder's file"}


def listed(report: "ConfigReport") -> Iterator[str]:
    """The files, every setting, the environment, and what is wrong."""
    yield f"Your own file:      {report.own or 'none; `medreview config set NAME VALUE` makes it'}"
    yield f"This folder's file: {report.here or 'none'}"
    if report.untrusted:
        yield from _told(
            f"Not trusted, and not used of this folder's file: {', '.join(report.untrusted)}. Once you have read it: "
            f"{command('trust', report.here)}"
        )
    for value in report.settings:
        yield ""
        yield f"{value.name} = {value.value or _unset(value)}   ({_origin(value)})"
        yield from _told(value.help, "    ")
    yield from ("", "From the environment:")
    for variable in report.environment:
        yield f"  {variable.name}: {'set' if variable.is_set else 'not set'}"
        yield from _told(variable.help, "    ")
    yield ""
    if not report.problems:
        yield "Nothing is wrong with these settings."
    for problem in report.problems:
        yield from _told(f"WRONG: {problem}")


def explained(found: "Explanation") -> Iterator[str]:
    """One setting: definition, values, default, what it is now, an example."""
    yield found.name
    yield from _told(" ".join(filter(None, (found.help, found.more))), "  ")
    rows = {
        "values": found.allowed,
        "default": found.default,
        "now": found.now,
        "trust": found.trust,
        "example": found.example,
        "more": found.page,
    }
    for head, told in rows.items():
        if told:
            yield f"  {head + ':':9}{told}"


def _unset(value: "SettingValue") -> str:
    return f"({value.default})" if value.default != "empty" else '""'


def _origin(value: "SettingValue") -> str:
    return _FROM[value.origin] + ("" if value.used else ", NOT TRUSTED and not used")


def _told(text: str, indent: str = "") -> list[str]:
    return wrap(text, _WIDTH, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False,
                break_long_words=False)  # fmt: skip
