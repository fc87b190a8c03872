"""Writes docs/reference/api.md from signatures and docstrings: ``python -m tests.tools.api_reference``."""

import ast
import dataclasses
import inspect
import re
import textwrap
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import medreview
from medreview import labels
from medreview.api import figures, opened
from medreview.api.opened import OpenedFile
from medreview.citations.stage import CitationSummary
from medreview.exchange.exports.sqlite_database import DatabaseSummary
from medreview.exchange.files.columns import Column, columns_of
from medreview.llm.costs import CostEstimate
from medreview.progress import SILENT
from medreview.setting import settings_in
from medreview.sources import stage

FILE = Path(__file__).parents[2] / "docs" / "reference" / "api.md"
BEGIN, END = "<!-- reference -->", "<!-- /reference -->"

GROUPS = {
    "Texts, without a study": (
        "ground_quote Grounding Difference QuoteIndex find_evidence Assessment Hit Clash SourceIndex extract_citations "
        "Citation split_statements Parsed Statement Dropped Span"
    ),
    "A study": "open_study create_study create_demo OpenStudy",
    "What stands in a study": (
        "StudyResponse LeftOut StudyStatement MarkedPassage Source Judgement Verdict ReviewerState ReviewerSpan Receipt"
    ),
    "Tables": "Table Column LabelRow PairRow JudgementRow",
    "Figures": (
        "Estimate Comparison AuditReport StudyFigures SupportReport SupportFigures UrlReport CitationReport Resampling"
    ),
    "What stages give back": (
        "Prepared Imported Chosen BadRecord FetchSummary ParseSummary Judged JudgedBy Tally QuestionPlan JudgeSettings "
        "Attached Generated GenerationCounts "
        "MergeSummary ExportSummary"
    ),
    "Errors, and how far work is": "UserError NotSaved NotSavedHere Progress",
}
"""The public names in the order of the reference."""

ALIASES = {
    "Place": opened.Place,
    "Scope": stage.Scope,
    "Between": figures.Between,
    "Mode": labels.Mode,
    "ScaleName": figures.ScaleName,
}
"""Names that stand in signatures for a type."""

_ROWS = ("LabelRow", "PairRow", "JudgementRow")
_PARTS = (CitationSummary, CostEstimate, DatabaseSummary)
"""Parts of results that are no figures."""
_OPAQUE = ("QuoteIndex", "SourceIndex")
"""Made by the caller, handed on as they are."""
_WIDE = 100


def reference() -> str:
    """The reference as Markdown."""
    parts = ["In signatures these stand for a type:"]
    parts.append(_fenced("\n".join(f"{name} = {type_of(alias)}" for name, alias in ALIASES.items())))
    for title, names in GROUPS.items():
        parts.append(f"### {title}")
        for name in names.split():
            parts += _entry(name, getattr(medreview, name))
    parts += ["### Parts of these", "Not exported: they come as fields of the above."]
    for part in inner_parts():
        parts += _entry(part.__name__, part)
    return "\n\n".join(parts)


def inner_parts() -> list[type]:
    """The types of figures, and some more, that public ones hold, in the order in which they are met."""
    public = [getattr(medreview, name) for names in GROUPS.values() for name in names.split()]
    found: list[type] = []

    def walk(annotation: Any) -> None:
        for argument in typing.get_args(annotation):
            walk(argument)
        if not inspect.isclass(annotation) or not dataclasses.is_dataclass(annotation) or annotation in found:
            return
        if annotation not in public:
            if not annotation.__module__.startswith("medreview.stats") and annotation not in _PARTS:
                return
            found.append(annotation)
        elif annotation is not start:
            return
        for inner in typing.get_type_hints(annotation).values():
            walk(inner)

    for start in public:
        walk(start)
    return found


def _entry(name: str, value: Any) -> Iterator[str]:
    yield f"#### {name}"
    if not inspect.isclass(value):
        yield from _called(name, value)
        return
    if fields := shape(value):
        yield _fenced("\n".join([name, *(f"    {field}" for field in fields)]))
    elif name in _OPAQUE:
        yield _fenced(signature(value, name).removesuffix(" -> None"))
    yield prose(value)
    if name in _ROWS:
        yield "\n".join(["| column | type | meaning |", "| --- | --- | --- |", *map(_row, columns_of(value))])
    if name in _OPAQUE:
        return
    for base in reversed(value.__mro__):
        if base is not value and issubclass(base, OpenedFile):
            yield f"**{prose(base)}**"
        for member, found in members(base):
            yield from _called(f"{name}.{member}", found)


