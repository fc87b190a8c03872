"""Seals of a study: what its record held at a time, signed with a person's SSH key by ``ssh-keygen -Y``.

A seal is an event, so that it is kept, copied and merged as all events are. Its payload has the signed ``text``, the
``signature`` as ssh-keygen writes it, and in ``sealed`` the first twelve digits of the hash of every event that it is
about: by these they are found again among events that came later, from wherever. The text has a digest of their whole
hashes. Events that were left out of a copy are known there by their hashes, and are sealed with the others.

Ids of statements and pages are made of their content (:mod:`medreview.study.ids`), so that a seal binds what a decision
is about, too. What machines said is not sealed.
"""

import json
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, Literal

from medreview.errors import UserError
from medreview.study.events import event_hash, verify
from medreview.study.package import package_of
from medreview.study.study import Study
from medreview.study.study_acts import write_act
from medreview.text import sha256

KIND: Final = "seal"
NAMESPACE: Final = "medreview-seal"
"""What the signature is for, as ssh-keygen has it: one that was made for anything else is no seal."""
_PREFIX: Final = 12
_TEXT: Final = re.compile(
    r"medreview seal 1\nstudy (?P<study>\S{1,100})\n(?:copy (?P<copy>[^\n]{1,300})\n)?events (?P<events>\d{1,12})\n"
    r"newest (?P<newest>[0-9A-Z]{26} [0-9a-f]{64})\nrecord (?P<record>[0-9a-f]{64})\ntime (?P<time>[0-9T:+.-]{20,40})\n"
    r"name (?P<name>[^\n]{1,300})\n"
)
_SEALED: Final = re.compile(f"(?:[0-9a-f]{{{_PREFIX}}})+")
_SIGNATURE: Final = re.compile(r"-----BEGIN SSH SIGNATURE-----\n[A-Za-z0-9+/=\n]{1,20000}-----END SSH SIGNATURE-----\n")
_GOOD: Final = re.compile(r'Good "[^"]*" signature with (\S+) key (SHA256:\S+)')
_GOOD_OF: Final = re.compile(r'Good "[^"]*" signature for ')
_KEYS: Final = ("id_ed25519", "id_ed25519_sk", "id_ecdsa", "id_ecdsa_sk", "id_rsa")
"""Keys of a user in ``~/.ssh``, in the order in which one is taken; ssh's own names."""
_PATIENCE: Final = 60
"""Seconds for what asks nobody; a signature may wait for a passphrase or a touch, without a limit."""

Standing = Literal["good", "broken", "signer unknown", "signature not checked"]


@dataclass(frozen=True, slots=True)
class Seal:
    """A seal as it is found: ``events`` were sealed by ``name`` at ``at``, and ``later`` ones were added since.

    ``key``: kind and fingerprint, ``""`` where the signature was not checked or is false. ``signer``: the principal
    whose key it is by the file of allowed signers, ``""`` without one. ``copy``: which copy was sealed, if not the
    whole study. ``why``: what is wrong, half a sentence. ``text`` and ``signature``: for ssh-keygen.
    """

    standing: Standing
    name: str
    at: str
    events: int
    later: int
    key: str
    signer: str
    copy: str
    why: str
    text: str
    signature: str

    @property
    def words(self) -> str:
        """A sentence or two about it."""
        which = f"Seal of {self.at[:16].replace('T', ' ')} by {self.name}"
        if self.standing in ("broken", "signer unknown"):
            return f"{which}: {self.standing}, {self.why}."
        after = {0: "none came after it", 1: "1 came after it"}.get(self.later, f"{self.later:,} came after it")
        count = f"{self.events:,} event{' is' if self.events == 1 else 's are'} as sealed, {after}"
        of_copy = f" It was set in a copy ({self.copy})." if self.copy else ""
        if self.standing == "signature not checked":
            return f"{which}: {count}. {self.why}.{of_copy}"
        whose = (
            f"Signed by {self.signer}"
            if self.signer
            else "The name is a claim: --allowed-signers FILE says whose key it is"
        )
        return f"{which}: good, {count}. Key {self.key}. {whose}.{of_copy}"


