"""``seal``, and the seals in ``check``, ``package`` and ``export``."""

import json
import subprocess
from pathlib import Path

import pytest

from medreview.review.decision import decide_in_script
from medreview.study import Study
from tests.support.commands import Program
from tests.support.ssh_keys import WITH_SSH, allowed, new_key
from tests.support.study_builder import StudyBuilder, build

pytestmark = WITH_SSH


def rows(to: StudyBuilder) -> None:
    to.response("r1", "Take 5 mg.", statements=["Take 5 mg."])


@pytest.fixture
def medreview(tmp_path: Path) -> Program:
    """The program of a user who has a key, in a folder with a study that has a decision."""
    new_key(tmp_path / "home/.ssh/id_ed25519")
    with Study.create(tmp_path / "a.medreview") as study:
        build(study, rows)
        decide_in_script(study, "kb", "r1.1", "supported")
    return Program(tmp_path, {"HOME": str(tmp_path / "home")})


def test_a_seal_is_set_verified_and_can_be_verified_by_ssh_alone(medreview: Program, tmp_path: Path) -> None:
    told = medreview("seal", "a.medreview", "--reviewer", "kb", "--out", "a.seal")
    assert told.stdout.startswith("sealed 1 event with the key ED25519 SHA256:")
    signers = allowed(tmp_path / "signers", katrin=tmp_path / "home/.ssh/id_ed25519")
    wanted = "ssh-keygen -Y verify -n medreview-seal -f signers -I katrin@ward.example -s a.seal.sig"
    text = (tmp_path / "a.seal").read_bytes()
    done = subprocess.run(wanted.split(), cwd=tmp_path, input=text, capture_output=True)
    assert done.stdout.startswith(b'Good "medreview-seal" signature for katrin@ward.example')
    checked = medreview("check", "a.medreview", "--allowed-signers", signers)
    assert "Signed by katrin@ward.example." in checked.stderr
    (one,) = json.loads(medreview("check", "a.medreview", "--json").stdout)["seals"]
    assert (one["standing"], one["events"], one["text"]) == ("good", 1, text.decode())
    eve = allowed(tmp_path / "eve", eve=new_key(tmp_path / "other"))
    assert "signer unknown" in medreview("check", "a.medreview", "--allowed-signers", eve, check=1).stderr
    again = json.loads(medreview("seal", "a.medreview", "--out", "a.seal", "--json").stdout)
    assert (again["events"], again["files"]) == (2, ["a.seal", "a.seal.sig"])


def test_nothing_is_signed_where_the_file_cannot_be_written(medreview: Program, tmp_path: Path) -> None:
    (tmp_path / "b.seal.sig").write_text("mine")
    assert "is not an earlier result" in medreview("seal", "a.medreview", "--out", "b.seal", check=2).stderr
    assert json.loads(medreview("check", "a.medreview", "--json").stdout)["seals"] == []


def test_a_copy_and_an_export_can_be_sealed_first(medreview: Program) -> None:
    assert "good, 1 event is as sealed" in medreview("team", "package", "a.medreview", "b.medreview", "--seal").stderr
    assert "good, 1 event is as sealed" in medreview("check", "b.medreview").stderr
    medreview("export", "a.medreview", "labels", "--seal")
    assert len(json.loads(medreview("check", "a.medreview", "--against", "labels", "--json").stdout)["seals"]) == 2
    assert "leave out --table" in medreview("export", "a.medreview", "--table", "-", "--seal", check=2).stderr
