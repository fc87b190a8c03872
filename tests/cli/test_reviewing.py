"""The short way to a review: it takes the words that Typer would take in the same sense, and leaves it the others."""

import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.core import TyperGroup

from medreview.cli.app import app
from medreview.cli.review_words import SWITCHES, VALUES, ReviewOptions, opening_words


def test_its_options_are_those_of_the_command():
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    options = {param.name: param for param in group.commands["review"].params}

    assert {name: options[name].opts for name in (*SWITCHES, *VALUES)} == {
        name: [f"--{name.replace('_', '-')}"] for name in (*SWITCHES, *VALUES)
    }
    assert [name for name in (*SWITCHES, *VALUES) if getattr(options[name], "is_flag", False)] == list(SWITCHES)
    assert {name: options[name].default for name in VALUES} == {name: getattr(ReviewOptions(), name) for name in VALUES}


def test_simple_words_are_read_and_all_others_are_left_to_typer():
    study = Path("a b.medreview")
    assert opening_words(["a b.medreview"]) == (study, ReviewOptions())
    assert opening_words(["--queue", "audit", "a b.medreview", "--reviewer=eva", "--blind", "--read-only"]) == (
        study,
        ReviewOptions(queue="audit", reviewer="eva", blind=True, read_only=True),
    )
    assert opening_words(["a b.medreview", "--filter", "model=x badge=y", "--goal", ""]) == (
        study,
        ReviewOptions(filter="model=x badge=y", goal=""),
    )
    others = (
        "", "a b", "a --help", "a --", "a -q x", "a --queue", "a --queue --blind", "a --blind=1", "a --read_only",
        "a --queue x --queue y", "a --audit 3", "a --plain", "a --pages x", "a --map a=b", "a --que x", "-", "a -",
    )  # fmt: skip
    for words in others:
        assert opening_words(words.split()) is None, words


@pytest.mark.parametrize("short", [True, False])
def test_what_cannot_be_opened_is_told_the_same_either_way(short, monkeypatch, tmp_path, capsys):
    from medreview.cli import main, review_words

    if not short:
        monkeypatch.setattr(review_words, "opening_words", lambda words: None)
    (tmp_path / "some.medreview").write_text("none")
    told = []
    for words in (
        ["none.medreview"],
        ["some.medreview"],
        ["."],
        ["x.pdf", "--read-only"],
        ["none.medreview", "--goal", "x"],
    ):
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", ["medreview", "review", *words])
        with pytest.raises(SystemExit) as ended:
            main.main()
        assert ended.value.code == 2
        told.append(capsys.readouterr().err)
    assert told == [
        "medreview: There is no study at none.medreview; make one with `medreview run none.medreview FILE`.\n",
        "medreview: some.medreview is not a medreview study.\n",
        "medreview: . is a folder; name the study file in it.\n",
        "medreview: There is no study x.medreview to look at yet; without --read-only it is made from x.pdf.\n",
        "medreview: There is no study at none.medreview; make one with `medreview run none.medreview FILE`.\n",
    ]


def test_a_review_is_opened_without_typer_and_what_the_first_screen_does_not_need():
    code = (
        "import sys\nfrom medreview.cli.main import main\nsys.argv = ['medreview', 'review', 'none.medreview']\n"
        "try: main()\nexcept SystemExit: print('\\n'.join(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "medreview.study.study" in loaded
    assert not {"typer", "pydantic", "rich", "textual", "httpx", "numpy"} & loaded


def test_a_kept_screen_is_looked_for_before_anything_of_a_study_is_loaded():
    code = "import sys, medreview.cli.review_words, medreview.screens.last_screen; print('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert not {"sqlite3", "dataclasses", "inspect", "medreview.study.study", "medreview.cli.opening"} & loaded