def _called(name: str, value: Any) -> Iterator[str]:
    if isinstance(value, property):
        assert value.fget
        yield _fenced(f"{name}: {type_of(inspect.signature(value.fget).return_annotation)}")
    else:
        yield _fenced(signature(value, name))
    yield prose(value)


def members(value: type) -> list[tuple[str, Any]]:
    """Public methods and properties that medreview wrote in one class."""
    if not value.__module__.startswith("medreview"):
        return []
    named = [(name, held) for name, held in vars(value).items() if not name.startswith("_")]
    return [(name, held) for name, held in named if inspect.isfunction(held) or isinstance(held, property)]


def shape(value: type) -> list[str]:
    """The fields of a dataclass or NamedTuple with their types, and what the source says of them.

    The columns of a row have a table of their own.
    """
    if value.__name__ in _ROWS:
        return []
    if dataclasses.is_dataclass(value):
        kinds = {field.name: field.type for field in dataclasses.fields(value) if field.repr}
    elif issubclass(value, tuple):
        kinds = dict(inspect.get_annotations(value))
    else:
        return []
    said = _said_of_fields(value)
    if dataclasses.is_dataclass(value):
        about = settings_in(value)
        said |= {name: _marked(it.help).replace("`", "") for name, it in about.items()}
    return [f"{name}: {type_of(kind)}" + (f"  # {said[name]}" if name in said else "") for name, kind in kinds.items()]


def _said_of_fields(value: type) -> dict[str, str]:
    body = ast.parse(textwrap.dedent(inspect.getsource(value))).body[0]
    assert isinstance(body, ast.ClassDef)
    found = {}
    for field, after in zip(body.body, body.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(after, ast.Expr):
            found[field.target.id] = _marked(ast.literal_eval(after.value)).replace("`", "")
    return found


def signature(function: Any, name: str) -> str:
    """How a function is called, by ``inspect.signature``, without ``self``; long ones over several lines."""
    found = inspect.signature(function)
    parts: list[str] = []
    for parameter in found.parameters.values():
        if parameter.name == "self":
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not any(part.startswith("*") for part in parts):
            parts.append("*")
        star = "*" if parameter.kind is parameter.VAR_POSITIONAL else ""
        default = "" if parameter.default is parameter.empty else f" = {_default(parameter.default)}"
        parts.append(f"{star}{parameter.name}: {type_of(parameter.annotation)}{default}")
    result = type_of(found.return_annotation)
    line = f"{name}({', '.join(parts)}) -> {result}"
    if len(line) <= _WIDE:
        return line
    return "\n".join([f"{name}(", *(f"    {part}," for part in parts), f") -> {result}"])


def type_of(annotation: Any) -> str:
    """A type as it is written in code, without the modules of its names."""
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    text = re.sub(r"ForwardRef\('([^']*)'\)", r"\1", text)
    return re.sub(r"\b(?:[a-z_]\w*\.)+(?=[A-Za-z_])", "", text)


def prose(value: Any) -> str:
    """A docstring as Markdown."""
    return _marked(inspect.cleandoc(value.__doc__ or ""))


def _marked(text: str) -> str:
    text = re.sub(r":\w+:`~?(?:[\w.]+\.)?(\w+)`", r"`\1`", text)
    return re.sub(r"(?<=\S)\n(?=\S)", " ", text.replace("``", "`"))


def _row(column: Column) -> str:
    unit = f", {column.unit}" if column.unit else ""
    levels = f" One of: {', '.join(column.levels)}." if column.levels else ""
    return f"| `{column.name}` | {column.type}{unit} | {column.meaning}{levels} |"


def _default(value: Any) -> str:
    return "SILENT" if value is SILENT else repr(value)


def _fenced(text: str) -> str:
    return f"```text\n{text}\n```"


if __name__ == "__main__":
    before, _, rest = FILE.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    FILE.write_text(f"{before}{BEGIN}\n\n{reference()}\n\n{END}{after}", encoding="utf-8")
