"""The wall between the core and its two faces, and what a command may load."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1] / "medreview"
FACES = {"cli", "screens"}
CORE = sorted(
    ".".join(["medreview", *path.relative_to(ROOT).with_suffix("").parts]).removesuffix(".__init__")
    for path in ROOT.rglob("*.py")
    if path.relative_to(ROOT).parts[0] not in FACES and path.name != "__main__.py"
)


def loaded_after(code: str) -> set[str]:
    script = f"{code}\nimport sys; print('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return {name.partition(".")[0] for name in done.stdout.split()} | set(done.stdout.split())


def test_the_core_never_loads_a_screen():
    code = f"""
import importlib, sys
for name in {CORE!r}:
    importlib.import_module(name)
    seen = {{"textual", "medreview.screens", "medreview.cli"}} & set(sys.modules)
    assert not seen, f"{{name}} loads {{seen}}"
"""
    assert len(CORE) > 50
    assert "medreview.review.session" in loaded_after(code)


def test_the_core_never_asks_for_rich():
    # httpx loads it by itself where it is installed, so the sources are read, not sys.modules.
    asking = re.compile(r"^\s*(?:from|import) (?:rich|textual)\b", re.MULTILINE)
    files = [path for path in ROOT.rglob("*.py") if path.relative_to(ROOT).parts[0] not in FACES]

    assert [path.name for path in files if asking.search(path.read_text())] == []


def test_help_loads_neither_textual_nor_what_only_the_pipeline_needs():
    code = """
import contextlib, io, sys
from medreview.cli.main import main
for command in ("", "stats", "export", "review", "judges choose", "citations", "report"):
    sys.argv = ["medreview", *command.split(), "--help"]
    with contextlib.redirect_stdout(io.StringIO()) as told, contextlib.suppress(SystemExit):
        main()
    assert "Usage: medreview " + command in told.getvalue(), told.getvalue()
"""
    heavy = {"textual", "httpx", "trafilatura", "lxml", "numpy", "scipy", "matplotlib", "Stemmer", "pypdfium2"}
    assert not heavy & loaded_after(code)


def test_figures_load_no_reader_of_files_and_a_check_no_figures(sample_file: Path, tmp_path: Path) -> None:
    study = str(shutil.copy(sample_file, tmp_path / "s.medreview"))
    cited, library = tmp_path / "r.txt", ROOT.parent / "sample_data" / "library.json"
    cited.write_text("1. Okafor N. Fluids in septic shock: a trial. J Invent Med. 2019.")
    code = """
import contextlib, io, sys
from medreview.cli.main import main
sys.argv = ["medreview", *{words!r}]
with contextlib.redirect_stdout(io.StringIO()) as told, contextlib.suppress(SystemExit):
    main()
assert {shown!r} in told.getvalue(), told.getvalue()
"""
    readers = {f"medreview.{name}" for name in ("exchange.imports.answer_records", "references.printed", "pipeline")}
    figures = loaded_after(code.format(words=["stats", study], shown="support"))
    assert not {"textual", "httpx", "lxml", "matplotlib", *readers} & figures
    words = ["references", str(cited), "--offline", "--library", str(library)]
    check = loaded_after(code.format(words=words, shown="1 reference"))
    assert not {"textual", "numpy", "medreview.stats.reference_verdicts"} & check


def test_the_list_of_recent_studies_loads_nothing_heavy():
    code = "import medreview.cli.study_picker, medreview.recent_studies, medreview.cli.study_picker, medreview.config"
    assert not {"textual", "httpx", "trafilatura", "lxml", "numpy", "Stemmer", "tomlkit"} & loaded_after(code)


def test_the_review_session_loads_nothing_heavy():
    assert not {"httpx", "trafilatura", "lxml", "numpy", "Stemmer", "pypdfium2", "rapidfuzz"} & loaded_after(
        "import medreview.review.session, medreview.review.overview, medreview.config\n"
        "import medreview.stats.reports.audit_report"
    )
