"""The code of docs/reference/figures-again.md makes the figures of ``stats`` again from the exported files."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from medreview.stats.formulas.classification import mcnemar
from tests.docs.test_pages import page
from tests.support.commands import PATIENCE, Program
from tests.support.shared import made_once
from tests.support.two_reviewers_study import ANNA

_BLOCK = re.compile(r"^```(python|r)\n# (.*?)\n(.*?)^```", re.MULTILINE | re.DOTALL)
BLOCKS = _BLOCK.findall(page("figures-again.md"))
Figures = dict[str, list[float]]


def of(language: str) -> str:
    """All blocks of a language as one program."""
    return "\n".join(code for each, _, code in BLOCKS if each == language)


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory, two_reviewers_file: Path) -> Path:
    """A folder with the export of the study, ``labels``, and its figures, ``stats.json``."""

    def make(folder: Path) -> None:
        study, run = Path(shutil.copy(two_reviewers_file, folder)), Program(folder)
        run("export", study, "labels")
        told = json.loads(run("stats", study, "--full", "--json").stdout)
        cited = json.loads(run("citations", study, "--json").stdout)["figures"]["figures"]
        (folder / "stats.json").write_text(json.dumps(told | {"citations": cited}))

    return made_once(tmp_path_factory, "statistics-code", make)


def first(rows: Iterable[Mapping[str, Any]], **wanted: Any) -> Any:
    """The first of these that has all of this."""
    return next(row for row in rows if all(row[name] == value for name, value in wanted.items()))


def whole(estimate: Mapping[str, float]) -> list[float]:
    """Value and interval."""
    return [estimate["value"], estimate["low"], estimate["high"]]


def figures_of(told: Mapping[str, Any]) -> Figures:
    """By the name that the blocks give it, each figure as ``stats --json`` has it."""
    between = first(told["between_reviewers"], first=ANNA, second="ben", labels_of="first_blind", scale="binary")
    levels = first(told["between_reviewers"], first=ANNA, second="ben", labels_of="first_blind", scale="levels")
    anna = first(told["reviewers"], reviewer=ANNA)
    drawn = first(anna["agreement"], mode="blind", drawn=True)
    judges = first(drawn["comparisons"], second="the judges together", scale="binary")
    right, test = judges["per_label"], judges["mcnemar"]
    panel = first(told["consensus"][0]["among"], scale="binary")["agreement"]["figures"]
    support = told["support"]["strata"][0]["clustered"]
    audit = first(told["audit"]["figures"], reviewer=ANNA)
    powered = audit["with_verdicts"][0]
    qa, ranking = (first(told["units"], kind=kind)["family"] for kind in ("qa", "ranking"))
    relevance = first(first(told["units"], kind="qa")["axes"], axis="relevance")["scales"][0]["between"]
    rho = first(first(relevance, first=ANNA, second="ben", which="first, blind")["agreement"], name="Spearman's rho")
    cited = told["citations"]
    boreal = first(ranking["models"], model="boreal", type="")
    tau = first(ranking["agreement"], raters="the reviewers", which="first, blind", type="")
    return {
        "percent_agreement": whole(between["agreement"][0]),
        "percent_by_wilson": whole(first(between["agreement"], method="Wilson")),
        "cohens_kappa": whole(first(between["agreement"], name="Cohen's kappa")),
        "gwets_ac1": whole(first(between["agreement"], name="Gwet's AC1")),
        "quadratic_kappa": whole(first(levels["weighted"], name="Cohen's kappa (quadratic weights)")),
        "accuracy": whole(right["accuracy"]),
        "precision": whole(right["precision"]["supported"]),
        "recall": whole(right["recall"]["supported"]),
        "f1_of_supported": [right["f1"]["supported"]["value"]],
        "mcnemar_p": [test["pvalue"]],
        "exact_p": [mcnemar(test["b"], test["c"]).pvalue or 0.0],
        "fleiss_kappa": whole(panel["fleiss_kappa"]),
        "krippendorffs_alpha": whole(panel["krippendorff_alpha"]),
        "support_by_anna": whole(anna["own"]["any_source"]),
        "support_by_judges": whole(first(support, name="statement-level support")),
        "response_support": whole(first(support, name="response-level support")),
        "url_validity": whole(first(support, name="source URL validity")),
        "by_audit": whole(audit["supported"]["study"]),
        "by_audit_at_large": whole(audit["supported"]["at_large"]),
        "by_audit_and_verdicts": whole(powered["supported"]),
        "weight": [powered["weight"]],
        "responses_with_citation": [cited["with_citation"]["value"]],
        "citations_per_response": whole(cited["mean_citations"]),
        "allowed_mean": whole(cited["mean_allowed"]),
        "allowed_pooled": whole(cited["pooled_allowed"]),
        "hallucination_rate": whole(qa["rates"][0]["hallucination_rate"]),
        "pabak": whole(first(qa["validity_agreement"], name="Brennan-Prediger")),
        "spearmans_rho": [rho["value"]],
        "mean_rank": [boreal["mean_rank"]["value"]],
        "kendalls_tau": whole(tau["tau"]),
    }


def same(found: Mapping[str, Sequence[float]], sample: Path) -> None:
    told = figures_of(json.loads((sample / "stats.json").read_text()))
    assert len(told) > 12
    assert [name for name, expected in told.items() if None in expected] == [], "the sample gives these no interval"
    off = {
        name: (list(found[name]), expected)
        for name, expected in told.items()
        if list(found[name]) != pytest.approx(expected, abs=1e-9, rel=0)
    }
    assert off == {}


def test_each_block_of_the_one_language_has_its_like_in_the_other() -> None:
    names = {language: [name for each, name, _ in BLOCKS if each == language] for language in ("python", "r")}
    assert names["python"] == names["r"]
    assert page("figures-again.md").count("\n```python\n") + page("figures-again.md").count("\n```r\n") == len(BLOCKS)


def test_python_makes_the_figures_again(sample: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(sample)
    made: dict[str, Any] = {}
    exec(of("python"), made)
    names = figures_of(json.loads((sample / "stats.json").read_text()))
    same({name: made[name] if isinstance(made[name], tuple) else [made[name]] for name in names}, sample)


@pytest.mark.r
def test_r_makes_the_figures_again(sample: Path, tmp_path: Path) -> None:
    rscript = shutil.which("Rscript")
    if rscript is None:
        pytest.skip("no R here: Rscript is not installed")
    names = figures_of(json.loads((sample / "stats.json").read_text()))
    shown = "\n".join(f'cat("{name}", sprintf("%.17g", as.numeric({name})), "\\n")' for name in names)
    (tmp_path / "figures.R").write_text(f"{of('r')}\n{shown}\n", encoding="utf-8")
    done = subprocess.run(
        [rscript, "--vanilla", tmp_path / "figures.R"], cwd=sample, capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.returncode == 0, done.stderr
    rows = [line.split() for line in done.stdout.splitlines()]
    same({name: [float(each) for each in numbers] for name, *numbers in rows}, sample)
