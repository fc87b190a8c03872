"""Seals that a real ssh-keygen signs: good, broken in every way, in copies and after merges."""

import json
import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from medreview.errors import UserError
from medreview.exchange.exports.export import export
from medreview.exchange.exports.package import package
from medreview.exchange.imports.import_export import import_export
from medreview.review.decision import decide_in_script
from medreview.study import Study
from medreview.study.check import check_study
from medreview.study.connection import connect
from medreview.study.events import COLUMNS, NewEvent, Recorder, event_hash
from medreview.study.merge import merge
from medreview.study.signed_seals import Seal, seal, seals
from tests.support.meddling import meddle
from tests.support.ssh_keys import WITH_SSH, allowed, new_key
from tests.support.study_builder import StudyBuilder, build

pytestmark = WITH_SSH


def rows(to: StudyBuilder) -> None:
    to.response("r1", "Take 5 mg. Never more.", statements=["Take 5 mg.", "Never more."])


@pytest.fixture(scope="module")
def key(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return new_key(tmp_path_factory.mktemp("keys") / "key")


@pytest.fixture
def path(tmp_path: Path, key: Path) -> Path:
    """A study with two decisions and a seal on them, closed."""
    with Study.create(tmp_path / "a.medreview") as study:
        build(study, rows)
        decide_in_script(study, "kb", "r1.1", "supported")
        decide_in_script(study, "kb", "r1.2", "partial")
        seal(study, "kb", key)
    return tmp_path / "a.medreview"


def found(path: Path, signers: Path | None = None) -> Seal:
    """The one seal of a study."""
    with Study.open(path, read_only=True, altered_too=True) as study:
        (one,) = seals(study.reader, signers)
        faults = check_study(study, signers).faults
        assert (one.words in faults) == (one.standing in ("broken", "signer unknown"))
        return one


def decided(path: Path, reviewer: str, label: str) -> None:
    with Study.open(path) as study:
        decide_in_script(study, reviewer, "r1.1", label)


def test_a_seal_is_good_and_says_whose_key_it_is_only_by_a_list(path: Path, tmp_path: Path, key: Path) -> None:
    one = found(path)
    assert (one.standing, one.name, one.events, one.later, one.signer) == ("good", "kb", 2, 0, "")
    assert "The name is a claim" in one.words
    decided(path, "kb", "contradicted")
    with Study.open(path) as study:
        assert seal(study, "anna", key).events == 4  # the first seal is sealed with the rest
        first, second = seals(study.reader, allowed(tmp_path / "ours", katrin=key))
        assert check_study(study).faults == []
    assert (first.later, second.later) == (2, 0)
    assert "Signed by katrin@ward.example." in first.words
    assert "2 came after it" in first.words


def test_a_key_that_is_not_allowed_is_a_fault_and_so_is_no_seal(path: Path, tmp_path: Path) -> None:
    others = allowed(tmp_path / "theirs", eve=new_key(tmp_path / "eve"))
    assert found(path, others).standing == "signer unknown"
    with Study.create(tmp_path / "new.medreview") as study:
        assert check_study(study, others).faults == ["There is no seal in it."]
        with pytest.raises(UserError, match="no file"):
            seals(study.reader, tmp_path / "nowhere")
        with pytest.raises(UserError, match="no event yet"):
            seal(study, "kb")


def rewritten(path: Path, change: Callable[[dict[str, object]], object], seq: int) -> None:
    """Change an event as a program does that knows how to make hashes, the chain after it, and the seals of rows; and
    that removes the note beside the file."""
    with closing(connect(path)) as connection:
        events = [dict(row) for row in connection.execute("SELECT * FROM event ORDER BY seq")]
    before = {}
    statements = []
    for event in events:
        old = event["hash"]
        if event["seq"] == seq:
            change(event)
        event["previous_hash"] = before.get(event["previous_hash"], event["previous_hash"])
        event["hash"] = before[old] = event_hash({name: event[name] for name in COLUMNS})
        cells = ", ".join(
            f"{name} = '{str(event[name]).replace(chr(39), chr(39) * 2)}'"
            for name in ("reviewer", "at_utc", "payload", "previous_hash", "hash")
        )
        statements.append(f"UPDATE event SET {cells} WHERE seq = {event['seq']}")
    meddle(path, *statements, seals=True)
    path.with_name(f"{path.name}.lock").unlink(missing_ok=True)


def said(event: dict[str, object]) -> dict[str, str]:
    return json.loads(str(event["payload"]))


def other_signature(event: dict[str, object]) -> None:
    signature = said(event)["signature"]
    at = signature.index("\n", 200) - 5
    event["payload"] = json.dumps(
        said(event) | {"signature": f"{signature[:at]}{'A' if signature[at] != 'A' else 'B'}{signature[at + 1 :]}"}
    )


def other_text(event: dict[str, object]) -> None:
    event["payload"] = json.dumps(said(event) | {"text": said(event)["text"].replace("time 2", "time 1")})


def another_count(event: dict[str, object]) -> None:
    event["payload"] = json.dumps(said(event) | {"text": said(event)["text"].replace("events 2", "events 3")})


def no_form(event: dict[str, object]) -> None:
    event["payload"] = json.dumps(said(event) | {"signature": "signed, kb"})


@pytest.mark.parametrize(
    ("change", "seq", "why"),
    [
        (
            lambda event: event.update(payload=json.dumps({"axis": "evidence", "label": "partial"})),
            1,
            "2 of its 2 events",
        ),
        (lambda event: event.update(at_utc="2026-01-01T00:00:00+00:00"), 2, "1 of its 2 events"),
        (lambda event: event.update(reviewer="eve"), 3, "the event is by eve"),
        (other_signature, 3, "the signature does not fit its text"),
        (other_text, 3, "the signature does not fit its text"),
        (another_count, 3, "1 of its 3 events"),
        (no_form, 3, "signature is not what a seal has"),
    ],
)
def test_who_can_make_every_hash_anew_still_breaks_the_seal(
    path: Path, change: Callable[[dict[str, object]], object], seq: int, why: str
) -> None:
    rewritten(path, change, seq)
    one = found(path)
    assert (one.standing, why in one.words) == ("broken", True), one.words
    with Study.open(path, read_only=True) as study:
        assert check_study(study).faults == [one.words]  # nothing else shows it


def test_a_changed_row_and_a_removed_event_break_it_too(path: Path) -> None:
    meddle(path, "UPDATE event SET reviewer = 'eve' WHERE seq = 2")
    assert "1 of its 2 events are not in this file as they were sealed" in found(path).words
    with Study.open(path, altered_too=True, read_only=True) as study, pytest.raises(UserError, match="does not verify"):
        seal(study, "kb")


def test_a_seal_is_not_taken_back_by_an_event(path: Path) -> None:
    with Study.open(path) as study:
        (event,) = study.reader.execute("SELECT event_id FROM event WHERE kind = 'seal'").fetchone()
        taken_back = NewEvent("retract", study.meta("study_id"), undoes_event=event)
        study.write(lambda connection: Recorder("kb").append(connection, taken_back, block="seal", mode="blind"))
    assert (found(path).standing, found(path).later) == ("good", 1)


def test_a_seal_of_another_study_is_broken(path: Path, tmp_path: Path, key: Path) -> None:
    with closing(connect(path)) as connection:
        (payload,) = connection.execute("SELECT payload FROM event WHERE kind = 'seal'").fetchone()
    with Study.create(tmp_path / "b.medreview") as study:
        build(study, rows)
        decide_in_script(study, "kb", "r1.1", "supported")
        seal(study, "kb", key)
    rewritten(tmp_path / "b.medreview", lambda event: event.update(payload=payload), 2)
    assert found(tmp_path / "b.medreview").why.startswith("it is of the study ")


def test_a_blind_copy_keeps_the_seal_and_is_sealed_itself_whatever_is_merged_later(
    path: Path, tmp_path: Path, key: Path
) -> None:
    copy, third = tmp_path / "anna.medreview", Path(shutil.copy(path, tmp_path / "third.medreview"))
    with Study.open(path, read_only=True) as study:
        assert package(study, copy, "kb").events == 2
    assert (found(copy).standing, found(copy).events) == ("good", 2)
    decided(third, "bo", "partial")  # before the copy is sealed, and merged after that
    decided(copy, "anna", "supported")
    with Study.open(copy) as study:
        of_copy = seal(study, "anna", key)
    assert of_copy.copy.endswith("by kb, 2 events left out")
    decided(path, "kb", "contradicted")
    with Study.open(path) as study:
        assert merge(study, third).added == 1
        assert merge(study, copy).added == 2
        own, annas = seals(study.reader)
        assert check_study(study).faults == []
    assert [(one.standing, one.events, one.later) for one in (own, annas)] == [("good", 2, 4), ("good", 4, 2)]
    assert "It was set in a copy" in annas.words


def test_an_export_brings_it_into_a_new_study(path: Path, tmp_path: Path) -> None:
    with Study.open(path) as study:
        export(study, tmp_path / "labels")
    with Study.create(tmp_path / "b.medreview") as study:
        import_export(study, tmp_path / "labels")
        assert [one.standing for one in seals(study.reader)] == ["good"]


@pytest.mark.parametrize(
    ("setting", "says"),
    [("locked", "could not sign with"), ("missing", "There is no key"), ("none", "There is no SSH key in ~/.ssh")],
)
def test_where_nothing_can_sign_the_study_stays_as_it_was(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, setting: str, says: str
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("SSH_AUTH_SOCK", raising=False)
    monkeypatch.delenv("DISPLAY", raising=False)
    named = {"locked": tmp_path / "home/.ssh/id_ed25519", "missing": tmp_path / "nothing", "none": None}[setting]
    if setting == "locked":
        new_key(named, "a passphrase")
        named = None
    with Study.open(path) as study:
        before = study.reader.execute("SELECT count(*) FROM event").fetchone()[0]
        with pytest.raises(UserError, match=says):
            seal(study, "kb", named)
        assert study.reader.execute("SELECT count(*) FROM event").fetchone()[0] == before


def test_without_ssh_keygen_the_events_are_looked_at_and_the_signature_is_named_as_unchecked(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    one = found(path)
    assert (one.standing, one.key) == ("signature not checked", "")
    assert "2 events are as sealed" in one.words
    with Study.open(path) as study:
        with pytest.raises(UserError, match="openssh-client"):
            seal(study, "kb")
        with pytest.raises(UserError, match="openssh-client"):
            seals(study.reader, path)
