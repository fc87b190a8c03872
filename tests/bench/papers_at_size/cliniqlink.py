"""ClinIQLink at its size: 5,543 items annotated by twelve, then asked of eight models whose outputs they rank."""

import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from resource import RUSAGE_SELF, getrusage
from typing import Any, Final

from scipy.stats import spearmanr

from medreview.study import Study
from medreview.units.new_units import ImportedLabel, ImportRecord, store_records
from tests.bench.papers_at_size.paper import EXPECTED, FoundFigure, Paper, PaperRun, Records, chance, sentence
from tests.support.misbehaving import Asked

_ITEMS: Final = {"true_false": 953, "list": 953, "multiple_choice": 952,
                 "short": 427, "short_inverse": 757, "multi_hop": 760, "multi_hop_inverse": 741}  # fmt: skip
"""Items of each type: the paper ranks 2,685 of the open ones (table 2); of closed ones only their sum is known."""
_CLOSED: Final = ("true_false", "list", "multiple_choice")
_TWICE: Final = {"": 0.45, "ranking": 2287 / 2685}
_ANNOTATORS: Final = 12
_ERRS: Final = 0.04
"""How often an annotator errs about a flag."""
_MODELS: Final = {f"model-{number}": 0.271 - number * (0.271 - 0.093) / 7 for number in range(8)}
"""How many of a model's outputs are hallucinated: the ends are the paper's."""
_STEPS: Final = {"good": 3, "okay": 2, "bad": 1}
_AT_ONCE: Final = 100
"""Rankings whose labels one transaction stores."""


def cliniqlink(part: float, seed: int) -> Paper:
    """5,543 items of seven types, each labelled by one of twelve annotators and 45% by a second; 19.7% are wrong. Eight
    models answer them, and 2,685 rankings of their outputs are ranked, rated and flagged, 85% by a second annotator."""
    types = [kind for kind, size in _ITEMS.items() for _ in range(max(6, round(size * part)))]
    items: Records = []
    flagged = 0
    for number, kind in enumerate(types):
        key = (seed, "item", number)
        wrong = chance("wrong", *key) < 0.197
        given = [
            {"annotator": who, "relevance": 5 if chance("relevance", who, *key) < 0.97 else 4,
             "dispute": wrong != (place > 0 and chance("errs", who, *key) < _ERRS)}
            for place, who in enumerate(_annotators(seed, number, ""))
        ]  # fmt: skip
        flagged += any(one["dispute"] for one in given)
        items.append({"unit": "qa", "id": f"i{number}", "type": kind, "labels": given, **_item(seed, number, kind),
                      "passage": f"{sentence(*key)} {sentence('more', *key)}"})  # fmt: skip
    open_items = [number for number, kind in enumerate(types) if kind not in _CLOSED]

    def right(model: str, number: int) -> bool:
        return chance("right", seed, model, number) < 0.6 + 0.04 * int(model[-1])

    def reply(model: str, asked: Asked) -> Mapping[str, Any]:
        found = re.search(r"number (\d+) ", asked.texts["item"])
        assert found is not None
        number = int(found[1])
        kind = types[number]
        if kind not in _CLOSED:
            return {"answer": sentence(seed, "output", model, number)}
        key = {"true_false": "True", "list": "A, C", "multiple_choice": "B"}[kind]
        other = {"true_false": "False", "list": "A, D", "multiple_choice": "C"}[kind]
        return {"answer": key if right(model, number) else other}

    def work(bench: PaperRun) -> None:
        bench.run(*paper.replay("cliniqlink"))
        began, busy = time.monotonic(), getrusage(RUSAGE_SELF)
        with Study.open(bench.folder / "s.medreview") as study:
            rows = study.reader.execute(
                "SELECT unit_id, record_id, content FROM unit WHERE kind = 'ranking'"
            ).fetchall()
            for first in range(0, len(rows), _AT_ONCE):
                labels = [label for row in rows[first : first + _AT_ONCE] for label in _labels(seed, *row)]
                record = ImportRecord(labels=tuple(labels))
                study.write(lambda connection, record=record: store_records(connection, [record], "annotators"))  # type: ignore[misc]
        used = getrusage(RUSAGE_SELF)
        bench.note(f"labels of {len(rows):,} rankings, from Python", time.monotonic() - began,
                   used.ru_utime + used.ru_stime - busy.ru_utime - busy.ru_stime, used.ru_maxrss / 1e3)  # fmt: skip

    def found(bench: PaperRun) -> Iterator[FoundFigure]:
        told = json.loads(bench.run("stats", "s.medreview", "--unit", "ranking", "--json"))
        for one in told["unit"]["family"]["models"]:
            if not one["type"]:
                yield FoundFigure(one["usefulness"] | {"name": "usefulness"}, one["model"], "(not printed)")

    def expected() -> EXPECTED:
        rule = {("hallucination rate", ""): flagged / len(items)}
        closed = [number for number, kind in enumerate(types) if kind in _CLOSED]
        for model in _MODELS:
            share = sum(right(model, number) for number in closed) / len(closed)
            rule["closed items answered as the key has it", model] = share
        ranked = {number: sorted(_annotators(seed, number, "ranking")) for number in open_items}
        rule |= _of_outputs(seed, ranked)
        for kind in ("", *_ITEMS):
            twice = [(number, one, other) for number, (one, *others) in ranked.items()
                     if kind in ("", types[number]) for other in others]  # fmt: skip
            if twice:
                rule |= {(name, kind): value for name, value in _of_two(seed, twice).items()}
        return rule

    paper = Paper([("import", items)], expected, models=tuple(_MODELS), reply=reply, work=work, found=found,
                  skip=("passages", "items"))  # fmt: skip
    return paper


