"""Writes the sections of docs/reference/replays.md on the papers: what each replay does, and how it differs.

``python -m tests.tools.replays_page``
"""

from collections.abc import Iterator
from pathlib import Path

from medreview.replays.registry import REPLAYS
from medreview.replays.replay import Replay

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "replays.md"
MARK = "<!-- by tests.tools.replays_page -->"
NAMES = {
    "sourcecheckup": "SourceCheckup", "medhalu": "MedHalu", "cds": "CDS", "medfacteval": "MedFactEval",
    "medagentbrief": "MedAgentBrief", "cliniqlink": "ClinIQLink",
}  # fmt: skip


def replays_page() -> str:
    """The page: what is written by hand, and the sections."""
    written = PAGE.read_text(encoding="utf-8").partition(f"\n{MARK}\n")[0].rstrip("\n")
    sections = "\n".join("\n".join(_section(replay)) for replay in REPLAYS.values())
    return f"{written}\n\n{MARK}\n\n{sections}"


def _section(replay: Replay) -> Iterator[str]:
    yield f"## {NAMES[replay.name]}"
    yield ""
    yield f"`medreview papers replay {replay.name}`. {replay.paper}. Files: {replay.takes}"
    yield ""
    yield "| step | what it does |"
    yield "| --- | --- |"
    yield from (f"| {step.name} | {step.about} |" for step in replay.steps)
    yield ""
    yield "How it differs from the paper:"
    yield ""
    yield from (f"- {sentence}" for sentence in replay.deviations)
    yield ""
    yield "Not replayed:"
    yield ""
    yield from (f"- {sentence}" for sentence in replay.not_replayed)
    yield ""


if __name__ == "__main__":
    PAGE.write_text(replays_page(), encoding="utf-8")
