"""What is loaded before the first screen is painted: nothing that it can do without."""

import sys
from pathlib import Path
from typing import Final

from medreview import pipeline
from medreview.study import Study
from tests.support.terminal import Terminal

FOR_SOME: Final = (
    *("llm.settings", "settings_files", "semantic.configured"),  # where there is a file of settings
    *("references.model", "units.checked_reference"),  # where a reference was checked
    *("judges.verdicts", "judges.triage", "review.conflicts", "review.looks"),  # for some keys
)
"""What only some studies, settings or keys need."""


def test_who_opens_statements_waits_for_no_other_kind_of_unit(study_path: Path, tmp_path: Path) -> None:
    with Study.open(study_path) as study:
        pipeline.roll_up(study)  # else the first opening does
    seen = tmp_path / "loaded"
    code = f"""
import sys
from pathlib import Path
from medreview.cli.main import main
from medreview.screens.app import Workbench

begin = Workbench.on_ready

def on_ready(self):
    Path({str(seen)!r}).write_text("\\n".join(sys.modules))
    begin(self)

Workbench.on_ready = on_ready
sys.argv = ["medreview", "review", {str(study_path)!r}, "--queue", "flagged", "--reviewer", "kb"]
main()
"""
    with Terminal([sys.executable, "-c", code], cwd=tmp_path) as terminal:
        terminal.wait("1 of 6")
        terminal.type("q")
        terminal.wait("q leave")
        terminal.type("q")
        assert terminal.finish() == 0
    loaded = set(seen.read_text().split())
    assert "medreview.screens.face" in loaded
    kinds = {f"medreview.units.{name}" for name in ("pair", "qa", "answer", "question", "ranking", "suggestion")}
    others = {"medreview.screens.home", "medreview.pipeline", "typer", "numpy"}
    assert not (kinds | others) & loaded
    for_some = {"tomllib", *(f"medreview.{name}" for name in FOR_SOME)}
    assert for_some & loaded == set()