def _item(seed: int, number: int, kind: str) -> dict[str, Any]:
    """What is asked in an item, and its key."""
    right = sentence(seed, "item", number)
    if kind == "true_false":
        return {"question": f"The measure of number {number} is taken on the ward.", "answer": "True"}
    asked = {"question": f"Which measure has the number {number} on the ward?"}
    if kind in _CLOSED:
        options = {letter: f"Measure {letter}{number}" for letter in "ABCD"}
        return asked | {
            "options": options,
            "answer": "B" if kind == "multiple_choice" else [options["A"], options["C"]],
        }
    if kind.startswith("multi"):
        asked["steps"] = ["The ward numbers its measures.", "The number is looked up."]  # type: ignore[assignment]
    if not kind.endswith("inverse"):
        return asked | {"answer": right}
    return asked | {"answer": right, "wrong_answer": "None has it.", "flaw": "One of them has it.",
                    "wrong_steps": ["Measures have no numbers.", "So none has it."]}  # fmt: skip


def _annotators(seed: int, number: int, unit: str) -> list[str]:
    """Who annotates an item, or the ranking of it."""
    key = (seed, unit, "item", number)
    first = int(chance("first", *key) * _ANNOTATORS)
    second = (first + 1 + int(chance("second", *key) * (_ANNOTATORS - 1))) % _ANNOTATORS
    return [f"annotator {who:02d}" for who in (first, second)[: 1 + (chance("twice", *key) < _TWICE[unit])]]


def _said(seed: int, who: str, model: str, number: int) -> tuple[str, bool]:
    """What an annotator calls an output, and whether they flag it."""
    key = (seed, model, number)
    invented = chance("invents", *key) < _MODELS[model]
    at = chance("quality", *key)
    quality = ("bad" if at < 0.55 else "okay") if invented else ("good" if at < 0.7 else "okay")
    if chance("other quality", who, *key) < 0.2:
        quality = "okay" if quality != "okay" else "bad" if chance("which", who, *key) < 0.5 else "good"
    return quality, invented != (chance("flag errs", who, *key) < _ERRS)


def _order(seed: int, who: str, number: int) -> list[str]:
    """The models in an annotator's order of their outputs, the best first: by quality, then by taste."""
    return sorted(_MODELS, key=lambda model: (-_STEPS[_said(seed, who, model, number)[0]],
                                              chance("taste", seed, who, model, number)))  # fmt: skip


def _of_outputs(seed: int, ranked: Mapping[int, Sequence[str]]) -> dict[tuple[str, str], float]:
    """What annotators say of each model's outputs, and how it goes together."""
    rates: list[float] = []
    useful: list[float] = []
    for model in _MODELS:
        given = [[_said(seed, who, model, number) for who in raters] for number, raters in ranked.items()]
        steps = [_STEPS[quality] for each in given for quality, _ in each]
        rates.append(sum(any(flag for _, flag in each) for each in given) / len(given))
        useful.append(sum(steps) / len(steps))
    correlation = float(spearmanr(rates, useful).statistic)
    return {
        **{("outputs that are hallucinated", model): rate for model, rate in zip(_MODELS, rates, strict=True)},
        **{("usefulness", model): mean for model, mean in zip(_MODELS, useful, strict=True)},
        ("hallucination rate and usefulness of the models, Spearman's rho", ""): correlation,
    }


def _of_two(seed: int, twice: Sequence[tuple[int, str, str]]) -> dict[str, float]:
    """How alike two annotators order and rate the outputs of the same rankings."""
    taus = [_tau(_order(seed, one, number), _order(seed, other, number)) for number, one, other in twice]
    rated = [
        (_STEPS[_said(seed, one, model, number)[0]], _STEPS[_said(seed, other, model, number)[0]])
        for number, one, other in twice
        for model in _MODELS
    ]
    return {
        "orders of two annotators, mean Kendall's tau": sum(taus) / len(taus),
        "Good, Okay, Bad: quadratically weighted kappa of two": _weighted_kappa(rated),
    }


def _labels(seed: int, unit: str, record: str, content: str) -> Iterator[ImportedLabel]:
    """All labels of one ranking."""
    number = int(record[1:])
    models = [one["model"] for one in json.loads(content)["outputs"]]
    for who in _annotators(seed, number, "ranking"):
        order = ">".join(str(models.index(model) + 1) for model in _order(seed, who, number))
        yield ImportedLabel(unit, who, "rank", order, blind=True)
        for place, model in enumerate(models, 1):
            quality, flag = _said(seed, who, model, number)
            yield ImportedLabel(unit, who, f"quality/{place}", quality, blind=True)
            yield ImportedLabel(unit, who, f"hallucinated/{place}", "flagged" if flag else "not_flagged", blind=True)


def _tau(one: Sequence[str], other: Sequence[str]) -> float:
    """Kendall's tau of two orders without ties."""
    place = {model: at for at, model in enumerate(other)}
    pairs = [place[before] < place[after] for before, after in combinations(one, 2)]
    return (2 * sum(pairs) - len(pairs)) / len(pairs)


def _weighted_kappa(pairs: Sequence[tuple[int, int]]) -> float:
    """Cohen's kappa with quadratic weights: one less mean squared difference over that of independent raters."""
    n = len(pairs)
    means = [sum(pair[rater] for pair in pairs) / n for rater in (0, 1)]
    spread = [sum((pair[rater] - means[rater]) ** 2 for pair in pairs) / n for rater in (0, 1)]
    return 1 - sum((a - b) ** 2 for a, b in pairs) / n / (sum(spread) + (means[0] - means[1]) ** 2)
