"""What Tab offers, asked as Bash asks: by the protocol of the program's completion."""

from collections.abc import Callable
from pathlib import Path

import pytest

from medreview.cli.commands.papers import PAPERS
from medreview.replays.registry import REPLAYS
from medreview.study import Study
from medreview.study.events import NewEvent, Recorder
from tests.support.commands import Program

Offered = Callable[[str], list[str]]


@pytest.fixture(scope="module")
def offered(tmp_path_factory: pytest.TempPathFactory, demo_file: Path) -> Offered:
    """What is offered for the last word of a line, in a folder with studies and settings."""
    folder = tmp_path_factory.mktemp("tab")
    for name in ("ward.medreview", "my study.medreview", "odd$(id).medreview"):
        (folder / name).symlink_to(demo_file)
    (folder / "sub").mkdir()
    with Study.create(folder / "sub" / "told.medreview") as study:
        for who in ("anna", "b o", "x; rm -r /", "\x1b[31m"):
            note = NewEvent("note", "r1.1", {"text": "so"})
            study.write(lambda c, who=who, note=note: Recorder(who).append(c, note, block="flagged", mode="open"))
    tables = "".join(f'[{table}]\nmodel = "m"\nbase_url = "http://localhost:1/v1"\n'
                     for table in ("judges.local", '"judges"."$(id)"', "models.writer"))  # fmt: skip
    (folder / "medreview.toml").write_text(tables)

    def asked(line: str) -> list[str]:
        words = line.split(" ")
        told = {"_MEDREVIEW_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
        return Program(folder, {**told, "XDG_STATE_HOME": str(folder / "state")})().stdout.rstrip("\n").split("\n")

    return asked


@pytest.mark.parametrize(
    ("line", "values"),
    [
        ("medreview stats ", ["my\\ study.medreview", "ward.medreview"]),
        ("medreview stats sub/", ["sub/told.medreview"]),
        ("medreview judges swap w", ["ward.medreview"]),
        ("medreview wa", ["ward.medreview"]),
        ("medreview pl", ["plan"]),
        ("medreview plan gu", ["guidelines"]),
        ("medreview audit", []),
        ("medreview judges ", ["list", "prompts", "batches", "choose", "runs", "swap", "writer", "local"]),
        ("medreview judges --p", ["--ping"]),
        ("medreview judges --study wa", ["ward.medreview"]),
        ("medreview judges wri", ["writer"]),
        ("medreview config --j", ["--json"]),
        ("medreview judge ward.medreview --judge ", ["local"]),
        ("medreview stats ward.medreview --unit q", ["qa", "question"]),
        ("medreview judge ward.medreview --task ref", ["reference_parsing"]),
        ("medreview generate qa ward.medreview --model w", ["writer"]),
        ("medreview review ward.medreview --queue fl", ["flagged"]),
        ("medreview review ward.medreview --queue rank", ["rankings"]),
        ("medreview ward.medreview --queue fl", ["flagged"]),
        ("medreview review sub/told.medreview --reviewer ", ["anna", "b\\ o"]),
        ("medreview plan audit sub/told.medreview --reviewer an", ["anna"]),
        ("medreview import ward.medreview --producer lang", []),
        (
            "medreview import ward.medreview --producer Lang",
            ["Langfuse", "LangChain\\ or\\ LlamaIndex\\ or\\ Haystack"],
        ),
        ("medreview import ward.medreview --as ", ["facts"]),
        ("medreview export ward.medreview x --dialect e", ["excel"]),
        ("medreview judges prompts source_v", ["source_verification"]),
        ("medreview config explain keys.def", ["keys.defer"]),
        ("medreview papers replay cl", ["cliniqlink"]),
    ],
)
def test_what_is_offered(offered: Offered, line: str, values: list[str]) -> None:
    assert offered(line) == (values or [""])


def test_the_papers_that_are_named_are_those_that_are_replayed() -> None:
    assert tuple(REPLAYS) == PAPERS


def test_what_cannot_be_read_offers_nothing(offered: Offered) -> None:
    for line in ("medreview review gone.medreview --reviewer ", "medreview stats no/such/"):
        assert offered(line) == [""]
