"""What ``stats --require`` asks of a figure: ``kappa>=.6``, ``lower(support[by=models])>=80%``; whether it holds.

A figure is named by a short name, with a scope in brackets where several have it, or by its place in the JSON, as
``stats --csv`` writes it. Of several that fit the first counts: statements before other units, the reviewer with most
labels before the others, all judges together before each, "supported or not" before four labels.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import ge, gt, le, lt
from typing import Final, Literal, NamedTuple

from medreview.errors import UserError
from medreview.stats.formulas.estimate import COUNT, LEVEL, Estimate, FigureRow, figure_rows, number, percent
from medreview.stats.formulas.support import SHARE_NAMES
from medreview.stats.how_good import STATEMENT, WHAT, Answer
from medreview.stats.reports.comparison import Comparison
from medreview.stats.reports.reviewer_labels import BINARY, SCALES, TOGETHER
from medreview.stats.reports.study_support import SupportFigures, SupportReport
from medreview.stats.study_figures import StudyFigures
from medreview.stats.units.rater_agreement import UnitAgreement
from medreview.stats.units.unit_figures import ScaleFigures, UnitFigures
from medreview.units.registry import KINDS

End = Literal["value", "lower", "upper"]

_TWO: Final = {"kappa": "Cohen's kappa", "ac1": "Gwet's AC", "agreement": "percent agreement"}
"""Statistics of two raters by name; of ordered labels they are weighted, and the name goes on."""
_OF_ANSWERS: Final = {WHAT[name]: key for key, name in SHARE_NAMES.items() if name in WHAT}
_SUPPORT: Final = {"own_support": "own_support", "statement_support": "support", "response_support": "response_support"}
_OF_SOURCES: Final = {"url_validity": "url_validity", "unused_source_share": "unused_sources"}
NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys((*_TWO, "macro_f1"), ("judge", "reviewer", "mode", "drawn", "scale", "unit", "between", "gold")),
    **dict.fromkeys(_SUPPORT.values(), ("by", "reviewer", "model", "origin")),
    **dict.fromkeys(_OF_SOURCES.values(), ("model", "origin")),
    "share": ("unit", "by", "reviewer", "judge"),
}
"""The names of figures, and what each may be narrowed by."""
_SIGNS: Final = {">=": (ge, "at least", "below"), ">": (gt, "above", "not above"),
                 "<=": (le, "at most", "above"), "<": (lt, "below", "not below")}  # fmt: skip
_FORM: Final = re.compile(
    r"\s*(?:(?P<end>lower|upper)\s*\((?P<inner>[^<>]+)\)|(?P<outer>[^<>()]+?))\s*"
    r"(?P<sign>>=|<=|>|<)\s*(?P<bound>-?(?:\d+\.?\d*|\.\d+))\s*(?P<percent>%?)\s*"
)
_NAMED: Final = re.compile(r"\s*(?P<name>\w+)\s*(?:\[(?P<scope>[^\]]*=[^\]]*)\])?\s*")
_EXAMPLE: Final = "`kappa>=.6`, `lower(support[model=atlas-2])>=80%`"


class Requirement(NamedTuple):
    """``end`` of the figure ``target`` compared by ``sign`` with ``bound``, a fraction; ``limit`` as it was written."""

    expression: str
    end: End
    target: str
    sign: str
    bound: float
    limit: str


class NamedFigure(NamedTuple):
    """A figure that has a name: ``scope`` says of what it is, ``words`` the same in a sentence."""

    name: str
    scope: Mapping[str, str]
    words: str
    estimate: Estimate


@dataclass(frozen=True)
class Outcome:
    """Whether what was required holds, and the sentence that says so. ``value``: what was compared, ``None`` where it
    is undefined, and then nothing holds; ``bound`` with what. Shares are fractions."""

    expression: str
    met: bool
    sentence: str
    value: float | None
    bound: float


def requirement(expression: str) -> Requirement:
    """Read an expression; raises :class:`UserError` that shows how one looks, and names the figures."""
    found = _FORM.fullmatch(expression)
    if found is None:
        raise UserError(f"--require {expression!r} cannot be read. It looks like {_EXAMPLE}. {_names()}")
    end: End = "value" if found["end"] is None else "lower" if found["end"] == "lower" else "upper"
    bound = float(found["bound"]) / (100 if found["percent"] else 1)
    limit = f"{found['bound']}{found['percent']}"
    return Requirement(expression, end, (found["inner"] or found["outer"]).strip(), found["sign"], bound, limit)


def outcomes(
    required: Sequence[Requirement], figures: StudyFigures | UnitFigures, answers: Sequence[Answer]
) -> tuple[Outcome, ...]:
    """What became of each; raises :class:`UserError` for a figure that there cannot be.

    ``answers``: of these figures, in their order.
    """
    named = list(named_figures(figures, answers))
    rows = {row.path: row for row in figure_rows(figures)} if required else {}
    return tuple(_outcome(each, _figure(each.target, named, rows)) for each in required)


def named_figures(figures: StudyFigures | UnitFigures, answers: Sequence[Answer]) -> Iterator[NamedFigure]:
    """Every figure that has a name, in the order in which they count."""
    if isinstance(figures, UnitFigures):
        yield from _of_unit(figures)
    else:
        for reviewer in sorted(figures.reviewers, key=lambda one: -(one.own.labels if one.own else 0)):
            for scale in reversed(SCALES):
                for group in reviewer.agreement:
                    scope = {"reviewer": reviewer.reviewer, "mode": group.mode, "drawn": _yes(group.drawn)}
                    words = f"with {reviewer.reviewer}, {group.title}"
                    for one in group.comparisons:
                        if one.scale == scale.name and one.n:
                            judge = "together" if one.second == TOGETHER else one.second
                            yield from _of_statements(one, {**scope, "judge": judge}, f"{one.second} {words}")
        yield from _between(figures)
        for kind in figures.units:
            yield from _of_unit(kind)
    yield from map(_answer, answers)
    if isinstance(figures, StudyFigures):
        for reviewer in figures.reviewers:
            for report in reviewer.support:
                yield from _parts(report, {"by": "labels", "reviewer": reviewer.reviewer})
        yield from _parts(figures.support, {"by": "models"})


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _of_two(one: Comparison | UnitAgreement, scope: Mapping[str, str], words: str) -> Iterator[NamedFigure]:
    right = one.per_label if isinstance(one, Comparison) else one.right
    for name, statistic in _TWO.items():
        figure = next((each for each in one.agreement if each.name.startswith(statistic)), None)
        if figure is not None:
            yield NamedFigure(name, scope, f"{name} of {words}", figure)
    if right is not None:
        yield NamedFigure("macro_f1", scope, f"macro F1 of {words}", right.macro_f1)


def _of_statements(one: Comparison, scope: Mapping[str, str], words: str) -> Iterator[NamedFigure]:
    four = "" if one.scale == BINARY.name else ", four labels"
    yield from _of_two(one, {**scope, "unit": STATEMENT, "scale": one.scale}, f"{words}{four}")


def _between(figures: StudyFigures) -> Iterator[NamedFigure]:
    pairs = [("reviewers", one) for one in figures.between_reviewers]
    pairs += [("judges", one) for one in figures.between_judges.pairs]
    for scale in reversed(SCALES):
        for between, one in pairs:
            if one.scale == scale.name and one.n:
                which = f", {one.labels_of} labels" if one.labels_of else ""
                side = "reviewer" if between == "reviewers" else "judge"
                words = f"{one.first} and {one.second}{which}"
                yield from _of_statements(one, {"between": between, side: one.first}, words)


def _of_unit(kind: UnitFigures) -> Iterator[NamedFigure]:
    for axis in kind.axes:
        for scale in axis.scales:
            for scope, one in _pairs(scale):
                which = f", {one.which} labels" if one.which else ""
                words = f"{one.second} with {one.first}{which}, {kind.title}, {scale.title}"
                yield from _of_two(one, {**scope, "unit": kind.kind, "scale": scale.scale}, words)


def _pairs(scale: ScaleFigures) -> Iterator[tuple[dict[str, str], UnitAgreement]]:
    """Machines beside people come first; the others count only where they are named."""
    modes = {"first, blind": "blind", "assisted": "assisted"}
    for one in scale.machines:
        yield {"reviewer": one.first, "judge": one.second, "mode": modes.get(one.which, one.which)}, one
    for one in scale.gold:
        side = "reviewer" if one.which else "judge"
        yield {"gold": "yes", side: one.second, "mode": modes.get(one.which, one.which)}, one
    for one in scale.between:
        yield {"between": "reviewers", "reviewer": one.first, "mode": modes.get(one.which, one.which)}, one


def _answer(one: Answer) -> NamedFigure:
    side = "judge" if one.by == "models" else "reviewer"
    whose = {"labels": f"the labels of {one.who}", "models": one.who, "audit": f"the audit of {one.who}"}
    by = f"by {whose.get(one.by, f'the audit of {one.who} with the verdicts')}"
    of_what = f" ({one.of_what})" if one.of_what else ""
    scope = {"by": one.by, side: one.who, "unit": one.kind}
    if one.kind == STATEMENT:
        name = _SUPPORT[_OF_ANSWERS[one.what]]
        return NamedFigure(name, scope, f"{one.what}, {by}{of_what}", one.estimate)
    return NamedFigure("share", scope, f"{KINDS[one.kind].title}, {one.what}, {by}{of_what}", one.estimate)


def _parts(report: SupportReport, scope: Mapping[str, str]) -> Iterator[NamedFigure]:
    """Shares of the whole and of each model and origin; of support by rules there is none."""
    of_pages = {SHARE_NAMES[key]: name for key, name in _OF_SOURCES.items()}
    shares = {} if report.by_rules else {SHARE_NAMES[key]: name for key, name in _SUPPORT.items()}
    for stratum in report.strata:
        split = {stratum.split: stratum.stratum} if stratum.split else {}
        for figure in stratum.clustered:
            if name := shares.get(figure.name, of_pages.get(figure.name)):
                by = f", by {report.by}" if name in shares.values() else ""
                words = f"{figure.name}{by}{_stratum(stratum)}"
                yield NamedFigure(name, {**scope, **split}, words, figure)


def _stratum(stratum: SupportFigures) -> str:
    return f", {stratum.split} {stratum.stratum}" if stratum.split else ""


_NOT_YET: Final = {
    True: "no two raters have labelled the same unit yet.",
    False: "no person and no model has labelled any of these yet.",
}
_APART: Final = ("between", "gold", "model", "origin")
"""What a figure is of only where that is named: otherwise it is another one than was meant."""


def _figure(target: str, named: Sequence[NamedFigure], rows: Mapping[str, FigureRow]) -> NamedFigure | FigureRow | str:
    """The figure, its row, or why there is none yet."""
    if target in rows:
        return rows[target]
    found = _NAMED.fullmatch(target)
    name = found["name"] if found else target
    if found is None or name not in NAMES:
        raise UserError(
            f"--require: there is no figure {target!r}. {_names()} Every figure and count can also be named by its "
            "place, as `stats --csv -` writes it: `reviewers[0].progress.decided`."
        )
    scope = dict(_words(found["scope"] or "", name))
    of_name = [one for one in named if one.name == name]
    for key, word in scope.items():
        known = dict.fromkeys(one.scope[key] for one in of_name if key in one.scope)
        if known and word not in known:
            raise UserError(f"--require: {name} has no {key} {word!r} here; there is {', '.join(known)}.")
    fitting = [
        one
        for one in of_name
        if all(one.scope.get(key) == word for key, word in scope.items())
        and not any(key in one.scope for key in _APART if key not in scope)
    ]
    return next(iter(fitting), _NOT_YET[name in (*_TWO, "macro_f1")])


def _names() -> str:
    return f"Figures: {', '.join(NAMES)}."


def _words(scope: str, name: str) -> Iterable[tuple[str, str]]:
    for part in filter(None, map(str.strip, scope.split(","))):
        key, _, word = (piece.strip() for piece in part.partition("="))
        if key not in NAMES[name]:
            raise UserError(f"--require: {name} is narrowed by {', '.join(NAMES[name])}, not by {key!r}.")
        yield key, word


def _outcome(asked: Requirement, found: NamedFigure | FigureRow | str) -> Outcome:
    holds, yes, no = _SIGNS[asked.sign]
    if isinstance(found, str):
        return Outcome(asked.expression, False, f"{asked.target}: undefined, {found}", None, asked.bound)
    words, figure = (found.words, found.estimate) if isinstance(found, NamedFigure) else (asked.target, found)
    scale = figure.scale if isinstance(figure, Estimate) else "plain"
    ends = {"value": figure.value, "lower": figure.low, "upper": figure.high}
    value = ends[asked.end]
    if figure.value is None or value is None:
        what = "undefined" if figure.value is None else f"{number(figure.value, scale)}, no interval"
        return Outcome(
            asked.expression, False, f"{words}: {what}: {figure.reason or 'it has none.'}", None, asked.bound
        )
    told = f"{figure.value:,}" if figure.method == COUNT else number(figure.value, scale)
    if asked.end != "value":
        told += f", {asked.end} end {number(value, scale)}"
    elif figure.low is not None and figure.high is not None:
        level = percent(figure.level or LEVEL, 0)
        told += f" ({level} CI {number(figure.low, scale)} to {number(figure.high, scale)})"
    met = holds(value, asked.bound)
    return Outcome(asked.expression, met, f"{words}: {told}, {yes if met else no} {asked.limit}", value, asked.bound)