def seal(study: Study, reviewer: str, key: Path | None = None) -> Seal:
    """Sign the record as it is, and add the seal to it.

    ``key``: a private key, or a public one whose private key the agent has; default: the user's own.

    Raises :class:`UserError` when there is nothing to seal, the record does not verify, or it cannot be signed.
    """
    reader = study.reader
    if verify(reader):
        raise UserError(f"The record of {study.path} does not verify, and is not sealed: see `medreview check`.")
    newest = reader.execute("SELECT event_id, hash FROM event ORDER BY event_id DESC LIMIT 1").fetchone()
    if newest is None:
        raise UserError(f"{study.path} has no event yet: there is nothing to seal.")
    hashes = sorted(_hashes(reader))
    lines = ["medreview seal 1", f"study {study.meta('study_id')}"]
    if copy := package_of(reader):
        whom = f" for {copy.made_for}" if copy.made_for else ""
        lines.append(f"copy made {copy.made_at} by {copy.made_by}{whom}, {copy.events} events left out")
    lines += [
        f"events {len(hashes)}",
        f"newest {newest['event_id']} {newest['hash']}",
        f"record {_digest(hashes)}",
        f"time {datetime.now(UTC).isoformat(timespec='seconds')}",
        f"name {reviewer}",
    ]
    text = "".join(f"{' '.join(line.split())}\n" for line in lines)
    if not _TEXT.fullmatch(text):
        raise UserError("The reviewer's name is too long for a seal.")
    signature = _signed(text, key)
    write_act(study, reviewer, KIND, {
        "text": text, "signature": signature, "sealed": "".join(one[:_PREFIX] for one in hashes),
    })  # fmt: skip
    return seals(study.reader)[-1]


def seals(reader: sqlite3.Connection, allowed_signers: Path | None = None) -> list[Seal]:
    """Every seal of a study, oldest first, verified.

    ``allowed_signers``: a file as ssh has it; without one nothing is said of who a key belongs to.

    Raises :class:`UserError` when signers are asked for and cannot be looked up.
    """
    # Of all events, not of those that stand: nobody takes a seal back.
    acts = reader.execute(
        "SELECT payload, reviewer, at_utc FROM event WHERE kind = ? ORDER BY event_id", (KIND,)
    ).fetchall()
    if allowed_signers:
        if not allowed_signers.is_file():
            raise UserError(f"There is no file {allowed_signers}.")
        _program()
    if not acts:
        return []
    hashes = _hashes(reader)
    study = reader.execute("SELECT value FROM study WHERE key = 'study_id'").fetchone()[0]
    return [_found(json.loads(said), who, at, study, hashes, allowed_signers) for said, who, at in acts]


def seal_fault(payload: Mapping[str, Any]) -> str:
    """What is wrong with the form of a seal that comes from another file, half a sentence; ``""`` when nothing is."""
    for name, form in (("text", _TEXT), ("signature", _SIGNATURE), ("sealed", _SEALED)):
        if not isinstance(payload.get(name), str) or not form.fullmatch(payload[name]):
            return f"{name} is not what a seal has"
    return ""


def _found(
    said: Mapping[str, Any], reviewer: str, at: str, study: str, hashes: set[str], allowed_signers: Path | None
) -> Seal:
    wrong = seal_fault(said)
    told = None if wrong else _TEXT.fullmatch(said["text"])
    if told is None:
        return Seal("broken", reviewer, at, 0, 0, "", "", "", wrong, "", "")
    count = int(told["events"])
    named = {said["sealed"][start : start + _PREFIX] for start in range(0, len(said["sealed"]), _PREFIX)}
    here = sorted(one for one in hashes if one[:_PREFIX] in named)
    standing: Standing = "good"
    key = signer = ""
    why = _other_record(told, reviewer, study, here)
    if why:
        standing = "broken"
    elif not shutil.which("ssh-keygen"):
        standing, why = "signature not checked", "The signature was not checked: ssh-keygen is not installed"
    else:
        with _files(said["text"], said["signature"]) as (text, signature):
            key = _key_of(text, signature)
            if not key:
                standing, why = "broken", "the signature does not fit its text"
            elif allowed_signers:
                signer = _signer(text, signature, allowed_signers)
                if not signer:
                    standing, why = "signer unknown", f"{allowed_signers} does not allow the key {key} to sign it"
    return Seal(
        standing, told["name"], told["time"], count, len(hashes) - len(here) - 1, key, signer, told["copy"] or "", why,
        said["text"], said["signature"],
    )  # fmt: skip


def _other_record(told: "re.Match[str]", reviewer: str, study: str, here: Sequence[str]) -> str:
    """Why a seal does not fit the record, half a sentence."""
    if told["study"] != study:
        return f"it is of the study {told['study']}"
    if told["name"] != " ".join(reviewer.split()):
        return f"the event is by {reviewer}"
    if missing := int(told["events"]) - len(here):
        return f"{abs(missing):,} of its {told['events']} events are not in this file as they were sealed"
    return "" if _digest(here) == told["record"] else "the events in this file are others than those that were sealed"


def _hashes(reader: sqlite3.Connection) -> set[str]:
    """The hashes of all events that fit theirs, and of those that were left out of this copy."""
    events = reader.execute("SELECT * FROM event")
    fit = {row["hash"] for row in events if event_hash(row) == row["hash"]}
    return fit | {row[0] for row in reader.execute("SELECT hash FROM withheld")}


def _digest(hashes: Sequence[str]) -> str:
    """Of the hashes in their order, one a line: what ``sha256sum`` says of ``SELECT hash FROM event ORDER BY hash``."""
    return sha256("".join(f"{one}\n" for one in hashes))


def _program() -> str:
    """Where ssh-keygen is. Raises :class:`UserError` when it is not installed."""
    if found := shutil.which("ssh-keygen"):
        return found
    raise UserError(
        "A seal is signed and checked by ssh-keygen, which is not installed here. It comes with OpenSSH: the package "
        "openssh-client on Debian and Ubuntu, openssh-clients on Fedora."
    )


@contextmanager
def _files(text: str, signature: str = "") -> Iterator[tuple[Path, Path]]:
    """A text and its signature in a private folder for ssh-keygen, which takes files."""
    with TemporaryDirectory(prefix="medreview-seal-") as folder:
        names = Path(folder, "seal"), Path(folder, "seal.sig")
        names[0].write_text(text, encoding="utf-8", newline="")
        if signature:
            names[1].write_text(signature, encoding="utf-8", newline="")
        yield names


def _signed(text: str, key: Path | None) -> str:
    """The signature of a text. A passphrase is asked for on the terminal, by ssh-keygen itself."""
    program = _program()
    if key is not None and not key.is_file():
        raise UserError(f"There is no key {key}.")
    with _files(text) as (signed, signature):
        taken = key or _own_key(signed.with_name("key.pub"))
        asks = None if sys.stdin and sys.stdin.isatty() else subprocess.DEVNULL
        wanted = [program, "-Y", "sign", "-n", NAMESPACE, "-f", str(taken), str(signed)]
        done = subprocess.run(wanted, stdin=asks, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        if done.returncode or not signature.is_file():
            said = " ".join(done.stderr.decode("utf-8", "replace").split())
            raise UserError(f"ssh-keygen could not sign with {taken}: {said[:300] or 'it gave no reason'}")
        return signature.read_text(encoding="ascii")


def _own_key(place: Path) -> Path:
    """The user's key: of those in ``~/.ssh`` the first, else the only one that the agent has, put at ``place``."""
    for name in _KEYS:
        if (found := Path.home() / ".ssh" / name).is_file():
            return found
    held: list[str] = []
    if agent := shutil.which("ssh-add"):
        done = subprocess.run([agent, "-L"], stdin=subprocess.DEVNULL, capture_output=True, timeout=_PATIENCE)
        held = [] if done.returncode else done.stdout.decode("utf-8", "replace").splitlines()
    if len(held) == 1:
        place.write_text(held[0] + "\n", encoding="utf-8")
        return place
    raise UserError(
        f"The SSH agent has {len(held)} keys: name the public one to sign with, as `--key ~/.ssh/work.pub`."
        if held
        else "There is no SSH key in ~/.ssh and none in an agent. Make one with `ssh-keygen -t ed25519`, or name one: "
        "`--key FILE`."
    )


def _key_of(text: Path, signature: Path) -> str:
    """The kind and fingerprint of the key that signed the text; ``""`` when the signature is false."""
    said = _asked(text, "-Y", "check-novalidate", "-n", NAMESPACE, "-s", str(signature))
    found = _GOOD.search(said)
    return f"{found[1]} {found[2]}" if found else ""


def _signer(text: Path, signature: Path, allowed: Path) -> str:
    """The first principal of the allowed signers whose key it is and who may sign seals; ``""`` for none."""
    said = _asked(text, "-Y", "find-principals", "-s", str(signature), "-f", str(allowed))
    for name in re.split(r"[,\n]", said):
        wanted = ("-Y", "verify", "-n", NAMESPACE, "-s", str(signature), "-f", str(allowed), "-I", name.strip())
        if name.strip() and _GOOD_OF.search(_asked(text, *wanted)):
            return name.strip()
    return ""


def _asked(text: Path, *wanted: str) -> str:
    """What ssh-keygen says of a text; ``""`` when it says no."""
    with text.open("rb") as given:
        done = subprocess.run([_program(), *wanted], stdin=given, capture_output=True, timeout=_PATIENCE)
    return "" if done.returncode else done.stdout.decode("utf-8", "replace")
